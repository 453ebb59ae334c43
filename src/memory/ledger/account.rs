//! From the walk of every stage to a breakdown.

use super::book::{Book, Moment, PHASES, Phase, Worst};
use super::build::{Builder, Built};
use super::interleaved;
use super::policies::Policies;
use super::schedule::Interleaved;
use super::slots::{Amounts as Live, Slot};
use super::stage::Layout;
use super::step::Walk;
use super::sureness::Sure;
use super::{Inputs, NAME};
use crate::diagnostics::{Checked, Errors, Findings};
use crate::memory::{Amounts, Breakdown, Instant, Item, StageMemory};
use crate::units::Bytes;

/// What the walk of a stage found.
#[derive(Debug, Clone, PartialEq)]
pub struct Walked {
    /// The worst point of each instant that comes, in order.
    pub worst: Vec<(Moment, Worst)>,
    /// The peak of each phase, by [`Phase`]; minus infinity where it never comes.
    pub phases: [f64; PHASES],
    /// What is kept for backward, with the logits, when the first forward ends.
    pub saved_end_of_forward: f64,
    /// The same after its loss.
    pub saved_after_loss: f64,
}

impl Walked {
    fn of(book: &Book, saved: (f64, f64)) -> Self {
        let came = Moment::ALL.into_iter().filter(|moment| book.worst(*moment).total.is_finite());
        let phases = [Phase::Forward, Phase::Loss, Phase::Backward, Phase::Reduction, Phase::Between, Phase::Optimizer];
        Self {
            worst: came.map(|moment| (moment, *book.worst(moment))).collect(),
            phases: phases.map(|phase| book.phase_peak(phase)),
            saved_end_of_forward: saved.0,
            saved_after_loss: saved.1,
        }
    }

    /// Index of the largest instant; on ties the first.
    pub fn peak(&self) -> usize {
        let mut peak = 0;
        for (at, (_, worst)) in self.worst.iter().enumerate() {
            if worst.total > self.worst[peak].1.total {
                peak = at;
            }
        }
        peak
    }

    /// The worst point of the step.
    pub fn peak_point(&self) -> &Worst {
        &self.worst[self.peak()].1
    }
}

/// Walks every stage.
pub fn walk(inputs: Inputs<'_>, policies: Policies) -> Result<Vec<Walked>, Errors> {
    let mut findings = Findings::new();
    let built = match Builder::new(inputs, policies).build() {
        Ok(built) => Some(built),
        Err(error) => {
            findings.add(error);
            None
        }
    };
    let built = findings.finish(built)?.value;
    Ok(walk_all(&built))
}

fn walk_all(built: &Built) -> Vec<Walked> {
    let stages = built.stages.len();
    built.stages.iter().enumerate().map(|(at, chunks)| walk_stage(built, chunks, at, stages)).collect()
}

fn walk_stage(built: &Built, chunks: &[super::stage::Stage], rank: usize, ranks: usize) -> Walked {
    let micro_batches = built.layout.micro_batches;
    if let [only] = chunks {
        let mut walk = Walk::new(&built.layout, &built.kinds, only);
        if built.layout.pipeline {
            walk.pipeline_step(u32::try_from(ranks - rank).unwrap_or(u32::MAX));
        } else {
            walk.step();
        }
        return Walked::of(&walk.book, walk.saved);
    }
    let schedule =
        Interleaved { ranks, chunks: chunks.len(), micro_batches: usize::try_from(micro_batches).unwrap_or(1) };
    let walked = interleaved::walked(schedule);
    let layout = Layout { micro_batches: u32::try_from(walked.micro_batches).unwrap_or(1), ..built.layout };
    let left_out = (schedule.micro_batches - walked.micro_batches) as f64;
    let (book, saved) = interleaved::walk(&layout, &built.kinds, chunks, walked, rank, left_out);
    Walked::of(&book, saved)
}

/// What each stage holds, item by item, at the worst point of every named instant.
pub fn account(inputs: Inputs<'_>, policies: Policies) -> Result<Checked<Breakdown>, Errors> {
    let walked = walk(inputs, policies)?;
    let sure = Sure::of(inputs, policies);
    let stages: Vec<StageMemory> = inputs
        .placement
        .stages()
        .zip(&walked)
        .map(|(stage, walked)| stage_memory(stage.index, stage.letters(), walked, sure))
        .collect();
    let mut peak = 0;
    for (at, stage) in stages.iter().enumerate() {
        if stage.peak_bytes() > stages[peak].peak_bytes() {
            peak = at;
        }
    }
    Ok(Checked { value: Breakdown { memory_model: NAME, stages, peak }, warnings: Vec::new() })
}

/// What is left of sums and differences of the same sizes is nothing.
fn held(bytes: f64) -> f64 {
    const ROUNDING: f64 = 0.5;
    if bytes.abs() < ROUNDING { 0.0 } else { bytes }
}

fn stage_memory(stage: usize, layers: String, walked: &Walked, sure: Sure) -> StageMemory {
    let instants: Vec<Instant> = walked.worst.iter().map(|(moment, _)| Instant { id: moment.id() }).collect();
    let at = |slot: Slot| -> Vec<Bytes> {
        walked.worst.iter().map(|(_, worst)| Bytes::new(held(worst.live[slot]))).collect()
    };
    let items = Slot::ALL.iter().filter_map(|slot| {
        let bytes = at(*slot);
        debug_assert!(bytes.iter().all(|bytes| bytes.value() >= 0.0), "{slot:?} is never negative: {bytes:?}");
        let any = bytes.iter().any(|bytes| bytes.value() > 0.0);
        let kind = slot.kind();
        any.then(|| Item {
            id: kind.id,
            category: kind.category,
            certainty: sure.certainty(*slot),
            bytes: bytes.into(),
        })
    });
    let totals: Amounts = walked.worst.iter().map(|(_, worst)| Bytes::new(Live::total(&worst.live))).collect();
    StageMemory {
        stage,
        layers,
        instants: instants.into(),
        items: items.collect(),
        totals,
        peak: walked.peak(),
        layers_of_instants: walked.worst.iter().map(|(_, worst)| worst.layer).collect(),
        band: None,
        reference: None,
    }
}
