//! Keeping the device count while overrides move degrees (DESIGN 3.3): data parallelism gives way.

use crate::diagnostics::{Argument, Checked, Code, Diagnostic, Errors, Place, Severity};
use crate::document::{Document, Value};
use crate::facts::controls::{Refusal, set_key};
use crate::facts::{self, Facts, ModelChoice, Overrides};
use crate::provenance::{KeyPath, Source};

/// How a file is read: everything but the overrides.
pub(super) struct Reading<'a> {
    pub(super) document: &'a Document,
    pub(super) choice: &'a ModelChoice,
    pub(super) devices: Option<i64>,
}

impl Reading<'_> {
    pub(super) fn read(&self, overrides: &Overrides) -> Result<Checked<Facts>, Errors> {
        facts::read(self.document, self.choice, overrides, self.devices)
    }
}

/// The overrides that keep the file's device count: those asked for, and what has to follow them. A file that is refused
/// without them is read with them as they are.
pub(super) fn pinned(reading: &Reading<'_>, asked: &Overrides) -> Result<Overrides, Diagnostic> {
    let Ok(before) = reading.read(&Overrides::none()) else { return Ok(asked.clone()) };
    if asked.is_empty() || keeps_count(reading, asked, before.value.devices()) {
        return Ok(asked.clone());
    }
    let mut facts = before.value;
    let mut laid = Overrides::none();
    for (path, value) in asked.iter() {
        match set_key(path, value, &facts, true) {
            Ok(change) => laid.extend(change.overrides),
            Err(refusal) => match refused(&refusal, path, value) {
                Some(error) => return Err(error),
                // Wrong for another reason than the count: the reading says so.
                None => laid.set(path.clone(), value.clone()),
            },
        }
        match reading.read(&laid) {
            Ok(read) => facts = read.value,
            Err(_) => return Ok(asked.clone()),
        }
    }
    Ok(laid)
}

/// Whether a layout is whole as it stands: the page's overrides hold what followed already.
fn keeps_count(reading: &Reading<'_>, asked: &Overrides, devices: i64) -> bool {
    let Ok(read) = reading.read(asked) else { return false };
    let (facts, run) = (&read.value, &read.value.run);
    facts.devices() == devices && run.data_parallel.value.checked_rem(run.dp_shard.value) == Some(0)
}

fn refused(refusal: &Refusal, path: &KeyPath, value: &Value) -> Option<Diagnostic> {
    let place = Place::Value(Source::Run, path.clone());
    match *refusal {
        Refusal::DevicesNotDivided { devices, product } => {
            let finding = Diagnostic::new(Code::DeviceNumIndivisible, place);
            Some(finding.with("the pinned device count").with(devices).with(product))
        }
        Refusal::ShardNotDividing { data_parallel } => {
            let shard = value.to_integer().map_or_else(|| value.written().into(), Argument::from);
            let finding = Diagnostic::new(Code::ShardNotDividing, place).with(shard).with(data_parallel);
            Some(Diagnostic { severity: Severity::Error, ..finding })
        }
        Refusal::Disabled(_) | Refusal::Kind | Refusal::NotPositive => None,
    }
}
