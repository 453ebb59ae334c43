//! The reference's memory model, `sapp_nd` (memory-core): two moments a stage, exact to the bit of its printed figures.

mod accounted;
mod activations;
mod buffers;
mod cases;
pub mod counted;
mod derived;
#[cfg(test)]
mod expectations;
mod explained;
mod fields;
mod held;
pub mod items;
mod nodes;
mod overheads;
mod parameters;
pub mod policies;
mod printed;
mod stage;
mod sums;

pub use explained::{Answer, explain, explain_each, explained_ids, formulas, is_bytes, meaning};
pub(crate) use explained::{FORMULA_TABLES, SYMBOL_TABLES};

use super::{Breakdown, Instant, StageMemory};
use crate::config::Config;
use crate::diagnostics::{Checked, Code, Diagnostic, Place};
use crate::placement::Placement;
use nodes::Part;
pub use policies::Policies;
use stage::Model;

/// The memory model's name.
pub const NAME: &str = "sapp_nd";
/// When warm-up ends: every micro-batch that the schedule starts early is in flight.
pub const WARMUP_END: Instant = Instant { id: "warmup-end" };
/// When the backward ends: the first layers' gradients are on their way.
pub const BACKWARD_END: Instant = Instant { id: "backward-end" };

/// The instants of a stage, where both count for its peak.
const INSTANTS: [Instant; 2] = [WARMUP_END, BACKWARD_END];

/// What each stage holds, item by item, at the instants that count for its peak, as specified.
pub fn account(config: &Config, placement: &Placement) -> Checked<Breakdown> {
    account_under(config, placement, Policies::default())
}

/// The same under chosen policies.
pub fn account_under(config: &Config, placement: &Placement, policies: Policies) -> Checked<Breakdown> {
    let mut model = Model::new(config, placement, Part::all(config, placement, policies), ());
    let mut negative = Vec::new();
    let mut stages = Vec::with_capacity(placement.stages().len());
    for stage in placement.stages() {
        let accounted = model.stage(stage);
        negative.extend(accounted.negative_buffers);
        stages.push(accounted.memory);
    }
    let warnings = negative_buffers(config, &negative).into_iter().collect();
    Checked { value: Breakdown { memory_model: NAME, peak: peak(&stages), stages }, warnings }
}

/// The stage whose printed figures are largest; on ties the first (memory-core 2, item 7).
fn peak(stages: &[StageMemory]) -> usize {
    let printed = |stage: &StageMemory| {
        let figures = stage.reference.as_ref().map(|figures| &figures.printed[..2]);
        figures.into_iter().flatten().map(|(_, mib)| mib).sum::<f64>()
    };
    let mut peak = (0, f64::NEG_INFINITY);
    for (at, stage) in stages.iter().enumerate() {
        let size = printed(stage);
        if size > peak.1 {
            peak = (at, size);
        }
    }
    peak.0
}

/// A stage's buffers that the reference counts below zero.
#[derive(Debug, Clone, Copy)]
struct NegativeBuffers {
    stage: usize,
    /// As the reference counts them.
    bytes: f64,
    /// With at least one micro-batch in flight.
    without_quirk: f64,
}

/// One warning for all stages, with the figures of the lowest: stage, bytes, bytes without the quirk, micro-batches,
/// pipeline stages, how many stages are concerned.
fn negative_buffers(config: &Config, stages: &[NegativeBuffers]) -> Option<Diagnostic> {
    let lowest = stages.iter().min_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Some(
        Diagnostic::new(Code::ReferenceNegativeBuffer, Place::Whole)
            .with(count(lowest.stage))
            .with(lowest.bytes)
            .with(lowest.without_quirk)
            .with(config.primary().micro_batches)
            .with(config.primary().pipeline_parallel)
            .with(count(stages.len())),
    )
}
