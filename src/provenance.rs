//! Where a value comes from.

use std::fmt;
use std::sync::Arc;

/// One step of a key path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// A key of a mapping.
    Key(Arc<str>),
    /// An item of a sequence, from 0.
    Index(usize),
}

/// The way to a value of a document: `accelerator.tp_size`, `model.config_overrides.layers[0].kind`.
///
/// Facts and everything below hold key paths, not offsets, so that a comment moves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct KeyPath(Vec<Segment>);

impl KeyPath {
    /// The root of the document.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Reads a dotted path: `accelerator.tp_size`, `layers[0].kind`. Total: what is no index is a key.
    pub fn parse(dotted: &str) -> Self {
        let mut segments = Vec::new();
        for part in dotted.split('.').filter(|part| !part.is_empty()) {
            let (key, indexes) = part.split_once('[').unwrap_or((part, ""));
            if !key.is_empty() {
                segments.push(Segment::Key(key.into()));
            }
            segments.extend(indexes.split(['[', ']']).filter_map(|index| index.parse().ok()).map(Segment::Index));
        }
        Self(segments)
    }

    /// The path of a key below this one.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(Segment::Key(key.into()));
        Self(segments)
    }

    /// The path of an item below this one.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut segments = self.0.clone();
        segments.push(Segment::Index(index));
        Self(segments)
    }

    /// The path of a path below this one.
    #[must_use]
    pub fn join(&self, below: &Self) -> Self {
        Self([&*self.0, &*below.0].concat())
    }

    /// The steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The path without its last step; the root's parent is the root.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// The last key, if the last step is one.
    pub fn last_key(&self) -> Option<&str> {
        match self.0.last() {
            Some(Segment::Key(key)) => Some(key),
            Some(Segment::Index(_)) | None => None,
        }
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if at == 0 => write!(formatter, "{key}")?,
                Segment::Key(key) => write!(formatter, ".{key}")?,
                Segment::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Which of the texts a user gives a place lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Source {
    /// The train.yaml.
    #[default]
    Run,
    /// The checkpoint's config.json, pasted or from the catalogue.
    Model,
    /// The execution spec given beside the YAML.
    Execution,
}

/// Where a value comes from; shown with every number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The user wrote it.
    Key(Source, KeyPath),
    /// What the trainer takes where nothing is written; the text names the rule's place in the specification.
    TrainerDefault(&'static str),
    /// What the model's family decides; the text is the family's name.
    FamilyDefault(&'static str),
    /// A what-if control or `--set` laid over the text.
    Override(KeyPath),
    /// The model was chosen by the user (picker, `--model`) rather than named in the text.
    ChosenModel(Arc<str>),
    /// Computed from other facts by a rule; the text names the rule.
    Rule(&'static str),
    /// A constant of the reference; the text says which.
    Constant(&'static str),
    /// The device count the caller gives beside the file (`--devices`).
    Caller,
}

impl Origin {
    /// Where the value is written: in which text, and at which path. An override stands at a path of the train.yaml.
    pub const fn key(&self) -> Option<(Source, &KeyPath)> {
        match self {
            Self::Key(source, path) => Some((*source, path)),
            Self::Override(path) => Some((Source::Run, path)),
            Self::TrainerDefault(_)
            | Self::FamilyDefault(_)
            | Self::ChosenModel(_)
            | Self::Rule(_)
            | Self::Constant(_)
            | Self::Caller => None,
        }
    }
}

/// A fact and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated<T> {
    /// The value.
    pub value: T,
    /// Its origin.
    pub origin: Origin,
}

impl<T> Stated<T> {
    /// A value with its origin.
    pub const fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }

    /// The same origin for a value computed from this one.
    pub fn map<U>(self, compute: impl FnOnce(T) -> U) -> Stated<U> {
        Stated { value: compute(self.value), origin: self.origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_path_reads_back_as_written() {
        for path in ["accelerator.tp_size", "model.config_overrides.layers[0].kind", "a[1][2].b", "model"] {
            assert_eq!(KeyPath::parse(path).to_string(), path);
        }
        assert_eq!(KeyPath::parse("a.b").parent(), KeyPath::parse("a"));
        assert_eq!(KeyPath::parse("a.b").last_key(), Some("b"));
    }
}
