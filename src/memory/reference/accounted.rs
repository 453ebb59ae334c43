//! A stage in numbers: its items at both instants, the reference's own figures, and what is odd about them.

use super::items::{Id, KINDS};
use super::stage::{Model, Walked};
use super::sums::Sums;
use super::{INSTANTS, NegativeBuffers, printed};
use crate::memory::{Amounts, BackwardEnd, Item, ReferenceFigures, StageMemory};
use crate::placement::Stage;
use crate::units::Bytes;

/// A stage and what is odd about it.
pub(super) struct Accounted {
    pub(super) memory: StageMemory,
    pub(super) negative_buffers: Option<NegativeBuffers>,
}

impl Model<'_, f64> {
    /// What one stage holds; stages are visited in order.
    pub(super) fn stage(&mut self, stage: Stage<'_>) -> Accounted {
        let mut sums = self.nothing();
        let walked = self.walk(stage, &mut sums);
        let figures = self.figures(stage, &walked, &sums);
        let instants = walked.instants();
        let totals: Amounts = (0..instants).map(|instant| Bytes::new(walked.total(instant))).collect();
        let memory = StageMemory {
            stage: stage.index,
            layers: stage.letters(),
            items: items(&sums, instants),
            instants: INSTANTS[..instants].into(),
            peak: usize::from(totals.get(1).is_some_and(|backward| *backward > totals[0])),
            totals,
            layers_of_instants: Vec::new(),
            band: None,
            reference: Some(figures),
        };
        Accounted { memory, negative_buffers: self.negative_buffers(stage, &sums) }
    }

    fn figures(&self, stage: Stage<'_>, walked: &Walked<f64>, sums: &Sums<f64>) -> ReferenceFigures {
        let [params, optimizer, gradients] = walked.held;
        let backward = walked.backward;
        let compared = if backward.compared { backward.total } else { 0.0 };
        ReferenceFigures {
            params,
            optimizer,
            gradients,
            static_total: walked.static_total,
            activations: walked.activations,
            comm: walked.comm,
            bwd_overhead: walked.overhead,
            warmup_peak: walked.warmup,
            backward_end: BackwardEnd {
                kept: backward.kept,
                held_grads: backward.held_grads,
                working: backward.working,
                root_grad: backward.root_grad,
                total: backward.total,
            },
            safety_buffer: walked.reserve,
            dynamic_total: walked.dynamic,
            peak_point: if walked.warmup > 0.0 && compared > walked.warmup { "backward_end" } else { "warmup_end" },
            total: walked.static_total + walked.dynamic,
            printed: self.printed(walked, sums),
            micro: micro(stage),
        }
    }

    fn printed(&self, walked: &Walked<f64>, sums: &Sums<f64>) -> Vec<(&'static str, f64)> {
        let mut figures = printed::figures(walked.static_total, walked.dynamic, &sums.printed);
        if self.primary.context_parallel > 1 {
            let text = self.parts.len() - 1;
            let layer = self.parts[text].layer(self.applied.kind(text));
            figures.extend(printed::context_parallel(layer, self.primary.devices_per_node as f64));
        }
        figures
    }

    /// With fewer micro-batches than stages the reference's buffers fall below zero (memory-core 9).
    fn negative_buffers(&self, stage: Stage<'_>, sums: &Sums<f64>) -> Option<NegativeBuffers> {
        let bytes = sums.at_warmup_end.of(Id::BuffersExpertParallel);
        if bytes >= 0.0 {
            return None;
        }
        let mut without_quirk = 0.0;
        for chunk in stage.chunks() {
            for run in chunk.runs {
                let part = &self.parts[run.part];
                let at_least_one = self.point(part, chunk.in_flight.max(1.0));
                let value = part.between_passes(run.node, run.kind, at_least_one);
                without_quirk += value.buffers.expert * f64::from(run.count);
            }
        }
        Some(NegativeBuffers { stage: stage.index, bytes, without_quirk })
    }
}

/// The in-flight factor of each node, as activations count it.
fn micro(stage: Stage<'_>) -> Vec<f64> {
    let mut micro = Vec::with_capacity(stage.nodes());
    for chunk in stage.chunks() {
        for run in chunk.runs {
            micro.extend(std::iter::repeat_n(chunk.in_flight.max(1.0), run.count as usize));
        }
    }
    micro
}

/// How many items a stage has in most models; one more costs an allocation.
const TYPICAL_ITEMS: usize = 21;

/// The items that hold anything at an instant that counts.
fn items(sums: &Sums<f64>, instants: usize) -> Vec<Item> {
    let mut items = Vec::with_capacity(TYPICAL_ITEMS);
    for (at, kind) in KINDS.iter().enumerate() {
        let warmup = sums.item(at, 0);
        let backward = if instants == 1 { 0.0 } else { sums.item(at, 1) };
        if warmup != 0.0 || backward != 0.0 {
            // Adding zero turns a negative zero into zero.
            let (warmup, backward) = (Bytes::new(warmup + 0.0), Bytes::new(backward + 0.0));
            let bytes = if instants == 1 { Amounts::from([warmup]) } else { Amounts::from([warmup, backward]) };
            items.push(Item { id: kind.id, category: kind.category, certainty: kind.certainty, bytes });
        }
    }
    items
}
