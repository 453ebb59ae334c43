//! The JSON of an estimate (DESIGN 3.1): stable names in a stable order, null where a field does not apply. The command
//! line prints it, the JavaScript API returns it as plain objects.

use super::messages::{self, Language};
use super::number::shortest;
use super::view::{Fits, Verdict};
use super::{measured, other};
use crate::diagnostics::Diagnostic;
use crate::memory::{self, BackwardEnd, Breakdown, Item, ReferenceFigures, StageMemory};
use crate::provenance::Source;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use std::io;

/// The version of the JSON's shape.
pub const SCHEMA: u32 = 1;

/// An estimate, or why there is none.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The version of `ShardMem`.
    pub version: &'static str,
    /// What the text is: `automodels`, `legacy`, `search`, `mindformers` or `fragment`; null where it cannot be told.
    pub input_kind: Option<&'static str>,
    /// Which memory model answers.
    pub memory_model: String,
    /// The named policies in force, those of the memory model that has any.
    pub policies: Named<Value>,
    /// The model; null where it was refused.
    pub model: Option<Model>,
    /// The device; null where it was refused.
    pub device: Option<Device>,
    /// What-if values laid over the text, by key.
    pub overrides: Named<Value>,
    /// Every primary and derived field under the reference's names.
    pub derived: Option<Value>,
    /// One per pipeline stage.
    pub stages: Option<Vec<Stage>>,
    /// The stage that needs most.
    pub peak: Option<Peak>,
    /// The band of the expected figure; null where the memory model states none.
    pub band: Option<Band>,
    /// Bytes a device holds.
    pub capacity: Option<f64>,
    /// Whether every stage fits; null where the input was not understood well enough to say.
    pub fits: Option<bool>,
    /// Whether only the expected figure fits, not the high end of the band; null without a band.
    pub tight: Option<bool>,
    /// The other memory model's figure of the same run; null where it has none.
    pub other: Option<Other>,
    /// What the run was seen to need; null where that is not given.
    pub measured: Option<Measured>,
    /// What is wrong or worth knowing, in the order found.
    pub diagnostics: Vec<Finding>,
}

/// Which model is trained.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Model {
    /// Catalogue id, or the name the run gives it.
    pub id: String,
    /// Where its dimensions come from.
    pub source: String,
    /// How many parameters it has.
    pub parameters: Parameters,
}

/// Parameter counts; null where they are not counted tensor by tensor.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct Parameters {
    /// All.
    pub total: Option<f64>,
    /// Those a token passes through.
    pub active: Option<f64>,
}

/// Which device the run is held against.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Device {
    /// Id in the device table; null where the run states a capacity of its own.
    pub id: Option<String>,
    /// Bytes it holds.
    pub capacity: f64,
}

/// One pipeline stage.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Stage {
    /// Which, from 0.
    pub stage: usize,
    /// The placement string.
    pub layers: String,
    /// What is held all the time, in the reference's parts.
    #[serde(rename = "static")]
    pub held: Option<Static>,
    /// What comes and goes, in the reference's parts.
    pub dynamic: Option<Dynamic>,
    /// The peak.
    pub total: f64,
    /// The instant of the peak.
    pub peak_instant: &'static str,
    /// The layer of the model, from 0, that the instant is of; null where it is not one of a layer.
    pub peak_layer: Option<u32>,
    /// Every item with its bytes at each instant.
    pub items: Vec<ItemBytes>,
    /// The figures the reference prints, whole MiB.
    pub printed_mib: Option<Named<f64>>,
}

/// The reference's static parts, bytes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Static {
    params: f64,
    optimizer: f64,
    gradients: f64,
    total: f64,
}

/// The reference's dynamic parts, bytes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Dynamic {
    activations: f64,
    comm: f64,
    bwd_overhead: f64,
    warmup_peak: f64,
    backward_end: BackwardEndParts,
    safety_buffer: f64,
    total: f64,
    peak_point: &'static str,
}

/// The reference's parts of the backward end, bytes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct BackwardEndParts {
    kept: f64,
    held_grads: f64,
    working: f64,
    root_grad: f64,
    total: f64,
}

