//! The breakdown of a stage on the clipboard, in the order in which it is shown.

use crate::browser::copying;
use crate::components::breakdown_order::{Column, ordered};
use crate::components::breakdown_table::names;
use crate::components::sorting::Order;
use crate::messages::{self, Language};
use shardmem::memory::Category;
use shardmem::report::StageReport;
use shardmem::report::exports::{stage_rows, to_html, to_tsv};

/// What to copy.
#[derive(Debug, Clone, Copy)]
pub struct TableCopy<'a> {
    /// The stage.
    pub stage: &'a StageReport,
    /// The same stage of the baseline, where there is one.
    pub baseline: Option<&'a StageReport>,
    /// The order of the rows.
    pub order: Option<Order<Column>>,
    /// The language that rows are sorted in.
    pub language: Language,
}

/// Is told whether the browser copied.
pub type Told = Box<dyn FnOnce(bool)>;

/// Copies a stage's items as text with tabs, and as a table for documents; tells whether the browser did.
pub fn copy_table(copy: &TableCopy<'_>, done: Told) {
    let TableCopy { stage, baseline, order, language } = *copy;
    let lines = ordered(stage, baseline, &Category::ALL, order, names(messages::of(language)));
    let rows = stage_rows(stage, &lines, baseline);
    copying::copy_both(&to_tsv(&rows), &to_html(&rows), done);
}
