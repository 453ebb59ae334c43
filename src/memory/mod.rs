//! Accounting: what each stage holds at each instant. Two models, one `Breakdown`.

mod breakdown;
mod choice;
pub mod ledger;
pub mod policies;
pub mod reference;

pub use breakdown::{
    Amounts, BackwardEnd, Band, Breakdown, Category, Certainty, Instant, Item, ReferenceFigures, StageMemory,
};
pub use choice::{Chosen, MemoryModel, policies_of};
pub use policies::{Policy, PolicyValue};
