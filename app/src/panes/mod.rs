//! The three panes, the header and the footer: they read the state and place the components.

pub mod answer;
pub mod controls;
pub mod frame;
pub mod model;
pub mod run;
