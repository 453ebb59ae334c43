//! The three panes, the header and the footer: they read the state and place the components.

pub mod answer;
mod apply;
pub mod controls;
pub mod explain;
pub mod fixes;
pub mod frame;
pub mod link;
pub mod memory;
pub mod model;
pub mod new_run;
pub mod pictures;
mod popover;
mod ranges;
pub mod run;
pub mod shortcuts;
pub mod takeaway;
pub mod taking;
