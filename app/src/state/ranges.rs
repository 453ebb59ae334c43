//! Recompute by ranges of layers, as it is edited: each row keeps what was typed, so that what is refused stays to be mended.

use shardmem::config::{self, Config};
use shardmem::diagnostics::{Checked, Diagnostic, Errors, Place};
use shardmem::document::{Entry, Mapping, Node, Value};
use shardmem::facts::{RecomputeOption, RecomputeRange, Switches, ranges};
use shardmem::placement::{self, Placement, Schedule};
use shardmem::provenance::{KeyPath, Segment, Source};
use shardmem::text::Span;
use std::sync::Arc;

/// The rows, in order. None at all is a statement too: no layer recomputes.
pub type Ranges = Arc<[Row]>;

/// A range as edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The first layer, as typed.
    pub first: String,
    /// How many layers, as typed; empty to the last.
    pub count: String,
    /// What they recompute.
    pub mode: Mode,
    /// What [`Mode::ByOp`] keeps; stays while another mode is chosen.
    pub switches: Switches,
}

/// What the layers of a range recompute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Nothing.
    #[default]
    None,
    /// What the rule of selective recompute says.
    Selective,
    /// What the row's own switches say.
    ByOp,
    /// Everything but their inputs.
    Full,
}

impl Mode {
    /// Every mode, from least recomputed to most.
    pub const ALL: [Self; 4] = [Self::None, Self::Selective, Self::ByOp, Self::Full];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Selective => "selective",
            Self::ByOp => "by-op",
            Self::Full => "full",
        }
    }

    /// The mode of a stable name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// What an execution spec states for it.
    const fn option(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Selective | Self::ByOp => "selective",
            Self::Full => "full",
        }
    }
}

/// The rows as the core reads the list `recompute` of an execution spec.
pub fn read(rows: &[Row]) -> Result<Checked<Arc<[RecomputeRange]>>, Errors> {
    ranges::parse(&list(rows), &path())
}

/// The rows as that list, what cannot be read included.
pub fn list(rows: &[Row]) -> Node {
    node(Value::Sequence(rows.iter().map(row_node).collect()))
}

/// A row as YAML, in one line.
pub fn yaml(row: &Row) -> String {
    let mut text = String::from("{");
    let Node { value: Value::Mapping(fields), .. } = row_node(row) else { return text };
    write_fields(&fields, &mut text);
    text
}

fn write_fields(fields: &Mapping, text: &mut String) {
    for (at, entry) in fields.entries.iter().enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        text.push_str(&entry.key);
        text.push_str(": ");
        match &entry.node.value {
            Value::Mapping(inner) => {
                text.push('{');
                write_fields(inner, text);
            }
            value => text.push_str(&value.to_text()),
        }
    }
    text.push('}');
}

/// The row that a finding about the list is about.
pub fn row_of(finding: &Diagnostic) -> Option<usize> {
    let (Place::Key(Source::Execution, path) | Place::Value(Source::Execution, path)) = &finding.place else {
        return None;
    };
    path.segments().iter().find_map(|segment| match segment {
        Segment::Index(at) => Some(*at),
        Segment::Key(_) => None,
    })
}

fn path() -> KeyPath {
    KeyPath::parse("recompute")
}

fn row_node(row: &Row) -> Node {
    let mut entries = vec![entry("first", typed(&row.first)), entry("option", text(row.mode.option()))];
    if !row.count.trim().is_empty() {
        entries.push(entry("count", typed(&row.count)));
    }
    if row.mode == Mode::ByOp {
        let ops = row.switches.named().map(|(op, keeps)| entry(op, text(if keeps { "keep" } else { "recompute" })));
        entries.push(entry("ops", Value::Mapping(Mapping { entries: ops.into() })));
    }
    node(Value::Mapping(Mapping { entries }))
}

