//! The selected stage in figures: the same numbers as its bar.

use crate::browser::events;
use crate::components::breakdown_order::{Column, Names, ordered};
use crate::components::figure::figure;
use crate::components::legend::{NOTCH_FILL, category_of, fill_of, swatch};
use crate::components::sorting::{self, Order};
use crate::late;
use crate::messages::Messages;
use crate::view::{Element, html, svg};
use shardmem::decimal::fixed;
use shardmem::memory::{Category, Certainty};
use shardmem::report::number::{Decimals, MemoryUnit, amount, change};
use shardmem::report::{ItemRow, StageReport};
use shardmem::units::Bytes;

/// What the heads of the table carry.
pub const SORT: &str = "data-sort";

/// What to show of a stage.
#[derive(Clone, Copy)]
pub struct TableInput<'a> {
    /// The stage.
    pub stage: &'a StageReport,
    /// Whether there is a baseline, and a column for what changed.
    pub is_compared: bool,
    /// The same stage of the baseline, where it has one.
    pub baseline: Option<&'a StageReport>,
    /// What the other memory model says of this stage, where it was asked.
    pub other: Option<OtherStage<'a>>,
    /// The categories of all stages, so that nothing jumps when another stage is selected.
    pub categories: &'a [Category],
    /// Those whose items are shown.
    pub open: &'a [Category],
    /// The order of the rows.
    pub order: Option<Order<Column>>,
    /// The unit of the amounts.
    pub unit: MemoryUnit,
}

/// A stage by the other memory model, at its own peak.
#[derive(Debug, Clone, Copy)]
pub struct OtherStage<'a> {
    /// The model's name.
    pub name: &'static str,
    /// Each category, in the order of [`Category::ALL`].
    pub categories: &'a [Bytes; Category::ALL.len()],
    /// The peak.
    pub peak: Bytes,
    /// Whether that is of the run as it stands.
    pub is_current: bool,
}

/// A row per category, each opening to its items, and the total.
pub fn breakdown_table(input: TableInput<'_>, say: &Messages) -> Element {
    let rows = ordered(input.stage, input.baseline, input.categories, input.order, names(say));
    let bodies = rows.into_iter().map(|(category, items)| category_rows(category, &items, input, say));
    let head = |column: Column, text: &'static str| sorting::head(column, text, input.order, SORT);
    let heads = html("tr")
        .child(head(Column::Part, say.column_part))
        .child(html("th").class("breakdown-bar").attribute("aria-hidden", "true"))
        .child(head(Column::Bytes, input.unit.name()))
        .children(input.is_compared.then(|| head(Column::Change, say.column_change)))
        .children(
            input.other.map(|other| html("th").class("breakdown-other").attribute("scope", "col").text(other.name)),
        )
        .child(html("th").attribute("scope", "col").text(say.column_share));
    let total = html("tr")
        .child(html("th").attribute("scope", "row").text(say.total))
        .child(html("td").class("breakdown-bar"))
        .child(html("td").child(figure("total", amount(input.stage.peak, input.unit, Decimals::Two))))
        .children(change_cell(input, input.stage.peak, |before| Some(before.peak)))
        .children(other_cell(input, |other| Some(other.peak)))
        .child(html("td").text((say.percent)(1.0)));
    html("table")
        .class("breakdown")
        .child(html("caption").class("hidden-text").text(say.breakdown))
        .child(html("thead").child(heads))
        .children(bodies)
        .child(html("tfoot").child(total))
}

/// How rows are called where they are sorted by name.
pub fn names(say: &Messages) -> Names {
    Names { category: say.category, item: say.item }
}

/// The category whose items a click asks for.
pub fn toggled(event: &leptos::ev::Event) -> Option<Category> {
    events::is_inside(event, ".breakdown-open").then(|| category_of(event)).flatten()
}

