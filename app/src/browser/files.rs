//! Reading the files that a user drops or opens, and saving those that the page makes. Nothing leaves the browser.

use js_sys::Array;
use std::time::Duration;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, DataTransfer, DragEvent, Event, File, FileList, HtmlAnchorElement,
    HtmlCanvasElement, HtmlImageElement, HtmlInputElement, Url,
};

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

/// Pixels of a picture for each of its own: sharp on dense screens and on slides.
const DENSITY: u32 = 2;
/// How long a file that is being saved stays in memory.
const UNTIL_SAVED: Duration = Duration::from_mins(1);

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

/// Saves a text as a file; whether the browser took it.
pub fn save(name: &str, kind: &str, text: &str) -> bool {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options);
    blob.is_ok_and(|blob| save_blob(name, &blob).is_some())
}

/// Saves an SVG drawn in pixels, and says whether the browser could.
pub fn save_drawn(name: &'static str, svg: &str, done: Box<dyn FnOnce(bool)>) {
    let address = format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg)));
    spawn_local(async move {
        let Some(canvas) = drawn(&address).await else { return done(false) };
        let save = Closure::once_into_js(move |blob: Option<Blob>| {
            done(blob.is_some_and(|blob| save_blob(name, &blob).is_some()));
        });
        // Fails only for pictures of other origins; this one has none.
        let _ = canvas.to_blob(save.unchecked_ref());
    });
}

/// A picture on a canvas of its own; nothing where the browser cannot draw it.
async fn drawn(address: &str) -> Option<HtmlCanvasElement> {
    let image = HtmlImageElement::new().ok()?;
    image.set_src(address);
    JsFuture::from(image.decode()).await.ok()?;
    let canvas: HtmlCanvasElement = document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    let (width, height) = (image.natural_width() * DENSITY, image.natural_height() * DENSITY);
    canvas.set_width(width);
    canvas.set_height(height);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let (width, height) = (f64::from(width), f64::from(height));
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height).ok()?;
    Some(canvas)
}

fn save_blob(name: &str, blob: &Blob) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let link: HtmlAnchorElement = document()?.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    link.click();
    // Some browsers begin to read only now.
    let forget = move || drop(Url::revoke_object_url(&address));
    leptos::prelude::set_timeout(forget, UNTIL_SAVED);
    Some(())
}

fn document() -> Option<web_sys::Document> {
    web_sys::window()?.document()
}
