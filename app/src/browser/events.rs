//! What an event says about where it happened, for handlers that stand on a whole group.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

/// The value of an attribute on the closest element around the event's target that has it.
pub fn closest(event: &Event, attribute: &str) -> Option<String> {
    target(event)?.closest(&format!("[{attribute}]")).ok()??.get_attribute(attribute)
}

/// Whether the event happened on, or inside, an element that matches.
pub fn is_inside(event: &Event, selector: &str) -> bool {
    target(event).is_some_and(|element| element.closest(selector).is_ok_and(|found| found.is_some()))
}

/// What an input was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A slider was moved to a step.
    Step(usize),
    /// A text was typed or an option chosen.
    Text(String),
    /// A box was ticked or not.
    Ticked(bool),
}

/// What the input or select under the event was given.
pub fn given(event: &Event) -> Option<Given> {
    let element = target(event)?;
    if let Some(select) = element.dyn_ref::<HtmlSelectElement>() {
        return Some(Given::Text(select.value()));
    }
    let input = element.dyn_ref::<HtmlInputElement>()?;
    match input.type_().as_str() {
        "range" => input.value().parse().ok().map(Given::Step),
        "checkbox" => Some(Given::Ticked(input.checked())),
        _ => Some(Given::Text(input.value())),
    }
}

fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}
