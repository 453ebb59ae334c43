//! The size of an element as a signal.

use leptos::prelude::*;
use send_wrapper::SendWrapper;
pub use shardmem::report::bars::Size;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry};

/// Reports the content size of `element` now and whenever it changes, while the caller's owner lives.
pub fn observe(element: &Element, report: impl Fn(Size) + 'static) {
    let on_resize = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if let Ok(entry) = entries.get(0).dyn_into::<ResizeObserverEntry>() {
            let content = entry.content_rect();
            report(Size { width: content.width(), height: content.height() });
        }
    });
    let Ok(observer) = ResizeObserver::new(on_resize.as_ref().unchecked_ref()) else { return };
    observer.observe(element);
    let kept = SendWrapper::new((observer, on_resize));
    on_cleanup(move || {
        let (observer, on_resize) = kept.take();
        observer.disconnect();
        drop(on_resize);
    });
}
