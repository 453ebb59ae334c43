//! The JavaScript API (DESIGN 3.2): plain objects of the command line's JSON, and the command line's options.

#[cfg(feature = "measure")]
mod measure;

use crate::document::{Entry, Mapping, Node, Value};
use crate::estimate::why::{self, Question};
use crate::estimate::{self, Input, ModelChoice};
use crate::facts::Overrides;
use crate::provenance::KeyPath;
use crate::report::number::shortest;
use crate::text::Span;
use js_sys::{Array, JSON, TypeError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("wasm/types.d.ts");

/// The memory each pipeline stage needs: the object whose `JSON.stringify` is what `shardmem estimate --format json`
/// prints. Throws a `TypeError` for arguments of the wrong type.
#[wasm_bindgen(skip_typescript)]
pub fn estimate(yaml: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let text = yaml.as_string().ok_or_else(|| wrong("yaml", "a string"))?;
    let options = Options::of(options)?;
    plain(&estimate::compared(&options.input(&text)?).json())
}

/// How a figure of a stage comes about: the object whose `JSON.stringify` is what `shardmem explain --format json` prints.
/// Throws a `TypeError` for arguments of the wrong type.
#[wasm_bindgen(skip_typescript)]
pub fn explain(
    yaml: &JsValue,
    options: &JsValue,
    stage: &JsValue,
    item: &JsValue,
    instant: &JsValue,
) -> Result<JsValue, JsValue> {
    let text = yaml.as_string().ok_or_else(|| wrong("yaml", "a string"))?;
    let options = Options::of(options)?;
    let question = Question {
        stage: unless_unstated(stage, |stage| whole(stage).ok_or_else(|| wrong("stage", "a whole number from 0")))?,
        item: item.as_string().ok_or_else(|| wrong("item", "a string"))?,
        instant: unless_unstated(instant, |name| name.as_string().ok_or_else(|| wrong("instant", "a string")))?,
    };
    plain(&why::explain(&options.input(&text)?, &question).json)
}

fn unless_unstated<T>(
    value: &JsValue,
    read: impl FnOnce(&JsValue) -> Result<T, JsValue>,
) -> Result<Option<T>, JsValue> {
    if value.is_undefined() || value.is_null() { Ok(None) } else { read(value).map(Some) }
}

/// A count that a number states.
fn whole(value: &JsValue) -> Option<usize> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and held against the range")]
    (0.0..=f64::from(u32::MAX)).contains(&number).then_some(number as usize)
}

/// The model catalogue: what `shardmem models --format json` prints.
#[wasm_bindgen(skip_typescript)]
pub fn models() -> Result<JsValue, JsValue> {
    plain(&estimate::models())
}

/// The version of `ShardMem`.
#[wasm_bindgen(skip_typescript)]
pub fn version() -> String {
    crate::VERSION.to_owned()
}

/// A measured peak: bytes, or a text as the command line takes it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of bytes or a text for measured")]
enum Measured {
    Bytes(f64),
    Text(String),
}

impl Measured {
    fn text(self) -> String {
        match self {
            Self::Bytes(bytes) => shortest(bytes),
            Self::Text(text) => text,
        }
    }
}

/// The options of the command line, by the same names. Null is unstated.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    model: Option<String>,
    config: Option<String>,
    exec: Option<String>,
    devices: Option<i64>,
    overrides: Option<BTreeMap<String, serde_json::Value>>,
    pin_devices: Option<bool>,
    memory_model: Option<String>,
    policies: Option<BTreeMap<String, String>>,
    measured: Option<Measured>,
}

impl Options {
    /// By way of JSON text: it bounds nesting, and refuses cycles and unknown names.
    fn of(value: &JsValue) -> Result<Self, JsValue> {
        if value.is_undefined() || value.is_null() {
            return Ok(Self::default());
        }
        if !value.is_object() || Array::is_array(value) {
            return Err(wrong("options", "an object"));
        }
        let text: String = JSON::stringify(value)?.into();
        serde_json::from_str(&text).map_err(|error| TypeError::new(&format!("options: {error}")).into())
    }

    fn input(self, text: &str) -> Result<Input, JsValue> {
        let model = match (self.model, self.config) {
            (None, None) => ModelChoice::Named,
            (Some(id), None) => ModelChoice::Catalogue(id.into()),
            (None, Some(config)) => ModelChoice::Config(config.into()),
            (Some(_), Some(_)) => return Err(wrong("options", "one of model and config")),
        };
        if self.devices.is_some_and(|count| count < 1) {
            return Err(wrong("options.devices", "a whole number from 1"));
        }
        let overrides = self.overrides.unwrap_or_default();
        let overrides = overrides.iter().map(|(path, value)| (KeyPath::parse(path), from_json(value)));
        Ok(Input {
            model,
            devices: self.devices,
            overrides: overrides.collect::<Overrides>(),
            exec: self.exec.map(Into::into),
            pin_devices: self.pin_devices.unwrap_or(false),
            memory_model: self.memory_model.as_deref().unwrap_or(estimate::DEFAULT_MEMORY_MODEL).into(),
            policies: self.policies.unwrap_or_default().into_iter().collect(),
            measured: self.measured.map(|measured| measured.text().into()),
            ..Input::of(text)
        })
    }
}

fn wrong(name: &str, expected: &str) -> JsValue {
    TypeError::new(&format!("{name}: expected {expected}")).into()
}

/// Plain objects, arrays, numbers, strings, booleans and nulls.
fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}

/// An override's value as the document's reader would have it.
fn from_json(value: &serde_json::Value) -> Value {
    let node = |value: &serde_json::Value| Node { value: from_json(value), span: Span::default() };
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text.as_str().into()),
        serde_json::Value::Array(items) => Value::Sequence(items.iter().map(node).collect()),
        serde_json::Value::Object(fields) => {
            let entry = |(key, value): (&String, &serde_json::Value)| Entry {
                key: key.as_str().into(),
                key_span: Span::default(),
                node: node(value),
            };
            Value::Mapping(Mapping { entries: fields.iter().map(entry).collect() })
        }
    }
}
