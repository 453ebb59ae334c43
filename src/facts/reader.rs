//! Looks facts up: through the overrides, then the sections that this file's schema reads.

use super::dialect::{Fact, Section};
use super::{Overrides, Schema};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::document::{Mapping, Value};
use crate::provenance::{KeyPath, Origin, Segment, Source, Stated};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A value found, and where.
#[derive(Debug, Clone)]
pub(super) struct Found<'a> {
    pub(super) value: &'a Value,
    pub(super) origin: Origin,
}

impl Found<'_> {
    pub(super) fn place(&self) -> Place {
        Place::of(&self.origin)
    }

    fn path(&self) -> String {
        self.place().key_path().map(ToString::to_string).unwrap_or_default()
    }
}

/// Reads one file.
pub(super) struct Reader<'a> {
    overrides: &'a Overrides,
    pub(super) schema: Schema,
    /// By the order of [`Section::ALL`]: a file is read by some hundred keys, a section has its place once.
    sections: [Standing<'a>; Section::ALL.len()],
    read_overrides: RefCell<BTreeSet<KeyPath>>,
    findings: RefCell<Findings>,
}

/// Where a section stands, and what stands there.
struct Standing<'a> {
    path: KeyPath,
    mapping: Option<&'a Mapping>,
}

impl<'a> Standing<'a> {
    fn of(section: Section, root: &'a Mapping, schema: Schema) -> Self {
        let places = section.places();
        let path = match places.iter().find(|place| contains(root, place)) {
            Some(place) => KeyPath::parse(place),
            None => section.home(schema),
        };
        Self { mapping: mapping_at(root, &path), path }
    }

    /// Whether this is the path of one of the section's keys.
    fn has(&self, path: &KeyPath, key: &str) -> bool {
        path.last_key() == Some(key)
            && path.segments().split_last().is_some_and(|(_, rest)| rest == self.path.segments())
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Mapping, overrides: &'a Overrides, schema: Schema) -> Self {
        let sections = Section::ALL.map(|section| Standing::of(section, root, schema));
        Self { overrides, schema, sections, read_overrides: RefCell::default(), findings: RefCell::default() }
    }

    fn standing(&self, section: Section) -> &Standing<'a> {
        &self.sections[section as usize]
    }

    pub(super) fn report(&self, finding: Diagnostic) {
        self.findings.borrow_mut().add(finding);
    }

    pub(super) fn take<T>(
        &self,
        stage: Result<crate::diagnostics::Checked<T>, crate::diagnostics::Errors>,
    ) -> Option<T> {
        self.findings.borrow_mut().take(stage)
    }

    pub(super) fn into_findings(self) -> Findings {
        self.findings.into_inner()
    }

    /// Where the section stands in this file.
    pub(super) fn section(&self, section: Section) -> KeyPath {
        self.standing(section).path.clone()
    }

    /// The key that this schema writes for a fact where none is stated.
    pub(super) fn first_key(&self, fact: Fact) -> KeyPath {
        let (section, key) = fact.written(self.schema);
        self.standing(section).path.key(key)
    }

    /// The value of a key of a section, if the key stands there.
    pub(super) fn key(&self, section: Section, key: &str) -> Option<Found<'a>> {
        let standing = self.standing(section);
        if let Some((path, value)) = self.overrides.iter().find(|(path, _)| standing.has(path, key)) {
            self.read_overrides.borrow_mut().insert(path.clone());
            return Some(Found { value, origin: Origin::Override(path.clone()) });
        }
        let value = &standing.mapping?.get(key)?.value;
        Some(Found { value, origin: Origin::Key(Source::Run, standing.path.key(key)) })
    }

    /// The first key that stands there, whatever its value.
    pub(super) fn present(&self, fact: Fact) -> Option<Found<'a>> {
        fact.keys().iter().find_map(|(section, key)| self.key(*section, key))
    }

    /// The first value that is not null.
    pub(super) fn stated(&self, fact: Fact) -> Option<Found<'a>> {
        let mut found = fact.keys().iter().filter_map(|(section, key)| self.key(*section, key));
        found.find(|found| !found.value.is_null())
    }

    /// The first truthy value, as Python's `or` finds it.
    pub(super) fn truthy(&self, fact: Fact) -> Option<Found<'a>> {
        let mut found = fact.keys().iter().filter_map(|(section, key)| self.key(*section, key));
        found.find(|found| found.value.truthy())
    }

    /// `int(first truthy or default)`.
    pub(super) fn integer(&self, fact: Fact, default: i64, reason: &'static str) -> Stated<i64> {
        match self.truthy(fact) {
            Some(found) => self.to_integer(&found, default),
            None => Stated::new(default, Origin::TrainerDefault(reason)),
        }
    }

    pub(super) fn to_integer(&self, found: &Found<'_>, placeholder: i64) -> Stated<i64> {
        let number = found.value.to_integer();
        if number.is_none() {
            self.report(refused(Code::NotInteger, found));
        }
        Stated::new(number.unwrap_or(placeholder), found.origin.clone())
    }

    pub(super) fn to_number(&self, found: &Found<'_>, placeholder: f64) -> Stated<f64> {
        let number = found.value.to_number();
        if number.is_none() {
            self.report(refused(Code::NotNumber, found));
        }
        Stated::new(number.unwrap_or(placeholder), found.origin.clone())
    }

    /// The truth of the first truthy value, else false.
    pub(super) fn flag(&self, fact: Fact, reason: &'static str) -> Stated<bool> {
        match self.truthy(fact) {
            Some(found) => Stated::new(true, found.origin),
            None => match self.present(fact) {
                Some(found) => Stated::new(false, found.origin),
                None => Stated::new(false, Origin::TrainerDefault(reason)),
            },
        }
    }

    /// The truth of the first key that stands there, else the default.
    pub(super) fn flag_by_presence(&self, fact: Fact, default: bool, reason: &'static str) -> Stated<bool> {
        match self.present(fact) {
            Some(found) => Stated::new(found.value.truthy(), found.origin),
            None => Stated::new(default, Origin::TrainerDefault(reason)),
        }
    }

    /// The model section with the overrides laid over it and private keys dropped (config-spec 18.5).
    pub(super) fn model_section(&self) -> Mapping {
        let Standing { path, mapping } = self.standing(Section::Model);
        let mut section = mapping.cloned().unwrap_or_default();
        section.entries.retain(|entry| !entry.key.starts_with('_'));
        for (overridden, value) in self.overrides.iter() {
            if let Some(below) = overridden.segments().strip_prefix(path.segments()) {
                lay_over(&mut section, below, value);
            }
        }
        section
    }

    pub(super) fn overridden(&self) -> Vec<KeyPath> {
        self.overrides.paths()
    }

    /// Overrides of keys that nothing read.
    pub(super) fn unread_overrides(&self, also_read: impl Fn(&KeyPath) -> bool) -> Vec<KeyPath> {
        let read = self.read_overrides.borrow();
        self.overrides.paths().into_iter().filter(|path| !read.contains(path) && !also_read(path)).collect()
    }
}

