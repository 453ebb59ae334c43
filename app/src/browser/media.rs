//! Media queries as values.

use crate::browser::events;
use crate::reactive::Held;

/// Whether a media query holds, kept up to date while the caller's owner lives.
pub fn matches(query: &str) -> Held<bool> {
    let list = web_sys::window().and_then(|window| window.match_media(query).ok().flatten());
    let holds = Held::new(list.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(list) = list {
        let observed = list.clone();
        events::hear_of(&list, "change", move |_| holds.set(observed.matches()));
    }
    holds
}
