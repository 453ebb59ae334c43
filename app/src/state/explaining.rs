//! Which figure the reader opened, and what its explanation is made from.

use super::outcome;
use super::{EstimateMemos, Selection};
use crate::late;
use crate::reactive::Held;
use shardmem::config::Config;
use shardmem::diagnostics::{Diagnostic, Findings, Place};
use shardmem::document::Document;
use shardmem::estimate::{self, Answer};
use shardmem::facts::Facts;
use shardmem::facts::execution::ExecutionSpec;
use shardmem::provenance::{KeyPath, Source};

/// The stage that a figure is of; it stays so while the figures move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The one that needs most.
    Peak,
    /// The one that the reader looks at.
    Selected,
}

/// The figure that is explained, and how its explanation is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// An item's id, a category's, or a figure of the reference: `total`.
    pub item: String,
    /// Of which stage.
    pub whose: Whose,
    /// At which instant; that of the stage's peak where the reader chose none.
    pub instant: Option<String>,
    /// The symbols gone into, one after the other.
    pub trail: Vec<String>,
    /// The rows that are unfolded, as the symbols that lead to them.
    pub unfolded: Vec<String>,
    /// What has the focus back when the explanation is closed.
    pub from: String,
}

impl Opened {
    /// Folds or unfolds a row.
    pub fn toggle(&mut self, path: &str) {
        match self.unfolded.iter().position(|known| known == path) {
            Some(at) => drop(self.unfolded.remove(at)),
            None => self.unfolded.push(path.to_owned()),
        }
    }

    /// Goes to the figure itself (no path) or to the symbol that a path leads to.
    pub fn go(&mut self, path: &str) {
        self.trail = path.split(BETWEEN).filter(|symbol| !symbol.is_empty()).map(str::to_owned).collect();
    }
}

/// Stands between the symbols of a path; no symbol has one.
pub const BETWEEN: char = '>';

/// The figure that is explained, if one is; it outlives a change of language.
#[derive(Debug, Clone, Copy)]
pub struct Explaining(pub Held<Option<Opened>>);

impl Explaining {
    /// Nothing is explained yet.
    pub fn nothing() -> Self {
        Self(Held::new(None))
    }

    /// Changes how the explanation is looked at.
    pub fn change(self, change: impl FnOnce(&mut Opened)) {
        self.0.update(|opened| {
            if let Some(opened) = opened {
                change(opened);
            }
        });
    }
}

/// Which numbers of an explanation changed since the gesture under way began.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    of: Option<(String, Option<usize>, Option<String>)>,
    shown: Vec<(String, f64)>,
    before: Vec<(String, f64)>,
    has_rested: bool,
}

impl Marks {
    /// Sees which figure is explained: of another one nothing is known yet.
    pub fn see(&mut self, opened: &Opened, stage: Option<usize>) {
        let of = Some((opened.item.clone(), stage, opened.instant.clone()));
        if self.of != of {
            *self = Self { of, ..Self::default() };
        }
    }

    /// The numbers before the gesture, by the symbols that lead to them.
    pub fn before(&self) -> &[(String, f64)] {
        &self.before
    }

    /// Takes the numbers as they are now; whether a gesture begins with them.
    pub fn take(&mut self, now: &[(String, f64)]) -> bool {
        let known = |shown: &[(String, f64)], path: &str| shown.iter().position(|(known, _)| known == path);
        let changed = |(path, value): &(String, f64)| {
            known(&self.shown, path).is_some_and(|at| self.shown[at].1.to_bits() != value.to_bits())
        };
        let begins = self.has_rested && now.iter().any(changed);
        if begins {
            self.before.clone_from(&self.shown);
        }
        self.has_rested = false;
        for (path, value) in now {
            match known(&self.shown, path) {
                Some(at) => self.shown[at].1 = *value,
                None => self.shown.push((path.clone(), *value)),
            }
        }
        begins
    }

    /// Nothing happened for a while.
    pub const fn rest(&mut self) {
        self.has_rested = true;
    }
}

