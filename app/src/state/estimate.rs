//! Everything that follows from what the user wrote, as memos: a change stops where it no longer matters (a comment at the
//! facts, the theme nowhere).

use super::control_view::{control_view, reachable_numbers, text};
use super::findings::Finding;
use super::outcome::Outcome;
use super::reading::{Identity, Readable, Reading, Wanted};
use super::run::ModelSource;
use super::stage::Stage;
use super::what_if::{Applied, Typed};
use super::{EditorText, ModelInput, WhatIf};
use crate::components::control_row::ControlView;
use crate::messages::Messages;
use leptos::prelude::*;
use shardmem::diagnostics::{Diagnostic, Place};
use shardmem::document::{self, Document};
use shardmem::facts::controls::Control;
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use shardmem::provenance::Source;
use shardmem::report::Report;
use shardmem::text::{LineIndex, Span};
use std::sync::Arc;

/// The memos; cheap to copy, equal values never notify.
#[derive(Debug, Clone, Copy)]
pub struct EstimateMemos {
    document: Memo<Stage<Document>>,
    model: Memo<ModelRead>,
    reading: Memo<Reading>,
    outcome: Memo<Outcome>,
    /// Everything found, in the order of the flow.
    pub findings: Memo<Vec<Finding>>,
    what_if: WhatIf,
}

/// The model that the run is read with; none while a pasted config.json cannot be read.
#[derive(Debug, Clone, PartialEq)]
struct ModelRead {
    config: Stage<Document>,
    choice: Option<ModelChoice>,
}

impl EstimateMemos {
    /// Derives everything from what the user writes.
    pub fn new(editor: EditorText, input: ModelInput, what_if: WhatIf) -> Self {
        let document = Memo::new(move |_| editor.text.with(|text| Stage::of(document::parse(text))));
        let model = Memo::new(move |_| model_read(input));
        let file = Memo::new(move |_| {
            model.with(|model| document.with(|document| read_file(document.value(), model.choice.as_ref())))
        });
        let reading = Memo::new(move |last: Option<&Reading>| {
            let wanted = Wanted { sets: what_if.sets.get(), draft: what_if.draft.get(), pinned: what_if.pinned.get() };
            model.with(|model| {
                document.with(|document| {
                    file.with(|file| Reading::new(document.value(), model.choice.as_ref(), file, wanted, last))
                })
            })
        });
        let outcome = Memo::new(move |last: Option<&Outcome>| {
            reading.with(|reading| Outcome::new(&reading.facts, &reading.applied, last.cloned()))
        });
        let findings = Memo::new(move |_| {
            let texts = Texts { editor, input, document, model };
            let mut findings = Vec::new();
            document.with(|stage| texts.add(stage.findings(), &mut findings));
            model.with(|model| texts.add(model.config.findings(), &mut findings));
            reading.with(|reading| texts.add(reading.facts.findings(), &mut findings));
            outcome.with(|outcome| texts.add(outcome.findings.iter(), &mut findings));
            findings
        });
        Self { document, model, reading, outcome, findings, what_if }
    }

    /// Reads the figures, and whether they are the last good ones; nothing if there never were any.
    pub fn with_report<T>(self, read: impl FnOnce(&Arc<Report>, bool) -> T) -> Option<T> {
        self.outcome.with(|outcome| outcome.shown.as_ref().map(|shown| read(shown.report(), shown.is_stale())))
    }

    /// Reads what is estimated, as last understood.
    pub fn with_identity<T>(self, read: impl FnOnce(&Identity) -> T) -> Option<T> {
        self.reading.with(|reading| reading.last.as_ref().map(|last| read(&last.identity)))
    }

    /// Whether the run as it stands can be read; if not, what is shown of it is what was understood last.
    pub fn is_read(self) -> bool {
        self.reading.with(|reading| reading.facts.value().is_some())
    }

    /// What a control shows; nothing before the first facts.
    pub fn control(self, control: Control, say: &'static Messages) -> Memo<Option<ControlView>> {
        Memo::new(move |_| {
            self.reading.with(|reading| reading.last.as_ref().map(|last| control_view(control, &last.seen(), say)))
        })
    }

    /// The values that a control's slider steps over.
    pub fn steps(self, control: Control) -> Vec<i64> {
        self.reading.with_untracked(|reading| {
            reading.last.as_ref().map_or(Vec::new(), |last| reachable_numbers(control, &last.seen()))
        })
    }

