//! The only prose of the core: a sentence for every diagnostic code, in English, and the way on.

mod sentences;

pub use sentences::{Sentence, advice, sentence};

use crate::diagnostics::{Argument, Diagnostic, Help, Severity};
use crate::report::number::{Decimals, MemoryUnit, amount_with_unit, shortest};
use crate::units::Bytes;

/// What is wrong, as one phrase that says expected and got.
pub fn message(diagnostic: &Diagnostic) -> String {
    let fallback = || spell_out(diagnostic);
    match sentence(diagnostic.code) {
        Sentence::Plain(template) => fill(template, diagnostic).unwrap_or_else(fallback),
        Sentence::WouldFail { fact, reason, .. } => {
            let Some(fact) = fill(fact, diagnostic) else { return fallback() };
            let reason = fill(reason, diagnostic).unwrap_or_default();
            match diagnostic.severity {
                Severity::Error => format!("{fact}: {reason}"),
                Severity::Warning | Severity::Note => {
                    format!("{fact}: the reference prices this; the run would fail because {reason}")
                }
            }
        }
    }
}

/// The way on: the nearest legal value where there is one, else what is to be done about the code.
pub fn help(diagnostic: &Diagnostic) -> Option<String> {
    let advice = || advice(diagnostic.code).and_then(|template| fill(template, diagnostic));
    match &diagnostic.help {
        // Which key to state is the least that can be said; where there is another way on, the advice names both.
        Some(help @ Help::State(_)) => advice().or_else(|| Some(help_text(help, diagnostic))),
        Some(help) => Some(help_text(help, diagnostic)),
        None => advice(),
    }
}

fn help_text(help: &Help, diagnostic: &Diagnostic) -> String {
    match help {
        Help::Nearest(spelling) => format!("did you mean `{spelling}`?"),
        Help::NearestValues(values) => match sentence(diagnostic.code) {
            Sentence::WouldFail { degree, .. } => format!("{degree} {}", alternatives(values)),
            Sentence::Plain(_) => format!("use {}", alternatives(values)),
        },
        Help::UseDimensionsOf(model) => {
            format!("use the dimensions of {model} (same shapes inferred)")
        }
        Help::State(path) => format!("state `{path}`"),
        Help::BelongsTo(path) => format!("`{path}` is where it is read"),
    }
}

/// `1, 2 or 4`.
fn alternatives(values: &[i64]) -> String {
    let texts: Vec<String> = values.iter().map(i64::to_string).collect();
    match texts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// A template with `{0}`, `{1}`, … replaced by the arguments and `{key}` by the key; none where an argument is missing
/// outside of `[…]`.
pub fn fill(template: &str, diagnostic: &Diagnostic) -> Option<String> {
    let Some((before, optional, behind)) = split_optional(template) else { return fill_all(template, diagnostic) };
    let mut text = fill_all(before, diagnostic)?;
    text.push_str(&fill_all(optional, diagnostic).unwrap_or_default());
    text.push_str(&fill_all(behind, diagnostic)?);
    Some(text)
}

fn split_optional(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('[')?;
    let (optional, behind) = rest.split_once(']')?;
    Some((before, optional, behind))
}

fn fill_all(template: &str, diagnostic: &Diagnostic) -> Option<String> {
    let mut text = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}')?;
        text.push_str(before);
        text.push_str(&placeholder(name, diagnostic)?);
        rest = behind;
    }
    text.push_str(rest);
    Some(text)
}

/// `0` is an argument, `0:gib` an amount of bytes, `key` the key; none where there is no such argument.
fn placeholder(name: &str, diagnostic: &Diagnostic) -> Option<String> {
    let (index, form) = name.split_once(':').unwrap_or((name, ""));
    let Ok(index) = index.parse::<usize>() else { return Some(key_text(diagnostic)) };
    let argument = diagnostic.arguments.get(index)?;
    Some(match (argument, form) {
        (Argument::Number(bytes), "gib") => amount_with_unit(Bytes::new(*bytes), MemoryUnit::Gib, Decimals::One),
        (argument, _) => argument_text(argument),
    })
}

fn key_text(diagnostic: &Diagnostic) -> String {
    diagnostic.place.key_path().map_or_else(|| "the value".to_owned(), |path| format!("`{path}`"))
}

/// An argument as it stands in a sentence.
fn argument_text(argument: &Argument) -> String {
    match argument {
        Argument::Integer(value) => value.to_string(),
        Argument::Number(value) => shortest(*value),
        Argument::Text(text) => text.clone(),
        Argument::List(texts) => texts.join(", "),
    }
}

