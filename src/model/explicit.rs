//! What the model section states itself (config-spec 5.1, 18.5).

use super::fields::{Dimension, Flag, OTHER_OVERRIDES, may_stand_under_model};
use super::nearest::nearest;
use super::resolve::{RUN_KEYS, Statement};
use super::sink::Sink;
use super::spelling;
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Node, Value};
use crate::provenance::{KeyPath, Origin, Source};

/// The fields the model section states, with where.
pub(super) struct Explicit<'a> {
    entries: Vec<(&'a str, &'a Node, Origin)>,
    unknown: Vec<(String, KeyPath)>,
}

impl<'a> Explicit<'a> {
    pub(super) fn of(statement: &Statement<'a>) -> Self {
        let mut explicit = Self { entries: Vec::new(), unknown: Vec::new() };
        let model = KeyPath::parse("model");
        let below = model.key("config_overrides");
        let origin = |path: KeyPath| {
            if statement.overridden.contains(&path) { Origin::Override(path) } else { Origin::Key(Source::Run, path) }
        };
        let overrides = statement.section.get("config_overrides").and_then(|node| node.value.as_mapping());
        for entry in overrides.into_iter().flat_map(|mapping| &mapping.entries) {
            let (key, path) = (&*entry.key, below.key(&entry.key));
            if RUN_KEYS.contains(&key) || key.starts_with('_') {
                continue;
            }
            if !is_canonical(key) {
                explicit.unknown.push((key.to_owned(), path.clone()));
            }
            explicit.entries.push((key, &entry.node, origin(path)));
        }
        for entry in &statement.section.entries {
            let key = &*entry.key;
            let stated = !matches!(&entry.node.value, Value::Null)
                && !matches!(&entry.node.value, Value::Text(text) if &**text == "auto");
            if stated && may_stand_under_model(key) && explicit.get(key).is_none() {
                explicit.entries.push((key, &entry.node, origin(model.key(key))));
            }
        }
        explicit
    }

    pub(super) fn get(&self, name: &str) -> Option<(&'a Node, &Origin)> {
        self.entries.iter().find(|(key, ..)| *key == name).map(|(_, node, origin)| (*node, origin))
    }

    /// Names every unknown key of `config_overrides`, at the first of them.
    pub(super) fn report_unknown_keys(&self, findings: &mut Sink) {
        let mut unknown = self.unknown.clone();
        unknown.sort();
        let Some((first, place)) = unknown.first().cloned() else { return };
        let names: Vec<String> = unknown.into_iter().map(|(key, _)| key).collect();
        let finding = Diagnostic::new(Code::SpecUnknownKey, Place::Key(Source::Run, place)).with(names);
        let near = meant(&first);
        findings.add(match near {
            Some(near) => finding.help(Help::Nearest(near.to_owned())),
            None => finding,
        });
    }

    /// Whether anything beyond `torch_dtype` is stated (config-spec 5.1).
    pub(super) fn describes_a_model(&self) -> bool {
        self.entries.iter().any(|(key, ..)| *key != "torch_dtype")
    }
}

fn is_canonical(key: &str) -> bool {
    Dimension::by_name(key).is_some() || Flag::by_name(key).is_some() || OTHER_OVERRIDES.contains(&key)
}

/// The canonical name that an unknown key means: one of the spellings of a config.json, or a slip.
fn meant(key: &str) -> Option<&'static str> {
    let alias = Dimension::ALL.iter().find(|field| field.spellings().contains(&key)).map(|field| field.name());
    let renamed = spelling::canonical(key);
    if let Some(name) = alias.or(renamed) {
        return Some(name);
    }
    let names = Dimension::ALL.iter().map(|field| field.name()).chain(Flag::ALL.iter().map(|field| field.name()));
    nearest(key, names.chain(OTHER_OVERRIDES).chain(RUN_KEYS))
}
