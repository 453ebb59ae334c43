//! Keys that nobody reads: slips and misplaced keys are warned about, keys that matter all the same are noted, everything
//! else is silent (DESIGN 3.5).

use super::dialect::{COMMON_KEYS, FOREIGN_SECTIONS, Fact, NOTED_KEYS, SILENT_KEYS, SYNONYMS, Section};
use super::reader::Reader;
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Entry, Mapping, Value};
use crate::model::nearest::nearest;
use crate::model::{Dimension, Flag};
use crate::provenance::{KeyPath, Source};

/// How many unread keys are shown one by one.
const SHOWN: usize = 5;

/// Reports what stands in the file and is not read.
pub(super) fn report(reader: &Reader<'_>, root: &Mapping) {
    let mut scan = Scan { sections: Section::ALL.map(|section| (section, reader.section(section))), found: Vec::new() };
    scan.mapping(root, &KeyPath::root());
    let (warnings, notes): (Vec<_>, Vec<_>) =
        scan.found.into_iter().partition(|finding| finding.code != Code::KeyWithoutModel);
    let hidden = warnings.len().saturating_sub(SHOWN);
    warnings.into_iter().take(SHOWN).chain(notes).for_each(|finding| reader.report(finding));
    if hidden > 0 {
        let finding = Diagnostic::new(Code::KeysUnreadMore, Place::Whole);
        reader.report(finding.with(i64::try_from(hidden).unwrap_or(i64::MAX)));
    }
}

struct Scan {
    sections: [(Section, KeyPath); Section::ALL.len()],
    found: Vec<Diagnostic>,
}

impl Scan {
    fn mapping(&mut self, mapping: &Mapping, path: &KeyPath) {
        for entry in &mapping.entries {
            self.entry(entry, path);
        }
    }

    fn entry(&mut self, entry: &Entry, parent: &KeyPath) {
        let key = &*entry.key;
        let path = parent.key(key);
        let dotted = path.to_string();
        if listed(&FOREIGN_SECTIONS, &dotted) || self.reads(parent, key) {
            return;
        }
        if listed(&NOTED_KEYS, &dotted) {
            self.note(&path, &entry.node.value);
            return;
        }
        if !self.leads_to_a_section(&path)
            && let Some(finding) = self.slip(parent, key, &path).or_else(|| self.misplaced(parent, key, &path))
        {
            self.found.push(finding);
            return;
        }
        if let Value::Mapping(inner) = &entry.node.value {
            self.mapping(inner, &path);
        }
    }

    /// Whether this key of this section is read.
    fn reads(&self, parent: &KeyPath, key: &str) -> bool {
        let read = |section: Section| facts_of(section).any(|name| name == key) || dimension(section, key);
        self.sections.iter().any(|(section, path)| path == parent && read(*section))
    }

    fn leads_to_a_section(&self, path: &KeyPath) -> bool {
        self.sections.iter().any(|(_, section)| section.segments().starts_with(path.segments()))
    }

    fn note(&mut self, path: &KeyPath, value: &Value) {
        let off = !value.truthy() || value.as_text().is_some_and(|text| text.eq_ignore_ascii_case("none"));
        if !off {
            let finding = Diagnostic::new(Code::KeyWithoutModel, Place::Key(Source::Run, path.clone()));
            self.found.push(finding.with(path.to_string()).with(value.to_text()));
        }
    }

    /// A key one slip away from one that its section reads, or from a section's own name.
    fn slip(&self, parent: &KeyPath, key: &str, path: &KeyPath) -> Option<Diagnostic> {
        if listed(&SILENT_KEYS, key) {
            return None;
        }
        let here = self.sections.iter().filter(|(_, section)| section == parent).map(|(section, _)| *section);
        let read: Vec<&str> = here.clone().flat_map(facts_of).collect();
        let dimensions = here.filter(|section| *section == Section::Model).flat_map(|_| dimensions());
        let above = parent.to_string();
        let names = read.iter().copied().chain(dimensions).chain(names_below(&above));
        let synonym =
            SYNONYMS.iter().find(|(word, meant)| *word == key && read.contains(meant)).map(|(_, meant)| *meant);
        let near = synonym.or_else(|| nearest(key, names))?;
        let finding = Diagnostic::new(Code::KeyMisspelled, Place::Key(Source::Run, path.clone()));
        Some(finding.with(path.to_string()).with(near).help(Help::Nearest(near.to_owned())))
    }

    /// A key that is read, in a section that it is not read from.
    fn misplaced(&self, parent: &KeyPath, key: &str, path: &KeyPath) -> Option<Diagnostic> {
        let home = self.masked(path).or_else(|| {
            if listed(&COMMON_KEYS, key) || listed(&SILENT_KEYS, key) {
                return None;
            }
            let (section, _) = Fact::ALL.iter().flat_map(|fact| fact.keys()).find(|(_, name)| *name == key)?;
            let (_, home) = self.sections.iter().find(|(candidate, _)| candidate == section)?;
            (home != parent).then(|| home.key(key))
        })?;
        let finding = Diagnostic::new(Code::KeyMisplaced, Place::Key(Source::Run, path.clone()));
        Some(finding.with(path.to_string()).with(home.to_string()).help(Help::BelongsTo(home)))
    }

    /// The section that hides this one: `train.accelerator` is not read beside a root `accelerator`.
    fn masked(&self, path: &KeyPath) -> Option<KeyPath> {
        let dotted = path.to_string();
        if !Section::ALL.into_iter().any(|section| section.places().contains(&&*dotted)) {
            return None;
        }
        let hides = |(section, stands): &&(Section, KeyPath)| stands != path && section.places().contains(&&*dotted);
        self.sections.iter().find(hides).map(|(_, stands)| stands.clone())
    }
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

fn facts_of(section: Section) -> impl Iterator<Item = &'static str> {
    let keys = Fact::ALL.iter().flat_map(|fact| fact.keys());
    keys.filter(move |(of, _)| *of == section).map(|(_, key)| *key)
}

fn dimensions() -> impl Iterator<Item = &'static str> {
    Dimension::ALL.iter().map(|field| field.name()).chain(Flag::ALL.iter().map(|field| field.name()))
}

fn dimension(section: Section, key: &str) -> bool {
    section == Section::Model && crate::model::fields::may_stand_under_model(key)
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