/// One item.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ItemBytes {
    /// Stable id.
    pub id: &'static str,
    /// Stable id of its category.
    pub category: &'static str,
    /// `exact`, `policy` or `estimated`.
    pub provenance: &'static str,
    /// Bytes at each instant.
    pub bytes: Named<f64>,
}

/// The stage that needs most.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Peak {
    /// Which stage.
    pub stage: usize,
    /// Its bytes.
    pub bytes: f64,
}

/// A figure with its uncertainty, bytes.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Band {
    /// Low end.
    pub low: f64,
    /// Expected.
    pub expected: f64,
    /// High end.
    pub high: f64,
}

impl From<memory::Band> for Band {
    fn from(memory::Band { low, expected, high }: memory::Band) -> Self {
        Self { low: low.value(), expected: expected.value(), high: high.value() }
    }
}

/// The other memory model's figure.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Other {
    /// Which it is.
    pub memory_model: &'static str,
    /// The stage that needs most.
    pub peak: Peak,
    /// The band of that figure; null where the memory model states none.
    pub band: Option<Band>,
    /// Whether every stage fits by it; null where the input was not understood well enough to say.
    pub fits: Option<bool>,
    /// The peak of each stage, bytes.
    pub stages: Vec<f64>,
    /// Where the two differ most; null where they agree.
    pub difference: Option<Difference>,
}

/// A category in which two memory models differ, each at its own peak.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Difference {
    /// Stable id of the category.
    pub category: &'static str,
    /// The other's bytes less those of the one in force.
    pub bytes: f64,
}

impl From<&other::Other> for Other {
    fn from(other: &other::Other) -> Self {
        Self {
            memory_model: other.memory_model,
            peak: Peak { stage: other.stage, bytes: other.peak.value() },
            band: other.band.map(Band::from),
            fits: fits(other.fits),
            stages: other.stages.iter().map(|bytes| bytes.value()).collect(),
            difference: other.gap.map(|gap| Difference { category: gap.category.id(), bytes: gap.bytes.value() }),
        }
    }
}

/// A measured peak.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Measured {
    /// The measured peak.
    pub bytes: f64,
    /// `allocated` or `reserved`.
    pub figure: &'static str,
    /// What was predicted for it, bytes.
    pub predicted: f64,
    /// Prediction less measurement, as a share of the measurement.
    pub error: f64,
}

impl From<&measured::Measured> for Measured {
    fn from(measured: &measured::Measured) -> Self {
        Self {
            bytes: measured.bytes.value(),
            figure: measured.figure.id(),
            predicted: measured.predicted.value(),
            error: measured.error,
        }
    }
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// Stable code.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The key it is about.
    pub key: Option<String>,
    /// Line in the train.yaml, from 1; null where it lies elsewhere.
    pub line: Option<u32>,
    /// Column in the train.yaml, from 1.
    pub column: Option<u32>,
    /// The way on.
    pub help: Option<String>,
}

impl Finding {
    /// A diagnostic and where it lies: the text, line and column. The line is that of the train.yaml alone: a line of
    /// another text would be looked up in the wrong one.
    pub fn new(diagnostic: &Diagnostic, place: Option<(Source, u32, u32)>) -> Self {
        let place = place.filter(|(source, ..)| *source == Source::Run);
        Self {
            severity: diagnostic.severity.name(),
            code: diagnostic.code.name(),
            message: messages::message(diagnostic, Language::English),
            key: diagnostic.place.key_path().map(ToString::to_string),
            line: place.map(|(_, line, _)| line),
            column: place.map(|(_, _, column)| column),
            help: messages::help(diagnostic, Language::English),
        }
    }
}

/// Names and values in their own order; a mapping in JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The stages of a breakdown.
pub fn stages(breakdown: &Breakdown) -> Vec<Stage> {
    breakdown.stages.iter().map(stage).collect()
}

fn stage(memory: &StageMemory) -> Stage {
    let reference = memory.reference.as_ref();
    Stage {
        stage: memory.stage,
        layers: memory.layers.clone(),
        held: reference.map(static_parts),
        dynamic: reference.map(dynamic_parts),
        total: memory.peak_bytes().value(),
        peak_instant: memory.instants[memory.peak].id,
        peak_layer: memory.peak_layer(),
        items: memory.items.iter().map(|item| item_bytes(item, memory)).collect(),
        printed_mib: reference.map(|figures| named(&figures.printed)),
    }
}

