//! The tokens of a text in the order written: what the tree no longer says (aliases, merges, repeated keys, brackets) and an
//! edit must know.

use super::compose::Layout;
use super::node::Value;
use crate::text::Span;
use std::sync::Arc;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A scalar; of no bytes where nothing is written.
    Scalar,
    /// `*name`.
    Alias,
    /// A list with all its items.
    List(Layout),
    /// A section with all its keys and values.
    Section(Layout),
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) token: Token,
    pub(super) span: Span,
    /// The number of the anchor it carries or, for an alias, stands for; 0 for none.
    pub(super) anchor: usize,
    /// The key that it is; none for values and for `<<`.
    pub(super) key: Option<Arc<str>>,
    /// The first token behind it and all it holds.
    pub(super) next: usize,
}

/// All tokens; sections hold key, value, key, value.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) list: Vec<Mark>,
    /// What each anchor stands for, in the order of their numbers.
    pub(super) anchors: Vec<(usize, Value)>,
}

impl Marks {
    /// Adds a token; gives its place.
    pub(super) fn add(&mut self, token: Token, span: Span, anchor: usize) -> usize {
        let at = self.list.len();
        self.list.push(Mark { token, span, anchor, key: None, next: at + 1 });
        at
    }

    /// A section or list ends.
    pub(super) fn close(&mut self, at: usize, span: Span) {
        let next = self.list.len();
        if let Some(mark) = self.list.get_mut(at) {
            (mark.span, mark.next) = (span, next);
        }
    }

    /// The last token is a key.
    pub(super) fn name_last(&mut self, name: &Arc<str>) {
        if let Some(mark) = self.list.last_mut() {
            mark.key = Some(Arc::clone(name));
        }
    }

    /// What an anchor stands for.
    pub(super) fn anchored(&self, anchor: usize) -> Option<&Value> {
        let at = self.anchors.partition_point(|(number, _)| *number < anchor);
        self.anchors.get(at).filter(|(number, _)| *number == anchor).map(|(_, value)| value)
    }

    /// The items of a list, or the keys and values of a section in turns.
    pub(super) fn inside(&self, at: usize) -> impl Iterator<Item = usize> {
        let end = self.list[at].next;
        let held = move |at: usize| (at < end).then_some(at);
        std::iter::successors(held(at + 1), move |at| held(self.list[*at].next))
    }

    /// Key and value of the entry that counts: the last one written under this key.
    pub(super) fn entry(&self, section: usize, key: &str) -> Option<(usize, usize)> {
        let mut inside = self.inside(section);
        let mut found = None;
        while let (Some(name), Some(value)) = (inside.next(), inside.next()) {
            if self.list[name].key.as_deref() == Some(key) {
                found = Some((name, value));
            }
        }
        found
    }

    /// Key and value of the last entry.
    pub(super) fn last_entry(&self, section: usize) -> Option<(usize, usize)> {
        let mut inside = self.inside(section);
        let mut last = None;
        while let (Some(name), Some(value)) = (inside.next(), inside.next()) {
            last = Some((name, value));
        }
        last
    }
}
