//! The run on the page: one plain value, one history, and what follows from acting on them.

use super::history::{Change, History, Moved, What};
use super::memory::MemoryChoice;
use super::ranges::Ranges;
use super::what_if::Typed;
use super::workspace::{ModelSource, Origin, Workspace};
use crate::browser::editing::Utf16Range;
use crate::reactive::{Derived, Held, Value};
use leptos::prelude::{StoredValue, UpdateValue, WithValue};
use shardmem::facts::controls::Control;
use std::sync::Arc;

/// What the page tells once, beside what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A config.json stood where the train.yaml stands and was put where it belongs.
    ConfigTaken,
    /// Another run was pasted over this one: so many settings do not count for it.
    SettingsLeft(usize),
    /// Something was done that can be taken back, in these words.
    Done(Arc<str>),
    /// Something was done, or was not, that is no step; in these words.
    Told(Arc<str>),
    /// Something was asked for that comes late (`late`), and it did not come.
    PartMissing,
}

impl Notice {
    /// Whether it is no step: there is nothing to take back, and it can be forgotten soon.
    pub const fn is_told(&self) -> bool {
        match self {
            Self::Told(_) | Self::PartMissing => true,
            Self::ConfigTaken | Self::SettingsLeft(_) | Self::Done(_) => false,
        }
    }
}

/// A place in one of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Caret {
    text: What,
    range: Utf16Range,
}

/// The run and its history; cheap to copy. Each part is a value of its own, so that a change is felt only by what depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Session {
    workspace: Held<Workspace>,
    history: StoredValue<History>,
    /// What undo and redo would do.
    pub steps: Held<(Option<What>, Option<What>)>,
    /// What is being typed into a control and means nothing yet; the last value counts on.
    pub draft: Held<Option<Typed>>,
    /// What is told beside the last act.
    pub notice: Held<Option<Notice>>,
    /// Where undo or redo led last.
    caret: Held<Option<Caret>>,
    /// The train.yaml.
    pub text: Derived<Arc<str>>,
    /// The pasted config.json.
    pub config: Derived<Arc<str>>,
    /// Where the model comes from.
    pub model: Derived<ModelSource>,
    /// The controls set.
    pub sets: Derived<Arc<[Typed]>>,
    /// Whether the device count stays while degrees move.
    pub pinned: Derived<bool>,
    /// The recompute ranges, where they are edited.
    pub ranges: Derived<Option<Ranges>>,
    /// The memory model, and what was chosen for it.
    pub memory: Derived<MemoryChoice>,
    /// A measured peak, as it was typed.
    pub measured: Derived<Arc<str>>,
    /// What this is compared with.
    pub baseline: Derived<Option<Arc<Workspace>>>,
    /// The stage that was picked.
    pub stage: Derived<Option<usize>>,
    /// Whose the run is.
    pub origin: Derived<Origin>,
}

impl Session {
    /// Begins with a run.
    pub fn new(run: Workspace) -> Self {
        let workspace = Held::new(run);
        Self {
            workspace,
            history: StoredValue::new(History::default()),
            steps: Held::new((None, None)),
            draft: Held::new(None),
            notice: Held::new(None),
            caret: Held::new(None),
            text: part(workspace, |run| run.text.clone()),
            config: part(workspace, |run| run.config.clone()),
            model: part(workspace, |run| run.model.clone()),
            sets: part(workspace, |run| run.sets.clone()),
            pinned: part(workspace, |run| run.pinned),
            ranges: part(workspace, |run| run.ranges.clone()),
            memory: part(workspace, MemoryChoice::of),
            measured: part(workspace, |run| run.measured.clone()),
            baseline: part(workspace, |run| run.baseline.clone()),
            stage: part(workspace, |run| run.stage),
            origin: part(workspace, |run| run.origin),
        }
    }

    /// The whole run as it stands.
    pub fn run(self) -> Workspace {
        self.workspace.get_untracked()
    }

    /// The whole run, followed.
    pub fn followed(self) -> Workspace {
        self.workspace.get()
    }

