//! The middle pane: what-if controls laid over the file.

use super::apply::Apply;
use super::memory::MemorySection;
use super::ranges;
use crate::browser::events::{self, Given};
use crate::browser::patch::{live, live_after};
use crate::components::control_row::{ControlView, Prospect, control_row, nearest_index};
use crate::components::preview::Preview;
use crate::components::range_list::range_list;
use crate::messages::{Messages, use_messages};
use crate::state::ahead::Ahead;
use crate::state::futures::Pointed;
use crate::state::history::What;
use crate::state::what_if::{GROUPS, Group};
use crate::state::{EstimateMemos, Futures, Preferences, Session, Workspace};
use crate::view::{Element, html};
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::facts::controls::Control;
use shardmem::whatif::Strip;
use wasm_bindgen::JsCast;

/// All controls, by group.
#[component]
pub fn ControlsPane() -> impl IntoView {
    let say = use_messages();
    let session = expect_context::<Session>();
    let estimate = expect_context::<EstimateMemos>();
    let unit = expect_context::<Preferences>().unit;
    let apply = Apply::new();
    let futures = expect_context::<Futures>();
    let listen = Listen { estimate, session, apply, futures };
    events::hear("input", ".controls", move |event| listen.given(event));
    events::hear("change", ".controls", move |event| {
        listen.given(event);
        session.close();
    });
    events::hear("click", ".controls", move |event| listen.clicked(event));
    events::hear("keydown", ".controls", move |event| listen.pressed(event));
    // Everywhere: what is pointed at elsewhere is no value of a control.
    events::hear("pointermove", "", move |event| futures.pointed.set(listen.pointed(event)));
    events::hear("pointerout", ".controls", move |_| futures.pointed.set(None));
    events::hear("focus", ".controls", move |event| {
        let is_given = events::is_inside(event, "input, select");
        futures.focused.set(control_of(event).filter(|_| is_given));
    });
    events::hear("blur", ".controls", move |_| futures.focused.set(None));
    let tools = live(move || html("div").children(apply.tools()).child(reset_all(session.changed(), say)));
    let pending = apply.pending();
    // One view of all rows: nearly every change reaches every row, since sliders say the verdict with their value.
    let rows = live_after(move || {
        let unit = unit.get();
        let verdict = estimate
            .with_report(|report, is_stale| (!is_stale).then(|| (say.verdict_short)(&report.verdict, unit)))
            .flatten()
            .unwrap_or_default();
        let is_current = futures.is_current.get();
        futures.ahead.with(|ahead| {
            let shown = Shown { ahead, preview: Preview { present: ahead.present, unit, say }, verdict: &verdict };
            let rows = GROUPS.iter().map(|group| group_rows(group, &listen, &shown, say));
            html("div").state("data-current", is_current).child(pin_row(listen, say)).children(rows)
        })
    });
    view! {
        <section class="pane controls" aria-label=say.controls>
            <div class="heading">
                <h2>{say.controls}</h2>
                <div class="heading-tools" node_ref=tools></div>
            </div>
            <div node_ref=pending></div>
            <MemorySection />
            <div node_ref=rows></div>
        </section>
    }
}

fn reset_all(changed: usize, say: &Messages) -> Element {
    html("button")
        .attribute("type", "button")
        .class(if changed == 0 { "action absent" } else { "action" })
        .attribute("data-testid", "reset-all")
        .attribute("title", say.reset_all_about)
        .text(say.reset_all)
}

/// Whether the device count stays while degrees move.
fn pin_row(Listen { estimate, session, .. }: Listen, say: &Messages) -> Element {
    let label = estimate.with_identity(|identity| (say.controls_pinned)(identity.devices));
    let tick = html("input").attribute("type", "checkbox").attribute("data-testid", "pin-devices");
    html("label")
        .class("pin")
        .child(tick.tick(session.pinned.get()))
        .child(html("span").text(label.unwrap_or_else(|| say.pin.to_owned())))
}

/// What rows are made from, beside the controls themselves.
struct Shown<'a> {
    ahead: &'a Ahead,
    preview: Preview,
    verdict: &'a str,
}

fn group_rows(group: &'static Group, listen: &Listen, shown: &Shown<'_>, say: &'static Messages) -> Element {
    let Listen { estimate, session, futures, .. } = *listen;
    let rows = group.controls.iter().flat_map(|control| {
        let view = estimate.control(*control, say);
        let row = view.map(|view| {
            let strip = shown.ahead.strip(*control);
            let preview = strip.and_then(|strip| listen.preview(strip, shown.preview, &view));
            let prospect = Prospect { strip, preview: preview.as_deref().filter(|_| futures.is_current.get()) };
            control_row(*control, &view, prospect, shown.verdict, say)
        });
        let has_ranges = *control == Control::Recompute && row.is_some();
        let ranges = has_ranges.then(|| {
            let ranges = session.ranges.get();
            estimate.findings.with(|findings| range_list(ranges.as_deref(), findings, say))
        });
        [row, ranges].into_iter().flatten()
    });
    html("section").class("control-group").child(html("h3").text((say.group)(group.name))).children(rows)
}

