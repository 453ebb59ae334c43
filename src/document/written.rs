//! A value as the author of a text would write it: for messages about it.

use super::node::{Node, Value};

/// A list or section is cut off behind so many bytes: a message shows no more.
const ENOUGH: usize = 200;

impl Value {
    /// The value on one line of YAML: `null`, `true`, `[1, a]`, an empty text as `''`. A long list or section ends in `…`.
    pub fn written(&self) -> String {
        let mut out = String::new();
        write(&mut out, self);
        out
    }
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Integer(_) | Value::Float(_) => out.push_str(&value.to_text()),
        Value::Text(text) if text.is_empty() => out.push_str("''"),
        Value::WideInteger(text) | Value::Text(text) | Value::Date(text) => out.push_str(text),
        Value::Sequence(items) => {
            let items = items.iter().map(|Node { value, .. }| (None, value));
            write_all(out, ['[', ']'], items);
        }
        Value::Mapping(mapping) => {
            let entries = mapping.entries.iter().map(|entry| (Some(&*entry.key), &entry.node.value));
            write_all(out, ['{', '}'], entries);
        }
    }
}

fn write_all<'a>(
    out: &mut String,
    [open, close]: [char; 2],
    parts: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
) {
    out.push(open);
    for (at, (key, value)) in parts.enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        if out.len() > ENOUGH {
            out.push('…');
            break;
        }
        if let Some(key) = key {
            out.push_str(key);
            out.push_str(": ");
        }
        write(out, value);
    }
    out.push(close);
}

#[cfg(test)]
mod tests {
    use crate::document::parse_value;

    #[test]
    fn values_are_written_as_yaml() {
        let written = |text: &str| parse_value(text).map(|node| node.value.written());
        for text in
            ["null", "true", "2025-01-01", "full", "[full, selective]", "{a: {b: 1}, c: [1.5, x y]}", "[]", "''"]
        {
            assert_eq!(written(text).as_deref(), Ok(text));
        }
        assert_eq!(written("off").as_deref(), Ok("false"));
        let long = written(&format!("[{}]", "[a, [b, c]], ".repeat(5000))).expect("it is read");
        assert!(long.len() < 300 && long.ends_with(", …]"), "{long}");
    }
}
