//! What a file is (DESIGN 3.5; mindformers-spec 1; search-spec 1; config-spec 3).

use super::dialect;
use crate::document::Mapping;
use crate::provenance::KeyPath;

/// The vocabulary a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// `HyperParallel` `AutoModels`.
    AutoModels,
    /// `HyperParallel`'s older schema.
    Legacy,
    /// A search file.
    Search,
    /// A `MindFormers` file.
    MindFormers,
    /// A part of a file: it names no model and no dimensions.
    Fragment,
}

impl InputKind {
    /// The stable name (DESIGN 3.1).
    pub const fn name(self) -> &'static str {
        match self {
            Self::AutoModels => "automodels",
            Self::Legacy => "legacy",
            Self::Search => "search",
            Self::MindFormers => "mindformers",
            Self::Fragment => "fragment",
        }
    }
}

/// Which schema decides the details of the reading; where degrees are read from does not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schema {
    /// `AutoModels`.
    AutoModels,
    /// Legacy.
    Legacy,
}

impl Schema {
    /// The schema of a file (config-spec 3).
    pub fn of(root: &Mapping) -> Self {
        let model = root.get(dialect::MODEL).and_then(|node| node.value.as_mapping());
        let named =
            model.and_then(|model| model.get(dialect::AUTO_MODELS_PATH)).is_some_and(|node| node.value.truthy());
        if named || dialect::AUTO_MODELS_ROOTS.iter().any(|key| root.contains(key)) {
            return Self::AutoModels;
        }
        Self::Legacy
    }
}

/// A file of another vocabulary, with the key that shows it.
pub(super) fn foreign(root: &Mapping) -> Option<(InputKind, KeyPath)> {
    let key = |key: &str| KeyPath::root().key(key);
    let model = root.get(dialect::MODEL).and_then(|node| node.value.as_mapping());
    if let Some(name) = dialect::MINDFORMERS_ROOTS.into_iter().find(|name| root.contains(name)) {
        return Some((InputKind::MindFormers, key(name)));
    }
    let model_config = model.and_then(|model| model.get(dialect::MINDFORMERS_MODEL));
    if model_config.is_some_and(|node| node.value.as_mapping().is_some()) {
        return Some((InputKind::MindFormers, key(dialect::MODEL).key(dialect::MINDFORMERS_MODEL)));
    }
    let parallelism = root.get(dialect::PARALLELISM).and_then(|node| node.value.as_mapping());
    let long = parallelism.is_some_and(|section| dialect::PYNATIVE_KEYS.iter().any(|name| section.contains(name)));
    let beside = dialect::PYNATIVE_ROOTS.iter().any(|name| root.contains(name));
    if long && beside && model.is_some() {
        return Some((InputKind::MindFormers, key(dialect::PARALLELISM)));
    }
    dialect::SEARCH_ROOTS.into_iter().find(|name| root.contains(name)).map(|name| (InputKind::Search, key(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stable() {
        let kinds = [InputKind::AutoModels, InputKind::Legacy, InputKind::Search, InputKind::MindFormers];
        assert_eq!(kinds.map(InputKind::name), ["automodels", "legacy", "search", "mindformers"]);
    }
}