/// Listens to all controls at once: which one an event belongs to stands in the page.
#[derive(Clone, Copy)]
struct Listen {
    estimate: EstimateMemos,
    session: Session,
    apply: Apply,
    futures: Futures,
}

impl Listen {
    fn given(self, event: &Event) {
        if ranges::given(self.session, event) {
            return;
        }
        let control = control_of(event);
        match (control, events::given(event)) {
            (Some(control), Some(Given::Step(step))) => self.step_to(control, step, event),
            (Some(control), Some(Given::Text(text))) => self.estimate.set(control, &text),
            (Some(control), Some(Given::Ticked(on))) => self.estimate.set(control, &on.to_string()),
            (None, Some(Given::Ticked(pinned))) => {
                self.session.go_on(What::Devices.into(), |run| run.pinned = pinned);
            }
            (None, Some(Given::Step(_) | Given::Text(_))) | (_, None) => {}
        }
    }

    fn clicked(self, event: &Event) {
        if self.apply.clicked(event) || ranges::clicked(self.session, &self.estimate, event) {
            return;
        }
        if events::is_inside(event, "[data-testid=reset-all]") {
            self.session.act(What::AllControls, Workspace::reset_all);
        } else if events::is_inside(event, ".control-reset")
            && let Some(control) = control_of(event)
        {
            self.session.reset(control);
            self.session.close();
        }
    }

    /// Up and down in a number's box go to the next value worth having, not to the next number. A key that is held down is
    /// one gesture.
    fn pressed(self, event: &Event) {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
        if event.repeat() {
            self.session.reopen();
        }
        let up = match event.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            _ => return,
        };
        let Some(control) = control_of(event).filter(|_| events::is_inside(event, ".control-box")) else { return };
        event.prevent_default();
        let present = self.estimate.value(control).parse::<i64>().unwrap_or(0);
        let values = self.estimate.steps(control);
        let next = if up {
            values.iter().find(|value| **value > present && self.futures.reaches(control, **value))
        } else {
            values.iter().rfind(|value| **value < present && self.futures.reaches(control, **value))
        };
        if let Some(next) = next {
            self.estimate.set(control, &next.to_string());
            self.session.close();
        }
    }

    /// A slider goes past what is refused, to the next value that is not; where there is none it stays.
    fn step_to(self, control: Control, step: usize, event: &Event) {
        let values = self.estimate.steps(control);
        let here = nearest_index(&values, self.estimate.value(control).parse().ok());
        let reaches = |value: &&i64| self.futures.reaches(control, **value);
        let way_on = if step >= here {
            values.iter().skip(step).find(reaches)
        } else {
            values.iter().take(step + 1).rfind(reaches)
        };
        match way_on {
            Some(value) => self.estimate.set(control, &value.to_string()),
            None => events::put(event, &here.to_string()),
        }
    }

    /// What the pointer is over: a value of a slider, or another control as a whole.
    fn pointed(self, event: &Event) -> Option<Pointed> {
        let control = control_of(event).filter(|_| events::is_inside(event, ".controls"))?;
        let at = events::across(event, ".control-track").map(|across| {
            let count = self.estimate.steps(control).len() as f64;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of the count, from 0 on"
            )]
            let at = (across.clamp(0.0, 1.0) * count) as usize;
            at
        });
        let is_input = at.is_some() || events::is_inside(event, "select, .control-switch");
        is_input.then_some(Pointed { control, at })
    }

    /// What is said beside a control of its other values: of the one pointed at, or, where it has the focus, of those next to
    /// the present one; what moved with it is told first, and so is why its value is refused.
    fn preview(self, strip: &Strip, preview: Preview, view: &ControlView) -> Option<String> {
        let pointed = self.futures.pointed.get().filter(|pointed| pointed.control == strip.control);
        let is_focused = self.futures.focused.get() == Some(strip.control);
        match pointed {
            Some(Pointed { at: Some(at), .. }) => preview.at(strip, &self.estimate.steps(strip.control), at),
            _ if view.problem.is_some() => None,
            Some(Pointed { at: None, .. }) => preview.neighbours(strip),
            None => preview.neighbours(strip).filter(|_| is_focused && view.note.is_none()),
        }
    }
}

fn control_of(event: &Event) -> Option<Control> {
    events::closest(event, "data-control").and_then(|name| Control::by_name(&name))
}
