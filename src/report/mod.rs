//! The view model: verdict, bars, rows, exports. No layout, no colour, no HTML; numbers and stable ids.

pub mod accuracy;
pub mod actions;
pub mod bars;
mod chart;
pub mod exports;
pub mod json;
pub mod layers;
pub mod measured;
pub mod messages;
pub mod number;
pub mod origins;
mod other;
mod parameters;
mod present;
mod view;
pub mod why;

pub use chart::{expected, within};
pub use measured::Measured;
pub use other::{Gap, Other};
pub use parameters::{Cause, Difference, ParameterNote};
pub use present::{Reading, present, verdict};
pub use view::{Bar, Chart, Fits, InstantTotal, ItemRow, Report, Row, Segment, StageReport, Tick, Verdict};
