//! The run as read: facts of the file, facts with the controls laid over them, and the last ones that could be read.

use super::control_view::Seen;
use super::stage::Stage;
use super::what_if::{Applied, Typed};
use shardmem::diagnostics::{Checked, Errors};
use shardmem::document::Document;
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use std::sync::Arc;

/// What is estimated, in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The model's id, or its name where no catalogue has it.
    pub model: String,
    /// The device count.
    pub devices: i64,
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

/// The last file that could be read; while the text is broken, what is set is laid over it.
#[derive(Debug, Clone)]
pub(super) struct LastFile {
    document: Arc<Checked<Document>>,
    choice: ModelChoice,
    facts: Arc<Checked<Facts>>,
}

/// Each reading is another.
impl PartialEq for LastFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.document, &other.document) && Arc::ptr_eq(&self.facts, &other.facts)
    }
}

impl LastFile {
    /// The present file if it can be read, else the one before.
    pub(super) fn new(
        document: &Stage<Document>,
        choice: Option<&ModelChoice>,
        file: &Stage<Facts>,
        last: Option<&Self>,
    ) -> Option<Self> {
        match (document, choice, file) {
            (Stage::Ready(document), Some(choice), Stage::Ready(facts)) => {
                Some(Self { document: document.clone(), choice: choice.clone(), facts: facts.clone() })
            }
            _ => last.cloned(),
        }
    }

    /// As what can be read.
    pub(super) fn readable(&self) -> Readable<'_> {
        Readable { document: &self.document.value, choice: &self.choice, file: &self.facts.value }
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
    /// What the controls look at; nothing before the first facts.
    pub(super) standing: Option<Standing>,
}

/// The last facts that could be read, and what they were read with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LastGood {
    pub(super) facts: Arc<Checked<Facts>>,
    pub(super) applied: Applied,
    pub(super) identity: Identity,
}

/// What is set, over the last file that could be read: the controls show it also while nothing can be priced.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Standing {
    pub(super) facts: Arc<Checked<Facts>>,
    pub(super) file: Arc<Checked<Facts>>,
    applied: Applied,
    wanted: Wanted,
    /// Whether what is set makes facts that cannot be read: these are others.
    is_behind: bool,
}

impl Reading {
    /// Lays what the user set over a file as read.
    pub(super) fn new(file: &Stage<Facts>, source: Option<&LastFile>, wanted: Wanted, last: Option<&Self>) -> Self {
        let last = last.and_then(|last| last.last.clone());
        let Some(source) = source else {
            return Self { facts: file.clone(), applied: Applied::default(), last, standing: None };
        };
        let readable = source.readable();
        let applied = Applied::new(readable, &wanted.sets, wanted.pinned);
        let read = if applied.overrides.is_empty() {
            Stage::Ready(source.facts.clone())
        } else {
            Stage::of(readable.read(&applied.overrides))
        };
        let standing = |last: Option<&LastGood>| Standing {
            facts: match (&read, last) {
                (Stage::Ready(facts), _) => facts.clone(),
                (Stage::Refused(_) | Stage::Waiting, Some(last)) => last.facts.clone(),
                (Stage::Refused(_) | Stage::Waiting, None) => source.facts.clone(),
            },
            file: source.facts.clone(),
            applied: applied.clone(),
            wanted,
            is_behind: read.value().is_none(),
        };
        if file.value().is_none() {
            let standing = Some(standing(last.as_ref()));
            return Self { facts: file.clone(), applied: Applied::default(), last, standing };
        }
        let good = match &read {
            Stage::Ready(facts) => Some(LastGood {
                identity: identity(readable.document, readable.choice, &facts.value),
                facts: facts.clone(),
                applied: applied.clone(),
            }),
            Stage::Refused(_) | Stage::Waiting => None,
        };
        let last = good.or(last);
        let standing = Some(standing(last.as_ref()));
        Self { facts: read, applied, last, standing }
    }
}

impl Standing {
    /// What the controls look at.
    pub(super) fn seen(&self) -> Seen<'_> {
        Seen {
            facts: &self.facts.value,
            file: &self.file.value,
            sets: &self.wanted.sets,
            draft: self.wanted.draft.as_ref(),
            applied: &self.applied,
            pinned: self.wanted.pinned,
            is_behind: self.is_behind,
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
    Identity { model, devices: facts.devices() }
}
