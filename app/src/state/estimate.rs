//! Everything that follows from what the user wrote, as memos: a change stops where it no longer matters (a comment at the
//! facts, the theme nowhere).

use super::control_view::{control_view, numbers, text};
use super::findings::{Finding, Spot};
use super::memory::{MemoryChoice, accountant};
use super::outcome::{self, Outcome, RangesRead};
use super::ranges::{self, Ranges};
use super::reading::{Identity, LastFile, LastGood, Reading, Standing, Wanted};
use super::stage::Stage;
use super::what_if::{Applied, Typed};
use super::{ModelSource, Session, Workspace};
use crate::components::control_row::{ControlView, Problem};
use crate::late::{self, Late};
use crate::messages::{Language, Messages};
use crate::reactive::{Derived, Held};
use shardmem::accounting::Accountant;
use shardmem::diagnostics::{Diagnostic, Findings, Place, Severity};
use shardmem::document::{self, Document};
use shardmem::facts::controls::{Control, Setting};
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use shardmem::placement::{self, Placement};
use shardmem::provenance::{KeyPath, Source};
use shardmem::report::{Report, messages};
use shardmem::text::{LineIndex, Span};
use std::sync::Arc;

/// The memos; cheap to copy, equal values never notify.
#[derive(Debug, Clone, Copy)]
pub struct EstimateMemos {
    pub(super) document: Derived<Stage<Document>>,
    pub(super) model: Derived<ModelRead>,
    last_file: Derived<Option<LastFile>>,
    pub(super) reading: Derived<Reading>,
    pub(super) ranges: Derived<RangesRead>,
    outcome: Derived<Outcome>,
    /// Everything found, in the order of the flow.
    pub findings: Derived<Vec<Finding>>,
    pub(super) session: Session,
}

/// The model that the run is read with; none while a pasted config.json cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelRead {
    pub(super) config: Stage<Document>,
    pub(super) choice: Option<ModelChoice>,
}

/// A run read from its text to its figures, without memory of what came before.
pub(super) struct RunRead {
    pub(super) document: Stage<Document>,
    pub(super) reading: Reading,
    pub(super) outcome: Outcome,
}

impl RunRead {
    /// Reads a run at once.
    pub(super) fn of(run: &Workspace) -> Self {
        let document = Stage::of(document::parse(&run.text));
        let model = model_read(&run.model, &run.config);
        let file = read_file(document.value(), model.choice.as_ref());
        let wanted = Wanted { sets: run.sets.clone(), draft: None, pinned: run.pinned };
        let source = LastFile::new(&document, model.choice.as_ref(), &file, None);
        let reading = Reading::new(&file, source.as_ref(), wanted, None);
        let by = by(&MemoryChoice::of(run), late::here());
        let outcome = Outcome::new(&reading.facts, &reading.applied, &read_ranges(run.ranges.as_ref()), by, None);
        Self { document, reading, outcome }
    }
}

impl EstimateMemos {
    /// Derives everything from what the reader decides.
    pub fn new(session: Session, language: Held<Language>) -> Self {
        let document = Derived::new(move |_| session.text.with(|text| Stage::of(document::parse(text))));
        let model = Derived::new(move |_| model_read(&session.model.get(), &session.config.get()));
        let file = Derived::new(move |_| {
            model.with(|model| document.with(|document| read_file(document.value(), model.choice.as_ref())))
        });
        let last_file = Derived::new(move |last: Option<&Option<LastFile>>| {
            let last = last.and_then(Option::as_ref);
            model.with(|model| {
                document.with(|document| file.with(|file| LastFile::new(document, model.choice.as_ref(), file, last)))
            })
        });
        let reading = Derived::new(move |last: Option<&Reading>| {
            let wanted = Wanted { sets: session.sets.get(), draft: session.draft.get(), pinned: session.pinned.get() };
            last_file.with(|source| file.with(|file| Reading::new(file, source.as_ref(), wanted, last)))
        });
        let ranges = Derived::new(move |_| session.ranges.with(|rows| read_ranges(rows.as_ref())));
        let outcome = Derived::new(move |last: Option<&Outcome>| {
            reading.with(|reading| {
                ranges.with(|ranges| {
                    let by = session.memory.with(|memory| by(memory, late::here()));
                    Outcome::new(&reading.facts, &reading.applied, ranges, by, last.cloned())
                })
            })
        });
        let findings = Derived::new(move |_| {
            let texts = Texts { session, document, model, language: language.get() };
            let mut findings = Vec::new();
            document.with(|stage| texts.add(stage.findings(), &mut findings));
            model.with(|model| texts.add(model.config.findings(), &mut findings));
            reading.with(|reading| texts.add(reading.facts.findings(), &mut findings));
            ranges.with(|ranges| texts.add(ranges.iter().flat_map(Stage::findings), &mut findings));
            outcome.with(|outcome| texts.add(outcome.findings.iter(), &mut findings));
            findings
        });
        Self { document, model, last_file, reading, ranges, outcome, findings, session }
    }

