//! One stage: the walk over its nodes, and its two candidate peaks (memory-core 2).

use super::activations::Point;
use super::items::Id;
use super::nodes::Part;
use super::overheads::{self, Applied, LastLayers};
use super::sums::Sums;
use crate::config::{Config, Primary};
use crate::explain::{Formula, Quantity, fields, formulas};
use crate::placement::{Node, Placement, Run, Stage};
use crate::units::GIB;

fields! {
    /// What splits a sequence.
    Split;
    /// Parts that a sequence is split into.
    parts "n_s_split";
}

formulas! {
    /// Micro-batches in flight at a chunk, as activations count them: at least 1.
    IN_FLIGHT "f" "memory-core 9";
    /// Tokens of the part of a sequence that is under way.
    PART "sequence-part" "memory-core 9";
    /// Parameters that the stage holds, bytes.
    PARAMETERS "static.params" "memory-core 6";
    /// Optimizer states that the stage holds, bytes.
    OPTIMIZER "static.optimizer" "memory-core 6";
    /// Gradients that the stage holds, bytes.
    GRADIENTS "static.gradients" "memory-core 6";
    /// What the stage holds all the time, bytes.
    STATIC "static.total" "memory-core 2, item 4";
    /// Activations in flight when warm-up ends, bytes.
    ACTIVATIONS "dynamic.activations" "memory-core 2, item 4";
    /// Communication buffers, bytes.
    BUFFERS "dynamic.comm" "memory-core 2, item 4";
    /// What is under way when warm-up ends, bytes.
    OVERHEAD "dynamic.bwd_overhead" "memory-core 10.1";
    /// What comes and goes, when warm-up ends, bytes (D1).
    WARMUP "dynamic.warmup_peak" "memory-core 2, item 5";
    /// What micro-batches still in flight keep when the backward ends, bytes.
    KEPT "dynamic.backward_end.kept" "memory-core 10.2";
    /// Gradients held until the backward ends, bytes.
    HELD "dynamic.backward_end.held_grads" "memory-core 10.2";
    /// What is under way when the backward ends, bytes.
    WORKING "dynamic.backward_end.working" "memory-core 10.2";
    /// The output table's whole gradient, bytes.
    ROOT "dynamic.backward_end.root_grad" "memory-core 10.2";
    /// What comes and goes, when the backward ends, bytes (BE).
    BACKWARD "dynamic.backward_end.total" "memory-core 10.2";
    /// A fixed safety buffer, bytes.
    RESERVE "dynamic.safety_buffer" "memory-core 2, item 6";
    /// What comes and goes, at most, bytes.
    DYNAMIC "dynamic.total" "memory-core 2, item 6";
    /// What the stage needs, bytes.
    TOTAL "total" "memory-core 2, item 7";
}

/// The figures of a stage beside its items, in the order of [`Walked::figures`].
pub(super) static FIGURES: [&Formula; 16] = [
    &TOTAL,
    &STATIC,
    &PARAMETERS,
    &OPTIMIZER,
    &GRADIENTS,
    &DYNAMIC,
    &WARMUP,
    &ACTIVATIONS,
    &BUFFERS,
    &OVERHEAD,
    &BACKWARD,
    &KEPT,
    &HELD,
    &WORKING,
    &ROOT,
    &RESERVE,
];

/// A placed model, ready to be walked stage by stage.
pub(super) struct Model<'a, V: Quantity> {
    pub(super) placement: &'a Placement,
    /// What is read after the walk stands in the last submodule, the text.
    pub(super) primary: &'a Primary,
    defers: bool,
    overlaps: bool,
    pub(super) parts: Vec<Part<V>>,
    pub(super) applied: Applied,
    context: V::Context,
}

/// What follows from the sums of a stage.
pub(super) struct Walked<V> {
    pub(super) static_total: V,
    pub(super) held: [V; 3],
    pub(super) activations: V,
    pub(super) comm: V,
    pub(super) overhead: V,
    pub(super) warmup: V,
    pub(super) backward: Backward<V>,
    pub(super) reserve: V,
    pub(super) dynamic: V,
}

