//! Values as YAML that the trainer's loader reads back alike.
//!
//! `serde_yaml` writes for YAML 1.2 readers. What a YAML 1.1 reader would take for something else is rewritten in its text:
//! texts such as `off`, `010`, `1:30` or `2025-01-01` get quotes, floats get the dot and the signed exponent they need.

use super::{loader, scalar, strict};
use serde::Serialize;
use serde_yaml::Value;

/// The value as block YAML with a line feed at its end. An enum's variant with content becomes a section of one key. What
/// serde cannot represent (no type of ours) is written as null.
pub fn to_yaml(value: &impl Serialize) -> String {
    let value = without_tags(serde_yaml::to_value(value).unwrap_or(Value::Null));
    let written = serde_yaml::to_string(&value).unwrap_or_default();
    // The writer takes the further line breaks of YAML 1.1 for breaks too.
    let Ok(scanned) = strict::normalised(&written) else { return written };
    let mut leaves = Vec::new();
    collect(&value, &mut leaves);
    let mut text = String::with_capacity(written.len());
    let mut copied = 0;
    for (leaf, (span, plain)) in leaves.iter().zip(loader::scalars(&scanned)) {
        let spelling = &written[span.start..span.end];
        if let Some(respelled) = respelled(leaf, spelling).filter(|_| plain) {
            text.push_str(&written[copied..span.start]);
            text.push_str(&respelled);
            copied = span.end;
        }
    }
    text.push_str(&written[copied..]);
    text
}

/// How a plain scalar must be spelled to be read as what it is, if not as it stands.
fn respelled(leaf: &Value, spelling: &str) -> Option<String> {
    let read = scalar::kind(spelling);
    match leaf {
        Value::String(_) if read.is_some() => Some(format!("'{spelling}'")),
        Value::Number(number) if number.is_f64() && read != Some(scalar::Kind::Float) => Some(with_dot(spelling)),
        _ => None,
    }
}

/// `1e20` as `1.0e+20`.
fn with_dot(spelling: &str) -> String {
    let (digits, exponent) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
    let dot = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{digits}{dot}e{sign}{exponent}")
}

/// Tags are no part of what the trainer reads.
fn without_tags(value: Value) -> Value {
    match value {
        Value::Tagged(tagged) => {
            let name = tagged.tag.to_string();
            let name = Value::String(name.trim_start_matches('!').to_owned());
            Value::Mapping([(name, without_tags(tagged.value))].into_iter().collect())
        }
        Value::Sequence(items) => Value::Sequence(items.into_iter().map(without_tags).collect()),
        Value::Mapping(mapping) => {
            Value::Mapping(mapping.into_iter().map(|(key, value)| (key, without_tags(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// The scalars in the order in which they are written.
fn collect<'v>(value: &'v Value, leaves: &mut Vec<&'v Value>) {
    match value {
        Value::Sequence(items) => items.iter().for_each(|item| collect(item, leaves)),
        Value::Mapping(mapping) => {
            for (key, value) in mapping {
                collect(key, leaves);
                collect(value, leaves);
            }
        }
        Value::Tagged(tagged) => collect(&tagged.value, leaves),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => leaves.push(value),
    }
}
