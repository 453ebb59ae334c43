//! JSON values as document nodes, for goldens that state a value instead of a text.

use serde_json::Value as Json;
use shardmem::document::{Entry, Mapping, Node, Value};
use shardmem::text::Span;

/// The node that a reader would make of this value.
pub fn node(json: &Json) -> Node {
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number.as_i64().map_or(Value::Float(number.as_f64().unwrap_or(0.0)), Value::Integer),
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Array(items) => Value::Sequence(items.iter().map(node).collect()),
        Json::Object(fields) => {
            let entry = |(key, value): (&String, &Json)| Entry {
                key: key.as_str().into(),
                key_span: Span::default(),
                node: node(value),
            };
            Value::Mapping(Mapping { entries: fields.iter().map(entry).collect() })
        }
    };
    Node { value, span: Span::default() }
}
