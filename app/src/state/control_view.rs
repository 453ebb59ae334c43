//! What a control shows, from the facts before and after the overrides.

use super::what_if::{Applied, Typed};
use crate::components::control_row::{Choice, ControlView, Input, Problem};
use crate::messages::Messages;
use shardmem::facts::controls::{Control, Refusal, Setting};
use shardmem::facts::{Facts, devices};

/// The facts that a control looks at.
pub(super) struct Seen<'a> {
    /// With the overrides.
    pub(super) facts: &'a Facts,
    /// As the file alone says.
    pub(super) file: &'a Facts,
    /// What was set.
    pub(super) sets: &'a [Typed],
    /// What is being typed.
    pub(super) draft: Option<&'a Typed>,
    /// What came of it.
    pub(super) applied: &'a Applied,
    /// Whether the device count is pinned.
    pub(super) pinned: bool,
    /// Whether the facts are of before what was set: with it they cannot be read.
    pub(super) is_behind: bool,
}

/// A control as shown.
pub(super) fn control_view(control: Control, seen: &Seen<'_>, say: &Messages) -> ControlView {
    let key = control.key(seen.facts);
    let setting = control.setting(seen.facts);
    let set = seen.sets.iter().find(|set| set.control == control);
    let step = seen.applied.step(control);
    let draft = seen.draft.filter(|draft| draft.control == control);
    let refusal = match draft {
        Some(_) => Some(&Refusal::Kind),
        None => step.and_then(|step| step.outcome.as_ref().err()),
    };
    let problem = match (&key, refusal) {
        (Err(disabled), _) => Some(Problem::Disabled((say.disabled)(disabled))),
        (Ok(_), Some(refusal)) => Some(Problem::Refused((say.refusal)(refusal))),
        (Ok(_), None) => None,
    };
    let input = input(control, seen);
    // A text is written in several ways, and typed letter by letter.
    let is_kept = seen.is_behind || matches!(input, Input::Free(_));
    let is_other = |set: &&Typed| is_kept && set.text != text(&setting);
    ControlView {
        input,
        typed: draft.or(refusal.and(set)).or(set.filter(is_other)).map(|typed| typed.text.clone()),
        value: text(&setting),
        key: key.map(|key| key.to_string()).unwrap_or_default(),
        problem,
        before: set.map(|_| text(&control.setting(seen.file))),
        note: note(control, seen, say),
    }
}

/// What moved with it, or what it moved along with.
fn note(control: Control, seen: &Seen<'_>, say: &Messages) -> Option<String> {
    let own = seen.applied.step(control).and_then(|step| step.outcome.as_ref().ok());
    match own {
        Some(moved) if !moved.is_empty() => Some((say.moved)(moved, seen.facts.devices())),
        Some(_) | None => seen.applied.leader(control).map(|(leader, moved)| (say.followed)(leader, moved.from)),
    }
}

fn input(control: Control, seen: &Seen<'_>) -> Input {
    match control.setting(seen.facts) {
        Setting::Number(_) => Input::Steps(numbers(control, seen.facts)),
        Setting::Switch(_) => Input::Switch,
        Setting::Name(_) => {
            let values = control.values(seen.facts);
            let choices =
                values.iter().map(|value| Choice { value: text(value), label: label(control, value) }).collect();
            if control == Control::DeviceMemory { Input::Free(choices) } else { Input::Choice(choices) }
        }
    }
}

/// The values of a control's track.
pub(super) fn numbers(control: Control, facts: &Facts) -> Vec<i64> {
    let number = |setting: &Setting| match setting {
        Setting::Number(number) => Some(*number),
        Setting::Switch(_) | Setting::Name(_) => None,
    };
    control.values(facts).iter().filter_map(number).collect()
}

/// A setting as `Control::read` reads it back.
pub fn text(setting: &Setting) -> String {
    match setting {
        Setting::Number(number) => number.to_string(),
        Setting::Switch(on) => on.to_string(),
        Setting::Name(name) => name.to_string(),
    }
}

/// A setting for people: a device by its name, a class by its last part.
pub fn label(control: Control, setting: &Setting) -> String {
    let text = text(setting);
    if control == Control::Device {
        devices::find(&text).map_or(text, |device| device.name.clone())
    } else if control == Control::Optimizer {
        text.rsplit('.').next().unwrap_or(&text).to_owned()
    } else {
        text
    }
}
