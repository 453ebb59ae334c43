//! The whole chain for one input: `text → Document → Facts → Config → Placement → Breakdown → Report`, with everything
//! found on the way. Each stage stays callable by itself; the page memoises them one by one.

mod pin;
pub mod why;

use crate::config::{self, Config};
use crate::diagnostics::{Checked, Code, Diagnostic, Findings, Place, Severity};
use crate::document::{self, Document, Value};
use crate::facts::execution::ExecutionSpec;
use crate::facts::{self, Facts, InputKind, Overrides, RecomputeRange, Schema};
use crate::memory::reference::Policies;
use crate::memory::{self, Breakdown};
use crate::model::tensors::tensors;
use crate::model::{Dimension, ModelSpec, catalogue};
use crate::placement::{self, Placement};
use crate::provenance::Source;
use crate::report::messages::{self, Language};
use crate::report::{self, ParameterNote, Reading, Report, json};
use crate::text::{LineIndex, Position};
use std::sync::Arc;

/// The memory model that answers where none is asked for.
pub const DEFAULT_MEMORY_MODEL: &str = memory::reference::NAME;

/// What an estimate is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// The train.yaml.
    pub text: Arc<str>,
    /// Which model it is read with.
    pub model: ModelChoice,
    /// The device count that the caller gives beside the file.
    pub devices: Option<i64>,
    /// Values laid over the file.
    pub overrides: Overrides,
    /// Whether the device count stays while an override moves a degree.
    pub pin_devices: bool,
    /// An execution spec, as text: laid over what the file states before anything is derived.
    pub exec: Option<Arc<str>>,
    /// The memory model's name.
    pub memory_model: Arc<str>,
    /// Named policies of the memory model, each with its value.
    pub policies: Vec<(String, String)>,
}

/// Which model a file is read with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// The one the file names.
    #[default]
    Named,
    /// A catalogue entry, by its id.
    Catalogue(Arc<str>),
    /// A config.json, as text.
    Config(Arc<str>),
}

impl Input {
    /// A train.yaml alone.
    pub fn of(text: &str) -> Self {
        Self {
            text: text.into(),
            model: ModelChoice::Named,
            devices: None,
            overrides: Overrides::none(),
            pin_devices: false,
            exec: None,
            memory_model: DEFAULT_MEMORY_MODEL.into(),
            policies: Vec::new(),
        }
    }

    /// With these recompute ranges in its execution spec, in place of those it states: what an editable list of ranges
    /// gives.
    #[must_use]
    pub fn with_ranges(self, ranges: &[RecomputeRange]) -> Self {
        let exec = facts::execution::with_ranges(self.exec.as_deref().unwrap_or_default(), ranges);
        Self { exec: Some(exec.into()), ..self }
    }
}

/// What became of an input.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// An estimate was made.
    Ready(Box<Ready>),
    /// The input was refused.
    Rejected(Box<Rejected>),
}

/// An estimate with all its stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    /// What the file states.
    pub facts: Facts,
    /// What follows from it.
    pub config: Config,
    /// Where the layers run.
    pub placement: Placement,
    /// What each stage holds.
    pub breakdown: Breakdown,
    /// What a reader looks at.
    pub report: Report,
    /// Warnings and notes, in the order found.
    pub findings: Vec<Found>,
    /// The overrides in force, those that keep the device count included.
    pub overrides: Overrides,
    /// The policies in force.
    pub policies: Policies,
}

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// What the file is, if that can be told.
    pub input_kind: Option<InputKind>,
    /// The memory model that was asked for.
    pub memory_model: Arc<str>,
    /// Warnings raised before the first error, then the errors; at least one.
    pub findings: Vec<Found>,
    /// The overrides in force.
    pub overrides: Overrides,
    /// The policies in force; the default of those that were not understood.
    pub policies: Policies,
}

impl Rejected {
    /// The errors, in the order of config-spec 18.3.
    pub fn errors(&self) -> impl Iterator<Item = &Found> {
        self.findings.iter().filter(|found| found.diagnostic.severity == Severity::Error)
    }
}

/// A diagnostic and where it lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The diagnostic.
    pub diagnostic: Diagnostic,
    /// The text it lies in and the place there; none where it is about the whole input.
    pub position: Option<(Source, Position)>,
}

impl Found {
    /// What is wrong, in English.
    pub fn message(&self) -> String {
        messages::message(&self.diagnostic, Language::English)
    }

    /// The way on, in English.
    pub fn help(&self) -> Option<String> {
        messages::help(&self.diagnostic, Language::English)
    }
}

/// Makes an estimate, or says everything that is wrong.
pub fn estimate(input: &Input) -> Outcome {
    let mut chain = Chain::new(input);
    match chain.run() {
        Some(stages) => chain.ready(stages),
        None => chain.rejected(),
    }
}

