//! The explanation of the figure that was opened: asks the late part for it, and follows the run.

use crate::browser::later::Later;
use crate::browser::patch::live_after;
use crate::browser::{clipboard, events, focus};
use crate::components::explanation::{Asked, Explained};
use crate::late::{self, open_late};
use crate::messages::use_messages;
use crate::reactive::{Held, effect};
use crate::state::explaining::{Marks, Opened, Whose};
use crate::state::{EstimateMemos, Explaining, Preferences, Selection};
use crate::view::html;
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::report::number::MemoryUnit;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;

/// Numbers that changed within one gesture are marked against those before it.
const GESTURE: Duration = Duration::from_millis(700);

/// How long it is said that the text was copied.
const SAID: Duration = Duration::from_secs(3);

/// Docked in the answer; nothing while no figure is opened.
#[component]
pub fn ExplainPane() -> impl IntoView {
    let pane = Pane {
        language: use_messages().spoken,
        unit: expect_context::<Preferences>().unit,
        estimate: expect_context::<EstimateMemos>(),
        selection: expect_context::<Selection>(),
        explaining: expect_context::<Explaining>(),
        copied: Held::new(None),
    };
    let marks = Rc::new(RefCell::new(Marks::default()));
    let rested = marks.clone();
    let rest = Later::new(GESTURE, move || rested.borrow_mut().rest());
    let dock = live_after(move || {
        let shown = pane.explaining.0.get().and_then(|opened| pane.explained(&opened, &mut marks.borrow_mut()));
        rest.ask();
        html("div").children(shown.map(|shown| shown.view))
    });
    let calm = Later::new(SAID, move || pane.copied.set(None));
    effect(move || {
        if pane.copied.get().is_some() {
            calm.ask();
        }
    });
    events::hear("click", "[data-explain]", move |event| pane.open(event));
    events::hear("click", ".explain", move |event| pane.act(event));
    events::hear("keydown", "", move |event| pane.key(event));
    view! { <div class="explain-dock" node_ref=dock></div> }
}

#[derive(Clone, Copy)]
struct Pane {
    language: crate::messages::Language,
    unit: Held<MemoryUnit>,
    estimate: EstimateMemos,
    selection: Selection,
    explaining: Explaining,
    copied: Held<Option<bool>>,
}

impl Pane {
    /// The explanation of a figure as things stand; what changed is marked.
    fn explained(self, opened: &Opened, marks: &mut Marks) -> Option<Explained> {
        // A figure is opened no sooner than the late part is here.
        let late = late::here()?;
        let stage = opened.whose.stage(self.selection);
        marks.see(opened, stage);
        let explained = self.ask(opened, marks.before(), |asked| (late.explain)(asked));
        // The first change of a gesture: what was shown until now is what it is marked against.
        let explained = if marks.take(&explained.values) {
            self.ask(opened, marks.before(), |asked| (late.explain)(asked))
        } else {
            explained
        };
        Some(explained)
    }

    fn ask<T>(self, opened: &Opened, before: &[(String, f64)], tell: impl Fn(&Asked<'_>) -> T) -> T {
        let unread = Asked {
            grounds: None,
            opened,
            stage: opened.whose.stage(self.selection),
            before,
            copied: self.copied.get(),
            unit: self.unit.get(),
            language: self.language,
        };
        let told = self.estimate.grounds(|grounds| tell(&Asked { grounds: Some(grounds), ..unread }));
        told.unwrap_or_else(|| tell(&unread))
    }

    /// Opens the figure that was clicked, once the late part is there.
    fn open(self, event: &Event) {
        let Some(item) = events::closest(event, "data-explain") else { return };
        let instant = events::closest(event, "data-at");
        let bar: Option<usize> = events::closest(event, "data-of").and_then(|stage| stage.parse().ok());
        let is_peak = events::is_inside(event, "[data-whose=peak]");
        let from = match (bar, &instant) {
            (Some(stage), _) => format!("[data-testid=stage][data-stage='{stage}']"),
            (None, Some(instant)) => format!("[data-explain][data-at='{instant}']"),
            (None, None) if is_peak => "[data-whose=peak]".to_owned(),
            (None, None) => format!(".breakdown [data-explain='{item}']"),
        };
        if let Some(stage) = bar {
            self.selection.pick(stage);
        }
        self.show(item, if is_peak { Whose::Peak } else { Whose::Selected }, instant, from);
    }

    fn show(self, item: String, whose: Whose, instant: Option<String>, from: String) {
        let opened = Opened { item, whose, instant, trail: Vec::new(), unfolded: Vec::new(), from };
        open_late(move |_| {
            self.copied.set(None);
            self.explaining.0.set(Some(opened));
            focus::rewind(".explain-body");
            focus::on("[data-testid=explain] h2");
        });
    }

    /// What a click inside the pane asks for.
    fn act(self, event: &Event) {
        if let Some(path) = events::closest(event, "data-explain-fold") {
            self.explaining.change(|opened| opened.toggle(&path));
        } else if let Some(path) = events::closest(event, "data-explain-go") {
            self.explaining.change(|opened| opened.go(&path));
            focus::rewind(".explain-body");
            focus::on("[data-testid=explain] h2");
        } else if let Some(instant) = events::closest(event, "data-explain-instant") {
            self.explaining.change(|opened| opened.instant = Some(instant));
        } else {
            match events::closest(event, "data-testid").as_deref() {
                Some("explain-close") => self.close(),
                Some("explain-copy") => self.copy(),
                _ => {}
            }
        }
    }

    fn key(self, event: &Event) {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
        let fold = events::closest(event, "aria-expanded").filter(|_| events::is_inside(event, ".explain-fold"));
        match (key.key().as_str(), fold.as_deref()) {
            ("ArrowRight", Some("false")) | ("ArrowLeft", Some("true")) => self.act(event),
            // Enter on a bar: it is selected already when it has the focus.
            ("Enter", None) if events::is_inside(event, "[data-testid=stage]") => {
                let Some(stage) = events::closest(event, "data-stage") else { return };
                let from = format!("[data-testid=stage][data-stage='{stage}']");
                self.show("total".to_owned(), Whose::Selected, None, from);
            }
            ("Escape", _) if !events::is_inside(event, "input, textarea, select") => self.close(),
            _ => {}
        }
    }

    fn close(self) {
        if let Some(Opened { from, .. }) = self.explaining.0.get_untracked() {
            self.explaining.0.set(None);
            focus::on(&from);
        }
    }

    fn copy(self) {
        let opened = self.explaining.0.get_untracked();
        let text = untrack(|| {
            let (late, opened) = (late::here()?, opened?);
            self.ask(&opened, &[], |asked| (late.explain_text)(asked))
        });
        if let Some(text) = text {
            clipboard::copy(&text, Box::new(move |copied| self.copied.set(Some(copied))));
        }
    }
}
