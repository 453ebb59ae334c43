//! How a figure of an estimate comes about: the second reading of its formulas, with where each number comes from.

use super::{Answer, Chain, Found, Input, Stages, Texts};
use crate::config::Config;
use crate::diagnostics::Place;
use crate::facts::Facts;
use crate::facts::execution::ExecutionSpec;
use crate::memory::reference::{self, Policies};
use crate::memory::{Breakdown, MemoryModel};
use crate::placement::Placement;
use crate::provenance::KeyPath;
use crate::report::json::Finding;
use crate::report::origins;
use crate::report::why::{Explanation, explanation, json};

/// Which figure is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Which stage, from 0; the one that needs most where unstated.
    pub stage: Option<usize>,
    /// An item's id, a category's, or a figure's place in the JSON of a stage: `static.params`, `total`.
    pub item: String,
    /// At which instant; that of the stage's peak where unstated.
    pub instant: Option<String>,
}

/// A figure explained.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// Which stage.
    pub stage: usize,
    /// At which instant.
    pub instant: &'static str,
    /// How it comes about.
    pub explanation: Explanation,
}

/// Why a figure is not explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Untold {
    /// The input was refused.
    Refused,
    /// There is no such stage; there are so many.
    NoStage(usize),
    /// The stage counts at no such instant; it does at these.
    NoInstant(Vec<&'static str>),
    /// The memory model has no such figure.
    NoItem,
    /// The stage holds too many different layers.
    TooLong,
    /// The memory model lists tensors; none of its figures is a formula.
    NoFormula,
}

/// The answer to a question about an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The figure explained, or why it is not.
    pub answer: Result<Told, Untold>,
    /// Everything found in the input, in order.
    pub findings: Vec<Found>,
    /// The JSON of the answer.
    pub json: json::Explained,
}

/// Makes an estimate and explains one figure of it.
pub fn explain(input: &Input, question: &Question) -> Explained {
    let mut chain = Chain::new(input);
    let stages = chain.run();
    let answer = stages.as_ref().map_or(Err(Untold::Refused), |Stages { facts, config, answer }| {
        let Answer { placement, breakdown, .. } = answer;
        match chain.chosen.in_force {
            MemoryModel::Reference(policies) => {
                why(facts, config, placement, breakdown, policies, chain.spec.as_ref(), question)
            }
            MemoryModel::Ledger(_) => Err(Untold::NoFormula),
        }
    });
    let Chain { texts, findings, .. } = chain;
    let findings = texts.place_all(findings.into_all());
    let json = written(input, question, &answer, &findings, &texts);
    Explained { answer, findings, json }
}

/// Explains one figure of a breakdown; made under these policies; `spec` is the execution spec that was laid over the file.
pub fn why(
    facts: &Facts,
    config: &Config,
    placement: &Placement,
    breakdown: &Breakdown,
    policies: Policies,
    spec: Option<&ExecutionSpec>,
    question: &Question,
) -> Result<Told, Untold> {
    let stage = question.stage.unwrap_or(breakdown.peak);
    let memory = breakdown.stages.get(stage).ok_or(Untold::NoStage(breakdown.stages.len()))?;
    let instant = match &question.instant {
        None => Some(memory.instants[memory.peak].id),
        Some(asked) => memory.instants.iter().map(|instant| instant.id).find(|id| id == asked),
    };
    let instant =
        instant.ok_or_else(|| Untold::NoInstant(memory.instants.iter().map(|instant| instant.id).collect()))?;
    if reference::explained_ids().all(|id| id != question.item) {
        return Err(Untold::NoItem);
    }
    let tree =
        reference::explain(config, placement, policies, stage, &question.item, instant).ok_or(Untold::TooLong)?;
    let explanation = explanation(&tree, &|leaf| origins::origin(facts, spec, leaf));
    Ok(Told { stage, instant, explanation })
}

fn written(
    input: &Input,
    question: &Question,
    answer: &Result<Told, Untold>,
    findings: &[Found],
    texts: &Texts,
) -> json::Explained {
    let findings = findings.iter().map(|found| {
        let place = found.position.map(|(source, position)| (source, position.line, position.column));
        Finding::new(&found.diagnostic, place)
    });
    let stage = question.stage.unwrap_or(0);
    let untold = json::untold(&input.memory_model, stage, &question.item, findings.collect());
    let Ok(Told { stage, instant, explanation }) = answer else { return untold };
    let position = |source, path: &KeyPath| {
        let (_, position) = texts.position(&Place::Value(source, path.clone()))?;
        Some((position.line, position.column))
    };
    json::Explained {
        stage: *stage,
        instant: Some(instant),
        bytes: explanation.steps.first().map(|step| step.result),
        steps: Some(json::steps(explanation, reference::meaning, &position)),
        ..untold
    }
}
