//! Moving the focus.

use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, SvgElement};

/// Focuses the first element that matches `selector` inside the closest ancestor of `target` that matches `within`.
pub fn inside(target: Option<EventTarget>, within: &str, selector: &str) {
    let found = target
        .and_then(|target| target.dyn_into::<Element>().ok())
        .and_then(|element| element.closest(within).ok().flatten())
        .and_then(|scope| scope.query_selector(selector).ok().flatten());
    if let Some(found) = found {
        focus(&found);
    }
}

/// Focuses the first element of the page that matches, once what was just done is drawn; a closed fold around it opens.
pub fn on(selector: &str) {
    let selector = selector.to_owned();
    leptos::prelude::request_animation_frame(move || {
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(found) = document.and_then(|document| document.query_selector(&selector).ok().flatten()) {
            unfold(&found);
            focus(&found);
        }
    });
}

/// Focuses the first element of the page that matches, at once: it stands there already.
pub fn at_once(selector: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(found) = document.and_then(|document| document.query_selector(selector).ok().flatten()) {
        focus(&found);
    }
}

/// What has the focus.
pub fn holder() -> Option<Element> {
    web_sys::window()?.document()?.active_element()
}

/// Opens the fold that an element lies in, if it lies in one.
pub fn unfold(element: &Element) {
    if let Ok(Some(fold)) = element.closest("details") {
        let _ = fold.set_attribute("open", "");
    }
}

/// Opens a fold of the page, once it is drawn.
pub fn unfold_on(selector: &'static str) {
    leptos::prelude::request_animation_frame(move || {
        let document = web_sys::window().and_then(|window| window.document());
        if let Some(fold) = document.and_then(|document| document.query_selector(selector).ok().flatten()) {
            let _ = fold.set_attribute("open", "");
        }
    });
}

/// Scrolls what matches back to its start.
pub fn rewind(selector: &str) {
    let document = web_sys::window().and_then(|window| window.document());
    if let Some(found) = document.and_then(|document| document.query_selector(selector).ok().flatten()) {
        found.set_scroll_top(0);
    }
}

/// The same once what was just done is drawn: a browser brings the caret into sight by itself.
pub fn rewind_soon(selector: &'static str) {
    leptos::prelude::request_animation_frame(move || rewind(selector));
}

fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus();
    } else if let Some(element) = element.dyn_ref::<SvgElement>() {
        let _ = element.focus();
    }
}

/// Scrolls the element of an id into sight inside its own list, once it is drawn.
pub fn reveal(id: &str) {
    let id = id.to_owned();
    leptos::prelude::request_animation_frame(move || {
        let document = web_sys::window().and_then(|window| window.document());
        let found = document.and_then(|document| document.get_element_by_id(&id));
        let Some((element, list)) = found.and_then(|element| element.parent_element().map(|list| (element, list)))
        else {
            return;
        };
        let (top, bottom) = (element.get_bounding_client_rect().top(), element.get_bounding_client_rect().bottom());
        let list_box = list.get_bounding_client_rect();
        let hidden = (top - list_box.top()).min(0.0) + (bottom - list_box.bottom()).max(0.0);
        #[expect(clippy::cast_possible_truncation, reason = "a scroll distance in pixels; the cast saturates")]
        list.set_scroll_top(list.scroll_top() + hidden.round() as i32);
    });
}

/// Selects the whole text of the input or textarea that got the focus.
pub fn select_all(event: &web_sys::Event) {
    let Some(target) = event.target() else { return };
    if let Some(input) = target.dyn_ref::<web_sys::HtmlInputElement>() {
        input.select();
    } else if let Some(area) = target.dyn_ref::<web_sys::HtmlTextAreaElement>() {
        area.select();
    }
}
