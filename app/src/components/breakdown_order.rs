//! The order of the breakdown's rows: categories, and in each its items; without one they stand as in the bars, from the ground
//! up.

use super::sorting::{Direction, Order, Sortable, sort};
use shardmem::memory::Category;
use shardmem::report::{ItemRow, StageReport};
use shardmem::units::Bytes;
use std::cmp::Ordering;

/// What rows are sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Their names.
    Part,
    /// Their bytes.
    Bytes,
    /// What changed against the baseline.
    Change,
}

impl Sortable for Column {
    const ALL: &'static [Self] = &[Self::Part, Self::Bytes, Self::Change];

    fn id(self) -> &'static str {
        match self {
            Self::Part => "part",
            Self::Bytes => "bytes",
            Self::Change => "change",
        }
    }

    fn first(self) -> Direction {
        match self {
            Self::Part => Direction::Ascending,
            Self::Bytes | Self::Change => Direction::Descending,
        }
    }
}

/// How rows are called.
#[derive(Clone, Copy)]
pub struct Names {
    /// Categories.
    pub category: fn(Category) -> &'static str,
    /// Items.
    pub item: fn(&str) -> String,
}

/// A stage's rows in an order: items stay with their category. `categories` are those of the table.
pub fn ordered<'a>(
    stage: &'a StageReport,
    baseline: Option<&StageReport>,
    categories: &[Category],
    order: Option<Order<Column>>,
    names: Names,
) -> Vec<(Category, Vec<&'a ItemRow>)> {
    let items = |category: &Category| {
        let row = stage.rows.iter().find(|row| row.category == *category);
        row.map_or(Vec::new(), |row| row.items.iter().collect())
    };
    let mut rows: Vec<(Category, Vec<&ItemRow>)> =
        categories.iter().map(|category| (*category, items(category))).collect();
    let Some(order) = order else { return rows };
    let category_bytes = |stage: &StageReport, category: Category| {
        stage.rows.iter().find(|row| row.category == category).map_or(Bytes::ZERO, |row| row.bytes)
    };
    let before = |id: &str| {
        let mut items = baseline.into_iter().flat_map(|stage| &stage.rows).flat_map(|row| &row.items);
        items.find(|item| item.id == id).map_or(Bytes::ZERO, |item| item.bytes)
    };
    sort(&mut rows, &|(one, _), (other, _)| {
        let key = |category: Category| {
            let now = category_bytes(stage, category);
            let before = baseline.map_or(Bytes::ZERO, |baseline| category_bytes(baseline, category));
            Key { name: (names.category)(category).to_owned(), now, before }
        };
        compare(order, &key(*one), &key(*other))
    });
    for (_, items) in &mut rows {
        sort(items, &|one, other| {
            let key = |item: &ItemRow| Key { name: (names.item)(item.id), now: item.bytes, before: before(item.id) };
            compare(order, &key(one), &key(other))
        });
    }
    rows
}

/// What a row is compared by.
struct Key {
    name: String,
    now: Bytes,
    before: Bytes,
}

fn compare(order: Order<Column>, one: &Key, other: &Key) -> Ordering {
    let change = |key: &Key| (key.now - key.before).value();
    order.direction.of(match order.column {
        Column::Part => one.name.cmp(&other.name),
        Column::Bytes => one.now.value().total_cmp(&other.now.value()),
        Column::Change => change(one).total_cmp(&change(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::sorting::{pressed, said};
    use shardmem::memory::Certainty;
    use shardmem::report::Row;

    fn row(category: Category, items: &[(&'static str, f64)]) -> Row {
        let item =
            |(id, bytes): &(&'static str, f64)| ItemRow { id, bytes: Bytes::new(*bytes), certainty: Certainty::Exact };
        let bytes = Bytes::new(items.iter().map(|(_, bytes)| bytes).sum());
        Row { category, bytes, share: 0.0, items: items.iter().map(item).collect() }
    }

    fn stage(rows: Vec<Row>) -> StageReport {
        let peak = rows.iter().map(|row| row.bytes).sum();
        StageReport { stage: 0, layers: String::new(), peak, instants: Vec::new(), in_flight: Vec::new(), rows }
    }

    const NAMES: Names = Names { category: Category::id, item: str::to_owned };
    const CATEGORIES: [Category; 3] = [Category::Parameters, Category::Activations, Category::Buffers];

    fn ids(order: Option<Order<Column>>) -> Vec<&'static str> {
        let now = stage(vec![
            row(Category::Parameters, &[("p-b", 5.0), ("p-a", 9.0)]),
            row(Category::Activations, &[("a", 40.0)]),
        ]);
        let before = stage(vec![
            row(Category::Parameters, &[("p-b", 1.0), ("p-a", 9.0)]),
            row(Category::Activations, &[("a", 60.0)]),
        ]);
        let rows = ordered(&now, Some(&before), &CATEGORIES, order, NAMES);
        rows.into_iter()
            .flat_map(|(category, items)| [category.id()].into_iter().chain(items.into_iter().map(|item| item.id)))
            .collect()
    }

    #[test]
    fn items_stay_with_their_category_in_every_order() {
        assert_eq!(ids(None), ["parameters", "p-b", "p-a", "activations", "a", "buffers"]);
        let by = |column: Column| pressed(column, None);
        assert_eq!(ids(by(Column::Part)), ["activations", "a", "buffers", "parameters", "p-a", "p-b"]);
        assert_eq!(ids(by(Column::Bytes)), ["activations", "a", "parameters", "p-a", "p-b", "buffers"]);
        assert_eq!(ids(by(Column::Change)), ["parameters", "p-b", "p-a", "buffers", "activations", "a"]);
    }

    #[test]
    fn a_head_turns_its_order_and_then_gives_the_bars_back() {
        let first = pressed(Column::Bytes, None);
        assert_eq!(said(Column::Bytes, first), "descending");
        let second = pressed(Column::Bytes, first);
        assert_eq!(said(Column::Bytes, second), "ascending");
        assert_eq!(pressed(Column::Bytes, second), None);
        assert_eq!(said(Column::Part, second), "none");
        assert_eq!(said(Column::Part, pressed(Column::Part, second)), "ascending");
    }
}
