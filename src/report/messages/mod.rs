//! The only prose of the core: a sentence for every diagnostic code, and the way on, in every language.
//!
//! A language is one table, a row a code, in the small language of `template`: `english.rs` and `chinese.rs`.

mod chinese;
mod comparison;
mod english;
pub mod explained;
mod parameters;
mod table;
mod template;
mod values;

pub use comparison::{comparison, measurement};
pub use parameters::parameter_note;
pub use table::Language;

use crate::diagnostics::{Code, Diagnostic, Help};
use table::Words;
use template::Filling;

/// What is wrong, as one phrase that says expected and got.
pub fn message(diagnostic: &Diagnostic, language: Language) -> String {
    let filling = Filling { diagnostic, language };
    // A finding with fewer arguments than its sentence names would be a fault of ours; its code is still true.
    filling.fill(language.row(diagnostic.code).0).unwrap_or_else(|| diagnostic.code.name().to_owned())
}

/// The way on: the nearest legal value where there is one, else what is to be done about the code.
pub fn help(diagnostic: &Diagnostic, language: Language) -> Option<String> {
    let words = language.words();
    let advice = || {
        let advice = Some(language.row(diagnostic.code).1).filter(|advice| !advice.is_empty())?;
        Filling { diagnostic, language }.fill(advice)
    };
    match &diagnostic.help {
        None => advice(),
        Some(Help::Nearest(spelling)) => Some(words.nearest.replace("{}", &values::quoted(spelling))),
        Some(Help::UseDimensionsOf(model)) => Some(words.use_dimensions.replace("{}", &values::shown(model))),
        Some(Help::BelongsTo(path)) => Some(words.belongs_to.replace("{}", &values::quoted(&path.to_string()))),
        // Which key or value is the least that can be said; where there is more, the advice says both.
        Some(Help::State(path)) => {
            advice().or_else(|| Some(words.state.replace("{}", &values::quoted(&path.to_string()))))
        }
        Some(Help::NearestValues(values)) => {
            advice().or_else(|| Some(words.use_value.replace("{}", &numbers(values, words)?)))
        }
        Some(Help::OneOf(spellings)) => {
            let quoted = spellings.iter().map(|spelling| values::quoted(spelling)).collect();
            Some(words.use_value.replace("{}", &alternatives(quoted, words)?))
        }
    }
}

/// What is to be done about a code whatever the finding; none where only a finding says it.
pub fn advice(code: Code, language: Language) -> Option<&'static str> {
    Some(language.row(code).1).filter(|advice| !advice.is_empty() && !advice.contains(['{', '[']))
}

/// A phrase of ours that is an argument (why a text is refused, what a field takes), in another language; as it stands
/// where the language has no other.
pub fn phrase(english: &str, language: Language) -> &str {
    language.phrase(english)
}

fn numbers(values: &[i64], words: &Words) -> Option<String> {
    alternatives(values.iter().map(i64::to_string).collect(), words)
}

/// `1, 2 or 4`; nothing for no value.
fn alternatives(mut values: Vec<String>, words: &Words) -> Option<String> {
    let last = values.pop()?;
    Some(if values.is_empty() { last } else { [values.join(words.comma), last].join(words.or) })
}

#[cfg(test)]
mod tests;
