//! The selected stage in figures: the same numbers as its bar.

use crate::browser::events;
use crate::components::legend::{category_of, swatch};
use crate::messages::Messages;
use leptos::prelude::*;
use shardmem::memory::{Category, Certainty};
use shardmem::report::number::{Decimals, MemoryUnit, amount, shortest};
use shardmem::report::{ItemRow, Row, StageReport};
use shardmem::units::Bytes;

/// A row per category, each opening to its items, and the total. `categories` are those of all stages, so that nothing
/// jumps when another stage is selected; `open` are those whose items are shown.
pub fn breakdown_table(
    stage: &StageReport,
    categories: &[Category],
    open: &[Category],
    unit: MemoryUnit,
    say: &'static Messages,
) -> impl IntoView + use<> {
    let shape = Shape { largest: largest(stage), unit, say };
    let bodies = categories.iter().map(|category| category_rows(*category, stage, open.contains(category), shape));
    view! {
        <table class="breakdown">
            <caption class="hidden-text">{say.breakdown}</caption>
            <thead>
                <tr>
                    <th scope="col">{say.column_part}</th>
                    <th scope="col" class="breakdown-bar" aria-hidden="true"></th>
                    <th scope="col">{unit.name()}</th>
                    <th scope="col">{say.column_share}</th>
                </tr>
            </thead>
            {bodies.collect_view()}
            {total_row(stage.peak, unit, say)}
        </table>
    }
}

/// The category whose items a click asks for.
pub fn toggled(event: &leptos::ev::Event) -> Option<Category> {
    events::is_inside(event, ".breakdown-open").then(|| category_of(event)).flatten()
}

/// What all rows need.
#[derive(Clone, Copy)]
struct Shape {
    /// The longest bar, in bytes.
    largest: f64,
    unit: MemoryUnit,
    say: &'static Messages,
}

fn largest(stage: &StageReport) -> f64 {
    stage.rows.iter().map(|row| row.bytes.value().abs()).fold(0.0, f64::max)
}

fn total_row(peak: Bytes, unit: MemoryUnit, say: &'static Messages) -> impl IntoView + use<> {
    view! {
        <tfoot>
            <tr>
                <th scope="row">{say.total}</th>
                <td class="breakdown-bar"></td>
                <td>{amount(peak, unit, Decimals::Two)}</td>
                <td>{(say.percent)(1.0)}</td>
            </tr>
        </tfoot>
    }
}

/// A category and its items. The items are in the page always, so that they can be found; shown when the category is open.
fn category_rows(category: Category, stage: &StageReport, is_open: bool, shape: Shape) -> impl IntoView + use<> {
    let Shape { largest, unit, say } = shape;
    let row = stage.rows.iter().find(|row| row.category == category);
    let bytes = row.map_or(Bytes::ZERO, |row| row.bytes);
    let items = row.map_or(&[][..], |row: &Row| &row.items);
    view! {
        <tbody class=if bytes == Bytes::ZERO { "nothing" } else { "" } data-row=category.id()>
            <tr>
                <th scope="row">
                    <button type="button" class="breakdown-open" aria-expanded=if is_open { "true" } else { "false" }>
                        {swatch(category)}
                        {(say.category)(category)}
                    </button>
                </th>
                <td class="breakdown-bar" aria-hidden="true">
                    {mini_bar(category, bytes, largest)}
                </td>
                <td>{amount(bytes, unit, Decimals::Two)}</td>
                <td>{(say.percent)(row.map_or(0.0, |row| row.share))}</td>
            </tr>
            {items.iter().map(|item| item_line(item, is_open, unit, say)).collect_view()}
        </tbody>
    }
}

fn item_line(item: &ItemRow, is_open: bool, unit: MemoryUnit, say: &'static Messages) -> impl IntoView + use<> {
    let certainty = match item.certainty {
        Certainty::Policy => say.certainty_policy,
        Certainty::Estimated => say.certainty_estimated,
        Certainty::Exact => "",
    };
    view! {
        <tr class="item" hidden=!is_open data-testid="item" data-item=item.id data-bytes=shortest(item.bytes.value())>
            <th scope="row">{(say.item)(item.id)} " " <span class="certainty">{certainty}</span></th>
            <td class="breakdown-bar"></td>
            <td>{amount(item.bytes, unit, Decimals::Two)}</td>
            <td></td>
        </tr>
    }
}

/// A category's bytes against the largest of the stage.
fn mini_bar(category: Category, bytes: Bytes, largest: f64) -> impl IntoView {
    let share = if largest > 0.0 { bytes.value().abs() / largest } else { 0.0 };
    let fill = if bytes < Bytes::ZERO { "notch" } else { category.id() };
    view! {
        <svg class="mini-bar">
            <rect height="100%" rx="2" width=format!("{:.1}%", share * 100.0) fill=format!("url(#fill-{fill})") />
        </svg>
    }
}
