//! The run as it is kept in the browser, so that a reload finds it again: named fields, each with its length. What cannot be
//! read is nothing kept.

use super::preferences::unit_by_name;
use super::ranges::{Mode, Row};
use super::what_if::Typed;
use super::{ModelSource, Workspace};
use shardmem::estimate::DEFAULT_MEMORY_MODEL;
use shardmem::facts::Switches;
use shardmem::facts::controls::Control;
use shardmem::memory::MemoryModel;
use shardmem::report::number::MemoryUnit;
use std::sync::Arc;

/// The page's address when a run was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Address<'a> {
    /// Its fragment.
    pub(super) fragment: &'a str,
    /// The unit that the fragment names, and the page counted in.
    pub(super) unit: Option<MemoryUnit>,
    /// Whether the run was newer than the fragment.
    pub(super) is_behind: bool,
}

/// The names of its fields, which stand before all others.
const ADDRESS: [&str; 3] = ["address", "unit", "behind"];

/// Writes a run, with the address that the page has.
pub(super) fn write(run: &Workspace, address: Address<'_>) -> String {
    let [fragment, unit, behind] = ADDRESS;
    let mut text = String::new();
    field(&mut text, fragment, address.fragment);
    if let Some(count) = address.unit {
        field(&mut text, unit, count.name());
    }
    if address.is_behind {
        field(&mut text, behind, "");
    }
    write_run(run, &mut text);
    text
}

/// The address that the page had when a run was kept.
pub(super) fn address(kept: &str) -> Address<'_> {
    let [fragment, unit, behind] = ADDRESS;
    let mut address = Address::default();
    let mut rest = kept;
    while let Some((name, value, after)) = next(rest).filter(|(name, ..)| ADDRESS.contains(name)) {
        rest = after;
        if name == fragment {
            address.fragment = value;
        } else if name == unit {
            address.unit = unit_by_name(value);
        } else {
            address.is_behind = name == behind;
        }
    }
    address
}

fn write_run(run: &Workspace, text: &mut String) {
    let mut field = |name: &str, value: &str| field(text, name, value);
    field("text", &run.text);
    match &run.model {
        ModelSource::File => {}
        ModelSource::Catalogue(id) => field("model", id),
        ModelSource::Config => field("model", ""),
    }
    if !run.config.is_empty() {
        field("config", &run.config);
    }
    for set in run.sets.iter() {
        field(set.control.name(), &set.text);
    }
    if let Some(stage) = run.stage {
        field("stage", &stage.to_string());
    }
    if !run.pinned {
        field("unpinned", "");
    }
    if run.memory_model != DEFAULT_MEMORY_MODEL {
        field("memory", run.memory_model);
    }
    for (name, value) in run.policies.iter() {
        field("policy", &[name, "=", value].concat());
    }
    if !run.measured.is_empty() {
        field("measured", &run.measured);
    }
    if let Some(rows) = &run.ranges {
        field("ranges", "");
        rows.iter().for_each(|row| field("range", &row_text(row)));
    }
    if let Some(baseline) = &run.baseline {
        let mut inner = String::new();
        write_run(baseline, &mut inner);
        field("baseline", &inner);
    }
}

/// Reads a run back; fields that nobody knows any more are left out.
pub(super) fn read(kept: &str) -> Option<Workspace> {
    let mut run = Workspace::of("");
    let mut ranges: Option<Vec<Row>> = None;
    let mut has_text = false;
    let mut rest = kept;
    while !rest.is_empty() {
        let (name, value, behind) = next(rest)?;
        rest = behind;
        match name {
            "text" => {
                run.text = super::workspace::unix_lines(value);
                has_text = true;
            }
            "model" if value.is_empty() => run.model = ModelSource::Config,
            "model" => run.model = ModelSource::Catalogue(value.into()),
            "config" => run.config = value.into(),
            "stage" => run.stage = value.parse().ok(),
            "unpinned" => run.pinned = false,
            "memory" => run.memory_model = memory_model(value).unwrap_or(run.memory_model),
            "policy" => {
                if let Some((name, value)) = value.split_once('=') {
                    run.choose(name, Some(value));
                }
            }
            "measured" => run.measured = value.into(),
            "ranges" => ranges = Some(Vec::new()),
            "range" => ranges.get_or_insert_default().extend(row(value)),
            "baseline" => {
                run.baseline = read(value).map(|baseline| Arc::new(Workspace { baseline: None, ..baseline }));
            }
            name => run.sets = run.sets.iter().cloned().chain(set(name, value)).collect(),
        }
    }
    run.ranges = ranges.map(Into::into);
    has_text.then_some(run)
}

