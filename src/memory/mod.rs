//! Accounting: what each stage holds at each instant. Two models, one `Breakdown`.

mod breakdown;

pub use breakdown::{BackwardEnd, Breakdown, Category, Certainty, Instant, Item, ReferenceFigures, StageMemory};
