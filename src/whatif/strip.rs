//! A control at each of its values: what colours its track.

use super::figure::Priced;
use super::{Figure, Laid, Refused, WhatIf};
use crate::diagnostics::{Diagnostic, Errors};
use crate::facts::controls::{Change, Control, Disabled, Moved, Refusal, Setting};

/// A control's values, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Strip {
    /// Which control.
    pub control: Control,
    /// What it stands at.
    pub present: Setting,
    /// One per value worth stepping through, the present one among them.
    pub candidates: Vec<Candidate>,
}

/// One value of a control.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The value.
    pub setting: Setting,
    /// What becomes of the run.
    pub outcome: Outcome,
    /// Degrees that follow.
    pub moved: Vec<Moved>,
}

/// The three classes of value (DESIGN 3.3).
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It runs.
    Runs(Figure),
    /// The reference prices it, but no such run could start, for this reason.
    PricedOnly(Figure, Diagnostic),
    /// It cannot be set, or is refused.
    Refused(Reason),
}

/// Why a value is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The control cannot take it.
    Control(Refusal),
    /// The run cannot be read or placed with it; the first of the errors.
    Run(Diagnostic),
}

impl Outcome {
    /// The figure, if there is one.
    pub const fn figure(&self) -> Option<Figure> {
        match self {
            Self::Runs(figure) | Self::PricedOnly(figure, _) => Some(*figure),
            Self::Refused(_) => None,
        }
    }

    pub(super) fn of(priced: Result<Priced, Errors>) -> Self {
        match priced {
            Ok(Priced { figure, stops: None, .. }) => Self::Runs(figure),
            Ok(Priced { figure, stops: Some(reason), .. }) => Self::PricedOnly(figure, reason),
            Err(errors) => Self::Refused(Reason::Run(errors.first().clone())),
        }
    }
}

impl WhatIf<'_> {
    /// A control at each of its values, everything else as it stands; or why the control cannot be moved.
    ///
    /// # Errors
    /// Where the control is disabled in this file.
    pub fn strip(&self, control: Control) -> Result<Strip, Disabled> {
        control.key(&self.present.facts)?;
        let present = control.setting(&self.present.facts);
        let base = self.without(&[control]);
        // The run as it stands can be read, and taking a control back can only fail on what the others state alone.
        let base = base.unwrap_or_else(|_| self.present.clone());
        let values = control.values(&self.present.facts);
        let candidates = values.into_iter().map(|setting| self.candidate(&base, control, setting)).collect();
        Ok(Strip { control, present, candidates })
    }

    /// One value of a control: the class it is in, its figure, and what moves along.
    pub fn value(&self, control: Control, setting: Setting) -> Candidate {
        let base = self.without(&[control]).unwrap_or_else(|_| self.present.clone());
        self.candidate(&base, control, setting)
    }

    pub(super) fn candidate(&self, base: &Laid, control: Control, setting: Setting) -> Candidate {
        match self.moved(base, control, &setting) {
            Ok((laid, Change { moved, .. })) => {
                Candidate { setting, outcome: Outcome::of(self.price(&laid.facts)), moved }
            }
            Err(refused) => {
                let reason = match refused {
                    Refused::Control(refusal) => Reason::Control(refusal),
                    Refused::Reading(errors) => Reason::Run(errors.first().clone()),
                };
                Candidate { setting, outcome: Outcome::Refused(reason), moved: Vec::new() }
            }
        }
    }
}
