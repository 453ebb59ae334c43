//! What the backward needs on top: the working set when warm-up ends, and what is held when the backward ends
//! (memory-core 10).

use super::nodes::{Moment, Part, Value};
use super::sums::Sums;
use crate::explain::{Group, Quantity};
use crate::placement::{Chunk, Node, Run, Schedule, Stage};

/// The config as the reference's evaluations leave it: the kind that each part applied last.
pub(super) struct Applied(Vec<usize>);

impl Applied {
    pub(super) fn new(last_kinds: Vec<usize>) -> Self {
        Self(last_kinds)
    }

    pub(super) fn kind(&self, part: usize) -> usize {
        self.0[part]
    }

    fn apply(&mut self, run: &Run) {
        if run.node.is_layer() {
            self.0[run.part] = run.kind;
        }
    }
}

/// Activations and buffers of a working set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Working<V> {
    pub(super) activations: V,
    pub(super) buffers: V,
    pub(super) total: V,
}

impl<V: Quantity> Working<V> {
    pub(super) fn none(zero: V) -> Self {
        Self { activations: zero, buffers: zero, total: zero }
    }

    fn of(value: &Value<V>, group: Group) -> Self {
        let Value { activation, total, .. } = value;
        Self { activations: activation.of(group), buffers: value.comm().of(group), total: total.of(group) }
    }

    fn because(self, case: &'static str) -> Self {
        let Self { activations, buffers, total } = self;
        Self { activations: activations.because(case), buffers: buffers.because(case), total: total.because(case) }
    }

    /// Added so many times over.
    fn add_times(self, layer: Self, times: u32) -> Self {
        Self {
            activations: self.activations.add_times(layer.activations, times),
            buffers: self.buffers.add_times(layer.buffers, times),
            total: self.total.add_times(layer.total, times),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            activations: self.activations + other.activations,
            buffers: self.buffers + other.buffers,
            total: self.total + other.total,
        }
    }

    fn larger(self, other: Self) -> Self {
        if other.total.number() > self.total.number() { other } else { self }
    }
}

/// The backward overhead when warm-up ends. Every evaluation enters the printed counters.
pub(super) fn backward_overhead<V: Quantity>(
    parts: &[Part<V>],
    schedule: Schedule,
    stage: Stage<'_>,
    applied: &mut Applied,
    sums: &mut Sums<V>,
    zero: V,
) -> Working<V> {
    match schedule {
        Schedule::Gpipe => Working::none(zero).because("under gpipe no backward runs when warm-up ends"),
        Schedule::ZeroBubbleV => v_overhead(parts, stage, applied, sums, zero),
        Schedule::OneForwardOneBackward | Schedule::SequencePipe | Schedule::SequenceSmartChunks => {
            last_node_overhead(parts, stage, applied, sums, zero)
        }
    }
}

/// The last node of the last chunk is under way; under MTP, the node before the output is so too.
fn last_node_overhead<V: Quantity>(
    parts: &[Part<V>],
    stage: Stage<'_>,
    applied: &mut Applied,
    sums: &mut Sums<V>,
    zero: V,
) -> Working<V> {
    let Some((chunk, Chunk { runs, .. })) = stage.chunks().enumerate().last() else { return Working::none(zero) };
    let Some(last) = runs.last() else { return Working::none(zero) };
    let mut evaluate = |run: &Run| {
        applied.apply(run);
        let part = &parts[run.part];
        let value = part.under_way(run.node, run.kind, Moment::WarmupEnd);
        sums.printed.add(&value, 1);
        Working::of(&value, part.group(run, chunk, 1))
    };
    let overhead = evaluate(last);
    match runs.iter().rev().nth(1) {
        Some(before) if last.node == Node::Output && parts[last.part].layer(0).cases.mtp => overhead
            .and(evaluate(before))
            .because("the output and the layer before it are under way: their MTP heads run together"),
        _ => overhead.because("the last node of the last chunk is under way, with one micro-batch"),
    }
}

