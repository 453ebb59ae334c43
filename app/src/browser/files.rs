//! Reading the files that a user drops or opens. Nothing leaves the browser.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, FileList, HtmlInputElement};

/// A file's name and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Its name.
    pub name: String,
    /// Its text, read as UTF-8.
    pub text: String,
}

/// The largest file that is read, in bytes; the core refuses longer texts anyway, with a proper message.
const LARGEST: f64 = 4.0 * 1024.0 * 1024.0;

/// Reads the file that was dropped, if one was, and hands it to `done`.
pub fn read_dropped(event: &DragEvent, done: impl FnOnce(TextFile) + 'static) {
    let files = event.data_transfer().and_then(|transfer| transfer.files());
    read_first(files, done);
}

/// Reads the file that was chosen in an `input[type=file]`, and clears the input so that the same file can be chosen again.
pub fn read_chosen(input: &HtmlInputElement, done: impl FnOnce(TextFile) + 'static) {
    read_first(input.files(), done);
    input.set_value("");
}

/// Whether a drag carries files (rather than a piece of text, which the editor takes itself).
pub fn carries_files(event: &DragEvent) -> bool {
    event
        .data_transfer()
        .is_some_and(|transfer| transfer.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
}

fn read_first(files: Option<FileList>, done: impl FnOnce(TextFile) + 'static) {
    let Some(file) = files.and_then(|files| files.get(0)) else { return };
    if file.size() > LARGEST {
        let name = file.name();
        // The head is enough for the core to say that the text is too long.
        if let Ok(head) = file.slice_with_i32_and_i32(0, 2 * 1024 * 1024) {
            spawn_local(hand_over(name, head.text(), done));
        }
        return;
    }
    let name = File::name(&file);
    spawn_local(hand_over(name, file.text(), done));
}

async fn hand_over(name: String, text: js_sys::Promise, done: impl FnOnce(TextFile)) {
    let text: Result<JsValue, JsValue> = JsFuture::from(text).await;
    if let Some(text) = text.ok().and_then(|text| text.as_string()) {
        done(TextFile { name, text });
    }
}

/// The input an event came from.
pub fn input_of(event: &web_sys::Event) -> Option<HtmlInputElement> {
    event.target().and_then(|target| target.dyn_into().ok())
}
