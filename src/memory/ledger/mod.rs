//! The second memory model, `fsdp2`: the tensors that a PyTorch FSDP2 run holds, found by walking one step (ledger).
//!
//! A layer's operators are walked once a kind (`layer`), from an empty live set, into pieces that say what they do to any
//! live set. The walk of the step (`step`) plays these pieces between gathers and reductions, on the live set of the stage.

mod account;
mod backward;
mod band;
mod book;
mod build;
mod fsdp;
mod interleaved;
mod layer;
mod live;
mod pipeline;
pub mod policies;
mod schedule;
mod shapes;
pub mod slots;
mod stage;
mod states;
mod step;
mod sureness;
mod units;
mod widths;

pub use account::{Walked, account, walk};
pub use band::{Band, bands};
pub use book::{Moment, Phase, Worst};
pub use policies::Policies;

use crate::config::Config;
use crate::model::ModelSpec;
use crate::model::tensors::Tensors;
use crate::placement::Placement;

/// The memory model's name.
pub const NAME: &str = "fsdp2";

/// What the walk reads.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The model.
    pub model: &'a ModelSpec,
    /// Its parameter tensors.
    pub tensors: &'a Tensors,
    /// The run.
    pub config: &'a Config,
    /// Where its layers run.
    pub placement: &'a Placement,
    /// Bytes an element.
    pub precision: Precision,
    /// Whether the rank is the last of a ring of context parallelism: it keeps less, and works on more at once. The others
    /// are alike.
    pub last_of_ring: bool,
}

/// Bytes an element (ledger 6, widths).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// w: of a stored parameter.
    pub stored: f64,
    /// c: of a computation.
    pub compute: f64,
    /// ρ: of a reduced gradient.
    pub reduce: f64,
}
