//! Every case in a row.

use super::SORT;
use crate::components::sorting::{self, Direction, Order, Sortable};
use crate::messages::accuracy::Words;
use crate::view::{Element, html};
use shardmem::decimal::fixed;
use shardmem::report::accuracy::Case;
use shardmem::report::number::{Decimals, MemoryUnit, amount};
use shardmem::units::Bytes;
use std::cmp::Ordering;

/// What cases are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Their names.
    Case,
    /// What makes up the peak.
    Class,
    /// The measured peak.
    Measured,
    /// The ledger's.
    Ledger,
    /// How far it is off, whichever way.
    LedgerError,
    /// The reference's.
    Reference,
    /// How far it is off, whichever way; cases that it does not price come last.
    ReferenceError,
}

impl Sortable for Column {
    const ALL: &'static [Self] = &[
        Self::Case,
        Self::Class,
        Self::Measured,
        Self::Ledger,
        Self::LedgerError,
        Self::Reference,
        Self::ReferenceError,
    ];

    fn id(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Class => "class",
            Self::Measured => "measured",
            Self::Ledger => "fsdp2",
            Self::LedgerError => "fsdp2-error",
            Self::Reference => "sapp_nd",
            Self::ReferenceError => "sapp_nd-error",
        }
    }

    fn first(self) -> Direction {
        match self {
            Self::Case | Self::Class => Direction::Ascending,
            Self::Measured | Self::Ledger | Self::LedgerError | Self::Reference | Self::ReferenceError => {
                Direction::Descending
            }
        }
    }
}

impl Column {
    /// Two cases by this column, ascending.
    pub(super) fn compare(self, one: &Case<'_>, other: &Case<'_>) -> Ordering {
        // What is not priced is less than everything that is.
        let of = |case: &Case<'_>| match self {
            Self::Measured => case.measured,
            Self::Ledger => case.ledger,
            Self::LedgerError => case.ledger_error().abs(),
            Self::Reference => case.reference.unwrap_or(-1.0),
            Self::ReferenceError => case.reference_error().map_or(-1.0, f64::abs),
            Self::Case | Self::Class => 0.0,
        };
        match self {
            Self::Case => one.name.cmp(other.name),
            Self::Class => (one.class as u8).cmp(&(other.class as u8)),
            _ => of(one).total_cmp(&of(other)),
        }
    }

    const fn text(self, words: &Words) -> &'static str {
        match self {
            Self::Case => words.case,
            Self::Class => words.class,
            Self::Measured => words.measured,
            Self::Ledger => "fsdp2",
            Self::Reference => "sapp_nd",
            Self::LedgerError | Self::ReferenceError => words.error,
        }
    }
}

/// The table.
pub(super) fn table(shown: &[Case<'_>], order: Option<Order<Column>>, unit: MemoryUnit, words: &Words) -> Element {
    let heads = Column::ALL.iter().map(|column| sorting::head(*column, column.text(words), order, SORT));
    let figure = |bytes: f64| html("td").text(amount(Bytes::new(bytes), unit, Decimals::Two));
    let error = |error: f64| {
        // An allocator's reserve is no error of a model that counts what is allocated.
        let is_off = error.abs() > 0.1;
        html("td").attribute("class", if is_off { "over" } else { "" }).text(signed(error))
    };
    let rows = shown.iter().map(|case| {
        let note = (words.artefact)(case.artefact);
        let set = html("span").class("accuracy-set").text((words.set_name)(case.set));
        let name = html("th").attribute("scope", "row").text(case.name.to_owned()).text(" ").child(set);
        let name = if note.is_empty() { name } else { name.child(html("span").class("accuracy-note").text(note)) };
        let reference = match case.reference {
            Some(bytes) => figure(bytes),
            None => html("td").class("nothing").text(words.not_priced),
        };
        html("tr")
            .child(name)
            .child(html("td").text((words.class_name)(case.class)))
            .child(figure(case.measured))
            .child(figure(case.ledger))
            .child(error(case.ledger_error()))
            .child(reference)
            .child(case.reference_error().map_or_else(|| html("td"), error))
    });
    let table = html("table")
        .class("accuracy-cases")
        .child(html("caption").class("hidden-text").text([words.cases, ", ", unit.name()].concat()))
        .child(html("thead").child(html("tr").children(heads)))
        .child(html("tbody").children(rows));
    html("div").class("picture-table").child(table)
}

/// A share without its sign, with the digits that tell something: `<0.001 %`, `1.5 %`, `203 %`.
pub(super) fn share(error: f64) -> String {
    let percent = error.abs() * 100.0;
    let decimals = match percent {
        percent if percent >= 10.0 => 0,
        percent if percent >= 0.95 => 1,
        percent if percent >= 0.0095 => 2,
        _ => 3,
    };
    let number = if percent >= LEAST {
        fixed(percent, decimals)
    } else {
        ["<0.001", "0"][usize::from(percent == 0.0)].to_owned()
    };
    [&number, "\u{a0}%"].concat()
}

/// The least percentage that is written out.
const LEAST: f64 = 0.0005;

/// The same with its sign; none on what is too little to tell.
fn signed(error: f64) -> String {
    let sign = match error {
        error if error.abs() * 100.0 < LEAST => "",
        error if error < 0.0 => "−",
        _ => "+",
    };
    [sign, &share(error)].concat()
}
