//! What happens in the textarea: edits, input methods, Tab.

use super::EditorHandle;
use super::carry::carried;
use crate::browser::editing::{self, Utf16Range};
use crate::browser::events;
use crate::reactive::{Derived, Held, effect};
use crate::state::history::{Change, Edit, Edited, What};
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::{Callable, Callback, Get};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// Two spaces: YAML forbids tabs as indentation.
const INDENT: &str = "  ";

/// Whether Tab indents. It leaves the editor until the reader has typed or clicked in it, and after Escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TabKey {
    Leaves,
    Indents,
}

/// A text as edited, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The whole text.
    pub text: Arc<str>,
    /// What was done to it.
    pub edit: Edit,
}

impl Written {
    /// The step that this is of a text's history.
    pub const fn change(&self, text: What) -> Change {
        Change { what: text, edit: Some(self.edit) }
    }
}

/// Where an edit stands, from the event before it to the one behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is under way.
    Idle,
    /// An edit is about to change what is selected here.
    Begun(Utf16Range),
    /// An input method composes over what was selected here. The textarea is its own: nothing is written to it, nothing is
    /// read from it.
    Composing(Utf16Range),
}

/// An editor's textarea.
#[derive(Clone, Copy)]
pub(super) struct Typing {
    handle: EditorHandle,
    text: Derived<Arc<str>>,
    on_edit: Callback<Written>,
    pub(super) tab: Held<TabKey>,
    phase: Held<Phase>,
}

impl Typing {
    /// The textarea of an editor of this text.
    pub(super) fn new(handle: EditorHandle, text: Derived<Arc<str>>, on_edit: Callback<Written>) -> Self {
        Self { handle, text, on_edit, tab: Held::new(TabKey::Leaves), phase: Held::new(Phase::Idle) }
    }

    pub(super) fn listen(self, testid: &'static str) {
        let area = format!("[data-testid={testid}]");
        let hear = |name: &'static str, act: fn(Self, &Event)| {
            events::hear(name, area.clone(), move |event| act(self, event));
        };
        hear("beforeinput", |typing, _| typing.begins());
        hear("input", |typing, event| typing.goes_on(&editing::input_type(event)));
        hear("compositionstart", |typing, _| typing.composes());
        hear("compositionend", |typing, _| typing.composed());
        hear("pointerdown", |typing, _| typing.tab.set(TabKey::Indents));
        hear("blur", |typing, _| typing.tab.set(TabKey::Leaves));
        hear("keydown", Self::pressed);
    }

    /// Writes the text into the textarea where it is not the one typed there, selects where undo or redo led, and brings what
    /// changed into sight.
    pub(super) fn keep_in_line(self, caret: Derived<Option<Utf16Range>>) {
        let composing = Derived::new(move |_| self.phase.with(|phase| matches!(phase, Phase::Composing(_))));
        effect(move || {
            let (text, caret, composing) = (self.text.get(), caret.get(), composing.get());
            let is_plain = self.handle.extent.get().is_plain;
            let Some(scroller) = self.handle.scroller.get() else { return };
            editing::mark(&scroller, "composing", composing);
            editing::mark(&scroller, "plain", is_plain);
            let Some(area) = self.handle.area().filter(|_| !composing) else { return };
            let before = editing::show(&area, &text, carried);
            if let Some(range) = caret {
                editing::put_caret(&area, range);
            }
            let changed = before.map(|before| changed_line(&before, &text));
            if let Some(line) = caret.map(|range| line_of(&text, range.end)).or(changed) {
                editing::bring_line(&scroller, line, self.handle.letter().height);
            }
        });
    }

    fn begins(self) {
        if let (Phase::Idle | Phase::Begun(_), Some(area)) = (self.phase.get_untracked(), self.handle.area()) {
            self.phase.set(Phase::Begun(editing::selection(&area)));
        }
    }

    fn goes_on(self, input_type: &str) {
        let edited = match (self.phase.get_untracked(), input_type) {
            (Phase::Composing(_), _) => return,
            (Phase::Begun(_), "insertLineBreak" | "insertParagraph") => Edited::Broken,
            (Phase::Begun(_), kind) if !kind.starts_with("insertFrom") && !kind.starts_with("deleteBy") => {
                Edited::Typed
            }
            // Pasted, dropped, cut; or written by a script, which sends no event before.
            (Phase::Begun(_) | Phase::Idle, _) => Edited::Pasted,
        };
        self.take(edited);
    }

    fn composes(self) {
        if let Some(area) = self.handle.area() {
            self.phase.set(Phase::Composing(editing::selection(&area)));
        }
    }

    fn composed(self) {
        if let Phase::Composing(before) = self.phase.get_untracked() {
            self.phase.set(Phase::Begun(before));
            self.take(Edited::Typed);
        }
    }

    /// Takes what stands in the textarea.
    fn take(self, edited: Edited) {
        let Some(area) = self.handle.area() else { return };
        self.tab.set(TabKey::Indents);
        let after = editing::selection(&area);
        let before = match self.phase.get_untracked() {
            Phase::Begun(before) | Phase::Composing(before) => before,
            Phase::Idle => after,
        };
        self.phase.set(Phase::Idle);
        let text: Arc<str> = area.value().into();
        if self.text.with_untracked(|present| *present != text) {
            let edit = Edit { edited, before, after, time: editing::now() };
            self.on_edit.run(Written { text, edit });
            // What was written may have been put elsewhere.
            editing::show(&area, &self.text.get_untracked(), carried);
        }
    }

    fn pressed(self, event: &Event) {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
        match key.key().as_str() {
            "Escape" => self.tab.set(TabKey::Leaves),
            "Tab" if self.tab.get_untracked() == TabKey::Indents && !key.is_composing() => {
                let Some(area) = self.handle.area() else { return };
                event.prevent_default();
                self.begins();
                if key.shift_key() {
                    editing::outdent(&area, INDENT.len());
                } else {
                    editing::insert(&area, INDENT);
                }
                self.take(Edited::Typed);
            }
            _ => {}
        }
    }
}

/// The first line, from 0 on, that another text has not.
fn changed_line(old: &str, new: &str) -> u32 {
    let same = old.split('\n').zip(new.split('\n')).take_while(|(old, new)| old == new).count();
    let last = new.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(same.min(last)).unwrap_or(u32::MAX)
}

/// The line, from 0, of a place in UTF-16 units.
fn line_of(text: &str, place: u32) -> u32 {
    let units = text.encode_utf16().take(place as usize);
    u32::try_from(units.filter(|unit| *unit == u16::from(b'\n')).count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_utf16() {
        let text = "a\n😀\nb";
        assert_eq!([0, 1, 2, 4, 5, 6].map(|place| line_of(text, place)), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn the_first_line_that_changed_is_found() {
        let changed = |new| changed_line("a\nb\nc\n", new);
        assert_eq!(["x\nb\nc\n", "a\nb\nx\n", "a\nb\nc\nd\n", "a\nb", "a"].map(changed), [0, 2, 3, 1, 0]);
    }
}
