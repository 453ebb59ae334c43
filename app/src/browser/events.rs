//! Listening, and what an event says about where it happened.

use crate::view::Text;
use gloo::events::{EventListener, EventListenerOptions, EventListenerPhase};
use leptos::prelude::on_cleanup;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventTarget, HtmlInputElement, HtmlSelectElement, MouseEvent};

/// Listens to an event anywhere inside the elements that match, while the caller's owner lives; an empty selector matches
/// everything. All listeners stand on the window, which hears first and hears also what does not bubble, and all are one
/// piece of code.
pub fn hear(name: &'static str, within: impl Into<Text>, act: impl Fn(&Event) + 'static) {
    if let Some(window) = web_sys::window() {
        listen(&window, name, within.into(), Box::new(act));
    }
}

/// Listens to an event of one target, while the caller's owner lives.
pub fn hear_of(target: &EventTarget, name: &'static str, act: impl Fn(&Event) + 'static) {
    listen(target, name, Text::Borrowed(""), Box::new(act));
}

fn listen(target: &EventTarget, name: &'static str, within: Text, act: Box<dyn Fn(&Event)>) {
    let options = EventListenerOptions { phase: EventListenerPhase::Capture, passive: false };
    let listener = EventListener::new_with_options(target, name, options, move |event| {
        if within.is_empty() || is_inside(event, &within) {
            act(event);
        }
    });
    let listener = SendWrapper::new(listener);
    on_cleanup(move || drop(listener));
}

/// The value of an attribute on the closest element around the event's target that has it.
pub fn closest(event: &Event, attribute: &str) -> Option<String> {
    target(event)?.closest(&format!("[{attribute}]")).ok()??.get_attribute(attribute)
}

/// Whether a click is the second of a double click, or a later one.
pub fn is_again(event: &Event) -> bool {
    event.dyn_ref::<web_sys::UiEvent>().is_some_and(|event| event.detail() > 1)
}

/// Whether the event happened on, or inside, an element that matches.
pub fn is_inside(event: &Event, selector: &str) -> bool {
    target(event).is_some_and(|element| element.closest(selector).is_ok_and(|found| found.is_some()))
}

/// How far across the closest element that matches the pointer is, from 0 to 1 inside it.
pub fn across(event: &Event, selector: &str) -> Option<f64> {
    let pointer: &MouseEvent = event.dyn_ref()?;
    let place = target(event)?.closest(selector).ok()??.get_bounding_client_rect();
    let across = (f64::from(pointer.client_x()) - place.left()) / place.width();
    across.is_finite().then_some(across)
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

/// Writes a value into the input or select under the event.
pub fn put(event: &Event, value: &str) {
    match target(event) {
        Some(element) if element.is_instance_of::<HtmlSelectElement>() => {
            element.unchecked_into::<HtmlSelectElement>().set_value(value);
        }
        Some(element) => {
            if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
                input.set_value(value);
            }
        }
        None => {}
    }
}

fn target(event: &Event) -> Option<Element> {
    event.target()?.dyn_into().ok()
}