/// A finding about a value: its key path and the value as text.
pub(super) fn refused(code: Code, found: &Found<'_>) -> Diagnostic {
    Diagnostic::new(code, found.place()).with(found.path()).with(found.value.written())
}

/// The same about an item of a list.
pub(super) fn refused_item(code: Code, found: &Found<'_>, at: usize, item: &Value) -> Diagnostic {
    let place = match found.place() {
        Place::Value(source, path) => Place::Value(source, path.index(at)),
        other => other,
    };
    Diagnostic::new(code, place).with(format!("{}[{at}]", found.path())).with(item.written())
}

/// Whether the last key of a dotted place exists, even with nothing as its value; the root always does.
fn contains(root: &Mapping, place: &str) -> bool {
    let mut steps = place.split('.');
    let last = steps.next_back().unwrap_or_default();
    let parent = steps.try_fold(root, |mapping, key| mapping.get(key)?.value.as_mapping());
    place.is_empty() || parent.is_some_and(|parent| parent.contains(last))
}

/// The section at a path, if there is one.
pub(super) fn mapping_at<'a>(root: &'a Mapping, path: &KeyPath) -> Option<&'a Mapping> {
    path.segments().iter().try_fold(root, |mapping, segment| match segment {
        Segment::Key(key) => mapping.get(key)?.value.as_mapping(),
        Segment::Index(_) => None,
    })
}

/// Lays a value over a section; what is no section on the way becomes one.
pub(super) fn lay_over(section: &mut Mapping, below: &[Segment], value: &Value) {
    use crate::document::{Entry, Node};
    let [Segment::Key(key), rest @ ..] = below else { return };
    let at = section.entries.iter().position(|entry| entry.key == *key);
    let at = at.unwrap_or_else(|| {
        let node = Node { value: Value::Null, span: crate::text::Span::default() };
        section.entries.push(Entry { key: key.clone(), key_span: crate::text::Span::default(), node });
        section.entries.len() - 1
    });
    let node = &mut section.entries[at].node;
    if rest.is_empty() {
        node.value = value.clone();
        return;
    }
    if node.value.as_mapping().is_none() {
        node.value = Value::Mapping(Mapping::default());
    }
    if let Value::Mapping(inner) = &mut node.value {
        lay_over(inner, rest, value);
    }
}