/// A category and its items. The items are in the page always, so that they can be found; shown when the category is open.
fn category_rows(category: Category, items: &[&ItemRow], input: TableInput<'_>, say: &Messages) -> Element {
    let row = input.stage.rows.iter().find(|row| row.category == category);
    let bytes = row.map_or(Bytes::ZERO, |row| row.bytes);
    let is_open = input.open.contains(&category);
    let name = html("button")
        .attribute("type", "button")
        .class("breakdown-open")
        .state("aria-expanded", is_open)
        .child(swatch(category))
        .text((say.category)(category));
    let main = html("tr")
        .child(html("th").attribute("scope", "row").child(name))
        .child(html("td").class("breakdown-bar").child(mini_bar(category, bytes, largest(input.stage))))
        .child(html("td").child(figure(category.id(), amount(bytes, input.unit, Decimals::Two))))
        .children(change_cell(input, bytes, |before| {
            Some(before.rows.iter().find(|row| row.category == category).map_or(Bytes::ZERO, |row| row.bytes))
        }))
        .children(other_cell(input, |other| Some(other.categories[category as usize])))
        .child(html("td").text((say.percent)(row.map_or(0.0, |row| row.share))));
    html("tbody")
        .class(if bytes == Bytes::ZERO { "nothing" } else { "something" })
        .attribute("data-row", category.id())
        .child(main)
        .children(items.iter().map(|item| item_line(item, is_open, input, say)))
}

fn largest(stage: &StageReport) -> f64 {
    stage.rows.iter().map(|row| row.bytes.value().abs()).fold(0.0, f64::max)
}

fn item_line(item: &ItemRow, is_open: bool, input: TableInput<'_>, say: &Messages) -> Element {
    let certainty = match item.certainty {
        Certainty::Policy => say.certainty_policy,
        Certainty::Estimated => say.certainty_estimated,
        Certainty::Exact => "",
    };
    // For the hand that goes to the name; keys stop at the figure alone.
    let late = late::here().and_then(|late| (late.item)(item.id, say.spoken));
    let said = late.map_or_else(|| (say.item)(item.id), str::to_owned);
    let opener = figure(item.id, said).attribute("tabindex", "-1");
    let name = html("th").attribute("scope", "row").child(opener).text(" ");
    html("tr")
        .class("item")
        .flag("hidden", !is_open)
        .attribute("data-testid", "item")
        .attribute("data-item", item.id)
        .exact("data-bytes", item.bytes.value())
        .child(name.child(html("span").class("certainty").text(certainty)))
        .child(html("td").class("breakdown-bar"))
        // What is not seen is not written: the table changes with every slider event.
        .child(html("td").child(figure(
            item.id,
            if is_open { amount(item.bytes, input.unit, Decimals::Two) } else { String::new() },
        )))
        .children(change_cell(input, item.bytes, |before| {
            let mut items = before.rows.iter().flat_map(|row| &row.items);
            is_open.then(|| items.find(|other| other.id == item.id).map_or(Bytes::ZERO, |other| other.bytes))
        }))
        .children(other_cell(input, |_| None))
        .child(html("td"))
}

/// What changed against the baseline; empty where it has no such stage, and not there without a baseline.
fn change_cell(
    input: TableInput<'_>,
    now: Bytes,
    before: impl FnOnce(&StageReport) -> Option<Bytes>,
) -> Option<Element> {
    let text = || {
        let before = input.baseline.and_then(before);
        before.map_or(String::new(), |before| change(now - before, input.unit, Decimals::Two))
    };
    input.is_compared.then(|| html("td").class("breakdown-change").text(text()))
}

/// The other memory model's figure; its items are not those of this one.
fn other_cell(input: TableInput<'_>, figure: impl FnOnce(&OtherStage<'_>) -> Option<Bytes>) -> Option<Element> {
    let other = input.other.as_ref()?;
    let text = figure(other).map_or(String::new(), |bytes| amount(bytes, input.unit, Decimals::Two));
    Some(html("td").class("breakdown-other").state("data-current", other.is_current).text(text))
}

/// A category's bytes against the largest of the stage.
fn mini_bar(category: Category, bytes: Bytes, largest: f64) -> Element {
    let share = if largest > 0.0 { bytes.value().abs() / largest } else { 0.0 };
    let bar = svg("rect")
        .attribute("height", "100%")
        .attribute("rx", "2")
        .attribute("width", format!("{}%", fixed(share * 100.0, 1)))
        .attribute("fill", if bytes < Bytes::ZERO { NOTCH_FILL } else { fill_of(category) });
    svg("svg").class("mini-bar").attribute("aria-hidden", "true").child(bar)
}
