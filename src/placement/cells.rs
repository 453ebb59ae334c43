//! How many layers each chunk of each stage takes, and which of them a stated number recomputes (memory-core 8, 1 to 6).

use super::MOST_LAYERS;
use super::schedule::Pipeline;
use crate::config::{Config, Offset, Primary, RecomputeLayers};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::units::integers::{floor_div, floor_mod};

/// The layers of one part of a model over the chunks of all stages.
#[derive(Debug)]
pub(super) struct Cells {
    /// By stage, then chunk.
    pub(super) chunks: Vec<Cell>,
    /// The chunk that holds the embedding.
    pub(super) first: usize,
    /// The chunk that holds the output.
    pub(super) last: usize,
}

/// The layers of a chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// How many.
    pub(super) count: i64,
    /// How many of them, from the front, the run recomputes (fully where it recomputes any layer fully).
    pub(super) marked: i64,
}

/// The cells of each part, in walking order.
pub(super) fn cells(config: &Config, pipeline: Pipeline, findings: &mut Findings) -> Option<Vec<Cells>> {
    let Pipeline { stages, chunks, .. } = pipeline;
    if config.submodules().is_empty() {
        let cells = part(config.primary(), stages, chunks, findings)?;
        check_count(config, &cells, findings).then(|| vec![cells])
    } else {
        // The reference does not count a multimodal model's layers.
        config.submodules().iter().map(|submodule| part(submodule.config.primary(), stages, chunks, findings)).collect()
    }
}

/// Every layer is placed once, and the model states a kind for each.
fn check_count(config: &Config, cells: &Cells, findings: &mut Findings) -> bool {
    let primary = config.primary();
    let expected = primary.layers.saturating_add(primary.mtp_layers);
    let placed: i64 = cells.chunks.iter().map(|cell| cell.count).sum();
    let stated = primary.stack.iter().flat_map(|stack| stack.groups.iter()).map(|group| i64::from(group.count)).sum();
    if placed == expected && stated == expected {
        return true;
    }
    let wrong = if placed == expected { stated } else { placed };
    findings.add(Diagnostic::new(Code::LayersNotPlaced, Place::Whole).with(wrong).with(expected));
    false
}

fn part(primary: &Primary, stages: i64, chunks: i64, findings: &mut Findings) -> Option<Cells> {
    let counts = counts(primary, stages, chunks, findings)?;
    if counts.iter().fold(0, |sum: i64, count| sum.saturating_add(*count)) > MOST_LAYERS {
        findings.add(Diagnostic::new(Code::LayoutTooLarge, Place::Whole).with(primary.layers).with(MOST_LAYERS));
        return None;
    }
    let mut cells = Vec::with_capacity(counts.len());
    for (at, count) in (0..).zip(&counts) {
        let Some(marked) = marked(primary, (at / chunks, at % chunks), (stages, chunks), *count) else {
            findings.add(Diagnostic::new(Code::StageListShort, Place::Whole).with(stages));
            return None;
        };
        cells.push(Cell { count: *count, marked });
    }
    let (first, last) = ends(&cells, stages, chunks);
    let mut cells = Cells { chunks: cells, first, last };
    append_mtp(primary, &mut cells);
    replace_ends(primary, &mut cells);
    Some(cells)
}

/// Layers per chunk. A negative share places none, but gives its layers to those that follow.
fn counts(primary: &Primary, stages: i64, chunks: i64, findings: &mut Findings) -> Option<Vec<i64>> {
    let mtp = if primary.mtp_in_offset { primary.mtp_layers } else { 0 };
    let tables = if primary.embedding_output_in_offset { 2 } else { 0 };
    let mut left = primary.layers.saturating_add(mtp).saturating_add(tables);
    let share = floor_div(floor_div(left, stages), chunks).max(i64::from(primary.json_format));
    let mut counts = Vec::new();
    for stage in 0..stages {
        for chunk in 0..chunks {
            let Some(wanted) = wanted(&primary.offset, share, stage, chunk, chunks) else {
                // The reference fails on a list that is too short; the offset is what is wrong.
                findings.add(Diagnostic::new(Code::LayersNotPlaced, Place::Whole).with(0).with(primary.layers));
                return None;
            };
            let taken = left.min(wanted);
            left = left.saturating_sub(taken);
            counts.push(taken.max(0));
        }
    }
    Some(counts)
}

/// What a chunk would take were there enough layers; `None` where the offset has no entry for it.
fn wanted(offset: &Offset, share: i64, stage: i64, chunk: i64, chunks: i64) -> Option<i64> {
    let extra = match offset {
        Offset::Unstated | Offset::Scalar(0) => 0,
        // A number that is not 0 is no list to the reference, and no layer is placed.
        Offset::Scalar(_) => return Some(0),
        Offset::PerStage(stages) if stages.is_empty() => 0,
        Offset::PerChunk(rows) if rows.is_empty() => 0,
        Offset::PerChunk(rows) => *entry(entry(rows, chunk)?, stage)?,
        Offset::PerStage(stages) => {
            let stated = *entry(stages, stage)?;
            let remainder = if chunk == chunks - 1 { floor_mod(stated, chunks) } else { 0 };
            floor_div(stated, chunks).saturating_add(remainder)
        }
    };
    Some(share.saturating_add(extra))
}