/// For a diagnostic with fewer arguments than its sentence names: the code's meaning with what there is.
fn spell_out(diagnostic: &Diagnostic) -> String {
    let meaning = diagnostic.code.meaning();
    if diagnostic.arguments.is_empty() {
        return meaning.to_owned();
    }
    let arguments: Vec<String> = diagnostic.arguments.iter().map(argument_text).collect();
    format!("{meaning} ({})", arguments.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Code, Place};
    use crate::provenance::KeyPath;

    fn placeholders(template: &str) -> usize {
        let names =
            |index: usize| template.contains(&format!("{{{index}}}")) || template.contains(&format!("{{{index}:"));
        (0..10).take_while(|index| names(*index)).count()
    }

    /// Arguments that can be told apart in a sentence, as many as the code's sentence names.
    fn sample(code: Code) -> (Diagnostic, usize) {
        let count = match sentence(code) {
            Sentence::Plain(template) => placeholders(template),
            Sentence::WouldFail { fact, reason, .. } => placeholders(fact).max(placeholders(reason)),
        };
        let diagnostic = (0..count)
            .fold(Diagnostic::new(code, Place::Whole), |diagnostic, index| diagnostic.with(format!("argument{index}")));
        (diagnostic, count)
    }

    #[test]
    fn every_code_has_a_sentence_that_names_its_arguments() {
        for code in Code::ALL {
            let (diagnostic, count) = sample(*code);
            let message = message(&diagnostic);
            for index in 0..count {
                assert!(message.contains(&format!("argument{index}")), "{}: {message}", code.name());
            }
            assert!(!message.contains(['{', '}']), "{}: {message}", code.name());
            assert!(!message.ends_with('.') && !message.is_empty(), "{}: {message}", code.name());
            let first = message.chars().next().expect("a sentence is not empty");
            let names_an_acronym = message.chars().nth(1).is_some_and(char::is_uppercase);
            assert!(!first.is_uppercase() || names_an_acronym, "house style, lower case: {message}");
            if let Some(help) = help(&diagnostic) {
                assert!(!help.contains(['{', '}']) && !help.ends_with('.'), "{}: {help}", code.name());
            }
        }
    }

    #[test]
    fn a_legality_warning_says_why_the_run_would_fail_and_what_would_do() {
        let mut finding = Diagnostic::new(Code::KvHeadsNotDivided, Place::Whole)
            .with(8_i64)
            .with(4_i64)
            .help(Help::NearestValues(vec![1, 2, 4]));
        assert_eq!(
            message(&finding),
            "TP 8 does not divide the 4 key/value heads: the reference prices this; the run would fail because each rank needs a whole key/value head"
        );
        assert_eq!(help(&finding).as_deref(), Some("TP 1, 2 or 4"));
        finding.severity = Severity::Error;
        assert_eq!(
            message(&finding),
            "TP 8 does not divide the 4 key/value heads: each rank needs a whole key/value head"
        );
    }

    #[test]
    fn amounts_are_said_in_gib() {
        let finding =
            Diagnostic::new(Code::ReferenceNegativeBuffer, Place::Whole).with(3_i64).with(-1_610_612_736.0).with(0.0);
        assert_eq!(
            message(&finding),
            "the reference counts \u{2212}1.5\u{a0}GiB of buffers on stage 3, where 0.0\u{a0}GiB would be held without this quirk"
        );
    }

    #[test]
    fn missing_arguments_leave_the_meaning() {
        let finding = Diagnostic::new(Code::SpecNotInteger, Place::Whole).with("hidden_size");
        assert_eq!(message(&finding), "a dimension is not a whole number (hidden_size)");
    }

    #[test]
    fn help_names_the_way_on() {
        let finding = |help| Diagnostic::new(Code::KeyMisspelled, Place::Whole).with("tp_sise").help(help);
        assert_eq!(help(&finding(Help::Nearest("tp_size".into()))).as_deref(), Some("did you mean `tp_size`?"));
        let path = KeyPath::parse("context.device_num");
        assert_eq!(help(&finding(Help::State(path.clone()))).as_deref(), Some("state `context.device_num`"));
        let unstated = Diagnostic::new(Code::DeviceNumUnstated, Place::Whole).with(8_i64).help(Help::State(path));
        assert!(help(&unstated).is_some_and(|help| help.ends_with("beside the file")));
        assert_eq!(help(&finding(Help::NearestValues(vec![64]))).as_deref(), Some("use 64"));
    }
}
