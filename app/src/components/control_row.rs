//! One control: a slider over legal values with a number box, a choice, or a switch.

use crate::messages::Messages;
use crate::view::{Element, html};
use shardmem::facts::controls::{Control, Setting};
use shardmem::report::Fits;
use shardmem::units::Bytes;
use shardmem::whatif::{Figure, Outcome, Strip};

/// Labels under a track, at most.
const MOST_LABELS: usize = 8;

/// How a control is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Steps over these numbers; the box takes any number.
    Steps(Vec<i64>),
    /// One of these.
    Choice(Vec<Choice>),
    /// One of these, or a text of the reader's own.
    Free(Vec<Choice>),
    /// On or off.
    Switch,
}

/// A text to choose, and how it is said.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Choice {
    /// The text.
    pub value: String,
    /// For people.
    pub label: String,
}

/// What stands in a control's way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It cannot be moved, and why.
    Disabled(String),
    /// What was typed is refused, and why.
    Refused(String),
}

/// A control as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlView {
    /// How it is set.
    pub input: Input,
    /// The value that counts.
    pub value: String,
    /// What was typed instead and is refused.
    pub typed: Option<String>,
    /// The key that it writes.
    pub key: String,
    /// What stands in its way.
    pub problem: Option<Problem>,
    /// What the file says, where the control is set.
    pub before: Option<String>,
    /// What moved with it, or what it moved along with.
    pub note: Option<String>,
}

/// What is known of a control's other values.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prospect<'a> {
    /// The figures at each value.
    pub strip: Option<&'a Strip>,
    /// What is said of the value that is pointed at; it takes the place of the line under the control.
    pub preview: Option<&'a str>,
}

/// A control's row, without handlers: the pane listens for all rows at once. A slider says the verdict with its value, where
/// there is one, or why its value is refused.
pub fn control_row(
    control: Control,
    view: &ControlView,
    prospect: Prospect<'_>,
    verdict: &str,
    say: &Messages,
) -> Element {
    let is_disabled = matches!(view.problem, Some(Problem::Disabled(_)));
    let is_refused = matches!(view.problem, Some(Problem::Refused(_)));
    let reset = view.before.as_ref().map(|before| (say.reset)(before));
    let given = Given {
        name: control.name(),
        shown: view.typed.as_ref().unwrap_or(&view.value),
        is_disabled,
        is_refused,
        label: (say.control)(control),
    };
    let said = match &view.problem {
        Some(Problem::Refused(reason)) => reason,
        Some(Problem::Disabled(_)) | None => verdict,
    };
    let value_text = || match (given.shown, said) {
        ("", said) => said.to_owned(),
        (shown, "") => shown.to_owned(),
        (shown, said) => (say.value_and_verdict)(shown, said),
    };
    let row = html("div")
        .class(class(view, is_disabled))
        .attribute("data-control", given.name)
        .attribute("data-value", view.value.clone())
        .child(html("label").class("control-label").attribute("for", given.id()).text(given.label))
        .child(
            html("button")
                .attribute("type", "button")
                .class(if reset.is_some() { "control-reset" } else { "control-reset absent" })
                .maybe("title", reset.clone())
                .maybe("aria-label", reset)
                .text("↺"),
        );
    let row = match &view.input {
        Input::Steps(values) => {
            row.child(number_box(&given)).child(track(&given, values, prospect.strip, value_text()))
        }
        Input::Choice(choices) => row.child(choice(&given, choices)),
        Input::Free(choices) => row.child(free(&given, choices, &view.value, say)),
        Input::Switch => row.child(switch(&given)),
    };
    row.child(note(control, &given, view, prospect.preview, say))
}

const fn class(view: &ControlView, is_disabled: bool) -> &'static str {
    match (view.before.is_some(), view.note.is_some(), is_disabled) {
        (_, _, true) => "control disabled",
        (true, _, false) => "control changed",
        (false, true, false) => "control followed",
        (false, false, false) => "control",
    }
}

/// What every kind of input is given.
struct Given<'a> {
    name: &'static str,
    shown: &'a str,
    is_disabled: bool,
    is_refused: bool,
    label: &'static str,
}

impl Given<'_> {
    fn id(&self) -> String {
        format!("control-{}", self.name)
    }

    fn note_id(&self) -> String {
        format!("control-{}-note", self.name)
    }

    /// An input that the row's label names and the note under it describes.
    fn input(&self, tag: &'static str, class: &'static str) -> Element {
        html(tag)
            .class(class)
            .attribute("id", self.id())
            .attribute("aria-describedby", self.note_id())
            .state("aria-invalid", self.is_refused)
            .flag("disabled", self.is_disabled)
    }
}

