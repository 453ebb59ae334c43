//! Accounting: what each stage holds at each instant. Two models, one `Breakdown`.

mod breakdown;
pub mod reference;

pub use breakdown::{
    Amounts, BackwardEnd, Breakdown, Category, Certainty, Instant, Item, ReferenceFigures, StageMemory,
};
