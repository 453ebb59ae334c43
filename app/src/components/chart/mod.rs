//! The stacked bars of all stages against the device's line.
//!
//! One effect turns the report into a `Drawing` and the drawing into a view of plain values; the view keeps its nodes and
//! writes only the attributes that differ. That is as fine as a signal per attribute, and costs a tenth.

pub mod drawing;
pub mod geometry;

use crate::browser::size::{self, Size};
use crate::browser::{events, focus};
use crate::messages::Messages;
use drawing::{Drawing, Name, Outline, SCALE, StageLabel};
use geometry::{ABOVE, Frame};
use leptos::html::Div;
use leptos::prelude::*;
use shardmem::report::Report;
use shardmem::report::number::{MemoryUnit, shortest};
use shardmem::units::Bytes;

/// Assumed until the browser has said how much room there is.
const UNMEASURED: Size = Size { width: 720.0, height: 360.0 };

/// What to draw.
#[derive(Clone, Copy)]
pub struct ChartInput<'a> {
    /// The figures.
    pub report: &'a Report,
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
pub fn chart_picture(input: ChartInput<'_>, say: &'static Messages) -> impl IntoView + use<> {
    let ChartInput { report, is_stale, selected, unit, size } = input;
    let frame = Frame { size, bars: report.chart.bars.len() };
    let drawing = Drawing::new(&report.chart, frame, report.verdict.stage, selected, unit);
    picture(drawing, Picked { selected, capacity: report.chart.capacity, unit, is_stale }, say)
}

/// The stage that an event in the chart belongs to.
pub fn stage_of(event: &leptos::ev::Event) -> Option<usize> {
    events::closest(event, "data-stage")?.parse().ok()
}

/// The stage that a key leads to, from the one it was pressed on; the focus goes along.
pub fn stage_by_key(event: &leptos::ev::KeyboardEvent, last: usize) -> Option<usize> {
    let stage = pick_by_key(&event.key(), stage_of(event)?, last)?;
    event.prevent_default();
    focus::inside(event.target(), ".chart", &format!("[data-stage='{stage}']"));
    Some(stage)
}

/// Where a key leads from a stage.
fn pick_by_key(key: &str, stage: usize, last: usize) -> Option<usize> {
    match key {
        "ArrowLeft" | "ArrowDown" => Some(stage.saturating_sub(1)),
        "ArrowRight" | "ArrowUp" => Some((stage + 1).min(last)),
        "Home" => Some(0),
        "End" => Some(last),
        "Enter" | " " => Some(stage),
        _ => None,
    }
}

/// A holder and its size, as far as the browser has said.
pub fn measured() -> (NodeRef<Div>, RwSignal<Size>) {
    let size = RwSignal::new(UNMEASURED);
    let holder = NodeRef::<Div>::new();
    Effect::new(move |_| {
        if let Some(holder) = holder.get() {
            size::observe(&holder, move |seen| {
                // A hidden page has no size; the last one is a better guess.
                if seen.width >= 1.0 && seen.height >= 1.0 {
                    size.set(seen);
                }
            });
        }
    });
    (holder, size)
}

/// What the names of the bars need besides the drawing.
#[derive(Clone, Copy)]
struct Picked {
    selected: usize,
    capacity: Bytes,
    unit: MemoryUnit,
    is_stale: bool,
}

fn picture(drawing: Drawing, picked: Picked, say: &'static Messages) -> impl IntoView {
    let Drawing { frame, unit, marks, capacity, pieces, notches, stages, outline, names } = drawing;
    let (left, right) = (SCALE.0, frame.size.width);
    let marks = marks.into_iter().map(|mark| {
        view! {
            <line x1=left x2=right y1=mark.y y2=mark.y />
            <text x=SCALE.1 y=mark.y + 4.0>
                {mark.text}
            </text>
        }
    });
    let pieces = pieces.into_iter().map(|(category, path)| {
        view! { <path class="piece" data-category=category.id() fill=format!("url(#fill-{})", category.id()) d=path /> }
    });
    let stages = stages.into_iter().enumerate().map(|(index, label)| stage(index, label, frame, picked, say));
    let Outline { x, y, width, height } = outline;
    view! {
        <svg class="chart-picture" viewBox=format!("0 0 {:.0} {:.0}", frame.size.width, frame.size.height)>
            <g class="scale" aria-hidden="true">
                <text class="scale-unit" x=SCALE.1 y=ABOVE - 12.0>
                    {unit}
                </text>
                {marks.collect_view()}
            </g>
            <g aria-hidden="true">
                {pieces.collect_view()} <path class="notch" fill="url(#fill-notch)" d=notches />
            </g>
            <g class="capacity" aria-hidden="true">
                <line x1=left - 4.0 x2=right y1=capacity.y y2=capacity.y />
                <text x=SCALE.1 y=capacity.y + 4.0>
                    {capacity.text}
                </text>
            </g>
            <rect class="stage-outline" x=x y=y width=width height=height rx="3" />
            <g role="listbox" aria-label=if picked.is_stale { say.stages_stale } else { say.stages } aria-orientation="horizontal">
                {stages.collect_view()}
            </g>
            <g aria-hidden="true">{names.into_iter().map(|name| piece_name(name, say)).collect_view()}</g>
        </svg>
    }
}

/// What can be clicked and focused of a bar, its total and its number.
fn stage(index: usize, label: StageLabel, frame: Frame, picked: Picked, say: &'static Messages) -> impl IntoView {
    let is_selected = index == picked.selected;
    let class = match (label.exceeds, label.is_written) {
        (true, true) => "stage exceeds",
        (true, false) => "stage exceeds spare",
        (false, true) => "stage",
        (false, false) => "stage spare",
    };
    view! {
        <g
            class=class
            role="option"
            aria-selected=if is_selected { "true" } else { "false" }
            aria-label=(say.stage_name)(index, label.bytes, picked.capacity, picked.unit)
            tabindex=if is_selected { "0" } else { "-1" }
            data-testid="stage"
            data-stage=index
            data-bytes=shortest(label.bytes.value())
        >
            <rect class="stage-field" x=frame.slot_x(index) y="0" width=frame.slot() height=frame.size.height />
            <text class="stage-total" x=label.x y=label.y>
                {label.total}
            </text>
            <text class="stage-number" x=label.x y=frame.ground() + 18.0>
                {index}
            </text>
        </g>
    }
}

fn piece_name(name: Name, say: &'static Messages) -> impl IntoView {
    view! {
        <path class="piece-leader" d=name.leader />
        <text class="piece-name" x=name.x y=name.y>
            {format!("{} {}", (say.category)(name.category), name.amount)}
        </text>
    }
}
