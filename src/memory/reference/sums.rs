//! The sums of one stage, added node by node in visiting order (memory-core 12, 19), and its items at both instants.

use super::activations::{Point, Slots};
use super::buffers::{Buffers, Largest};
use super::items::{Id, KINDS};
use super::nodes::{Held, HeldParts, KeptParts, Value};
use super::parameters::Parameters;
use crate::explain::{Group, Quantity};

/// Bytes of every item at one instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Items<V>([V; Id::COUNT]);

impl<V: Quantity> Items<V> {
    fn none(zero: V) -> Self {
        Self([zero; Id::COUNT])
    }

    pub(super) fn add(&mut self, item: Id, bytes: V) {
        self.0[item as usize] = self.0[item as usize] + bytes;
    }

    pub(super) fn bytes(&self, item: usize) -> V {
        self.0[item]
    }

    pub(super) fn of(&self, item: Id) -> V {
        self.0[item as usize]
    }
}

/// Everything that is summed over a stage.
#[derive(Debug, Clone)]
pub(super) struct Sums<V> {
    /// Parameters, optimizer states, gradients.
    pub(super) held: [V; 3],
    pub(super) held_total: V,
    pub(super) activations: V,
    pub(super) comm: V,
    /// Gradients of the stage's layers (H), and what micro-batches still in flight keep at the backward's end.
    pub(super) layer_gradients: V,
    pub(super) kept: V,
    /// Whole reduced gradients of the stage's output layers.
    pub(super) output_gradients: V,
    pub(super) printed: Counters<V>,
    /// Items that are there at both instants, and those when warm-up ends.
    pub(super) at_warmup_end: Items<V>,
    /// Items when the backward ends, but for those that are there at both instants.
    pub(super) at_backward_end: Items<V>,
}

/// The reference's printed counters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counters<V> {
    pub(super) held: [V; 3],
    pub(super) attention: V,
    pub(super) feed_forward: V,
    pub(super) norm: V,
    pub(super) gathered: V,
    pub(super) expert: V,
}

impl<V: Quantity> Sums<V> {
    pub(super) fn none(zero: V) -> Self {
        Self {
            held: [zero; 3],
            held_total: zero,
            activations: zero,
            comm: zero,
            layer_gradients: zero,
            kept: zero,
            output_gradients: zero,
            printed: Counters {
                held: [zero; 3],
                attention: zero,
                feed_forward: zero,
                norm: zero,
                gathered: zero,
                expert: zero,
            },
            at_warmup_end: Items::none(zero),
            at_backward_end: Items::none(zero),
        }
    }

    /// What an item holds at an instant.
    pub(super) fn item(&self, item: usize, instant: usize) -> V {
        if instant == 0 || KINDS[item].is_always_there() {
            self.at_warmup_end.bytes(item)
        } else {
            self.at_backward_end.bytes(item)
        }
    }

    /// Adds what equal nodes hold all the time.
    pub(super) fn add_held(&mut self, held: &Held<V>, group: Group) {
        let times = group.count;
        let total = held.total.map(|bytes| bytes.of(group));
        let [parameters, optimizer, gradients] = total;
        add_each(&mut self.held, total, times);
        // What the reference prints is not explained.
        if !V::EXPLAINS {
            add_each(&mut self.printed.held, total, times);
        }
        self.held_total = self.held_total.add_times(parameters + optimizer + gradients, times);
        if matches!(held.parts, HeldParts::Layer(_)) {
            self.layer_gradients = self.layer_gradients.add_times(gradients, times);
        }
        match held.parts {
            HeldParts::Layer(parts) => {
                for (part, ids) in parts.iter().zip(HELD_BY_LAYERS) {
                    self.add_layer_parts(part, ids, group);
                }
            }
            HeldParts::Embedding => self.add_held_items(HELD_BY_EMBEDDING, held.total, group),
            HeldParts::Output { mtp: None } => self.add_held_items(HELD_BY_OUTPUT, held.total, group),
            HeldParts::Output { mtp: Some(mtp) } => {
                let own = std::array::from_fn(|at| held.total[at] - mtp[at]);
                self.add_held_items(HELD_BY_OUTPUT, own, group);
                self.add_held_items(HELD_BY_MTP, mtp, group);
            }
        }
    }

    fn add_layer_parts(&mut self, part: &Parameters<V>, ids: [Id; 6], group: Group) {
        let bytes = [part.attention, part.norms, part.feed_forward, part.router, part.routed, part.shared];
        for (id, bytes) in ids.into_iter().zip(bytes) {
            self.at_warmup_end.add(id, times_over(bytes, group));
        }
    }

    fn add_held_items(&mut self, ids: [Id; 3], bytes: [V; 3], group: Group) {
        for (id, bytes) in ids.into_iter().zip(bytes) {
            self.at_warmup_end.add(id, times_over(bytes, group));
        }
    }

