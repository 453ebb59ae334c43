//! A choice between few values: radio buttons side by side, or a small menu. The caller listens: `data-testid` says which.

use crate::view::{Element, Text, html};

/// Radio buttons side by side.
pub fn segmented(label: &'static str, name: &'static str, choices: &[&'static str], chosen: &str) -> Element {
    let choices = choices.iter().map(|choice| {
        let input = html("input")
            .attribute("type", "radio")
            .attribute("name", name)
            .attribute("value", *choice)
            .tick(*choice == chosen);
        html("label").child(input).child(html("span").text(*choice))
    });
    html("fieldset")
        .class("segmented")
        .attribute("data-testid", name)
        .child(html("legend").class("hidden-text").text(label))
        .children(choices)
}

/// A small menu; each choice with its value and its name.
pub fn menu(
    label: &'static str,
    name: &'static str,
    choices: impl IntoIterator<Item = (&'static str, Text)>,
    chosen: &'static str,
) -> Element {
    let options = choices.into_iter().map(|(value, name)| html("option").attribute("value", value).text(name));
    html("select")
        .class("plain-select")
        .attribute("data-testid", name)
        .attribute("aria-label", label)
        .value(chosen)
        .children(options)
}
