//! What would make it fit: for an overflow, every single step that ends it, cheapest first.

use super::{Candidate, Figure, Outcome, Strip, WhatIf};
use crate::facts::Facts;
use crate::facts::controls::{Control, Moved, Setting};
use crate::report::Fits;

/// What a step costs the run, from nothing to more machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// A switch: no other time, no other result.
    Free,
    /// More communication for less of each tensor on a device.
    Sharding,
    /// Smaller matrix products.
    MicroBatch,
    /// A part of the forward once more.
    Recompute,
    /// Another layout of the model over the devices.
    Layout,
    /// More devices.
    Devices,
}

/// The controls that may mend an overflow, cheapest first. Precision, optimizer and sequence length are none of them, since
/// they change what is trained; nor is another device, since a larger one mends everything.
pub(super) const LADDER: [(Cost, Control); 14] = [
    (Cost::Free, Control::Reshard),
    (Cost::Free, Control::SequenceParallel),
    (Cost::Free, Control::LossParallel),
    (Cost::Sharding, Control::DpShard),
    (Cost::Sharding, Control::EdpShard),
    (Cost::Sharding, Control::Ep),
    (Cost::MicroBatch, Control::MicroBatch),
    (Cost::Recompute, Control::Recompute),
    (Cost::Layout, Control::Tp),
    (Cost::Layout, Control::Pp),
    (Cost::Layout, Control::Cp),
    (Cost::Layout, Control::Etp),
    (Cost::Layout, Control::Vpp),
    (Cost::Devices, Control::Devices),
];

/// The controls that may mend an overflow, cheapest first.
pub fn remedies() -> impl Iterator<Item = Control> {
    LADDER.iter().map(|(_, control)| *control)
}

/// One or two steps that make a run fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What the dearest of its steps costs.
    pub cost: Cost,
    /// In the order of setting.
    pub steps: Vec<Step>,
    /// What the run then needs.
    pub figure: Figure,
}

/// A control moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which control.
    pub control: Control,
    /// From.
    pub from: Setting,
    /// To.
    pub to: Setting,
    /// What else moved with it.
    pub moved: Vec<Moved>,
}

/// What was found, and how it was searched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fixes {
    /// Every single step: cheapest first, those of a control from the nearest value on.
    pub singles: Vec<Fix>,
    /// Only where no single step does it: for every two controls the pair of values nearest to the present ones, cheapest
    /// first.
    pub pairs: Vec<Fix>,
    /// How many estimates were made.
    pub estimates: usize,
    /// Whether all pairs were tried that the search is made of; false where it ran out of estimates.
    pub is_complete: bool,
}

impl WhatIf<'_> {
    /// What would make the run fit. Nothing where it fits, and where nobody can say (a file read in part). Pairs are
    /// searched until `most_estimates` were made; single steps always are, all of them.
    pub fn fixes(&self, most_estimates: usize) -> Fixes {
        let overflows = self.price(&self.present.facts).is_ok_and(|priced| priced.figure.fits == Fits::No);
        if !overflows {
            return Fixes { estimates: 1, is_complete: true, ..Fixes::default() };
        }
        let strips: Vec<Strip> = LADDER.iter().filter_map(|(_, control)| self.strip(*control).ok()).collect();
        let singles: Vec<Fix> = strips.iter().flat_map(|strip| self.fixes_in(strip)).collect();
        let estimates = 1 + strips.iter().map(|strip| strip.candidates.len()).sum::<usize>();
        let mut fixes = Fixes { singles, estimates, is_complete: true, ..Fixes::default() };
        if fixes.singles.is_empty() {
            self.add_pairs(most_estimates, &mut fixes);
        }
        fixes
    }

    /// Whether the global batch stays whole with a micro-batch of this size, where the file states the batch and not the
    /// number of micro-batches.
    pub fn keeps_batch(&self, micro_batch: &Setting) -> bool {
        keeps_batch(&self.present.facts, micro_batch)
    }

    /// The single steps among a control's values, nearest first; for pages that have the strips already.
    pub fn fixes_in(&self, strip: &Strip) -> Vec<Fix> {
        let Some(cost) = cost(strip.control) else { return Vec::new() };
        let mut found: Vec<(usize, Fix)> = Vec::new();
        let settings = strip.candidates.iter().map(|candidate| candidate.setting.clone()).collect();
        for (distance, setting) in others(settings, &strip.present) {
            let Some(candidate) = strip.candidates.iter().find(|candidate| candidate.setting == setting) else {
                continue;
            };
            if let Some(figure) = mending(&self.present.facts, strip.control, candidate) {
                let moved = candidate.moved.clone();
                let step = Step { control: strip.control, from: strip.present.clone(), to: setting, moved };
                // A handful, put where it belongs: sorting would be more code than all of this.
                let at = found.iter().position(|(other, _)| *other > distance).unwrap_or(found.len());
                found.insert(at, (distance, Fix { cost, steps: vec![step], figure }));
            }
        }
        found.into_iter().map(|(_, fix)| fix).collect()
    }
}

/// The figure of a value that a run could have, that fits, and that trains what was to be trained.
pub(super) fn mending(before: &Facts, control: Control, candidate: &Candidate) -> Option<Figure> {
    let Outcome::Runs(figure) = candidate.outcome else { return None };
    let keeps = control != Control::MicroBatch || keeps_batch(before, &candidate.setting);
    (figure.is_fitting() && keeps).then_some(figure)
}

/// What moving a control costs; nothing for controls that are no remedy.
pub(super) fn cost(control: Control) -> Option<Cost> {
    LADDER.iter().find(|(_, remedy)| *remedy == control).map(|(cost, _)| *cost)
}

/// The values but the present one, each with how many steps away it is.
pub(super) fn others(values: Vec<Setting>, present: &Setting) -> impl Iterator<Item = (usize, Setting)> {
    let here = values.iter().position(|value| value == present).unwrap_or(0);
    let apart = values.into_iter().enumerate().map(move |(at, value)| (at.abs_diff(here), value));
    apart.filter(move |(_, value)| value != present)
}

/// Whether the global batch stays whole: where the file states it and not the micro-batches, it must divide.
pub(super) fn keeps_batch(facts: &Facts, micro_batch: &Setting) -> bool {
    let (Setting::Number(size), run) = (micro_batch, &facts.run) else { return false };
    let is_stated = run.global_batch.origin.key().is_some() && run.micro_batches.origin.key().is_none();
    let a_step = size.saturating_mul(run.data_parallel.value);
    !is_stated || run.global_batch.value.checked_rem(a_step) == Some(0)
}
