//! A figure that opens its explanation.

use crate::view::{Element, Text, html};

/// A figure as a button; `explained` is an item's id, a category's, or a figure of the reference.
pub fn figure(explained: &'static str, text: impl Into<Text>) -> Element {
    html("button").attribute("type", "button").class("figure").attribute("data-explain", explained).text(text)
}
