//! The pictures that come when they are asked for: layers on stages, stages at instants, all stages in figures. Each is a
//! table, so that its figures are read where the picture is not seen.

mod heat_map;
mod layer_map;
mod stage_table;

pub use heat_map::heat_map;
pub use layer_map::layer_map;
pub use stage_table::stage_table;

use crate::browser::{events, focus};
use crate::components::chart::{pick_by_key, pressed};
use crate::messages::{self, Language, Messages};
use crate::view::{Element, html};
use leptos::ev::Event;
use shardmem::report::number::MemoryUnit;

/// How a picture is to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Looks {
    /// The selected stage.
    pub selected: usize,
    /// The unit of amounts.
    pub unit: MemoryUnit,
    /// The language.
    pub language: Language,
}

impl Looks {
    const fn say(self) -> &'static Messages {
        messages::of(self.language)
    }
}

/// The stage that a click in a picture picks.
pub fn picked(event: &Event) -> Option<usize> {
    events::closest(event, "data-pick")?.parse().ok()
}

/// The stage that a key leads to in a picture; the focus goes along.
pub fn picked_by_key(event: &Event, last: usize) -> Option<usize> {
    let key = pressed(event)?;
    // In a chart what is higher is more; in a table the next row is lower.
    let key = match &*key {
        "ArrowDown" => "ArrowRight",
        "ArrowUp" => "ArrowLeft",
        other => other,
    };
    let stage = pick_by_key(key, picked(event)?, last)?;
    event.prevent_default();
    focus::inside(event.target(), "table", &format!("th [data-pick='{stage}']"));
    Some(stage)
}

/// The head of a stage's row; one of them is the table's stop for the keyboard.
fn stage_head(stage: usize, looks: Looks) -> Element {
    let is_selected = stage == looks.selected;
    let button = html("button")
        .attribute("type", "button")
        .class("pick")
        .number("data-pick", stage)
        .state("aria-pressed", is_selected)
        .attribute("aria-label", (looks.say().stage)(stage))
        .attribute("tabindex", if is_selected { "0" } else { "-1" })
        .text(stage.to_string());
    html("th").attribute("scope", "row").child(button)
}

fn row(stage: usize, looks: Looks) -> Element {
    html("tr").attribute("class", if stage == looks.selected { "selected" } else { "" }).child(stage_head(stage, looks))
}

fn column(text: impl Into<crate::view::Text>) -> Element {
    html("th").attribute("scope", "col").text(text)
}

/// A table of stages, named by its caption.
fn table(
    class: &'static str,
    caption: &'static str,
    heads: Element,
    rows: impl IntoIterator<Item = Element>,
) -> Element {
    let table = html("table")
        .class(class)
        .child(html("caption").class("hidden-text").text(caption))
        .child(html("thead").child(heads))
        .child(html("tbody").children(rows));
    html("div").class("picture-table").child(table)
}

#[cfg(test)]
mod tests;