    /// Reads the figures, and whether they are the last good ones; nothing if there never were any.
    pub fn with_report<T>(self, read: impl FnOnce(&Arc<Report>, bool) -> T) -> Option<T> {
        self.outcome.with(|outcome| outcome.shown.as_ref().map(|shown| read(shown.report(), shown.is_stale())))
    }

    /// Reads the text's tree, and what was understood of the run last; nothing while the text is broken.
    pub(super) fn with_read<T>(self, read: impl FnOnce(&Document, Option<&LastGood>) -> T) -> Option<T> {
        self.document.with(|document| {
            let document = document.value()?;
            Some(self.reading.with(|reading| read(document, reading.last.as_ref())))
        })
    }

    /// The line at which the value of a key stands in a text of the page, whole.
    pub fn line_of(self, source: Source, path: KeyPath) -> Option<Spot> {
        let Self { document, model, session, .. } = self;
        let texts = Texts { session, document, model, language: Language::default() };
        let (lines, span) = texts.locate(source, &Place::Value(source, path))?;
        let line = lines.line_span(lines.position(span.start).line);
        Some(Spot::new(source, &lines, line))
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
    pub fn control(self, control: Control, say: &'static Messages) -> Option<ControlView> {
        self.reading.with(|reading| {
            let standing = reading.standing.as_ref()?;
            let mut view = control_view(control, &standing.seen(), say);
            if control == Control::Recompute && self.session.ranges.with(Option::is_some) {
                view.problem = Some(Problem::Disabled(say.ranges_decide.to_owned()));
            } else {
                self.mark_refused(control, reading, &mut view, say);
            }
            Some(view)
        })
    }

    /// A value that the reading refuses stays in its control, marked.
    fn mark_refused(self, control: Control, reading: &Reading, view: &mut ControlView, say: &Messages) {
        if reading.facts.value().is_some() || view.problem.is_some() {
            return;
        }
        let typed = self.session.sets.with(|sets| sets.iter().find(|set| set.control == control).cloned());
        let Some(Typed { text, .. }) = typed else { return };
        let is_about = |finding: &&Diagnostic| {
            finding.severity == Severity::Error
                && finding.place.key_path().is_some_and(|path| path.to_string() == view.key)
        };
        if let Some(finding) = reading.facts.findings().find(is_about) {
            view.problem = Some(Problem::Refused(messages::message(finding, say.spoken)));
            view.typed = Some(text);
        }
    }

    /// Whether a control takes a value, whatever becomes of the run.
    pub fn takes(self, control: Control, setting: &Setting) -> bool {
        self.reading.with_untracked(|reading| {
            let seen = reading.standing.as_ref().map(Standing::seen);
            seen.is_some_and(|seen| {
                control.setting(seen.facts) == *setting || control.set(setting, seen.facts, seen.pinned).is_ok()
            })
        })
    }

    /// The values on a control's track.
    pub fn steps(self, control: Control) -> Vec<i64> {
        self.reading.with_untracked(|reading| {
            reading.standing.as_ref().map_or(Vec::new(), |standing| numbers(control, &standing.facts.value))
        })
    }

    /// How many layers the model has, MTP layers included.
    pub fn layers(self) -> i64 {
        self.reading.with_untracked(|reading| {
            let facts = reading.last.as_ref().map(|last| &last.facts.value);
            let config = facts.and_then(|facts| outcome::config(facts, &None, &mut Findings::new()));
            config.map_or(0, |config| config.primary().layers.saturating_add(config.primary().mtp_layers))
        })
    }

    /// Reads where the layers run, as last understood, and follows it; nothing where they cannot be placed.
    pub fn with_placement<T>(self, read: impl FnOnce(&Placement) -> T) -> Option<T> {
        self.ranges.with(|ranges| {
            self.reading.with(|reading| {
                let facts = &reading.last.as_ref()?.facts.value;
                let mut findings = Findings::new();
                let config = outcome::config(facts, ranges, &mut findings)?;
                findings.take(placement::place(&config)).map(|placement| read(&placement))
            })
        })
    }

    /// What the run recomputes by itself, as rows to edit; nothing where it cannot be read.
    pub fn ranges(self) -> Option<Ranges> {
        self.reading.with_untracked(|reading| {
            let facts = &reading.last.as_ref()?.facts.value;
            let config = outcome::config(facts, &None, &mut Findings::new())?;
            Some(ranges::of_config(&config))
        })
    }

    /// What a control stands at.
    pub fn value(self, control: Control) -> String {
        self.reading.with_untracked(|reading| {
            let standing = reading.standing.as_ref();
            standing.map_or(String::new(), |standing| text(&control.setting(&standing.facts.value)))
        })
    }

    /// Sets a control, or gives it back to the file where it would stand there anyway.
    pub fn set(self, control: Control, value: &str) {
        if control.read(value).is_none() {
            self.session.draft.set(Some(Typed { control, text: value.to_owned() }));
        } else if self.stands_without(control, value) {
            self.session.reset(control);
        } else {
            self.session.set(control, value);
        }
    }

    /// Whether a control has this value without being set, what it moves along with included.
    fn stands_without(self, control: Control, value: &str) -> bool {
        let is_other = |set: &&Typed| set.control != control;
        let others: Vec<Typed> =
            self.session.sets.with_untracked(|sets| sets.iter().filter(is_other).cloned().collect());
        let pinned = self.session.pinned.get_untracked();
        self.last_file.with_untracked(|source| {
            let Some(source) = source.as_ref().map(LastFile::readable) else { return false };
            if text(&control.setting(source.file)) != value {
                return false;
            }
            let overrides = Applied::new(source, &others, pinned).overrides;
            source.read(&overrides).is_ok_and(|facts| text(&control.setting(&facts.value)) == value)
        })
    }
}

/// The memory model that answers.
fn by(memory: &MemoryChoice, late: Option<&'static Late>) -> Option<Accountant> {
    accountant(memory.chosen(late)?.in_force, late)
}

/// The facts of the file alone.
fn read_file(document: Option<&Document>, choice: Option<&ModelChoice>) -> Stage<Facts> {
    match (document, choice) {
        (Some(document), Some(choice)) => Stage::of(facts::read(document, choice, &Overrides::none(), None)),
        _ => Stage::Waiting,
    }
}

fn model_read(source: &ModelSource, config: &str) -> ModelRead {
    match source {
        ModelSource::File => ModelRead { config: Stage::Waiting, choice: Some(ModelChoice::Named) },
        ModelSource::Catalogue(id) => {
            ModelRead { config: Stage::Waiting, choice: Some(ModelChoice::Catalogue(id.clone())) }
        }
        ModelSource::Config => {
            let config = Stage::of(document::parse_json(config));
            let choice = config.value().map(|document| ModelChoice::Config(Arc::new(document.clone())));
            ModelRead { config, choice }
        }
    }
}

fn read_ranges(rows: Option<&Ranges>) -> RangesRead {
    rows.map(|rows| Stage::of(ranges::read(rows)))
}

/// The two texts that a finding may lie in.
#[derive(Clone, Copy)]
struct Texts {
    session: Session,
    document: Derived<Stage<Document>>,
    model: Derived<ModelRead>,
    language: Language,
}

impl Texts {
    fn add<'a>(self, diagnostics: impl Iterator<Item = &'a Diagnostic>, findings: &mut Vec<Finding>) {
        for diagnostic in diagnostics {
            let source = source_of(&diagnostic.place);
            let located = source.and_then(|source| self.locate(source, &diagnostic.place));
            let located = located.as_ref().map(|(lines, span)| (lines, *span));
            findings.push(Finding::new(diagnostic, source.unwrap_or_default(), located, self.language));
        }
    }

