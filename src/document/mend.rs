//! A text that got blanks where PyYAML needs none and the event parser does, and the way back to the original's places.

use super::node::{Node, Value};
use crate::text::Span;
use std::borrow::Cow;

/// How many blanks are put in, at one pass over the text each.
const MOST_BLANKS: usize = 20;

/// A text and the blanks put into it.
pub(super) struct Mended<'t> {
    pub(super) text: Cow<'t, str>,
    /// Places in the mended text, in order: what is mended next always stands behind.
    blanks: Vec<usize>,
}

impl<'t> Mended<'t> {
    pub(super) fn new(text: Cow<'t, str>) -> Self {
        Self { text, blanks: Vec::new() }
    }

    /// Puts a blank before the character at `at`; false when too many were put in.
    pub(super) fn insert_blank(&mut self, at: usize) -> bool {
        if self.blanks.len() >= MOST_BLANKS {
            return false;
        }
        self.text.to_mut().insert(at, ' ');
        self.blanks.push(at);
        true
    }

    /// The bytes of the original that a span of the mended text covers.
    pub(super) fn original(&self, span: Span) -> Span {
        let back = |offset: usize| offset - self.blanks.partition_point(|blank| *blank < offset);
        Span::new(back(span.start), back(span.end))
    }

    /// The tree with its spans in the original.
    pub(super) fn original_tree(&self, mut root: Node) -> Node {
        if !self.blanks.is_empty() {
            self.move_back(&mut root);
        }
        root
    }

    fn move_back(&self, node: &mut Node) {
        node.span = self.original(node.span);
        match &mut node.value {
            Value::Sequence(items) => items.iter_mut().for_each(|item| self.move_back(item)),
            Value::Mapping(mapping) => {
                for entry in &mut mapping.entries {
                    entry.key_span = self.original(entry.key_span);
                    self.move_back(&mut entry.node);
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::WideInteger(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Date(_) => {}
        }
    }
}
