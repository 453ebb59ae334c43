//! Two steps at once, where no single one makes a run fit.

use super::fixes::{LADDER, cost, mending, others};
use super::{Fix, Fixes, Laid, Step, WhatIf};
use crate::facts::controls::{Change, Control};

/// Estimates that a search for pairs is worth: about a tenth of a second.
pub const MOST_ESTIMATES: usize = 3_000;

/// Every two controls that a pair is made of, the cheaper first, in the order of what they cost together.
pub fn control_pairs() -> Vec<[Control; 2]> {
    let mut pairs = Vec::new();
    for (at, (cheap_cost, cheap)) in LADDER.iter().enumerate() {
        for (dear_cost, dear) in &LADDER[at + 1..] {
            pairs.push(((*dear_cost, *cheap_cost, at), [*cheap, *dear]));
        }
    }
    pairs.sort_by_key(|(rank, _)| *rank);
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

impl WhatIf<'_> {
    /// Of two controls the pair of values that makes the run fit and lies nearest to the present ones, and how many
    /// estimates it took to find or to miss it. The dearer step is taken first, since degrees and counts decide what shards
    /// there are. For a search in pieces: [`Self::fixes`] asks this of all [`control_pairs`].
    pub fn nearest_pair(&self, [cheap, dear]: [Control; 2]) -> (Option<Fix>, usize) {
        let mut tried = 0;
        let mut nearest: Option<(usize, Fix)> = None;
        let Some(base) = self.without(&[cheap, dear]).ok().filter(|base| dear.key(&base.facts).is_ok()) else {
            return (None, tried);
        };
        let from = dear.setting(&self.present.facts);
        for (distance, to) in others(dear.values(&base.facts), &from) {
            let Ok((laid, Change { moved, .. })) = self.moved(&base, dear, &to) else { continue };
            let first = Step { control: dear, from: from.clone(), to, moved };
            if let Some((further, fix)) = self.second_step(&laid, first, cheap, &mut tried)
                && nearest.as_ref().is_none_or(|(least, _)| distance + further < *least)
            {
                nearest = Some((distance + further, fix));
            }
        }
        (nearest.map(|(_, fix)| fix), tried)
    }

    /// The nearest value of a second control that makes the run fit behind a first step, with its distance.
    fn second_step(&self, laid: &Laid, first: Step, control: Control, tried: &mut usize) -> Option<(usize, Fix)> {
        control.key(&laid.facts).ok()?;
        let from = control.setting(&laid.facts);
        let mut values: Vec<_> = others(control.values(&laid.facts), &from).collect();
        values.sort_by_key(|(distance, _)| *distance);
        for (distance, to) in values {
            *tried += 1;
            let candidate = self.candidate(laid, control, to);
            if let Some(figure) = mending(&laid.facts, control, &candidate) {
                let second = Step { control, from, to: candidate.setting, moved: candidate.moved };
                let cost = cost(first.control).max(cost(control))?;
                return Some((distance, Fix { cost, steps: vec![first, second], figure }));
            }
        }
        None
    }

    /// Adds the nearest pair of every two controls, until so many estimates were made.
    pub(super) fn add_pairs(&self, most_estimates: usize, fixes: &mut Fixes) {
        for pair in control_pairs() {
            if fixes.estimates >= most_estimates {
                fixes.is_complete = false;
                return;
            }
            let (fix, estimates) = self.nearest_pair(pair);
            fixes.pairs.extend(fix);
            fixes.estimates += estimates;
        }
    }
}
