//! A state as JSON and back: fields by name, defaults left out, the baseline's fields only where they differ.

use super::state::{MEMORY_MODEL, Model, Run, Selection, State};
use super::{Broken, Known, Notice, Opened, hash};
use crate::document::{Entry, Mapping, Node, Value};
use crate::facts::Overrides;
use crate::text::Span;
use std::cell::Cell;

/// The file's field that says what it is, with its version.
const SCHEMA: &str = "shardmem";
/// The fields that are no part of a run.
const OUTSIDE: [&str; 5] = [SCHEMA, "stage", "item", "unit", "baseline"];

pub(super) fn value(state: &State, known: &Known<'_>) -> Value {
    let mut all = Mapping::default();
    add(&mut all, SCHEMA, Value::Integer(i64::from(super::VERSION)));
    let run = fields(&state.run, known);
    all.entries.extend_from_slice(&run.entries);
    let Selection { stage, item, unit } = &state.selection;
    if let Some(stage) = stage {
        add(&mut all, "stage", Value::Integer((*stage).into()));
    }
    for (name, chosen) in [("item", item), ("unit", unit)] {
        if let Some(chosen) = chosen {
            add(&mut all, name, text(chosen));
        }
    }
    if let Some(baseline) = &state.baseline {
        add(&mut all, "baseline", Value::Mapping(difference(&run, fields(baseline, known))));
    }
    Value::Mapping(all)
}

fn fields(run: &Run, known: &Known<'_>) -> Mapping {
    let mut fields = Mapping::default();
    match known.samples.iter().find(|(_, text)| *text == run.text) {
        Some((id, sample)) => {
            add(&mut fields, "sample", text(id));
            add(&mut fields, "hash", hexadecimal(hash(sample.as_bytes())));
        }
        None => add(&mut fields, "text", text(&run.text)),
    }
    match &run.model {
        Model::Named => {}
        Model::Catalogue(id) => add(&mut fields, "model", text(id)),
        Model::Config(config) => add(&mut fields, "config", text(config)),
    }
    if let Some(entry) = &run.entry {
        add(&mut fields, "entry", text(entry));
        if let Some(hash) = (known.dimensions)(entry) {
            add(&mut fields, "dimensions", hexadecimal(hash));
        }
    }
    let overrides: Vec<(String, String)> = run.overrides.settings().collect();
    for (name, pairs) in [("controls", &run.controls), ("overrides", &overrides), ("policies", &run.policies)] {
        let mut section = Mapping::default();
        for (name, value) in pairs {
            add(&mut section, name, text(value));
        }
        if !pairs.is_empty() {
            add(&mut fields, name, Value::Mapping(section));
        }
    }
    if !run.pinned {
        add(&mut fields, "pinned", Value::Bool(false));
    }
    if let Some(count) = run.devices {
        add(&mut fields, "devices", Value::Integer(count));
    }
    for (name, value, default) in [
        ("memory_model", &run.memory_model, MEMORY_MODEL),
        ("exec", &run.execution, ""),
        ("measured", &run.measured, ""),
    ] {
        if value != default {
            add(&mut fields, name, text(value));
        }
    }
    fields
}

/// The fields of another run that differ; null for those it does not have, a text as what lies between a common beginning
/// and end.
fn difference(run: &Mapping, other: Mapping) -> Mapping {
    let mut fields = Mapping::default();
    for Entry { key, .. } in run.entries.iter().filter(|entry| !other.contains(&entry.key)) {
        add(&mut fields, key, Value::Null);
    }
    for Entry { key, node, .. } in other.entries {
        let value = match (run.get(&key).map(|old| &old.value), node.value) {
            (Some(old), new) if *old == new => continue,
            (Some(Value::Text(old)), Value::Text(new)) => between(old, &new),
            (_, new) => new,
        };
        add(&mut fields, &key, value);
    }
    fields
}

/// How many bytes two texts have in common at both ends, and what the other has between.
fn between(old: &str, new: &str) -> Value {
    let above = common(old.bytes().zip(new.bytes()), old.len());
    let above = (0..=above).rev().find(|at| old.is_char_boundary(*at)).unwrap_or(0);
    let rest = (old.len() - above).min(new.len() - above);
    let below = common(old.bytes().rev().zip(new.bytes().rev()), rest);
    let below = (0..=below).rev().find(|at| old.is_char_boundary(old.len() - at)).unwrap_or(0);
    let count = |bytes: usize| Value::Integer(i64::try_from(bytes).unwrap_or(i64::MAX));
    let parts = [count(above), count(below), text(&new[above..new.len() - below])];
    Value::Sequence(parts.into_iter().map(node).collect())
}

fn common(pairs: impl Iterator<Item = (u8, u8)>, most: usize) -> usize {
    pairs.take(most).take_while(|(one, other)| one == other).count()
}

// Reading.

pub(super) fn opened(root: &Mapping, known: &Known<'_>) -> Result<Opened, Broken> {
    match root.get(SCHEMA).map(|node| &node.value) {
        Some(Value::Integer(version)) if *version == i64::from(super::VERSION) => {}
        Some(Value::Integer(version)) => return Err(Broken::Version(u8::try_from(*version).unwrap_or(0))),
        Some(_) | None => return Err(Broken::Foreign),
    }
    let wrong = Cell::new(None);
    let mut notices = Vec::new();
    let fields = Reader { root, base: None, wrong: &wrong };
    let run = fields.run(known, &mut notices)?;
    let baseline = match fields.get("baseline") {
        Some(Value::Mapping(inner)) => {
            Some(Reader { root: inner, base: Some(root), wrong: &wrong }.run(known, &mut notices)?)
        }
        Some(_) => fields.refuse("baseline"),
        None => None,
    };
    let stage = fields.integer("stage").and_then(|stage| u32::try_from(stage).ok().or_else(|| fields.refuse("stage")));
    let selection = Selection { stage, item: fields.text("item"), unit: fields.text("unit") };
    match wrong.get() {
        Some(field) => Err(Broken::Field(field)),
        None => Ok(Opened { state: State { run, baseline, selection }, notices }),
    }
}

