//! An order of the functions in which like follows like: brotli finds again what it has just seen, and callers stand near
//! what they call. It saves 6 kB of the page.

use std::collections::{BTreeMap, BTreeSet};

use super::module::{self, Reader, Section, kind, push_number, push_text};
use super::streams;
use crate::Outcome;

/// So many operators make a phrase.
const PHRASE: usize = 6;
/// A phrase that stands in more functions than these says nothing.
const COMMON: usize = 80;
/// The part of the name section that names functions.
const FUNCTION_NAMES: u8 = 1;

/// The module with a name for each function: sorted by them, like follows like.
pub(super) fn name_by_likeness(module: &[u8]) -> Outcome<Vec<u8>> {
    let mut sections = module::sections(module)?;
    let of_kind = |kind| sections.iter().find(|section| section.kind == kind);
    let imported = of_kind(kind::IMPORTS).map_or(Ok(0), |section| imported_functions(&section.content))?;
    let bodies = of_kind(kind::CODE).map_or(Ok(Vec::new()), |section| streams::bodies(&section.content))?;
    let operators: Vec<Vec<u8>> = bodies.iter().map(|body| streams::operators(body)).collect::<Outcome<_>>()?;
    let mut ranks = vec![0; bodies.len()];
    for (rank, function) in by_likeness(&operators).into_iter().enumerate() {
        ranks[function] = rank;
    }
    let mut names = Vec::new();
    push_number(&mut names, ranks.len());
    for (function, rank) in ranks.iter().enumerate() {
        push_number(&mut names, imported + function);
        push_text(&mut names, &format!("{rank:06}"));
    }
    let mut content = Vec::new();
    push_text(&mut content, "name");
    content.push(FUNCTION_NAMES);
    push_number(&mut content, names.len());
    content.extend(names);
    sections.push(Section { kind: kind::CUSTOM, content });
    Ok(module::whole(&sections))
}

fn imported_functions(content: &[u8]) -> Outcome<usize> {
    let mut reader = Reader::new(content);
    let mut functions = 0;
    for _ in 0..reader.number()? {
        reader.text()?;
        reader.text()?;
        let what = reader.span(module::import_type)?;
        functions += usize::from(what[0] == 0);
    }
    Ok(functions)
}

/// From the largest on, each time the one most like the last; the largest of the rest where none is.
fn by_likeness(functions: &[Vec<u8>]) -> Vec<usize> {
    let phrases = telling_phrases(functions);
    let mut holders: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for (function, phrases) in phrases.iter().enumerate() {
        for phrase in phrases {
            holders.entry(phrase).or_default().push(function);
        }
    }
    let mut by_size: Vec<usize> = (0..functions.len()).collect();
    by_size.sort_by_key(|function| std::cmp::Reverse(functions[*function].len()));
    let mut left: BTreeSet<usize> = by_size.iter().copied().collect();
    let mut order = Vec::with_capacity(functions.len());
    let mut next = by_size.first().copied();
    while let Some(function) = next {
        left.remove(&function);
        order.push(function);
        let mut shared: BTreeMap<usize, f64> = BTreeMap::new();
        for other in phrases[function].iter().flat_map(|phrase| &holders[phrase]).filter(|other| left.contains(other)) {
            *shared.entry(*other).or_default() += 1.0;
        }
        let likeness = |(other, shared): (usize, f64)| (shared / (phrases[other].len() as f64).sqrt(), other);
        let likest = shared.into_iter().map(likeness).max_by(|one, other| one.0.total_cmp(&other.0));
        next = likest.map(|(_, other)| other).or_else(|| by_size.iter().copied().find(|other| left.contains(other)));
    }
    order
}

/// The phrases of each function that it shares with some others, but not with everyone.
fn telling_phrases(functions: &[Vec<u8>]) -> Vec<BTreeSet<&[u8]>> {
    let mut phrases: Vec<BTreeSet<&[u8]>> =
        functions.iter().map(|operators| operators.windows(PHRASE).collect()).collect();
    let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
    for phrase in phrases.iter().flatten() {
        *counts.entry(phrase).or_default() += 1;
    }
    for phrases in &mut phrases {
        phrases.retain(|phrase| (2..COMMON).contains(&counts[phrase]));
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_follows_like_from_the_largest_on() {
        let functions: Vec<Vec<u8>> =
            ["aaaabbbbccccdddd", "xxxxyyyyzzzz", "aaaabbbbcccc", "xxxxyyyy", "q"].map(Into::into).into();
        assert_eq!(by_likeness(&functions), [0, 2, 1, 3, 4]);
        assert_eq!(by_likeness(&[]), [0_usize; 0]);
    }
}
