//! Brings what the page shows in line with a view: keeps every node that can stay, and writes only what differs.
//!
//! The nodes that were made are remembered beside the view, so that an update never asks the page where something stands.

use crate::view::{Attribute, Element, Node, Space, Target, Value};
use js_sys::JsString;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{CssStyleDeclaration, Document};

const SVG: &str = "http://www.w3.org/2000/svg";

/// A place for a view: put it on a `div`, which is kept in line while the caller's owner lives. The view's outermost element
/// is the `div` itself; attributes that the view does not name are left alone.
pub fn live(view: impl Fn() -> Element + 'static) -> NodeRef<Div> {
    let holder = NodeRef::new();
    live_boxed(holder, When::Now, Box::new(view));
    holder
}

/// The same for what is much and nobody waits for: it follows in a step of its own, after the answer and before the page is
/// drawn anew.
pub fn live_after(view: impl Fn() -> Element + 'static) -> NodeRef<Div> {
    let holder = NodeRef::new();
    live_boxed(holder, When::After, Box::new(view));
    holder
}

/// In which step a change is brought to the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Now,
    After,
}

/// One piece of code for all live elements.
fn live_boxed(holder: NodeRef<Div>, when: When, view: Box<dyn Fn() -> Element>) {
    let turn = Trigger::new();
    let is_asked = Cell::new(false);
    Effect::new(move |shown: Option<Option<(Element, Made)>>| {
        let shown = shown.flatten();
        turn.track();
        // The first of two runs only asks for the second, which follows what changed again.
        if when == When::After && shown.is_some() && !is_asked.replace(true) {
            spawn_local(async move { turn.notify() });
            return shown;
        }
        is_asked.set(false);
        let holder = holder.get()?;
        let next = view();
        let made = match shown {
            Some((shown, mut made)) if shown.is_like(&next) => {
                update(&mut made, &shown, &next);
                made
            }
            Some(_) | None => {
                holder.set_text_content(None);
                fill(holder.unchecked_into(), &next)?
            }
        };
        Some((next, made))
    });
}

#[wasm_bindgen]
extern "C" {
    /// An element as a view sees it: an attribute's name is never one that the page refuses, and only inputs have values.
    /// Calls that cannot fail are a third of the price of those that may.
    #[wasm_bindgen(extends = web_sys::Node)]
    type Live;

    #[wasm_bindgen(method, js_name = setAttribute)]
    fn set_attribute(this: &Live, name: &JsString, value: &str);
    #[wasm_bindgen(method, js_name = setAttribute)]
    fn set_known_attribute(this: &Live, name: &JsString, value: &JsString);
    #[wasm_bindgen(method, js_name = setAttribute)]
    fn set_number_attribute(this: &Live, name: &JsString, value: f64);
    #[wasm_bindgen(method, js_name = removeAttribute)]
    fn remove_attribute(this: &Live, name: &JsString);
    #[wasm_bindgen(method, js_name = appendChild)]
    fn append(this: &Live, child: &web_sys::Node);
    #[wasm_bindgen(method, js_name = replaceChild)]
    fn replace(this: &Live, child: &web_sys::Node, old: &web_sys::Node);
    #[wasm_bindgen(method, js_name = removeChild)]
    fn remove(this: &Live, child: &web_sys::Node);
    #[wasm_bindgen(method, getter)]
    fn style(this: &Live) -> CssStyleDeclaration;
    #[wasm_bindgen(method, getter)]
    fn value(this: &Live) -> String;
    #[wasm_bindgen(method, setter)]
    fn set_value(this: &Live, value: &str);
    #[wasm_bindgen(method, getter)]
    fn checked(this: &Live) -> bool;
    #[wasm_bindgen(method, setter)]
    fn set_checked(this: &Live, on: bool);
}

/// A node of the page and those inside it, in the shape of the view it was made from.
struct Made {
    node: Live,
    children: Vec<Self>,
}

/// Makes a node; nothing where the page refuses its name.
fn make(document: &Document, view: &Node) -> Option<Made> {
    let view = match view {
        Node::Text(text) => {
            return Some(Made { node: document.create_text_node(text).unchecked_into(), children: Vec::new() });
        }
        Node::Element(view) => view,
    };
    let element = match view.space {
        Space::Html => document.create_element(view.tag),
        Space::Svg => document.create_element_ns(Some(SVG), view.tag),
    };
    fill(element.ok()?.unchecked_into(), view)
}

