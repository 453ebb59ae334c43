//! The middle pane: what-if controls laid over the file.

use crate::browser::events::{self, Given};
use crate::browser::patch::live;
use crate::components::control_row::control_row;
use crate::messages::{Messages, use_messages};
use crate::state::what_if::{GROUPS, Group};
use crate::state::{EstimateMemos, Preferences, WhatIf};
use crate::view::{Element, html};
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;
use shardmem::facts::controls::Control;

/// All controls, by group.
#[component]
pub fn ControlsPane() -> impl IntoView {
    let say = use_messages();
    let what_if = expect_context::<WhatIf>();
    let estimate = expect_context::<EstimateMemos>();
    let unit = expect_context::<Preferences>().unit;
    let listen = Listen { estimate, what_if };
    let reset_all = live(move || html("div").child(reset_all(what_if.changed(), say)));
    let pin = live(move || {
        let label = estimate.with_identity(|identity| (say.controls_pinned)(identity.devices));
        html("div").text(label.unwrap_or_else(|| say.pin.to_owned()))
    });
    let verdict = Memo::new(move |_| {
        estimate.with_report(|report, _| (say.verdict_short)(&report.verdict, unit.get())).unwrap_or_default()
    });
    view! {
        <section
            class="pane controls"
            aria-label=say.controls
            on:input=move |event| listen.given(&event)
            on:change=move |event| listen.given(&event)
            on:click=move |event| listen.clicked(&event)
            on:keydown=move |event| listen.pressed(&event)
        >
            <div class="heading">
                <h2>{say.controls}</h2>
                <div class="heading-tools" node_ref=reset_all></div>
            </div>
            <label class="pin">
                <input
                    type="checkbox"
                    data-testid="pin"
                    checked=what_if.pinned.get_untracked()
                    on:change:target=move |event| what_if.pinned.set(event.target().checked())
                />
                <div node_ref=pin></div>
            </label>
            {GROUPS.iter().map(|group| control_group(group, estimate, verdict, say)).collect_view()}
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

fn control_group(
    group: &'static Group,
    estimate: EstimateMemos,
    verdict: Memo<String>,
    say: &'static Messages,
) -> impl IntoView {
    let rows = group.controls.iter().map(|control| {
        let view = estimate.control(*control, say);
        let row = live(move || {
            let row = view.with(|view| view.as_ref().map(|view| control_row(*control, view, &verdict.read(), say)));
            html("div").children(row)
        });
        view! { <div node_ref=row></div> }
    });
    view! {
        <section class="control-group">
            <h3>{(say.group)(group.name)}</h3>
            {rows.collect_view()}
        </section>
    }
}

/// Listens to all controls at once: which one an event belongs to stands in the page.
#[derive(Clone, Copy)]
struct Listen {
    estimate: EstimateMemos,
    what_if: WhatIf,
}

impl Listen {
    fn given(self, event: &Event) {
        let Some(control) = control_of(event) else { return };
        match events::given(event) {
            Some(Given::Step(step)) => self.step_to(control, step),
            Some(Given::Text(text)) => self.estimate.set(control, &text),
            Some(Given::Ticked(on)) => self.estimate.set(control, &on.to_string()),
            None => {}
        }
    }

    fn clicked(self, event: &Event) {
        if events::is_inside(event, "[data-testid=reset-all]") {
            self.what_if.reset_all();
        } else if events::is_inside(event, ".control-reset")
            && let Some(control) = control_of(event)
        {
            self.what_if.reset(control);
        }
    }

    /// Up and down in a number's box go to the next value worth having, not to the next number.
    fn pressed(self, event: &KeyboardEvent) {
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
