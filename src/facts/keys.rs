//! Keys that nobody reads: slips and misplaced keys are warned about, keys that matter all the same are noted, everything
//! else is silent (DESIGN 3.5).

use super::dialect::{COMMON_KEYS, FOREIGN_SECTIONS, Fact, NOTED_KEYS, SILENT_KEYS, SYNONYMS, Section};
use super::reader::Reader;
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Entry, Mapping, Node, Value};
use crate::model::fields::{self, may_stand_under_model};
use crate::model::nearest::nearest;
use crate::provenance::{KeyPath, Source};
use crate::text::Span;
use std::collections::BTreeSet;

/// How many unread keys are shown one by one.
const SHOWN: usize = 5;

/// Reports what stands in the file and is not read.
pub(super) fn report(reader: &Reader<'_>, root: &Mapping) {
    let sections = Section::ALL.map(|section| {
        let path = reader.section(section);
        (section, path.to_string(), path)
    });
    let mut scan = Scan { sections, found: Vec::new(), read: BTreeSet::new() };
    scan.mapping(root, &KeyPath::root(), "");
    // A template's keys are read where it is merged or its alias stands.
    let Scan { found, read, .. } = scan;
    let found =
        found.into_iter().filter(|(at, _)| !read.contains(at) || *at == Span::default()).map(|(_, finding)| finding);
    let (warnings, notes): (Vec<_>, Vec<_>) = found.partition(|finding| finding.code != Code::KeyWithoutModel);
    let hidden = warnings.len().saturating_sub(SHOWN);
    let first_hidden = warnings.get(SHOWN).map(|finding| finding.place.clone());
    warnings.into_iter().take(SHOWN).chain(notes).for_each(|finding| reader.report(finding));
    if let Some(place) = first_hidden {
        let finding = Diagnostic::new(Code::KeysUnreadMore, place);
        reader.report(finding.with(i64::try_from(hidden).unwrap_or(i64::MAX)));
    }
}

struct Scan {
    /// Where each section stands, in dots and as a path.
    sections: [(Section, String, KeyPath); Section::ALL.len()],
    /// What was found, with where its key is written; nowhere, where an override states it.
    found: Vec<(Span, Diagnostic)>,
    /// Where the keys are written that are read.
    read: BTreeSet<Span>,
}

/// A section of the file, whatever it is.
struct Here<'a> {
    path: &'a KeyPath,
    dotted: &'a str,
    /// The keys read from it.
    read: Vec<&'static str>,
    /// Whether it is the model section, whose dimensions are read too.
    model: bool,
}

impl Scan {
    fn mapping(&mut self, mapping: &Mapping, path: &KeyPath, dotted: &str) {
        let standing = || self.sections.iter().filter(|(_, stands, _)| stands == dotted).map(|(section, ..)| *section);
        let read = standing().flat_map(Section::keys).collect();
        let here = Here { path, dotted, read, model: standing().any(|section| section == Section::Model) };
        for entry in &mapping.entries {
            self.entry(entry, &here);
        }
    }

    fn entry(&mut self, entry: &Entry, here: &Here<'_>) {
        let key = &*entry.key;
        if here.read.contains(&key) || here.model && may_stand_under_model(key) {
            self.read.insert(entry.key_span);
            return;
        }
        let dotted = if here.dotted.is_empty() { key.to_owned() } else { format!("{}.{key}", here.dotted) };
        if listed(&FOREIGN_SECTIONS, &dotted) {
            return;
        }
        if listed(&NOTED_KEYS, &dotted) {
            self.note(here.path.key(key), entry);
            return;
        }
        let finding = if self.leads_to_a_section(&dotted) {
            None
        } else {
            slip(here, key).or_else(|| self.misplaced(here, key, &dotted))
        };
        match (finding, &entry.node.value) {
            (Some(finding), _) => self.found.push((entry.key_span, finding)),
            (None, Value::Mapping(inner)) => self.mapping(inner, &here.path.key(key), &dotted),
            (None, _) => {}
        }
    }

    fn leads_to_a_section(&self, dotted: &str) -> bool {
        self.sections.iter().any(|(_, section, _)| {
            section.strip_prefix(dotted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    fn note(&mut self, path: KeyPath, Entry { key_span, node: Node { value, .. }, .. }: &Entry) {
        let off = !value.truthy() || value.as_text().is_some_and(|text| text.eq_ignore_ascii_case("none"));
        if !off {
            let shown = path.to_string();
            let finding = Diagnostic::new(Code::KeyWithoutModel, Place::Key(Source::Run, path));
            self.found.push((*key_span, finding.with(shown).with(value.written())));
        }
    }

    /// A key that is read, in a section that it is not read from.
    fn misplaced(&self, here: &Here<'_>, key: &str, dotted: &str) -> Option<Diagnostic> {
        let home = self.masked(dotted).or_else(|| {
            if listed(&COMMON_KEYS, key) || listed(&SILENT_KEYS, key) {
                return None;
            }
            let (section, _) = Fact::ALL.iter().flat_map(|fact| fact.keys()).find(|(_, name)| *name == key)?;
            let (.., home) = self.sections.iter().find(|(candidate, ..)| candidate == section)?;
            (home != here.path).then(|| home.key(key))
        })?;
        let finding = Diagnostic::new(Code::KeyMisplaced, Place::Key(Source::Run, here.path.key(key)));
        Some(finding.with(dotted).with(home.to_string()).help(Help::BelongsTo(home)))
    }

    /// The section that hides this one: `train.accelerator` is not read beside a root `accelerator`.
    fn masked(&self, dotted: &str) -> Option<KeyPath> {
        let hides =
            |(section, stands, _): &&(Section, String, KeyPath)| stands != dotted && section.places().contains(&dotted);
        self.sections.iter().find(hides).map(|(.., stands)| stands.clone())
    }
}

/// A key one slip away from one that its section reads, or from a section's own name.
fn slip(here: &Here<'_>, key: &str) -> Option<Diagnostic> {
    if listed(&SILENT_KEYS, key) {
        return None;
    }
    let dimensions = fields::names().filter(|_| here.model);
    let names = here.read.iter().copied().chain(dimensions).chain(names_below(here.dotted));
    let means = |(word, meant): &&(&str, &str)| *word == key && here.read.contains(meant);
    let near = SYNONYMS.iter().find(means).map(|(_, meant)| *meant).or_else(|| nearest(key, names))?;
    let path = here.path.key(key);
    let shown = path.to_string();
    let finding = Diagnostic::new(Code::KeyMisspelled, Place::Key(Source::Run, path));
    Some(finding.with(shown).with(near).help(Help::Nearest(near.to_owned())))
}

/// Names of sections right below a path, those of the places where a section could stand too.
fn names_below(parent: &str) -> impl Iterator<Item = &'static str> {
    let places = Section::ALL.into_iter().flat_map(|section| section.places().iter().copied());
    places.filter_map(move |place| {
        let below = if parent.is_empty() { place } else { place.strip_prefix(parent)?.strip_prefix('.')? };
        below.split('.').next().filter(|name| !name.is_empty())
    })
}

/// Whether a sorted list holds a word.
fn listed(words: &[&str], word: &str) -> bool {
    words.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        for list in [&COMMON_KEYS[..], &FOREIGN_SECTIONS, &NOTED_KEYS, &SILENT_KEYS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }
}
