//! What is being pasted, and what is copied.

use js_sys::Promise;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{ClipboardEvent, Event};

#[wasm_bindgen]
extern "C" {
    /// Throws where the page has no clipboard: at an address without TLS, inside a page that does not allow it.
    #[wasm_bindgen(catch, js_namespace = ["navigator", "clipboard"], js_name = writeText)]
    fn write_text(text: &str) -> Result<Promise, JsValue>;
}

/// The text that a paste brings; none where it brings something else.
pub fn pasted_text(event: &Event) -> Option<String> {
    let text = event.dyn_ref::<ClipboardEvent>()?.clipboard_data()?.get_data("text/plain").ok()?;
    (!text.is_empty()).then_some(text)
}

/// Copies a text, and says whether the browser allowed it.
pub fn copy(text: &str, done: Box<dyn FnOnce(bool)>) {
    match write_text(text) {
        Ok(writing) => spawn_local(async move { done(JsFuture::from(writing).await.is_ok()) }),
        Err(_) => done(false),
    }
}
