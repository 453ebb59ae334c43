//! A document: the tree of a text, and the way from key paths to places in it.

use super::node::{Entry, Node, Value};
use crate::diagnostics::Place;
use crate::provenance::{KeyPath, Segment, Source};
use crate::text::{LineIndex, Position, Span};

/// A text that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What the text says; a section for a train.yaml or config.json.
    pub root: Node,
    /// The text and its lines.
    pub lines: LineIndex,
    /// Which of the texts it is.
    pub source: Source,
}

impl Document {
    /// The value at a path.
    pub fn get(&self, path: &KeyPath) -> Option<&Node> {
        path.segments().iter().try_fold(&self.root, step)
    }

    /// The key and value at a path whose last step is a key.
    pub fn entry(&self, path: &KeyPath) -> Option<&Entry> {
        let (Segment::Key(key), above) = path.segments().split_last()? else { return None };
        above.iter().try_fold(&self.root, step)?.value.as_mapping()?.entry(key)
    }

    /// The bytes of a place, if it lies in this text. A path that does not exist falls back to the key of its nearest
    /// existing section, and to the start of the text's first section. Nothing for the whole input.
    pub fn locate(&self, place: &Place) -> Option<Span> {
        match place {
            Place::Span(source, span) => (*source == self.source).then_some(*span),
            Place::Key(source, path) | Place::Missing(source, path) => {
                (*source == self.source).then(|| self.nearest_key(path))
            }
            Place::Value(source, path) => (*source == self.source).then(|| self.value(path)),
            Place::Whole => None,
        }
    }

    /// Line and column of a place, if it lies in this text.
    pub fn position(&self, place: &Place) -> Option<Position> {
        self.locate(place).map(|span| self.lines.position(span.start))
    }

    /// The path of every key, in the order of the tree: a section's key before those inside it.
    pub fn paths(&self) -> impl Iterator<Item = KeyPath> {
        self.entries().map(|(path, _)| path)
    }

    /// Every key and value with its path, in the same order.
    pub fn entries(&self) -> impl Iterator<Item = (KeyPath, &Entry)> {
        let mut found = Vec::new();
        collect(&self.root, &KeyPath::root(), &mut found);
        found.into_iter()
    }

    fn value(&self, path: &KeyPath) -> Span {
        match self.get(path) {
            // Nothing is written, so there is nothing to underline but the key.
            Some(node) if node.span.start < node.span.end => node.span,
            Some(_) | None => self.nearest_key(path),
        }
    }

    /// The key of the deepest part of the path that exists; an item of a list stands for itself.
    fn nearest_key(&self, path: &KeyPath) -> Span {
        let mut node = &self.root;
        let mut nearest = Span::new(self.root.span.start, self.root.span.start);
        for segment in path.segments() {
            match (segment, &node.value) {
                (Segment::Key(key), Value::Mapping(mapping)) => {
                    let Some(entry) = mapping.entry(key) else { break };
                    nearest = entry.key_span;
                    node = &entry.node;
                }
                (Segment::Index(index), Value::Sequence(items)) => {
                    let Some(item) = items.get(*index) else { break };
                    nearest = item.span;
                    node = item;
                }
                (Segment::Key(_) | Segment::Index(_), _) => break,
            }
        }
        nearest
    }
}

pub(super) fn step<'n>(node: &'n Node, segment: &Segment) -> Option<&'n Node> {
    match segment {
        Segment::Key(key) => node.value.as_mapping()?.get(key),
        Segment::Index(index) => node.value.as_sequence()?.get(*index),
    }
}

fn collect<'n>(node: &'n Node, path: &KeyPath, found: &mut Vec<(KeyPath, &'n Entry)>) {
    if let Some(mapping) = node.value.as_mapping() {
        for entry in &mapping.entries {
            let path = path.key(&entry.key);
            found.push((path.clone(), entry));
            collect(&entry.node, &path, found);
        }
    }
    for (index, item) in node.value.as_sequence().unwrap_or_default().iter().enumerate() {
        collect(item, &path.index(index), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{parse, parse_json};

    #[test]
    fn a_place_that_does_not_exist_is_the_nearest_section_that_does() {
        let text = "# c\na:\n  b: 1\n  empty:\n  list: [x, {k: v}]\n  d.e: 2\n";
        let document = parse(text).expect("it is read").value;
        let path = KeyPath::parse;
        let at = |place: &Place| document.locate(place).map(|span| &text[span.start..span.end]);
        let key = |dotted: &str| at(&Place::Key(Source::Run, path(dotted)));
        let value = |dotted: &str| at(&Place::Value(Source::Run, path(dotted)));
        let missing = |dotted: &str| at(&Place::Missing(Source::Run, path(dotted)));
        assert_eq!((key("a.b"), value("a.b")), (Some("b"), Some("1")));
        assert_eq!((key("a.empty"), value("a.empty")), (Some("empty"), Some("empty")));
        assert_eq!((key("a.list[1].k"), value("a.list[1].k")), (Some("k"), Some("v")));
        assert_eq!((key("a.list[0]"), value("a.list[0]")), (Some("x"), Some("x")));
        assert_eq!((key("a.list[7]"), value("a.list[7].k")), (Some("list"), Some("list")));
        assert_eq!((missing("a.z.y"), value("a.b.c")), (Some("a"), Some("b")));
        assert_eq!((missing("z"), value("z"), key("")), (Some(""), Some(""), Some("")));
        assert_eq!(document.position(&Place::Missing(Source::Run, path("z"))), Some(Position { line: 2, column: 1 }));
        let dotted = path("a").key("d.e");
        assert_eq!(at(&Place::Value(Source::Run, dotted.clone())), Some("2"));
        assert_eq!(document.get(&dotted).map(|node| &node.value), Some(&Value::Integer(2)));
        assert_eq!(document.entry(&dotted).map(|entry| &*entry.key), Some("d.e"));
        assert_eq!(document.entry(&path("a.list[0]")), None);
        assert_eq!(at(&Place::Span(Source::Run, Span::new(4, 5))), Some("a"));
        assert_eq!(at(&Place::Whole), None);
        assert_eq!(at(&Place::Key(Source::Model, path("a"))), None);
        let paths: Vec<String> = document.paths().map(|path| path.to_string()).collect();
        assert_eq!(paths, ["a", "a.b", "a.empty", "a.list", "a.list[1].k", "a.d.e"]);
    }

    #[test]
    fn a_config_json_has_places_too() {
        let text = "{\"hidden_size\": 64,\n \"layers\": [1]}";
        let document = parse_json(text).expect("it is read").value;
        let place = Place::Value(Source::Model, KeyPath::parse("layers[0]"));
        assert_eq!(document.position(&place), Some(Position { line: 2, column: 13 }));
        assert_eq!(document.locate(&Place::Key(Source::Model, KeyPath::parse("hidden_size"))), Some(Span::new(1, 14)));
    }
}
