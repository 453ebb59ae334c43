//! What the user wrote, and what follows from it. Nothing here draws.

mod control_view;
pub mod estimate;
pub mod findings;
mod outcome;
pub mod preferences;
mod reading;
pub mod run;
pub mod samples;
pub mod selection;
mod stage;
pub mod what_if;

pub use estimate::EstimateMemos;
pub use outcome::{Outcome, Shown};
pub use preferences::{Preferences, Theme};
pub use reading::Identity;
pub use run::{EditorText, ModelInput};
pub use samples::Sample;
pub use selection::Selection;
pub use what_if::WhatIf;
