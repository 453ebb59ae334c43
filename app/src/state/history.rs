//! One history for everything that is decided: text, controls, model, pin, ranges. One drag is one step, one burst of typing
//! is one step; memory is bounded.

use super::Workspace;
use crate::browser::editing::Utf16Range;
use shardmem::facts::controls::Control;
use std::sync::Arc;

/// Steps kept.
const MOST_STEPS: usize = 400;
/// Bytes of text kept; the last step is kept whatever it weighs.
const MOST_BYTES: usize = 16 << 20;
/// A longer pause ends a burst of typing; milliseconds.
const PAUSE: f64 = 600.0;

/// What a step changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// The train.yaml was edited.
    Text,
    /// The config.json was edited.
    Config,
    /// Another run took the place of the one before.
    Run,
    /// A link or a state's file was opened, or the reader's own run again.
    Link,
    /// Another model was chosen.
    Model,
    /// A control was set or given back.
    Control(Control),
    /// All controls were given back.
    AllControls,
    /// The device count was pinned, or not any more.
    Devices,
    /// The recompute ranges were edited.
    Ranges,
    /// A baseline was pinned, swapped or taken away.
    Baseline,
    /// What was set was written into the file.
    Applied,
    /// Another memory model was chosen.
    MemoryModel,
    /// A policy was chosen.
    Policy,
    /// A measured peak was typed.
    Measured,
}

/// What a text's edit was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    /// Characters were typed or deleted.
    Typed,
    /// A line was broken: the next burst begins with it.
    Broken,
    /// Something was pasted, dropped or cut: a step of its own.
    Pasted,
}

/// An edit of a text, from the caret's side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edit {
    /// What it was.
    pub edited: Edited,
    /// What was selected before it.
    pub before: Utf16Range,
    /// What is selected after it.
    pub after: Utf16Range,
    /// When, in milliseconds.
    pub time: f64,
}

/// A change about to be noted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// What changes.
    pub what: What,
    /// How, where a text is edited.
    pub edit: Option<Edit>,
}

impl From<What> for Change {
    fn from(what: What) -> Self {
        Self { what, edit: None }
    }
}

/// A state to go to, and what was selected there.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The state.
    pub state: Workspace,
    /// What changes on the way.
    pub what: What,
    /// What is selected in the text that changes.
    pub caret: Option<Utf16Range>,
}

/// A change that was made: the state on its other side, and the edit.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    state: Workspace,
    what: What,
    edit: Option<Edit>,
}

/// The steps back and forth.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    /// Oldest first.
    past: Vec<Step>,
    /// The next one to redo last.
    future: Vec<Step>,
    /// Whether the last step still grows.
    is_open: bool,
}

impl History {
    /// Notes a change that leads away from `before`. A change of the gesture under way joins its step.
    pub fn note(&mut self, before: &Workspace, change: Change) {
        self.future.clear();
        let joined = self.past.last_mut().filter(|last| self.is_open && last.continues_with(&change));
        if let Some(last) = joined {
            if let (Some(edit), Some(new)) = (&mut last.edit, change.edit) {
                *edit = Edit { before: edit.before, edited: edit.edited, ..new };
            }
            return;
        }
        let Change { what, edit } = change;
        self.past.push(Step { state: before.clone(), what, edit });
        self.is_open = edit.is_none_or(|edit| edit.edited != Edited::Pasted);
        self.forget();
    }

    /// The gesture is over; if it led back to where it began there was none.
    pub fn close(&mut self, now: &Workspace) {
        if self.is_open && self.past.last().is_some_and(|last| last.state == *now) {
            self.past.pop();
        }
        self.is_open = false;
    }

    /// The last step grows after all.
    pub const fn reopen(&mut self) {
        self.is_open = true;
    }

    /// Whether a gesture is under way that may have led nowhere.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// What undo would take back.
    pub fn undoes(&self) -> Option<What> {
        self.past.last().map(|step| step.what)
    }

    /// What redo would do again.
    pub fn redoes(&self) -> Option<What> {
        self.future.last().map(|step| step.what)
    }

    /// Takes the last step back.
    pub fn undo(&mut self, now: &Workspace) -> Option<Moved> {
        self.close(now);
        let Step { state, what, edit } = self.past.pop()?;
        self.future.push(Step { state: now.clone(), what, edit });
        Some(Moved { state, what, caret: edit.map(|edit| edit.before) })
    }

    /// Does the last step that was taken back again.
    pub fn redo(&mut self, now: &Workspace) -> Option<Moved> {
        self.is_open = false;
        let Step { state, what, edit } = self.future.pop()?;
        self.past.push(Step { state: now.clone(), what, edit });
        Some(Moved { state, what, caret: edit.map(|edit| edit.after) })
    }

    /// Forgets the oldest steps as far as there is no room for them.
    fn forget(&mut self) {
        let mut bytes = 0;
        let mut kept = 0;
        let mut later: Option<&Workspace> = None;
        for step in self.past.iter().rev() {
            // The newest shares its texts with the present.
            bytes += later.map_or(0, |later| weight(&step.state, later));
            if kept > 0 && (bytes > MOST_BYTES || kept == MOST_STEPS) {
                break;
            }
            kept += 1;
            later = Some(&step.state);
        }
        let forgotten = self.past.len() - kept;
        self.past.drain(..forgotten);
    }
}

