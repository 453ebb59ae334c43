//! The baseline beside the verdict: what changed, which keys differ, and what can be done about it.

use crate::messages::Messages;
use crate::state::compare::KeyChange;
use crate::view::{Element, html};
use shardmem::report::Report;
use shardmem::report::number::{MemoryUnit, shortest};

/// What to show.
#[derive(Clone, Copy)]
pub struct CompareInput<'a> {
    /// The figures.
    pub report: &'a Report,
    /// Whether a baseline is pinned.
    pub is_compared: bool,
    /// Its figures, where it has some.
    pub baseline: Option<&'a Report>,
    /// The keys that differ.
    pub changes: &'a [KeyChange],
    /// The unit of the amounts.
    pub unit: MemoryUnit,
    /// Whether the figures are of the run as it stands: only such a run can be pinned.
    pub is_current: bool,
}

/// The line under the verdict.
pub fn compare_bar(input: CompareInput<'_>, say: &Messages) -> Element {
    let is_pinned = input.is_compared;
    let button = |name: &'static str, text: &'static str| {
        html("button").attribute("type", "button").class("action").attribute("data-testid", name).text(text)
    };
    let pin = button("pin", if is_pinned { say.baseline_pin_again } else { say.baseline_pin });
    let bar = html("div")
        .class("compare")
        .children(is_pinned.then(|| change_line(input, say)))
        .child(pin.state("aria-disabled", !input.is_current))
        .child(button("swap", say.baseline_swap).flag("hidden", !is_pinned))
        .child(button("clear-baseline", say.baseline_clear).flag("hidden", !is_pinned));
    bar.children(is_pinned.then(|| key_list(input.changes, say)))
}

fn change_line(input: CompareInput<'_>, say: &Messages) -> Element {
    let line = html("strong").class("compare-change").attribute("data-testid", "change");
    let Some(baseline) = input.baseline else {
        return line.maybe("data-bytes", None::<String>).text(say.baseline_unread);
    };
    let (peak, base) = (input.report.verdict.peak, baseline.verdict.peak);
    line.maybe("data-bytes", Some(shortest((peak - base).value()))).text((say.baseline_change)(peak, base, input.unit))
}

/// The keys that differ.
fn key_list(changes: &[KeyChange], say: &Messages) -> Element {
    html("details")
        .class("compare-keys")
        .child(html("summary").text((say.keys_differ)(changes.len())))
        .child(html("ul").attribute("data-testid", "key-changes").children(key_lines(changes)))
}

/// A line for each key that differs, old and new; what is missing on one side has its sign alone.
pub fn key_lines(changes: &[KeyChange]) -> impl Iterator<Item = Element> {
    changes.iter().map(|change| {
        let (sign, name) = match (&change.old, &change.new) {
            (None, _) => ("+", "added"),
            (Some(_), None) => ("−", "removed"),
            (Some(_), Some(_)) => ("", "changed"),
        };
        let old = change.old.clone().map(|old| html("del").text(old));
        let new = change.new.clone().map(|new| html("ins").text(new));
        let arrow = if sign.is_empty() { " → " } else { "" };
        html("li")
            .class("compare-key")
            .attribute("data-key", change.key.to_string())
            .attribute("data-change", name)
            .child(html("span").class("compare-sign").attribute("aria-hidden", "true").text(sign))
            .child(html("code").text(format!("{}: ", change.key)))
            .children(old)
            .child(html("span").text(arrow))
            .children(new)
    })
}