    /// How many settings differ from the file's.
    pub fn changed(self) -> usize {
        self.workspace.with(Workspace::changed)
    }

    /// Does something that is a step of its own.
    pub fn act(self, what: What, act: impl FnOnce(&mut Workspace)) {
        self.go_on(what.into(), act);
        self.close();
    }

    /// Goes on with a gesture; what belongs to one gesture is one step.
    pub fn go_on(self, change: Change, act: impl FnOnce(&mut Workspace)) {
        let before = self.run();
        let mut after = before.clone();
        act(&mut after);
        self.finish(change, &before, after);
    }

    /// One piece of code for all acts.
    fn finish(self, change: Change, before: &Workspace, after: Workspace) {
        self.draft.set(None);
        if *before == after {
            return;
        }
        self.turn(|history| history.note(before, change));
        self.hush();
        self.go_to(None, after);
    }

    /// The gesture is over.
    pub fn close(self) {
        if self.history.with_value(History::is_open) {
            let now = self.run();
            self.turn(|history| history.close(&now));
        }
    }

    /// The gesture goes on after all: a key that is held down.
    pub fn reopen(self) {
        self.history.update_value(History::reopen);
    }

    /// Sets a control.
    pub fn set(self, control: Control, text: &str) {
        self.go_on(What::Control(control).into(), |run| run.set(control, text));
    }

    /// Gives a control back to the file.
    pub fn reset(self, control: Control) {
        self.go_on(What::Control(control).into(), |run| run.reset(control));
    }

    /// Shows a stage; looking is no step.
    pub fn pick(self, stage: Option<usize>) {
        self.workspace.update(|run| run.stage = stage);
    }

    /// Takes back what was done last: what is being typed and means nothing yet, else the last step.
    pub fn take_back(self) {
        if self.draft.with_untracked(Option::is_some) {
            self.draft.set(None);
        } else {
            self.undo();
        }
    }

    /// Takes the last step back.
    pub fn undo(self) {
        self.travel(History::undo);
    }

    /// Does the step that was taken back again.
    pub fn redo(self) {
        self.travel(History::redo);
    }

    fn travel(self, go: fn(&mut History, &Workspace) -> Option<Moved>) {
        let now = self.run();
        let mut moved = None;
        self.turn(|history| moved = go(history, &now));
        let Some(Moved { state, what, caret }) = moved else { return };
        self.draft.set(None);
        self.hush();
        let caret = caret.map(|range| Caret { text: what, range });
        self.go_to(caret, Workspace { stage: now.stage, ..state });
    }

    fn go_to(self, caret: Option<Caret>, run: Workspace) {
        self.caret.set(caret);
        self.workspace.set(run);
    }

    /// What to select in a text.
    pub fn caret_in(self, text: What) -> Derived<Option<Utf16Range>> {
        Derived::new(move |_| {
            self.caret
                .get()
                .filter(|caret| caret.text == text || (caret.text, text) == (What::Run, What::Text))
                .map(|caret| caret.range)
        })
    }

    fn turn(self, change: impl FnOnce(&mut History)) {
        self.history.update_value(change);
        self.steps.set(self.history.with_value(|history| (history.undoes(), history.redoes())));
    }

    /// Tells something beside what was just done.
    pub fn tell(self, notice: Notice) {
        self.notice.set(Some(notice));
    }

    /// Nothing is told any more.
    pub fn hush(self) {
        self.notice.set(None);
    }
}

fn part<T: Value>(workspace: Held<Workspace>, part: fn(&Workspace) -> T) -> Derived<T> {
    Derived::new(move |_| workspace.with(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos::reactive::owner::Owner;

    #[test]
    fn what_means_nothing_yet_is_taken_back_before_the_last_step() {
        let owner = Owner::new();
        owner.set();
        let session = Session::new(Workspace::of(""));
        session.set(Control::Ep, "16");
        session.draft.set(Some(Typed { control: Control::Tp, text: "2.5".into() }));
        session.take_back();
        assert_eq!((session.draft.get_untracked(), session.run().sets.len()), (None, 1));
        session.take_back();
        assert_eq!(session.run().sets.len(), 0);
    }
}
