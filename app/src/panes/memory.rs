//! The memory model: which one answers, its policies, the other one's figure, and what was measured.

use crate::browser::events::{self, Given};
use crate::browser::later::Later;
use crate::browser::patch::{live, live_after};
use crate::components::segmented::segmented;
use crate::late::{self, with_late, with_late_quietly};
use crate::messages::memory::words;
use crate::messages::use_messages;
use crate::reactive::{Held, effect};
use crate::state::history::What;
use crate::state::memory::{MemoryChoice, written};
use crate::state::{EstimateMemos, OtherModel, Preferences, Session};
use crate::view::html;
use leptos::ev::Event;
use leptos::prelude::*;
use shardmem::memory::MemoryModel;
use shardmem::report::number::shortest;
use std::time::Duration;

/// Once the reader has done something, what comes late is brought so long after it, without being asked for.
const AFTER_FIRST: Duration = Duration::from_millis(500);

/// The switch, and the policies behind a fold.
#[component]
pub fn MemorySection() -> impl IntoView {
    let say = use_messages();
    let words = words(say.spoken);
    let session = expect_context::<Session>();
    let is_open = Held::new(false);
    let switch = live(move || {
        let name = session.memory.with(|memory| memory.name);
        html("div")
            .child(html("span").class("control-name").text(words.memory_model))
            .child(segmented(words.memory_model, "memory-model", &MemoryModel::NAMES, name))
            .child(html("p").class("control-note control-reason").text((words.about)(name)))
    });
    let policies = live_after(move || {
        let list = is_open.get().then(late::here).flatten();
        let list = list.map(|late| session.memory.with(|memory| (late.policies)(memory, say.spoken)));
        let summary = session.memory.with(|memory| (words.policies)(memory.name, memory.policies.len()));
        let fold = html("details").class("drawer").attribute("data-testid", "policies");
        html("div").child(fold.child(html("summary").text(summary)).children(list))
    });
    events::hear("change", ".memory", move |event| choose(session, event));
    events::hear("click", ".memory", move |event| {
        if let Some(name) = events::closest(event, "data-policy-reset") {
            session.act(What::Policy, |run| run.choose(&name, None));
        }
    });
    events::hear("toggle", "[data-testid=policies]", move |event| {
        let opens = events::is_inside(event, "[open]");
        is_open.set(opens);
        if opens {
            with_late(|_| ());
        }
    });
    // A run that was left with the ledger, or with ranges of layers, has what it needs brought at once.
    effect(move || {
        if session.memory.with(MemoryChoice::is_late) || session.ranges.with(Option::is_some) {
            with_late(|_| ());
        }
    });
    bring_after_the_first_act();
    view! {
        <section class="memory" aria-label=words.memory_model>
            <div class="memory-switch" node_ref=switch></div>
            <div node_ref=policies></div>
        </section>
    }
}

fn choose(session: Session, event: &Event) {
    let Some(Given::Text(value)) = events::given(event) else { return };
    if let Some(name) = events::closest(event, "data-policy") {
        session.act(What::Policy, |run| run.choose(&name, Some(&written(&value))));
    } else if let Some(name) = events::closest(event, "data-policy-number") {
        session.act(What::Policy, |run| {
            let known = run.policies.iter().find(|(known, _)| **known == *name).cloned();
            if let Some((stem, _)) = known.as_ref().and_then(|(_, value)| value.split_once(':')) {
                run.choose(&name, Some(&[stem, ":", value.trim()].concat()));
            }
        });
    } else if events::is_inside(event, "[data-testid=memory-model]")
        && let Some(name) = MemoryModel::NAMES.into_iter().find(|name| *name == value)
    {
        session.act(What::MemoryModel, |run| run.memory_model = name);
    }
}

/// The first touch or key says that somebody works here: what will be asked for is brought, quietly.
fn bring_after_the_first_act() {
    let bring = Later::new(AFTER_FIRST, || with_late_quietly(|_| ()));
    let is_first = StoredValue::new(true);
    for name in ["pointerdown", "keydown"] {
        let bring = bring.clone();
        events::hear(name, "", move |_| {
            if is_first.get_value() {
                is_first.set_value(false);
                bring.ask();
            }
        });
    }
}

/// What the other memory model says, and how far off a measured peak is: under the verdict.
#[component]
pub fn Beside() -> impl IntoView {
    let say = use_messages();
    let words = words(say.spoken);
    let session = expect_context::<Session>();
    let estimate = expect_context::<EstimateMemos>();
    let other = expect_context::<OtherModel>();
    let unit = expect_context::<Preferences>().unit;
    let said = live_after(move || {
        let (is_current, unit, late) = (other.is_current.get(), unit.get(), late::here());
        let said = other.said.get();
        let text = estimate.with_report(|report, _| {
            let (late, said) = (late?, said.as_deref()?);
            Some((late.comparison)(report, said, unit, say.spoken))
        });
        let name = session.memory.with(|memory| MemoryModel::NAMES.into_iter().find(|name| *name != memory.name));
        let name = name.unwrap_or_default();
        let line = html("p")
            .class("beside-other")
            .attribute("data-testid", "other-model")
            .state("data-current", is_current)
            .maybe("data-fits", said.as_ref().map(|said| said.fits.id()))
            .maybe("data-bytes", said.as_ref().map(|said| shortest(said.peak.value())));
        let line = match text.flatten() {
            Some(text) => line.text(text),
            None if other.is_asked.get() && is_current => line.text((words.nothing)(name)),
            None => {
                let ask = html("button").attribute("type", "button").class("action").attribute("data-act", "ask-other");
                line.child(ask.text((words.ask)(name)))
            }
        };
        html("div").child(line)
    });
    let measured = live(move || {
        let (text, unit) = (session.measured.get(), unit.get());
        let read = late::here()
            .filter(|_| !text.is_empty())
            .and_then(|late| estimate.with_report(|report, _| (late.measured)(&text, report, unit, say.spoken)));
        let field = html("input")
            .class("field measured-field")
            .attribute("type", "text")
            .attribute("id", "measured")
            .attribute("data-testid", "measured")
            .attribute("autocomplete", "off")
            .attribute("placeholder", "65.2 GiB")
            .attribute("aria-describedby", "measured-said")
            .state("aria-invalid", matches!(read, Some(Err(_))))
            .value(text.to_string());
        let said = html("span")
            .attribute("id", "measured-said")
            .class(if matches!(read, Some(Err(_))) { "measured-said wrong" } else { "measured-said" })
            .attribute("data-testid", "measured-error")
            .text(match read {
                Some(Ok(said) | Err(said)) => said,
                None => String::new(),
            });
        html("div").child(html("label").attribute("for", "measured").text(words.measured)).child(field).child(said)
    });
    events::hear("click", "[data-act=ask-other]", |_| with_late(|_| ()));
    events::hear("change", "[data-testid=measured]", move |event| {
        if let Some(Given::Text(text)) = events::given(event) {
            with_late(|_| ());
            session.act(What::Measured, |run| run.measured = text.trim().into());
        }
    });
    view! {
        <div class="beside">
            <div node_ref=said></div>
            <div class="measured" node_ref=measured></div>
        </div>
    }
}
