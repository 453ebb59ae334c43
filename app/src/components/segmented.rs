//! A switch between few values: radio buttons side by side.

use leptos::prelude::*;

/// One value at a time. Only the reader changes it, so the value is where it starts.
pub fn segmented(
    label: &'static str,
    name: &'static str,
    choices: impl IntoIterator<Item = &'static str>,
    value: &'static str,
    on_choose: impl Fn(&'static str) + Copy + 'static,
) -> impl IntoView {
    let choices = choices.into_iter().map(|choice| {
        view! {
            <label>
                <input
                    type="radio"
                    name=name
                    value=choice
                    checked=choice == value
                    on:change=move |_| on_choose(choice)
                />
                <span>{choice}</span>
            </label>
        }
    });
    view! {
        <fieldset class="segmented" data-testid=name>
            <legend class="hidden-text">{label}</legend>
            {choices.collect_view()}
        </fieldset>
    }
}
