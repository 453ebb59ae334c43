//! `ShardMem`: how much memory each device needs to train a language model under a parallel layout, whether it fits, and why.
//!
//! The flow goes one way, and every stage is a total function:
//! `text → Document → Facts {ModelSpec, RunSpec} → Config → Placement → Breakdown → Report`.

pub mod accounting;
pub mod config;
pub mod decimal;
pub mod diagnostics;
pub mod document;
pub mod estimate;
pub mod explain;
pub mod facts;
pub mod link;
pub mod memory;
pub mod model;
pub mod placement;
pub mod provenance;
pub mod report;
pub mod text;
pub mod units;
#[cfg(feature = "wasm")]
pub mod wasm;
pub mod whatif;

pub use estimate::estimate;

/// The version of `ShardMem`, as `--version`, JSON and the JavaScript API state it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
