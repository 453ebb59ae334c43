//! Writing values into a text by the smallest edit (DESIGN 2, item 4): what is not touched stays as it is, byte for byte.
//!
//! The tree decides, not the edit: before each edit stands the tree that the text must have afterwards, and an edit that
//! leads to any other one is not made. Where several places share a value (anchors, merges), only the one place changes:
//! the others get the value written out. A key that is no text (possible inside lists, and never read) is written out as one.

mod edit;
mod lines;
mod section;

use super::marks::Marks;
use super::node::{Entry, Mapping, Node, Value};
use super::{LARGEST_TEXT, loader, small_enough};
use crate::diagnostics::{Errors, Findings};
use crate::provenance::{KeyPath, Segment, Source};
use crate::text::{LineIndex, Span};
use edit::Editing;
use std::sync::Arc;

/// Why a value cannot be written into a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Unapplied {
    /// The text cannot be read.
    Unreadable(Errors),
    /// The path leads through a list, or the whole text is something else than sections.
    NotASection(KeyPath),
    /// The path leads to an item that the list does not have.
    NoSuchItem(KeyPath),
    /// Another of the values stands above or below it.
    Contradicted(KeyPath),
    /// The place is written in a way that is not edited: a key behind `?` without a value, and the like.
    Form(KeyPath),
    /// The text would get longer than texts are read.
    TooLarge,
}

/// The text with the values written in, in their order. A value that stands there already changes nothing; a null is written
/// as one.
pub fn apply<'v>(text: &str, values: impl IntoIterator<Item = (&'v KeyPath, &'v Value)>) -> Result<String, Unapplied> {
    apply_all(text, &values.into_iter().collect::<Vec<_>>())
}

fn apply_all(text: &str, values: &[(&KeyPath, &Value)]) -> Result<String, Unapplied> {
    let mut written = Written::read(text.to_owned()).map_err(Unapplied::Unreadable)?;
    for (path, value) in values {
        if let Some(next) = written.with(path, value)? {
            written = next;
        }
    }
    match values.iter().find(|(path, value)| !written.holds(path, value)) {
        Some((path, _)) => Err(Unapplied::Contradicted((*path).clone())),
        None => Ok(written.text),
    }
}

/// A text with its tree and its tokens.
struct Written {
    text: String,
    root: Node,
    marks: Marks,
}

impl Written {
    fn read(text: String) -> Result<Self, Errors> {
        small_enough(Source::Run, &text, LARGEST_TEXT)?;
        let lines = LineIndex::new(text.as_str().into());
        let (mut findings, mut marks) = (Findings::new(), Marks::default());
        let root = loader::load_marked(&text, &lines, &mut findings, &mut marks);
        let root = findings.finish(root)?.value;
        Ok(Self { text, root, marks })
    }

    fn holds(&self, path: &KeyPath, value: &Value) -> bool {
        let found = path.segments().iter().try_fold(&self.root, super::locate::step);
        found.is_some_and(|node| same(&node.value, value))
    }

    /// With a value at a path; nothing where it stands there already.
    fn with(&self, path: &KeyPath, value: &Value) -> Result<Option<Self>, Unapplied> {
        if self.holds(path, value) {
            return Ok(None);
        }
        let mut expected = self.root.clone();
        lay(&mut expected, path.segments(), value).map_err(|fault| fault.at(path))?;
        let edited = Editing::new(&self.text, &self.marks, &expected).edited(&self.root, path.segments());
        let text = edited.ok_or_else(|| Unapplied::Form(path.clone()))?;
        if text.len() > LARGEST_TEXT {
            return Err(Unapplied::TooLarge);
        }
        let written = Self::read(text).ok().filter(|written| same(&written.root.value, &expected.value));
        written.map(Some).ok_or_else(|| Unapplied::Form(path.clone()))
    }
}

/// Why there can be no value at a path.
enum Fault {
    NotASection,
    NoSuchItem,
}

impl Fault {
    fn at(self, path: &KeyPath) -> Unapplied {
        match self {
            Self::NotASection => Unapplied::NotASection(path.clone()),
            Self::NoSuchItem => Unapplied::NoSuchItem(path.clone()),
        }
    }
}

/// Lays a value over a tree, as `facts::read` lays an override over a file: what is no section on the way becomes one.
fn lay(node: &mut Node, path: &[Segment], value: &Value) -> Result<(), Fault> {
    let Some((segment, below)) = path.split_first() else {
        node.value = value.clone();
        return Ok(());
    };
    if let Value::Null
    | Value::Bool(_)
    | Value::Integer(_)
    | Value::WideInteger(_)
    | Value::Float(_)
    | Value::Text(_)
    | Value::Date(_) = node.value
    {
        node.value = Value::Mapping(Mapping::default());
    }
    match (&mut node.value, segment) {
        (Value::Mapping(mapping), Segment::Key(key)) => lay(entry_of(mapping, key), below, value),
        (Value::Sequence(items), Segment::Index(index)) => {
            lay(items.get_mut(*index).ok_or(Fault::NoSuchItem)?, below, value)
        }
        (_, Segment::Index(_)) => Err(Fault::NoSuchItem),
        (_, Segment::Key(_)) => Err(Fault::NotASection),
    }
}

fn entry_of<'m>(mapping: &'m mut Mapping, key: &Arc<str>) -> &'m mut Node {
    let at = mapping.entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
        let node = Node { value: Value::Null, span: Span::default() };
        mapping.entries.push(Entry { key: Arc::clone(key), key_span: Span::default(), node });
        mapping.entries.len() - 1
    });
    &mut mapping.entries[at].node
}

/// Whether two values mean the same to the trainer: the order of keys does not matter, nor where they stand.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Mapping(one), Value::Mapping(other)) => {
            // Nearly always in the same order, which spares the search.
            let there =
                |(at, entry): (usize, &Entry)| match other.entries.get(at).filter(|other| other.key == entry.key) {
                    Some(other) => same(&entry.node.value, &other.node.value),
                    None => other.get(&entry.key).is_some_and(|node| same(&entry.node.value, &node.value)),
                };
            one.entries.len() == other.entries.len() && one.entries.iter().enumerate().all(there)
        }
        (Value::Sequence(one), Value::Sequence(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(&one.value, &other.value))
        }
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan(),
        (one, other) => one == other,
    }
}