/// Fields by name; those of a baseline that are not stated are the run's. The first wrong one is kept, and read as unstated.
struct Reader<'f> {
    root: &'f Mapping,
    base: Option<&'f Mapping>,
    wrong: &'f Cell<Option<&'static str>>,
}

impl<'f> Reader<'f> {
    fn refuse<T>(&self, name: &'static str) -> Option<T> {
        self.wrong.set(self.wrong.get().or(Some(name)));
        None
    }

    /// The value of a field, if it is stated and not null.
    fn get(&self, name: &str) -> Option<&'f Value> {
        let inherited = || self.base.filter(|_| !OUTSIDE.contains(&name)).and_then(|base| base.get(name));
        let node = self.root.get(name).or_else(inherited)?;
        Some(&node.value).filter(|value| !value.is_null())
    }

    fn text(&self, name: &'static str) -> Option<String> {
        let read = match self.get(name)? {
            Value::Text(text) => Some(text.to_string()),
            Value::Sequence(parts) => {
                let old = self.base.and_then(|base| base.get(name)?.value.as_text());
                old.and_then(|old| joined(old, parts))
            }
            _ => None,
        };
        read.or_else(|| self.refuse(name))
    }

    fn integer(&self, name: &'static str) -> Option<i64> {
        match self.get(name)? {
            Value::Integer(number) => Some(*number),
            _ => self.refuse(name),
        }
    }

    /// Names and texts, in their order.
    fn pairs(&self, name: &'static str) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        let entries = self.get(name).and_then(|value| value.as_mapping().or_else(|| self.refuse(name)));
        for entry in entries.into_iter().flat_map(|section| &section.entries) {
            if let Some(text) = entry.node.value.as_text().or_else(|| self.refuse(name)) {
                pairs.push((entry.key.to_string(), text.to_owned()));
            }
        }
        pairs
    }

    fn run(&self, known: &Known<'_>, notices: &mut Vec<Notice>) -> Result<Run, Broken> {
        let mut overrides = Overrides::none();
        for (path, text) in self.pairs("overrides") {
            if overrides.set_text(&path, &text).is_err() {
                self.refuse::<()>("overrides");
            }
        }
        let config = self.text("config").map(Model::Config);
        let pinned = match self.get("pinned") {
            Some(Value::Bool(pinned)) => *pinned,
            Some(_) => self.refuse("pinned").unwrap_or(true),
            None => true,
        };
        Ok(Run {
            text: self.run_text(known, notices)?,
            model: config.or_else(|| self.text("model").map(Model::Catalogue)).unwrap_or_default(),
            entry: self.entry(known, notices),
            controls: self.pairs("controls"),
            overrides,
            pinned,
            devices: self.integer("devices"),
            memory_model: self.text("memory_model").unwrap_or_else(|| MEMORY_MODEL.to_owned()),
            policies: self.pairs("policies"),
            execution: self.text("exec").unwrap_or_default(),
            measured: self.text("measured").unwrap_or_default(),
        })
    }

    /// The text itself, or that of the sample named: the one it was, if this page still has it.
    fn run_text(&self, known: &Known<'_>, notices: &mut Vec<Notice>) -> Result<String, Broken> {
        let Some(id) = self.text("sample") else { return Ok(self.text("text").unwrap_or_default()) };
        let wanted = self.text("hash");
        let mut found = None;
        for (_, text) in known.samples.iter().filter(|(name, _)| *name == id) {
            if hexadecimal(hash(text.as_bytes())).as_text() == wanted.as_deref() {
                return Ok((*text).to_owned());
            }
            found = found.or(Some(*text));
        }
        let Some(text) = found else { return Err(Broken::SampleGone(id)) };
        note(notices, Notice::SampleChanged(id));
        Ok(text.to_owned())
    }

    fn entry(&self, known: &Known<'_>, notices: &mut Vec<Notice>) -> Option<String> {
        let id = self.text("entry")?;
        let wanted = self.text("dimensions");
        match (known.dimensions)(&id) {
            None => note(notices, Notice::ModelGone(id.clone())),
            Some(hash) if hexadecimal(hash).as_text() == wanted.as_deref() => {}
            Some(_) => note(notices, Notice::ModelChanged(id.clone())),
        }
        Some(id)
    }
}

/// Run and baseline often name the same model.
fn note(notices: &mut Vec<Notice>, notice: Notice) {
    if !notices.contains(&notice) {
        notices.push(notice);
    }
}

/// Undoes `between`.
fn joined(old: &str, parts: &[Node]) -> Option<String> {
    let [above, below, middle] = parts else { return None };
    let count = |node: &Node| if let Value::Integer(count) = node.value { usize::try_from(count).ok() } else { None };
    let (above, below) = (count(above)?, count(below)?);
    let end = old.len().checked_sub(below).filter(|end| above <= *end)?;
    Some([old.get(..above)?, middle.value.as_text()?, old.get(end..)?].concat())
}

// Values.

fn add(fields: &mut Mapping, name: &str, value: Value) {
    fields.entries.push(Entry { key: name.into(), key_span: Span::default(), node: node(value) });
}

fn node(value: Value) -> Node {
    Node { value, span: Span::default() }
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn hexadecimal(hash: u64) -> Value {
    Value::Text(format!("{hash:016x}").into())
}
