//! The whole chain for one input: `text → Document → Facts → Config → Placement → Breakdown → Report`, with everything
//! found on the way. Each stage stays callable by itself; the page memoises them one by one.

mod answer;
mod pin;
pub mod why;
mod written;

pub use answer::{Answer, answer, answer_by, other};

use crate::accounting::Accountant;
use crate::config::{self, Config};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place, Severity};
use crate::document::{self, Document};
use crate::facts::execution::ExecutionSpec;
use crate::facts::{self, Facts, InputKind, Overrides, RecomputeRange, Schema};
use crate::memory::{self, Breakdown, Chosen, MemoryModel};
use crate::model::tensors::tensors;
use crate::model::{ModelSpec, catalogue};
use crate::placement::Placement;
use crate::provenance::Source;
use crate::report::measured::{self, Amount, Measured};
use crate::report::messages::{self, Language};
use crate::report::{ParameterNote, Report, json};
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
    /// Named policies, each with its value: those of the memory model, and of the other one for its figure.
    pub policies: Vec<(String, String)>,
    /// What the run was seen to need, as `report::measured` reads it.
    pub measured: Option<Arc<str>>,
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
            measured: None,
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
    /// The memory model that answers, with its policies.
    pub memory_model: MemoryModel,
}

/// Why there is no estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// What the file is, if that can be told.
    pub input_kind: Option<InputKind>,
    /// The name of the memory model that was asked for.
    pub asked: Arc<str>,
    /// The memory model of that name with its policies; the default where name or policies were not understood.
    pub memory_model: MemoryModel,
    /// Warnings raised before the first error, then the errors; at least one.
    pub findings: Vec<Found>,
    /// The overrides in force.
    pub overrides: Overrides,
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

/// The same with the other memory model's figure beside it, where that one has any: what the command line and the
/// JavaScript API give.
pub fn compared(input: &Input) -> Outcome {
    let mut chain = Chain::new(input);
    match chain.run() {
        Some(mut stages) => {
            let Stages { facts, config, answer } = &stages;
            let other = other(Accountant::of(chain.chosen.other), facts, config, answer);
            stages.answer.report.other = other;
            chain.ready(stages)
        }
        None => chain.rejected(),
    }
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
    chosen: Chosen,
    measured: Option<Amount>,
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
            chosen: Chosen::default(),
            measured: None,
        }
    }

    fn run(&mut self) -> Option<Stages> {
        self.read_choices();
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
        let (by, findings) = (Accountant::of(self.chosen.in_force), &mut self.findings);
        let answer = config.as_ref().and_then(|config| answer_by(by, &facts, config, findings));
        self.findings.point(&|code| config::culprit(code, &facts, self.spec.as_ref()));
        let (config, mut answer) = config.zip(answer)?;
        answer.report.measured = self.measured.map(|amount| Measured::beside(amount, &answer.report.verdict));
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

    fn read_choices(&mut self) {
        let chosen = Chosen::of(&self.input.memory_model, &self.input.policies);
        self.chosen = self.findings.take(chosen).unwrap_or_default();
        if let Some(text) = &self.input.measured {
            self.measured = measured::read(text);
            if self.measured.is_none() {
                self.findings.add(Diagnostic::new(Code::MeasuredUnreadable, Place::Whole).with(&**text));
            }
        }
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
        let Some(text) = &self.input.exec else {
            let config = self.judged(config::derive(facts));
            return self.findings.take(config);
        };
        self.texts.add_text(Source::Execution, text);
        let document = Arc::new(self.findings.take(document::parse_from(Source::Execution, text))?);
        self.texts.documents.push(document.clone());
        let spec = self.findings.take(facts::execution::read(&document))?;
        let config = config::derive_with(facts, |primary| config::execution::apply(primary, &spec));
        self.spec = Some(spec);
        let config = self.judged(config);
        self.findings.take(config)
    }

    /// What the derivation found, as the memory model in force judges it.
    fn judged(&self, derived: Result<Checked<Config>, Errors>) -> Result<Checked<Config>, Errors> {
        let mut checked = derived?;
        let by = Accountant::of(self.chosen.in_force);
        checked.warnings = checked.warnings.into_iter().map(|warning| by.judged(warning)).collect();
        Ok(checked)
    }

    fn ready(self, stages: Stages) -> Outcome {
        let Stages { facts, config, answer: Answer { memory_model, placement, breakdown, report } } = stages;
        let findings = self.texts.place_all(self.findings.into_all());
        let overrides = self.overrides;
        let ready = Ready { facts, config, placement, breakdown, report, findings, overrides, memory_model };
        Outcome::Ready(Box::new(ready))
    }

    fn rejected(self) -> Outcome {
        let findings = self.findings.into_all();
        let kind = findings.iter().find_map(|finding| foreign_kind(finding.code)).or(self.input_kind);
        Outcome::Rejected(Box::new(Rejected {
            input_kind: kind,
            asked: self.input.memory_model.clone(),
            memory_model: self.chosen.in_force,
            findings: self.texts.place_all(findings),
            overrides: self.overrides,
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