/// What follows from facts and the config derived from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Where the layers run.
    pub placement: Placement,
    /// What each stage holds.
    pub breakdown: Breakdown,
    /// What a reader looks at.
    pub report: Report,
}

/// Carries on from a derived config to the report; none where the layers cannot be placed.
pub fn answer(facts: &Facts, config: &Config, findings: &mut Findings) -> Option<Answer> {
    answer_under(facts, config, Policies::default(), findings)
}

/// The same under chosen policies of the memory model.
pub fn answer_under(facts: &Facts, config: &Config, policies: Policies, findings: &mut Findings) -> Option<Answer> {
    findings.add_all(config::legality(facts, config));
    let placement = findings.take(placement::place(config))?;
    let Checked { value: breakdown, warnings } = memory::reference::account_under(config, &placement, policies);
    findings.add_all(warnings);
    let in_flight: Vec<Vec<f64>> =
        placement.stages().map(|stage| stage.chunks().map(|chunk| chunk.in_flight).collect()).collect();
    let (capacity, reading) = (config.primary().device_capacity.bytes(), Reading::of(facts.input_kind));
    let report = report::present(&breakdown, &in_flight, capacity, reading);
    Some(Answer { placement, breakdown, report })
}

/// The model catalogue, in its order.
pub fn models() -> Vec<json::Model> {
    catalogue::all().iter().map(catalogue_model).collect()
}

fn catalogue_model(entry: &catalogue::Entry) -> json::Model {
    let parameters = catalogue::spec(entry.id).as_ref().map(parameters).unwrap_or_default();
    json::Model { id: entry.id.to_owned(), source: entry.about().source, parameters }
}

/// How many parameters a model has, tensor by tensor; null where its class has shapes that nobody wrote down.
pub fn parameters(spec: &ModelSpec) -> json::Parameters {
    let count = tensors(spec).map(|tensors| tensors.count());
    json::Parameters { total: count.map(|count| count.total as f64), active: count.map(|count| count.active as f64) }
}

/// How the reference's parameter count of a placed run differs from the model's own; none where the model has shapes that
/// nobody wrote down.
pub fn parameter_note(facts: &Facts, config: &Config, placement: &Placement) -> Option<ParameterNote> {
    let tensors = tensors(&facts.model)?;
    Some(ParameterNote::new(&memory::reference::counted::count(config, placement), &tensors))
}

struct Stages {
    facts: Facts,
    config: Config,
    answer: Answer,
}

struct Chain<'a> {
    input: &'a Input,
    texts: Texts,
    findings: Findings,
    input_kind: Option<InputKind>,
    overrides: Overrides,
    spec: Option<ExecutionSpec>,
    policies: Policies,
}

impl<'a> Chain<'a> {
    fn new(input: &'a Input) -> Self {
        Self {
            input,
            texts: Texts::default(),
            findings: Findings::new(),
            input_kind: None,
            overrides: input.overrides.clone(),
            spec: None,
            policies: Policies::default(),
        }
    }

    fn run(&mut self) -> Option<Stages> {
        self.check_memory_model();
        let parsed = document::parse(&self.input.text);
        self.texts.add_text(Source::Run, &self.input.text);
        let document = Arc::new(self.findings.take(parsed)?);
        self.input_kind = kind(&document);
        self.texts.documents.push(document.clone());
        let choice = self.model_choice()?;
        let reading = pin::Reading { document: &document, choice: &choice, devices: self.input.devices };
        if self.input.pin_devices {
            self.pin(&reading)?;
        }
        let facts = self.findings.take(reading.read(&self.overrides))?;
        self.input_kind = Some(facts.input_kind);
        let config = self.config(&facts);
        let answer = config.as_ref().and_then(|config| answer_under(&facts, config, self.policies, &mut self.findings));
        self.findings.point(&|code| config::culprit(code, &facts, self.spec.as_ref()));
        let (config, answer) = config.zip(answer)?;
        (!self.findings.failed()).then_some(Stages { facts, config, answer })
    }

    fn pin(&mut self, reading: &pin::Reading<'_>) -> Option<()> {
        match pin::pinned(reading, &self.overrides) {
            Ok(overrides) => self.overrides = overrides,
            Err(error) => {
                self.findings.add(error);
                return None;
            }
        }
        Some(())
    }

    fn check_memory_model(&mut self) {
        if &*self.input.memory_model != DEFAULT_MEMORY_MODEL {
            let finding = Diagnostic::new(Code::MemoryModelUnknown, Place::Whole);
            self.findings.add(finding.with(&*self.input.memory_model));
        }
        let policies = Policies::chosen(&self.input.policies);
        self.policies = self.findings.take(policies).unwrap_or_default();
    }

