//! From facts to the report.
//!
//! Config, placement, breakdown and report stand in one memo: none of them can change without the others, and together
//! they take some ten microseconds. A memo for each would only add its own cost.

use super::stage::Stage;
use super::what_if::Applied;
use shardmem::config;
use shardmem::diagnostics::{Checked, Diagnostic, Findings};
use shardmem::facts::{Facts, InputKind};
use shardmem::memory;
use shardmem::placement;
use shardmem::report::{self, Reading, Report};
use std::sync::Arc;

/// The figures on the page, and whether they are of the run as it stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// They are.
    Current(Arc<Report>),
    /// They are the last good ones: the run as it stands has an error.
    Stale(Arc<Report>),
}

impl Shown {
    /// The figures.
    pub fn report(&self) -> &Arc<Report> {
        match self {
            Self::Current(report) | Self::Stale(report) => report,
        }
    }

    /// Whether they are the last good ones.
    pub const fn is_stale(&self) -> bool {
        matches!(self, Self::Stale(_))
    }

    fn into_stale(self) -> Self {
        match self {
            Self::Current(report) | Self::Stale(report) => Self::Stale(report),
        }
    }
}

/// What became of the facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The figures, if there ever were any.
    pub shown: Option<Shown>,
    /// What was found after the facts.
    pub(super) findings: Vec<Diagnostic>,
}

impl Outcome {
    /// Carries on from the facts; the last figures stay, marked, where there are no new ones.
    pub(super) fn new(facts: &Stage<Facts>, applied: &Applied, last: Option<Self>) -> Self {
        let mut findings = Findings::new();
        let report = facts.value().and_then(|facts| report(facts, &mut findings));
        let current = report.filter(|_| !findings.failed() && !applied.is_refused());
        let shown = match current {
            Some(report) => Some(Shown::Current(Arc::new(report))),
            None => last.and_then(|last| last.shown).map(Shown::into_stale),
        };
        Self { shown, findings: all(findings) }
    }
}

fn report(facts: &Facts, findings: &mut Findings) -> Option<Report> {
    let config = findings.take(config::derive(facts))?;
    findings.add_all(config::legality(facts, &config));
    let placement = findings.take(placement::place(&config))?;
    let Checked { value: breakdown, warnings } = memory::reference::account(&config, &placement);
    findings.add_all(warnings);
    let in_flight: Vec<Vec<f64>> =
        placement.stages().map(|stage| stage.chunks().map(|chunk| chunk.in_flight).collect()).collect();
    let capacity = config.primary().device_capacity.bytes();
    Some(report::present(&breakdown, &in_flight, capacity, reading(facts.input_kind)))
}

const fn reading(kind: InputKind) -> Reading {
    match kind {
        InputKind::AutoModels | InputKind::Legacy => Reading::Understood,
        InputKind::Fragment | InputKind::Search | InputKind::MindFormers => Reading::Partial,
    }
}

fn all(findings: Findings) -> Vec<Diagnostic> {
    match findings.finish(Some(())) {
        Ok(checked) => checked.warnings,
        Err(errors) => errors.warnings().iter().chain(errors.errors()).cloned().collect(),
    }
}
