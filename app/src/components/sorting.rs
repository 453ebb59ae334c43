//! Tables that are sorted by the head of a column: its own order first, then turned round, then the table's own again.

use crate::browser::events;
use crate::view::{Element, html};
use std::cmp::Ordering;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The least first.
    Ascending,
    /// The most first.
    Descending,
}

impl Direction {
    const fn turned(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }

    /// An ascending comparison, this way.
    pub fn of(self, ascending: Ordering) -> Ordering {
        match self {
            Self::Ascending => ascending,
            Self::Descending => ascending.reverse(),
        }
    }
}

/// The columns that a table can be sorted by.
pub trait Sortable: Copy + PartialEq + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// The name in the page.
    fn id(self) -> &'static str;

    /// Which way a column is sorted first: names from A on, amounts from the largest on.
    fn first(self) -> Direction;
}

/// An order that the reader asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order<C> {
    /// By what.
    pub column: C,
    /// Which way.
    pub direction: Direction,
}

/// The order after the head of a column was pressed.
pub fn pressed<C: Sortable>(column: C, order: Option<Order<C>>) -> Option<Order<C>> {
    let direction = column.first();
    let first = Order { column, direction };
    match order {
        Some(order) if order == first => Some(Order { column, direction: direction.turned() }),
        Some(order) if order.column == column => None,
        Some(_) | None => Some(first),
    }
}

/// What `aria-sort` says of a column.
pub fn said<C: Sortable>(column: C, order: Option<Order<C>>) -> &'static str {
    match order.filter(|order| order.column == column).map(|order| order.direction) {
        Some(Direction::Ascending) => "ascending",
        Some(Direction::Descending) => "descending",
        None => "none",
    }
}

/// The head of a column; a click on it carries `mark` with the column's name.
pub fn head<C: Sortable>(column: C, text: &'static str, order: Option<Order<C>>, mark: &'static str) -> Element {
    let button = html("button").attribute("type", "button").class("breakdown-sort").attribute(mark, column.id());
    html("th").attribute("scope", "col").attribute("aria-sort", said(column, order)).child(button.text(text))
}

/// The column whose head a click pressed.
pub fn column<C: Sortable>(event: &leptos::ev::Event, mark: &str) -> Option<C> {
    let id = events::closest(event, mark)?;
    C::ALL.iter().copied().find(|column| column.id() == id)
}

/// In order, equal ones as they stood. A table has few rows: the library's sorting would be more code than the table.
pub fn sort<T>(rows: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    for end in 1..rows.len() {
        let mut at = end;
        while at > 0 && compare(&rows[at - 1], &rows[at]) == Ordering::Greater {
            rows.swap(at - 1, at);
            at -= 1;
        }
    }
}
