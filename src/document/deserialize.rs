//! Nodes as serde's input: typed inputs derive `Deserialize`, and every error knows the place of its node.
//!
//! Values are taken as they are: no Python coercion, a number is no text and a text no number.

use super::node::{Entry, Mapping, Node, Value};
use crate::text::Span;
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use std::fmt;

/// Reads a node as a typed value.
pub fn from_node<'de, T: Deserialize<'de>>(node: &'de Node) -> Result<T, DeserializeError> {
    T::deserialize(node)
}

/// Why a node is no such value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeserializeError {
    /// The innermost node the error is about: a value, or the key for an unknown field.
    pub span: Span,
    /// What serde expected and got.
    pub message: String,
    /// Whether `span` says anything yet.
    placed: bool,
}

impl DeserializeError {
    /// With a place, unless a node inside gave one.
    fn at(mut self, span: Span) -> Self {
        if !self.placed {
            self.span = span;
            self.placed = true;
        }
        self
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for DeserializeError {}

impl de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { span: Span::default(), message: message.to_string(), placed: false }
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        let outcome = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::WideInteger(digits) => match digits.parse() {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => visitor.visit_f64(self.value.to_number().unwrap_or(f64::INFINITY)),
            },
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Text(text) | Value::Date(text) => visitor.visit_borrowed_str(text),
            Value::Sequence(items) => visit_items(items, visitor),
            Value::Mapping(mapping) => visit_entries(mapping, visitor),
        };
        outcome.map_err(|error| error.at(self.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
            .map_err(|error| error.at(self.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self).map_err(|error| error.at(self.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let access = match &self.value {
            Value::Text(name) => Ok(Variant { name, span: self.span, content: None }),
            Value::Mapping(Mapping { entries }) => match entries.as_slice() {
                [entry] => Ok(Variant { name: &entry.key, span: entry.key_span, content: Some(&entry.node) }),
                _ => Err(de::Error::invalid_length(entries.len(), &"a section of one key")),
            },
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::WideInteger(_)
            | Value::Float(_)
            | Value::Date(_)
            | Value::Sequence(_) => {
                Err(de::Error::invalid_type(de::Unexpected::Other(self.value.type_name()), &"a text"))
            }
        };
        access.and_then(|access| visitor.visit_enum(access)).map_err(|error| error.at(self.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

fn visit_items<'de, V: Visitor<'de>>(items: &'de [Node], visitor: V) -> Result<V::Value, DeserializeError> {
    let mut items = Items { rest: items.iter() };
    let value = visitor.visit_seq(&mut items)?;
    match items.rest.next() {
        Some(_) => Err(de::Error::invalid_length(items.rest.len() + 1, &"fewer items")),
        None => Ok(value),
    }
}

fn visit_entries<'de, V: Visitor<'de>>(mapping: &'de Mapping, visitor: V) -> Result<V::Value, DeserializeError> {
    visitor.visit_map(Entries { rest: mapping.entries.iter(), value: None })
}

struct Items<'de> {
    rest: std::slice::Iter<'de, Node>,
}

impl<'de> SeqAccess<'de> for &mut Items<'de> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DeserializeError> {
        self.rest.next().map(|item| seed.deserialize(item)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Entries<'de> {
    rest: std::slice::Iter<'de, Entry>,
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DeserializeError> {
        let Some(entry) = self.rest.next() else { return Ok(None) };
        self.value = Some(&entry.node);
        seed.deserialize(Name { name: &entry.key, span: entry.key_span }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, DeserializeError> {
        let value = self.value.take().ok_or_else(|| de::Error::custom("a value was asked for before its key"))?;
        seed.deserialize(value)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A key or the name of a variant.
struct Name<'de> {
    name: &'de str,
    span: Span,
}

impl<'de> Deserializer<'de> for Name<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_borrowed_str(self.name).map_err(|error: DeserializeError| error.at(self.span))
    }

    /// A key that is an enum of names.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let variant = Variant { name: self.name, span: self.span, content: None };
        visitor.visit_enum(variant).map_err(|error| error.at(self.span))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant: its name alone, or a section of its name and content.
struct Variant<'de> {
    name: &'de str,
    span: Span,
    content: Option<&'de Node>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = DeserializeError;
    type Variant = Content<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Content<'de>), DeserializeError> {
        let name = seed.deserialize(Name { name: self.name, span: self.span })?;
        Ok((name, Content { node: self.content }))
    }
}

/// What a variant holds.
struct Content<'de> {
    node: Option<&'de Node>,
}

impl<'de> Content<'de> {
    fn stated(&self) -> Result<&'de Node, DeserializeError> {
        let expected = "the variant's name as a key with its content";
        self.node.ok_or_else(|| de::Error::invalid_type(de::Unexpected::UnitVariant, &expected))
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        self.node.map_or(Ok(()), Deserialize::deserialize)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DeserializeError> {
        seed.deserialize(self.stated()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        self.stated()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.stated()?.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Spec<'t> {
        name: &'t str,
        degree: u32,
        #[serde(default)]
        factor: Option<f64>,
        #[serde(default)]
        mode: Vec<Mode>,
        #[serde(default)]
        counts: BTreeMap<Arc<str>, (i64, bool)>,
        #[serde(default)]
        width: Width,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Off,
        Share(f64),
        Range(u8, u8),
        Selective { count: u64 },
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Width(u16);

    #[test]
    fn typed_inputs_are_read() {
        let text = "name: a\ndegree: 4\nfactor: 2\nmode: ['off', {share: 0.5}, {range: [1, 2]}, {selective: {count: 3}}, {'off': }]\n\
                    counts: {x: [-1, yes]}\nwidth: 7\n";
        let document = parse(text).expect("it is read").value;
        let spec: Spec<'_> = from_node(&document.root).expect("it fits");
        let mode = vec![Mode::Off, Mode::Share(0.5), Mode::Range(1, 2), Mode::Selective { count: 3 }, Mode::Off];
        let counts = BTreeMap::from([("x".into(), (-1, true))]);
        assert_eq!(spec, Spec { name: "a", degree: 4, factor: Some(2.0), mode, counts, width: Width(7) });
    }

    #[test]
    fn an_error_points_at_its_node() {
        for (text, at, message) in [
            ("name: a\ndegree: x", "x", "invalid type: string \"x\", expected u32"),
            ("name: a\ndegree: -1", "-1", "invalid value: integer `-1`, expected u32"),
            ("name: a\ndegree: 99999999999999999999", "99999999999999999999", "expected u32"),
            ("name: a\ndegree: 1\ncolour: 2", "colour", "unknown field `colour`"),
            ("degree: 1", "degree: 1", "missing field `name`"),
            ("name: a\ndegree: 1\nmode: ['off', loud]", "loud", "unknown variant `loud`"),
            ("name: a\ndegree: 1\nmode: [{loud: 1}]", "loud", "unknown variant `loud`"),
            ("name: a\ndegree: 1\nmode: [share]", "share", "invalid type: unit variant"),
            ("name: a\ndegree: 1\nmode: [{selective: {}}]", "{}", "missing field `count`"),
            ("name: a\ndegree: 1\nmode: [3]", "3", "invalid type: integer, expected a text"),
            ("name: a\ndegree: 1\ncounts: {x: [1]}", "[1]", "invalid length 1"),
            ("name: a\ndegree: 1\ncounts: {x: [1, true, 2]}", "[1, true, 2]", "invalid length"),
            ("name: a\ndegree: 1\nwidth: 70000", "70000", "invalid value"),
        ] {
            let document = parse(text).expect("it is read").value;
            let error = from_node::<Spec<'_>>(&document.root).expect_err("it does not fit");
            assert_eq!(&text[error.span.start..error.span.end], at, "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
    }
}
