//! The page, mounted in a browser: what it shows while someone types, slides, picks and jumps.
//!
//! The figures are compared with the core's, asked directly with the same text and overrides.
#![cfg(target_arch = "wasm32")]
#![expect(clippy::unwrap_used, reason = "a test stops where something is missing")]

mod answer;
mod compare;
mod controls;
mod editor;
mod explain;
mod history;
mod language;
mod link;
mod memory;
mod model;
mod mounted;
mod pictures;
mod ranges;
mod strips;
mod takeaway;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
