//! What is being pasted.

use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, Event};

/// The text that a paste brings; none where it brings something else.
pub fn pasted_text(event: &Event) -> Option<String> {
    let text = event.dyn_ref::<ClipboardEvent>()?.clipboard_data()?.get_data("text/plain").ok()?;
    (!text.is_empty()).then_some(text)
}
