//! From bytes at instants to what a reader looks at.

use super::chart::{chart, expected, within};
use super::view::{Fits, InstantTotal, ItemRow, Report, Row, StageReport, Verdict};
use crate::facts::InputKind;
use crate::memory::{Band, Breakdown, Category, StageMemory};
use crate::units::Bytes;

/// Whether the input was read well enough for the figure to answer the question (DESIGN 3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Model and layout were read.
    Understood,
    /// A fragment, or a file whose keys are of another vocabulary: the figure stands, the verdict does not.
    Partial,
}

impl Reading {
    /// How well a file of this kind is read.
    pub const fn of(kind: InputKind) -> Self {
        match kind {
            InputKind::AutoModels | InputKind::Legacy => Self::Understood,
            InputKind::Fragment | InputKind::Search | InputKind::MindFormers => Self::Partial,
        }
    }
}

/// The report of a breakdown against the capacity of a device; `in_flight` holds, per stage, the micro-batches in flight
/// at each chunk.
///
/// Knows no memory model: a verdict, bars and rows follow from items, categories and instants alone.
pub fn present(breakdown: &Breakdown, in_flight: &[Vec<f64>], capacity: Bytes, reading: Reading) -> Report {
    Report {
        memory_model: breakdown.memory_model,
        verdict: verdict(breakdown, capacity, reading),
        chart: chart(breakdown, capacity),
        stages: breakdown
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| stage_report(stage, in_flight.get(index).cloned().unwrap_or_default()))
            .collect(),
        other: None,
        measured: None,
    }
}

/// The verdict where there is no stage: nothing is needed, at no instant.
const NOTHING: Verdict = Verdict {
    fits: Fits::Unknown,
    stage: 0,
    instant: "",
    layer: None,
    peak: Bytes::ZERO,
    capacity: Bytes::ZERO,
    band: None,
    judged: Bytes::ZERO,
    headroom: Bytes::ZERO,
    largest: (Category::Parameters, 0.0),
    exceeding_stages: 0,
};

/// Whether a breakdown fits a device, and what decides it; all that a strip or a search shows of an estimate.
pub fn verdict(breakdown: &Breakdown, capacity: Bytes, reading: Reading) -> Verdict {
    let Some(stage) = breakdown.stages.get(breakdown.peak) else {
        return Verdict { capacity, headroom: capacity, ..NOTHING };
    };
    let peak = stage.peak_bytes();
    let exceeding_stages = breakdown.stages.iter().filter(|stage| !within(expected(stage), capacity)).count();
    let band = highest_band(breakdown);
    let fits = match (reading, exceeding_stages, band) {
        (Reading::Partial, ..) => Fits::Unknown,
        (Reading::Understood, 1.., _) => Fits::No,
        (Reading::Understood, 0, Some(band)) if !within(band.high, capacity) => Fits::Tight,
        (Reading::Understood, 0, _) => Fits::Yes,
    };
    let judged = match (band, fits) {
        (None, _) => peak,
        (Some(band), Fits::Yes) => band.high,
        (Some(band), Fits::Tight | Fits::No | Fits::Unknown) => band.expected,
    };
    Verdict {
        fits,
        stage: stage.stage,
        instant: stage.instants[stage.peak].id,
        layer: stage.peak_layer(),
        peak,
        capacity,
        band,
        judged,
        headroom: capacity - judged,
        largest: largest(stage),
        exceeding_stages,
    }
}

/// The band that reaches highest; on ties the first.
fn highest_band(breakdown: &Breakdown) -> Option<Band> {
    let mut highest: Option<Band> = None;
    for band in breakdown.stages.iter().filter_map(|stage| stage.band) {
        if highest.is_none_or(|highest| band.high > highest.high) {
            highest = Some(band);
        }
    }
    highest
}

fn largest(stage: &StageMemory) -> (Category, f64) {
    let mut largest = (Category::Parameters, Bytes::ZERO);
    for category in Category::ALL {
        let bytes = category_bytes(stage, category);
        if bytes > largest.1 {
            largest = (category, bytes);
        }
    }
    (largest.0, share(largest.1, stage.peak_bytes()))
}

fn stage_report(stage: &StageMemory, in_flight: Vec<f64>) -> StageReport {
    StageReport {
        stage: stage.stage,
        layers: stage.layers.clone(),
        peak: stage.peak_bytes(),
        instants: stage
            .instants
            .iter()
            .zip(&stage.totals)
            .enumerate()
            .map(|(index, (instant, bytes))| InstantTotal {
                id: instant.id,
                layer: stage.layers_of_instants.get(index).copied().flatten(),
                bytes: *bytes,
                wins: index == stage.peak,
            })
            .collect(),
        in_flight,
        rows: Category::ALL.into_iter().filter_map(|category| row(stage, category)).collect(),
    }
}

/// The row of a category; none where no item of it exists, so that all stages of a model show the same rows.
fn row(stage: &StageMemory, category: Category) -> Option<Row> {
    let items: Vec<ItemRow> = stage
        .items
        .iter()
        .filter(|item| item.category == category)
        .map(|item| ItemRow { id: item.id, bytes: item.bytes[stage.peak], certainty: item.certainty })
        .collect();
    if items.is_empty() {
        return None;
    }
    let bytes = category_bytes(stage, category);
    Some(Row { category, bytes, share: share(bytes, stage.peak_bytes()), items })
}

pub(super) fn category_bytes(stage: &StageMemory, category: Category) -> Bytes {
    stage.items.iter().filter(|item| item.category == category).map(|item| item.bytes[stage.peak]).sum()
}

/// A part of a whole; zero where the whole is nothing.
fn share(part: Bytes, whole: Bytes) -> f64 {
    if whole == Bytes::ZERO { 0.0 } else { part.value() / whole.value() }
}
