//! What a device may show of a stage's peak, allocator included (ledger 6).

use super::Inputs;
use super::build::Builder;
use super::policies::{Policies, StateLayout};
use super::stage::{Kind, Stage};
use super::units::Unit;
use crate::memory::{Breakdown, Category, Certainty, StageMemory};

/// Edges of the band of one stage, bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The walk's peak: what is allocated.
    pub allocated: f64,
    /// What the allocator keeps apart for side streams: reduced gradients, and the two largest neighbouring gathers.
    pub side_pools: f64,
    /// The least.
    pub low: f64,
    /// What is expected to be reserved.
    pub expected: f64,
    /// The most.
    pub high: f64,
}

/// Reserved over allocated, measured (median).
const EXPECTED: f64 = 1.05;
/// From the two full published FSDP2 rows with a reserved figure.
const HIGH_SHARDED: f64 = 1.16;
/// From the published rows of Megatron and nanotron.
const HIGH_WHOLE: f64 = 1.09;
/// Where more than a tenth of the peak is not exact.
const LOW_UNSURE: f64 = 0.95;
const UNSURE_SHARE: f64 = 0.1;

/// The band of every stage of a breakdown that [`super::account`] made of the same inputs.
pub fn bands(inputs: Inputs<'_>, breakdown: &Breakdown, policies: Policies) -> Vec<Band> {
    let whole = policies.state_layout() == StateLayout::Zero1;
    let built = if whole { None } else { Builder::new(inputs, policies).units().ok() };
    let stages = breakdown.stages.iter().enumerate().map(|(at, memory)| {
        let pools = built.as_ref().and_then(|(kinds, stages)| Some(side_pools(kinds, stages.get(at)?, memory)));
        band(memory, pools.unwrap_or(0.0), if whole { HIGH_WHOLE } else { HIGH_SHARDED })
    });
    stages.collect()
}

fn band(memory: &StageMemory, side_pools: f64, high: f64) -> Band {
    let allocated = memory.peak_bytes().value();
    let unsure = memory.items.iter().filter(|item| item.certainty != Certainty::Exact);
    let unsure: f64 = unsure.map(|item| item.bytes[memory.peak].value()).sum();
    let low = if unsure > UNSURE_SHARE * allocated { LOW_UNSURE * allocated } else { allocated };
    let reserved = allocated + side_pools;
    Band { allocated, side_pools, low, expected: reserved * EXPECTED, high: reserved * high }
}

/// Reductions and gathers run on streams of their own, whose blocks the compute stream cannot take (ledger 6).
fn side_pools(kinds: &[Kind], stages: &[Stage], memory: &StageMemory) -> f64 {
    let sharded = |unit: &Unit| unit.ranks > 1.0;
    let gathers = stages.iter().map(|stage| {
        let units = neighbours(kinds, stage);
        let pairs = units.windows(2).map(|pair| pair.iter().map(|unit| gather(unit)).sum::<f64>());
        pairs.fold(units.first().map_or(0.0, |unit| gather(unit)), f64::max)
    });
    let gathers = gathers.fold(0.0, f64::max);
    if !stages.iter().any(|stage| neighbours(kinds, stage).iter().any(|unit| sharded(unit))) {
        return 0.0;
    }
    let parameters = memory.items.iter().filter(|item| item.category == Category::Parameters);
    // A reduced gradient is as wide as its stored parameter.
    let reduced: f64 = parameters.map(|item| item.bytes[memory.peak].value()).sum();
    reduced + gathers
}

/// A flat bf16 buffer and the casts that go into it.
fn gather(unit: &Unit) -> f64 {
    2.0 * unit.padded * (1.0 + 1.0 / unit.ranks)
}

/// The units of a stage in module order, equal neighbours at most twice.
fn neighbours<'a>(kinds: &'a [Kind], stage: &'a Stage) -> Vec<&'a Unit> {
    let mut units = Vec::with_capacity(2 * stage.runs.len() + 2);
    if stage.ends.root.padded > 0.0 {
        units.push(&stage.ends.root);
    }
    for run in &stage.runs {
        for _ in 0..run.count.min(2) {
            units.push(&kinds[run.kind].unit);
        }
    }
    if stage.ends.head.padded > 0.0 {
        units.push(&stage.ends.head);
    }
    units
}
