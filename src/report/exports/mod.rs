//! A report to take away, as text: Markdown, CSV, a command line, a picture. JSON is `report::json`.
//!
//! Columns and cells carry the stable ids; words of a language come from the caller.

mod columns;
mod command;
mod csv;
mod markdown;
mod picture;
mod stage_rows;

pub use columns::{Column, further_columns};
pub use command::{CommandLine, ModelArgument};
pub use csv::csv;
pub use markdown::markdown;
pub use picture::picture;
pub use stage_rows::{Line, stage_rows, to_html, to_tsv};

use crate::memory::Category;
use crate::report::number::MemoryUnit;

/// How an export speaks.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// What the export says first: the verdict in a sentence.
    pub heading: &'a str,
    /// The name of a category; its id where no language has a better one.
    pub category: fn(Category) -> &'static str,
    /// What the device's line is called.
    pub capacity: &'a str,
    /// What a stage is called.
    pub stage: &'a str,
    /// The unit of its amounts.
    pub unit: MemoryUnit,
}
