//! Header and footer, and what stands over the page.

use super::link::{CopyLink, LinkNotices};
use super::takeaway::TakeAway;
use crate::browser::events::{self, Given};
use crate::browser::later::Later;
use crate::browser::patch::live;
use crate::browser::{address, focus};
use crate::components::segmented::{menu, segmented};
use crate::messages::{self, Language, Messages, use_messages};
use crate::reactive::{Derived, Held, effect};
use crate::state::history::What;
use crate::state::preferences::{UNITS, unit_by_name};
use crate::state::session::Notice;
use crate::state::{EstimateMemos, Links, Preferences, Session, Theme};
use crate::view::{Element, html, svg};
use leptos::ev::Event;
use leptos::prelude::*;
use shardmem::report::number::MemoryUnit;
use std::time::Duration;

/// How long the figures must rest before they are spoken.
const REST: Duration = Duration::from_millis(400);
/// How long it is told that something was copied or saved.
const TOLD: Duration = Duration::from_secs(8);

/// Name, what is estimated, undo and redo, and the reader's preferences.
#[component]
pub fn Header() -> impl IntoView {
    let say = use_messages();
    let preferences = expect_context::<Preferences>();
    let estimate = expect_context::<EstimateMemos>();
    let session = expect_context::<Session>();
    let run = live(move || {
        let run = estimate.with_identity(|identity| {
            let memory_model = session.memory.with(|memory| memory.name.to_owned());
            [identity.model.clone(), (say.devices)(identity.devices), memory_model].join(" · ")
        });
        html("div").text(run.unwrap_or_default())
    });
    let tools =
        live(move || html("div").children(history(session.steps.get(), say)).children(choices(preferences, say)));
    events::hear("change", ".top-tools", move |event| choose(preferences, event));
    events::hear("click", ".top-tools, .notice-bar", move |event| {
        match events::closest(event, "data-testid").as_deref() {
            Some("undo" | "notice-undo") => session.undo(),
            Some("redo") => session.redo(),
            Some("notice-dismiss") => session.hush(),
            _ => {}
        }
    });
    view! {
        <header class="top">
            <h1>"ShardMem"</h1>
            <div class="top-run" node_ref=run></div>
            <CopyLink />
            <TakeAway />
            <div class="top-tools" node_ref=tools></div>
        </header>
    }
}

/// Undo and redo; each says what it would do. They keep the focus where there is nothing left to do.
fn history((undoes, redoes): (Option<What>, Option<What>), say: &Messages) -> [Element; 2] {
    let button = |name: &'static str, text: String, is_idle: bool, path: &'static str| {
        let picture = svg("svg").class("icon").attribute("viewBox", "0 0 16 16").attribute("aria-hidden", "true");
        html("button")
            .attribute("type", "button")
            .class("tool")
            .attribute("data-testid", name)
            .attribute("aria-label", text.clone())
            .attribute("title", text)
            .state("aria-disabled", is_idle)
            .child(picture.child(svg("path").attribute("d", path)))
    };
    [
        button("undo", (say.undo)(undoes), undoes.is_none(), "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H6"),
        button("redo", (say.redo)(redoes), redoes.is_none(), "m10 3 3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H10"),
    ]
}

fn choices(preferences: Preferences, say: &Messages) -> [Element; 3] {
    let languages = Language::ALL.map(|language| (messages::tag(language), messages::own_name(language).into()));
    let themes = Theme::ALL.map(|theme| (theme.name(), (say.theme_name)(theme).into()));
    [
        segmented(say.unit, "unit", &UNITS.map(MemoryUnit::name), preferences.unit.get().name()),
        menu(say.language, "language", languages, messages::tag(say.spoken)),
        menu(say.theme, "theme", themes, preferences.theme.get().name()),
    ]
}

fn choose(preferences: Preferences, event: &Event) {
    let (Some(which), Some(Given::Text(value))) = (events::closest(event, "data-testid"), events::given(event)) else {
        return;
    };
    match which.as_str() {
        "unit" => preferences.count_in(unit_by_name(&value).unwrap_or_default()),
        "theme" => preferences.theme.set(Theme::by_name(&value).unwrap_or_default()),
        "language" => {
            preferences.speak(messages::by_tag(&value).unwrap_or_default());
            // The page is made anew, and the menu with it.
            focus::on("[data-testid=language]");
        }
        _ => {}
    }
}

/// The verdict once more: at the lower edge of a narrow page for the eye, and spoken when the figures have come to rest.
#[component]
pub fn VerdictBar() -> impl IntoView {
    let say = use_messages();
    let unit = expect_context::<Preferences>().unit;
    let estimate = expect_context::<EstimateMemos>();
    let words = Derived::new(move |_| {
        estimate.with_report(|report, is_stale| {
            let verdict = (say.verdict)(&report.verdict, unit.get());
            let words = if is_stale { format!("{verdict}; {}", say.stale) } else { verdict.clone() };
            (report.verdict.fits.id(), verdict, words)
        })
    });
    let bar = live(move || {
        let (fits, verdict, _) = words.get().unwrap_or_default();
        html("div").attribute("data-fits", fits).text(verdict)
    });
    let spoken = Held::new(String::new());
    let speak = Later::new(REST, move || {
        spoken.set(words.get_untracked().map_or_else(|| say.no_estimate.to_owned(), |(_, _, words)| words));
    });
    effect(move || {
        words.with(|_| ());
        speak.ask();
    });
    let voice = live(move || html("div").text(spoken.get()));
    view! {
        <div class="verdict-bar" aria-hidden="true" node_ref=bar></div>
        <div class="hidden-text" role="status" aria-live="polite" data-testid="spoken" node_ref=voice></div>
    }
}

/// What is told beside the last act, with the way back where there is one.
#[component]
pub fn NoticeBar() -> impl IntoView {
    let say = use_messages();
    let session = expect_context::<Session>();
    let bar = live(move || html("div").children(session.notice.get().map(|notice| notice_line(notice, say))));
    let fade = Later::new(TOLD, move || {
        if session.notice.with_untracked(|notice| notice.as_ref().is_some_and(Notice::is_told)) {
            session.hush();
        }
    });
    effect(move || {
        if session.notice.with(|notice| notice.as_ref().is_some_and(Notice::is_told)) {
            fade.ask();
        }
    });
    view! {
        <div class="notice-bar" role="status">
            <LinkNotices />
            <div node_ref=bar></div>
        </div>
    }
}

fn notice_line(notice: Notice, say: &Messages) -> Element {
    let button = |name: &'static str, text: &'static str| {
        html("button").attribute("type", "button").class("action").attribute("data-testid", name).text(text)
    };
    let is_told = notice.is_told();
    html("p")
        .class("notice")
        .attribute("data-testid", "notice")
        .child(html("span").text((say.notice)(notice)))
        .child(button("notice-undo", say.take_back).flag("hidden", is_told))
        .child(button("notice-dismiss", say.dismiss))
}

/// Version and the promise; in the embedded view the way to the whole page.
#[component]
pub fn Footer() -> impl IntoView {
    let say = use_messages();
    let links = expect_context::<Links>();
    // The address as it stands when the link is followed, not when the page was made.
    for before in ["pointerdown", "focus"] {
        events::hear(before, ".full-page", move |event| links.lead(event));
    }
    view! {
        <footer class="foot">
            <a
                class="full-page"
                data-testid="full-page"
                target="_blank"
                rel="noopener"
                href=address::link(&address::fragment())
            >
                {say.full_page}
            </a>
            <span>{(say.version)(env!("CARGO_PKG_VERSION"))}</span>
            <span>{say.privacy}</span>
        </footer>
    }
}