    fn model_choice(&mut self) -> Option<facts::ModelChoice> {
        match &self.input.model {
            ModelChoice::Named => Some(facts::ModelChoice::Named),
            ModelChoice::Catalogue(id) => Some(facts::ModelChoice::Catalogue(id.clone())),
            ModelChoice::Config(text) => {
                self.texts.add_text(Source::Model, text);
                let config = Arc::new(self.findings.take(document::parse_json(text))?);
                self.texts.documents.push(config.clone());
                Some(facts::ModelChoice::Config(config))
            }
        }
    }

    fn config(&mut self, facts: &Facts) -> Option<Config> {
        let Some(text) = &self.input.exec else { return self.findings.take(config::derive(facts)) };
        self.texts.add_text(Source::Execution, text);
        let document = Arc::new(self.findings.take(document::parse_from(Source::Execution, text))?);
        self.texts.documents.push(document.clone());
        let spec = self.findings.take(facts::execution::read(&document))?;
        let config = config::derive_with(facts, |primary| config::execution::apply(primary, &spec));
        self.spec = Some(spec);
        self.findings.take(config)
    }

    fn ready(self, stages: Stages) -> Outcome {
        let Stages { facts, config, answer: Answer { placement, breakdown, report } } = stages;
        let findings = self.texts.place_all(self.findings.into_all());
        let Self { overrides, policies, .. } = self;
        Outcome::Ready(Box::new(Ready { facts, config, placement, breakdown, report, findings, overrides, policies }))
    }

    fn rejected(self) -> Outcome {
        let findings = self.findings.into_all();
        let kind = findings.iter().find_map(|finding| foreign_kind(finding.code)).or(self.input_kind);
        Outcome::Rejected(Box::new(Rejected {
            input_kind: kind,
            memory_model: self.input.memory_model.clone(),
            findings: self.texts.place_all(findings),
            overrides: self.overrides,
            policies: self.policies,
        }))
    }
}

/// The texts of an input, for turning places into positions.
#[derive(Default)]
struct Texts {
    texts: Vec<(Source, Arc<str>)>,
    documents: Vec<Arc<Document>>,
}

impl Texts {
    fn add_text(&mut self, source: Source, text: &Arc<str>) {
        self.texts.push((source, text.clone()));
    }

    fn place_all(&self, findings: impl IntoIterator<Item = Diagnostic>) -> Vec<Found> {
        let found = |diagnostic: Diagnostic| Found { position: self.position(&diagnostic.place), diagnostic };
        findings.into_iter().map(found).collect()
    }

    fn position(&self, place: &Place) -> Option<(Source, Position)> {
        let (Place::Span(source, _) | Place::Key(source, _) | Place::Value(source, _) | Place::Missing(source, _)) =
            place
        else {
            return None;
        };
        let position = match place {
            // A text that could not be read has lines all the same.
            Place::Span(_, span) => {
                let text = self.texts.iter().find(|(text, _)| text == source);
                text.map(|(_, text)| LineIndex::new(text.clone()).position(span.start))
            }
            Place::Key(..) | Place::Value(..) | Place::Missing(..) | Place::Whole => {
                self.documents.iter().find_map(|document| document.position(place))
            }
        };
        position.map(|position| (*source, position))
    }
}

fn kind(document: &Document) -> Option<InputKind> {
    document.root.value.as_mapping().map(|root| match Schema::of(root) {
        Schema::AutoModels => InputKind::AutoModels,
        Schema::Legacy => InputKind::Legacy,
    })
}

const fn foreign_kind(code: Code) -> Option<InputKind> {
    if matches!(code, Code::InputMindformers) {
        Some(InputKind::MindFormers)
    } else if matches!(code, Code::InputSearch) {
        Some(InputKind::Search)
    } else if matches!(code, Code::ModelUnstated) {
        Some(InputKind::Fragment)
    } else {
        None
    }
}

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
            fits: json::fits(self.report.verdict.fits),
            ..empty_json(self.breakdown.memory_model, &self.overrides, self.policies, &self.findings)
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
            ..empty_json(&self.memory_model, &self.overrides, self.policies, &self.findings)
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

fn empty_json(memory_model: &str, overrides: &Overrides, policies: Policies, findings: &[Found]) -> json::Estimate {
    let overrides = overrides.iter().map(|(path, value)| (path.to_string(), json::as_doubles(to_json(value))));
    let finding = |found: &Found| {
        let place = found.position.map(|(source, position)| (source, position.line, position.column));
        json::Finding::new(&found.diagnostic, place)
    };
    json::Estimate {
        schema: json::SCHEMA,
        version: crate::VERSION,
        input_kind: None,
        memory_model: memory_model.to_owned(),
        policies: json::Named(policies.named().map(|(name, value)| (name.to_owned(), value.into())).collect()),
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
        diagnostics: findings.iter().map(finding).collect(),
    }
}
