//! The run beside a baseline: its figures as they were, and which keys differ.

use super::estimate::RunRead;
use super::ranges::{self, Ranges};
use super::reading::LastGood;
use super::{EstimateMemos, ModelSource, Session, Workspace};
use crate::late::{self, with_late};
use crate::reactive::{Derived, effect};
use shardmem::document::{Document, Node, Value};
use shardmem::facts::Overrides;
use shardmem::provenance::KeyPath;
use shardmem::report::Report;
use std::sync::Arc;

/// Values of a text that are compared one by one; a text with more is no train.yaml.
const MOST_KEYS: usize = 2_000;
/// Differences that are listed.
const MOST_CHANGES: usize = 200;

/// A baseline, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Its figures; none where it cannot be read.
    pub report: Option<Arc<Report>>,
    keys: Keys,
}

/// Everything that a run states, by key path, in the order written.
type Keys = Vec<(Arc<str>, Value)>;

/// A key whose value differs.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyChange {
    /// Its path.
    pub key: Arc<str>,
    /// Its value in the baseline.
    pub old: Option<String>,
    /// Its value now.
    pub new: Option<String>,
}

/// The comparison; cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Compare {
    /// The baseline, where one is pinned.
    pub baseline: Derived<Option<Arc<Baseline>>>,
    /// What differs from it.
    pub changes: Derived<Vec<KeyChange>>,
}

impl Compare {
    /// The comparison of a session.
    pub fn of(session: Session, estimate: EstimateMemos) -> Self {
        let baseline = Derived::new(move |_| {
            let run = session.baseline.get()?;
            late::here().map(|late| Arc::new((late.baseline)(&run)))
        });
        let changes = Derived::new(move |last: Option<&Vec<KeyChange>>| {
            let (Some(baseline), Some(late)) = (baseline.get(), late::here()) else { return Vec::new() };
            // While a text is broken nothing can be said of its keys.
            let changes = (late.changes)(&baseline, session, estimate);
            changes.unwrap_or_else(|| last.cloned().unwrap_or_default())
        });
        // What reads a baseline is brought where there is one.
        effect(move || {
            if session.baseline.with(Option::is_some) {
                with_late(|_| ());
            }
        });
        Self { baseline, changes }
    }

    /// Reads the baseline's figures, where there are some.
    pub fn with_report<T>(self, read: impl FnOnce(Option<&Report>) -> T) -> T {
        self.baseline.with(|baseline| read(baseline.as_ref().and_then(|baseline| baseline.report.as_deref())))
    }
}

/// Reads a baseline. Late, as what differs from it: only who compares needs either.
pub fn read(run: &Workspace) -> Baseline {
    let RunRead { document, reading, outcome } = RunRead::of(run);
    let report = outcome.shown.map(|shown| shown.report().clone());
    let keys = keys(document.value(), reading.last.as_ref(), &run.model, run.ranges.as_ref());
    Baseline { report, keys }
}

/// What differs from a baseline, followed; nothing while a text is broken.
pub fn changed(baseline: &Baseline, session: Session, estimate: EstimateMemos) -> Option<Vec<KeyChange>> {
    session.model.with(|model| {
        session.ranges.with(|ranges| {
            let keys = estimate.with_read(|document, last| keys(Some(document), last, model, ranges.as_ref()))?;
            Some(changes(&baseline.keys, &keys))
        })
    })
}

/// Which keys differ between two runs.
pub fn differences(old: &Workspace, new: &Workspace) -> Vec<KeyChange> {
    changes(&keys_of(old), &keys_of(new))
}

fn keys_of(run: &Workspace) -> Keys {
    let RunRead { document, reading, .. } = RunRead::of(run);
    keys(document.value(), reading.last.as_ref(), &run.model, run.ranges.as_ref())
}

