//! A page of its own for each test, and the ways to look at it and act on it.

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use shardmem::estimate::{Input, Outcome, estimate};
use shardmem_app::App;
use std::cell::Cell;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    Element, Event, EventInit, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, InputEvent,
    InputEventInit, KeyboardEvent, KeyboardEventInit, SvgElement,
};

/// A mounted page; taken away when the test ends.
pub(crate) struct Mounted {
    root: HtmlElement,
    handle: Cell<Option<UnmountHandle<AnyViewState>>>,
}

impl Mounted {
    /// The page with this train.yaml.
    pub(crate) async fn with(text: &str) -> Self {
        let text = text.to_owned();
        let root: HtmlElement = document().create_element("section").unwrap().unchecked_into();
        document().body().unwrap().append_child(&root).unwrap();
        let handle = mount_to(root.clone(), move || view! { <App text=text /> }.into_any());
        settled().await;
        Self { root, handle: Cell::new(Some(handle)) }
    }

    /// The page as it opens.
    pub(crate) async fn opened() -> Self {
        Self::with(shardmem_app::state::Sample::OPENING.text).await
    }

    /// The one element that matches.
    pub(crate) fn find(&self, selector: &str) -> Element {
        self.look_for(selector).unwrap_or_else(|| panic!("nothing matches {selector}"))
    }

    /// The first element that matches, if one does.
    pub(crate) fn look_for(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).unwrap()
    }

    /// All elements that match.
    pub(crate) fn all(&self, selector: &str) -> Vec<Element> {
        let list = self.root.query_selector_all(selector).unwrap();
        (0..list.length()).filter_map(|at| list.item(at)?.dyn_into().ok()).collect()
    }

    /// An attribute of the element that matches; empty where it has none.
    pub(crate) fn attribute(&self, selector: &str, name: &str) -> String {
        self.find(selector).get_attribute(name).unwrap_or_default()
    }

    /// The text of the element that matches.
    pub(crate) fn text(&self, selector: &str) -> String {
        self.find(selector).text_content().unwrap_or_default()
    }

    /// The peak, as the page states it.
    pub(crate) fn peak(&self) -> String {
        self.attribute("[data-testid=peak]", "data-bytes")
    }

    /// Whether an element is there and not hidden.
    pub(crate) fn shows(&self, selector: &str) -> bool {
        self.look_for(selector).is_some_and(|element| !element.has_attribute("hidden"))
    }

    /// Puts a text into the YAML editor, as typing or pasting does.
    pub(crate) async fn type_yaml(&self, text: &str) {
        self.type_into("[data-testid=yaml]", text).await;
    }

    /// Puts a text into a textarea.
    pub(crate) async fn type_into(&self, selector: &str, text: &str) {
        let area: HtmlTextAreaElement = self.find(selector).unchecked_into();
        area.set_value(text);
        fire(&area, "input");
        settled().await;
    }

    /// Pastes a text over all of a textarea, with the events that a browser sends.
    pub(crate) async fn paste_over_all(&self, selector: &str, text: &str) {
        let area: HtmlTextAreaElement = self.find(selector).unchecked_into();
        area.select();
        let event = |name: &str| {
            let init = InputEventInit::new();
            init.set_input_type("insertFromPaste");
            init.set_bubbles(true);
            InputEvent::new_with_event_init_dict(name, &init).unwrap()
        };
        area.dispatch_event(&event("beforeinput")).unwrap();
        area.set_value(text);
        area.dispatch_event(&event("input")).unwrap();
        settled().await;
    }

    /// Puts a text into an input.
    pub(crate) async fn enter(&self, selector: &str, text: &str) {
        let input: HtmlInputElement = self.find(selector).unchecked_into();
        input.set_value(text);
        fire(&input, "input");
        settled().await;
    }

    /// Puts a text into an input that is heard once it is left.
    pub(crate) async fn enter_and_leave(&self, selector: &str, text: &str) {
        self.enter(selector, text).await;
        fire(&self.find(selector), "change");
        settled().await;
    }

    /// Moves a slider to a step and lets it go.
    pub(crate) async fn slide(&self, control: &str, step: usize) {
        self.drag(control, step).await;
        self.release(control).await;
    }

    /// Moves a slider to a step.
    pub(crate) async fn drag(&self, control: &str, step: usize) {
        self.enter(&format!("[data-control={control}] input[type=range]"), &step.to_string()).await;
    }

    /// Lets a slider go.
    pub(crate) async fn release(&self, control: &str) {
        fire(&self.find(&format!("[data-control={control}] input[type=range]")), "change");
        settled().await;
    }

    /// Chooses an option.
    pub(crate) async fn choose(&self, selector: &str, value: &str) {
        let select: HtmlSelectElement = self.find(selector).unchecked_into();
        select.set_value(value);
        fire(&select, "change");
        settled().await;
    }

    /// Clicks.
    pub(crate) async fn click(&self, selector: &str) {
        let found = self.find(selector);
        match found.dyn_ref::<HtmlElement>() {
            Some(element) => element.click(),
            None => fire(&found, "click"),
        }
        settled().await;
    }

    /// Presses a key on an element.
    pub(crate) async fn press(&self, selector: &str, key: &str) {
        let init = KeyboardEventInit::new();
        init.set_key(key);
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
        self.find(selector).dispatch_event(&event).unwrap();
        settled().await;
    }

    /// The value of an input or textarea.
    pub(crate) fn value(&self, selector: &str) -> String {
        let value = js_sys::Reflect::get(&self.find(selector), &JsValue::from_str("value")).unwrap();
        value.as_string().unwrap_or_default()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(self.handle.take());
        self.root.remove();
    }
}

/// Sends an event as the browser does.
pub(crate) fn fire(target: &Element, name: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    target.dispatch_event(&Event::new_with_event_init_dict(name, &init).unwrap()).unwrap();
}

/// An attribute of the element that has the focus.
pub(crate) fn focused(name: &str) -> Option<String> {
    document().active_element()?.get_attribute(name)
}

/// Gives an SVG element the focus.
pub(crate) fn focus(element: &Element) {
    element.unchecked_ref::<SvgElement>().focus().unwrap();
}

/// The focus moves when the page is drawn next.
pub(crate) async fn drawn() {
    let frame = js_sys::Promise::new(&mut |resolve, _| {
        leptos::prelude::window().request_animation_frame(&resolve).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(frame).await.unwrap();
    settled().await;
}

/// Everything that follows from the last event is in the page.
///
/// Effects wake one another, so one tick is not always enough; the browser's next task comes after all of them.
pub(crate) async fn settled() {
    leptos::task::tick().await;
    let next_task = js_sys::Promise::new(&mut |resolve, _| {
        window().set_timeout_with_callback(&resolve).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(next_task).await.unwrap();
}

/// The peak that the core states, as JSON and page print it.
pub(crate) fn peak_of(input: &Input) -> String {
    match estimate(input) {
        Outcome::Ready(ready) => shardmem::report::number::shortest(ready.report.verdict.peak.value()),
        Outcome::Rejected(rejected) => panic!("refused: {:?}", rejected.findings),
    }
}
