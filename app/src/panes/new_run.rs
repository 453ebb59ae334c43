//! New runs: the button beside the samples, its form, and the way in from an empty editor.

use super::popover::Popover;
use super::taking::Replaced;
use crate::browser::events::{self, Given};
use crate::browser::patch::live;
use crate::late::{open_late, with_late};
use crate::messages::takeaway::{Labels, labels};
use crate::messages::use_messages;
use crate::reactive::{Derived, Held};
use crate::state::history::What;
use crate::state::new_run::Start;
use crate::state::session::Notice;
use crate::state::{EstimateMemos, Session};
use crate::view::{Element, html};
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::report::messages::Language;
use wasm_bindgen::JsCast;

const FORM: &str = ".new-run-form";

/// The button and its form.
#[component]
pub fn NewRun() -> impl IntoView {
    let language = use_messages().spoken;
    let say = labels(language);
    let new_run = Beginning {
        session: expect_context::<Session>(),
        estimate: expect_context::<EstimateMemos>(),
        popover: Popover::new("new-run"),
        start: Held::new(None),
        language,
    };
    let button = move || {
        html("button")
            .attribute("type", "button")
            .class("action opener")
            .attribute("data-testid", "new-run")
            .attribute("aria-haspopup", "dialog")
            .text(say.new_run)
    };
    let holder = live(move || new_run.popover.view(button()));
    events::hear("click", "[data-testid^=new-run]", move |event| new_run.clicked(event));
    for given in ["input", "change"] {
        events::hear(given, FORM, move |event| new_run.given(event));
    }
    events::hear("keydown", ".new-run-form [data-field]", move |event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|key| key.key() == "Enter") {
            event.prevent_default();
            new_run.make();
        }
    });
    view! {
        <div class="new-run" node_ref=holder></div>
    }
}

/// What an empty editor says.
#[component]
pub fn EmptyRun() -> impl IntoView {
    let say = labels(use_messages().spoken);
    let session = expect_context::<Session>();
    let is_empty = Derived::new(move |_| session.text.with(|text| text.trim().is_empty()));
    let holder = live(move || empty(is_empty.get(), say));
    view! {
        <div class="empty-run" node_ref=holder></div>
    }
}

fn empty(is_empty: bool, say: &Labels) -> Element {
    let begin = html("button")
        .attribute("type", "button")
        .class("button")
        .attribute("data-testid", "new-run-empty")
        .text(say.empty_begin);
    html("div").flag("hidden", !is_empty).child(html("p").text(say.empty)).child(begin)
}

#[derive(Clone, Copy)]
struct Beginning {
    session: Session,
    estimate: EstimateMemos,
    popover: Popover,
    start: Held<Option<Start>>,
    language: Language,
}

impl Beginning {
    fn clicked(self, event: &Event) {
        match events::closest(event, "data-testid").as_deref() {
            Some("new-run") if self.popover.is_open() => self.popover.leave(),
            Some("new-run" | "new-run-empty") => self.open(),
            Some("new-run-make") => self.make(),
            Some("new-run-plainly") if !events::is_inside(event, "[aria-disabled=true]") => self.write_plainly(),
            _ => {}
        }
    }

    fn open(self) {
        open_late(move |late| {
            let start = (late.start)(&self.session.run());
            let has_run = untrack(|| self.has_run());
            let form = (late.new_run_form)(&start, has_run, None, self.language);
            self.start.set(Some(start));
            self.popover.open(form, "[data-field]");
        });
    }

    fn has_run(self) -> bool {
        self.estimate.with_report(|_, is_stale| !is_stale).unwrap_or(false)
    }

    fn given(self, event: &Event) {
        if let (Some(field), Some(Given::Text(typed))) = (events::closest(event, "data-field"), events::given(event)) {
            self.start.update(|start| {
                if let Some(start) = start {
                    start.put(&field, typed);
                }
            });
        }
    }

    fn make(self) {
        let Some(start) = self.start.get_untracked() else { return };
        let has_run = self.has_run();
        with_late(move |late| match (late.begin)(&self.session.run(), &start, self.language) {
            Ok(replaced) => self.put(replaced),
            Err(wrong) => self.popover.change((late.new_run_form)(&start, has_run, Some(wrong), self.language)),
        });
    }

    fn write_plainly(self) {
        with_late(move |late| {
            if let Some(replaced) = (late.plainly)(&self.session.run(), self.language) {
                self.put(replaced);
            }
        });
    }

    fn put(self, Replaced { run, words }: Replaced) {
        self.popover.leave();
        self.session.act(What::Run, |present| *present = run);
        self.session.tell(Notice::Done(words.into()));
    }
}
