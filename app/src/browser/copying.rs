//! Copying a table: as text for editors and terminals, as markup for documents and spreadsheets.

use gloo::events::{EventListener, EventListenerOptions};
use js_sys::Promise;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::ClipboardEvent;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["document"], js_name = execCommand)]
    fn command(name: &str) -> Result<bool, JsValue>;

    /// Throws where the page has no clipboard: at an address without TLS.
    #[wasm_bindgen(catch, js_namespace = ["navigator", "clipboard"], js_name = writeText)]
    fn write_text(text: &str) -> Result<Promise, JsValue>;
}

/// Copies a text in both forms, and tells whether the browser did.
///
/// By a copy event of our own, which every address may send and which takes several forms; where a browser sends none without
/// a selection, as text alone.
pub fn copy_both(plain: &str, markup: &str, done: Box<dyn FnOnce(bool)>) {
    if by_event(plain, markup) {
        return done(true);
    }
    match write_text(plain) {
        Ok(writing) => spawn_local(async move { done(JsFuture::from(writing).await.is_ok()) }),
        Err(_) => done(false),
    }
}

fn by_event(plain: &str, markup: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let is_done = Rc::new(Cell::new(false));
    let (texts, seen) = ([("text/plain", plain.to_owned()), ("text/html", markup.to_owned())], is_done.clone());
    let options = EventListenerOptions { passive: false, ..EventListenerOptions::run_in_capture_phase() };
    let listener = EventListener::new_with_options(&window, "copy", options, move |event| {
        let Some(data) = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data) else { return };
        event.prevent_default();
        event.stop_immediate_propagation();
        seen.set(texts.iter().all(|(kind, text)| data.set_data(kind, text).is_ok()));
    });
    let is_sent = command("copy").unwrap_or(false);
    drop(listener);
    is_sent && is_done.get()
}