/// What is held when the backward ends, in parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backward<V> {
    pub(super) kept: V,
    pub(super) held_grads: V,
    pub(super) working: V,
    pub(super) root_grad: V,
    pub(super) total: V,
    /// Whether it counts for the peak at all.
    pub(super) compared: bool,
}

impl<'a, V: Quantity> Model<'a, V> {
    pub(super) fn new(config: &'a Config, placement: &'a Placement, parts: Vec<Part<V>>, context: V::Context) -> Self {
        let last = config.submodules().last().map_or(config, |submodule| &submodule.config);
        Self {
            placement,
            primary: last.primary(),
            defers: last.defers_gradients(),
            overlaps: last.overlaps_reduction(),
            parts,
            applied: Applied::new((0..placement.parts()).map(|part| placement.last_kind(part)).collect()),
            context,
        }
    }

    /// Sums with nothing in them.
    pub(super) fn nothing(&self) -> Sums<V> {
        Sums::none(self.literal(0.0))
    }

    /// What one stage holds, added to sums with nothing in them. Stages are visited in order: evaluations leave their kind
    /// to the next (memory-core 19).
    pub(super) fn walk(&mut self, stage: Stage<'_>, sums: &mut Sums<V>) -> Walked<V> {
        self.visit(stage, sums);
        let overhead = self.overhead(stage, sums).named(&OVERHEAD);
        let backward = self.backward_end(stage, sums);
        let (activations, comm) = (sums.activations.named(&ACTIVATIONS), sums.comm.named(&BUFFERS));
        // Both sums are made apart, as the reference makes them: its printed figure is truncated.
        let warmup = (activations + comm + overhead).named(&WARMUP);
        let idle = warmup.number() <= 0.0;
        let reserve = if idle { self.literal(0.0).because("nothing comes and goes") } else { self.literal(GIB) };
        let reserve = reserve.named(&RESERVE);
        let dynamic = match (idle, backward.compared) {
            (true, _) => warmup,
            (false, true) => warmup.larger(backward.total) + reserve,
            // The backward end counts as nothing, and warm-up is more.
            (false, false) => warmup + reserve,
        };
        sums.at_warmup_end.add(Id::Reserve, reserve);
        let [parameters, optimizer, gradients] = sums.held;
        Walked {
            static_total: sums.held_total.named(&STATIC),
            held: [parameters.named(&PARAMETERS), optimizer.named(&OPTIMIZER), gradients.named(&GRADIENTS)],
            activations,
            comm,
            overhead,
            warmup,
            backward,
            reserve,
            dynamic: dynamic.named(&DYNAMIC),
        }
    }

    fn literal(&self, value: f64) -> V {
        V::literal(self.context, value)
    }

    fn visit(&self, stage: Stage<'_>, sums: &mut Sums<V>) {
        for (at, chunk) in stage.chunks().enumerate() {
            let factor = if V::EXPLAINS { stage.in_flight(at, self.context) } else { self.literal(chunk.in_flight) };
            for run in chunk.runs {
                let part = &self.parts[run.part];
                let point = self.point(part, factor);
                let value = part.between_passes(run.node, run.kind, point);
                let group = part.group(run, at, run.count);
                sums.add_held(&part.held(run), group);
                sums.add_between_passes(&value, point, group);
                add_table(run, part, sums);
            }
        }
    }

    pub(super) fn point(&self, part: &Part<V>, raw: V) -> Point<V> {
        let whole = part.layer(0).n.sequence;
        let sequence = if self.placement.schedule().splits_sequence() {
            let split = Split { parts: self.primary.sequence_parts as f64 };
            (whole / split.lift::<V>(self.context).parts).named(&PART)
        } else {
            whole
        };
        Point { in_flight: raw.larger(self.literal(1.0)).named(&IN_FLIGHT), raw, sequence }
    }

