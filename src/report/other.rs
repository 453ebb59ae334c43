//! The other memory model's figure of the same run.

use super::present::{Reading, category_bytes, verdict};
use super::view::Fits;
use crate::memory::{Band, Breakdown, Category, StageMemory};
use crate::units::Bytes;

/// What the other memory model says of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct Other {
    /// Which it is.
    pub memory_model: &'static str,
    /// Whether it fits by that one.
    pub fits: Fits,
    /// The stage that needs most.
    pub stage: usize,
    /// Its peak.
    pub peak: Bytes,
    /// What a device may show, where that memory model says so.
    pub band: Option<Band>,
    /// The peak of each stage.
    pub stages: Vec<Bytes>,
    /// What each category holds at that peak, in the order of [`Category::ALL`], for each stage.
    pub categories: Vec<[Bytes; Category::ALL.len()]>,
    /// Where the two differ most; none where they agree, or there is no stage.
    pub gap: Option<Gap>,
}

/// A category in which two memory models differ, each at its own peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Which.
    pub category: Category,
    /// The other's bytes less those of the one in force.
    pub bytes: Bytes,
}

impl Other {
    /// What `other` says beside `shown`, held against the same device.
    pub fn new(shown: &Breakdown, other: &Breakdown, capacity: Bytes, reading: Reading) -> Self {
        let verdict = verdict(other, capacity, reading);
        Self {
            memory_model: other.memory_model,
            fits: verdict.fits,
            stage: verdict.stage,
            peak: verdict.peak,
            band: verdict.band,
            stages: other.stages.iter().map(StageMemory::peak_bytes).collect(),
            categories: other
                .stages
                .iter()
                .map(|stage| Category::ALL.map(|category| category_bytes(stage, category)))
                .collect(),
            gap: gap(shown, other),
        }
    }
}

fn gap(shown: &Breakdown, other: &Breakdown) -> Option<Gap> {
    let (shown, other) = (shown.stages.get(shown.peak)?, other.stages.get(other.peak)?);
    let mut widest: Option<Gap> = None;
    for category in Category::ALL {
        let bytes = category_bytes(other, category) - category_bytes(shown, category);
        let least = widest.map_or(0.0, |gap| gap.bytes.value().abs());
        if bytes.value().abs() > least {
            widest = Some(Gap { category, bytes });
        }
    }
    widest
}
