//! Values as a person would type them into a train.yaml: on one line, or a section on lines of its own.
//!
//! Everything written here is read back alike by the trainer's loader: a text stands plain only where no rule of YAML 1.1
//! takes it for something else, a float keeps its dot. In double quotes throughout the line is JSON too.

use super::node::{Mapping, Value};
use super::scalar;
use std::fmt::Write;

/// How texts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quotes {
    /// Plain where that is safe, else in single quotes.
    #[default]
    WhereNeeded,
    /// In single quotes.
    Single,
    /// In double quotes, as JSON has them.
    Double,
}

/// The value on one line, sections and lists in brackets; `document::parse_value` reads it back.
pub fn to_line(value: &Value, quotes: Quotes) -> String {
    let mut line = String::new();
    add_value(&mut line, value, quotes);
    line
}

/// Adds a value in brackets or on its own.
pub(super) fn add_value(line: &mut String, value: &Value, quotes: Quotes) {
    match value {
        Value::Null => line.push_str("null"),
        Value::Bool(flag) => line.push_str(if *flag { "true" } else { "false" }),
        // Writing to a string cannot fail.
        Value::Integer(number) => {
            let _ = write!(line, "{number}");
        }
        Value::WideInteger(digits) => line.push_str(digits),
        Value::Float(number) => line.push_str(&float(*number)),
        Value::Text(text) => add_text(line, text, quotes),
        Value::Date(text) => line.push_str(text),
        Value::Sequence(items) => {
            line.push('[');
            for (at, item) in items.iter().enumerate() {
                line.push_str(if at == 0 { "" } else { ", " });
                add_value(line, &item.value, quotes);
            }
            line.push(']');
        }
        Value::Mapping(mapping) => {
            line.push('{');
            for (at, entry) in mapping.entries.iter().enumerate() {
                line.push_str(if at == 0 { "" } else { ", " });
                add_text(line, &entry.key, quotes);
                line.push_str(": ");
                add_value(line, &entry.node.value, quotes);
            }
            line.push('}');
        }
    }
}

/// With a dot, without exponent: `1e-6` would be a text.
fn float(number: f64) -> String {
    if number.is_nan() {
        return ".nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let digits = number.to_string();
    if digits.contains('.') { digits } else { digits + ".0" }
}

/// Adds a text with the quotes it needs.
pub(super) fn add_text(line: &mut String, text: &str, quotes: Quotes) {
    if quotes == Quotes::WhereNeeded && stands_plain(text) {
        line.push_str(text);
    } else if quotes == Quotes::Double || !text.chars().all(is_printable) {
        add_double_quoted(line, text);
    } else {
        line.push('\'');
        line.push_str(&text.replace('\'', "''"));
        line.push('\'');
    }
}

/// Whether a text may stand without quotes, in brackets too: letters, digits and what paths and class names hold, and no
/// number, date or word of another kind.
fn stands_plain(text: &str) -> bool {
    let inside = |letter: char| matches!(letter, '-' | '+' | '*' | '@' | ' ');
    let first = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '/' | '.') || letter > '\u{a0}' && is_printable(letter)
    };
    text.chars().next().is_some_and(first)
        && text.chars().all(|letter| first(letter) || inside(letter))
        && !text.ends_with(' ')
        // A document's end.
        && !text.starts_with("...")
        && scalar::kind(text).is_none()
}

/// What may stand unescaped on a line.
fn is_printable(letter: char) -> bool {
    matches!(letter, ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}

fn add_double_quoted(line: &mut String, text: &str) {
    line.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend(['\\', letter]),
            '\n' => line.push_str("\\n"),
            _ if is_printable(letter) => line.push(letter),
            // None of these lies beyond four digits.
            _ => {
                let _ = write!(line, "\\u{:04x}", u32::from(letter));
            }
        }
    }
    line.push('"');
}

/// Where the lines of a section stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indentation {
    /// The column of its keys, from 0.
    pub(super) column: usize,
    /// How much further in the keys of a section inside it stand.
    pub(super) step: usize,
}

/// Adds a key and its value: behind it on one line, or a section on the lines below. Every line ends with `line_break`.
pub(super) fn add_entry(lines: &mut String, key: &str, value: &Value, at: Indentation, line_break: &str) {
    lines.extend(std::iter::repeat_n(' ', at.column));
    add_text(lines, key, Quotes::WhereNeeded);
    lines.push(':');
    match value {
        Value::Mapping(mapping) if !mapping.entries.is_empty() => {
            lines.push_str(line_break);
            add_section(lines, mapping, Indentation { column: at.column + at.step, ..at }, line_break);
        }
        Value::Null
        | Value::Bool(_)
        | Value::Integer(_)
        | Value::WideInteger(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Date(_)
        | Value::Sequence(_)
        | Value::Mapping(_) => {
            lines.push(' ');
            add_value(lines, value, Quotes::WhereNeeded);
            lines.push_str(line_break);
        }
    }
}

/// Adds the entries of a section.
pub(super) fn add_section(lines: &mut String, section: &Mapping, at: Indentation, line_break: &str) {
    for entry in &section.entries {
        add_entry(lines, &entry.key, &entry.node.value, at, line_break);
    }
}

/// A whole text of sections, two blanks further in each, an empty line between those of the root.
pub fn to_sections(root: &Mapping) -> String {
    let mut text = String::new();
    for entry in &root.entries {
        if !text.is_empty() {
            text.push('\n');
        }
        add_entry(&mut text, &entry.key, &entry.node.value, Indentation { column: 0, step: 2 }, "\n");
    }
    text
}
