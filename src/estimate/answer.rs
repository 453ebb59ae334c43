//! From a derived config to the report, by any memory model.

use crate::accounting::Accountant;
use crate::config::Config;
use crate::diagnostics::{Checked, Diagnostic, Findings, Severity};
use crate::facts::Facts;
use crate::memory::{Breakdown, MemoryModel};
use crate::placement::{self, Placement};
use crate::report::{self, Other, Reading, Report};

/// What follows from facts and the config derived from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The memory model that answers, with its policies.
    pub memory_model: MemoryModel,
    /// Where the layers run.
    pub placement: Placement,
    /// What each stage holds.
    pub breakdown: Breakdown,
    /// What a reader looks at.
    pub report: Report,
}

/// Carries on from a derived config to the report, by the reference as specified; none where the layers cannot be placed.
pub fn answer(facts: &Facts, config: &Config, findings: &mut Findings) -> Option<Answer> {
    answer_by(Accountant::default(), facts, config, findings)
}

/// The same by any memory model; none where its run cannot exist either.
pub fn answer_by(by: Accountant, facts: &Facts, config: &Config, findings: &mut Findings) -> Option<Answer> {
    let illegal: Vec<Diagnostic> = by.legality(facts, config).collect();
    let is_refused = illegal.iter().any(|finding| finding.severity == Severity::Error);
    findings.add_all(illegal);
    let placement = findings.take(placement::place(config))?;
    if is_refused {
        return None;
    }
    let breakdown = findings.take(by.account(facts, config, &placement))?;
    let in_flight: Vec<Vec<f64>> =
        placement.stages().map(|stage| stage.chunks().map(|chunk| chunk.in_flight).collect()).collect();
    let (capacity, reading) = (config.primary().device_capacity.bytes(), Reading::of(facts.input_kind));
    let report = report::present(&breakdown, &in_flight, capacity, reading);
    Some(Answer { memory_model: by.memory_model(), placement, breakdown, report })
}

/// The figure of another memory model for the run that `answer` is of; none where that model has none, or refuses the run.
pub fn other(by: Accountant, facts: &Facts, config: &Config, answer: &Answer) -> Option<Other> {
    if by.refuses(facts, config) {
        return None;
    }
    let Checked { value: breakdown, .. } = by.account(facts, config, &answer.placement).ok()?;
    let capacity = config.primary().device_capacity.bytes();
    Some(Other::new(&answer.breakdown, &breakdown, capacity, Reading::of(facts.input_kind)))
}
