//! The middle pane: what-if controls laid over the file.

use super::apply::Apply;
use super::ranges;
use crate::browser::events::{self, Given};
use crate::browser::patch::{live, live_after};
use crate::components::control_row::control_row;
use crate::components::range_list::range_list;
use crate::messages::{Messages, use_messages};
use crate::state::history::What;
use crate::state::what_if::{GROUPS, Group};
use crate::state::{EstimateMemos, Preferences, Session, Workspace};
use crate::view::{Element, html};
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::facts::controls::Control;
use wasm_bindgen::JsCast;

/// All controls, by group.
#[component]
pub fn ControlsPane() -> impl IntoView {
    let say = use_messages();
    let session = expect_context::<Session>();
    let estimate = expect_context::<EstimateMemos>();
    let unit = expect_context::<Preferences>().unit;
    let apply = Apply::new();
    let listen = Listen { estimate, session, apply };
    events::hear("input", ".controls", move |event| listen.given(event));
    events::hear("change", ".controls", move |event| {
        listen.given(event);
        session.close();
    });
    events::hear("click", ".controls", move |event| listen.clicked(event));
    events::hear("keydown", ".controls", move |event| listen.pressed(event));
    let tools = live(move || html("div").children(apply.tools()).child(reset_all(session.changed(), say)));
    let pending = apply.pending();
    // One view of all rows: nearly every change reaches every row, since sliders say the verdict with their value.
    let rows = live_after(move || {
        let unit = unit.get();
        let verdict = estimate.with_report(|report, _| (say.verdict_short)(&report.verdict, unit)).unwrap_or_default();
        let rows = GROUPS.iter().map(|group| group_rows(group, listen, &verdict, say));
        html("div").child(pin_row(listen, say)).children(rows)
    });
    view! {
        <section class="pane controls" aria-label=say.controls>
            <div class="heading">
                <h2>{say.controls}</h2>
                <div class="heading-tools" node_ref=tools></div>
            </div>
            <div node_ref=pending></div>
            <div node_ref=rows></div>
        </section>
    }
}

fn reset_all(changed: usize, say: &Messages) -> Element {
    html("button")
        .attribute("type", "button")
        .class(if changed == 0 { "action absent" } else { "action" })
        .attribute("data-testid", "reset-all")
        .text((say.reset_all)(changed))
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

fn group_rows(
    group: &'static Group,
    Listen { estimate, session, .. }: Listen,
    verdict: &str,
    say: &'static Messages,
) -> Element {
    let rows = group.controls.iter().flat_map(|control| {
        let view = estimate.control(*control, say);
        let row = view.map(|view| control_row(*control, &view, verdict, say));
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
}

impl Listen {
    fn given(self, event: &Event) {
        if ranges::given(self.session, event) {
            return;
        }
        let control = control_of(event);
        match (control, events::given(event)) {
            (Some(control), Some(Given::Step(step))) => self.step_to(control, step),
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
            values.iter().find(|value| **value > present)
        } else {
            values.iter().rfind(|value| **value < present)
        };
        if let Some(next) = next {
            self.estimate.set(control, &next.to_string());
            self.session.close();
        }
    }

    fn step_to(self, control: Control, step: usize) {
        if let Some(value) = self.estimate.steps(control).get(step) {
            self.estimate.set(control, &value.to_string());
        }
    }
}

fn control_of(event: &Event) -> Option<Control> {
    events::closest(event, "data-control").and_then(|name| Control::by_name(&name))
}
