//! Sections and lists of a reading: how one begins and ends, and where a finished key or value goes.

use super::{Collection, Composer, Done, Frame, Layout, OddKey, Shape, Step};
use crate::diagnostics::Code;
use crate::document::builder::{Builder, Key};
use crate::document::marks::Token;
use crate::document::node::{Entry, Node, Value};
use crate::document::reason::Reason;
use crate::document::scalar::Asked;
use crate::document::{DEEPEST_NESTING, MOST_FINDINGS, strict};
use crate::text::Span;
use std::sync::Arc;

impl Composer<'_> {
    /// A list begins.
    pub(in crate::document) fn open_list(&mut self, layout: Layout, anchor: usize, asked: Asked, span: Span) -> Step {
        self.open(Collection::Sequence(Vec::new()), layout, anchor, asked, span)
    }

    /// A section begins.
    pub(in crate::document) fn open_section(
        &mut self,
        layout: Layout,
        anchor: usize,
        asked: Asked,
        span: Span,
    ) -> Step {
        self.open(Collection::Mapping(Builder::default()), layout, anchor, asked, span)
    }

    fn open(&mut self, collection: Collection, layout: Layout, anchor: usize, asked: Asked, span: Span) -> Step {
        let (own_tag, misplaced) = match &collection {
            Collection::Sequence(_) => (Asked::Sequence, Reason::ItemHere),
            Collection::Mapping(_) => (Asked::Mapping, Reason::ColonHere),
        };
        if self.shape == Shape::Value && layout == Layout::Block {
            return Err(self.stop(span, misplaced));
        }
        if self.expects_key() {
            return Err(self.stop(span, Reason::KeyIsCollection));
        }
        if ![Asked::Nothing, Asked::Plain, own_tag].contains(&asked) {
            return Err(self.stop(span, Reason::TagMismatched));
        }
        if self.frames.len() >= DEEPEST_NESTING {
            return Err(self.too_deep(span));
        }
        if layout == Layout::Brackets {
            self.flow_depth += 1;
            self.last_end = self.last_end.max(span.end);
        }
        // PyYAML's reader turns sections into objects, but not those in a list, nor what they hold.
        let inside_list = self.frames.last().is_some_and(|frame| match frame.collection {
            Collection::Sequence(_) => true,
            Collection::Mapping(_) => frame.inside_list,
        });
        let start = match (&collection, layout) {
            // The parser may point behind the first dash.
            (Collection::Sequence(_), Layout::Block) => {
                strict::first_symbol(self.text, self.last_end, span.start, b"-").unwrap_or(span.start)
            }
            _ => span.start,
        };
        let token = match collection {
            Collection::Sequence(_) => Token::List(layout),
            Collection::Mapping(_) => Token::Section(layout),
        };
        let mark = self.mark(token, Span::new(start, start), anchor);
        self.frames.push(Frame {
            collection,
            layout,
            anchor,
            mark,
            start,
            size: 1,
            height: 0,
            inside_list,
            odd_key: None,
        });
        Ok(())
    }

    /// The section or list that began last ends.
    pub(in crate::document) fn close(&mut self, span: Span) -> Step {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.layout == Layout::Brackets {
            self.flow_depth -= 1;
            self.last_end = self.last_end.max(span.end);
        }
        let value = match frame.collection {
            Collection::Sequence(items) => Value::Sequence(items),
            Collection::Mapping(builder) => Value::Mapping(builder.finish()),
        };
        let node = Node { value, span: Span::new(frame.start, self.last_end.max(frame.start)) };
        if let Some(marks) = &mut self.marks {
            marks.close(frame.mark, self.mended.original(node.span));
        }
        let done = Done { node, size: frame.size, height: frame.height + 1, odd_key: frame.odd_key };
        self.keep(frame.anchor, &done)?;
        self.place(done)
    }

    pub(super) fn expects_key(&self) -> bool {
        let Some(Frame { collection: Collection::Mapping(builder), .. }) = self.frames.last() else { return false };
        builder.pending.is_none()
    }

    pub(super) fn set_key(&mut self, key: Key) {
        if let (Some(marks), Key::Own(name, _)) = (&mut self.marks, &key) {
            marks.name_last(name);
        }
        if let Some(Frame { collection: Collection::Mapping(builder), .. }) = self.frames.last_mut() {
            builder.pending = Some(key);
        }
    }

    pub(super) fn key(&mut self, value: Value, span: Span) {
        let kind = value.type_name();
        let key = match value {
            Value::Text(text) => text,
            other => {
                let written = self.text[span.start..span.end].into();
                self.note_odd_key(OddKey { span, written, kind });
                other.to_text().into()
            }
        };
        self.set_key(Key::Own(key, span));
    }

    /// Refuses a key that is no text, unless its section stays a mapping because it lies in a list.
    fn note_odd_key(&mut self, odd: OddKey) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.inside_list {
            frame.odd_key.get_or_insert(odd);
        } else if self.found.late_errors.len() < MOST_FINDINGS {
            let finding = self.finding(Code::KeyNotText, odd.span).with(&*odd.written).with(odd.kind);
            self.found.late_errors.push(finding);
        }
    }

    /// Puts a finished value where it belongs.
    pub(super) fn place(&mut self, mut done: Done) -> Step {
        let odd_key = done.odd_key.take();
        let span = done.node.span;
        let Some(frame) = self.frames.last_mut() else {
            self.found.root = Some(done.node);
            return Ok(());
        };
        frame.size += done.size;
        frame.height = frame.height.max(done.height);
        let builder = match &mut frame.collection {
            Collection::Sequence(items) => {
                items.push(done.node);
                return Ok(());
            }
            Collection::Mapping(builder) => builder,
        };
        let sound = match builder.pending.take() {
            Some(Key::Own(key, key_span)) => {
                if let Some(first) = builder.insert(Entry { key: Arc::clone(&key), key_span, node: done.node }) {
                    self.warn_of_duplicate(&key, key_span, first);
                }
                true
            }
            Some(Key::Merge) => builder.merge(done.node.value),
            None => true,
        };
        if !sound {
            return Err(self.stop(span, Reason::MergeOfOther));
        }
        if let Some(odd) = odd_key {
            self.note_odd_key(odd);
        }
        Ok(())
    }

    fn warn_of_duplicate(&mut self, key: &str, later: Span, first: Span) {
        if self.found.warnings.len() < MOST_FINDINGS {
            let line = self.lines.position(self.mended.original(first).start).line;
            let finding = self.finding(Code::DuplicateKey, later).with(key).with(i64::from(line));
            self.found.warnings.push(finding);
        }
    }
}
