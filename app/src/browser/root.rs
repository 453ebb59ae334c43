//! What stands on the root element, where the style sheet and screen readers find it, and what the address asks for.

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, Window};

/// Puts an attribute on the root element.
pub fn mark(name: &str, value: &str) {
    if let Some(root) = root() {
        let _ = root.set_attribute(name, value);
    }
}

/// Takes an attribute off the root element.
pub fn unmark(name: &str) {
    if let Some(root) = root() {
        let _ = root.remove_attribute(name);
    }
}

/// The page is there: what stood in its place while it started goes.
pub fn started() {
    let boot = window().and_then(|window| window.document()).and_then(|document| document.get_element_by_id("boot"));
    if let Some(boot) = boot {
        boot.remove();
    }
}

/// The language that the browser asks for; empty where it does not say.
pub fn asked_language() -> String {
    window().and_then(|window| window.navigator().language()).unwrap_or_default()
}

/// Whether the address asks for the view that other pages embed: `?embed`.
pub fn is_embedded() -> bool {
    let query = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    query.trim_start_matches('?').split('&').any(|part| part == "embed" || part.starts_with("embed="))
}

/// Lets the link that an event happened on lead elsewhere.
pub fn lead(event: &Event, address: &str) {
    if let Some(link) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) {
        let _ = link.set_attribute("href", address);
    }
}

fn root() -> Option<Element> {
    window()?.document()?.document_element()
}

fn window() -> Option<Window> {
    web_sys::window()
}
