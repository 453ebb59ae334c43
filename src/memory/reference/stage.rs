//! One stage: the walk over its nodes, its two candidate peaks, and what is reported of them (memory-core 2).

use super::activations::Point;
use super::items::{Id, KINDS};
use super::nodes::Part;
use super::overheads::{self, Applied, LastLayers, Working};
use super::sums::Sums;
use super::{INSTANTS, NegativeBuffers, Policies, printed};
use crate::config::{Config, Primary};
use crate::memory::{Amounts, BackwardEnd, Item, ReferenceFigures, StageMemory};
use crate::placement::{Node, Placement, Run, Stage};
use crate::units::{Bytes, GIB};

/// The fixed safety buffer.
const SAFETY: f64 = GIB;

/// A placed model, ready to be walked stage by stage.
pub(super) struct Model<'a> {
    placement: &'a Placement,
    /// What is read after the walk stands in the last submodule, the text.
    primary: &'a Primary,
    defers: bool,
    overlaps: bool,
    parts: Vec<Part<f64>>,
    applied: Applied,
}

/// A stage and what is odd about it.
pub(super) struct Accounted {
    pub(super) memory: StageMemory,
    pub(super) negative_buffers: Option<NegativeBuffers>,
}

impl<'a> Model<'a> {
    pub(super) fn new(config: &'a Config, placement: &'a Placement, policies: Policies) -> Self {
        let last = config.submodules().last().map_or(config, |submodule| &submodule.config);
        Self {
            placement,
            primary: last.primary(),
            defers: last.defers_gradients(),
            overlaps: last.overlaps_reduction(),
            parts: Part::all(config, placement, policies),
            applied: Applied::new((0..placement.parts()).map(|part| placement.last_kind(part)).collect()),
        }
    }

    /// What one stage holds. Stages are visited in order: evaluations leave their kind to the next (memory-core 19).
    pub(super) fn stage(&mut self, stage: Stage<'_>) -> Accounted {
        let mut sums = Sums::none(0.0);
        let mut micro = Vec::with_capacity(stage.nodes());
        self.walk(stage, &mut sums, &mut micro);
        let overhead = self.overhead(stage, &mut sums);
        let backward = self.backward_end(stage, &mut sums);
        // Both sums are made apart, as the reference makes them: its printed figure is truncated.
        let warmup = sums.activations + sums.comm + overhead.total;
        let reserve = if warmup <= 0.0 { 0.0 } else { SAFETY };
        let compared = if backward.compared { backward.parts.total } else { 0.0 };
        let dynamic = if warmup <= 0.0 { warmup } else { warmup.max(compared) + reserve };
        sums.at_warmup_end.add(Id::Reserve, reserve);
        let negative_buffers = self.negative_buffers(stage, &sums);
        let figures = ReferenceFigures {
            params: sums.held[0],
            optimizer: sums.held[1],
            gradients: sums.held[2],
            static_total: sums.held_total,
            activations: sums.activations,
            comm: sums.comm,
            bwd_overhead: overhead.total,
            warmup_peak: warmup,
            backward_end: backward.parts,
            safety_buffer: reserve,
            dynamic_total: dynamic,
            peak_point: if warmup > 0.0 && compared > warmup { "backward_end" } else { "warmup_end" },
            total: sums.held_total + dynamic,
            printed: self.printed(dynamic, &sums),
            micro,
        };
        let memory = report(stage, &sums, figures, warmup > 0.0 && backward.compared);
        Accounted { memory, negative_buffers }
    }

    fn walk(&self, stage: Stage<'_>, sums: &mut Sums<f64>, micro: &mut Vec<f64>) {
        for chunk in stage.chunks() {
            for run in chunk.runs {
                let part = &self.parts[run.part];
                let point = self.point(part, chunk.in_flight);
                let value = part.between_passes(run.node, run.kind, point);
                sums.add_held(&part.held(run), run.count);
                sums.add_between_passes(&value, point, run.count);
                add_table(run, part, sums);
                micro.extend(std::iter::repeat_n(point.in_flight, run.count as usize));
            }
        }
    }

    fn point(&self, part: &Part<f64>, raw: f64) -> Point<f64> {
        let whole = part.layer(0).n.sequence;
        let splits = self.placement.schedule().splits_sequence();
        let sequence = if splits { whole / self.primary.sequence_parts as f64 } else { whole };
        Point { in_flight: raw.max(1.0), raw, sequence }
    }

