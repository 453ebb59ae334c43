//! What would happen: a control at each of its values, the steps that make a run fit, and how far one can go.
//!
//! Controls are set one after the other, each on the facts that the ones before leave, as the page does it; a control that is
//! set already is moved from where it stood without it. Every figure is that of [`crate::estimate`] for the same overrides,
//! made without its report. Plain data: no sentences.

mod figure;
mod fixes;
mod limits;
mod pairs;
mod recompute;
mod strip;

pub use figure::Figure;
pub use fixes::{Cost, Fix, Fixes, Step, remedies};
pub use limits::{Limit, Search};
pub use pairs::{MOST_ESTIMATES, control_pairs};
pub use recompute::Fewest;
pub use strip::{Candidate, Outcome, Reason, Strip};

use crate::accounting::Accountant;
use crate::diagnostics::{Checked, Errors};
use crate::document::Document;
use crate::facts::controls::{Change, Control, Refusal, Setting};
use crate::facts::execution::ExecutionSpec;
use crate::facts::{self, Facts, ModelChoice, Overrides};

/// A run as it stands: what it is read from, and what was set.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The train.yaml.
    pub document: &'a Document,
    /// Which model it is read with.
    pub choice: &'a ModelChoice,
    /// The device count that the caller gives beside the file.
    pub devices: Option<i64>,
    /// An execution spec given beside the file.
    pub exec: Option<&'a ExecutionSpec>,
    /// The memory model that prices it.
    pub accountant: Accountant,
    /// Values laid over the file before any control is set.
    pub overrides: &'a Overrides,
    /// The controls set, in the order of setting; each at most once.
    pub sets: &'a [Set],
    /// Whether the device count stays while degrees move.
    pub pinned: bool,
}

/// A control and what it is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Which control.
    pub control: Control,
    /// Its value.
    pub setting: Setting,
}

/// A run that can be read, ready to be asked.
#[derive(Debug, Clone)]
pub struct WhatIf<'a> {
    run: Run<'a>,
    file: Facts,
    present: Laid,
}

/// Facts with the overrides they were read under.
#[derive(Debug, Clone)]
struct Laid {
    overrides: Overrides,
    facts: Facts,
}

/// Why a control does not get a value.
enum Refused {
    Control(Refusal),
    Reading(Errors),
}

impl<'a> WhatIf<'a> {
    /// Reads the run as it stands, or says why it cannot be read.
    pub fn new(run: Run<'a>) -> Result<Self, Errors> {
        let Checked { value: file, .. } = facts::read(run.document, run.choice, run.overrides, run.devices)?;
        let present = Laid { overrides: run.overrides.clone(), facts: file.clone() };
        let mut what_if = Self { run, file, present };
        what_if.present = what_if.laid(run.sets)?;
        Ok(what_if)
    }

    /// What is asked.
    pub const fn run(&self) -> Run<'a> {
        self.run
    }

    /// The facts as they stand, everything set.
    pub const fn facts(&self) -> &Facts {
        &self.present.facts
    }

    /// The overrides in force with further controls set, what moves along included: what an estimate of it takes. `None`
    /// where one of them cannot be set.
    pub fn overrides(&self, further: &[Set]) -> Option<Overrides> {
        let controls: Vec<Control> = further.iter().map(|set| set.control).collect();
        let mut laid = self.without(&controls).ok()?;
        for set in further {
            laid = self.moved(&laid, set.control, &set.setting).ok()?.0;
        }
        Some(laid.overrides)
    }

    /// The run without some of its controls set.
    fn without(&self, controls: &[Control]) -> Result<Laid, Errors> {
        let stays = |set: &&Set| !controls.iter().any(|control| control.displaces(set.control));
        let kept: Vec<Set> = self.run.sets.iter().filter(stays).cloned().collect();
        if kept.len() == self.run.sets.len() { Ok(self.present.clone()) } else { self.laid(&kept) }
    }

    /// The run with controls set on the file; what cannot be set changes nothing.
    fn laid(&self, sets: &[Set]) -> Result<Laid, Errors> {
        let mut laid = Laid { overrides: self.run.overrides.clone(), facts: self.file.clone() };
        for Set { control, setting } in sets {
            match self.moved(&laid, *control, setting) {
                Ok((next, _)) => laid = next,
                Err(Refused::Control(_)) => {}
                Err(Refused::Reading(errors)) => return Err(errors),
            }
        }
        Ok(laid)
    }

    /// One more control set, and the degrees that followed.
    fn moved(&self, before: &Laid, control: Control, setting: &Setting) -> Result<(Laid, Change), Refused> {
        let change = control.set(setting, &before.facts, self.run.pinned).map_err(Refused::Control)?;
        let mut overrides = before.overrides.clone();
        overrides.extend(change.overrides.clone());
        let facts = self.read(before, &overrides, &change.overrides).map_err(Refused::Reading)?;
        Ok((Laid { overrides, facts }, change))
    }

    /// Reads the run again; the model with it only where an override may state it.
    fn read(&self, before: &Laid, overrides: &Overrides, new: &Overrides) -> Result<Facts, Errors> {
        let Run { document, choice, devices, .. } = self.run;
        let again = facts::read_run_again(document, &before.facts, overrides, new, devices);
        let read = again.unwrap_or_else(|| facts::read(document, choice, overrides, devices))?;
        Ok(read.value)
    }
}