/// What a run states: its text with the overrides over it, its model, its recompute ranges.
fn keys(document: Option<&Document>, last: Option<&LastGood>, model: &ModelSource, ranges: Option<&Ranges>) -> Keys {
    let mut keys = Vec::new();
    if *model != ModelSource::File
        && let Some(last) = last
    {
        keys.push(("--model".into(), Value::Text(last.identity.model.as_str().into())));
    }
    let none = Overrides::none();
    let overrides = last.map_or(&none, |last| &last.applied.overrides);
    if let Some(document) = document {
        flatten(&document.root, &KeyPath::root(), &mut keys);
    }
    for (path, value) in overrides.iter() {
        let key: Arc<str> = path.to_string().into();
        match place_of(&key, &keys, 0) {
            Some(at) => keys[at].1 = value.clone(),
            None => keys.push((key, value.clone())),
        }
    }
    for (at, row) in ranges.into_iter().flat_map(|rows| rows.iter()).enumerate() {
        keys.push((format!("recompute[{at}]").into(), Value::Text(ranges::yaml(row).into())));
    }
    keys
}

fn flatten(node: &Node, path: &KeyPath, keys: &mut Keys) {
    if keys.len() >= MOST_KEYS {
        return;
    }
    match &node.value {
        Value::Mapping(mapping) if !mapping.entries.is_empty() => {
            mapping.entries.iter().for_each(|entry| flatten(&entry.node, &path.key(&entry.key), keys));
        }
        Value::Sequence(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, item)| flatten(item, &path.index(at), keys));
        }
        value => keys.push((path.to_string().into(), value.clone())),
    }
}

/// What differs: changed and missing keys in the baseline's order, then new ones.
fn changes(old: &Keys, new: &Keys) -> Vec<KeyChange> {
    let mut changes = Vec::new();
    let mut kept = vec![false; new.len()];
    let mut behind = 0;
    for (key, value) in old {
        let at = place_of(key, new, behind);
        let text = at.map(|at| new[at].1.to_text());
        if let Some(at) = at {
            kept[at] = true;
            behind = at + 1;
        }
        let old = value.to_text();
        if text.as_ref() != Some(&old) {
            changes.push(KeyChange { key: key.clone(), old: Some(old), new: text });
        }
    }
    let added = new.iter().zip(kept).filter(|(_, kept)| !kept);
    changes.extend(added.map(|((key, value), _)| KeyChange {
        key: key.clone(),
        old: None,
        new: Some(value.to_text()),
    }));
    changes.truncate(MOST_CHANGES);
    changes
}

/// Where a key stands. Two texts of one run have their keys in about the same order, so the search begins behind the last
/// one found.
fn place_of(key: &str, keys: &Keys, behind: usize) -> Option<usize> {
    let is_it = |(_, entry): &(usize, &(Arc<str>, Value))| *entry.0 == *key;
    let all = || keys.iter().enumerate();
    all().skip(behind).find(is_it).or_else(|| all().take(behind).find(is_it)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sample;
    use shardmem::facts::controls::Control;

    fn diff(old: &Workspace, new: &Workspace) -> Vec<(String, Option<String>, Option<String>)> {
        differences(old, new).into_iter().map(|change| (change.key.to_string(), change.old, change.new)).collect()
    }

    #[test]
    fn equal_runs_differ_in_nothing_and_comments_are_nothing() {
        let run = Workspace::of(Sample::OPENING.text);
        assert!(diff(&run, &run).is_empty());
        let commented = Workspace::of(&format!("# more\n{}", Sample::OPENING.text));
        assert!(diff(&run, &commented).is_empty());
    }

    #[test]
    fn controls_texts_models_and_ranges_are_told_by_key() {
        let old = Workspace::of(Sample::OPENING.text);
        let mut new = Workspace::of(&Sample::OPENING.text.replace("  max_grad_norm: 1.0\n", "  seed: [1, 2]\n"));
        new.set(Control::Ep, "16");
        new.model = ModelSource::Catalogue("deepseek-ai/DeepSeek-V2".into());
        new.ranges = Some(ranges::of_config(&crate::state::outcome::config_of(&new)));
        let text = |text: &str| Some(text.to_owned());
        let found = diff(&old, &new);
        assert!(found.contains(&("accelerator.ep_size".into(), text("8"), text("16"))), "{found:?}");
        assert!(found.contains(&("training.max_grad_norm".into(), text("1.0"), None)), "{found:?}");
        assert!(found.contains(&("training.seed[1]".into(), None, text("2"))), "{found:?}");
        assert!(found.contains(&("--model".into(), None, text("deepseek-ai/DeepSeek-V2"))), "{found:?}");
        assert!(found.contains(&("recompute[0]".into(), None, text("{first: 0, option: full}"))), "{found:?}");
        assert_eq!(found.len(), 6, "{found:?}");
    }
}
