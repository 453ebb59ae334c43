//! The page's words: one table a language. A language is complete when its table compiles.
//!
//! The sentences of the diagnostics are not here: they belong to the codes, in `shardmem::report::messages`.

mod english;
mod words;

use crate::state::Theme;
use crate::state::findings::Spot;
use leptos::prelude::*;
use shardmem::diagnostics::Severity;
use shardmem::facts::controls::{Control, Disabled, Moved, Refusal};
use shardmem::memory::Category;
use shardmem::report::Verdict;
use shardmem::report::number::MemoryUnit;
use shardmem::units::Bytes;
pub use words::LayerCounts;

/// The languages of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
}

impl Language {
    /// Its table.
    pub const fn messages(self) -> &'static Messages {
        match self {
            Self::English => &english::ENGLISH,
        }
    }
}

/// The table of the language in use. Another language rebuilds the view, so this need not be a signal.
pub fn use_messages() -> &'static Messages {
    use_context::<Language>().unwrap_or_default().messages()
}

/// Everything the page says.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Messages {
    // Header and footer.
    pub unit: &'static str,
    pub theme: &'static str,
    pub theme_name: fn(Theme) -> &'static str,
    pub devices: fn(i64) -> String,
    pub privacy: &'static str,
    pub version: fn(&str) -> String,
    // The run.
    pub run: &'static str,
    pub sample: &'static str,
    pub sample_placeholder: &'static str,
    pub open_file: &'static str,
    pub yaml: &'static str,
    pub tab_indents: &'static str,
    pub tab_leaves: &'static str,
    pub diagnostics: &'static str,
    pub severity: fn(Severity) -> &'static str,
    pub line: fn(Spot) -> String,
    // The model.
    pub model: &'static str,
    pub model_picker: &'static str,
    pub model_none: &'static str,
    pub model_found: &'static str,
    pub model_chosen: &'static str,
    pub model_config: &'static str,
    pub model_stale: &'static str,
    pub model_unknown: &'static str,
    pub model_from_file: &'static str,
    pub model_parameters: fn(f64, f64) -> String,
    pub config_json: &'static str,
    pub config_json_summary: &'static str,
    pub parameters: fn(f64) -> String,
    // The controls.
    pub controls: &'static str,
    pub controls_pinned: fn(i64) -> String,
    pub pin: &'static str,
    pub reset_all: fn(usize) -> String,
    pub reset: fn(&str) -> String,
    pub group: fn(&str) -> &'static str,
    pub control: fn(Control) -> &'static str,
    pub control_effect: fn(Control) -> &'static str,
    pub disabled: fn(&Disabled) -> String,
    pub refusal: fn(&Refusal) -> String,
    pub moved: fn(&[Moved], i64) -> String,
    pub followed: fn(Control, i64) -> String,
    pub value_and_verdict: fn(&str, &str) -> String,
    // The answer.
    pub answer: &'static str,
    pub stale: &'static str,
    pub no_estimate: &'static str,
    pub no_estimate_help: &'static str,
    pub verdict: fn(&Verdict, MemoryUnit) -> String,
    pub verdict_short: fn(&Verdict, MemoryUnit) -> String,
    pub verdict_reason: fn(&Verdict, usize) -> String,
    pub stages: &'static str,
    pub stages_stale: &'static str,
    pub stage: fn(usize) -> String,
    pub stage_name: fn(usize, Bytes, Bytes, MemoryUnit) -> String,
    pub category: fn(Category) -> &'static str,
    pub legend: &'static str,
    pub legend_notch: &'static str,
    pub legend_capacity: &'static str,
    pub breakdown: &'static str,
    pub column_part: &'static str,
    pub column_share: &'static str,
    pub total: &'static str,
    pub percent: fn(f64) -> String,
    pub item: fn(&str) -> String,
    pub certainty_policy: &'static str,
    pub certainty_estimated: &'static str,
    pub layers: fn(LayerCounts) -> String,
    pub layer_letter: fn(char) -> &'static str,
    pub in_flight: fn(&[f64]) -> String,
    pub instants: &'static str,
    pub instant: fn(&str) -> String,
    pub instant_wins: &'static str,
}