fn entry<T>(list: &[T], at: i64) -> Option<&T> {
    list.get(usize::try_from(at).ok()?)
}

/// How many layers of a chunk, from its front, the run's counts recompute; `None` where a list has no entry for it.
fn marked(primary: &Primary, (stage, chunk): (i64, i64), (stages, chunks): (i64, i64), count: i64) -> Option<i64> {
    let layers = if primary.full_recompute.truthy() { &primary.full_recompute } else { &primary.selective_recompute };
    let of_stage = |stated: i64| floor_div(stated, chunks).saturating_add(i64::from(chunk < floor_mod(stated, chunks)));
    let stated = match layers {
        RecomputeLayers::All(_) | RecomputeLayers::Count(_) => {
            if layers.truthy() {
                count
            } else {
                0
            }
        }
        RecomputeLayers::PerStage(counts) if counts.is_empty() => 0,
        RecomputeLayers::PerChunk(rows) if rows.is_empty() => 0,
        RecomputeLayers::PerStage(counts) => of_stage(*entry(counts, stage)?),
        RecomputeLayers::PerChunk(rows) => *entry(entry(rows, chunk)?, stage)?,
        RecomputeLayers::Ops(ops) if ops.is_empty() => 0,
        RecomputeLayers::Ops(_) => of_stage(floor_div(primary.layers, stages)),
    };
    Some(stated.clamp(0, count))
}

/// The first and the last chunk with layers, as the reference scans: chunk by chunk over the stages, and no further than
/// the first empty one after a filled one.
fn ends(cells: &[Cell], stages: i64, chunks: i64) -> (usize, usize) {
    let walk = (0..chunks).flat_map(|chunk| (0..stages).map(move |stage| stage * chunks + chunk));
    let mut walk = walk.filter_map(|cell| usize::try_from(cell).ok()).skip_while(|cell| cells[*cell].count == 0);
    let Some(first) = walk.next() else { return (0, cells.len() - 1) };
    let last = walk.take_while(|cell| cells[*cell].count > 0).last().unwrap_or(first);
    (first, last)
}

/// MTP layers outside the offset follow the last layer, and recompute what it does.
fn append_mtp(primary: &Primary, cells: &mut Cells) {
    let mtp = primary.mtp_layers.clamp(0, MOST_LAYERS);
    if primary.mtp_in_offset || mtp == 0 {
        return;
    }
    let cell = &mut cells.chunks[cells.last];
    if cell.count > 0 && cell.marked == cell.count {
        cell.marked += mtp;
    }
    cell.count += mtp;
}

/// Where embedding and output are counted as layers, they take the places of the first and the last.
fn replace_ends(primary: &Primary, cells: &mut Cells) {
    if !primary.embedding_output_in_offset {
        return;
    }
    let first = &mut cells.chunks[cells.first];
    first.marked = (first.marked - 1).max(0);
    first.count = (first.count - 1).max(0);
    let last = &mut cells.chunks[cells.last];
    last.count = (last.count - 1).max(0);
    last.marked = last.marked.min(last.count);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(primary: &Primary) -> Vec<i64> {
        let mut findings = Findings::new();
        part(primary, primary.pipeline_parallel, primary.chunks, &mut findings)
            .expect("placed")
            .chunks
            .iter()
            .map(|cell| cell.count)
            .collect()
    }

    #[test]
    fn a_front_loaded_tower_lies_on_the_first_stage() {
        let offset = Offset::PerStage([21, -6, -6, -6].into());
        assert_eq!(counted(&Primary { layers: 27, pipeline_parallel: 4, offset, ..Primary::default() }), [27, 0, 0, 0]);
    }

    #[test]
    fn a_negative_share_gives_its_layers_to_the_next() {
        let offset = Offset::PerStage([-3, 3].into());
        assert_eq!(counted(&Primary { layers: 4, pipeline_parallel: 2, offset, ..Primary::default() }), [0, 5]);
    }

    #[test]
    fn a_flat_offset_is_spread_over_chunks_and_its_remainder_taken_last() {
        let offset = Offset::PerStage([1, -1].into());
        let primary = Primary { layers: 8, pipeline_parallel: 2, chunks: 2, offset, ..Primary::default() };
        // Stage 1: -1 // 2 is -1 and the remainder 1, so its chunks take 1 and 2.
        assert_eq!(counted(&primary), [2, 3, 1, 2]);
    }

    #[test]
    fn nothing_makes_it_panic() {
        for offset in [Offset::Scalar(i64::MIN), Offset::PerStage([i64::MIN, i64::MAX].into()), Offset::Unstated] {
            for layers in [i64::MIN, -1, 0, 1, i64::MAX] {
                for pipeline_parallel in [1, 2, 64] {
                    let primary = Primary {
                        layers,
                        pipeline_parallel,
                        mtp_layers: i64::MAX,
                        embedding_output_in_offset: true,
                        offset: offset.clone(),
                        ..Primary::default()
                    };
                    let _ = part(&primary, pipeline_parallel, 1, &mut Findings::new());
                }
            }
        }
    }
}
