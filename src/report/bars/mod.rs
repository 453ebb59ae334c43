//! The stacked bars as they are drawn: pixels and texts, for whatever room there is. No colour, no markup.
//!
//! `report::chart` says what lies between which bytes; this says where that is in a box of so many pixels, and which labels
//! there is room for. Labels are measured by the widest letters a page's font may have, so that none ever lies on another.

mod drawing;
mod geometry;
mod lettering;
mod names;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod properties;

pub use drawing::{Drawing, Mark, Outline, Room, StageLabel};
pub use geometry::{Frame, Size};
pub use lettering::{Lettering, Rectangle};
pub use names::Name;