fn memory_model(name: &str) -> Option<&'static str> {
    MemoryModel::NAMES.into_iter().find(|known| *known == name)
}

fn field(text: &mut String, name: &str, value: &str) {
    text.push_str(name);
    text.push(' ');
    text.push_str(&value.len().to_string());
    text.push('\n');
    text.push_str(value);
}

/// Name and value of the first field, and what stands behind it.
fn next(kept: &str) -> Option<(&str, &str, &str)> {
    let (head, rest) = kept.split_once('\n')?;
    let (name, length) = head.split_once(' ')?;
    let (value, behind) = rest.split_at_checked(length.parse().ok()?)?;
    Some((name, value, behind))
}

fn set(name: &str, value: &str) -> Option<Typed> {
    Control::by_name(name).map(|control| Typed { control, text: value.to_owned() })
}

fn row_text(row: &Row) -> String {
    let kept = row.switches.named().map(|(_, keeps)| if keeps { "1" } else { "0" }).concat();
    [&row.first, &row.count, row.mode.name(), &kept].join("\n")
}

fn row(text: &str) -> Option<Row> {
    let mut parts = text.split('\n');
    let mut part = || parts.next();
    let (first, count) = (part()?.to_owned(), part()?.to_owned());
    let mode = Mode::by_name(part()?)?;
    let mut switches = Switches::ALL_KEPT;
    for ((op, _), keeps) in Switches::ALL_KEPT.named().into_iter().zip(part()?.bytes()) {
        *switches.by_name(op)? = keeps == b'1';
    }
    Some(Row { first, count, mode, switches })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Workspace {
        let mut run = Workspace::of("a: 1\n并行: 😀\n");
        run.set(Control::Tp, "2");
        run.set(Control::DeviceMemory, "64 GB\n");
        run.pin_baseline();
        run.text = "text 3\nabc".into();
        run.paste_config("{\"a\": 1}");
        run.model = ModelSource::Catalogue("x/y".into());
        run.pinned = false;
        run.stage = Some(3);
        run.memory_model = "fsdp2";
        run.choose("loss", Some("chunked:2048"));
        run.measured = "65.2 GiB".into();
        let row = Row { first: "0".into(), count: "x".into(), mode: Mode::ByOp, switches: Switches::HYPER_SELECTIVE };
        run.ranges = Some([row].into());
        run
    }

    #[test]
    fn what_is_written_reads_back() {
        for run in [full(), Workspace::of(""), Workspace { ranges: Some([].into()), ..Workspace::of("x") }] {
            let addresses = [
                Address::default(),
                Address { fragment: "AT\nabc", unit: Some(MemoryUnit::Gb), is_behind: false },
                Address { fragment: "A", unit: Some(MemoryUnit::Gib), is_behind: true },
            ];
            for at in addresses {
                let kept = write(&run, at);
                assert_eq!((read(&kept).as_ref(), address(&kept)), (Some(&run), at));
            }
        }
    }

    #[test]
    fn what_is_broken_is_nothing_and_never_a_crash() {
        let kept = write(&full(), Address::default());
        for end in (0..kept.len()).filter(|end| kept.is_char_boundary(*end)) {
            let cut = read(&kept[..end]);
            assert!(cut.is_none_or(|run| run != full()), "cut at {end}");
        }
        assert_eq!(address("text 1\na"), Address::default());
        // As it was written before units were.
        assert_eq!(address("address 1\nAtext 6\nunit 2"), Address { fragment: "A", ..Address::default() });
        for text in ["", "text", "text 5\nab", "text -1\n", "text 99999999999999999999\n", "tp 1\n2", "\u{0}\n\n"] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert!(read("unheard 2\nof text 1\na".replace("of text", "oftext").as_str()).is_some());
    }
}
