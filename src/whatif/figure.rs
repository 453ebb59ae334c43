//! What a run needs, without the report.

use super::WhatIf;
use crate::accounting::Accountant;
use crate::config::{self, Config, Primary};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Severity};
use crate::facts::Facts;
use crate::placement::{self, Placement};
use crate::report::{Fits, Reading, Verdict, expected, verdict, within};
use crate::units::Bytes;

/// The answer at one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The peak of the stage that needs most.
    pub peak: Bytes,
    /// That stage, from 0.
    pub stage: usize,
    /// Whether every stage fits the device.
    pub fits: Fits,
    /// What a device holds, less the peak; negative where it exceeds.
    pub headroom: Bytes,
}

/// A figure, and what would keep the run from starting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Priced {
    pub(super) figure: Figure,
    /// The first reason why a run of this layout could not be.
    pub(super) stops: Option<Diagnostic>,
    /// Whether more can mean less: the reference's buffers are negative with fewer micro-batches than stages.
    pub(super) has_negative_buffers: bool,
}

/// A run placed and accounted for.
pub(super) struct Accounted {
    pub(super) priced: Priced,
    pub(super) placement: Placement,
    /// Whether each stage fits.
    pub(super) stages_fit: Vec<bool>,
}

impl WhatIf<'_> {
    /// What these facts need.
    pub(super) fn price(&self, facts: &Facts) -> Result<Priced, Errors> {
        self.account(facts, |primary| primary).map(|accounted| accounted.priced)
    }

    /// What these facts need with the primary fields changed once more, behind the execution spec.
    pub(super) fn account(&self, facts: &Facts, change: impl FnOnce(Primary) -> Primary) -> Result<Accounted, Errors> {
        let Checked { value: config, warnings } = config::derive_with(facts, |primary| {
            change(match self.run.exec {
                Some(spec) => config::execution::apply(primary, spec),
                None => primary,
            })
        })?;
        let placement = placement::place(&config)?.value;
        let by = self.run.accountant;
        let stops = stops(by, facts, &config, warnings);
        if let Some(error) = stops.iter().find(|finding| finding.severity == Severity::Error) {
            return Err(Errors::one(error.clone()));
        }
        let Checked { value: breakdown, warnings: negative } = by.account(facts, &config, &placement)?;
        let capacity = config.primary().device_capacity.bytes();
        let verdict = verdict(&breakdown, capacity, Reading::of(facts.input_kind));
        let priced = Priced { figure: Figure::of(&verdict), stops, has_negative_buffers: !negative.is_empty() };
        let stages_fit = breakdown.stages.iter().map(|stage| within(expected(stage), capacity)).collect();
        Ok(Accounted { priced, placement, stages_fit })
    }
}

impl Figure {
    const fn of(verdict: &Verdict) -> Self {
        Self { peak: verdict.peak, stage: verdict.stage, fits: verdict.fits, headroom: verdict.headroom }
    }

    /// Whether it is known to fit.
    pub fn is_fitting(&self) -> bool {
        self.fits == Fits::Yes
    }
}

/// Our own rules first; then experts that the degrees cannot hold, which the reference raises to what they can.
fn stops(by: Accountant, facts: &Facts, config: &Config, warnings: Vec<Diagnostic>) -> Option<Diagnostic> {
    let clamped = |warning: &Diagnostic| warning.code == Code::ExpertDegreesClamped;
    by.legality(facts, config).next().or_else(|| warnings.into_iter().find(clamped).map(|warning| by.judged(warning)))
}
