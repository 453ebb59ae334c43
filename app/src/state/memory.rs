//! Which memory model answers, under which policies, and the other one's figure beside it.

use super::{EstimateMemos, Workspace};
use crate::browser::later::Later;
use crate::late::{self, Late};
use crate::reactive::{Held, effect};
use leptos::prelude::untrack;
use shardmem::accounting::Accountant;
use shardmem::memory::{Chosen, MemoryModel, ledger, reference};
use shardmem::report::Other;
use std::sync::Arc;
use std::time::Duration;

/// The other model is asked so long after the last change.
const REST: Duration = Duration::from_millis(50);

/// A policy's name and the value chosen for it; only what differs from the default is kept.
pub type Choice = (Arc<str>, Arc<str>);

/// The memory model of a run, as the reader chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryChoice {
    /// Its name.
    pub name: &'static str,
    /// What was chosen for it, and for the other one.
    pub policies: Arc<[Choice]>,
}

impl MemoryChoice {
    /// That of a run.
    pub fn of(run: &Workspace) -> Self {
        Self { name: run.memory_model, policies: run.policies.clone() }
    }

    /// The two memory models under these choices. Choices are read by the late part: nothing while it is on its way.
    pub fn chosen(&self, late: Option<&'static Late>) -> Option<Chosen> {
        if !self.policies.is_empty() {
            return late.map(|late| (late.choose)(self.name, &pairs(&self.policies)));
        }
        let (reference, ledger) =
            (MemoryModel::Reference(reference::Policies::default()), MemoryModel::Ledger(ledger::Policies::default()));
        let (in_force, other) = if self.name == ledger::NAME { (ledger, reference) } else { (reference, ledger) };
        Some(Chosen { in_force, other })
    }

    /// Whether it takes the late part to answer.
    pub fn is_late(&self) -> bool {
        self.name == ledger::NAME || !self.policies.is_empty()
    }
}

/// Choices as the core takes them.
pub fn pairs(policies: &[Choice]) -> Vec<(String, String)> {
    policies.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// What a value that takes a number begins with where none was given.
const FIRST_NUMBER: &str = "4096";

/// As a value is written that was chosen in the list: with a number, where it takes one.
pub fn written(value: &str) -> String {
    match value.strip_suffix("N") {
        Some(stem) if stem.ends_with(':') => [stem, FIRST_NUMBER].concat(),
        _ => value.to_owned(),
    }
}

/// A memory model ready to account; the ledger stands in the late part.
pub fn accountant(memory_model: MemoryModel, late: Option<&'static Late>) -> Option<Accountant> {
    match memory_model {
        MemoryModel::Reference(policies) => Some(Accountant::reference(policies)),
        MemoryModel::Ledger(policies) => late.map(|late| (late.ledger)(policies)),
    }
}

/// The other memory model's figure; cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct OtherModel {
    /// What it says; nothing before it was asked, or where it has no figure.
    pub said: Held<Option<Arc<Other>>>,
    /// Whether that is of the run as it stands.
    pub is_current: Held<bool>,
    /// Whether it was asked.
    pub is_asked: Held<bool>,
}

impl OtherModel {
    /// Follows the run, once the late part is here.
    pub fn of(estimate: EstimateMemos) -> Self {
        let other = Self { said: Held::new(None), is_current: Held::new(false), is_asked: Held::new(false) };
        let ask = Later::new(REST, move || untrack(|| other.ask(estimate)));
        effect(move || {
            estimate.with_report(|_, _| ());
            other.is_current.set(false);
            if late::here().is_some() {
                ask.ask();
            }
        });
        other
    }

    /// Asks now; a run that has an error keeps what was said of it last.
    fn ask(self, estimate: EstimateMemos) {
        let Some(late) = late::here() else { return };
        let Some(by) = estimate.chosen().and_then(|chosen| accountant(chosen.other, Some(late))) else { return };
        let said = estimate.grounds(|grounds| (late.other)(by, grounds.facts, grounds.config, grounds.answer));
        if let Some(said) = said {
            self.said.set(said.map(Arc::new));
            self.is_current.set(true);
            self.is_asked.set(true);
        }
    }
}

impl EstimateMemos {
    /// The two memory models in force, followed; nothing while the late part that reads their policies is on its way.
    pub fn chosen(self) -> Option<Chosen> {
        self.session.memory.with(|memory| memory.chosen(late::here()))
    }

    /// The memory model that answers, followed.
    pub(super) fn accountant(self) -> Option<Accountant> {
        accountant(self.chosen()?.in_force, late::here())
    }
}

impl Workspace {
    /// Chooses a policy's value, or its default again.
    pub fn choose(&mut self, name: &str, value: Option<&str>) {
        let others = self.policies.iter().filter(|(known, _)| &**known != name).cloned();
        self.policies = others.chain(value.map(|value| (name.into(), value.into()))).collect();
    }
}