/// The line under a control: what is said of the value pointed at, why it cannot move, what moved with it, or what it writes
/// and divides.
fn note(control: Control, given: &Given<'_>, view: &ControlView, preview: Option<&str>, say: &Messages) -> Element {
    // A reason is read whole; what changes while a slider moves keeps to its line.
    let class = match (given.is_disabled, preview) {
        (true, _) => "control-note control-reason",
        (false, Some(_)) => "control-note control-preview",
        (false, None) => "control-note",
    };
    let line = html("p").class(class).attribute("id", given.note_id()).maybe("title", view.note.clone());
    match (&view.problem, preview, &view.note) {
        (Some(Problem::Disabled(reason)), _, _) => line.text(reason.clone()),
        // It lies over the line, and over the control's own name where it needs more.
        (_, Some(preview), _) => line.child(html("span").text(preview.to_owned())),
        (Some(Problem::Refused(reason)), None, _) => {
            line.child(html("strong").class("control-refused").text(reason.clone()))
        }
        (None, None, Some(note)) => line.child(html("strong").class("control-moved").text(note.clone())),
        (None, None, None) => {
            // The last part of the key path; the section is in the tooltip.
            let key = view.key.rsplit('.').next().unwrap_or(&view.key).to_owned();
            let key = html("code").attribute("title", view.key.clone()).text(key);
            line.child(key).text(" ").text((say.control_effect)(control))
        }
    }
}

/// A box for any number.
fn number_box(given: &Given<'_>) -> Element {
    given.input("input", "field control-box").attribute("type", "number").value(given.shown.to_owned())
}

/// A slider over the indexes of the values, before a cell for each: how much the run then needs, and whether it fits.
fn track(given: &Given<'_>, values: &[i64], strip: Option<&Strip>, value_text: String) -> Element {
    let index = nearest_index(values, given.shown.parse().ok());
    let steps = values.iter().enumerate().map(|(at, value)| {
        let class = match (at == index, is_written(at, index, values.len())) {
            (true, _) => "control-step chosen",
            (false, true) => "control-step",
            (false, false) => "control-step silent",
        };
        let (cell, height) = cell(strip, *value);
        html("span")
            .class(class)
            .attribute("data-cell", cell)
            .child(html("i").style("height", height))
            .child(html("b").text(short(*value)))
    });
    let slider = html("input")
        .attribute("type", "range")
        .attribute("min", "0")
        .attribute("step", "1")
        // Before the value: one above the old end would be cut.
        .number("max", values.len().saturating_sub(1))
        .attribute("aria-label", given.label)
        .attribute("aria-valuetext", value_text)
        .attribute("aria-describedby", given.note_id())
        .flag("disabled", given.is_disabled)
        .value(index.to_string());
    html("div")
        .class("control-track")
        .style("--steps", values.len().to_string())
        .child(html("div").class("control-strip").attribute("aria-hidden", "true").children(steps))
        .child(slider)
}

/// How a value is drawn, and how high in percents: the device's memory stands at half of the height in every track.
fn cell(strip: Option<&Strip>, value: i64) -> (&'static str, String) {
    let candidate =
        strip.and_then(|strip| strip.candidates.iter().find(|candidate| candidate.setting == Setting::Number(value)));
    let (cell, figure) = match candidate.map(|candidate| &candidate.outcome) {
        None => return ("unknown", String::new()),
        Some(Outcome::Refused(_)) => return ("refused", String::new()),
        Some(Outcome::Runs(figure)) => (
            match figure.fits {
                Fits::Yes => "fits",
                Fits::Tight => "tight",
                Fits::No => "exceeds",
                Fits::Unknown => "unknown",
            },
            figure,
        ),
        Some(Outcome::PricedOnly(figure, _)) => (
            match figure.fits {
                Fits::Yes => "priced-fits",
                Fits::Tight => "priced-tight",
                Fits::No => "priced-exceeds",
                Fits::Unknown => "priced",
            },
            figure,
        ),
    };
    (cell, format!("{}%", height(figure)))
}

/// Percents of a cell, 50 for the whole device.
fn height(figure: &Figure) -> i32 {
    let Figure { peak, headroom, .. } = *figure;
    let capacity = peak + headroom;
    if capacity <= Bytes::ZERO {
        return 100;
    }
    let percents = peak.value() / capacity.value() * 50.0;
    #[expect(clippy::cast_possible_truncation, reason = "clamped to what an i32 holds")]
    let percents = percents.clamp(8.0, 100.0).round() as i32;
    percents
}

/// Whether a value is written: the chosen one always, of the others every so many, counted from the end (the largest
/// value is the one that is asked for) and never beside the chosen one.
fn is_written(at: usize, chosen: usize, count: usize) -> bool {
    let every = count.div_ceil(MOST_LABELS).max(1);
    let last = count.saturating_sub(1);
    at == chosen || ((last.saturating_sub(at)).is_multiple_of(every) && at.abs_diff(chosen) >= every)
}

/// A number in little room: from 10,000 on in binary thousands where that is exact.
fn short(value: i64) -> String {
    const MEGA: i64 = 1 << 20;
    match value {
        0..10_000 => value.to_string(),
        _ if value % MEGA == 0 => format!("{}M", value / MEGA),
        _ if value % 1024 == 0 => format!("{}K", value / 1024),
        _ => value.to_string(),
    }
}

