//! What stands behind the total of a stage in tables, where a report has it: a band, and the other memory model's figure.

use crate::report::Report;
use crate::units::Bytes;

/// A further figure of each stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// What a device is expected to show.
    Expected,
    /// The most that it may show.
    High,
    /// The peak that the memory model of this name gives.
    Other(&'static str),
}

/// The further columns of a report, in their order.
pub fn further_columns(report: &Report) -> impl Iterator<Item = Column> {
    let has_band = report.chart.bars.iter().any(|bar| bar.band.is_some());
    let band = has_band.then_some([Column::Expected, Column::High]);
    band.into_iter().flatten().chain(report.other.as_ref().map(|other| Column::Other(other.memory_model)))
}

impl Column {
    /// Its head.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::High => "high",
            Self::Other(memory_model) => memory_model,
        }
    }

    /// The figure of the stage at this index.
    pub fn of(self, report: &Report, index: usize) -> Option<Bytes> {
        let band = || report.chart.bars.get(index)?.band;
        match self {
            Self::Expected => Some(band()?.expected),
            Self::High => Some(band()?.high),
            Self::Other(_) => report.other.as_ref()?.stages.get(index).copied(),
        }
    }
}
