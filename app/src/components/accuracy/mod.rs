//! How near both memory models come to measured peaks: a scatter, errors by class of peak, and every case in a table that is
//! sorted and narrowed by its reader. Late.

mod columns;
mod scatter;

pub use columns::Column;

use super::sorting::{self, Order};
use crate::browser::events;
use crate::messages::Language;
use crate::messages::accuracy::{Words, words};
use crate::view::{Element, html};
use shardmem::report::accuracy::{Case, Errors, PeakClass, cases};
use shardmem::report::number::MemoryUnit;

/// What `cargo xtask accuracy` wrote.
const TABLE: &str = include_str!("../../../../data/accuracy.csv");

/// What the heads of the table carry.
const SORT: &str = "data-sort-case";
/// What the buttons of the classes carry.
const CLASS: &str = "data-case-class";

/// What the reader asked of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Asked {
    /// Only these; all without one.
    pub class: Option<PeakClass>,
    /// Without an order cases stand as in the table of the project.
    pub order: Option<Order<Column>>,
}

impl Asked {
    /// What is asked after a click in the comparison.
    #[must_use]
    pub fn after(self, event: &leptos::ev::Event) -> Self {
        if let Some(column) = sorting::column(event, SORT) {
            return Self { order: sorting::pressed(column, self.order), ..self };
        }
        match events::closest(event, CLASS) {
            Some(id) => Self { class: PeakClass::ALL.into_iter().find(|class| class.id() == id), ..self },
            None => self,
        }
    }
}

/// The comparison.
pub fn accuracy(asked: Asked, unit: MemoryUnit, language: Language) -> Element {
    let words = words(language);
    let all: Vec<Case<'_>> = cases(TABLE).collect();
    let mut shown: Vec<Case<'_>> =
        all.iter().copied().filter(|case| asked.class.is_none_or(|class| case.class == class)).collect();
    if let Some(order) = asked.order {
        sorting::sort(&mut shown, &|one, other| order.direction.of(order.column.compare(one, other)));
    }
    html("div")
        .class("accuracy")
        .child(html("p").class("accuracy-about").text(words.about))
        .child(summary(&all, words))
        .child(choice(asked.class, words))
        .child(scatter::scatter(&shown, unit, words))
        .child(columns::table(&shown, asked.order, unit, words))
}

/// Which cases are shown.
fn choice(chosen: Option<PeakClass>, words: &Words) -> Element {
    let button = |id: &'static str, text: &'static str, class: Option<PeakClass>| {
        html("button")
            .attribute("type", "button")
            .class("accuracy-class")
            .attribute(CLASS, id)
            .state("aria-pressed", class == chosen)
            .text(text)
    };
    html("div")
        .class("accuracy-classes")
        .attribute("role", "group")
        .attribute("aria-label", words.classes)
        .child(button("all", words.all, None))
        .children(PeakClass::ALL.map(|class| button(class.id(), (words.class_name)(class), Some(class))))
}

/// A row a class: how many cases, and how far each model is off.
fn summary(all: &[Case<'_>], words: &Words) -> Element {
    let head = |text: &'static str| html("th").attribute("scope", "col").text(text);
    let model = |text: &'static str| html("th").attribute("scope", "colgroup").attribute("colspan", "2").text(text);
    let heads = html("tr")
        .child(html("th").attribute("scope", "col").attribute("rowspan", "2").text(words.class))
        .child(html("th").attribute("scope", "col").attribute("rowspan", "2").text(words.count))
        .children([model("fsdp2"), model("sapp_nd")]);
    let below = html("tr").children([words.median, words.worst, words.median, words.worst].map(head));
    let row = |name: &'static str, class: Option<PeakClass>| {
        let of_class = || all.iter().filter(move |case| class.is_none_or(|class| case.class == class));
        let errors =
            [Errors::of(of_class().map(Case::ledger_error)), Errors::of(of_class().filter_map(Case::reference_error))];
        let cells = errors.into_iter().flat_map(|errors| {
            let cell = |error: Option<f64>| html("td").text(error.map_or(String::new(), columns::share));
            [cell(errors.map(|errors| errors.median)), cell(errors.map(|errors| errors.worst))]
        });
        html("tr")
            .child(html("th").attribute("scope", "row").text(name))
            .child(html("td").text(of_class().count().to_string()))
            .children(cells)
    };
    let rows = PeakClass::ALL.map(|class| row((words.class_name)(class), Some(class)));
    let table = html("table")
        .class("accuracy-summary")
        .child(html("caption").class("hidden-text").text(words.summary))
        .child(html("thead").child(heads).child(below))
        .child(html("tbody").children(rows).child(row(words.all, None)));
    html("div").class("picture-table").child(table)
}

#[cfg(test)]
mod tests;
