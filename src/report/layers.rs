//! Which layers run on which stage, as data: numbers in model order, what each recomputes, micro-batches in flight.

use crate::placement::{Chunk, Node, Order, Placement, Run};

/// What a stage runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StageLayers {
    /// Which stage.
    pub stage: usize,
    /// Its chunks, in order; at least one.
    pub chunks: Vec<ChunkLayers>,
}

/// What a chunk runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkLayers {
    /// Its nodes, in the order they run.
    pub spans: Vec<Span>,
    /// Micro-batches in flight when the warm-up ends; the reference's raw factor, which may be 0 or negative.
    pub in_flight: f64,
}

/// Equal nodes, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// E embedding, N nothing recomputed, S recomputed in part, F recomputed in full, O output layer.
    pub letter: char,
    /// How many.
    pub count: u32,
    /// The number of the first, from 0 in model order, and whether the next ones go back from there; none for tables, and
    /// none in a multimodal model, whose parts count on their own.
    pub order: Option<Order>,
}

impl Span {
    /// The lowest and the highest layer number.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let order = self.order?;
        let last = order.layer(i64::from(self.count) - 1);
        Some((order.first.min(last), order.first.max(last)))
    }
}

impl ChunkLayers {
    /// The lowest and the highest layer number of the chunk.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let bounds = self.spans.iter().filter_map(Span::bounds);
        bounds.reduce(|(low, high), (other_low, other_high)| (low.min(other_low), high.max(other_high)))
    }

    /// A letter per node.
    pub fn letters(&self) -> String {
        self.spans.iter().flat_map(|span| std::iter::repeat_n(span.letter, span.count as usize)).collect()
    }
}

/// The layers of every stage of a placed run.
pub fn layers(placement: &Placement) -> Vec<StageLayers> {
    let orders = (placement.parts() == 1).then(|| placement.order(0));
    let mut orders = orders.into_iter().flatten();
    let mut stages = Vec::new();
    for stage in placement.stages() {
        let chunks = stage.chunks().map(|chunk| chunk_layers(chunk, orders.next())).collect();
        stages.push(StageLayers { stage: stage.index, chunks });
    }
    stages
}

fn chunk_layers(chunk: Chunk<'_>, order: Option<Order>) -> ChunkLayers {
    let mut spans: Vec<Span> = Vec::new();
    let mut done = 0;
    for Run { node, count, .. } in chunk.runs {
        let order = order.filter(|_| node.is_layer()).map(|order| Order { first: order.layer(done), ..order });
        done += if node.is_layer() { i64::from(*count) } else { 0 };
        push(&mut spans, *node, *count, order);
    }
    ChunkLayers { spans, in_flight: chunk.in_flight }
}

/// Layers of different kinds that recompute the same are one span.
fn push(spans: &mut Vec<Span>, node: Node, count: u32, order: Option<Order>) {
    let letter = node.letter();
    match spans.last_mut() {
        Some(last) if last.letter == letter => last.count = last.count.saturating_add(count),
        _ => spans.push(Span { letter, count, order }),
    }
}
