//! Media queries as signals.

use gloo::events::EventListener;
use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// Whether a media query holds, kept up to date while the caller's owner lives.
pub fn matches(query: &str) -> ReadSignal<bool> {
    let list = web_sys::window().and_then(|window| window.match_media(query).ok().flatten());
    let (holds, set_holds) = signal(list.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(list) = list {
        let observed = list.clone();
        let listener = EventListener::new(&list, "change", move |_| set_holds.set(observed.matches()));
        let listener = SendWrapper::new(listener);
        on_cleanup(move || drop(listener));
    }
    holds
}
