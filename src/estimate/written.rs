//! An outcome as the JSON of DESIGN 3.1.

use super::{Found, Outcome, Ready, Rejected, parameter_note, parameters};
use crate::config;
use crate::document::Value;
use crate::facts::{InputKind, Overrides};
use crate::memory::MemoryModel;
use crate::model::{Dimension, catalogue};
use crate::provenance::Source;
use crate::report::{ParameterNote, json};

impl Outcome {
    /// The JSON of DESIGN 3.1; a refusal has it too, with null where there is no figure.
    pub fn json(&self) -> json::Estimate {
        match self {
            Self::Ready(ready) => ready.json(),
            Self::Rejected(rejected) => rejected.json(),
        }
    }

    /// Everything found, in order.
    pub fn findings(&self) -> &[Found] {
        match self {
            Self::Ready(ready) => &ready.findings,
            Self::Rejected(rejected) => &rejected.findings,
        }
    }
}

impl Ready {
    /// The JSON of DESIGN 3.1.
    pub fn json(&self) -> json::Estimate {
        let capacity = self.report.verdict.capacity.value();
        json::Estimate {
            input_kind: Some(self.facts.input_kind.name()),
            model: Some(self.model()),
            device: Some(json::Device { id: None, capacity }),
            derived: Some(json::as_doubles(config::reference_fields(&self.config).into())),
            stages: Some(json::stages(&self.breakdown)),
            peak: Some(json::peak(&self.report.verdict)),
            capacity: Some(capacity),
            band: self.report.verdict.band.map(json::Band::from),
            fits: json::fits(self.report.verdict.fits),
            tight: json::tight(&self.report.verdict),
            other: self.report.other.as_ref().map(json::Other::from),
            measured: self.report.measured.as_ref().map(json::Measured::from),
            ..empty_json(self.breakdown.memory_model, &self.overrides, self.memory_model, &self.findings)
        }
    }

    /// The model: the catalogue's entry, or what the texts state.
    pub fn model(&self) -> json::Model {
        let spec = &self.facts.model;
        let (id, source) = match spec.catalogue_id.as_deref().and_then(catalogue::entry) {
            Some(entry) => (entry.id.to_owned(), entry.about().source),
            None => (spec.name.value.to_string(), self.model_source().to_owned()),
        };
        json::Model { id, source, parameters: parameters(spec) }
    }

    /// The model's parameters beside those that the reference counts.
    pub fn parameter_note(&self) -> Option<ParameterNote> {
        parameter_note(&self.facts, &self.config, &self.placement)
    }

    /// Which text the dimensions of a model outside the catalogue come from.
    fn model_source(&self) -> &'static str {
        match self.facts.model.place_of(Dimension::HiddenSize) {
            Some((Source::Model, _)) => "config.json",
            Some((Source::Run | Source::Execution, _)) | None => "train.yaml",
        }
    }
}

impl Rejected {
    fn json(&self) -> json::Estimate {
        json::Estimate {
            input_kind: self.input_kind.map(InputKind::name),
            ..empty_json(&self.asked, &self.overrides, self.memory_model, &self.findings)
        }
    }
}

/// A value as JSON has it; what no double holds stays a text.
fn to_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Text(text) | Value::Date(text) | Value::WideInteger(text) => (&**text).into(),
        Value::Sequence(items) => items.iter().map(|item| to_json(&item.value)).collect(),
        Value::Mapping(mapping) => {
            mapping.entries.iter().map(|entry| (entry.key.to_string(), to_json(&entry.node.value))).collect()
        }
    }
}

fn empty_json(name: &str, overrides: &Overrides, memory_model: MemoryModel, findings: &[Found]) -> json::Estimate {
    let overrides = overrides.iter().map(|(path, value)| (path.to_string(), json::as_doubles(to_json(value))));
    let finding = |found: &Found| {
        let place = found.position.map(|(source, position)| (source, position.line, position.column));
        json::Finding::new(&found.diagnostic, place)
    };
    let policies = memory_model.policies().into_iter().map(|(name, value)| (name.to_owned(), value.into()));
    json::Estimate {
        schema: json::SCHEMA,
        version: crate::VERSION,
        input_kind: None,
        memory_model: name.to_owned(),
        policies: json::Named(policies.collect()),
        model: None,
        device: None,
        overrides: json::Named(overrides.collect()),
        derived: None,
        stages: None,
        peak: None,
        band: None,
        capacity: None,
        fits: None,
        tight: None,
        other: None,
        measured: None,
        diagnostics: findings.iter().map(finding).collect(),
    }
}
