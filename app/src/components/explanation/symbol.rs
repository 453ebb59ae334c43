//! How symbols are set: abbreviations in italics with their subscript, items by their labels, formulas by their words.

use crate::messages::explain::{Words, words};
use crate::messages::{self, Language, Messages};
use crate::view::{Element, html};
use shardmem::memory::Category;
use shardmem::memory::reference::items::KINDS;
use shardmem::report::messages::explained;

/// What stands before a subscript; other names are words.
const ABBREVIATIONS: [&str; 19] = [
    "n", "dc", "hff", "bytes", "t", "s", "v", "w", "d", "comm", "shard", "kv", "qk", "cap", "attn", "os", "param",
    "grad", "saved",
];

/// The label of an item, a category or a figure; none for other formulas and for symbols.
fn label(id: &str, words: &Words, say: &Messages) -> Option<String> {
    if let Some(item) = KINDS.iter().find(|kind| kind.id == id) {
        let (category, item_name) = ((say.category)(item.category), (say.item)(id));
        return Some(if item.category.id() == id { category.to_owned() } else { format!("{category}: {item_name}") });
    }
    let category = Category::ALL.into_iter().find(|category| category.id() == id);
    let category = category.map(|category| (say.category)(category).to_owned());
    category.or_else(|| words.figures.name(id).map(str::to_owned))
}

/// A symbol set in type.
pub(super) fn set(id: &str, symbol: &str, language: Language) -> Element {
    if let Some(label) = label(id, words(language), messages::of(language)) {
        return html("span").class("explain-label").text(label);
    }
    let (name, use_of) = symbol.split_at(symbol.trim_end_matches(is_small_digit).len());
    let lower = |text: String| html("sub").text(text);
    let digits: String = use_of.chars().filter_map(digit).collect();
    let (base, below) = match name.split_once('_') {
        Some((base, below)) if ABBREVIATIONS.contains(&base) => (base.to_owned(), below.replace('_', " ")),
        _ => (in_words(id, name, language), String::new()),
    };
    let below = if digits.is_empty() || below.is_empty() { below + &digits } else { [&below, ",", &digits].concat() };
    html("var").text(base).children((!below.is_empty()).then(|| lower(below)))
}

/// A symbol as words, for names that are read out.
pub(super) fn spoken(id: &str, symbol: &str, language: Language) -> String {
    label(id, words(language), messages::of(language)).unwrap_or_else(|| in_words(id, symbol, language))
}

/// A name made of words: in English as it stands; elsewhere the first part of what it means, where that is short.
fn in_words(id: &str, name: &str, language: Language) -> String {
    let is_of_words = name.contains('_') && language != Language::English;
    let meaning = if is_of_words { explained::meaning(id, language) } else { "" };
    let brief = meaning.split(['（', '：', '；', '，', '、']).next().unwrap_or_default();
    if (1..=20).contains(&brief.chars().count()) { brief.to_owned() } else { name.replace('_', " ") }
}

const fn is_small_digit(letter: char) -> bool {
    matches!(letter, '₀'..='₉')
}

fn digit(small: char) -> Option<char> {
    char::from_digit((small as u32).checked_sub('₀' as u32)?, 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Node;

    fn texts(element: &Element) -> String {
        element.children.iter().fold(String::new(), |said, child| match child {
            Node::Text(text) => said + text,
            Node::Element(child) => format!("{said}[{}]", texts(child)),
        })
    }

    #[test]
    fn abbreviations_have_subscripts_and_words_stay_words() {
        let said = |id, symbol| texts(&set(id, symbol, Language::English));
        assert_eq!(said("n_shared_exp", "n_shared_exp"), "n[shared exp]");
        assert_eq!(said("h", "h"), "h");
        assert_eq!(said("layer-parameters-held", "layer_parameters_held₂"), "layer parameters held[2]");
        assert_eq!(said("shard-p-os-exp", "shard_p_os_exp₁₂"), "shard[p os exp,12]");
        assert_eq!(said("static.total", "static.total"), "Held all the time");
        assert_eq!(said("parameters-norm", "parameters_norm"), "Parameters: Norms");
    }

    #[test]
    fn names_of_words_are_said_in_the_language_and_symbols_stay() {
        let said = |id, symbol| texts(&set(id, symbol, Language::Chinese));
        assert_eq!(said("layer-parameters-held", "layer_parameters_held₂"), "每个 rank 持有的一层参数[2]");
        assert_eq!(
            spoken("layer-parameters-held", "layer_parameters_held", Language::Chinese),
            "每个 rank 持有的一层参数"
        );
        assert_eq!(said("n-shared-exp", "n_shared_exp"), "n[shared exp]");
        assert_eq!(said("h", "h"), "h");
    }
}
