//! The run as the core's links carry it, and back (DESIGN 3.4). Late: a page that nothing is changed in needs none of it.
//!
//! A link carries what can be seen: of several models at hand the one in use, of a row of ranges the switches that count.
//! What a state made elsewhere holds and this page has no place for is written into the run where that leaves its figures
//! as they are, and told either way.

use super::memory::pairs;
use super::preferences::unit_by_name;
use super::ranges::{self, Mode, Ranges, Row};
use super::workspace::unix_lines;
use super::{ModelSource, Sample, Workspace};
use shardmem::document::{self, Mapping, Node, Quotes, Value, to_line};
use shardmem::facts::controls::Control;
use shardmem::facts::{self, Overrides, Switches, execution};
use shardmem::link::{Broken, Known, Model, Notice, Run, Selection, State, decode, encode, from_file, to_file};
use shardmem::memory::{Chosen, MemoryModel};
use shardmem::model::catalogue;
use shardmem::provenance::Source;
use shardmem::report::number::MemoryUnit;
use std::sync::Arc;

/// A state that was opened, as the page shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The run, its baseline included.
    pub run: Workspace,
    /// The unit that its sender read it in, where that is not the page's own.
    pub unit: Option<MemoryUnit>,
    /// What has changed since it was made.
    pub notices: Vec<Notice>,
    /// What the page shows in another way than the state says it.
    pub differences: Vec<Difference>,
}

/// What the page has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Values laid over the text were written into it.
    Written,
    /// Something is left out, so that the figures may differ: what it is, by its name.
    LeftOut(String),
}

/// The state as a fragment, without `#`; nothing where it is too large for any.
pub fn fragment(run: &Workspace, unit: MemoryUnit) -> Option<String> {
    with_known(|known| encode(&state(run, unit), known))
}

/// The state as a file.
pub fn file(run: &Workspace, unit: MemoryUnit) -> String {
    with_known(|known| to_file(&state(run, unit), known))
}

/// Opens a fragment.
pub fn open(fragment: &str) -> Result<Opened, Broken> {
    with_known(|known| decode(fragment, known)).map(|read| opened(read.state, read.notices))
}

/// Opens a file.
pub fn open_file(text: &str) -> Result<Opened, Broken> {
    with_known(|known| from_file(text, known)).map(|read| opened(read.state, read.notices))
}

fn with_known<T>(act: impl FnOnce(&Known<'_>) -> T) -> T {
    let samples: Vec<(&str, &str)> = Sample::texts().collect();
    act(&Known { samples: &samples, dimensions: catalogue::hash })
}

// From the page.

fn state(run: &Workspace, unit: MemoryUnit) -> State {
    let selection = Selection {
        stage: run.stage.and_then(|stage| u32::try_from(stage).ok()),
        item: None,
        unit: (unit != MemoryUnit::default()).then(|| unit.name().to_owned()),
    };
    State { run: stated(run), baseline: run.baseline.as_deref().map(stated), selection }
}

fn stated(run: &Workspace) -> Run {
    Run {
        text: run.text.to_string(),
        model: match &run.model {
            ModelSource::File => Model::Named,
            ModelSource::Catalogue(id) => Model::Catalogue(id.to_string()),
            ModelSource::Config => Model::Config(run.config.to_string()),
        },
        entry: entry(run).map(str::to_owned),
        controls: run.sets.iter().map(|set| (set.control.name().to_owned(), set.text.clone())).collect(),
        pinned: run.pinned,
        memory_model: run.memory_model.to_owned(),
        policies: pairs(&run.policies),
        measured: run.measured.to_string(),
        execution: run.ranges.as_ref().map_or_else(String::new, execution_of),
        ..Run::default()
    }
}

/// The entry of the catalogue whose dimensions answer.
fn entry(run: &Workspace) -> Option<&'static str> {
    match &run.model {
        ModelSource::File => {
            let document = document::parse(&run.text).ok()?.value;
            catalogue::find(&facts::named_model(&document)?)
        }
        ModelSource::Catalogue(id) => catalogue::find(id),
        ModelSource::Config => None,
    }
}

