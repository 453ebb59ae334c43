//! Python's `bool()`, `int()`, `float()` and `str()` of a value (config-spec 18.5).

use super::date::Date;
use super::node::{Mapping, Node, Value};
use crate::decimal;
use std::fmt::Write;

/// The largest whole number of which every smaller one is a double too.
const LARGEST_EXACT: i64 = 1 << 53;

impl Value {
    /// Python's truth: null, false, zero and whatever is empty are false, everything else is true (`"false"` too).
    pub fn truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Integer(number) => *number != 0,
            Self::WideInteger(_) | Self::Date(_) => true,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Sequence(items) => !items.is_empty(),
            Self::Mapping(mapping) => !mapping.entries.is_empty(),
        }
    }

    /// Python's `int()`: fractions are cut off, texts read in base ten. Nothing where Python fails, and nothing for what is
    /// beyond ±2^53 (never saturated).
    pub fn to_integer(&self) -> Option<i64> {
        let number = match self {
            Self::Bool(flag) => i64::from(*flag),
            Self::Integer(number) => *number,
            Self::Float(number) => truncated(*number)?,
            Self::Text(text) => integer_of_text(text)?,
            Self::Null | Self::WideInteger(_) | Self::Date(_) | Self::Sequence(_) | Self::Mapping(_) => return None,
        };
        (-LARGEST_EXACT..=LARGEST_EXACT).contains(&number).then_some(number)
    }

    /// Python's `float()`; nothing where Python fails. May be infinite or not a number, as in Python.
    pub fn to_number(&self) -> Option<f64> {
        match self {
            Self::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Self::Integer(number) => Some(*number as f64),
            Self::WideInteger(digits) => decimal::read(digits).filter(|number| number.is_finite()),
            Self::Float(number) => Some(*number),
            Self::Text(text) => float_of_text(text),
            Self::Null | Self::Date(_) | Self::Sequence(_) | Self::Mapping(_) => None,
        }
    }

    /// Python's `str()`: `True`, `None`, `1.0`; lists and sections as Python prints lists and dictionaries.
    pub fn to_text(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => float_text(*number),
            Self::WideInteger(text) | Self::Text(text) => text.to_string(),
            Self::Date(spelling) => Date::parse(spelling).map_or_else(|| spelling.to_string(), Date::to_python_text),
            Self::Sequence(items) => sequence_text(items),
            Self::Mapping(mapping) => mapping_text(mapping),
        }
    }

    /// The kind of the value as one word, for messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Integer(_) | Self::WideInteger(_) => "integer",
            Self::Float(_) => "float",
            Self::Text(_) => "text",
            Self::Date(_) => "date",
            Self::Sequence(_) => "list",
            Self::Mapping(_) => "section",
        }
    }
}

/// Towards zero; nothing for what is not finite or beyond ±2^53.
fn truncated(number: f64) -> Option<i64> {
    let whole = number.trunc();
    if !(whole.is_finite() && whole.abs() <= LARGEST_EXACT as f64) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within ±2^53 as just checked")]
    Some(whole as i64)
}

/// Python's `int()` of a text: blanks around it, a sign, digits with single underscores between them.
fn integer_of_text(text: &str) -> Option<i64> {
    let text = western(text);
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return None;
    }
    without_underscores(text)?.parse().ok()
}

/// Python's `float()` of a text: blanks around it, a sign, digits with single underscores between them, a fraction, an
/// exponent; or `inf`, `infinity`, `nan` in any case.
pub(super) fn float_of_text(text: &str) -> Option<f64> {
    let text = western(text);
    decimal::read(&without_underscores(text.trim())?)
}

/// Python reads the digits of every script; the fullwidth ones are those that an input method leaves behind.
fn western(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let digit = |character: char| match character {
        '０'..='９' => char::from_digit(u32::from(character) - u32::from('０'), 10).unwrap_or(character),
        _ => character,
    };
    text.chars().map(digit).collect::<String>().into()
}

/// The text without its underscores, each of which must stand between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let misplaced = |(at, byte): (usize, &u8)| *byte == b'_' && !(at > 0 && digit_at(at - 1) && digit_at(at + 1));
    if bytes.iter().enumerate().any(misplaced) { None } else { Some(text.replace('_', "")) }
}

/// Python's `repr()` of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e16.
pub(super) fn float_text(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return format!("{sign}inf");
    }
    let shortest = decimal::shortest(number);
    if (-4..16).contains(&shortest.exponent) {
        let plain = shortest.plain();
        let fraction = if plain.contains('.') { "" } else { ".0" };
        return format!("{sign}{plain}{fraction}");
    }
    let digits = decimal::Digits { exponent: 0, ..shortest };
    let direction = if shortest.exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{direction}{:02}", digits.plain(), shortest.exponent.unsigned_abs())
}

fn sequence_text(items: &[Node]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(&item.value)).collect();
    format!("[{}]", items.join(", "))
}