fn named(figures: &[(&'static str, f64)]) -> Named<f64> {
    Named(figures.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
}

fn static_parts(figures: &ReferenceFigures) -> Static {
    Static {
        params: figures.params,
        optimizer: figures.optimizer,
        gradients: figures.gradients,
        total: figures.static_total,
    }
}

fn dynamic_parts(figures: &ReferenceFigures) -> Dynamic {
    let BackwardEnd { kept, held_grads, working, root_grad, total } = figures.backward_end;
    Dynamic {
        activations: figures.activations,
        comm: figures.comm,
        bwd_overhead: figures.bwd_overhead,
        warmup_peak: figures.warmup_peak,
        backward_end: BackwardEndParts { kept, held_grads, working, root_grad, total },
        safety_buffer: figures.safety_buffer,
        total: figures.dynamic_total,
        peak_point: figures.peak_point,
    }
}

fn item_bytes(item: &Item, memory: &StageMemory) -> ItemBytes {
    let bytes = memory.instants.iter().zip(&item.bytes);
    ItemBytes {
        id: item.id,
        category: item.category.id(),
        provenance: item.certainty.name(),
        bytes: Named(bytes.map(|(instant, bytes)| (instant.id.to_owned(), bytes.value())).collect()),
    }
}

/// The stage that needs most.
pub fn peak(verdict: &Verdict) -> Peak {
    Peak { stage: verdict.stage, bytes: verdict.peak.value() }
}

/// `fits` of a verdict.
pub const fn fits(fits: Fits) -> Option<bool> {
    match fits {
        Fits::Yes | Fits::Tight => Some(true),
        Fits::No => Some(false),
        Fits::Unknown => None,
    }
}

/// `tight` of a verdict; null without a band, or where the input was not understood well enough to say.
pub fn tight(verdict: &Verdict) -> Option<bool> {
    (verdict.band.is_some() && verdict.fits != Fits::Unknown).then_some(verdict.fits == Fits::Tight)
}

/// Any of the shapes here as one line of JSON, numbers by [`shortest`].
///
/// # Panics
/// Never for the shapes of this module: they hold no map with keys that are not text.
pub fn to_string(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, Decimals);
    value.serialize(&mut serializer).expect("keys are texts, and memory takes every byte");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// Whole numbers that no double holds, as the nearest double: what JavaScript would make of them.
pub fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(double) if double.abs() >= 9_007_199_254_740_992.0 => double.into(),
            Some(_) | None => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(as_doubles).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, as_doubles(field))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// Writes JSON on one line, with numbers as the whole project prints them.
struct Decimals;

impl serde_json::ser::Formatter for Decimals {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(shortest(value).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::{Code, Place};
    use crate::provenance::KeyPath;

    #[test]
    fn numbers_have_no_exponent_and_names_keep_their_order() {
        let named = Named(vec![("b".to_owned(), 1e21), ("a".to_owned(), 1e-7), ("c".to_owned(), 2.0)]);
        assert_eq!(to_string(&named), r#"{"b":1000000000000000000000,"a":0.0000001,"c":2}"#);
        assert_eq!(to_string(&f64::NAN), "null");
    }

    #[test]
    fn a_line_is_one_of_the_train_yaml() {
        let path = KeyPath::parse("hidden_size");
        let diagnostic =
            Diagnostic::new(Code::SpecRequiredMissing, Place::Missing(Source::Model, path)).with("hidden_size");
        assert_eq!(Finding::new(&diagnostic, Some((Source::Run, 3, 5))).line, Some(3));
        let elsewhere = Finding::new(&diagnostic, Some((Source::Model, 3, 5)));
        assert_eq!((elsewhere.line, elsewhere.key.as_deref()), (None, Some("hidden_size")));
    }

    #[test]
    fn whole_numbers_beyond_doubles_become_doubles() {
        let value = serde_json::json!({"a": [9_007_199_254_740_993_i64, 3], "b": null});
        assert_eq!(to_string(&as_doubles(value)), r#"{"a":[9007199254740992,3],"b":null}"#);
    }
}
