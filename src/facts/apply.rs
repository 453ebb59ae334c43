//! Overrides written into the run's own text, and a whole text written from what is stated.

use super::dialect::{AUTO_MODELS_ROOTS, Fact, ROOTS, Section};
use super::reader::{Reader, lay_over, mapping_at};
use super::{ModelChoice, Overrides, Schema, kind, spec_reads};
use crate::diagnostics::{Code, Diagnostic, Errors, Place};
use crate::document::{self, Document, Mapping, Unapplied, Value};
use crate::model::catalogue;
use crate::provenance::KeyPath;

/// Why overrides are not written into a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Unwritten {
    /// The text does not take the value.
    Text(Unapplied),
    /// Written down, the override at this path would change what the file is, or which of its sections are read.
    Reading(KeyPath),
}

/// The run's text with the overrides written into it by the smallest edit: the same facts as the text with the overrides
/// laid over it, but for their origins (DESIGN 2, item 4).
pub fn apply(text: &str, overrides: &Overrides) -> Result<String, Unwritten> {
    let written = document::apply(text, overrides.iter()).map_err(Unwritten::Text)?;
    if reads_alike(text, &written) {
        return Ok(written);
    }
    let changes = |(path, value): &(&KeyPath, &Value)| {
        document::apply(text, [(*path, *value)]).is_ok_and(|written| !reads_alike(text, &written))
    };
    let path = overrides.iter().find(changes).map(|(path, _)| path.clone());
    Err(Unwritten::Reading(path.unwrap_or_default()))
}

/// Whether two texts are of one kind and schema, with each section at the same place. A text that says nothing is no kind.
fn reads_alike(one: &str, other: &str) -> bool {
    let [Some(one), Some(other)] = [one, other].map(reading) else { return true };
    one == other
}

fn reading(text: &str) -> Option<(Schema, Option<KeyPath>, Vec<KeyPath>)> {
    let document = document::parse(text).ok()?.value;
    let root = document.root.value.as_mapping()?;
    let overrides = Overrides::none();
    let reader = Reader::new(root, &overrides, Schema::of(root));
    let places = Section::ALL.into_iter().map(|section| reader.section(section)).collect();
    Some((reader.schema, kind::foreign(root).map(|(_, path)| path), places))
}

/// A whole train.yaml of what a run states: every value that is read, with the overrides, and the model by its name where one
/// was chosen. Nothing that is not stated is written; a run without a text begins with [`super::dialect::EMPTY_RUN`].
///
/// A pasted config.json has no name: its text must be given again with the new one.
pub fn new_run(document: &Document, choice: &ModelChoice, overrides: &Overrides) -> Result<String, Errors> {
    let Some(root) = document.root.value.as_mapping() else {
        return Err(Errors::one(Diagnostic::new(Code::RootNotMapping, Place::Whole)));
    };
    let reader = Reader::new(root, overrides, Schema::of(root));
    let mut stated = Stated { reader: &reader, keys: keys(&reader), sections: Mapping::default() };
    if let ModelChoice::Catalogue(id) = choice {
        stated.lay(&model_key(reader.schema), &Value::Text(catalogue::find(id).unwrap_or(id).into()));
    }
    stated.keep(root, &KeyPath::root());
    stated.lay_all(overrides);
    if Schema::of(&stated.sections) != reader.schema {
        stated.lay(&KeyPath::parse(AUTO_MODELS_ROOTS[0]), &Value::Mapping(Mapping::default()));
    }
    Ok(document::to_sections(&in_order(stated.sections)))
}

/// The sections in the order in which people write them, others behind.
fn in_order(sections: Mapping) -> Mapping {
    let mut ordered = Mapping::default();
    let mut rest = sections.entries;
    for root in ROOTS {
        if let Some(at) = rest.iter().position(|entry| &*entry.key == root) {
            ordered.entries.push(rest.remove(at));
        }
    }
    ordered.entries.append(&mut rest);
    ordered
}

/// Every key that states a fact, in the order of their table.
fn keys(reader: &Reader<'_>) -> Vec<KeyPath> {
    let keys = Fact::ALL.iter().flat_map(|fact| fact.keys());
    keys.map(|(section, key)| reader.section(*section).key(key)).collect()
}

/// The key that names the model: `AutoModels` and the older schema are told apart by it.
fn model_key(schema: Schema) -> KeyPath {
    let keys = Fact::ModelPath.keys();
    let (section, key) = match schema {
        Schema::AutoModels => keys[0],
        Schema::Legacy => keys[keys.len() - 1],
    };
    section.home(schema).key(key)
}

/// What a run states, under construction.
struct Stated<'r> {
    reader: &'r Reader<'r>,
    keys: Vec<KeyPath>,
    sections: Mapping,
}

impl Stated<'_> {
    fn lay(&mut self, path: &KeyPath, value: &Value) {
        lay_over(&mut self.sections, path.segments(), value);
    }

    /// Keeps what is read of a section, in its order; what is laid already stays.
    fn keep(&mut self, section: &Mapping, path: &KeyPath) {
        for entry in &section.entries {
            let path = path.key(&entry.key);
            let read = self.keys.contains(&path) || spec_reads(self.reader, &path);
            let laid = mapping_at(&self.sections, &path.parent()).is_some_and(|laid| laid.contains(&entry.key));
            match &entry.node.value {
                value if read && !laid => self.lay(&path, value),
                Value::Mapping(inner) if !read => self.keep(inner, &path),
                _ => {}
            }
        }
    }

    /// Lays the overrides in the order of the table of facts, others behind.
    fn lay_all(&mut self, overrides: &Overrides) {
        let known = self.keys.clone();
        let known = known.iter().filter_map(|path| Some((path, overrides.value(path)?)));
        for (path, value) in known.chain(overrides.iter()) {
            self.lay(path, value);
        }
    }
}