/// The run as it stands, as far as an explanation reads it.
#[derive(Debug)]
pub struct Grounds<'a> {
    /// What was read.
    pub facts: &'a Facts,
    /// What follows from it.
    pub config: &'a Config,
    /// The figures.
    pub answer: &'a Answer,
    /// What was found on the way to them.
    pub findings: &'a [Diagnostic],
    /// The ranges laid over the file.
    pub spec: Option<&'a ExecutionSpec>,
    /// The train.yaml.
    pub document: &'a Document,
    /// The config.json, where one was given.
    pub pasted: Option<&'a Document>,
}

impl Grounds<'_> {
    /// The line at which a key's value stands, from 1; none where it stands in no text of the page.
    pub fn line(&self, source: Source, path: &KeyPath) -> Option<u32> {
        self.place(source, path).map(|(line, _)| line)
    }

    /// Line and column at which a key's value stands, from 1.
    pub fn place(&self, source: Source, path: &KeyPath) -> Option<(u32, u32)> {
        let document = match source {
            Source::Run => Some(self.document),
            Source::Model => self.pasted,
            Source::Execution => None,
        };
        let position = document?.position(&Place::Value(source, path.clone()))?;
        Some((position.line, position.column))
    }
}

impl EstimateMemos {
    /// What the figures on the page are made from, followed; nothing while they are the last good ones.
    pub fn grounds<T>(self, tell: impl FnOnce(&Grounds<'_>) -> T) -> Option<T> {
        let (mut tell, mut told) = (Some(tell), None);
        self.with_grounds(&mut |grounds| told = tell.take().map(|tell| tell(grounds)));
        told
    }

    /// One piece of code for all who ask.
    fn with_grounds(self, tell: &mut dyn FnMut(&Grounds<'_>)) -> Option<()> {
        if self.with_report(|_, is_stale| is_stale)? {
            return None;
        }
        self.ranges.with(|ranges| {
            let spec = match ranges {
                None => None,
                Some(read) => (late::here()?.spec)(read.value()?),
            };
            self.document.with(|document| {
                self.model.with(|model| {
                    self.reading.with(|reading| {
                        let facts = reading.facts.value()?;
                        let mut findings = Findings::new();
                        let by = self.accountant()?;
                        let config = outcome::judged(facts, ranges, by, &mut findings)?;
                        let answer = estimate::answer_by(by, facts, &config, &mut findings)?;
                        tell(&Grounds {
                            facts,
                            config: &config,
                            answer: &answer,
                            findings: &findings.into_all(),
                            spec: spec.as_ref(),
                            document: document.value()?,
                            pasted: model.config.value(),
                        });
                        Some(())
                    })
                })
            })
        })
    }
}

impl Whose {
    /// The stage meant; none for the one that needs most.
    pub fn stage(self, selection: Selection) -> Option<usize> {
        match self {
            Self::Peak => None,
            Self::Selected => Some(selection.stage()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_marked_against_those_before_the_gesture() {
        let number = |value| vec![("ep".to_owned(), value)];
        let mut marks = Marks::default();
        assert!(!marks.take(&number(8.0)));
        marks.rest();
        assert!(marks.take(&number(16.0)));
        assert!(!marks.take(&number(32.0)));
        assert_eq!(marks.before(), number(8.0));
        marks.rest();
        assert!(!marks.take(&number(32.0)), "nothing changed: the marks stay");
        assert_eq!(marks.before(), number(8.0));
        marks.rest();
        assert!(marks.take(&number(8.0)));
        assert_eq!(marks.before(), number(32.0));
    }

    #[test]
    fn a_way_through_symbols_is_gone_and_rows_unfold() {
        let mut opened = Opened {
            item: "total".to_owned(),
            whose: Whose::Peak,
            instant: None,
            trail: Vec::new(),
            unfolded: Vec::new(),
            from: String::new(),
        };
        opened.go("static.total>layer_parameters_held");
        assert_eq!(opened.trail, ["static.total", "layer_parameters_held"]);
        opened.go("");
        assert!(opened.trail.is_empty());
        opened.toggle("static.total");
        opened.toggle("static.total>ep");
        opened.toggle("static.total");
        assert_eq!(opened.unfolded, ["static.total>ep"]);
    }
}
