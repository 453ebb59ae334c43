//! What became of one stage of the core's flow, in a shape that memos compare and share.

use shardmem::diagnostics::{Checked, Diagnostic, Errors};
use std::sync::Arc;

/// A stage's value with its warnings, its errors, or nothing because an earlier stage has no value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stage<T> {
    /// A value.
    Ready(Arc<Checked<T>>),
    /// Errors.
    Refused(Arc<Errors>),
    /// An earlier stage was refused.
    Waiting,
}

impl<T> Stage<T> {
    /// The outcome of a stage.
    pub(super) fn of(outcome: Result<Checked<T>, Errors>) -> Self {
        match outcome {
            Ok(checked) => Self::Ready(Arc::new(checked)),
            Err(errors) => Self::Refused(Arc::new(errors)),
        }
    }

    /// The value, if there is one.
    pub(super) fn value(&self) -> Option<&T> {
        match self {
            Self::Ready(checked) => Some(&checked.value),
            Self::Refused(_) | Self::Waiting => None,
        }
    }

    /// What this stage found: warnings, then errors.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        let (warnings, errors) = match self {
            Self::Ready(checked) => (&*checked.warnings, &[][..]),
            Self::Refused(errors) => (errors.warnings(), errors.errors()),
            Self::Waiting => (&[][..], &[][..]),
        };
        warnings.iter().chain(errors)
    }
}