fn mapping_text(mapping: &Mapping) -> String {
    let entries = mapping.entries.iter();
    let entries: Vec<String> =
        entries.map(|entry| format!("{}: {}", quoted_text(&entry.key), quoted(&entry.node.value))).collect();
    format!("{{{}}}", entries.join(", "))
}

/// Python's `repr()` of a value inside a list or dictionary.
fn quoted(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted_text(text),
        Value::Null
        | Value::Bool(_)
        | Value::Integer(_)
        | Value::WideInteger(_)
        | Value::Float(_)
        | Value::Date(_)
        | Value::Sequence(_)
        | Value::Mapping(_) => value.to_text(),
    }
}

fn quoted_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            _ if character == quote => quoted.extend(['\\', quote]),
            _ if character.is_ascii_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    #[test]
    fn truth_is_pythons() {
        let falses = [Value::Null, Value::Bool(false), Value::Integer(0), Value::Float(-0.0), text("")];
        assert!(falses.iter().all(|value| !value.truthy()));
        assert!(!Value::Sequence(Vec::new()).truthy() && !Value::Mapping(Mapping::default()).truthy());
        let trues = [text("false"), text("0"), text(" "), Value::Float(f64::NAN), Value::Date("2025-01-01".into())];
        assert!(trues.iter().all(Value::truthy));
    }

    #[test]
    fn int_is_pythons() {
        for (written, read) in [
            ("4096", Some(4096)),
            (" 4096\n", Some(4096)),
            ("\u{a0}4096\u{3000}", Some(4096)),
            ("4_096", Some(4096)),
            ("010", Some(10)),
            ("+7", Some(7)),
            ("-7", Some(-7)),
            ("４０９６", Some(4096)),
            ("9007199254740992", Some(1 << 53)),
            ("9007199254740993", None),
            ("99999999999999999999", None),
            ("4__096", None),
            ("_4", None),
            ("4_", None),
            ("- 7", None),
            ("+-7", None),
            ("--7", None),
            ("+_7", None),
            ("0x10", None),
            ("1e3", None),
            ("1.0", None),
            ("", None),
            ("+", None),
        ] {
            assert_eq!(text(written).to_integer(), read, "{written:?}");
        }
        for (value, read) in [
            (Value::Float(2.9), Some(2)),
            (Value::Float(-2.9), Some(-2)),
            (Value::Float(-0.5), Some(0)),
            (Value::Float(9_007_199_254_740_992.0), Some(1 << 53)),
            (Value::Float(9_007_199_254_740_994.0), None),
            (Value::Float(f64::INFINITY), None),
            (Value::Float(f64::NAN), None),
            (Value::Bool(true), Some(1)),
            (Value::Integer(-(1 << 53)), Some(-(1 << 53))),
            (Value::Integer((1 << 53) + 1), None),
            (Value::WideInteger("99999999999999999999".into()), None),
            (Value::Null, None),
            (Value::Date("2025-01-01".into()), None),
            (Value::Sequence(Vec::new()), None),
        ] {
            assert_eq!(value.to_integer(), read, "{value:?}");
        }
    }

    #[test]
    fn float_is_pythons() {
        for (written, read) in [
            ("1e-6", Some(1e-6)),
            (" 1.5 ", Some(1.5)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1_0.2_5e1_0", Some(10.25e10)),
            ("+Infinity", Some(f64::INFINITY)),
            ("-INF", Some(f64::NEG_INFINITY)),
            ("1e999", Some(f64::INFINITY)),
            ("010", Some(10.0)),
            (".", None),
            ("1_.5", None),
            ("1._5", None),
            ("0x1p3", None),
            ("1e", None),
            ("", None),
            (".inf", None),
            ("infinit", None),
            ("1.0f", None),
        ] {
            assert_eq!(text(written).to_number(), read, "{written:?}");
        }
        assert!(text("-NaN").to_number().is_some_and(f64::is_nan));
        assert_eq!(Value::WideInteger("100000000000000000000".into()).to_number(), Some(1e20));
        assert_eq!(Value::Bool(true).to_number(), Some(1.0));
        assert_eq!(Value::Null.to_number(), None);
    }

    #[test]
    fn str_is_pythons() {
        for (number, printed) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.25e-7, "1.25e-07"),
            (5e-324, "5e-324"),
            (64.839_996_337_890_62, "64.83999633789062"),
            (-123.25, "-123.25"),
            (0.012_5, "0.0125"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e100, "1e+100"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(Value::Float(number).to_text(), printed);
        }
        assert_eq!(Value::Null.to_text(), "None");
        assert_eq!(Value::Bool(true).to_text(), "True");
        assert_eq!(Value::Date("2001-1-5T2:59:43Z".into()).to_text(), "2001-01-05 02:59:43+00:00");
        let span = crate::text::Span::default();
        let items = [Value::Integer(1), text("it's"), text("a\n\"'"), Value::Null];
        let list = Value::Sequence(items.map(|value| Node { value, span }).to_vec());
        assert_eq!(list.to_text(), r#"[1, "it's", 'a\n"\'', None]"#);
    }
}
