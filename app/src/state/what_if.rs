//! What the controls say instead of the file.
//!
//! Only what the user set is kept. The overrides follow from it, by setting one control after the other on the file's facts:
//! what moves along to keep the device count is never written down, so that a slider pushed there and back leaves no trace.

use super::reading::Readable;
use shardmem::facts::controls::{Control, Moved, Refusal};
use shardmem::facts::{Facts, Overrides};

/// Controls that belong together.
#[derive(Debug)]
pub struct Group {
    /// Its name in the tables of messages.
    pub name: &'static str,
    /// Its controls, in order.
    pub controls: &'static [Control],
}

/// The groups of the middle pane; every control stands in one.
pub const GROUPS: &[Group] = &[
    Group {
        name: "parallel",
        controls: &[
            Control::Tp,
            Control::Pp,
            Control::Ep,
            Control::DpShard,
            Control::EdpShard,
            Control::DpReplicate,
            Control::Cp,
            Control::Etp,
        ],
    },
    Group {
        name: "batch",
        controls: &[Control::MicroBatch, Control::SequenceLength, Control::GlobalBatch, Control::MicroBatches],
    },
    Group {
        name: "memory",
        controls: &[
            Control::Recompute,
            Control::Optimizer,
            Control::MainParams,
            Control::ParamDtype,
            Control::ComputeDtype,
            Control::Reshard,
        ],
    },
    Group { name: "device", controls: &[Control::Devices, Control::Device, Control::DeviceMemory] },
    Group {
        name: "further",
        controls: &[
            Control::SequenceParallel,
            Control::LossParallel,
            Control::Vpp,
            Control::Schedule,
            Control::CpAlgorithm,
        ],
    },
];

/// A control and what was typed or chosen for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Which control.
    pub control: Control,
    /// Its value as text.
    pub text: String,
}

/// A device is its memory under another name.
pub(super) const fn shares_key(one: Control, other: Control) -> bool {
    matches!((one, other), (Control::Device, Control::DeviceMemory) | (Control::DeviceMemory, Control::Device))
}

/// One control set on the facts before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// Which control.
    pub(super) control: Control,
    /// What moved with it, or why it could not be set.
    pub(super) outcome: Result<Vec<Moved>, Refusal>,
}

/// All controls set, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Applied {
    /// What to lay over the file.
    pub(super) overrides: Overrides,
    /// What each control did.
    pub(super) steps: Vec<Step>,
}

impl Applied {
    /// Sets the controls one after the other, each on the facts that the ones before leave.
    pub(super) fn new(source: Readable<'_>, sets: &[Typed], pinned: bool) -> Self {
        let mut applied = Self::default();
        // The facts of the file are there already; every further set needs them anew.
        let mut reread: Option<Facts> = None;
        for (at, Typed { control, text }) in sets.iter().enumerate() {
            let facts = reread.as_ref().unwrap_or(source.file);
            let setting = control.read(text).ok_or(Refusal::Kind);
            let change = setting.and_then(|setting| control.set(&setting, facts, pinned));
            let outcome = change.map(|change| {
                applied.overrides.extend(change.overrides);
                change.moved
            });
            applied.steps.push(Step { control: *control, outcome });
            if at + 1 < sets.len() {
                // Facts that cannot be read are reported by the reading itself.
                let Ok(read) = source.read(&applied.overrides) else { break };
                reread = Some(read.value);
            }
        }
        applied
    }

    /// Whether a control could not be set.
    pub(super) fn is_refused(&self) -> bool {
        self.steps.iter().any(|step| step.outcome.is_err())
    }

    /// What a control that was set did.
    pub(super) fn step(&self, control: Control) -> Option<&Step> {
        self.steps.iter().find(|step| step.control == control)
    }

    /// The control that a control last moved along with.
    pub(super) fn leader(&self, follower: Control) -> Option<(Control, &Moved)> {
        let moved = |step: &Step| {
            step.outcome.as_ref().ok().and_then(|moved| moved.iter().find(|moved| moved.control == follower).cloned())
        };
        let step = self.steps.iter().rev().find(|step| moved(step).is_some())?;
        let moved = step.outcome.as_ref().ok()?.iter().find(|moved| moved.control == follower)?;
        Some((step.control, moved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sample;
    use shardmem::document;
    use shardmem::facts::{self, ModelChoice};

    fn applied(sets: &[(Control, &str)], pinned: bool) -> Applied {
        let document = document::parse(Sample::OPENING.text).expect("the sample reads").value;
        let sets: Vec<Typed> =
            sets.iter().map(|(control, text)| Typed { control: *control, text: (*text).to_owned() }).collect();
        let choice = ModelChoice::Named;
        let file = facts::read(&document, &choice, &Overrides::none(), None).expect("the sample is read").value;
        Applied::new(Readable { document: &document, choice: &choice, file: &file }, &sets, pinned)
    }

    #[test]
    fn every_control_stands_in_one_group() {
        let grouped = || GROUPS.iter().flat_map(|group| group.controls);
        for control in Control::ALL {
            assert_eq!(grouped().filter(|grouped| *grouped == control).count(), 1, "{}", control.name());
        }
    }

    #[test]
    fn what_moves_along_depends_on_the_file_not_on_the_way() {
        let direct = applied(&[(Control::Tp, "2")], true);
        assert_eq!(applied(&[(Control::Tp, "1")], true).overrides.paths().len(), 1);
        assert!(!direct.is_refused());
        assert!(direct.steps[0].outcome.as_ref().is_ok_and(|moved| !moved.is_empty()));
    }

    #[test]
    fn what_cannot_be_set_changes_nothing_and_says_why() {
        let refused = applied(&[(Control::Tp, "3"), (Control::Ep, "many"), (Control::MicroBatch, "2")], true);
        assert!(matches!(refused.steps[0].outcome, Err(Refusal::DevicesNotDivided { .. })));
        assert_eq!(refused.steps[1].outcome, Err(Refusal::Kind));
        assert_eq!(refused.overrides.paths().len(), 1);
        assert!(refused.is_refused());
    }
}