    /// Adds what equal nodes keep and gather between the passes.
    pub(super) fn add_between_passes(&mut self, value: &Value<V>, point: Point<V>, group: Group) {
        let times = group.count;
        self.activations = self.activations.add_times(value.activation.of(group), times);
        self.comm = self.comm.add_times(value.comm().of(group), times);
        self.printed.add(value, times);
        add_kept(&mut self.at_warmup_end, value, |bytes| times_over(bytes, group));
        add_buffers(&mut self.at_warmup_end, value, |bytes| times_over(bytes, group));
        // When the backward ends, a layer's last micro-batch is under way and counted elsewhere; tables keep their gathers.
        let earlier = |bytes: V| bytes * (point.in_flight - 1.0) / point.in_flight;
        match value.kept {
            KeptParts::Layer(_) | KeptParts::Input(_) => {
                self.kept = self.kept.add_times(earlier(value.total).of(group), times);
                add_kept(&mut self.at_backward_end, value, |bytes| times_over(earlier(bytes), group));
                add_buffers(&mut self.at_backward_end, value, |bytes| times_over(earlier(bytes), group));
            }
            KeptParts::Embedding(_) | KeptParts::Output { .. } => {
                self.kept = self.kept.add_times(value.comm().of(group), times);
                add_buffers(&mut self.at_backward_end, value, |bytes| times_over(bytes, group));
            }
        }
    }
}

impl<V: Quantity> Counters<V> {
    /// What the reference prints of an evaluation. Recomputed inputs, tables and measured activations are in no category.
    pub(super) fn add(&mut self, value: &Value<V>, times: u32) {
        if V::EXPLAINS {
            return;
        }
        if let KeptParts::Layer(slots) = value.kept {
            self.attention = self.attention.add_times(slots.attention(), times);
            self.feed_forward = self.feed_forward.add_times(slots.feed_forwards(), times);
            self.norm = self.norm.add_times(slots.norm, times);
        }
        self.gathered = self.gathered.add_times(value.gathered, times);
        self.expert = self.expert.add_times(value.buffers.expert, times);
    }
}

fn times_over<V: Quantity>(bytes: V, group: Group) -> V {
    (bytes * f64::from(group.count)).of(group)
}

fn add_each<V: Quantity>(sums: &mut [V; 3], bytes: [V; 3], times: u32) {
    for (sum, bytes) in sums.iter_mut().zip(bytes) {
        *sum = sum.add_times(bytes, times);
    }
}

const HELD_BY_LAYERS: [[Id; 6]; 3] = [
    [
        Id::ParametersAttention,
        Id::ParametersNorm,
        Id::ParametersFeedForward,
        Id::ParametersRouter,
        Id::ParametersRoutedExperts,
        Id::ParametersSharedExperts,
    ],
    [
        Id::OptimizerAttention,
        Id::OptimizerNorm,
        Id::OptimizerFeedForward,
        Id::OptimizerRouter,
        Id::OptimizerRoutedExperts,
        Id::OptimizerSharedExperts,
    ],
    [
        Id::GradientsAttention,
        Id::GradientsNorm,
        Id::GradientsFeedForward,
        Id::GradientsRouter,
        Id::GradientsRoutedExperts,
        Id::GradientsSharedExperts,
    ],
];
const HELD_BY_EMBEDDING: [Id; 3] = [Id::ParametersEmbedding, Id::OptimizerEmbedding, Id::GradientsEmbedding];
const HELD_BY_OUTPUT: [Id; 3] = [Id::ParametersOutput, Id::OptimizerOutput, Id::GradientsOutput];
const HELD_BY_MTP: [Id; 3] = [Id::ParametersMtp, Id::OptimizerMtp, Id::GradientsMtp];

fn add_kept<V: Quantity>(items: &mut Items<V>, value: &Value<V>, scale: impl Fn(V) -> V) {
    match value.kept {
        KeptParts::Embedding(kept) => items.add(Id::ActivationsEmbedding, scale(kept)),
        KeptParts::Input(kept) => items.add(Id::ActivationsRecomputeInputs, scale(kept)),
        KeptParts::Output { own, mtp } => {
            items.add(Id::ActivationsOutput, scale(own));
            if let Some(mtp) = mtp {
                items.add(Id::ActivationsMtp, scale(mtp));
            }
        }
        KeptParts::Layer(slots) => {
            for (id, bytes) in slot_items(&slots) {
                items.add(id, scale(bytes));
            }
        }
    }
}

fn slot_items<V: Quantity>(slots: &Slots<V>) -> [(Id, V); 9] {
    [
        (Id::ActivationsQkv, slots.qkv),
        (Id::ActivationsScore, slots.score),
        (Id::ActivationsProjection, slots.projection),
        (Id::ActivationsFeedForward, slots.feed_forward),
        (Id::ActivationsRoutedExperts, slots.routed),
        (Id::ActivationsSharedExperts, slots.shared),
        (Id::ActivationsRouter, slots.router),
        (Id::ActivationsNorm, slots.norm),
        (Id::ActivationsMeasured, slots.measured),
    ]
}

fn add_buffers<V: Quantity>(items: &mut Items<V>, value: &Value<V>, scale: impl Fn(V) -> V) {
    let Value { kept, buffers, gathered, .. } = value;
    items.add(gathering_item(kept, buffers), scale(*gathered));
    items.add(Id::BuffersExpertParallel, scale(buffers.expert));
}

fn gathering_item<V: Quantity>(kept: &KeptParts<V>, buffers: &Buffers<V>) -> Id {
    match (buffers.largest(), kept) {
        (Largest::Data, KeptParts::Layer(_) | KeptParts::Input(_)) => Id::BuffersParameterGathers,
        (Largest::Data, KeptParts::Embedding(_) | KeptParts::Output { .. }) => Id::BuffersTableGathers,
        (Largest::Tensor, _) => Id::BuffersTensorParallel,
        (Largest::Context, _) => Id::BuffersContextParallel,
    }
}
