//! The run as read: facts of the file, facts with the controls laid over them, and the last ones that could be read.

use super::control_view::Seen;
use super::stage::Stage;
use super::what_if::{Applied, Typed};
use shardmem::diagnostics::{Checked, Errors};
use shardmem::document::Document;
use shardmem::estimate;
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use std::sync::Arc;

/// What is estimated, in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The model's id, or its name where no catalogue has it.
    pub model: String,
    /// The device count.
    pub devices: i64,
    /// The memory model.
    pub memory_model: &'static str,
}

/// A file that can be read, and its facts without overrides.
#[derive(Clone, Copy)]
pub(super) struct Readable<'a> {
    pub(super) document: &'a Document,
    pub(super) choice: &'a ModelChoice,
    pub(super) file: &'a Facts,
}

impl Readable<'_> {
    /// The facts with overrides.
    pub(super) fn read(self, overrides: &Overrides) -> Result<Checked<Facts>, Errors> {
        facts::read(self.document, self.choice, overrides, None)
    }
}

/// What the user set.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    pub(super) sets: Arc<[Typed]>,
    pub(super) draft: Option<Typed>,
    pub(super) pinned: bool,
}

/// The run as read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reading {
    /// With the controls.
    pub(super) facts: Stage<Facts>,
    /// What the controls did.
    pub(super) applied: Applied,
    /// The last that could be read.
    pub(super) last: Option<LastGood>,
}

/// The last facts that could be read, and what they were read with: the controls show them while a text is broken.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LastGood {
    pub(super) facts: Arc<Checked<Facts>>,
    pub(super) file: Arc<Checked<Facts>>,
    pub(super) applied: Applied,
    pub(super) wanted: Wanted,
    pub(super) identity: Identity,
}

impl Reading {
    /// Lays what the user set over a file as read.
    pub(super) fn new(
        document: Option<&Document>,
        choice: Option<&ModelChoice>,
        file: &Stage<Facts>,
        wanted: Wanted,
        last: Option<&Self>,
    ) -> Self {
        let last = last.and_then(|last| last.last.clone());
        let (Some(document), Some(choice), Some(file_facts)) = (document, choice, file.value()) else {
            return Self { facts: file.clone(), applied: Applied::default(), last };
        };
        let source = Readable { document, choice, file: file_facts };
        let applied = Applied::new(source, &wanted.sets, wanted.pinned);
        let facts =
            if applied.overrides.is_empty() { file.clone() } else { Stage::of(source.read(&applied.overrides)) };
        let good = match (&facts, file) {
            (Stage::Ready(facts), Stage::Ready(file)) => Some(LastGood {
                identity: identity(document, choice, &facts.value),
                facts: facts.clone(),
                file: file.clone(),
                applied: applied.clone(),
                wanted,
            }),
            _ => None,
        };
        Self { facts, applied, last: good.or(last) }
    }
}

impl LastGood {
    /// What the controls look at.
    pub(super) fn seen(&self) -> Seen<'_> {
        Seen {
            facts: &self.facts.value,
            file: &self.file.value,
            sets: &self.wanted.sets,
            draft: self.wanted.draft.as_ref(),
            applied: &self.applied,
            pinned: self.wanted.pinned,
        }
    }
}

fn identity(document: &Document, choice: &ModelChoice, facts: &Facts) -> Identity {
    let id = facts.model.catalogue_id.as_deref();
    let named = || match choice {
        ModelChoice::Named => facts::named_model(document),
        // The file names another model than the one that counts.
        ModelChoice::Catalogue(_) | ModelChoice::Config(_) | ModelChoice::Unreadable => None,
    };
    let model = id.map(str::to_owned).or_else(named).unwrap_or_else(|| facts.model.name.value.to_string());
    Identity { model, devices: facts.devices(), memory_model: estimate::DEFAULT_MEMORY_MODEL }
}
