//! A section under construction: repeated keys, merges.

use super::node::{Entry, Mapping, Value};
use crate::text::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// From how many keys on a section is searched by an index.
const MANY_KEYS: usize = 16;

/// A key whose value is still to come.
pub(super) enum Key {
    /// A key of the section, and where it stands.
    Own(Arc<str>, Span),
    /// `<<`.
    Merge,
}

/// A section whose entries are still coming.
#[derive(Default)]
pub(super) struct Builder {
    /// The key whose value comes next.
    pub(super) pending: Option<Key>,
    own: Vec<Entry>,
    /// Where each own key was first written.
    first_spans: Vec<Span>,
    /// The place of each own key, once there are many.
    index: BTreeMap<Arc<str>, usize>,
    /// What `<<` brings, in PyYAML's order: later ones win.
    merged: Vec<Entry>,
}

impl Builder {
    /// Adds an own entry; gives where its key first stood, if it is repeated.
    pub(super) fn insert(&mut self, entry: Entry) -> Option<Span> {
        let known = self.find(&entry.key);
        if let Some(at) = known {
            self.own[at] = entry;
            return Some(self.first_spans[at]);
        }
        self.first_spans.push(entry.key_span);
        if self.own.len() >= MANY_KEYS {
            self.index.insert(Arc::clone(&entry.key), self.own.len());
        }
        self.own.push(entry);
        None
    }

    fn find(&self, key: &str) -> Option<usize> {
        let few = self.own.iter().take(MANY_KEYS).position(|entry| &*entry.key == key);
        few.or_else(|| self.index.get(key).copied())
    }

    /// Adds the entries of a section, or of a list of sections of which earlier ones win; fails for anything else.
    pub(super) fn merge(&mut self, value: Value) -> bool {
        match value {
            Value::Mapping(mapping) => self.merged.extend(mapping.entries),
            Value::Sequence(items) => {
                for item in items.into_iter().rev() {
                    let Value::Mapping(mapping) = item.value else { return false };
                    self.merged.extend(mapping.entries);
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::WideInteger(_)
            | Value::Float(_)
            | Value::Text(_)
            | Value::Date(_) => return false,
        }
        true
    }

    /// The section: what is merged comes first, as in PyYAML, own entries win.
    pub(super) fn finish(mut self) -> Mapping {
        if self.merged.is_empty() {
            return Mapping { entries: self.own };
        }
        let own = std::mem::take(&mut self.own);
        let mut all = Self::default();
        for entry in self.merged.into_iter().chain(own) {
            all.insert(entry);
        }
        Mapping { entries: all.own }
    }
}
