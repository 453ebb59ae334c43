//! Values as YAML that the trainer's loader reads back alike.
//!
//! `serde_yaml` writes for YAML 1.2 readers. What a YAML 1.1 reader would take for something else is rewritten in its text:
//! texts such as `off`, `010`, `1:30` or `2025-01-01` get quotes, floats get the dot and the signed exponent they need.

use super::node::Value;
use super::serialize::to_value;
use super::{loader, scalar, strict};
use serde::Serialize;

/// The value as block YAML with a line feed at its end. Keys become text; an enum's variant with content becomes a section
/// of one key. What has no place in YAML (no type of ours) is written as null.
pub fn to_yaml(value: &impl Serialize) -> String {
    write(&to_value(value).unwrap_or(Value::Null))
}

fn write(value: &Value) -> String {
    let written = serde_yaml::to_string(value).unwrap_or_default();
    // The writer takes the further line breaks of YAML 1.1 for breaks too.
    let Ok(scanned) = strict::normalised(&written) else { return written };
    let mut leaves = Vec::new();
    collect(value, &mut leaves);
    let mut text = String::with_capacity(written.len());
    let mut copied = 0;
    for (leaf, (span, plain)) in leaves.iter().zip(loader::scalars(&scanned)) {
        let spelling = &written[span.start..span.end];
        if let Some(respelled) = respelled(*leaf, spelling).filter(|_| plain) {
            text.push_str(&written[copied..span.start]);
            text.push_str(&respelled);
            copied = span.end;
        }
    }
    text.push_str(&written[copied..]);
    text
}

/// What a scalar is meant to be read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaf {
    Text,
    Float,
    /// What both versions of YAML read alike.
    Other,
}

/// How a plain scalar must be spelled to be read as what it is, if not as it stands.
fn respelled(leaf: Leaf, spelling: &str) -> Option<String> {
    let read = scalar::kind(spelling);
    match leaf {
        Leaf::Text if read.is_some() => Some(format!("'{spelling}'")),
        Leaf::Float if read != Some(scalar::Kind::Float) => Some(with_dot(spelling)),
        Leaf::Text | Leaf::Float | Leaf::Other => None,
    }
}

/// `1e20` as `1.0e+20`.
fn with_dot(spelling: &str) -> String {
    let (digits, exponent) = spelling.split_once(['e', 'E']).unwrap_or((spelling, "0"));
    let dot = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{digits}{dot}e{sign}{exponent}")
}

/// The scalars in the order in which they are written.
fn collect(value: &Value, leaves: &mut Vec<Leaf>) {
    match value {
        Value::Sequence(items) => items.iter().for_each(|item| collect(&item.value, leaves)),
        Value::Mapping(mapping) => {
            for entry in &mapping.entries {
                leaves.push(Leaf::Text);
                collect(&entry.node.value, leaves);
            }
        }
        Value::Text(_) => leaves.push(Leaf::Text),
        Value::Float(_) => leaves.push(Leaf::Float),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::WideInteger(_) | Value::Date(_) => {
            leaves.push(Leaf::Other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;
    use std::collections::BTreeMap;

    /// Checked against PyYAML 6.0.3.
    #[test]
    fn texts_that_would_be_read_as_something_else_get_quotes() {
        for (text, written) in [
            ("off", "'off'"),
            ("1_000", "'1_000'"),
            ("010", "'010'"),
            ("1:30", "'1:30'"),
            ("~", "'~'"),
            ("=", "'='"),
            ("<<", "'<<'"),
            ("2025-01-01", "'2025-01-01'"),
            ("0b_", "'0b_'"),
            ("1.0e+3", "'1.0e+3'"),
            ("0o10", "'0o10'"),
            ("", "''"),
            ("it's", "it's"),
            ("54GB", "54GB"),
            ("1f1b", "1f1b"),
            ("hyper_parallel.models.X", "hyper_parallel.models.X"),
            ("model.layers.*.mlp", "model.layers.*.mlp"),
            ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B"),
            ("a\nb", "|-\n  a\n  b"),
            ("a: b", "'a: b'"),
        ] {
            assert_eq!(to_yaml(&BTreeMap::from([("k", text)])), format!("k: {written}\n"));
        }
        assert_eq!(to_yaml(&BTreeMap::from([("on", [BTreeMap::from([("no", "yes")])])])), "'on':\n- 'no': 'yes'\n");
    }

    #[test]
    fn floats_get_a_dot_and_a_signed_exponent() {
        for (number, written) in [
            (1.0, "1.0"),
            (-0.5, "-0.5"),
            (1e-6, "1.0e-6"),
            (1e20, "1.0e+20"),
            (2.5e300, "2.5e+300"),
            (1e16, "1.0e+16"),
            (f64::INFINITY, ".inf"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(to_yaml(&[number]), format!("- {written}\n"));
        }
    }

    #[test]
    fn structures_are_written_as_sections() {
        #[derive(Serialize)]
        enum Mode {
            Off,
            Selective { count: u32 },
        }
        #[derive(Serialize)]
        struct Run {
            modes: Vec<Mode>,
            none: Option<u8>,
            flag: bool,
            empty: [u8; 0],
        }
        let run = Run { modes: vec![Mode::Off, Mode::Selective { count: 2 }], none: None, flag: true, empty: [] };
        let written = "modes:\n- 'Off'\n- Selective:\n    count: 2\nnone: null\nflag: true\nempty: []\n";
        assert_eq!(to_yaml(&run), written);
    }
}