impl Step {
    /// Whether a change belongs to the gesture that made this step.
    fn continues_with(&self, change: &Change) -> bool {
        let joins = match (&self.edit, &change.edit) {
            (Some(last), Some(new)) => {
                new.edited == Edited::Typed && new.before == last.after && new.time - last.time < PAUSE
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        joins && self.what == change.what
    }
}

/// What a state holds that the next later one does not share with it.
fn weight(state: &Workspace, later: &Workspace) -> usize {
    let own = |text: &Arc<str>, later: &Arc<str>| if Arc::ptr_eq(text, later) { 0 } else { text.len() };
    let pinned = match (&state.baseline, &later.baseline) {
        (Some(baseline), Some(later)) if Arc::ptr_eq(baseline, later) => 0,
        (Some(baseline), _) => baseline.text.len() + baseline.config.len(),
        (None, _) => 0,
    };
    own(&state.text, &later.text) + own(&state.config, &later.config) + pinned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(caret: u32) -> Utf16Range {
        Utf16Range { start: caret, end: caret }
    }

    /// A page of its own: a state and its history.
    struct Page {
        now: Workspace,
        history: History,
    }

    impl Page {
        fn new() -> Self {
            Self { now: Workspace::of(""), history: History::default() }
        }

        fn types(&mut self, piece: &str, caret: u32, time: f64, edited: Edited) {
            let after = at(caret + u32::try_from(piece.len()).expect("short"));
            let edit = Edit { edited, before: at(caret), after, time };
            self.history.note(&self.now, Change { what: What::Text, edit: Some(edit) });
            let mut text = self.now.text.to_string();
            text.insert_str(caret as usize, piece);
            self.now.text = text.into();
        }

        fn sets(&mut self, control: Control, text: &str) {
            self.history.note(&self.now, What::Control(control).into());
            self.now.set(control, text);
        }

        fn undoes(&mut self) -> Option<Utf16Range> {
            let moved = self.history.undo(&self.now).expect("a step");
            self.now = moved.state;
            moved.caret
        }

        fn redoes(&mut self) -> Option<Utf16Range> {
            let moved = self.history.redo(&self.now).expect("a step");
            self.now = moved.state;
            moved.caret
        }
    }

    #[test]
    fn a_burst_of_typing_is_one_step_and_a_pause_ends_it() {
        let mut page = Page::new();
        for (at, (letter, time)) in [("a", 0.0), ("b", 500.0), ("c", 1000.0)].into_iter().enumerate() {
            page.types(letter, u32::try_from(at).expect("small"), time, Edited::Typed);
        }
        page.types("d", 3, 1600.0, Edited::Typed);
        assert_eq!(page.undoes(), Some(at(3)));
        assert_eq!(&*page.now.text, "abc");
        assert_eq!(page.undoes(), Some(at(0)));
        assert_eq!(&*page.now.text, "");
        assert_eq!(page.history.undoes(), None);
        assert_eq!(page.redoes(), Some(at(3)));
        assert_eq!(page.redoes(), Some(at(4)));
        assert_eq!(&*page.now.text, "abcd");
    }

    #[test]
    fn a_caret_elsewhere_a_new_line_and_a_paste_begin_steps() {
        let mut page = Page::new();
        page.types("a", 0, 0.0, Edited::Typed);
        page.types("b", 0, 10.0, Edited::Typed);
        page.types("\n", 1, 20.0, Edited::Broken);
        page.types("c", 2, 30.0, Edited::Typed);
        page.types("pasted", 3, 40.0, Edited::Pasted);
        page.types("d", 9, 50.0, Edited::Typed);
        let mut texts = Vec::new();
        while page.history.undoes().is_some() {
            page.undoes();
            texts.push(page.now.text.to_string());
        }
        assert_eq!(texts, ["b\ncpasteda", "b\nca", "ba", "a", ""]);
    }

    #[test]
    fn a_drag_is_one_step_and_there_and_back_is_none() {
        let mut page = Page::new();
        for value in ["2", "4", "8"] {
            page.sets(Control::Tp, value);
        }
        page.history.close(&page.now);
        page.sets(Control::Tp, "16");
        page.now.reset(Control::Tp);
        page.now.set(Control::Tp, "8");
        page.history.close(&page.now);
        page.sets(Control::Pp, "2");
        page.undoes();
        assert_eq!(page.now.sets[0].text, "8");
        page.undoes();
        assert!(page.now.sets.is_empty());
        assert_eq!(page.history.undoes(), None);
        page.redoes();
        assert_eq!(page.now.sets[0].text, "8");
    }

    #[test]
    fn typing_and_controls_are_steps_of_their_own_and_a_change_ends_redo() {
        let mut page = Page::new();
        page.types("a", 0, 0.0, Edited::Typed);
        page.sets(Control::Tp, "2");
        page.types("b", 1, 10.0, Edited::Typed);
        page.undoes();
        assert_eq!((page.now.sets.len(), &*page.now.text), (1, "a"));
        page.undoes();
        assert_eq!(page.history.redoes(), Some(What::Control(Control::Tp)));
        page.types("c", 1, 20.0, Edited::Typed);
        assert_eq!(page.history.redoes(), None);
    }

    #[test]
    fn old_steps_are_forgotten_before_memory_runs_out_but_never_the_last() {
        let mut page = Page::new();
        let large = "x".repeat(MOST_BYTES + 1);
        page.types(&large, 0, 0.0, Edited::Pasted);
        page.types("a", 0, 10.0, Edited::Pasted);
        assert_eq!(page.history.past.len(), 2);
        page.types("b", 0, 20.0, Edited::Pasted);
        assert_eq!(page.history.past.len(), 1);
        for step in 0..2 * MOST_STEPS {
            page.sets(Control::Tp, &step.to_string());
            page.history.close(&page.now);
        }
        assert_eq!(page.history.past.len(), MOST_STEPS);
    }
}
