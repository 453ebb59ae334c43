//! The JSON of an explanation: stable names in a stable order, null where a field does not apply.

use super::{ExplainedChild, ExplainedStep, Explanation};
use crate::explain::Group;
use crate::provenance::{KeyPath, Origin, Source};
use crate::report::json::{Finding, SCHEMA};

/// How a figure comes about, or why that cannot be told.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Explained {
    /// The version of the JSON's shape, that of an estimate.
    pub schema: u32,
    /// The version of `ShardMem`.
    pub version: &'static str,
    /// Which memory model answers.
    pub memory_model: String,
    /// Which stage was asked for.
    pub stage: usize,
    /// Which figure was asked for.
    pub item: String,
    /// The instant it is of; null where it is not told.
    pub instant: Option<&'static str>,
    /// The figure, bytes.
    pub bytes: Option<f64>,
    /// The answer's step first, each before those that it reads; null where the input was refused, or has no such stage
    /// or figure.
    pub steps: Option<Vec<Step>>,
    /// What is wrong or worth knowing, in the order found.
    pub diagnostics: Vec<Finding>,
}

/// One formula with its numbers.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Step {
    /// Stable id of the formula; of an item, its id.
    pub id: &'static str,
    /// How other formulas write it.
    pub symbol: String,
    /// What it is; empty for an item.
    pub meaning: &'static str,
    /// The section of the specification that it follows.
    pub reference: &'static str,
    /// The formula with symbols.
    pub formula: String,
    /// The formula with values.
    pub values: String,
    /// The result.
    pub result: f64,
    /// Which cases applied.
    pub cases: Vec<&'static str>,
    /// What the formula reads.
    pub children: Vec<Child>,
}

/// A number that a formula reads.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Child {
    /// How the formula writes it.
    pub symbol: String,
    /// Its value.
    pub value: f64,
    /// What it is.
    pub meaning: &'static str,
    /// The step that explains it, by its index in `steps`.
    pub step: Option<usize>,
    /// The nodes of the stage that it stands for.
    pub groups: Vec<Nodes>,
    /// Where a stated number comes from.
    pub origin: Option<Stated>,
}

/// Equal nodes of a stage.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Nodes {
    /// The kind of layer, or `embedding` or `output`.
    pub kind: &'static str,
    /// The letter of the placement string.
    pub letter: char,
    /// Which chunk of the stage, from 0.
    pub chunk: usize,
    /// How many there are.
    pub count: u32,
}

/// Where a number comes from.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Stated {
    /// `key`, `override`, `trainer-default`, `family-default`, `chosen-model`, `rule`, `constant` or `caller`.
    pub kind: &'static str,
    /// What a default, a rule or a constant follows; the chosen model; the family.
    pub text: Option<String>,
    /// Which text states it: `train.yaml`, `config.json` or `execution spec`.
    pub source: Option<&'static str>,
    /// At which key.
    pub key: Option<String>,
    /// Line in that text, from 1.
    pub line: Option<u32>,
    /// Column in that text, from 1.
    pub column: Option<u32>,
}

/// The line and column at which the value of a key stands in a text.
pub type Positions<'a> = dyn Fn(Source, &KeyPath) -> Option<(u32, u32)> + 'a;

/// What a formula or a symbol is, by its id; empty where the id is the key of a label.
pub type Meanings = fn(&str) -> &'static str;

/// The steps of an explanation; `position` says at which line and column of a text the value of a key stands.
pub fn steps(explanation: &Explanation, meaning: Meanings, position: &Positions<'_>) -> Vec<Step> {
    explanation.steps.iter().map(|told| step(told, meaning, position)).collect()
}

/// The frame of an answer, without one.
pub fn untold(memory_model: &str, stage: usize, item: &str, diagnostics: Vec<Finding>) -> Explained {
    Explained {
        schema: SCHEMA,
        version: crate::VERSION,
        memory_model: memory_model.to_owned(),
        stage,
        item: item.to_owned(),
        instant: None,
        bytes: None,
        steps: None,
        diagnostics,
    }
}

fn step(told: &ExplainedStep, meaning: Meanings, position: &Positions<'_>) -> Step {
    Step {
        id: told.id,
        symbol: told.symbol.clone(),
        meaning: meaning(told.id),
        reference: told.reference,
        formula: told.formula.clone(),
        values: told.values.clone(),
        result: told.result,
        cases: told.cases.clone(),
        children: told.children.iter().map(|told| child(told, meaning, position)).collect(),
    }
}

fn child(told: &ExplainedChild, meaning: Meanings, position: &Positions<'_>) -> Child {
    let nodes =
        |group: &Group| Nodes { kind: group.kind, letter: group.letter, chunk: group.chunk, count: group.count };
    Child {
        symbol: told.symbol.clone(),
        value: told.value,
        meaning: meaning(told.id),
        step: told.step,
        groups: told.groups.iter().map(nodes).collect(),
        origin: told.origin.as_ref().map(|origin| stated(origin, position)),
    }
}

fn stated(origin: &Origin, position: &Positions<'_>) -> Stated {
    let (kind, text) = match origin {
        Origin::Key(..) => ("key", None),
        Origin::Override(_) => ("override", None),
        Origin::TrainerDefault(rule) => ("trainer-default", Some((*rule).to_owned())),
        Origin::FamilyDefault(family) => ("family-default", Some((*family).to_owned())),
        Origin::ChosenModel(model) => ("chosen-model", Some(model.to_string())),
        Origin::Rule(rule) => ("rule", Some((*rule).to_owned())),
        Origin::Constant(constant) => ("constant", Some((*constant).to_owned())),
        Origin::Caller => ("caller", None),
    };
    let key = origin.key();
    let position = key.and_then(|(source, path)| position(source, path));
    Stated {
        kind,
        text,
        source: key.map(|(source, _)| name(source)),
        key: key.map(|(_, path)| path.to_string()),
        line: position.map(|(line, _)| line),
        column: position.map(|(_, column)| column),
    }
}

/// What a text is called.
pub const fn name(source: Source) -> &'static str {
    match source {
        Source::Run => "train.yaml",
        Source::Model => "config.json",
        Source::Execution => "execution spec",
    }
}
