//! Kinds, recompute settings and switches of the placed layers, as runs of equal nodes (memory-core 8, 7 and 8).

use super::cells::{Cell, Cells};
use super::schedule::{Pipeline, Schedule};
use super::{Node, PlacedKind, Placement, Run};
use crate::config::{Config, Primary, RecomputeOption};

/// Puts the parts' chunks together, in walking order.
pub(super) fn placement(config: &Config, pipeline: Pipeline, cells: &[Cells]) -> Placement {
    let parts: Vec<Part> = if config.submodules().is_empty() {
        cells.iter().map(|cells| Part::new(config, 0, pipeline, cells)).collect()
    } else {
        let numbered = config.submodules().iter().zip(cells).enumerate();
        numbered.map(|(at, (submodule, cells))| Part::new(&submodule.config, at, pipeline, cells)).collect()
    };
    let chunks = parts.first().map_or(0, |part| part.cells.chunks.len());
    let mut runs = Vec::with_capacity(3 * chunks);
    let mut starts = Vec::with_capacity(chunks + 1);
    for cell in 0..chunks {
        starts.push(runs.len());
        for part in &parts {
            part.append(cell, &mut runs);
        }
    }
    starts.push(runs.len());
    let last_kinds = parts.iter().map(|part| part.last_kind(pipeline)).collect();
    Placement { pipeline, runs, starts, kinds: parts.into_iter().map(|part| part.kinds).collect(), last_kinds }
}

/// One part of the model with where its layers lie in model order.
struct Part<'a> {
    config: &'a Config,
    index: usize,
    cells: &'a Cells,
    order: Vec<Order>,
    kinds: Vec<PlacedKind>,
    /// Where each group of the stack ends in model order, with its kind.
    groups: Vec<(i64, usize)>,
}

/// Where a chunk's first layer stands in model order, and which way its layers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// The first layer, from 0.
    pub first: i64,
    /// Whether the next layer is the one before.
    pub backwards: bool,
}

impl Order {
    /// The number of the chunk's layer at a place, both from 0.
    pub const fn layer(self, local: i64) -> i64 {
        if self.backwards { self.first - local } else { self.first + local }
    }

    /// How many layers there are from `layer` on, in this order, before `interval` ends.
    const fn reach(self, layer: i64, interval: (i64, i64)) -> i64 {
        if self.backwards { layer - interval.0 + 1 } else { interval.1 - layer }
    }
}

impl<'a> Part<'a> {
    fn new(config: &'a Config, index: usize, pipeline: Pipeline, cells: &'a Cells) -> Self {
        let (kinds, groups) = kinds(config.primary());
        Self { config, index, cells, order: order(cells.chunks.iter().map(|cell| cell.count), pipeline), kinds, groups }
    }

    fn append(&self, cell: usize, runs: &mut Vec<Run>) {
        let part = self.index;
        if cell == self.cells.first {
            runs.push(Run { node: Node::Embedding, part, kind: 0, count: 1 });
        }
        let Cell { count, marked } = self.cells.chunks[cell];
        let order = self.order[cell];
        let start = runs.len();
        let mut local = 0;
        while local < count {
            let layer = order.layer(local);
            let (kind, same_kind) = self.kind(layer, order);
            let (node, same_node) = self.node(layer, order, local, marked);
            let length = same_kind.min(same_node).clamp(1, count - local);
            push(runs, start, Run { node, part, kind, count: u32::try_from(length).unwrap_or(u32::MAX) });
            local += length;
        }
        if cell == self.cells.last {
            runs.push(Run { node: Node::Output, part, kind: 0, count: 1 });
        }
    }

    /// The kind of a layer, and how many layers share it from there on.
    fn kind(&self, layer: i64, order: Order) -> (usize, i64) {
        let group = self.groups.partition_point(|(end, _)| *end <= layer);
        match self.groups.get(group) {
            Some((end, kind)) => {
                let start = if group == 0 { 0 } else { self.groups[group - 1].0 };
                (*kind, order.reach(layer, (start, *end)))
            }
            // A multimodal part may place more layers than its stack names; they follow the last.
            None => (self.groups.last().map_or(0, |(_, kind)| *kind), 1),
        }
    }

    /// What a layer recomputes, and how many layers share that from there on.
    fn node(&self, layer: i64, order: Order, local: i64, marked: i64) -> (Node, i64) {
        let primary = self.config.primary();
        if primary.recompute_ranges.is_some() {
            return self.node_by_range(layer, order);
        }
        if local >= marked {
            return (Node::Plain, i64::MAX);
        }
        let full = primary.full_recompute.truthy();
        (if full { Node::Full } else { Node::Selective(self.config.switches()) }, marked - local)
    }

