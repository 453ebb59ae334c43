//! The ShardMem page: a view of what the core computes.

use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    view! { <main data-testid="app"></main> }
}
