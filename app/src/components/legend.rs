//! What the colours and textures mean. Both are used everywhere, so that colour is never the only signal.

use crate::browser::events;
use crate::messages::Messages;
use crate::messages::pictures::captions;
use crate::view::{Element, html, svg};
use shardmem::memory::Category;

/// How a category is filled.
pub fn fill_of(category: Category) -> &'static str {
    match category {
        Category::Parameters => "url(#fill-parameters)",
        Category::OptimizerStates => "url(#fill-optimizer-states)",
        Category::Gradients => "url(#fill-gradients)",
        Category::Activations => "url(#fill-activations)",
        Category::Buffers => "url(#fill-buffers)",
        Category::BackwardWorkingSet => "url(#fill-backward-working-set)",
        Category::GradientsInFlight => "url(#fill-gradients-in-flight)",
        Category::Reserve => "url(#fill-reserve)",
    }
}

/// How what negative items take off is filled.
pub const NOTCH_FILL: &str = "url(#fill-notch)";

/// A small field in a category's colour and texture.
pub fn swatch(category: Category) -> Element {
    field(fill_of(category))
}

fn field(fill: &'static str) -> Element {
    let area = svg("rect").attribute("width", "100%").attribute("height", "100%").attribute("rx", "2");
    svg("svg").class("swatch").attribute("aria-hidden", "true").child(area.attribute("fill", fill))
}

/// The fills of all categories; stands once on the page, everything else refers to it.
pub fn fills() -> Element {
    let categories = Category::ALL.into_iter().map(|category| {
        let ground = svg("rect").class("fill-ground").attribute("data-category", category.id());
        pattern(format!("fill-{}", category.id()), ground, "fill-texture", texture(category))
    });
    let notch = pattern("fill-notch".to_owned(), svg("rect").class("fill-notch-ground"), "fill-notch-line", DIAGONAL);
    let definitions = svg("defs").children(categories).child(notch);
    html("div").child(svg("svg").class("fills").attribute("aria-hidden", "true").child(definitions))
}

fn pattern(id: String, ground: Element, class: &'static str, lines: &'static str) -> Element {
    svg("pattern")
        .attribute("id", id)
        .attribute("width", "6")
        .attribute("height", "6")
        .attribute("patternUnits", "userSpaceOnUse")
        .child(ground.attribute("width", "6").attribute("height", "6"))
        .child(svg("path").class(class).attribute("d", lines))
}

const DIAGONAL: &str = "M-1 1 1-1M0 6 6 0M5 7 7 5";

/// The texture over a category's colour: neighbours in a bar never share one.
const fn texture(category: Category) -> &'static str {
    match category {
        Category::Parameters | Category::OptimizerStates | Category::BackwardWorkingSet | Category::Reserve => "",
        Category::Gradients => "M0 3H6",
        Category::Activations => DIAGONAL,
        Category::Buffers => "M1.5 1.5h.01M4.5 4.5h.01",
        Category::GradientsInFlight => "M3 0V6",
    }
}

/// The category that an event in the legend or the table belongs to.
pub fn category_of(event: &leptos::ev::Event) -> Option<Category> {
    let id = events::closest(event, "data-row")?;
    Category::ALL.into_iter().find(|category| category.id() == id)
}

/// What stands in the chart beside the categories and the device's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras {
    /// Negative items.
    pub notches: bool,
    /// Marks at the other instant.
    pub other: bool,
    /// The outlines of a baseline.
    pub baseline: bool,
}

/// The names of the categories that occur, in the order of the bars, and the device's line.
pub fn legend(categories: &[Category], extras: Extras, say: &Messages) -> Element {
    let names = categories.iter().map(|category| {
        html("li").attribute("data-row", category.id()).child(swatch(*category)).text((say.category)(*category))
    });
    let notch = html("li").flag("hidden", !extras.notches).child(field(NOTCH_FILL)).text(say.legend_notch);
    let line =
        svg("line").class("capacity-sample").attribute("x2", "100%").attribute("y1", "50%").attribute("y2", "50%");
    let line = svg("svg").class("swatch").attribute("aria-hidden", "true").child(line);
    let ghost = svg("path").class("ghosts").attribute("d", "M1 12V1.5H11V12");
    let ghost = svg("svg").class("swatch").attribute("aria-hidden", "true").child(ghost);
    let ghost = html("li").flag("hidden", !extras.baseline).child(ghost).text(say.baseline);
    let other = svg("path").class("others").attribute("d", "M0 5H12V7H0Z");
    let other = svg("svg").class("swatch").attribute("aria-hidden", "true").child(other);
    let other = html("li").flag("hidden", !extras.other).child(other).text(captions(say.spoken).other_instant);
    html("ul")
        .class("legend")
        .attribute("aria-label", say.legend)
        .children(names)
        .child(notch)
        .child(html("li").child(line).text(say.legend_capacity))
        .child(other)
        .child(ghost)
}
