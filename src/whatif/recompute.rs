//! The fewest recomputed layers that still fit.

use super::figure::Accounted;
use super::{Figure, WhatIf};
use crate::config::{Primary, RecomputeLayers, RecomputeOption, RecomputeRange};
use crate::placement::{Node, Placement, Schedule, Stage};
use std::sync::Arc;

/// Which layers to recompute, and no more.
#[derive(Debug, Clone, PartialEq)]
pub struct Fewest {
    /// How these layers are recomputed; all others keep everything.
    pub option: RecomputeOption,
    /// How many layers, over all stages.
    pub layers: u32,
    /// How many of them in each chunk of each stage, from its first layer on: the execution spec's `full_recompute` or
    /// `selective_recompute`, `[chunk][stage]`.
    pub counts: Arc<[Arc<[i64]>]>,
    /// The same as ranges in model order, the execution spec's `recompute`; `None` for a schedule that runs back over its
    /// stages.
    pub ranges: Option<Arc<[RecomputeRange]>>,
    /// What the run then needs.
    pub figure: Figure,
    /// How many estimates were made.
    pub estimates: usize,
}

impl WhatIf<'_> {
    /// The fewest recomputed layers that fit. In each stage layers are taken from the chunk that holds most micro-batches
    /// on, one at a time until the stage fits; a stage's memory knows only its own layers. `None` where a stage does not fit
    /// even so, and for a multimodal model, whose parts share these settings.
    pub fn fewest_recomputed(&self, option: RecomputeOption) -> Option<Fewest> {
        let without = |primary| by_layers(primary, option, &[]);
        let mut accounted = self.account(&self.present.facts, without).ok()?;
        let mut estimates = 1;
        let cells = Cells::of(&accounted.placement)?;
        let mut marked: Vec<i64> = vec![0; accounted.stages_fit.len()];
        while accounted.stages_fit.contains(&false) {
            for (stage, count) in marked.iter_mut().enumerate().filter(|(stage, _)| !accounted.stages_fit[*stage]) {
                if *count >= cells.layers(stage) {
                    return None;
                }
                *count += 1;
            }
            let counts = cells.spread(&marked);
            accounted = self.account(&self.present.facts, |primary| by_layers(primary, option, &counts)).ok()?;
            estimates += 1;
        }
        let counts = cells.spread(&marked);
        Some(Fewest {
            option,
            layers: recomputed(&accounted),
            ranges: cells.ranges(&counts, option),
            counts,
            figure: accounted.priced.figure,
            estimates,
        })
    }
}

/// So many layers of each chunk recomputed, and nothing else; nothing at all for no counts.
fn by_layers(primary: Primary, option: RecomputeOption, counts: &[Arc<[i64]>]) -> Primary {
    let layers = if counts.is_empty() { RecomputeLayers::All(false) } else { RecomputeLayers::PerChunk(counts.into()) };
    let none = RecomputeLayers::All(false);
    let (full_recompute, selective_recompute) = match option {
        RecomputeOption::Full => (layers, none),
        RecomputeOption::Selective => (none, layers),
        RecomputeOption::None => (none.clone(), none),
    };
    Primary { recompute_ranges: None, full_recompute, selective_recompute, ..primary }
}

fn recomputed(accounted: &Accounted) -> u32 {
    let runs = accounted.placement.stages().flat_map(Stage::runs);
    let recomputes = |node: Node| match node {
        Node::Full | Node::Selective(_) => true,
        Node::Plain | Node::Embedding | Node::Output => false,
    };
    runs.filter(|run| recomputes(run.node)).map(|run| run.count).sum()
}

/// How many layers each chunk has.
struct Cells {
    /// By stage, then chunk.
    layers: Vec<Vec<i64>>,
    /// The chunks of a stage, from the one that holds most micro-batches on.
    order: Vec<Vec<usize>>,
    schedule: Schedule,
}

impl Cells {
    fn of(placement: &Placement) -> Option<Self> {
        if placement.parts() > 1 {
            return None;
        }
        let layers = placement.stages().map(|stage| {
            let of_chunk = |runs: &[crate::placement::Run]| {
                runs.iter().filter(|run| run.node.is_layer()).map(|run| i64::from(run.count)).sum()
            };
            stage.chunks().map(|chunk| of_chunk(chunk.runs)).collect()
        });
        let order = placement.stages().map(|stage| {
            let in_flight: Vec<f64> = stage.chunks().map(|chunk| chunk.in_flight).collect();
            let mut order: Vec<usize> = (0..in_flight.len()).collect();
            order.sort_by(|one, other| in_flight[*other].total_cmp(&in_flight[*one]));
            order
        });
        Some(Self { layers: layers.collect(), order: order.collect(), schedule: placement.schedule() })
    }

    fn layers(&self, stage: usize) -> i64 {
        self.layers[stage].iter().sum()
    }

    /// So many layers of each stage over its chunks: `[chunk][stage]`.
    fn spread(&self, marked: &[i64]) -> Arc<[Arc<[i64]>]> {
        let chunks = self.layers.first().map_or(0, Vec::len);
        let mut rows = vec![vec![0; marked.len()]; chunks];
        for (stage, count) in marked.iter().enumerate() {
            let mut left = *count;
            for chunk in &self.order[stage] {
                let taken = left.min(self.layers[stage][*chunk]);
                rows[*chunk][stage] = taken;
                left -= taken;
            }
        }
        rows.into_iter().map(Arc::from).collect()
    }

    /// The same layers in model order: chunk by chunk over the stages.
    fn ranges(&self, counts: &[Arc<[i64]>], option: RecomputeOption) -> Option<Arc<[RecomputeRange]>> {
        if self.schedule == Schedule::ZeroBubbleV {
            return None;
        }
        let mut ranges: Vec<RecomputeRange> = Vec::new();
        let mut first = 0;
        for (chunk, row) in counts.iter().enumerate() {
            for (stage, count) in row.iter().enumerate() {
                match ranges.last_mut() {
                    _ if *count == 0 => {}
                    Some(RecomputeRange { first: start, count: Some(length), .. }) if *start + *length == first => {
                        *length += count;
                    }
                    _ => ranges.push(RecomputeRange { first, count: Some(*count), option, switches: None }),
                }
                first += self.layers[stage][chunk];
            }
        }
        Some(ranges.into())
    }
}
