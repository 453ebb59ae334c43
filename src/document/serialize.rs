//! Between serde and `Value`: any serializable value as a `Value`, and a `Value` as a serializable one.
//!
//! Everything behind this is written for one type, so a program holds one copy of the YAML writer however many types it
//! writes.

use super::node::{Entry, Mapping, Node, Value};
use crate::text::Span;
use serde::ser::{self, Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;

/// The value as serde describes it; an enum's variant with content is a section of one key.
pub(super) fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<Value, Unwritable> {
    value.serialize(ToValue)
}

/// A value that has no place in YAML as the trainer reads it: a list or section as a key, bytes, a type's own refusal.
#[derive(Debug)]
pub(super) struct Unwritable;

impl fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("no YAML value")
    }
}

impl std::error::Error for Unwritable {}

impl Error for Unwritable {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::WideInteger(digits) => match digits.parse() {
                Ok(number) => serializer.serialize_i128(number),
                Err(_) => serializer.serialize_f64(self.to_number().unwrap_or(f64::INFINITY)),
            },
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Text(text) | Self::Date(text) => serializer.serialize_str(text),
            Self::Sequence(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(&item.value))?;
                list.end()
            }
            Self::Mapping(mapping) => {
                let mut section = serializer.serialize_map(Some(mapping.entries.len()))?;
                let mut entries = mapping.entries.iter();
                entries.try_for_each(|entry| section.serialize_entry(&*entry.key, &entry.node.value))?;
                section.end()
            }
        }
    }
}

struct ToValue;

/// A list or section under construction, and the variant it belongs to.
struct Collecting {
    variant: Option<&'static str>,
    value: Parts,
}

enum Parts {
    Items(Vec<Node>),
    Entries(Vec<Entry>, Option<String>),
}

impl Collecting {
    fn list(length: Option<usize>, variant: Option<&'static str>) -> Self {
        Self { variant, value: Parts::Items(Vec::with_capacity(length.unwrap_or(0).min(64))) }
    }

    fn section(variant: Option<&'static str>) -> Self {
        Self { variant, value: Parts::Entries(Vec::new(), None) }
    }

    fn add(&mut self, value: Value) -> Result<(), Unwritable> {
        match &mut self.value {
            Parts::Items(items) => items.push(node(value)),
            Parts::Entries(entries, key) => entries.push(entry(&key.take().ok_or(Unwritable)?, value)),
        }
        Ok(())
    }

    fn name(&mut self, name: String) {
        if let Parts::Entries(_, key) = &mut self.value {
            *key = Some(name);
        }
    }

    fn finish(self) -> Value {
        let value = match self.value {
            Parts::Items(items) => Value::Sequence(items),
            Parts::Entries(entries, _) => Value::Mapping(Mapping { entries }),
        };
        in_variant(self.variant, value)
    }
}

fn node(value: Value) -> Node {
    Node { value, span: Span::default() }
}

fn entry(key: &str, value: Value) -> Entry {
    Entry { key: key.into(), key_span: Span::default(), node: node(value) }
}

fn in_variant(variant: Option<&str>, value: Value) -> Value {
    match variant {
        Some(name) => Value::Mapping(Mapping { entries: vec![entry(name, value)] }),
        None => value,
    }
}

type Outcome = Result<Value, Unwritable>;

impl Serializer for ToValue {
    type Ok = Value;
    type Error = Unwritable;
    type SerializeSeq = Collecting;
    type SerializeTuple = Collecting;
    type SerializeTupleStruct = Collecting;
    type SerializeTupleVariant = Collecting;
    type SerializeMap = Collecting;
    type SerializeStruct = Collecting;
    type SerializeStructVariant = Collecting;

    fn serialize_bool(self, flag: bool) -> Outcome {
        Ok(Value::Bool(flag))
    }

    fn serialize_i8(self, number: i8) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_i16(self, number: i16) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_i32(self, number: i32) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_i64(self, number: i64) -> Outcome {
        Ok(Value::Integer(number))
    }

    fn serialize_u8(self, number: u8) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_u16(self, number: u16) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_u32(self, number: u32) -> Outcome {
        self.serialize_i64(number.into())
    }

    fn serialize_u64(self, number: u64) -> Outcome {
        let wide = || Value::WideInteger(number.to_string().into());
        Ok(i64::try_from(number).map_or_else(|_| wide(), Value::Integer))
    }

    fn serialize_i128(self, number: i128) -> Outcome {
        let wide = || Value::WideInteger(number.to_string().into());
        Ok(i64::try_from(number).map_or_else(|_| wide(), Value::Integer))
    }

    fn serialize_f32(self, number: f32) -> Outcome {
        self.serialize_f64(number.into())
    }

    fn serialize_f64(self, number: f64) -> Outcome {
        Ok(Value::Float(number))
    }

    fn serialize_char(self, character: char) -> Outcome {
        self.serialize_str(character.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Outcome {
        Ok(Value::Text(text.into()))
    }

    fn serialize_bytes(self, _bytes: &[u8]) -> Outcome {
        Err(Unwritable)
    }

    fn serialize_none(self) -> Outcome {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        to_value(value)
    }

    fn serialize_unit(self) -> Outcome {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Outcome {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Outcome {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Outcome {
        to_value(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Outcome {
        to_value(value).map(|value| in_variant(Some(variant), value))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Collecting, Unwritable> {
        Ok(Collecting::list(length, None))
    }

    fn serialize_tuple(self, length: usize) -> Result<Collecting, Unwritable> {
        Ok(Collecting::list(Some(length), None))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<Collecting, Unwritable> {
        Ok(Collecting::list(Some(length), None))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<Collecting, Unwritable> {
        Ok(Collecting::list(Some(length), Some(variant)))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Collecting, Unwritable> {
        Ok(Collecting::section(None))
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Collecting, Unwritable> {
        Ok(Collecting::section(None))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Collecting, Unwritable> {
        Ok(Collecting::section(Some(variant)))
    }
}

impl SerializeSeq for Collecting {
    type Ok = Value;
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.add(to_value(value)?)
    }

    fn end(self) -> Outcome {
        Ok(self.finish())
    }
}

impl SerializeMap for Collecting {
    type Ok = Value;
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        match to_value(key)? {
            Value::Sequence(_) | Value::Mapping(_) => Err(Unwritable),
            key => {
                self.name(key.to_text());
                Ok(())
            }
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.add(to_value(value)?)
    }

    fn end(self) -> Outcome {
        Ok(self.finish())
    }
}

/// Serde's five further ways to fill a list or section.
macro_rules! fills {
    ($($kind:ident: $method:ident($($name:ident)?);)*) => {
        $(impl ser::$kind for Collecting {
            type Ok = Value;
            type Error = Unwritable;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: &'static str,)? value: &T) -> Result<(), Unwritable> {
                $(self.name($name.to_owned());)?
                self.add(to_value(value)?)
            }

            fn end(self) -> Outcome {
                Ok(self.finish())
            }
        })*
    };
}

fills! {
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeStruct: serialize_field(name);
    SerializeStructVariant: serialize_field(name);
}