/// An execution spec of the ranges; those that cannot be read are written as they were typed.
fn execution_of(rows: &Ranges) -> String {
    match ranges::read(rows) {
        Ok(read) => execution::with_ranges("", &read.value),
        Err(_) => format!("recompute: {}\n", to_line(&ranges::list(rows).value, Quotes::Double)),
    }
}

// Into the page.

fn opened(state: State, notices: Vec<Notice>) -> Opened {
    let mut differences = Vec::new();
    let State { run, baseline, selection } = state;
    let mut run = workspace(run, &mut differences);
    run.baseline = baseline.map(|baseline| Arc::new(workspace(baseline, &mut differences)));
    run.stage = selection.stage.and_then(|stage| usize::try_from(stage).ok());
    Opened { run, unit: selection.unit.as_deref().and_then(unit_by_name), notices, differences }
}

fn workspace(run: Run, differences: &mut Vec<Difference>) -> Workspace {
    let mut told = |difference| {
        if !differences.contains(&difference) {
            differences.push(difference);
        }
    };
    let mut page = Workspace { pinned: run.pinned, ..Workspace::of(&run.text) };
    write_overrides(&run.overrides, &mut page, &mut told);
    match run.model {
        Model::Named => {}
        Model::Catalogue(id) => page.model = ModelSource::Catalogue(id.into()),
        Model::Config(config) => (page.config, page.model) = (unix_lines(&config), ModelSource::Config),
    }
    // A count given beside the text comes before the controls that are set on it.
    let devices = run.devices.map(|count| (Control::Devices.name().to_owned(), count.to_string()));
    for (name, text) in devices.into_iter().chain(run.controls) {
        match Control::by_name(&name) {
            Some(control) => page.set(control, &text),
            None => told(Difference::LeftOut(name)),
        }
    }
    match MemoryModel::NAMES.into_iter().find(|name| *name == run.memory_model) {
        Some(name) => page.memory_model = name,
        None => told(Difference::LeftOut(run.memory_model)),
    }
    for choice in run.policies {
        match Chosen::of(page.memory_model, std::slice::from_ref(&choice)) {
            Ok(_) => page.choose(&choice.0, Some(&choice.1)),
            Err(_) => told(Difference::LeftOut([&*choice.0, "=", &choice.1].concat())),
        }
    }
    page.measured = run.measured.into();
    page.ranges = ranges_of(&run.execution, &mut told);
    page
}

fn write_overrides(overrides: &Overrides, page: &mut Workspace, told: &mut impl FnMut(Difference)) {
    if overrides.is_empty() {
        return;
    }
    match facts::apply(&page.text, overrides) {
        Ok(written) => {
            page.text = unix_lines(&written);
            told(Difference::Written);
        }
        Err(_) => overrides.settings().for_each(|(path, _)| told(Difference::LeftOut(path))),
    }
}

/// The rows of an execution spec; what else it states is left out.
fn ranges_of(text: &str, told: &mut impl FnMut(Difference)) -> Option<Ranges> {
    if text.trim().is_empty() {
        return None;
    }
    let read = document::parse_from(Source::Execution, text);
    let Some(fields) = read.as_ref().ok().and_then(|read| read.value.root.value.as_mapping()) else {
        told(Difference::LeftOut("exec".to_owned()));
        return None;
    };
    let mut rows = None;
    for entry in &fields.entries {
        match &entry.node.value {
            Value::Sequence(items) if &*entry.key == "recompute" => {
                rows = items.iter().map(row).collect::<Option<Ranges>>();
                if rows.is_none() {
                    told(Difference::LeftOut(entry.key.to_string()));
                }
            }
            _ => told(Difference::LeftOut(entry.key.to_string())),
        }
    }
    rows
}

/// A row, whatever was typed in it; nothing where it holds what no row has.
fn row(item: &Node) -> Option<Row> {
    let fields = item.value.as_mapping()?;
    let mut row =
        Row { first: "0".to_owned(), count: String::new(), mode: Mode::None, switches: Switches::HYPER_SELECTIVE };
    let mut ops = None;
    for entry in &fields.entries {
        match (&*entry.key, &entry.node.value) {
            (_, Value::Null) => {}
            ("first", value) => row.first = typed(value)?,
            ("count", value) => row.count = typed(value)?,
            ("option", Value::Text(name)) => {
                // Selective by ops has no name of its own here.
                row.mode = Mode::by_name(name).filter(|mode| *mode != Mode::ByOp)?;
            }
            ("ops", Value::Mapping(named)) => ops = Some(switches(named)?),
            _ => return None,
        }
    }
    match (ops, row.mode) {
        (None, _) => {}
        (Some(switches), Mode::Selective) => (row.mode, row.switches) = (Mode::ByOp, switches),
        (Some(_), Mode::None | Mode::ByOp | Mode::Full) => return None,
    }
    Some(row)
}

