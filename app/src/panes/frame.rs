//! Header and footer.

use crate::browser::patch::live;
use crate::components::segmented::segmented;
use crate::messages::use_messages;
use crate::state::preferences::{UNITS, unit_by_name};
use crate::state::{EstimateMemos, Preferences, Theme};
use crate::view::html;
use leptos::prelude::*;
use shardmem::report::number::MemoryUnit;

/// Name, what is estimated, and the reader's preferences.
#[component]
pub fn Header() -> impl IntoView {
    let say = use_messages();
    let Preferences { unit, .. } = expect_context::<Preferences>();
    let estimate = expect_context::<EstimateMemos>();
    let run = live(move || {
        let run = estimate.with_identity(|identity| {
            [identity.model.clone(), (say.devices)(identity.devices), identity.memory_model.to_owned()].join(" · ")
        });
        html("div").text(run.unwrap_or_default())
    });
    let choose_unit = move |name: &'static str| unit.set(unit_by_name(name).unwrap_or_default());
    view! {
        <header class="top">
            <h1>"ShardMem"</h1>
            <div class="top-run" node_ref=run></div>
            <div class="top-tools">
                {segmented(say.unit, "unit", UNITS.map(MemoryUnit::name), unit.get_untracked().name(), choose_unit)}
                <ThemeSelect />
            </div>
        </header>
    }
}

#[component]
fn ThemeSelect() -> impl IntoView {
    let say = use_messages();
    let theme = expect_context::<Preferences>().theme;
    let options = Theme::ALL.into_iter().map(|choice| {
        view! {
            <option value=choice.name() selected=choice == theme.get_untracked()>
                {(say.theme_name)(choice)}
            </option>
        }
    });
    view! {
        <select
            class="plain-select"
            data-testid="theme"
            aria-label=say.theme
            on:change:target=move |event| theme.set(Theme::by_name(&event.target().value()).unwrap_or_default())
        >
            {options.collect_view()}
        </select>
    }
}

/// The verdict once more at the lower edge of a narrow page; screen readers have the other one.
#[component]
pub fn VerdictBar() -> impl IntoView {
    let say = use_messages();
    let unit = expect_context::<Preferences>().unit;
    let estimate = expect_context::<EstimateMemos>();
    let bar = live(move || {
        let verdict =
            estimate.with_report(|report, _| (report.verdict.fits.id(), (say.verdict)(&report.verdict, unit.get())));
        let (fits, words) = verdict.unwrap_or_default();
        html("div").attribute("data-fits", fits).text(words)
    });
    view! { <div class="verdict-bar" aria-hidden="true" node_ref=bar></div> }
}

/// Version and the promise.
#[component]
pub fn Footer() -> impl IntoView {
    let say = use_messages();
    view! {
        <footer class="foot">
            <span>{(say.version)(env!("CARGO_PKG_VERSION"))}</span>
            <span>{say.privacy}</span>
        </footer>
    }
}
