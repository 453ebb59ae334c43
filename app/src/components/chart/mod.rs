//! The stacked bars of all stages against the device's line.
//!
//! The core makes the drawing (`report::bars`), this makes a view of it; both are plain values.

use crate::browser::size::{self, Size};
use crate::browser::{events, focus};
use crate::components::legend::{NOTCH_FILL, fill_of};
use crate::messages::Messages;
use crate::reactive::{Held, effect};
use crate::view::{Element, svg};
use leptos::ev::{Event, KeyboardEvent};
use leptos::html::Div;
use leptos::prelude::{Get, NodeRef};
use shardmem::decimal::fixed;
use shardmem::memory::Category;
use shardmem::report::Report;
use shardmem::report::bars::{Drawing, Frame, Mark, Name, Outline, Room, StageLabel};
use shardmem::report::number::MemoryUnit;
use wasm_bindgen::JsCast;

/// Assumed until the browser has said how much room there is.
pub const UNMEASURED: Size = Size { width: 720.0, height: 360.0 };

/// What to draw.
#[derive(Clone, Copy)]
pub struct ChartInput<'a> {
    /// The figures.
    pub report: &'a Report,
    /// What they are compared with.
    pub baseline: Option<&'a Report>,
    /// Whether they are the last good ones.
    pub is_stale: bool,
    /// The selected stage.
    pub selected: usize,
    /// The unit of the labels.
    pub unit: MemoryUnit,
    /// The room there is.
    pub size: Size,
}

/// The bars, one per stage.
pub fn chart_picture(input: ChartInput<'_>, say: &Messages) -> Element {
    let behind = input.baseline.map(|baseline| &baseline.chart);
    let ChartInput { report, selected, unit, size, .. } = input;
    let room = Room { size, peak: report.verdict.stage, selected, unit, category: say.category };
    let drawing = Drawing::new(&report.chart, behind, room);
    let frame = drawing.frame;
    let (left, right) = (frame.left, frame.size.width);
    let line = |x: f64, y: f64| svg("line").at("x1", x).at("x2", right).at("y1", y).at("y2", y);
    let unit = label(drawing.unit).class("scale-unit");
    let scale = drawing
        .marks
        .into_iter()
        .fold(group("scale").child(unit), |scale, mark| scale.child(line(left, mark.y)).child(label(mark)));
    let zero = svg("path").class("zero").attribute("d", drawing.zero);
    let pieces = drawing.pieces.into_iter().map(|(category, path)| piece(category, path));
    let notches = svg("path").class("notch").attribute("fill", NOTCH_FILL).attribute("d", drawing.notches);
    let others = svg("path").class("others").attribute("d", drawing.others);
    let capacity = drawing.capacity;
    let capacity = group("capacity").child(line(left - 4.0, capacity.y)).child(label(capacity));
    let stages = drawing.stages.iter().enumerate().map(|(index, label)| stage(index, label, frame, input, say));
    let stages = svg("g")
        .attribute("role", "listbox")
        .attribute("aria-label", if input.is_stale { say.stages_stale } else { say.stages })
        .attribute("aria-orientation", "horizontal")
        .children(stages);
    let names = drawing.names.into_iter().fold(group("names"), piece_name);
    svg("svg")
        .class("chart-picture")
        .attribute("viewBox", format!("0 0 {} {}", fixed(frame.size.width, 0), fixed(frame.size.height, 0)))
        .child(scale)
        .child(svg("path").class("ghosts").attribute("aria-hidden", "true").attribute("d", drawing.ghosts))
        .child(group("pieces").children(pieces).child(notches).child(zero).child(others))
        .child(capacity)
        .child(outline(drawing.outline))
        .child(stages)
        .child(names)
}

/// The amount of a mark of the scale.
fn label(mark: Mark) -> Element {
    svg("text").at("x", mark.x).at("y", mark.base).text(mark.text)
}

fn group(class: &'static str) -> Element {
    svg("g").class(class).attribute("aria-hidden", "true")
}

