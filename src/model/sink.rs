//! Collects what is found about a model, each at a place that the user can see.

use crate::diagnostics::{Diagnostic, Findings, Place};
use crate::provenance::Source;

/// Findings about a model. A catalogue config is no text of the user's: what is wrong in it is shown where it is named.
#[derive(Debug, Default)]
pub(super) struct Sink {
    findings: Findings,
    /// Where the model is named, if its config is not the user's own text.
    named: Option<Place>,
}

impl Sink {
    pub(super) fn new(named: Option<Place>) -> Self {
        Self { findings: Findings::new(), named }
    }

    pub(super) fn add(&mut self, mut finding: Diagnostic) {
        let in_config = match &finding.place {
            Place::Span(source, _) | Place::Key(source, _) | Place::Value(source, _) | Place::Missing(source, _) => {
                *source == Source::Model
            }
            Place::Whole => false,
        };
        if let Some(named) = self.named.as_ref().filter(|_| in_config) {
            finding.place = named.clone();
        }
        self.findings.add(finding);
    }

    pub(super) fn failed(&self) -> bool {
        self.findings.failed()
    }

    pub(super) fn into_findings(self) -> Findings {
        self.findings
    }
}
