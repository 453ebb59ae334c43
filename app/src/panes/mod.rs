//! The three panes, the header and the footer: they read the state and place the components.

pub mod answer;
pub mod controls;
pub mod frame;
pub mod model;
mod ranges;
pub mod run;
pub mod shortcuts;