fn piece(category: Category, path: String) -> Element {
    svg("path")
        .class("piece")
        .attribute("data-category", category.id())
        .attribute("fill", fill_of(category))
        .attribute("d", path)
}

fn outline(Outline { x, y, width, height }: Outline) -> Element {
    svg("rect")
        .class("stage-outline")
        .attribute("rx", "3")
        .at("x", x)
        .at("y", y)
        .at("width", width)
        .at("height", height)
}

/// What can be clicked and focused of a bar, its total and its number.
fn stage(index: usize, label: &StageLabel, frame: Frame, input: ChartInput<'_>, say: &Messages) -> Element {
    let is_selected = index == input.selected;
    let words = ["stage", if label.exceeds { " exceeds" } else { "" }, if label.is_written { "" } else { " spare" }];
    let class = words.concat() + if is_selected { " selected" } else { "" };
    let mut name = (say.stage_name)(index, label.bytes, input.report.chart.capacity, input.unit);
    if let Some(before) = input.baseline.and_then(|baseline| baseline.chart.bars.get(index)) {
        name.push_str("; ");
        name.push_str(&(say.baseline_change)(label.bytes, before.total, input.unit));
    }
    let field = svg("rect")
        .class("stage-field")
        .at("x", frame.slot_x(index))
        .at("width", frame.slot())
        .at("height", frame.size.height);
    let text = |class: &'static str, y: f64, text: String| {
        svg("text").class(class).attribute("aria-hidden", "true").at("x", label.x).at("y", y).text(text)
    };
    // The name says more than the texts do, which stand beside the option therefore, not in it.
    let option = svg("g")
        .attribute("role", "option")
        .state("aria-selected", is_selected)
        .attribute("aria-label", name)
        .attribute("tabindex", if is_selected { "0" } else { "-1" })
        .attribute("data-testid", "stage")
        .number("data-stage", index)
        .exact("data-bytes", label.bytes.value())
        .child(field);
    svg("g")
        .attribute("class", class)
        .attribute("role", "none")
        .child(option)
        .child(
            text("stage-total", label.y, label.total.clone())
                .attribute("data-explain", "total")
                .number("data-of", index),
        )
        .child(text("stage-number", label.number_y, index.to_string()))
}

fn piece_name(names: Element, name: Name) -> Element {
    names
        .child(svg("path").class("piece-leader").attribute("d", name.leader))
        .child(svg("text").class("piece-name").at("x", name.x).at("y", name.y).text(name.text))
}

/// The stage that an event in the chart belongs to.
pub fn stage_of(event: &Event) -> Option<usize> {
    let stage = events::is_inside(event, ".chart").then(|| events::closest(event, "data-stage"))?;
    stage?.parse().ok()
}

/// The stage that a key leads to, from the one it was pressed on; the focus goes along.
pub fn stage_by_key(event: &Event, last: usize) -> Option<usize> {
    let stage = pick_by_key(&pressed(event)?, stage_of(event)?, last)?;
    event.prevent_default();
    focus::inside(event.target(), ".chart", &format!("[data-stage='{stage}']"));
    Some(stage)
}

/// The key of a key event.
pub fn pressed(event: &Event) -> Option<String> {
    event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key)
}

/// Where a key leads from a stage.
pub fn pick_by_key(key: &str, stage: usize, last: usize) -> Option<usize> {
    match key {
        "ArrowLeft" | "ArrowDown" => Some(stage.saturating_sub(1)),
        "ArrowRight" | "ArrowUp" => Some((stage + 1).min(last)),
        "Home" => Some(0),
        "End" => Some(last),
        "Enter" | " " => Some(stage),
        _ => None,
    }
}

/// Keeps `size` at the size of the holder, as far as the browser says.
pub fn measure(holder: NodeRef<Div>, size: Held<Size>) {
    effect(move || {
        if let Some(holder) = holder.get() {
            size::observe(&holder, move |seen| {
                // A hidden page has no size; the last one is a better guess.
                if seen.width >= 1.0 && seen.height >= 1.0 {
                    size.set(seen);
                }
            });
        }
    });
}
