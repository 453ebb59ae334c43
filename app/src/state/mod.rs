//! What the user wrote, and what follows from it. Nothing here draws.

mod asked;
pub mod compare;
mod control_view;
pub mod estimate;
pub mod explaining;
pub mod exports;
pub mod findings;
pub mod history;
pub mod keeping;
mod kept;
pub mod link;
pub mod links;
pub mod new_run;
mod outcome;
pub mod pasted;
pub mod preferences;
pub mod ranges;
mod reading;
pub mod samples;
pub mod selection;
pub mod session;
mod stage;
pub mod what_if;
pub mod workspace;
pub mod written;

pub use compare::Compare;
pub use estimate::EstimateMemos;
pub use explaining::Explaining;
pub use links::Links;
pub use outcome::{Outcome, Shown};
pub use preferences::{Preferences, Theme};
pub use reading::Identity;
pub use samples::Sample;
pub use selection::Selection;
pub use session::Session;
pub use workspace::{ModelSource, Origin, Workspace};
