//! One control: a slider over legal values with a number box, a choice, or a switch.

use crate::messages::Messages;
use leptos::prelude::*;

/// Labels under a track, at most.
const MOST_LABELS: usize = 8;

/// How a control is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Steps over these numbers; the box takes any number.
    Steps(Vec<i64>),
    /// One of these.
    Choice(Vec<Choice>),
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

/// A control's row: plain values, no handlers; the pane listens for all rows at once.
pub fn control_row(
    name: &'static str,
    view: &ControlView,
    verdict: &str,
    say: &'static Messages,
) -> impl IntoView + use<> {
    let ids = Ids::of(name);
    let is_disabled = matches!(view.problem, Some(Problem::Disabled(_)));
    let is_refused = matches!(view.problem, Some(Problem::Refused(_)));
    let shown = view.typed.clone().unwrap_or_else(|| view.value.clone());
    let reset = view.before.as_ref().map(|before| (say.reset)(before));
    let state = State { is_disabled, is_refused, shown };
    let input = match &view.input {
        Input::Steps(values) => steps(name, &ids, values, &state, verdict, say).into_any(),
        Input::Choice(choices) => choice(&ids, choices, &state).into_any(),
        Input::Switch => switch(&ids, &state).into_any(),
    };
    view! {
        <div
            class=class(view, is_disabled)
            data-control=name
            data-value=view.value.clone()
        >
            <label class="control-label" for=ids.input.clone()>
                {(say.control)(name)}
            </label>
            <button
                type="button"
                class=if reset.is_some() { "control-reset" } else { "control-reset absent" }
                title=reset.clone()
                aria-label=reset
            >
                "↺"
            </button>
            {input}
            <p class="control-note" id=ids.note>
                {note(name, view, say)}
            </p>
        </div>
    }
}

const fn class(view: &ControlView, is_disabled: bool) -> &'static str {
    match (view.before.is_some(), view.note.is_some(), is_disabled) {
        (_, _, true) => "control disabled",
        (true, _, false) => "control changed",
        (false, true, false) => "control followed",
        (false, false, false) => "control",
    }
}

/// Ids of the parts that name one another.
struct Ids {
    input: String,
    note: String,
}

impl Ids {
    fn of(name: &str) -> Self {
        Self { input: format!("control-{name}"), note: format!("control-{name}-note") }
    }
}

struct State {
    is_disabled: bool,
    is_refused: bool,
    shown: String,
}

/// The line under a control: why it cannot move, what moved with it, or what it writes and divides.
fn note(name: &'static str, view: &ControlView, say: &'static Messages) -> AnyView {
    match (&view.problem, &view.note) {
        (Some(Problem::Disabled(reason)), _) => view! { <span>{reason.clone()}</span> }.into_any(),
        (Some(Problem::Refused(reason)), _) => {
            view! { <strong class="control-refused">{reason.clone()}</strong> }.into_any()
        }
        (None, Some(note)) => view! { <strong class="control-moved">{note.clone()}</strong> }.into_any(),
        (None, None) => {
            let key = view.key.rsplit('.').next().unwrap_or(&view.key).to_owned();
            view! { <code title=view.key.clone()>{key}</code> " " {(say.control_effect)(name)} }.into_any()
        }
    }
}

/// A slider over the indexes of the legal values, and a box for any value.
fn steps(
    name: &'static str,
    ids: &Ids,
    values: &[i64],
    state: &State,
    verdict: &str,
    say: &'static Messages,
) -> impl IntoView + use<> {
    let index = nearest_index(values, state.shown.parse().ok());
    let labels = values.iter().enumerate().map(|(at, value)| {
        let class = match (at == index, is_written(at, index, values.len())) {
            (true, _) => "control-step chosen",
            (false, true) => "control-step",
            (false, false) => "control-step silent",
        };
        view! {
            <span class=class>
                <i></i>
                <b>{short(*value)}</b>
            </span>
        }
    });
    view! {
        <input
            type="number"
            class="field control-box"
            id=ids.input.clone()
            aria-describedby=ids.note.clone()
            aria-invalid=if state.is_refused { "true" } else { "false" }
            disabled=state.is_disabled
            prop:value=state.shown.clone()
        />
        <div class="control-track" style:--steps=values.len().to_string()>
            <div class="control-strip" aria-hidden="true">
                {labels.collect_view()}
            </div>
            // `max` before the value: a value above the old one would be cut.
            <input
                type="range"
                min="0"
                step="1"
                max=values.len().saturating_sub(1).to_string()
                aria-label=(say.control)(name)
                aria-valuetext=(say.value_and_verdict)(&state.shown, verdict)
                disabled=state.is_disabled
                prop:value=index.to_string()
            />
        </div>
    }
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
fn nearest_index(values: &[i64], value: Option<i64>) -> usize {
    let Some(value) = value else { return 0 };
    values.iter().rposition(|legal| *legal <= value).unwrap_or(0)
}

/// One of several texts.
fn choice(ids: &Ids, choices: &[Choice], state: &State) -> impl IntoView + use<> {
    let options = choices.iter().map(|Choice { value, label }| {
        view! {
            <option value=value.clone() prop:selected=*value == state.shown>
                {label.clone()}
            </option>
        }
    });
    view! {
        <select
            class="field control-choice"
            id=ids.input.clone()
            aria-describedby=ids.note.clone()
            aria-invalid=if state.is_refused { "true" } else { "false" }
            disabled=state.is_disabled
        >
            {options.collect_view()}
        </select>
    }
}

/// On or off.
fn switch(ids: &Ids, state: &State) -> impl IntoView + use<> {
    view! {
        <input
            type="checkbox"
            class="control-switch"
            id=ids.input.clone()
            aria-describedby=ids.note.clone()
            disabled=state.is_disabled
            prop:checked=state.shown == "true"
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn large_values_are_written_short_where_that_is_exact() {
        assert_eq!(short(4096), "4096");
        assert_eq!(short(131_072), "128K");
        assert_eq!(short(1 << 20), "1M");
        assert_eq!(short(10_001), "10001");
    }
}
