//! What stands on the root element, where the style sheet and screen readers find it, and the address of the page.

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

/// The language that the browser asks for; empty where it does not say.
pub fn asked_language() -> String {
    window().and_then(|window| window.navigator().language()).unwrap_or_default()
}

/// Whether the address asks for the view that other pages embed: `?embed`.
pub fn is_embedded() -> bool {
    let query = window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    query.trim_start_matches('?').split('&').any(|part| part == "embed" || part.starts_with("embed="))
}

/// The address of the whole page as it stands, for a link out of the embedded view.
pub fn full_address() -> String {
    let Some(location) = window().map(|window| window.location()) else { return String::new() };
    [location.pathname(), location.hash()].into_iter().flatten().collect()
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
