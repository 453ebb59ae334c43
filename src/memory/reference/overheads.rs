//! What the backward needs on top: the working set when warm-up ends, and what is held when the backward ends
//! (memory-core 10).

use super::nodes::{Moment, Part, Value};
use super::sums::Sums;
use crate::explain::Quantity;
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
    fn none(zero: V) -> Self {
        Self { activations: zero, buffers: zero, total: zero }
    }

    fn of(value: &Value<V>) -> Self {
        Self { activations: value.activation, buffers: value.comm(), total: value.total }
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
        Schedule::Gpipe => Working::none(zero),
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
    let Some(runs) = stage.chunks().last().map(|chunk| chunk.runs) else { return Working::none(zero) };
    let Some(last) = runs.last() else { return Working::none(zero) };
    let mut evaluate = |run: &Run| {
        applied.apply(run);
        let value = parts[run.part].under_way(run.node, run.kind, Moment::WarmupEnd);
        sums.printed.add(&value, 1);
        Working::of(&value)
    };
    let overhead = evaluate(last);
    match runs.iter().rev().nth(1) {
        Some(before) if last.node == Node::Output && parts[last.part].layer(0).cases.mtp => {
            overhead.and(evaluate(before))
        }
        _ => overhead,
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
        for _ in 0..run.count {
            forward_down = forward_down.and(Working::of(&value));
        }
        backward_down = backward_down.larger(recomputed(part, run, sums, zero));
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
        forward_up = Working::of(&value);
        backward_up = backward_up.larger(recomputed(part, run, sums, zero));
    }
    forward_down.and(backward_up).larger(forward_up.and(backward_down))
}

/// A fully recomputed layer under way.
fn recomputed<V: Quantity>(part: &Part<V>, run: &Run, sums: &mut Sums<V>, zero: V) -> Working<V> {
    match run.node {
        Node::Full => {
            let value = part.under_way(Node::Full, run.kind, Moment::WarmupEnd);
            sums.printed.add(&value, run.count);
            Working::of(&value)
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
    let value = parts[first.part].under_way(first.node, first.kind, Moment::BackwardEnd);
    last.working = Working::of(&value);
    if overlaps {
        let reduction = parts[first.part].layer_reduction(first.kind);
        (last.whole_gradients, last.pending) = (reduction.whole, reduction.sharded);
        if let Some(second) = first_two.next() {
            applied.apply(second);
            last.whole_gradients = last.whole_gradients + parts[second.part].layer_reduction(second.kind).whole;
        }
    }
    last
}
