//! Reading the files that a user drops or opens. Nothing leaves the browser.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DataTransfer, DragEvent, Event, File, FileList, HtmlInputElement};

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
pub fn read_dropped(event: &Event, done: impl FnOnce(TextFile) + 'static) {
    let files = transfer(event).and_then(|transfer| transfer.files());
    read_first(files, Box::new(done));
}

/// Reads the file that was chosen in an `input[type=file]`, and clears the input so that the same file can be chosen again.
pub fn read_chosen(event: &Event, done: impl FnOnce(TextFile) + 'static) {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    if let Some(input) = input {
        read_first(input.files(), Box::new(done));
        input.set_value("");
    }
}

/// Whether a drag carries files (rather than a piece of text, which the editor takes itself).
pub fn carries_files(event: &Event) -> bool {
    transfer(event)
        .is_some_and(|transfer| transfer.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files")))
}

fn transfer(event: &Event) -> Option<DataTransfer> {
    event.dyn_ref::<DragEvent>()?.data_transfer()
}

fn read_first(files: Option<FileList>, done: Box<dyn FnOnce(TextFile)>) {
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

async fn hand_over(name: String, text: js_sys::Promise, done: Box<dyn FnOnce(TextFile)>) {
    let text: Result<JsValue, JsValue> = JsFuture::from(text).await;
    if let Some(text) = text.ok().and_then(|text| text.as_string()) {
        done(TextFile { name, text });
    }
}
