//! The page's words: one table a language. A language is complete when its table compiles.
//!
//! The sentences of the diagnostics are not here: they belong to the codes, in `shardmem::report::messages`.

pub mod accuracy;
pub mod ahead;
mod chinese;
mod english;
pub mod explain;
pub mod ledger_items;
pub mod limits;
pub mod link;
pub mod memory;
pub mod pictures;
pub mod policies;
pub mod takeaway;
mod words;

use crate::state::Theme;
use crate::state::findings::Spot;
use crate::state::history::What;
use crate::state::ranges::Mode;
use crate::state::session::Notice;
use leptos::prelude::*;
use shardmem::diagnostics::Severity;
use shardmem::facts::controls::{Control, Disabled, Moved, Refusal};
use shardmem::memory::Category;
use shardmem::report::Verdict;
pub use shardmem::report::messages::Language;
use shardmem::report::number::MemoryUnit;
use shardmem::units::Bytes;
pub use words::LayerCounts;

/// The tag of a language, as browsers and documents use it.
pub const fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Chinese => "zh-CN",
    }
}

/// The name of a language in itself.
pub const fn own_name(language: Language) -> &'static str {
    match language {
        Language::English => "English",
        Language::Chinese => "简体中文",
    }
}

/// The language of a tag: that of its first part, whatever the region.
pub fn by_tag(asked: &str) -> Option<Language> {
    let spoken = |tag: &str| tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    Language::ALL.into_iter().find(|language| spoken(tag(*language)) == spoken(asked))
}

/// The table of a language.
pub const fn of(language: Language) -> &'static Messages {
    match language {
        Language::English => &english::ENGLISH,
        Language::Chinese => &chinese::CHINESE,
    }
}

/// The table of the language in use. Another language rebuilds the view, so this need not be a signal.
pub fn use_messages() -> &'static Messages {
    of(use_context::<Language>().unwrap_or_default())
}

/// Everything the page says.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Messages {
    /// What these words are of.
    pub spoken: Language,
    // Header and footer.
    pub unit: &'static str,
    pub language: &'static str,
    pub undo: fn(Option<What>) -> String,
    pub redo: fn(Option<What>) -> String,
    pub notice: fn(Notice) -> String,
    pub take_back: &'static str,
    pub dismiss: &'static str,
    pub copy_link: &'static str,
    pub full_page: &'static str,
    pub theme: &'static str,
    pub theme_name: fn(Theme) -> &'static str,
    pub devices: fn(i64) -> String,
    pub privacy: &'static str,
    pub version: fn(&str) -> String,
    // The run.
    pub run: &'static str,
    pub sample: &'static str,
    pub sample_placeholder: &'static str,
    pub sample_title: fn(&str, i64) -> String,
    pub open_file: &'static str,
    pub yaml: &'static str,
    pub tab_indents: &'static str,
    pub tab_leaves: &'static str,
    pub diagnostics: &'static str,
    pub severity: fn(Severity) -> &'static str,
    pub line: fn(Spot) -> String,
    pub way_model: &'static str,
    pub way_config: &'static str,
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
    pub config_json: &'static str,
    pub config_json_summary: &'static str,
    pub parameters: fn(f64) -> String,
    // The controls.
    pub controls: &'static str,
    pub controls_pinned: fn(i64) -> String,
    pub pin: &'static str,
    pub reset_all: &'static str,
    pub reset_all_about: &'static str,
    pub reset: fn(&str) -> String,
    pub group: fn(&str) -> &'static str,
    pub control: fn(Control) -> &'static str,
    pub control_effect: fn(Control) -> &'static str,
    pub disabled: fn(&Disabled) -> String,
    pub refusal: fn(&Refusal) -> String,
    pub moved: fn(&[Moved], i64) -> String,
    pub followed: fn(Control, i64) -> String,
    pub value_and_verdict: fn(&str, &str) -> String,
    pub typed_freely: fn(&str) -> String,
    // Recompute ranges.
    pub ranges: &'static str,
    pub ranges_edit: &'static str,
    pub ranges_none: &'static str,
    pub ranges_add: &'static str,
    pub ranges_leave: &'static str,
    pub ranges_decide: &'static str,
    pub range: fn(usize) -> String,
    pub range_first: &'static str,
    pub range_count: &'static str,
    pub range_to_end: &'static str,
    pub range_mode: &'static str,
    pub range_mode_name: fn(Mode) -> &'static str,
    pub range_ops: &'static str,
    pub range_up: fn(usize) -> String,
    pub range_down: fn(usize) -> String,
    pub range_remove: fn(usize) -> String,
    // Compare.
    pub baseline: &'static str,
    pub baseline_pin: &'static str,
    pub baseline_pin_again: &'static str,
    pub baseline_swap: &'static str,
    pub baseline_clear: &'static str,
    pub baseline_unread: &'static str,
    pub baseline_change: fn(Bytes, Bytes, MemoryUnit) -> String,
    pub keys_differ: fn(usize) -> String,
    pub column_change: &'static str,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_first_part() {
        assert_eq!(by_tag("zh-TW"), Some(Language::Chinese));
        assert_eq!(by_tag("EN-us"), Some(Language::English));
        assert_eq!(by_tag("fr"), None);
        assert_eq!(by_tag(""), None);
        for language in Language::ALL {
            assert_eq!(by_tag(tag(language)), Some(language));
            assert_eq!(of(language).spoken, language);
        }
    }
}
