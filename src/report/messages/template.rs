//! Filling a sentence.
//!
//! | in a template | stands for |
//! |---|---|
//! | `{0}` | an argument: a text of the user's in quotes, a number as it is |
//! | `{0:phrase}` | an argument that is a phrase of ours, in the language |
//! | `{0:whole}` | a list that we wrote out, never shortened |
//! | `{0:gib}` | an amount of bytes |
//! | `{0#key\|keys}` | the word for one or for several |
//! | `{key}` | the key it is about, with its text where that is not the train.yaml |
//! | `{near}` | the nearest legal values |
//! | `[…]` | left out where something in it is missing |
//! | `<…>` | left out where the finding is an error |

use super::table::Language;
use super::{numbers, values};
use crate::diagnostics::{Argument, Diagnostic, Help, Place, Severity};
use crate::provenance::Source;
use crate::report::number::{Decimals, MemoryUnit, amount_with_unit, shortest};
use crate::units::Bytes;

/// Items of a list that are shown one by one.
const SHOWN_ITEMS: usize = 10;

/// A finding that is to be said in a language.
#[derive(Clone, Copy)]
pub(super) struct Filling<'a> {
    pub(super) diagnostic: &'a Diagnostic,
    pub(super) language: Language,
}

impl Filling<'_> {
    /// The template filled; none where something is missing outside of `[…]`.
    pub(super) fn fill(&self, template: &str) -> Option<String> {
        let mut text = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some(at) = rest.find(['{', '[', '<']) {
            text.push_str(&rest[..at]);
            let close = match rest.as_bytes()[at] {
                b'{' => '}',
                b'[' => ']',
                _ => '>',
            };
            let (inner, behind) = rest[at + 1..].split_once(close)?;
            match close {
                '}' => text.push_str(&self.placeholder(inner)?),
                ']' => text.push_str(&self.fill(inner).unwrap_or_default()),
                _ if self.diagnostic.severity == Severity::Error => {}
                _ => text.push_str(&self.fill(inner)?),
            }
            rest = behind;
        }
        text.push_str(rest);
        Some(text)
    }

    fn placeholder(&self, name: &str) -> Option<String> {
        let words = self.language.words();
        match name {
            "key" => return Some(self.key()),
            "near" => {
                let Some(Help::NearestValues(values)) = &self.diagnostic.help else { return None };
                return numbers(values, words);
            }
            _ => {}
        }
        let index = usize::from(name.as_bytes().first()?.wrapping_sub(b'0'));
        let argument = self.diagnostic.arguments.get(index)?;
        let form = &name[1..];
        if let Some((one, several)) = form.strip_prefix('#').and_then(|nouns| nouns.split_once('|')) {
            return Some(if is_one(argument) { one } else { several }.to_owned());
        }
        Some(match (argument, form) {
            (Argument::Number(bytes), ":gib") => amount_with_unit(Bytes::new(*bytes), MemoryUnit::Gib, Decimals::One),
            (Argument::Text(phrase), ":phrase") => values::shown(self.language.phrase(phrase)),
            (Argument::Text(list), ":whole") => values::visible(list),
            (Argument::Text(text), _) => values::quoted(text),
            (Argument::Integer(value), _) => value.to_string(),
            (Argument::Number(value), _) => shortest(*value),
            (Argument::List(texts), _) => self.list(texts),
        })
    }

    fn list(&self, texts: &[String]) -> String {
        let words = self.language.words();
        let shown: Vec<String> = texts.iter().take(SHOWN_ITEMS).map(|text| values::quoted(text)).collect();
        let mut list = shown.join(words.comma);
        if let Some(hidden) = texts.len().checked_sub(SHOWN_ITEMS).filter(|hidden| *hidden > 0) {
            list.push_str(&words.more.replace("{}", &hidden.to_string()));
        }
        list
    }

    /// The key, and whose it is; the first argument stands for one that is in no text.
    fn key(&self) -> String {
        let words = self.language.words();
        let (source, path) = match &self.diagnostic.place {
            Place::Key(source, path) | Place::Value(source, path) | Place::Missing(source, path) => (source, path),
            Place::Span(..) | Place::Whole => {
                return match self.diagnostic.arguments.first() {
                    Some(Argument::Text(name)) => values::quoted(name),
                    _ => words.no_key.to_owned(),
                };
            }
        };
        let key = values::quoted(&path.to_string());
        match source {
            Source::Run => key,
            Source::Model => words.of_config.replace("{}", &key),
            Source::Execution => words.of_execution.replace("{}", &key),
        }
    }
}

fn is_one(argument: &Argument) -> bool {
    match argument {
        Argument::Integer(number) => *number == 1,
        Argument::Number(number) => *number == 1.0,
        Argument::Text(_) => true,
        Argument::List(texts) => texts.len() == 1,
    }
}