/// Writes a whole view into an empty element.
fn fill(node: Live, view: &Element) -> Option<Made> {
    let document = node.owner_document()?;
    let mut made = Made { node, children: Vec::with_capacity(view.children.len()) };
    extend(&document, &mut made, &view.children);
    // After its options: a select has the value of one of them.
    view.attributes.iter().for_each(|attribute| write(&made.node, attribute));
    Some(made)
}

fn extend(document: &Document, parent: &mut Made, views: &[Node]) {
    for child in views.iter().filter_map(|view| make(document, view)) {
        parent.node.append(&child.node);
        parent.children.push(child);
    }
}

/// Writes what differs between two views that are alike.
fn update(made: &mut Made, shown: &Element, next: &Element) {
    update_children(made, &shown.children, &next.children);
    for (old, new) in shown.attributes.iter().zip(&next.attributes) {
        match new.target {
            Target::Attribute | Target::Style if old.value == new.value => {}
            // What the user changes may differ from what was written last.
            Target::Attribute | Target::Style | Target::Value | Target::Tick => write(&made.node, new),
        }
    }
}

fn update_children(made: &mut Made, shown: &[Node], next: &[Node]) {
    for surplus in made.children.drain(next.len().min(made.children.len())..) {
        made.node.remove(&surplus.node);
    }
    for ((child, old), new) in made.children.iter_mut().zip(shown).zip(next) {
        match (old, new) {
            (Node::Text(old), Node::Text(new)) if old == new => {}
            (Node::Text(_), Node::Text(new)) => child.node.set_node_value(Some(new)),
            (Node::Element(old), Node::Element(new)) if old.is_like(new) => update(child, old, new),
            (Node::Text(_) | Node::Element(_), Node::Text(_) | Node::Element(_)) => {
                let fresh = made.node.owner_document().and_then(|document| make(&document, new));
                if let Some(fresh) = fresh {
                    made.node.replace(&fresh.node, &child.node);
                    *child = fresh;
                }
            }
        }
    }
    let missing = &next[made.children.len().min(next.len())..];
    if !missing.is_empty()
        && let Some(document) = made.node.owner_document()
    {
        extend(&document, made, missing);
    }
}

fn write(node: &Live, attribute: &Attribute) {
    let Attribute { name, target, value } = attribute;
    match target {
        Target::Attribute => KNOWN.with_borrow_mut(|known| write_attribute(node, name, value.as_ref(), known)),
        Target::Style => {
            let _ = node.style().set_property(name, &text_of(value.as_ref()));
        }
        Target::Value => {
            let text = text_of(value.as_ref());
            // Writing the same value again would move the caret.
            if node.value() != text {
                node.set_value(&text);
            }
        }
        Target::Tick if node.checked() == value.is_some() => {}
        Target::Tick => node.set_checked(value.is_some()),
    }
}

fn text_of(value: Option<&Value>) -> Cow<'static, str> {
    value.map(Value::text).unwrap_or_default()
}

fn write_attribute(node: &Live, name: &'static str, value: Option<&Value>, known: &mut Known) {
    match value {
        None => node.remove_attribute(known.text(name)),
        Some(Value::Number(number)) => node.set_number_attribute(known.text(name), *number),
        Some(Value::Text(Cow::Owned(text))) => node.set_attribute(known.text(name), text),
        Some(Value::Text(Cow::Borrowed(text))) => {
            let text = known.text(text).clone();
            node.set_known_attribute(known.text(name), &text);
        }
    }
}

/// Fixed texts as JavaScript has them, so that names and classes are decoded once; those used most stand near the front.
struct Known(Vec<(&'static str, JsString)>);

thread_local! {
    static KNOWN: RefCell<Known> = const { RefCell::new(Known(Vec::new())) };
}

impl Known {
    fn text(&mut self, text: &'static str) -> &JsString {
        let found = self.0.iter().position(|(known, _)| std::ptr::eq(*known, text));
        let at = found.unwrap_or_else(|| {
            self.0.push((text, text.into()));
            self.0.len() - 1
        });
        self.0.swap(at, at / 2);
        &self.0[at / 2].1
    }
}