    /// What a control stands at.
    pub fn value(self, control: Control) -> String {
        self.reading.with_untracked(|reading| {
            reading.last.as_ref().map_or(String::new(), |last| text(&control.setting(&last.facts.value)))
        })
    }

    /// Sets a control, or gives it back to the file where it would stand there anyway.
    pub fn set(self, control: Control, value: &str) {
        if control.read(value).is_none() {
            self.what_if.keep_draft(control, value);
        } else if self.stands_without(control, value) {
            self.what_if.reset(control);
        } else {
            self.what_if.set(control, value);
        }
    }

    /// Whether a control has this value without being set, what it moves along with included.
    fn stands_without(self, control: Control, value: &str) -> bool {
        let in_file = self.reading.with_untracked(|reading| {
            reading.last.as_ref().is_some_and(|last| text(&control.setting(&last.file.value)) == value)
        });
        if !in_file {
            return false;
        }
        let is_other = |set: &&Typed| set.control != control;
        let others: Vec<Typed> =
            self.what_if.sets.with_untracked(|sets| sets.iter().filter(is_other).cloned().collect());
        let pinned = self.what_if.pinned.get_untracked();
        self.model.with_untracked(|model| {
            self.document.with_untracked(|document| {
                let (Some(document), Some(choice)) = (document.value(), &model.choice) else { return false };
                self.reading.with_untracked(|reading| {
                    let Some(last) = &reading.last else { return false };
                    let source = Readable { document, choice, file: &last.file.value };
                    let overrides = Applied::new(source, &others, pinned).overrides;
                    source.read(&overrides).is_ok_and(|facts| text(&control.setting(&facts.value)) == value)
                })
            })
        })
    }
}

/// The facts of the file alone.
fn read_file(document: Option<&Document>, choice: Option<&ModelChoice>) -> Stage<Facts> {
    match (document, choice) {
        (Some(document), Some(choice)) => Stage::of(facts::read(document, choice, &Overrides::none(), None)),
        _ => Stage::Waiting,
    }
}

fn model_read(input: ModelInput) -> ModelRead {
    let config = Stage::Waiting;
    match input.source.get() {
        ModelSource::File => ModelRead { config, choice: Some(ModelChoice::Named) },
        ModelSource::Catalogue(id) => ModelRead { config, choice: Some(ModelChoice::Catalogue(id.into())) },
        ModelSource::Config => {
            let config = input.config.with(|config| Stage::of(document::parse_json(config)));
            let choice = config.value().map(|document| ModelChoice::Config(Arc::new(document.clone())));
            ModelRead { config, choice }
        }
    }
}

/// The two texts that a finding may lie in.
#[derive(Clone, Copy)]
struct Texts {
    editor: EditorText,
    input: ModelInput,
    document: Memo<Stage<Document>>,
    model: Memo<ModelRead>,
}

impl Texts {
    fn add<'a>(self, diagnostics: impl Iterator<Item = &'a Diagnostic>, findings: &mut Vec<Finding>) {
        for diagnostic in diagnostics {
            let source = source_of(&diagnostic.place);
            let located = source.and_then(|source| self.locate(source, &diagnostic.place));
            let located = located.as_ref().map(|(lines, span)| (lines, *span));
            findings.push(Finding::new(diagnostic, source.unwrap_or_default(), located));
        }
    }

    fn locate(self, source: Source, place: &Place) -> Option<(LineIndex, Span)> {
        match source {
            Source::Run => self.document.with(|document| locate(document, self.editor.text, place)),
            Source::Model => self.model.with(|model| locate(&model.config, self.input.config, place)),
            Source::Execution => None,
        }
    }
}

fn locate(document: &Stage<Document>, text: RwSignal<String>, place: &Place) -> Option<(LineIndex, Span)> {
    match (document.value(), place) {
        (Some(document), _) => document.locate(place).map(|span| (document.lines.clone(), span)),
        // A text that could not be read has lines all the same.
        (None, Place::Span(_, span)) => Some((text.with(|text| LineIndex::new(text.as_str().into())), *span)),
        (None, Place::Key(..) | Place::Value(..) | Place::Missing(..) | Place::Whole) => None,
    }
}

const fn source_of(place: &Place) -> Option<Source> {
    match place {
        Place::Span(source, _) | Place::Key(source, _) | Place::Value(source, _) | Place::Missing(source, _) => {
            Some(*source)
        }
        Place::Whole => None,
    }
}