    fn locate(self, source: Source, place: &Place) -> Option<(LineIndex, Span)> {
        match source {
            Source::Run => self.document.with(|document| locate(document, self.session.text, place)),
            Source::Model => self.model.with(|model| locate(&model.config, self.session.config, place)),
            Source::Execution => None,
        }
    }
}

fn locate(document: &Stage<Document>, text: Derived<Arc<str>>, place: &Place) -> Option<(LineIndex, Span)> {
    match (document.value(), place) {
        (Some(document), _) => document.locate(place).map(|span| (document.lines.clone(), span)),
        // A text that could not be read has lines all the same.
        (None, Place::Span(_, span)) => Some((LineIndex::new(text.get()), *span)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;
    use crate::state::Sample;
    use leptos::prelude::untrack;
    use leptos::reactive::owner::Owner;

    /// The page's state over the sample, with its owner.
    fn opened() -> (Owner, Session, EstimateMemos) {
        let owner = Owner::new();
        owner.set();
        let session = Session::new(Workspace::of(Sample::OPENING.text));
        (owner, session, EstimateMemos::new(session, Held::new(Language::English)))
    }

    fn view(estimate: &EstimateMemos, control: Control) -> ControlView {
        untrack(|| estimate.control(control, messages::of(Language::English))).expect("facts were read")
    }

    /// What the reader sees in a control's box.
    fn shown(estimate: &EstimateMemos, control: Control) -> String {
        let view = view(estimate, control);
        view.typed.unwrap_or(view.value)
    }

    #[test]
    fn what_is_typed_stays_whatever_the_run_says_of_it() {
        let (_owner, _, estimate) = opened();
        for control in Control::ALL.iter().copied() {
            let before = view(&estimate, control);
            if matches!(before.problem, Some(Problem::Disabled(_))) || before.value.parse::<i64>().is_err() {
                continue;
            }
            for text in ["", "1", "1024", "", "9999999999", "-1"] {
                estimate.set(control, text);
                assert_eq!(shown(&estimate, control), text, "{}", control.name());
            }
            estimate.set(control, &before.value);
            assert_eq!(view(&estimate, control), before);
        }
    }

    #[test]
    fn a_value_that_cannot_be_read_hides_no_other() {
        let (_owner, _, estimate) = opened();
        assert_eq!(shown(&estimate, Control::MicroBatch), "1");
        estimate.set(Control::Ep, "9999999999");
        assert!(!untrack(|| estimate.is_read()));
        estimate.set(Control::MicroBatch, "4");
        assert_eq!(shown(&estimate, Control::MicroBatch), "4");
        assert_eq!(shown(&estimate, Control::Ep), "9999999999");
    }

    #[test]
    fn a_text_is_typed_letter_by_letter() {
        let (_owner, _, estimate) = opened();
        for text in ["8", "80", "80G", "80GB", "80 GB", "9999999TB", "much", "64gb"] {
            estimate.set(Control::DeviceMemory, text);
            assert_eq!(shown(&estimate, Control::DeviceMemory), text);
        }
        estimate.set(Control::DeviceMemory, "80 GB");
        assert_eq!(view(&estimate, Control::DeviceMemory).value, "80GB");
    }

    #[test]
    fn while_the_text_is_broken_controls_show_what_is_set() {
        let (_owner, session, estimate) = opened();
        session.set(Control::Ep, "16");
        assert_eq!(untrack(|| estimate.with_report(|_, is_stale| is_stale)), Some(false));
        session.act(super::super::history::What::Text, |run| run.text = "model: [".into());
        assert_eq!(shown(&estimate, Control::Ep), "16");
        estimate.set(Control::Tp, "16");
        estimate.set(Control::Recompute, "off");
        assert_eq!(shown(&estimate, Control::Tp), "16");
        assert_eq!(shown(&estimate, Control::Recompute), "off");
        assert_eq!(estimate.value(Control::Tp), "16");
        assert_eq!(view(&estimate, Control::Tp).before.as_deref(), Some("1"));
        estimate.set(Control::Tp, "3");
        assert!(matches!(view(&estimate, Control::Tp).problem, Some(Problem::Refused(_))));
        // Back at the file's value it is not set any more.
        estimate.set(Control::Tp, "1");
        session.reset(Control::Ep);
        assert_eq!(session.run().sets.len(), 1);
        assert_eq!(shown(&estimate, Control::Ep), "8");
        assert_eq!(untrack(|| estimate.with_report(|_, is_stale| is_stale)), Some(true));
    }
}
