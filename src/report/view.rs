//! What the views show, as data.

use super::{Measured, Other};
use crate::memory::{Band, Category, Certainty};
use crate::units::Bytes;

/// Everything a view shows of one estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which memory model answered: `sapp_nd` or `fsdp2`.
    pub memory_model: &'static str,
    /// Does it fit, and why not.
    pub verdict: Verdict,
    /// The stacked bars.
    pub chart: Chart,
    /// One per pipeline stage.
    pub stages: Vec<StageReport>,
    /// The other memory model's figure of the same run, where it was asked for and has one.
    pub other: Option<Other>,
    /// What a run was seen to need, where that is known.
    pub measured: Option<Measured>,
}

/// Does it fit (DESIGN 3.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fits {
    /// Yes.
    Yes,
    /// Only the expected figure does, not the high end of the band.
    Tight,
    /// No.
    No,
    /// The file was not understood well enough to say.
    Unknown,
}

impl Fits {
    /// The value of `data-fits`: `true`, `tight`, `false` or `unknown`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Yes => "true",
            Self::Tight => "tight",
            Self::No => "false",
            Self::Unknown => "unknown",
        }
    }
}

/// The answer in one sentence's worth of data.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Does it fit.
    pub fits: Fits,
    /// The stage with the largest peak.
    pub stage: usize,
    /// The instant of that peak.
    pub instant: &'static str,
    /// The layer of the model, from 0, that the instant is of, where it is one of a layer.
    pub layer: Option<u32>,
    /// The peak.
    pub peak: Bytes,
    /// What a device holds.
    pub capacity: Bytes,
    /// What a device may show, of the stage whose band reaches highest; none where the memory model states one figure.
    pub band: Option<Band>,
    /// The figure that is held against the capacity: the peak, or of a band the high end where that fits, else what is
    /// expected.
    pub judged: Bytes,
    /// Capacity less that figure; negative where it exceeds.
    pub headroom: Bytes,
    /// The category that holds most at the peak, with its share of the peak (0 to 1).
    pub largest: (Category, f64),
    /// How many stages exceed the capacity.
    pub exceeding_stages: usize,
}

/// The stacked bars of all stages on one scale. Heights are fractions of `top` (bytes).
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Bytes at the upper end of the scale; above every bar and the capacity line.
    pub top: Bytes,
    /// Bytes at the lower end; zero, or below it where a bar is negative.
    pub bottom: Bytes,
    /// Scale marks.
    pub ticks: Vec<Tick>,
    /// What a device holds.
    pub capacity: Bytes,
    /// One per stage.
    pub bars: Vec<Bar>,
}

/// A mark of the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tick {
    /// Where.
    pub bytes: Bytes,
}

/// One stage's bar at its own peak instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Which stage.
    pub stage: usize,
    /// Where the bar ends: the total.
    pub total: Bytes,
    /// What a device may show of it; none where the memory model states one figure.
    pub band: Option<Band>,
    /// Whether it exceeds the capacity: the total, or what is expected of a device.
    pub exceeds: bool,
    /// Categories from the ground up; positive ones stacked from zero.
    pub segments: Vec<Segment>,
    /// Negative categories: a notch from the end of the stack back down to the total.
    pub notches: Vec<Segment>,
    /// The total at the other instant, where the stage has exactly two.
    pub other: Option<Bytes>,
}

/// A piece of a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Which category.
    pub category: Category,
    /// Lower end.
    pub from: Bytes,
    /// Upper end.
    pub to: Bytes,
    /// The category's bytes; negative for a notch.
    pub bytes: Bytes,
}

/// One stage in figures, at its own peak instant.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// Which stage.
    pub stage: usize,
    /// The placement string.
    pub layers: String,
    /// The stage's peak.
    pub peak: Bytes,
    /// Totals at each instant, and which won.
    pub instants: Vec<InstantTotal>,
    /// Micro-batches in flight at the stage's first node of each chunk.
    pub in_flight: Vec<f64>,
    /// One per category that has items, ground up.
    pub rows: Vec<Row>,
}

/// A total at an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstantTotal {
    /// Which.
    pub id: &'static str,
    /// The layer of the model, from 0, in which its worst point lies, where it is an instant of a layer.
    pub layer: Option<u32>,
    /// How much.
    pub bytes: Bytes,
    /// Whether it is the stage's peak.
    pub wins: bool,
}

/// A category of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which.
    pub category: Category,
    /// Bytes at the peak.
    pub bytes: Bytes,
    /// Share of the stage's peak, 0 to 1.
    pub share: f64,
    /// What it consists of.
    pub items: Vec<ItemRow>,
}

/// An item of a stage.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemRow {
    /// Stable id.
    pub id: &'static str,
    /// Bytes at the peak.
    pub bytes: Bytes,
    /// How sure it is.
    pub certainty: Certainty,
}
