//! The keys of the whole page: undo and redo, wherever the focus is. The browser's own undo knows one text and nothing of the
//! controls, so it is taken over.

use crate::browser::{editing, events};
use crate::state::Session;
use leptos::ev::KeyboardEvent;
use wasm_bindgen::JsCast;

/// Listens while the caller's owner lives.
pub fn listen(session: Session) {
    events::hear("keydown", "", move |event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
        let is_command = (key.ctrl_key() || key.meta_key()) && !key.alt_key();
        if !is_command || key.is_composing() {
            return;
        }
        match (key.key().as_str(), key.shift_key()) {
            ("z" | "Z", false) => session.take_back(),
            ("z" | "Z", true) | ("y" | "Y", false) => session.redo(),
            _ => return,
        }
        event.prevent_default();
    });
    // From the browser's menus.
    events::hear("beforeinput", "", move |event| {
        match editing::input_type(event).as_str() {
            "historyUndo" => session.take_back(),
            "historyRedo" => session.redo(),
            _ => return,
        }
        event.prevent_default();
    });
}
