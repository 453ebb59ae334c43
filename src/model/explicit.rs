//! What the model section states itself (config-spec 5.1, 18.5).

use super::fields::{Dimension, Flag, OTHER_OVERRIDES, may_stand_under_model, names};
use super::nearest::nearest;
use super::resolve::Statement;
use super::sink::Sink;
use super::spelling;
use crate::diagnostics::{Code, Diagnostic, Place};
use crate::document::{Node, Value};
use crate::provenance::{KeyPath, Origin, Source};

/// The fields the model section states, with where.
pub(super) struct Explicit<'a> {
    entries: Vec<(&'a str, &'a Node, Origin)>,
    unknown: Vec<(String, KeyPath)>,
    /// Keys that state the run.
    run: &'a [&'static str],
}

impl<'a> Explicit<'a> {
    pub(super) fn of(statement: &Statement<'a>) -> Self {
        let keys = statement.keys;
        let mut explicit = Self { entries: Vec::new(), unknown: Vec::new(), run: &keys.run };
        let origin = |path: KeyPath| {
            if statement.overridden.contains(&path) { Origin::Override(path) } else { Origin::Key(Source::Run, path) }
        };
        let overrides = keys.overrides.last_key().and_then(|key| statement.section.get(key)?.value.as_mapping());
        for entry in overrides.into_iter().flat_map(|mapping| &mapping.entries) {
            let (key, path) = (&*entry.key, keys.overrides.key(&entry.key));
            if keys.run.contains(&key) || key.starts_with('_') {
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
                explicit.entries.push((key, &entry.node, origin(keys.section.key(key))));
            }
        }
        explicit
    }

    pub(super) fn get(&self, name: &str) -> Option<(&'a Node, &Origin)> {
        self.entries.iter().find(|(key, ..)| *key == name).map(|(_, node, origin)| (*node, origin))
    }

    /// The same where it is not null.
    pub(super) fn stated(&self, name: &str) -> Option<(&'a Node, &Origin)> {
        self.get(name).filter(|(node, _)| !node.value.is_null())
    }

    /// Names every unknown key of the overrides, at the first slip among them.
    pub(super) fn report_unknown_keys(&self, findings: &mut Sink) {
        let mut names: Vec<String> = self.unknown.iter().map(|(key, _)| key.clone()).collect();
        names.sort();
        let slip = names.iter().find_map(|key| Some((key, meant(key, self.run)?)));
        let Some(shown) = slip.as_ref().map(|(key, _)| *key).or(names.first()) else { return };
        let Some((_, place)) = self.unknown.iter().find(|(key, _)| key == shown) else { return };
        let slip = slip.map(|(_, near)| near);
        let finding = Diagnostic::new(Code::SpecUnknownKey, Place::Key(Source::Run, place.clone())).with(names);
        findings.add(finding.near(slip));
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
fn meant(key: &str, run: &[&'static str]) -> Option<&'static str> {
    let alias = Dimension::ALL.iter().find(|field| field.spellings().contains(&key)).map(|field| field.name());
    let renamed = spelling::canonical(key);
    if let Some(name) = alias.or(renamed) {
        return Some(name);
    }
    nearest(key, names().chain(OTHER_OVERRIDES).chain(run.iter().copied()))
}
