//! One history over text and controls; the input method's own room.

use crate::mounted::{Mounted, fire, settled};
use js_sys::Function;
use shardmem_app::state::Sample;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{CompositionEvent, HtmlTextAreaElement, InputEvent, InputEventInit, KeyboardEvent, KeyboardEventInit};

const YAML: &str = "[data-testid=yaml]";

fn area(page: &Mounted) -> HtmlTextAreaElement {
    page.find(YAML).unchecked_into()
}

fn input_event(name: &str, kind: &str) -> InputEvent {
    let init = InputEventInit::new();
    init.set_input_type(kind);
    init.set_bubbles(true);
    init.set_cancelable(true);
    InputEvent::new_with_event_init_dict(name, &init).unwrap()
}

/// Types at the caret as a browser does: an event before, the text, an event behind.
async fn types(page: &Mounted, piece: &str, kind: &str) {
    let area = area(page);
    area.dispatch_event(&input_event("beforeinput", kind)).unwrap();
    let start = area.selection_start().unwrap().unwrap();
    area.set_range_text(piece).unwrap();
    let end = start + u32::try_from(piece.encode_utf16().count()).unwrap();
    area.set_selection_range(end, end).unwrap();
    area.dispatch_event(&input_event("input", kind)).unwrap();
    settled().await;
}

/// A key with Ctrl, on the element that has the focus or the body.
async fn command(key: &str, shift: bool) {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_ctrl_key(true);
    init.set_shift_key(shift);
    init.set_bubbles(true);
    init.set_cancelable(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    let body = leptos::prelude::document().body().unwrap();
    body.dispatch_event(&event).unwrap();
    assert!(event.default_prevented(), "the browser's own undo must not run");
    settled().await;
}

fn caret(page: &Mounted) -> (u32, u32) {
    let area = area(page);
    (area.selection_start().unwrap().unwrap(), area.selection_end().unwrap().unwrap())
}

#[wasm_bindgen_test]
async fn a_burst_of_typing_is_one_step_and_the_caret_comes_back() {
    let page = Mounted::with("model:\n").await;
    area(&page).set_selection_range(7, 7).unwrap();
    for letter in ["a", ":", " ", "1"] {
        types(&page, letter, "insertText").await;
    }
    types(&page, "\n", "insertLineBreak").await;
    types(&page, "b", "insertText").await;
    assert_eq!(page.value(YAML), "model:\na: 1\nb");
    command("z", false).await;
    assert_eq!((page.value(YAML).as_str(), caret(&page)), ("model:\na: 1", (11, 11)));
    command("z", false).await;
    assert_eq!((page.value(YAML).as_str(), caret(&page)), ("model:\n", (7, 7)));
    command("y", false).await;
    assert_eq!((page.value(YAML).as_str(), caret(&page)), ("model:\na: 1", (11, 11)));
    command("Z", true).await;
    assert_eq!(page.value(YAML), "model:\na: 1\nb");
    area(&page).set_selection_range(0, 0).unwrap();
    types(&page, "#", "insertText").await;
    command("z", false).await;
    assert_eq!(caret(&page), (0, 0), "a caret elsewhere begins a step");
}

#[wasm_bindgen_test]
async fn a_pause_ends_a_burst() {
    let page = Mounted::with("").await;
    types(&page, "a", "insertText").await;
    let later = js_sys::Promise::new(&mut |resolve, _| {
        let window = leptos::prelude::window();
        window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 650).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(later).await.unwrap();
    types(&page, "b", "insertText").await;
    command("z", false).await;
    assert_eq!(page.value(YAML), "a");
}

#[wasm_bindgen_test]
async fn text_and_controls_share_one_history() {
    let page = Mounted::opened().await;
    let before = page.peak();
    assert_eq!(page.attribute("[data-testid=undo]", "aria-disabled"), "true");
    // One drag.
    for step in [1, 2, 3] {
        page.drag("tp", step).await;
    }
    page.release("tp").await;
    let dragged = page.peak();
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: Tensor parallel");
    area(&page).set_selection_range(0, 0).unwrap();
    types(&page, "# ", "insertText").await;
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: typing");
    page.click("[data-testid=undo]").await;
    assert_eq!(page.value(YAML), Sample::OPENING.text);
    assert_eq!(page.peak(), dragged);
    page.click("[data-testid=undo]").await;
    assert_eq!(page.peak(), before);
    assert_eq!(page.attribute("[data-testid=undo]", "aria-disabled"), "true");
    assert_eq!(page.attribute("[data-testid=redo]", "aria-label"), "Redo: Tensor parallel");
    page.click("[data-testid=redo]").await;
    assert_eq!(page.peak(), dragged);
    assert_eq!(page.value("[data-control=tp] input[type=number]"), "8");
}

#[wasm_bindgen_test]
async fn the_pin_the_model_and_a_sample_are_steps_too() {
    let page = Mounted::opened().await;
    page.click("[data-testid=pin-devices]").await;
    page.enter("[data-testid=model]", "DeepSeek-V2").await;
    page.press("[data-testid=model]", "Enter").await;
    page.choose("[data-testid=sample]", "llama-3.1-8b-8").await;
    let name = |page: &Mounted| page.attribute("[data-testid=undo]", "aria-label");
    assert_eq!(name(&page), "Undo: opening a run");
    page.click("[data-testid=undo]").await;
    assert_eq!(page.value(YAML), Sample::OPENING.text);
    assert!(page.text("[data-testid=model-found]").contains("chosen by you"));
    assert_eq!(name(&page), "Undo: choice of model");
    page.click("[data-testid=undo]").await;
    assert!(page.text("[data-testid=model-found]").contains("named in the file"));
    page.click("[data-testid=undo]").await;
    let pin: web_sys::HtmlInputElement = page.find("[data-testid=pin-devices]").unchecked_into();
    assert!(pin.checked());
}

#[wasm_bindgen_test]
async fn the_menu_of_the_browser_undoes_here_too() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.slide("tp", 1).await;
    let event = input_event("beforeinput", "historyUndo");
    area(&page).dispatch_event(&event).unwrap();
    settled().await;
    assert!(event.default_prevented());
    assert_eq!(page.peak(), before);
}

#[wasm_bindgen_test]
async fn what_means_nothing_yet_is_taken_back_first() {
    let page = Mounted::opened().await;
    page.slide("ep", 4).await;
    let number = "[data-control=tp] input[type=number]";
    page.enter(number, "2.5").await;
    command("z", false).await;
    assert_eq!(page.value(number), "1");
    assert_eq!(page.attribute(number, "aria-invalid"), "false");
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "16");
    command("z", false).await;
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "8");
}

