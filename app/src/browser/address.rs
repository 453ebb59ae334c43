//! The page's own address: its fragment holds the state (DESIGN 3.4), and never leaves the browser.

use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use web_sys::{Location, NavigationType, PerformanceNavigationTiming};

/// The fragment, without `#`; empty where there is none.
pub fn fragment() -> String {
    let hash = location().and_then(|location| location.hash().ok()).unwrap_or_default();
    hash.strip_prefix('#').unwrap_or_default().to_owned()
}

/// Puts another fragment in the place of the present one, or takes it away where it is empty. The browser's history gets no
/// entry. Some browsers refuse it when it is asked too often; then the next time does it.
pub fn replace_fragment(fragment: &str) {
    let Some(window) = web_sys::window() else { return };
    let (Ok(history), location) = (window.history(), window.location()) else { return };
    let place = [location.pathname(), location.search()].into_iter().flatten().collect::<String>();
    let address = if fragment.is_empty() { place } else { format!("{place}#{fragment}") };
    let state = history.state().unwrap_or(JsValue::NULL);
    let _ = history.replace_state_with_url(&state, "", Some(&address));
}

/// The address of the whole page with a fragment, as another browser opens it.
pub fn link(fragment: &str) -> String {
    let address = location().and_then(|location| location.href().ok()).unwrap_or_default();
    let page = address.split(['#', '?']).next().unwrap_or_default();
    if fragment.is_empty() { page.to_owned() } else { format!("{page}#{fragment}") }
}

/// Whether the page was loaded again, or the browser came back to it, rather than sent to its address.
pub fn is_again() -> bool {
    let performance = web_sys::window().and_then(|window| window.performance());
    let entry = performance.map(|performance| performance.get_entries_by_type("navigation").get(0));
    let navigation = entry.and_then(|entry| entry.dyn_into::<PerformanceNavigationTiming>().ok());
    navigation.is_some_and(|navigation| navigation.type_() != NavigationType::Navigate)
}

fn location() -> Option<Location> {
    Some(web_sys::window()?.location())
}
