//! The button that copies the link, where the browser lets the page copy and where it does not.

use crate::mounted::{Mounted, focused, settled};
use js_sys::{Function, Object, Reflect};
use shardmem::report::number::MemoryUnit;
use shardmem_app::late::with_late;
use shardmem_app::state::{Sample, Workspace};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

/// A browser whose clipboard does this with a text.
fn with_clipboard(body: &str) {
    let descriptor = Object::new();
    let clipboard = Object::new();
    Reflect::set(&clipboard, &"writeText".into(), &Function::new_with_args("text", body)).unwrap();
    Reflect::set(&descriptor, &"value".into(), &clipboard).unwrap();
    Reflect::set(&descriptor, &"configurable".into(), &true.into()).unwrap();
    let navigator: JsValue = leptos::prelude::window().navigator().into();
    assert!(Reflect::define_property(navigator.unchecked_ref::<Object>(), &"clipboard".into(), &descriptor).unwrap());
}

fn copied() -> String {
    Reflect::get(&js_sys::global(), &"copied".into()).unwrap().as_string().unwrap_or_default()
}

/// The late part may arrive in a later task.
async fn waits_for(page: &Mounted, selector: &str) {
    for _ in 0..20 {
        if page.look_for(selector).is_some() {
            return;
        }
        settled().await;
    }
    panic!("nothing matches {selector}");
}

#[wasm_bindgen_test]
async fn the_link_of_the_present_state_is_copied_and_it_is_said() {
    with_clipboard("globalThis.copied = text; return Promise.resolve();");
    // The runner's page may have one of its own.
    let hash = || leptos::prelude::location().hash().unwrap();
    let before = hash();
    let page = Mounted::opened().await;
    page.slide("ep", 4).await;
    page.click("[data-testid=copy-link]").await;
    waits_for(&page, "[role=status] [data-told=copied]").await;
    assert!(page.text("[data-told=copied]").starts_with("Link copied"));
    let link = copied();
    let (address, fragment) = link.split_once('#').unwrap();
    assert!(!address.contains('?'));
    let opened = Rc::new(RefCell::new(None));
    let keep = opened.clone();
    let fragment = fragment.to_owned();
    with_late(move |late| *keep.borrow_mut() = Some((late.open_link)(&fragment)));
    settled().await;
    let run = opened.borrow_mut().take().unwrap().unwrap().run;
    let mut expected = Workspace::of(Sample::OPENING.text);
    expected.set(shardmem::facts::controls::Control::Ep, "16");
    assert_eq!(run, expected);
    assert_eq!(hash(), before, "a page with a given text has no address of its own");
    page.click("[data-told=copied] [data-act=dismiss]").await;
    assert!(page.look_for("[data-told]").is_none());
}

#[wasm_bindgen_test]
async fn a_refused_link_stands_selected_under_the_button() {
    with_clipboard("return Promise.reject(new Error('no'));");
    let page = Mounted::opened().await;
    page.click("[data-testid=copy-link]").await;
    waits_for(&page, "[data-testid=link-text]").await;
    assert!(page.value("[data-testid=link-text]").contains("#A"));
    assert_eq!(page.attribute("[data-testid=copy-link]", "aria-expanded"), "true");
    page.press("[data-testid=link-text]", "Escape").await;
    assert!(page.look_for("[data-testid=link-text]").is_none());
    page.click("[data-testid=copy-link]").await;
    waits_for(&page, "[data-testid=link-text]").await;
    page.click(".link-popover [data-act=close]").await;
    assert!(page.look_for("[data-testid=link-text]").is_none());
    assert_ne!(focused("data-testid").as_deref(), Some("link-text"));
}

#[wasm_bindgen_test]
async fn what_no_link_holds_is_offered_as_a_file() {
    let page = Mounted::opened().await;
    let mut seed = 7_u32;
    let noise: String = (0..12_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(b'!' + u8::try_from(seed >> 24).unwrap() % 90)
        })
        .collect();
    let text = format!("{}# {noise}\n", Sample::OPENING.text);
    page.type_yaml(&text).await;
    page.click("[data-testid=copy-link]").await;
    waits_for(&page, "[data-testid=link-save]").await;
    with_late(move |late| {
        let run = Workspace::of(&text);
        let file = (late.write_file)(&run, MemoryUnit::Gib);
        assert_eq!((late.open_file)(&file).unwrap().run, run);
    });
    settled().await;
}