fn compose(page: &Mounted, name: &str) {
    area(page).dispatch_event(&CompositionEvent::new(name).unwrap()).unwrap();
}

/// How often the textarea's value is written by the page.
fn count_writes(page: &Mounted) {
    let watch = Function::new_with_args(
        "area",
        "const own = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
         area.writes = 0;
         Object.defineProperty(area, 'value', {
             configurable: true,
             get() { return own.get.call(this); },
             set(text) { this.writes += 1; own.set.call(this, text); },
         });
         area.ownWrite = (text) => own.set.call(area, text);",
    );
    watch.call1(&JsValue::NULL, &area(page)).unwrap();
}

fn writes(page: &Mounted) -> f64 {
    js_sys::Reflect::get(&area(page), &"writes".into()).unwrap().as_f64().unwrap()
}

fn own_write(page: &Mounted, text: &str) {
    let write: Function = js_sys::Reflect::get(&area(page), &"ownWrite".into()).unwrap().unchecked_into();
    write.call1(&JsValue::NULL, &text.into()).unwrap();
}

#[wasm_bindgen_test]
async fn nothing_writes_to_the_textarea_while_an_input_method_composes() {
    let page = Mounted::opened().await;
    let before = page.peak();
    count_writes(&page);
    let end = u32::try_from(Sample::OPENING.text.encode_utf16().count()).unwrap();
    area(&page).set_selection_range(end, end).unwrap();
    compose(&page, "compositionstart");
    for piece in ["b", "bi", "bing"] {
        own_write(&page, &format!("{}# {piece}", Sample::OPENING.text));
        area(&page).dispatch_event(&input_event("input", "insertCompositionText")).unwrap();
        settled().await;
    }
    // Something else changes the run meanwhile, even the text.
    page.slide("tp", 1).await;
    page.choose("[data-testid=sample]", "llama-3.1-8b-8").await;
    fire(&page.find("[data-testid=undo]"), "click");
    settled().await;
    assert_eq!(writes(&page), 0.0);
    assert!(page.value(YAML).ends_with("# bing"));
    assert!(page.find(".editor").class_list().contains("composing"));
    own_write(&page, &format!("{}# 并行", Sample::OPENING.text));
    area(&page).dispatch_event(&input_event("input", "insertCompositionText")).unwrap();
    compose(&page, "compositionend");
    settled().await;
    assert_eq!(writes(&page), 0.0);
    assert!(page.value(YAML).ends_with("# 并行"));
    assert!(page.text(".editor-paint").contains("# 并行"));
    assert!(!page.find(".editor").class_list().contains("composing"));
    // One step for the whole composition.
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: typing");
    command("z", false).await;
    assert_eq!(page.value(YAML), Sample::OPENING.text);
    command("z", false).await;
    assert_eq!(page.peak(), before);
}
