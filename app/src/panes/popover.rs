//! What opens under a button, and closes again: by Escape, by its button, by going elsewhere.

use crate::browser::{events, focus};
use crate::reactive::Held;
use crate::view::{Element, html};
use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;

/// A button with what it opens; cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct Popover {
    name: &'static str,
    content: Held<Option<Element>>,
}

impl Popover {
    /// A closed one; `name` tells it from the others of the page.
    pub(super) fn new(name: &'static str) -> Self {
        let popover = Self { name, content: Held::new(None) };
        for elsewhere in ["pointerdown", "focusin"] {
            events::hear(elsewhere, "", move |event| {
                if popover.is_open() && !events::is_inside(event, &popover.selector()) {
                    popover.content.set(None);
                }
            });
        }
        events::hear("keydown", popover.selector(), move |event| {
            let is_escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|key| key.key() == "Escape");
            if is_escape && popover.is_open() {
                event.prevent_default();
                popover.leave();
            }
        });
        popover
    }

    /// Where it stands in the page.
    pub(super) fn selector(self) -> String {
        format!("[data-popover={}]", self.name)
    }

    pub(super) fn is_open(self) -> bool {
        self.content.with_untracked(Option::is_some)
    }

    /// Shows something, and gives the focus to the first of it that matches.
    pub(super) fn open(self, content: Element, first: &str) {
        self.content.set(Some(content));
        focus::on(&format!("{} {first}", self.selector()));
    }

    /// Shows the same thing otherwise.
    pub(super) fn change(self, content: Element) {
        self.content.set(Some(content));
    }

    /// Closes, and gives the focus back to the button.
    pub(super) fn leave(self) {
        // While what has the focus still stands there: the browser would give it to nobody.
        focus::at_once(&format!("{} .opener", self.selector()));
        self.content.set(None);
    }

    /// The button and what it opened, for a place that is kept in line.
    pub(super) fn view(self, button: Element) -> Element {
        let content = self.content.get();
        html("div")
            .attribute("data-popover", self.name)
            .child(button.state("aria-expanded", content.is_some()))
            .children(content)
    }
}
