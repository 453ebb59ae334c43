//! The button that copies the link, and what is told of links. What it says and shows is late.

use super::popover::Popover;
use crate::browser::patch::live;
use crate::browser::{events, focus};
use crate::late::{open_late, with_late};
use crate::messages::{Messages, use_messages};
use crate::reactive::{Held, effect};
use crate::state::Links;
use crate::state::links::{Handed, Told};
use crate::view::{Element, html, svg};
use leptos::ev::Event;
use leptos::prelude::*;

/// The button in the header, with what opens under it where the clipboard does not take the link.
#[component]
pub fn CopyLink() -> impl IntoView {
    let say = use_messages();
    let popover = Popover::new("link");
    let links = expect_context::<Links>();
    let holder = live(move || popover.view(button(say)));
    events::hear("click", popover.selector(), move |event| {
        if events::is_inside(event, ".opener") {
            if popover.is_open() {
                popover.leave();
            }
            links.copy(move |handed| match handed {
                Handed::Copied => links.tell(Told::Copied),
                Handed::ByHand(_) | Handed::TooLong => {
                    open_late(move |late| {
                        popover.open((late.link_popover)(&handed, say.spoken), ".link-popover :is(input, button)");
                    });
                }
            });
        } else if events::is_inside(event, "[data-testid=link-save]") {
            popover.leave();
            links.save();
        } else if events::is_inside(event, "[data-act=close]") {
            popover.leave();
        }
    });
    events::hear("focusin", "[data-testid=link-text]", focus::select_all);
    view! {
        <div class="copy-link" node_ref=holder></div>
    }
}

fn button(say: &Messages) -> Element {
    let chain = "M6.5 9.5l3-3M7.5 4.5l1.2-1.2a2.8 2.8 0 0 1 4 4L11.5 8.5M4.5 7.5 3.3 8.7a2.8 2.8 0 0 0 4 4l1.2-1.2";
    let picture = svg("svg").class("icon").attribute("viewBox", "0 0 16 16").attribute("aria-hidden", "true");
    html("button")
        .attribute("type", "button")
        .class("button opener")
        .attribute("data-testid", "copy-link")
        .attribute("aria-label", say.copy_link)
        .attribute("title", say.copy_link)
        .child(picture.child(svg("path").attribute("d", chain)))
        .child(html("span").class("copy-link-words").text(say.copy_link))
}

/// What is told of links, each with what can be done about it.
#[component]
pub fn LinkNotices() -> impl IntoView {
    let say = use_messages();
    let links = expect_context::<Links>();
    let lines = Held::new(Vec::<Element>::new());
    effect(move || {
        let told = links.told_now();
        if told.is_empty() {
            lines.set(Vec::new());
        } else {
            with_late(move |late| {
                lines.set(told.iter().map(|told| (late.link_notice)(told, say.spoken)).collect());
            });
        }
    });
    let holder = live(move || html("div").children(lines.get()));
    events::hear("click", ".link-notices", move |event| act(&links, event));
    view! {
        <div class="link-notices" node_ref=holder></div>
    }
}

fn act(links: &Links, event: &Event) {
    let told = events::closest(event, "data-told")
        .and_then(|name| links.told.with_untracked(|told| told.iter().find(|told| told.name() == name).cloned()));
    let Some(told) = told else { return };
    match events::closest(event, "data-act").as_deref() {
        Some("own") => links.show_own(),
        Some("other") => links.show_other(),
        Some("forget") => links.forget_other(),
        Some("dismiss") => links.forget(&told),
        _ => {}
    }
}