    fn node_by_range(&self, layer: i64, order: Order) -> (Node, i64) {
        let ranges = self.config.primary().recompute_ranges.as_deref().unwrap_or_default();
        let mut gap = (0, i64::MAX);
        for range in ranges {
            let end = range.count.map_or(i64::MAX, |count| range.first.saturating_add(count));
            if layer < range.first {
                gap.1 = gap.1.min(range.first);
            } else if layer >= end {
                gap.0 = gap.0.max(end);
            } else {
                let node = match range.option {
                    RecomputeOption::None => Node::Plain,
                    RecomputeOption::Full => Node::Full,
                    RecomputeOption::Selective => Node::Selective(self.switches(layer)),
                };
                return (node, order.reach(layer, (range.first, end)));
            }
        }
        (Node::Plain, order.reach(layer, gap))
    }

    /// A selective layer's own switches where the ranges state several settings, else the run's.
    fn switches(&self, layer: i64) -> crate::config::Switches {
        let runs = self.config.selective_runs().unwrap_or_default();
        let own = runs.iter().find(|run| run.first <= layer && layer < run.first.saturating_add(run.count));
        own.map_or(self.config.switches(), |run| run.switches)
    }

    /// The kind of the layer that the walk visits last: chunk by chunk over the stages. A multimodal part may place fewer
    /// layers than its stack names, and a V ends at the turn.
    fn last_kind(&self, pipeline: Pipeline) -> usize {
        let (Ok(stages), Ok(chunks)) = (usize::try_from(pipeline.stages), usize::try_from(pipeline.chunks)) else {
            return 0;
        };
        let mut walk = (0..chunks).rev().flat_map(|chunk| (0..stages).rev().map(move |stage| stage * chunks + chunk));
        let Some(last) = walk.find(|cell| self.cells.chunks[*cell].count > 0) else {
            // No layer of the part is placed: the config stays as its family's default kind left it.
            let default = self.config.primary().family.kinds().first().map(|kind| kind.name);
            return self.kinds.iter().position(|placed| Some(placed.kind.name) == default).unwrap_or(0);
        };
        let order = self.order[last];
        self.kind(order.layer(self.cells.chunks[last].count - 1), order).0
    }
}

/// Joins a run to the one before, in the same chunk, where their nodes are equal.
fn push(runs: &mut Vec<Run>, start: usize, run: Run) {
    match runs[start..].last_mut() {
        Some(last) if (last.node, last.part, last.kind) == (run.node, run.part, run.kind) => {
            last.count = last.count.saturating_add(run.count);
        }
        _ => runs.push(run),
    }
}

/// Model order runs chunk by chunk over the stages. A V turns around after the first chunks.
pub(super) fn order(counts: impl Iterator<Item = i64>, pipeline: Pipeline) -> Vec<Order> {
    let counts: Vec<i64> = counts.collect();
    let (Ok(stages), Ok(chunks)) = (usize::try_from(pipeline.stages), usize::try_from(pipeline.chunks)) else {
        return vec![Order::default(); counts.len()];
    };
    let mut order = vec![Order::default(); counts.len()];
    let layers: i64 = counts.iter().sum();
    let mut next = 0;
    let mut turn = 0;
    for chunk in 0..chunks {
        for stage in 0..stages {
            let cell = stage * chunks + chunk;
            let backwards = chunk > 0 && pipeline.schedule == Schedule::ZeroBubbleV;
            let first = if backwards { turn + (layers - 1 - next) } else { next };
            order[cell] = Order { first, backwards };
            next += counts[cell];
        }
        if chunk == 0 {
            turn = next;
        }
    }
    order
}

/// The distinct kinds of a part's stack, and where each of its groups ends.
fn kinds(primary: &Primary) -> (Vec<PlacedKind>, Vec<(i64, usize)>) {
    let mut kinds: Vec<PlacedKind> = Vec::new();
    let mut groups = Vec::new();
    let mut end = 0;
    for group in primary.stack.iter().flat_map(|stack| stack.groups.iter()) {
        let placed = PlacedKind { kind: group.kind, census: group.census };
        let kind = kinds.iter().position(|known| *known == placed).unwrap_or_else(|| {
            kinds.push(placed);
            kinds.len() - 1
        });
        end += i64::from(group.count);
        groups.push((end, kind));
    }
    if kinds.is_empty() {
        kinds.extend(primary.family.kinds().first().map(|kind| PlacedKind { kind: *kind, census: None }));
    }
    (kinds, groups)
}