    fn overhead(&mut self, stage: Stage<'_>, sums: &mut Sums<f64>) -> Working<f64> {
        if self.primary.frozen {
            return Working { activations: 0.0, buffers: 0.0, total: 0.0 };
        }
        let schedule = self.placement.schedule();
        let overhead = overheads::backward_overhead(&self.parts, schedule, stage, &mut self.applied, sums, 0.0);
        sums.at_warmup_end.add(Id::WorkingActivations, overhead.activations);
        sums.at_warmup_end.add(Id::WorkingBuffers, overhead.buffers);
        overhead
    }

    fn backward_end(&mut self, stage: Stage<'_>, sums: &mut Sums<f64>) -> Backward {
        let held = if self.defers && self.primary.micro_batches > 1 { sums.layer_gradients } else { 0.0 };
        let compared = !self.primary.frozen && (held != 0.0 || self.overlaps);
        let root_grad = if self.overlaps { sums.output_gradients } else { 0.0 };
        if !compared {
            // The output's gradient is reported all the same.
            let parts = BackwardEnd { kept: 0.0, held_grads: 0.0, working: 0.0, root_grad, total: 0.0 };
            return Backward { parts, compared };
        }
        let LastLayers { working, whole_gradients, pending } =
            overheads::last_layers(&self.parts, stage.chunk(0), self.overlaps, &mut self.applied, 0.0);
        let held_grads = if held > 0.0 { (held - pending).max(0.0) } else { 0.0 };
        let items = &mut sums.at_backward_end;
        items.add(Id::WorkingActivations, working.activations);
        items.add(Id::WorkingBuffers, working.buffers);
        items.add(Id::GradientsHeld, held_grads);
        items.add(Id::GradientsWhole, whole_gradients);
        items.add(Id::GradientsRoot, root_grad);
        let working = working.total + whole_gradients;
        let total = sums.kept + held_grads + working + root_grad;
        Backward { parts: BackwardEnd { kept: sums.kept, held_grads, working, root_grad, total }, compared }
    }

    fn printed(&self, dynamic: f64, sums: &Sums<f64>) -> Vec<(&'static str, f64)> {
        let mut figures = printed::figures(sums.held_total, dynamic, &sums.printed);
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

/// What only tables bring: the gradient that the backward ends with, and what the printed counters see twice.
fn add_table(run: &Run, part: &Part<f64>, sums: &mut Sums<f64>) {
    if run.node != Node::Output {
        return;
    }
    sums.output_gradients += part.output_reduction().whole;
    for (printed, twice) in sums.printed.held.iter_mut().zip(part.mtp_embeddings().unwrap_or_default()) {
        *printed += twice;
    }
}

/// The backward end's parts, and whether it is compared at all.
struct Backward {
    parts: BackwardEnd,
    compared: bool,
}

fn report(stage: Stage<'_>, sums: &Sums<f64>, figures: ReferenceFigures, backward_counts: bool) -> StageMemory {
    let dynamic = [figures.warmup_peak, figures.backward_end.total];
    let instants = if backward_counts { &INSTANTS[..] } else { &INSTANTS[..1] };
    let held = figures.static_total;
    let totals: Amounts =
        dynamic[..instants.len()].iter().map(|dynamic| Bytes::new(held + (dynamic + figures.safety_buffer))).collect();
    StageMemory {
        stage: stage.index,
        layers: stage.letters(),
        items: items(sums, instants.len()),
        instants: instants.into(),
        peak: usize::from(totals.get(1).is_some_and(|backward| *backward > totals[0])),
        totals,
        reference: Some(figures),
    }
}

/// How many items a stage has in most models; one more costs an allocation.
const TYPICAL_ITEMS: usize = 21;

/// The items that hold anything at an instant that counts.
fn items(sums: &Sums<f64>, instants: usize) -> Vec<Item> {
    let amounts = |at: usize| {
        let warmup = sums.at_warmup_end.bytes(at);
        let backward = if KINDS[at].is_always_there() { warmup } else { sums.at_backward_end.bytes(at) };
        (warmup, if instants == 1 { 0.0 } else { backward })
    };
    let mut items = Vec::with_capacity(TYPICAL_ITEMS);
    for (at, kind) in KINDS.iter().enumerate() {
        let (warmup, backward) = amounts(at);
        if warmup != 0.0 || backward != 0.0 {
            // Adding zero turns a negative zero into zero.
            let (warmup, backward) = (Bytes::new(warmup + 0.0), Bytes::new(backward + 0.0));
            let bytes = if instants == 1 { Amounts::from([warmup]) } else { Amounts::from([warmup, backward]) };
            items.push(Item { id: kind.id, category: kind.category, certainty: kind.certainty, bytes });
        }
    }
    items
}
