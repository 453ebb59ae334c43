//! The order of an element's children.

/// Puts the children that have one of these classes in the order of the classes. Moves nothing that stands right, so that
/// focus and scroll positions stay.
pub fn arrange(parent: &str, classes: &[&str]) {
    let document = web_sys::window().and_then(|window| window.document());
    let Some(parent) = document.and_then(|document| document.query_selector(parent).ok().flatten()) else { return };
    for (place, class) in classes.iter().enumerate() {
        let Ok(Some(child)) = parent.query_selector(&format!(":scope > .{class}")) else { continue };
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let standing = parent.children().item(place);
        if standing.as_ref() != Some(&child) {
            // The child is one of the parent's own: it cannot be refused.
            let _ = parent.insert_before(&child, standing.as_deref());
        }
    }
}
