//! A view as a value: elements with attributes, texts, children. Components make them from plain data, natively testable;
//! `browser::patch` brings what the page shows in line with them.
//!
//! Leptos keeps the state, the effects and the fixed parts with their handlers. What changes with every slider event is made
//! this way because each attribute of a `view!` becomes code of its own: for this page 80 kB more over the wire, and a
//! signal per attribute ten times the time of an update.

use shardmem::report::number::shortest;
use std::borrow::Cow;
use std::ops::Deref;

/// A text that is fixed or made.
pub type Text = Cow<'static, str>;

/// A piece of a view.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// An element.
    Element(Element),
    /// A text; never markup.
    Text(Text),
}

/// Which kind of elements a tag belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// HTML.
    Html,
    /// SVG.
    Svg,
}

/// What an attribute's value is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The attribute.
    Attribute,
    /// A declaration of the element's own style.
    Style,
    /// The value of an input, textarea or select, which the user changes too.
    Value,
    /// The tick of a box, which the user changes too.
    Tick,
}

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(Text),
    /// A number, which the page writes as text itself: for most of what changes with a slider that is half the price.
    Number(f64),
}

/// An attribute; without a value it is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Where it is written.
    pub target: Target,
    /// Its value.
    pub value: Option<Value>,
}

/// An element. Made by the same code it always has the same attributes in the same order, some of them without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Element(Box<Parts>);

/// What an element is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// Its kind.
    pub space: Space,
    /// Its name.
    pub tag: &'static str,
    /// Its attributes.
    pub attributes: Vec<Attribute>,
    /// What it holds.
    pub children: Vec<Node>,
}

/// The value of what is only there or not.
const PRESENT: Value = Value::Text(Cow::Borrowed(""));

impl Value {
    /// As text.
    pub fn text(&self) -> Text {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => shortest(*number).into(),
        }
    }
}

/// An HTML element.
pub fn html(tag: &'static str) -> Element {
    Element::new(Space::Html, tag)
}

/// An SVG element.
pub fn svg(tag: &'static str) -> Element {
    Element::new(Space::Svg, tag)
}

impl Deref for Element {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

// Each of these is called some hundred times; inlined they would be half of the page.
impl Element {
    #[inline(never)]
    fn new(space: Space, tag: &'static str) -> Self {
        Self(Box::new(Parts { space, tag, attributes: Vec::new(), children: Vec::new() }))
    }

    /// With an attribute.
    #[must_use]
    #[inline(never)]
    pub fn attribute(self, name: &'static str, value: impl Into<Text>) -> Self {
        self.with(name, Target::Attribute, Some(Value::Text(value.into())))
    }

    /// With an attribute that may be missing.
    #[must_use]
    #[inline(never)]
    pub fn maybe(self, name: &'static str, value: Option<impl Into<Text>>) -> Self {
        self.with(name, Target::Attribute, value.map(|value| Value::Text(value.into())))
    }

    /// With a class.
    #[must_use]
    #[inline(never)]
    pub fn class(self, class: &'static str) -> Self {
        self.attribute("class", class)
    }

    /// With a switch: `hidden`, `disabled`.
    #[must_use]
    #[inline(never)]
    pub fn flag(self, name: &'static str, on: bool) -> Self {
        self.with(name, Target::Attribute, on.then_some(PRESENT))
    }

    /// With a state that is said either way: `aria-selected="false"`.
    #[must_use]
    #[inline(never)]
    pub fn state(self, name: &'static str, on: bool) -> Self {
        self.attribute(name, if on { "true" } else { "false" })
    }

    /// With a coordinate, to a tenth of a pixel.
    #[must_use]
    #[inline(never)]
    pub fn at(self, name: &'static str, coordinate: f64) -> Self {
        self.with(name, Target::Attribute, Some(Value::Number((coordinate * 10.0).round() / 10.0)))
    }

    /// With a whole number.
    #[must_use]
    #[inline(never)]
    pub fn number(self, name: &'static str, number: usize) -> Self {
        self.with(name, Target::Attribute, Some(Value::Number(number as f64)))
    }

    /// With a figure that is read back exactly (DESIGN 3.1).
    #[must_use]
    #[inline(never)]
    pub fn exact(self, name: &'static str, figure: f64) -> Self {
        // In these bounds JavaScript writes the same digits as `shortest`, and no exponent.
        let is_plain = figure == 0.0 || (1e-6..1e21).contains(&figure.abs());
        let value = if is_plain { Value::Number(figure) } else { Value::Text(shortest(figure).into()) };
        self.with(name, Target::Attribute, Some(value))
    }

    /// With a style of its own.
    #[must_use]
    #[inline(never)]
    pub fn style(self, name: &'static str, value: impl Into<Text>) -> Self {
        self.with(name, Target::Style, Some(Value::Text(value.into())))
    }

    /// With the value of an input.
    #[must_use]
    #[inline(never)]
    pub fn value(self, value: impl Into<Text>) -> Self {
        self.with("value", Target::Value, Some(Value::Text(value.into())))
    }

    /// With the tick of a box.
    #[must_use]
    #[inline(never)]
    pub fn tick(self, on: bool) -> Self {
        self.with("checked", Target::Tick, on.then_some(PRESENT))
    }

    /// With a text.
    #[must_use]
    #[inline(never)]
    pub fn text(self, text: impl Into<Text>) -> Self {
        self.holding(Node::Text(text.into()))
    }

    /// With an element inside.
    #[must_use]
    #[inline(never)]
    pub fn child(self, child: Self) -> Self {
        self.holding(Node::Element(child))
    }

    /// With elements inside.
    #[must_use]
    pub fn children(self, children: impl IntoIterator<Item = Self>) -> Self {
        children.into_iter().fold(self, Self::child)
    }

    #[inline(never)]
    fn holding(mut self, child: Node) -> Self {
        self.0.children.push(child);
        self
    }

    #[inline(never)]
    fn with(mut self, name: &'static str, target: Target, value: Option<Value>) -> Self {
        self.0.attributes.push(Attribute { name, target, value });
        self
    }

    /// Whether another view of an element can be written over this one.
    pub fn is_like(&self, other: &Self) -> bool {
        let alike = |(one, other): (&Attribute, &Attribute)| one.name == other.name && one.target == other.target;
        self.tag == other.tag
            && self.space == other.space
            && self.attributes.len() == other.attributes.len()
            && self.attributes.iter().zip(&other.attributes).all(alike)
    }
}