    fn overhead(&mut self, stage: Stage<'_>, sums: &mut Sums<V>) -> V {
        let zero = self.literal(0.0);
        if self.primary.frozen {
            return zero.because("the model is frozen");
        }
        let schedule = self.placement.schedule();
        let overhead = overheads::backward_overhead(&self.parts, schedule, stage, &mut self.applied, sums, zero);
        sums.at_warmup_end.add(Id::WorkingActivations, overhead.activations);
        sums.at_warmup_end.add(Id::WorkingBuffers, overhead.buffers);
        overhead.total
    }

    fn backward_end(&mut self, stage: Stage<'_>, sums: &mut Sums<V>) -> Backward<V> {
        let zero = self.literal(0.0);
        let held = if self.defers && self.primary.micro_batches > 1 { sums.layer_gradients } else { zero };
        let compared = !self.primary.frozen && (held.number() != 0.0 || self.overlaps);
        let root_grad = if self.overlaps { sums.output_gradients } else { zero }.named(&ROOT);
        if !compared {
            // The output's gradient is reported all the same.
            let zero = zero.because("nothing is held when the backward ends");
            return Backward { kept: zero, held_grads: zero, working: zero, root_grad, total: zero, compared };
        }
        let LastLayers { working, whole_gradients, pending } =
            overheads::last_layers(&self.parts, stage.chunk(0), self.overlaps, &mut self.applied, zero);
        let held_grads = if held.number() > 0.0 {
            (held - pending).larger(zero).because("reduced gradients are held until the backward ends")
        } else {
            zero.because("no reduced gradients are held until the backward ends")
        };
        let held_grads = held_grads.named(&HELD);
        let items = &mut sums.at_backward_end;
        items.add(Id::WorkingActivations, working.activations);
        items.add(Id::WorkingBuffers, working.buffers);
        items.add(Id::GradientsHeld, held_grads);
        items.add(Id::GradientsWhole, whole_gradients);
        items.add(Id::GradientsRoot, root_grad);
        let working = (working.total + whole_gradients).named(&WORKING);
        let kept = sums.kept.named(&KEPT);
        let total = (kept + held_grads + working + root_grad).named(&BACKWARD);
        Backward { kept, held_grads, working, root_grad, total, compared }
    }
}

impl<V: Quantity> Walked<V> {
    /// How many instants count for the stage's peak: the backward's end does not where nothing comes and goes.
    pub(super) fn instants(&self) -> usize {
        if self.warmup.number() > 0.0 && self.backward.compared { 2 } else { 1 }
    }

    /// What the stage needs at an instant.
    pub(super) fn total(&self, instant: usize) -> V {
        let dynamic = if instant == 0 { self.warmup } else { self.backward.total };
        self.static_total + (dynamic + self.reserve)
    }

    /// Every figure beside the items; the first is that of an instant.
    pub(super) fn figures(&self, instant: usize) -> impl Iterator<Item = (&'static Formula, V)> {
        let Self { held: [parameters, optimizer, gradients], backward, .. } = self;
        let figures = [
            self.total(instant),
            self.static_total,
            *parameters,
            *optimizer,
            *gradients,
            self.dynamic,
            self.warmup,
            self.activations,
            self.comm,
            self.overhead,
            backward.total,
            backward.kept,
            backward.held_grads,
            backward.working,
            backward.root_grad,
            self.reserve,
        ];
        FIGURES.into_iter().zip(figures)
    }
}

/// What only tables bring: the gradient that the backward ends with, and what the printed counters see twice.
fn add_table<V: Quantity>(run: &Run, part: &Part<V>, sums: &mut Sums<V>) {
    if run.node != Node::Output {
        return;
    }
    sums.output_gradients = sums.output_gradients + part.output_reduction().whole;
    if let Some(embeddings) = part.mtp_embeddings().filter(|_| !V::EXPLAINS) {
        for (printed, twice) in sums.printed.held.iter_mut().zip(embeddings) {
            *printed = *printed + twice;
        }
    }
}
