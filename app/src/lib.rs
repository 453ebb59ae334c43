//! The ShardMem page: a view of what the core computes. One way: what the user wrote (`state`) → memos over the core's
//! stages (`state::estimate`) → panes → components. Only `browser` talks to the browser.

pub mod app;
pub mod browser;
pub mod components;
pub mod late;
pub mod messages;
pub mod panes;
pub mod reactive;
pub mod state;
pub mod view;

pub use app::App;