/// The index of a value, or of the next lower one.
pub fn nearest_index(values: &[i64], value: Option<i64>) -> usize {
    let Some(value) = value else { return 0 };
    values.iter().rposition(|legal| *legal <= value).unwrap_or(0)
}

/// One of several texts.
fn choice(given: &Given<'_>, choices: &[Choice]) -> Element {
    let options = choices
        .iter()
        .map(|Choice { value, label }| html("option").attribute("value", value.clone()).text(label.clone()));
    given.input("select", "field control-choice").value(given.shown.to_owned()).children(options)
}

/// One of several texts, and a box for any other.
fn free(given: &Given<'_>, choices: &[Choice], value: &str, say: &Messages) -> Element {
    let typed = html("input")
        .class("field control-typed")
        .attribute("type", "text")
        .attribute("autocomplete", "off")
        .attribute("spellcheck", "false")
        .attribute("aria-label", (say.typed_freely)(given.label))
        .attribute("aria-describedby", given.note_id())
        .state("aria-invalid", given.is_refused)
        .flag("disabled", given.is_disabled)
        .value(given.shown.to_owned());
    // One way of writing it is among the choices; what is refused is none of them.
    let chosen = if given.is_refused { given.shown } else { value };
    html("div").class("control-free").child(choice(&Given { shown: chosen, ..*given }, choices)).child(typed)
}

/// On or off.
fn switch(given: &Given<'_>) -> Element {
    given.input("input", "control-switch").attribute("type", "checkbox").tick(given.shown == "true")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;
    use crate::view::Node;
    use shardmem::report::messages::Language;

    /// What the slider of a row says.
    fn said(typed: Option<&str>, problem: Option<Problem>, verdict: &str) -> String {
        let view = ControlView {
            input: Input::Steps(vec![1, 2, 4]),
            value: "2".into(),
            typed: typed.map(str::to_owned),
            key: String::new(),
            problem,
            before: None,
            note: None,
        };
        let row = control_row(Control::Tp, &view, Prospect::default(), verdict, messages::of(Language::English));
        text_of(&row).expect("it has a slider")
    }

    fn text_of(element: &Element) -> Option<String> {
        let own = element.attributes.iter().find(|attribute| attribute.name == "aria-valuetext");
        let inside = || {
            element.children.iter().find_map(|child| match child {
                Node::Element(element) => text_of(element),
                Node::Text(_) => None,
            })
        };
        own.and_then(|attribute| Some(attribute.value.as_ref()?.text().into_owned())).or_else(inside)
    }

    #[test]
    fn a_slider_says_no_verdict_of_what_was_not_priced() {
        let refused = || Some(Problem::Refused("no value".into()));
        assert_eq!(said(None, None, "fits"), "2, fits");
        assert_eq!(said(Some("2.5"), refused(), "fits"), "2.5, no value");
        assert_eq!(said(Some(""), refused(), "fits"), "no value");
        assert_eq!(said(Some("4"), None, ""), "4");
    }

    #[test]
    fn a_value_between_two_steps_stands_at_the_lower_one() {
        assert_eq!(nearest_index(&[1, 2, 4, 8], Some(4)), 2);
        assert_eq!(nearest_index(&[1, 2, 4, 8], Some(3)), 1);
        assert_eq!(nearest_index(&[1, 2, 4, 8], Some(0)), 0);
        assert_eq!(nearest_index(&[1, 2, 4, 8], Some(99)), 3);
        assert_eq!(nearest_index(&[], None), 0);
    }

    #[test]
    fn long_tracks_write_some_values_and_always_the_chosen_one() {
        let written = |chosen, count| (0..count).filter(|at| is_written(*at, chosen, count)).collect::<Vec<_>>();
        assert_eq!(written(0, 13), [0, 2, 4, 6, 8, 10, 12]);
        assert_eq!(written(5, 13), [0, 2, 5, 8, 10, 12]);
        assert_eq!(written(1, 3), [0, 1, 2]);
        assert!(written(0, 0).is_empty());
    }

    #[test]
    fn a_cell_is_half_high_where_the_device_is_full() {
        let figure =
            |gib: f64| Figure { peak: Bytes::new(gib), stage: 0, fits: Fits::No, headroom: Bytes::new(64.0 - gib) };
        let heights = [-3.0, 1.0, 32.0, 64.0, 96.0, 128.0, 4096.0].map(|gib| height(&figure(gib)));
        assert_eq!(heights, [8, 8, 25, 50, 75, 100, 100]);
    }

    #[test]
    fn large_values_are_written_short_where_that_is_exact() {
        assert_eq!(short(4096), "4096");
        assert_eq!(short(131_072), "128K");
        assert_eq!(short(1 << 20), "1M");
        assert_eq!(short(10_001), "10001");
    }
}
