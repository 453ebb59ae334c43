//! Starts the page.

use shardmem_app::App;

fn main() {
    if cfg!(debug_assertions) {
        console_error_panic_hook::set_once();
    }
    leptos::mount::mount_to_body(|| leptos::view! { <App /> });
}