/// Under a V, one chunk's forward meets the other's backward.
fn v_overhead<V: Quantity>(
    parts: &[Part<V>],
    stage: Stage<'_>,
    applied: &mut Applied,
    sums: &mut Sums<V>,
    zero: V,
) -> Working<V> {
    let mut chunks = stage.chunks();
    let none: &[Run] = &[];
    let [down, up] = [chunks.next(), chunks.next()].map(|chunk| chunk.map_or(none, |chunk| chunk.runs));
    let mut forward_down = Working::none(zero);
    let mut backward_down = Working::none(zero);
    for run in down {
        applied.apply(run);
        let part = &parts[run.part];
        let value = part.between_passes(run.node, run.kind, part.one_micro_batch());
        sums.printed.add(&value, run.count);
        forward_down = forward_down.add_times(Working::of(&value, part.group(run, 0, run.count)), run.count);
        backward_down = backward_down.larger(recomputed(part, run, 0, sums, zero));
    }
    let mut forward_up = Working::none(zero);
    let mut backward_up = Working::none(zero);
    for run in up {
        applied.apply(run);
        let part = &parts[run.part];
        // The reference evaluates every node of this chunk as a plain layer, the output too, and keeps the last value.
        let kind = applied.kind(run.part);
        let value = part.between_passes(Node::Plain, kind, part.one_micro_batch());
        sums.printed.add(&value, run.count);
        forward_up = Working::of(&value, part.group(run, 1, 1));
        backward_up = backward_up.larger(recomputed(part, run, 1, sums, zero));
    }
    let down_first = forward_down.and(backward_up).because("the forward down the V meets the backward up");
    let up_first = forward_up.and(backward_down).because("the forward up the V meets the backward down");
    down_first.larger(up_first)
}

/// A fully recomputed layer under way.
fn recomputed<V: Quantity>(part: &Part<V>, run: &Run, chunk: usize, sums: &mut Sums<V>, zero: V) -> Working<V> {
    match run.node {
        Node::Full => {
            let value = part.under_way(Node::Full, run.kind, Moment::WarmupEnd);
            sums.printed.add(&value, run.count);
            Working::of(&value, part.group(run, chunk, 1))
        }
        Node::Embedding | Node::Output | Node::Plain | Node::Selective(_) => Working::none(zero),
    }
}

/// What is under way when the backward ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastLayers<V> {
    /// The first layer's working set.
    pub(super) working: Working<V>,
    /// Whole gradients of the first two layers, on their way through a reduction.
    pub(super) whole_gradients: V,
    /// The first layer's gradient after its reduction: not held yet.
    pub(super) pending: V,
}

/// The first two layers of the stage's first chunk end the backward.
pub(super) fn last_layers<V: Quantity>(
    parts: &[Part<V>],
    first_chunk: Chunk<'_>,
    overlaps: bool,
    applied: &mut Applied,
    zero: V,
) -> LastLayers<V> {
    let layers = first_chunk.runs.iter().filter(|run| run.node.is_layer());
    let mut first_two = layers.flat_map(|run| std::iter::repeat_n(run, run.count as usize)).take(2);
    let mut last = LastLayers { working: Working::none(zero), whole_gradients: zero, pending: zero };
    let Some(first) = first_two.next() else { return last };
    applied.apply(first);
    let part = &parts[first.part];
    let group = part.group(first, 0, 1);
    let value = part.under_way(first.node, first.kind, Moment::BackwardEnd);
    last.working = Working::of(&value, group).because("the first layer of the first chunk is under way");
    if overlaps {
        let reduction = part.layer_reduction(first.kind);
        (last.whole_gradients, last.pending) = (reduction.whole.of(group), reduction.sharded.of(group));
        if let Some(second) = first_two.next() {
            applied.apply(second);
            let part = &parts[second.part];
            let whole = part.layer_reduction(second.kind).whole.of(part.group(second, 0, 1));
            last.whole_gradients = last.whole_gradients + whole;
        }
        last.whole_gradients =
            last.whole_gradients.because("gradients of the first layers are reduced while the backward goes on");
    }
    last
}
