//! Copying and saving: the button in the header, its menu, and what becomes of a choice.

use super::popover::Popover;
use super::taking::{Taken, Wish};
use crate::browser::patch::live;
use crate::browser::{events, focus};
use crate::late::{open_late, with_late};
use crate::messages::takeaway::labels;
use crate::messages::use_messages;
use crate::state::exports::Entry;
use crate::state::session::Notice;
use crate::state::{Preferences, Session};
use crate::view::html;
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::report::messages::Language;
use wasm_bindgen::JsCast;

const ENTRY: &str = "[data-take]";

/// The button and its menu.
#[component]
pub fn TakeAway() -> impl IntoView {
    let language = use_messages().spoken;
    let say = labels(language);
    let menu = Menu {
        session: expect_context::<Session>(),
        preferences: expect_context::<Preferences>(),
        popover: Popover::new("take"),
        language,
    };
    let button = move || {
        html("button")
            .attribute("type", "button")
            .class("button opener")
            .attribute("data-testid", "take")
            .attribute("aria-haspopup", "menu")
            .attribute("title", say.take_about)
            .text(say.take)
    };
    let holder = live(move || menu.popover.view(button()));
    events::hear("click", menu.popover.selector(), move |event| menu.clicked(event));
    events::hear("keydown", ".take-menu", move |event| menu.pressed(event));
    events::hear("focusin", ".by-hand-text", focus::select_all);
    view! {
        <div class="takeaway" node_ref=holder></div>
    }
}

#[derive(Clone, Copy)]
struct Menu {
    session: Session,
    preferences: Preferences,
    popover: Popover,
    language: Language,
}

impl Menu {
    fn clicked(self, event: &Event) {
        if events::is_inside(event, ".opener") {
            self.turn();
        } else if events::is_inside(event, "[data-act=close]") {
            self.popover.leave();
        } else if !events::is_inside(event, "[aria-disabled=true]")
            && let Some(entry) = events::closest(event, "data-take").and_then(|name| Entry::by_name(&name))
        {
            self.take(entry);
        }
    }

    fn turn(self) {
        if self.popover.is_open() {
            self.popover.leave();
            return;
        }
        open_late(move |late| self.popover.open((late.take_menu)(&self.session.run(), self.language), ENTRY));
    }

    fn take(self, entry: Entry) {
        let unit = self.preferences.unit.get_untracked();
        let wish = Wish { entry, run: self.session.run(), unit, language: self.language };
        self.popover.leave();
        let told = move |taken| match taken {
            Taken::Told(words) => self.session.tell(Notice::Told(words.into())),
            Taken::ByHand(content) => self.popover.open(content, "textarea"),
        };
        with_late(move |late| (late.take)(wish, Box::new(told)));
    }

    /// Arrows go around; Home and End to the ends.
    fn pressed(self, event: &Event) {
        let Some(key) = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key) else { return };
        let number = |name| events::closest(event, name).and_then(|number| number.parse::<usize>().ok());
        let (Some(at), Some(count)) = (number("data-at"), number("data-count")) else { return };
        let next = match key.as_str() {
            "ArrowDown" => (at + 1) % count.max(1),
            "ArrowUp" => (at + count).saturating_sub(1) % count.max(1),
            "Home" => 0,
            "End" => count.saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        focus::on(&format!("{} [data-at='{next}']", self.popover.selector()));
    }
}
