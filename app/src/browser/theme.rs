//! The theme stands on the root element, where the style sheet reads it.

/// Puts a theme on the page.
pub fn apply(name: &str) {
    let root = web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element());
    if let Some(root) = root {
        let _ = root.set_attribute("data-theme", name);
    }
}
