//! The page's components, mounted in a browser.
#![cfg(target_arch = "wasm32")]

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;
use shardmem_app::App;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn the_page_mounts() {
    let root = document().create_element("section").unwrap().unchecked_into::<HtmlElement>();
    document().body().unwrap().append_child(&root).unwrap();
    let _mounted = mount_to(root.clone(), App);
    assert!(root.query_selector("main").unwrap().is_some());
}