fn typed(value: &Value) -> Option<String> {
    match value {
        Value::Integer(number) => Some(number.to_string()),
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    }
}

/// An op that is not named keeps its activation.
fn switches(named: &Mapping) -> Option<Switches> {
    let mut switches = Switches::ALL_KEPT;
    for entry in &named.entries {
        *switches.by_name(&entry.key)? = match entry.node.value.as_text()? {
            "keep" => true,
            "recompute" => false,
            _ => return None,
        };
    }
    Some(switches)
}

/// A name for a state's file, after its model.
pub fn file_name(run: &Workspace) -> String {
    let model = entry(run).and_then(|id| id.rsplit('/').next()).unwrap_or("run");
    format!("{model}.shardmem.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    const GIB: MemoryUnit = MemoryUnit::Gib;

    fn row_of(first: &str, count: &str, mode: Mode) -> Row {
        Row { first: first.into(), count: count.into(), mode, switches: Switches::HYPER_SELECTIVE }
    }

    fn full() -> Workspace {
        let mut run = Workspace::of("model:\n  a: 1 # 并行 😀\n");
        run.set(Control::Tp, "2");
        run.paste_config("{\"hidden_size\": 64}\n");
        run.pin_baseline();
        run.set(Control::DeviceMemory, " 64 GB\n");
        run.model = ModelSource::Catalogue("Qwen/Qwen3-8B".into());
        run.config = Arc::default();
        run.pinned = false;
        run.stage = Some(3);
        run.memory_model = "fsdp2";
        run.choose("loss", Some("chunked:2048"));
        run.choose("cm-norms", Some("own"));
        run.measured = "65.2 GiB reserved".into();
        let own = Row { switches: Switches::ALL_KEPT, ..row_of("3", "", Mode::ByOp) };
        run.ranges = Some([row_of("0", "2", Mode::Full), row_of("2", "1", Mode::Selective), own].into());
        run
    }

    fn samples() -> impl Iterator<Item = Workspace> {
        Sample::ALL.into_iter().map(|sample| Workspace::of(sample.text))
    }

    #[test]
    fn what_is_written_opens_as_it_was() {
        let odd = [row_of("x", "", Mode::Full), row_of("", "-1", Mode::None), row_of("\"a: {", "1.5", Mode::ByOp)];
        let broken = Workspace { ranges: Some(odd.into()), ..Workspace::of("a: [") };
        let none = Workspace { ranges: Some([].into()), ..Workspace::of("") };
        for run in samples().chain([full(), broken, none]) {
            for unit in [GIB, MemoryUnit::Gb] {
                let written = fragment(&run, unit).expect("it fits");
                let whole = Opened {
                    run: run.clone(),
                    unit: (unit != GIB).then_some(unit),
                    notices: Vec::new(),
                    differences: Vec::new(),
                };
                assert_eq!(open(&written), Ok(whole.clone()));
                assert_eq!(open_file(&file(&run, unit)), Ok(whole));
            }
        }
    }

    #[test]
    fn a_link_names_what_it_was_made_with() {
        let entry = |run: &Workspace| state(run, GIB).run.entry;
        assert_eq!(entry(&Workspace::of(Sample::OPENING.text)).as_deref(), Some("deepseek-ai/DeepSeek-V3"));
        assert_eq!(entry(&full()).as_deref(), Some("Qwen/Qwen3-8B"));
        let chosen = Workspace { model: ModelSource::Catalogue("Qwen/Qwen3-8B".into()), ..Workspace::of("a: [") };
        assert_eq!(entry(&chosen).as_deref(), Some("Qwen/Qwen3-8B"));
        assert_eq!(entry(&Workspace { model: ModelSource::Config, ..chosen }), None);
        assert!(fragment(&Workspace::of(Sample::OPENING.text), GIB).is_some_and(|fragment| fragment.len() < 160));
        assert_eq!(file_name(&full()), "Qwen3-8B.shardmem.json");
        assert_eq!(file_name(&Workspace::of("")), "run.shardmem.json");
    }

    /// The golden links of the core: each opens in the page, and what the page makes of it is a link that opens alike.
    #[test]
    fn golden_links_go_through_the_page() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/link");
        let mut exact = 0;
        for path in fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()) {
            if path.extension().is_none_or(|kind| kind != "txt") {
                continue;
            }
            let golden = fs::read_to_string(&path).expect("a golden link");
            let golden = golden.lines().next().expect("a fragment");
            let Opened { run, unit, differences, .. } =
                open(golden).unwrap_or_else(|broken| panic!("{path:?}: {broken:?}"));
            let unit_now = unit.unwrap_or_default();
            let again = open(&fragment(&run, unit_now).expect("it fits")).expect("it opens");
            assert_eq!((&again.run, again.unit), (&run, unit), "{path:?}");
            assert_eq!(again.differences, [], "{path:?}");
            if differences.is_empty() {
                let before = with_known(|known| decode(golden, known)).expect("it opens").state;
                assert_eq!(state(&run, unit_now), seen(before, &run), "{path:?}");
                exact += 1;
            }
        }
        assert_eq!(exact, 16);
    }

    /// A state as the page holds it: lines end at `\n`, the entry is the one that answers here, a count is a control.
    fn seen(mut state: State, page: &Workspace) -> State {
        let clean = |run: &mut Run, page: &Workspace| {
            run.text = unix_lines(&run.text).to_string();
            run.entry = entry(page).map(str::to_owned);
            let devices = run.devices.take().map(|count| ("devices".to_owned(), count.to_string()));
            run.controls = devices.into_iter().chain(run.controls.drain(..)).collect();
        };
        clean(&mut state.run, page);
        if let (Some(baseline), Some(page)) = (&mut state.baseline, &page.baseline) {
            clean(baseline, page);
        }
        // Nothing is open when a page opens.
        state.selection.item = None;
        state
    }

    #[test]
    fn what_the_page_has_no_place_for_is_written_or_told() {
        let opened = |text: &str| open_file(&format!("{{\"shardmem\": 1, {text}}}")).expect("it opens");
        let left = |name: &str| Difference::LeftOut(name.to_owned());
        let written =
            opened(r#""text": "accelerator:\n  tp_size: 1 # one\n", "overrides": {"accelerator.tp_size": "4"}"#);
        assert_eq!(
            (&*written.run.text, &*written.differences),
            ("accelerator:\n  tp_size: 4 # one\n", &[Difference::Written][..])
        );
        let counted = opened(r#""text": "a: 1\n", "devices": 64, "controls": {"tp": "2", "warp": "9"}"#);
        let sets: Vec<_> = counted.run.sets.iter().map(|set| (set.control, &*set.text)).collect();
        assert_eq!(sets, [(Control::Devices, "64"), (Control::Tp, "2")]);
        assert_eq!(counted.differences, [left("warp")]);
        let second = opened(
            r#""text": "", "memory_model": "no-model", "policies": {"cm-norms": "x"}, "exec": "pp: 2\nrecompute: []\n""#,
        );
        assert_eq!(second.differences, [left("no-model"), left("cm-norms=x"), left("pp")]);
        assert_eq!(second.run.ranges, Some(Arc::default()));
        for exec in ["- a", "tp: [", "recompute: 5", "recompute: [{last: 3}]", "recompute: [{option: full, ops: {}}]"] {
            let opened = opened(&format!("\"text\": \"\", \"exec\": {exec:?}"));
            assert_eq!((opened.run.ranges, opened.differences.len()), (None, 1), "{exec}");
        }
    }

    #[test]
    fn what_is_broken_is_said() {
        assert_eq!(open("section-2"), Err(Broken::Foreign));
        assert_eq!(open("AQAA"), Err(Broken::Damaged));
        assert_eq!(open_file("{\"shardmem\": 9}"), Err(Broken::Version(9)));
    }
}
