//! The view model: verdict, bars, rows, exports. No layout, no colour, no HTML; numbers and stable ids.

mod view;

pub use view::{Bar, Chart, Fits, InstantTotal, ItemRow, Report, Row, Segment, StageReport, Tick, Verdict};
