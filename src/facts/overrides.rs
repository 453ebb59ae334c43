//! What-if overrides: laid over the text while it is read, never written into it (DESIGN 2, item 4).

use crate::diagnostics::Errors;
use crate::document::{Document, Quotes, Value, parse_value, to_line};
use crate::provenance::KeyPath;

/// Values by key path, as `--set key.path=value` and the page's controls state them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overrides(
    // Few, and in order: a tree would be a fifth of this room's code in the page.
    Vec<(KeyPath, Value)>,
);

impl Overrides {
    /// No override.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// The value laid over a path.
    pub fn value(&self, path: &KeyPath) -> Option<&Value> {
        self.at(path).ok().map(|at| &self.0[at].1)
    }

    /// Lays a value over a path; an earlier one at the same path gives way.
    pub fn set(&mut self, path: KeyPath, value: Value) {
        match self.at(&path) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (path, value)),
        }
    }

    /// With a value over a path.
    #[must_use]
    pub fn with(mut self, path: &str, value: Value) -> Self {
        self.set(KeyPath::parse(path), value);
        self
    }

    /// Leaves keys of a file's sections out: each section is laid over itself without them.
    pub fn leave_out(&mut self, document: &Document, keys: &[KeyPath]) {
        for key in keys {
            let section = key.parent();
            let stated = || document.get(&section).map(|node| &node.value);
            let Some(Value::Mapping(mapping)) = self.value(&section).or_else(stated) else { continue };
            let mut mapping = mapping.clone();
            mapping.entries.retain(|entry| Some(&*entry.key) != key.last_key());
            self.set(section, Value::Mapping(mapping));
        }
    }

    /// Lays a value over a path, both as text: what `--set path=value` takes.
    pub fn set_text(&mut self, path: &str, value: &str) -> Result<(), Errors> {
        self.set(KeyPath::parse(path), parse_value(value)?.value);
        Ok(())
    }

    /// All of them as text, path and value as `--set` takes them, in the order of their paths.
    pub fn settings(&self) -> impl Iterator<Item = (String, String)> {
        self.0.iter().map(|(path, value)| (path.to_string(), to_line(value, Quotes::WhereNeeded)))
    }

    /// Takes the override of a path away.
    pub fn remove(&mut self, path: &KeyPath) {
        if let Ok(at) = self.at(path) {
            self.0.remove(at);
        }
    }

    /// All of them, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&KeyPath, &Value)> {
        self.0.iter().map(|(path, value)| (path, value))
    }

    /// The paths overridden.
    pub fn paths(&self) -> Vec<KeyPath> {
        self.0.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Lays others over these.
    pub fn extend(&mut self, others: Self) {
        for (path, value) in others.0 {
            self.set(path, value);
        }
    }

    /// Where a path stands, or would.
    fn at(&self, path: &KeyPath) -> Result<usize, usize> {
        self.0.binary_search_by(|(stated, _)| stated.cmp(path))
    }
}

impl FromIterator<(KeyPath, Value)> for Overrides {
    fn from_iter<I: IntoIterator<Item = (KeyPath, Value)>>(overrides: I) -> Self {
        let mut all = Self::none();
        for (path, value) in overrides {
            all.set(path, value);
        }
        all
    }
}
