//! The tree of a text: every value as the trainer's loader reads it, with where it stands.

use crate::text::Span;
use std::sync::Arc;

/// A value and where it stands in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where the value is used; for an alias, the alias.
    pub span: Span,
}

/// A value as PyYAML's safe loader (or JSON) makes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Null, `~` or nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number within ±2^63.
    Integer(i64),
    /// A whole number beyond that, by its decimal digits.
    WideInteger(Arc<str>),
    /// A number with a fraction or exponent.
    Float(f64),
    /// A text.
    Text(Arc<str>),
    /// A date or time, by its spelling; only matters where a text is expected.
    Date(Arc<str>),
    /// A list.
    Sequence(Vec<Node>),
    /// A section.
    Mapping(Mapping),
}

/// A section: keys in the order written, merge keys applied, the last of repeated keys kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mapping {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// One key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Arc<str>,
    /// Where the key stands.
    pub key_span: Span,
    /// The value.
    pub node: Node,
}

impl Mapping {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.key == key)
    }

    /// Whether the key stands there, even with nothing as its value.
    pub fn contains(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }
}

impl Value {
    /// The section, if it is one.
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match self {
            Self::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match self {
            Self::Sequence(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is null, which the trainer takes as unstated.
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}
