//! How far one can go: the longest sequence and the largest micro-batch that still fit.

use super::figure::Priced;
use super::fixes::keeps_batch;
use super::{Figure, Laid, WhatIf};
use crate::facts::controls::{Control, Setting};

/// The largest value that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The value.
    pub value: i64,
    /// What the run then needs.
    pub figure: Figure,
    /// The next value that a run could have, and what it would need; `None` where the search ended at the largest it tries.
    pub next: Option<(i64, Figure)>,
    /// How it was found.
    pub search: Search,
    /// How many estimates were made.
    pub estimates: usize,
}

/// How a limit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// By halving: no term of the memory model falls when the value grows (checked on the run: no negative buffers).
    Halving,
    /// Every value was tried.
    Scan,
}

/// Sequences are tried in steps of so many tokens on each CP rank.
const GRAIN: i64 = 128;
/// The longest sequence tried.
const LONGEST: i64 = 1 << 24;
/// The largest micro-batch tried.
const LARGEST_MICRO_BATCH: i64 = 1 << 16;
/// How many values a scan tries.
const MOST_SCANNED: i64 = 1 << 12;

impl WhatIf<'_> {
    /// The longest sequence that fits, in steps of 128 tokens on each context-parallel rank. `None` where not even the
    /// shortest fits, or none can be set.
    pub fn longest_sequence(&self) -> Option<Limit> {
        let control = Control::SequenceLength;
        let base = self.without(&[control]).ok()?;
        let step = GRAIN.saturating_mul(base.facts.run.context_parallel.value);
        let values = Values { control, step, count: LONGEST / step };
        Asked { what_if: self, base: &base, estimates: 0 }.largest(values)
    }

    /// The largest micro-batch that fits and keeps the global batch. `None` where not even one sequence fits, or it cannot
    /// be set.
    pub fn largest_micro_batch(&self) -> Option<Limit> {
        let control = Control::MicroBatch;
        let base = self.without(&[control]).ok()?;
        let run = &base.facts.run;
        let mut asked = Asked { what_if: self, base: &base, estimates: 0 };
        // Their number stays where it is stated, and where no global batch decides it.
        if run.micro_batches.origin.key().is_some() || run.global_batch.origin.key().is_none() {
            return asked.largest(Values { control, step: 1, count: LARGEST_MICRO_BATCH });
        }
        // Else it moves with their size, and with it what is in flight.
        let most = run.global_batch.value.checked_div(run.data_parallel.value)?.min(MOST_SCANNED);
        let sizes = (1..=most).filter(|size| keeps_batch(&base.facts, &Setting::Number(*size)));
        asked.scan(control, sizes)
    }
}

/// The multiples of a step, up to so many.
#[derive(Clone, Copy)]
struct Values {
    control: Control,
    step: i64,
    count: i64,
}

struct Asked<'a> {
    what_if: &'a WhatIf<'a>,
    base: &'a Laid,
    estimates: usize,
}

impl Asked<'_> {
    fn price(&mut self, control: Control, value: i64) -> Option<Priced> {
        self.estimates += 1;
        let (laid, _) = self.what_if.moved(self.base, control, &Setting::Number(value)).ok()?;
        self.what_if.price(&laid.facts).ok()
    }

    fn figure(&mut self, control: Control, value: i64) -> Option<Figure> {
        self.price(control, value).map(|priced| priced.figure)
    }

    /// The largest multiple that fits.
    fn largest(&mut self, values: Values) -> Option<Limit> {
        let Values { control, step, count } = values;
        if self.price(control, step)?.has_negative_buffers {
            return self.scan(control, (1..=count.min(MOST_SCANNED)).map(|times| times * step));
        }
        let (mut fits, mut exceeds) = (0, count + 1);
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            match self.figure(control, middle * step) {
                Some(figure) if figure.is_fitting() => fits = middle,
                Some(_) | None => exceeds = middle,
            }
        }
        let figure = self.figure(control, fits * step).filter(|_| fits > 0)?;
        let next = self.figure(control, exceeds * step).filter(|_| exceeds <= count);
        let next = next.map(|figure| (exceeds * step, figure));
        Some(Limit { value: fits * step, figure, next, search: Search::Halving, estimates: self.estimates })
    }

    /// The largest of some values that fits, each tried.
    fn scan(&mut self, control: Control, values: impl Iterator<Item = i64>) -> Option<Limit> {
        let mut largest: Option<(i64, Figure)> = None;
        let mut next = None;
        for value in values {
            let Some(figure) = self.figure(control, value) else { continue };
            if figure.is_fitting() {
                (largest, next) = (Some((value, figure)), None);
            } else {
                next = next.or(Some((value, figure)));
            }
        }
        let (value, figure) = largest?;
        Some(Limit { value, figure, next, search: Search::Scan, estimates: self.estimates })
    }
}
