//! Brings what the page shows in line with a view: keeps every node that can stay, and writes only what differs.

use crate::view::{Attribute, Element, Node, Space, Target};
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Document, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement, SvgElement};

const SVG: &str = "http://www.w3.org/2000/svg";

/// A place for a view: put it on a `div`, which is kept in line while the caller's owner lives. The view's outermost element
/// is the `div` itself; attributes that the view does not name are left alone.
pub fn live(view: impl Fn() -> Element + 'static) -> NodeRef<Div> {
    let holder = NodeRef::new();
    live_boxed(holder, Box::new(view));
    holder
}

/// One piece of code for all live elements.
fn live_boxed(holder: NodeRef<Div>, view: Box<dyn Fn() -> Element>) {
    Effect::new(move |shown: Option<Option<Element>>| {
        let holder = holder.get()?;
        let next = view();
        match shown.flatten() {
            Some(shown) if shown.is_like(&next) => update(&holder, &shown, &next),
            Some(_) | None => fill(&holder, &next),
        }
        Some(next)
    });
}

/// Makes an element from a view.
fn make(document: &Document, view: &Element) -> Option<web_sys::Element> {
    let element = match view.space {
        Space::Html => document.create_element(view.tag),
        Space::Svg => document.create_element_ns(Some(SVG), view.tag),
    };
    let element = element.ok()?;
    fill(&element, view);
    Some(element)
}

/// Writes a whole view into an element.
fn fill(element: &web_sys::Element, view: &Element) {
    element.set_text_content(None);
    if let Some(document) = element.owner_document() {
        view.children.iter().for_each(|child| append(&document, element, child));
    }
    view.attributes.iter().for_each(|attribute| write(element, attribute));
}

fn append(document: &Document, parent: &web_sys::Element, node: &Node) {
    // Appending a new node to an element cannot fail.
    let _ = match node {
        Node::Text(text) => parent.append_child(&document.create_text_node(text)),
        Node::Element(view) => match make(document, view) {
            Some(element) => parent.append_child(&element),
            None => return,
        },
    };
}

/// Writes what differs between two views that are alike.
fn update(element: &web_sys::Element, shown: &Element, next: &Element) {
    update_children(element, &shown.children, &next.children);
    for (old, new) in shown.attributes.iter().zip(&next.attributes) {
        match new.target {
            Target::Attribute | Target::Style if old.value == new.value => {}
            // What the user changes may differ from what was written last.
            Target::Attribute | Target::Style | Target::Value | Target::Tick => write(element, new),
        }
    }
}

fn update_children(parent: &web_sys::Element, shown: &[Node], next: &[Node]) {
    if shown.is_empty() && next.is_empty() {
        return;
    }
    let Some(document) = parent.owner_document() else { return };
    let mut present = parent.first_child();
    for (at, new) in next.iter().enumerate() {
        let (Some(node), Some(old)) = (present.take(), shown.get(at)) else {
            append(&document, parent, new);
            continue;
        };
        present = node.next_sibling();
        // Comparing is cheap, looking at the page is not.
        if old != new {
            update_child(&document, parent, &node, old, new);
        }
    }
    while let Some(node) = present {
        present = node.next_sibling();
        let _ = parent.remove_child(&node);
    }
}

fn update_child(document: &Document, parent: &web_sys::Element, node: &web_sys::Node, old: &Node, new: &Node) {
    match (old, new) {
        (Node::Text(_), Node::Text(text)) => node.set_node_value(Some(text)),
        (Node::Element(old), Node::Element(new)) if old.is_like(new) => {
            if let Some(element) = node.dyn_ref() {
                update(element, old, new);
            }
        }
        (Node::Element(_), Node::Text(text)) => {
            let _ = parent.replace_child(&document.create_text_node(text), node);
        }
        (Node::Text(_) | Node::Element(_), Node::Element(view)) => {
            if let Some(element) = make(document, view) {
                let _ = parent.replace_child(&element, node);
            }
        }
    }
}

fn write(element: &web_sys::Element, attribute: &Attribute) {
    let Attribute { name, target, value } = attribute;
    match target {
        Target::Attribute => {
            let _ = match value {
                Some(value) => element.set_attribute(name, value),
                None => element.remove_attribute(name),
            };
        }
        Target::Style => write_style(element, name, value.as_deref().unwrap_or_default()),
        Target::Value => write_value(element, value.as_deref().unwrap_or_default()),
        Target::Tick => {
            if let Some(input) =
                element.dyn_ref::<HtmlInputElement>().filter(|input| input.checked() != value.is_some())
            {
                input.set_checked(value.is_some());
            }
        }
    }
}

fn write_style(element: &web_sys::Element, name: &str, value: &str) {
    let style = match (element.dyn_ref::<HtmlElement>(), element.dyn_ref::<SvgElement>()) {
        (Some(element), _) => element.style(),
        (None, Some(element)) => element.style(),
        (None, None) => return,
    };
    let _ = style.set_property(name, value);
}

/// Writing the same value again would move the caret.
fn write_value(element: &web_sys::Element, value: &str) {
    if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
        if input.value() != value {
            input.set_value(value);
        }
    } else if let Some(area) = element.dyn_ref::<HtmlTextAreaElement>() {
        if area.value() != value {
            area.set_value(value);
        }
    } else if let Some(select) = element.dyn_ref::<HtmlSelectElement>()
        && select.value() != value
    {
        select.set_value(value);
    }
}