/// What was typed: a number where it is one.
fn typed(typed: &str) -> Value {
    let typed = typed.trim();
    typed.parse().map_or_else(|_| text(typed), Value::Integer)
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn entry(key: &'static str, value: Value) -> Entry {
    Entry { key: key.into(), key_span: Span::new(0, 0), node: node(value) }
}

fn node(value: Value) -> Node {
    Node { value, span: Span::new(0, 0) }
}

/// The rows that say what a run recomputes anyway: where editing begins.
pub fn of_config(config: &Config) -> Ranges {
    match &config.primary().recompute_ranges {
        Some(ranges) => of_ranges(ranges),
        None => placement::place(config).map_or(Arc::default(), |placed| of_placement(&placed.value)),
    }
}

/// Ranges that the core found, as rows.
pub fn of_ranges(ranges: &[RecomputeRange]) -> Ranges {
    ranges.iter().map(stated_row).collect()
}

fn stated_row(range: &config::RecomputeRange) -> Row {
    let mode = match (range.option, range.switches) {
        (RecomputeOption::None, _) => Mode::None,
        (RecomputeOption::Full, _) => Mode::Full,
        (RecomputeOption::Selective, None) => Mode::Selective,
        (RecomputeOption::Selective, Some(_)) => Mode::ByOp,
    };
    let count = range.count.map_or(String::new(), |count| count.to_string());
    Row { first: range.first.to_string(), count, mode, switches: range.switches.unwrap_or(Switches::HYPER_SELECTIVE) }
}

/// One row for each run of layers that recompute alike, in model order; the last is open.
fn of_placement(placement: &Placement) -> Ranges {
    let mut runs: Vec<(Mode, u64)> = Vec::new();
    for run in in_model_order(placement) {
        let mode = match run.node {
            placement::Node::Embedding | placement::Node::Output => continue,
            placement::Node::Plain => Mode::None,
            placement::Node::Selective(_) => Mode::Selective,
            placement::Node::Full => Mode::Full,
        };
        match runs.last_mut() {
            Some((last, count)) if *last == mode => *count += u64::from(run.count),
            _ => runs.push((mode, u64::from(run.count))),
        }
    }
    let last = runs.len().saturating_sub(1);
    let mut first = 0;
    let rows = runs.into_iter().enumerate().map(|(at, (mode, count))| {
        let text = if at == last { String::new() } else { count.to_string() };
        let row = Row { first: first.to_string(), count: text, mode, switches: Switches::HYPER_SELECTIVE };
        first += count;
        row
    });
    rows.collect()
}

/// Chunk by chunk over the stages; a V turns around after the first chunks. Of several parts, the language model's.
fn in_model_order(placement: &Placement) -> Vec<placement::Run> {
    let chunks = placement.stages().next().map_or(0, |stage| stage.chunks().len());
    let mut runs = Vec::new();
    for chunk in 0..chunks {
        let mut cells: Vec<_> = placement.stages().map(|stage| stage.chunk(chunk).runs.to_vec()).collect();
        if chunk > 0 && placement.schedule() == Schedule::ZeroBubbleV {
            cells.reverse();
            for runs in &mut cells {
                runs.reverse();
            }
        }
        runs.extend(cells.into_iter().flatten());
    }
    runs.retain(|run| run.part + 1 == placement.parts());
    runs
}

/// A row behind the last one, which is closed for it where it was open.
pub fn with_row_added(rows: &[Row], layers: i64) -> Ranges {
    let mut rows = rows.to_vec();
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let end = match rows.last_mut() {
        None => 0,
        Some(last) => {
            let first = number(&last.first).unwrap_or(0);
            // An open row keeps all of its layers but one.
            let count = number(&last.count).unwrap_or_else(|| layers.saturating_sub(first).saturating_sub(1).max(1));
            last.count = count.to_string();
            first.saturating_add(count)
        }
    };
    let mode = if rows.last().is_some_and(|last| last.mode == Mode::None) { Mode::Full } else { Mode::None };
    rows.push(Row { first: end.to_string(), count: String::new(), mode, switches: Switches::HYPER_SELECTIVE });
    rows.into()
}

/// Without a row.
pub fn without_row(rows: &[Row], at: usize) -> Ranges {
    rows.iter().enumerate().filter(|(row, _)| *row != at).map(|(_, row)| row.clone()).collect()
}

/// With a row and the one behind it changing what they recompute and how many layers they hold; the layers of both
/// together stay the same, so that the list stays in order.
pub fn with_row_moved_down(rows: &[Row], at: usize) -> Ranges {
    let mut rows = rows.to_vec();
    if at + 1 < rows.len() {
        let first = rows[at].first.clone();
        rows.swap(at, at + 1);
        let number = |text: &str| text.trim().parse::<i64>().ok();
        rows[at].first.clone_from(&first);
        // An open row cannot stand before another: it leaves its openness behind.
        if rows[at].count.trim().is_empty() {
            let count = rows[at + 1].count.clone();
            rows[at].count = count;
            rows[at + 1].count = String::new();
        }
        if let (Some(first), Some(count)) = (number(&first), number(&rows[at].count)) {
            rows[at + 1].first = first.saturating_add(count).to_string();
        }
    }
    rows.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sample;
    use shardmem::document;
    use shardmem::facts::{self, ModelChoice, Overrides};

    fn row(first: &str, count: &str, mode: Mode) -> Row {
        Row { first: first.to_owned(), count: count.to_owned(), mode, switches: Switches::HYPER_SELECTIVE }
    }

    fn config(text: &str) -> Config {
        let document = document::parse(text).expect("the sample reads").value;
        let facts = facts::read(&document, &ModelChoice::Named, &Overrides::none(), None).expect("facts").value;
        config::derive(&facts).expect("a config").value
    }

    #[test]
    fn editing_begins_where_the_run_stands() {
        let whole = config(Sample::OPENING.text);
        assert_eq!(*of_config(&whole), [row("0", "", Mode::Full)]);
        let read = read(&of_config(&whole)).expect("right").value;
        assert_eq!(read.len(), 1);
        let text = Sample::OPENING.text.replace("pp_size: 16", "pp_size: 4");
        let partly = text.replace("model:\n", "model:\n  config_overrides:\n    full_rec: [2, 0, 0, 1]\n");
        assert_ne!(text, partly);
        let modes: Vec<(String, Mode)> =
            of_config(&config(&partly)).iter().map(|row| (row.first.clone(), row.mode)).collect();
        let expected = [("0", Mode::Full), ("2", Mode::None), ("46", Mode::Full), ("47", Mode::None)];
        assert_eq!(modes, expected.map(|(first, mode)| (first.to_owned(), mode)));
    }

    #[test]
    fn what_is_wrong_is_said_of_its_row() {
        let rows = [row("0", "4", Mode::Full), row("x", "", Mode::None), row("2", "0", Mode::ByOp)];
        let errors = read(&rows).expect_err("wrong");
        let found: Vec<_> = errors.errors().iter().map(|error| (row_of(error), error.code.name())).collect();
        assert_eq!(found, [(Some(1), "range_first"), (Some(2), "range_count")]);
        let errors = read(&[row("0", "4", Mode::Full), row("2", "", Mode::None)]).expect_err("they overlap");
        assert_eq!((row_of(errors.first()), errors.first().code.name()), (Some(1), "ranges_overlap"));
        assert!(read(&[]).is_ok());
    }

    #[test]
    fn switches_are_stated_by_op_alone() {
        let mut own = row("0", "", Mode::ByOp);
        own.switches.softmax = true;
        let read = |row: &Row| super::read(std::slice::from_ref(row)).expect("right").value[0].switches;
        assert_eq!(read(&own), Some(own.switches));
        let ops = "attBMM: keep, headCast: recompute, dropout: recompute, softmax: keep, normOp: recompute, \
                   gather: recompute, ffAct: recompute, attUp: keep";
        assert_eq!(yaml(&own), format!("{{first: 0, option: selective, ops: {{{ops}}}}}"));
        own.mode = Mode::Selective;
        assert_eq!(read(&own), None);
    }

    #[test]
    fn rows_are_added_moved_and_taken_away_in_order() {
        let open = [row("0", "", Mode::Full)];
        let two = with_row_added(&open, 61);
        assert_eq!(*two, [row("0", "60", Mode::Full), row("60", "", Mode::None)]);
        let moved = with_row_moved_down(&two, 0);
        assert_eq!(*moved, [row("0", "60", Mode::None), row("60", "", Mode::Full)]);
        assert_eq!(*without_row(&moved, 1), [row("0", "60", Mode::None)]);
        assert_eq!(*with_row_added(&[], 61), [row("0", "", Mode::None)]);
        let three = [row("0", "3", Mode::Full), row("3", "5", Mode::None), row("8", "", Mode::Selective)];
        let moved = with_row_moved_down(&three, 0);
        assert_eq!(*moved, [row("0", "5", Mode::None), row("5", "3", Mode::Full), row("8", "", Mode::Selective)]);
        assert!([two, moved].iter().all(|rows| read(rows).is_ok()));
    }
}
