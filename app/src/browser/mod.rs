//! The only place that talks to the browser: one file per capability. Everything a hostile browser may refuse (storage,
//! clipboard, files) answers with nothing instead of failing.

pub mod address;
pub mod clipboard;
pub mod copying;
pub mod editing;
pub mod events;
pub mod files;
pub mod focus;
pub mod later;
pub mod media;
pub mod order;
pub mod patch;
pub mod root;
pub mod size;
pub mod slices;
pub mod storage;
