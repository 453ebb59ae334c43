//! From facts to the report.
//!
//! Config, placement, breakdown and report stand in one memo: none of them can change without the others, and together
//! they take some ten microseconds. A memo for each would only add its own cost.

use super::stage::Stage;
use super::what_if::Applied;
use shardmem::accounting::Accountant;
use shardmem::config::{self, Config};
use shardmem::diagnostics::{Diagnostic, Findings};
use shardmem::estimate;
use shardmem::facts::{Facts, RecomputeRange};
use shardmem::report::Report;
use std::sync::Arc;

/// The recompute ranges that are laid over the file, where they are edited.
pub(super) type RangesRead = Option<Stage<Arc<[RecomputeRange]>>>;

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
    /// Without a memory model, while it is on its way, everything stays as it was.
    pub(super) fn new(
        facts: &Stage<Facts>,
        applied: &Applied,
        ranges: &RangesRead,
        by: Option<Accountant>,
        last: Option<Self>,
    ) -> Self {
        let Some(by) = by else { return last.unwrap_or_default() };
        let mut findings = Findings::new();
        let report = facts.value().and_then(|facts| report(facts, ranges, by, &mut findings));
        let current = report.filter(|_| !findings.failed() && !applied.is_refused());
        let shown = match current {
            Some(report) => Some(Shown::Current(Arc::new(report))),
            None => last.and_then(|last| last.shown).map(Shown::into_stale),
        };
        Self { shown, findings: findings.into_all() }
    }
}

fn report(facts: &Facts, ranges: &RangesRead, by: Accountant, findings: &mut Findings) -> Option<Report> {
    let config = judged(facts, ranges, by, findings);
    let answer = config.and_then(|config| estimate::answer_by(by, facts, &config, findings));
    findings.point(&|code| config::culprit(code, facts, None));
    answer.map(|answer| answer.report)
}

/// The config of a run; none while the ranges cannot be read.
pub(super) fn config(facts: &Facts, ranges: &RangesRead, findings: &mut Findings) -> Option<Config> {
    judged(facts, ranges, Accountant::default(), findings)
}

/// The same, with what was found as a memory model judges it.
pub(super) fn judged(facts: &Facts, ranges: &RangesRead, by: Accountant, findings: &mut Findings) -> Option<Config> {
    let ranges = match ranges {
        None => None,
        Some(read) => Some(read.value()?.clone()),
    };
    let mut derived = config::derive_with(facts, move |mut primary| {
        primary.recompute_ranges = ranges.or(primary.recompute_ranges);
        primary
    });
    if let Ok(config) = &mut derived {
        config.warnings = std::mem::take(&mut config.warnings).into_iter().map(|warning| by.judged(warning)).collect();
    }
    findings.take(derived)
}

#[cfg(test)]
pub(super) fn config_of(run: &super::Workspace) -> Config {
    let read = super::estimate::RunRead::of(run);
    let facts = read.reading.facts.value().expect("the run can be read").clone();
    config(&facts, &None, &mut Findings::new()).expect("and has a config")
}
