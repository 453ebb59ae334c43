//! The chart as it is drawn: coordinates and texts, nothing else.

use super::geometry::{ABOVE, Frame, MARK_DISTANCE, Scale, Size, labelled, marked};
use super::lettering::{Lettering, Rectangle, width};
use super::names::{Name, Say, names, widest};
use crate::decimal::push_fixed;
use crate::memory::Category;
use crate::report::number::{Decimals, MemoryUnit, amount_within, mark};
use crate::report::{Bar, Chart};
use crate::units::{Bytes, GB};

/// Two marks closer than this would touch.
const MARK_HEIGHT: f64 = 14.0;
/// From the line of a mark to the base line of its text.
const MARK_BASE: f64 = 4.0;
/// Base lines of the scale's unit, above the plot, and of the stage numbers, under it.
const UNIT_BASE: f64 = ABOVE - 12.0;
const NUMBER_BASE: f64 = 18.0;
/// From the end of a bar to the base line of its total.
const TOTAL_BASE: f64 = 6.0;
/// The air between two labels.
const LABEL_AIR: f64 = 4.0;
/// A frame around a narrower bar would cut through its label.
const FRAMED_BAR: f64 = 28.0;
/// Height of the mark at the other instant's total.
const OTHER_HEIGHT: f64 = 2.0;
/// How far the baseline's outline stands off a bar.
const GHOST_MARGIN: f64 = 3.0;
/// Upper bound on the steps of a scale in GB.
const MOST_STEPS: u8 = 8;
/// Above so many of the unit a bar's total has no decimals: three figures are enough, the table has more.
const LARGE: f64 = 128.0;

/// What a chart is drawn for.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// The box.
    pub size: Size,
    /// The stage of the peak.
    pub peak: usize,
    /// The selected stage.
    pub selected: usize,
    /// The unit of the labels.
    pub unit: MemoryUnit,
    /// How categories are called.
    pub category: Say,
}

/// Everything the chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The box, and where bars stand in it.
    pub frame: Frame,
    /// The unit, above the scale.
    pub unit: Mark,
    /// The scale; a mark without a text is a line only.
    pub marks: Vec<Mark>,
    /// The device's line.
    pub capacity: Mark,
    /// The line of zero, as a path; empty where no bar goes below it.
    pub zero: String,
    /// Outlines of the bars of the baseline, one path; empty without one.
    pub ghosts: String,
    /// The pieces of all bars by category, each category one path.
    pub pieces: Vec<(Category, String)>,
    /// What negative items take off the ends of the stacks, one path.
    pub notches: String,
    /// Marks where the bars end at their other instant, one path; empty where there is no other, or are several.
    pub others: String,
    /// Labels and names of the stages.
    pub stages: Vec<StageLabel>,
    /// The frame around the selected bar.
    pub outline: Outline,
    /// Names beside the pieces, where there is room for them.
    pub names: Vec<Name>,
}

/// A mark of the scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The height of its line in the chart.
    pub y: f64,
    /// Its amount.
    pub text: String,
    /// Right end of the amount.
    pub x: f64,
    /// Base line of the amount.
    pub base: f64,
}

/// What is written at a bar.
#[derive(Debug, Clone, PartialEq)]
pub struct StageLabel {
    /// The total.
    pub bytes: Bytes,
    /// The total as written.
    pub total: String,
    /// Whether it exceeds the device.
    pub exceeds: bool,
    /// Whether there is room to write it.
    pub is_written: bool,
    /// Middle of total and number.
    pub x: f64,
    /// Base line of the total.
    pub y: f64,
    /// Base line of the stage's number.
    pub number_y: f64,
}

/// The frame of a bar.
pub type Outline = Rectangle;

impl Drawing {
    /// The drawing of a chart; `behind` is the baseline's.
    pub fn new(chart: &Chart, behind: Option<&Chart>, room: Room) -> Self {
        let Room { size, selected, unit, category, .. } = room;
        let scale = Scale::of(chart, behind);
        let marked = marked_amounts(chart, behind, scale, unit);
        let texts = marked.iter().map(|bytes| mark(*bytes, unit)).chain([mark(chart.capacity, unit)]);
        let left = texts.map(|text| width(&text)).fold(0.0, f64::max) + MARK_DISTANCE;
        let name = if chart.bars.len() <= 3 { widest(chart, unit, category) } else { 0.0 };
        let frame = Frame::new(size, chart.bars.len(), left, name);
        let drawn: Vec<Drawn> = chart.bars.iter().map(|bar| Drawn::new(bar, frame, scale)).collect();
        let capacity = Mark::new(scale.y(frame, chart.capacity).round(), frame, mark(chart.capacity, unit));
        Self {
            frame,
            unit: Mark { base: UNIT_BASE, ..Mark::new(0.0, frame, unit.name().to_owned()) },
            marks: marks(&marked, frame, scale, capacity.y, unit),
            zero: zero(frame, scale),
            ghosts: behind.map_or(String::new(), |behind| ghosts(behind, frame, scale)),
            pieces: Category::ALL
                .into_iter()
                .enumerate()
                .map(|(at, category)| (category, pieces(&drawn, frame, at)))
                .collect(),
            notches: path(drawn.iter().map(|drawn| drawn.notch), frame),
            others: others(chart, frame, scale),
            stages: stage_labels(chart, frame, scale, room),
            outline: outline(frame, selected, drawn.get(selected).map_or(frame.ground(), |drawn| drawn.top)),
            names: names(chart, &drawn, frame, unit, category),
            capacity,
        }
    }

    /// The room of every text that is seen.
    pub fn texts(&self) -> Vec<Rectangle> {
        let marks = self.marks.iter().chain([&self.capacity, &self.unit]).filter(|mark| !mark.text.is_empty());
        let mut rooms: Vec<Rectangle> = marks.map(|mark| Lettering::End.room(&mark.text, mark.x, mark.base)).collect();
        for (index, stage) in self.stages.iter().enumerate().filter(|(_, stage)| stage.is_written) {
            rooms.push(Lettering::Middle.room(&stage.total, stage.x, stage.y));
            rooms.push(Lettering::Middle.room(&index.to_string(), stage.x, stage.number_y));
        }
        rooms.extend(self.names.iter().map(Name::room));
        rooms
    }
}

impl Mark {
    fn new(y: f64, frame: Frame, text: String) -> Self {
        Self { y, text, x: frame.left - MARK_DISTANCE, base: y + MARK_BASE }
    }
}

/// Upper edge and height of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Piece {
    y: f64,
    height: f64,
}

/// A bar: a piece per category (of no height where there is none), the notches, the end of the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Drawn {
    pieces: [Piece; Category::ALL.len()],
    notch: Piece,
    top: f64,
}

impl Drawn {
    fn new(bar: &Bar, frame: Frame, scale: Scale) -> Self {
        let ground = scale.y(frame, Bytes::ZERO);
        let mut end = ground;
        let pieces = Category::ALL.map(|category| {
            match bar.segments.iter().find(|segment| segment.category == category) {
                Some(segment) => {
                    end = scale.y(frame, segment.to);
                    span(end, scale.y(frame, segment.from))
                }
                // Where it would be, so that it grows from there.
                None => Piece { y: end, height: 0.0 },
            }
        });
        let notch = match (bar.notches.first(), bar.notches.last()) {
            (Some(first), Some(last)) => span(scale.y(frame, first.to), scale.y(frame, last.from)),
            _ => Piece { y: end, height: 0.0 },
        };
        Self { pieces, notch, top: end }
    }

    /// The height of the middle of a category's piece.
    pub(super) fn middle_of(&self, category: Category) -> f64 {
        let at = Category::ALL.iter().position(|other| *other == category).unwrap_or(0);
        self.pieces[at].y + self.pieces[at].height / 2.0
    }
}

/// A hairline of ground stays free between two pieces.
fn span(upper: f64, lower: f64) -> Piece {
    let height = lower - upper;
    let gap = if height > 3.0 { 1.0 } else { 0.0 };
    Piece { y: upper, height: (height - gap).max(0.0) }
}

fn pieces(drawn: &[Drawn], frame: Frame, at: usize) -> String {
    path(drawn.iter().map(|drawn| drawn.pieces[at]), frame)
}

/// One rectangle a bar, always as many and in the same order, so that the browser can move one drawing into the next.
fn path(pieces: impl Iterator<Item = Piece>, frame: Frame) -> String {
    let mut path = String::new();
    let width = frame.bar();
    for (index, Piece { y, height }) in pieces.enumerate() {
        let x = frame.bar_x(index);
        draw(&mut path, &[("M", x), (" ", y), ("H", x + width), ("V", y + height), ("H", x)]);
        path.push('Z');
    }
    path
}

/// Goes on with a path: commands with a coordinate each, to a tenth of a pixel.
fn draw(path: &mut String, steps: &[(&str, f64)]) {
    for (command, coordinate) in steps {
        path.push_str(command);
        push_fixed(path, *coordinate, 1);
    }
}

/// A little wider than the bars, so that a lower one is seen too. Stages that only the baseline has have no place.
fn ghosts(behind: &Chart, frame: Frame, scale: Scale) -> String {
    let margin = if frame.bar() >= FRAMED_BAR { GHOST_MARGIN } else { 1.0 };
    let mut path = String::new();
    for (index, bar) in behind.bars.iter().take(frame.bars).enumerate() {
        let (left, right) = (frame.bar_x(index) - margin, frame.bar_x(index) + frame.bar() + margin);
        let (ground, top) = (scale.y(frame, Bytes::ZERO), scale.y(frame, bar.total));
        draw(&mut path, &[("M", left), (" ", ground), ("V", top), ("H", right), ("V", ground)]);
    }
    path
}

/// Where the bars end at their other instant, as a bar of two pixels across each: always one a bar, or none at all.
fn others(chart: &Chart, frame: Frame, scale: Scale) -> String {
    let others: Option<Vec<Bytes>> = chart.bars.iter().map(|bar| bar.other).collect();
    let marks = others.into_iter().flatten();
    path(marks.map(|other| Piece { y: scale.y(frame, other) - OTHER_HEIGHT / 2.0, height: OTHER_HEIGHT }), frame)
}

/// The line of zero across the plot, where bars go below it.
fn zero(frame: Frame, scale: Scale) -> String {
    let mut path = String::new();
    if scale.bottom < Bytes::ZERO {
        let y = scale.y(frame, Bytes::ZERO).round();
        draw(&mut path, &[("M", frame.left), (" ", y), ("H", frame.size.width)]);
    }
    path
}

/// The amounts that the scale marks: the chart's own in GiB, round ones of its own in GB.
fn marked_amounts(chart: &Chart, behind: Option<&Chart>, scale: Scale, unit: MemoryUnit) -> Vec<Bytes> {
    match unit {
        MemoryUnit::Gib => {
            let ticks = marked(chart, behind).ticks.iter().map(|tick| tick.bytes);
            ticks.filter(|bytes| *bytes <= scale.top).collect()
        }
        MemoryUnit::Gb => {
            let (bottom, top) = (scale.bottom.gb(), scale.top.gb());
            let step = round_step(top - bottom);
            let first = (bottom / step).ceil();
            let marks = (0..=MOST_STEPS).map(|index| (first + f64::from(index)) * step);
            marks.filter(|count| *count <= top).map(|count| Bytes::new(count * GB)).collect()
        }
    }
}

/// The finest of the steps 1, 2, 5, 10, 20, … thousandths that divides a range into at most eight.
fn round_step(range: f64) -> f64 {
    let mut step = 0.001;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if range / step <= f64::from(MOST_STEPS) || !range.is_finite() {
            break;
        }
        step *= factor;
    }
    step
}

/// A mark gives way to the device's line, and to the mark below it.
fn marks(amounts: &[Bytes], frame: Frame, scale: Scale, line: f64, unit: MemoryUnit) -> Vec<Mark> {
    let mut last = f64::INFINITY;
    let mark_at = |bytes: &Bytes| {
        let y = scale.y(frame, *bytes).round();
        let is_free = (y - line).abs() >= MARK_HEIGHT && last - y >= MARK_HEIGHT;
        if is_free {
            last = y;
        }
        Mark::new(y, frame, if is_free { mark(*bytes, unit) } else { String::new() })
    };
    amounts.iter().map(mark_at).collect()
}

fn stage_labels(chart: &Chart, frame: Frame, scale: Scale, room: Room) -> Vec<StageLabel> {
    let largest = chart.bars.iter().map(|bar| room.unit.of(bar.total).abs()).fold(0.0, f64::max);
    let decimals = if largest > LARGE { Decimals::Zero } else { Decimals::One };
    let totals: Vec<String> = chart.bars.iter().map(|bar| amount_within(bar.total, room.unit, decimals)).collect();
    let last = frame.bars.saturating_sub(1).to_string();
    let widest = totals.iter().chain([&last]).map(|text| width(text)).fold(0.0, f64::max) + LABEL_AIR;
    let written = labelled(frame, widest, room.selected, room.peak);
    let label = |(index, (bar, total)): (usize, (&Bar, String))| StageLabel {
        bytes: bar.total,
        total,
        exceeds: bar.exceeds,
        is_written: written[index],
        x: frame.label_x(index, widest),
        // At the total, inside the notch where there is one: the end of the bar is what counts.
        y: scale.y(frame, bar.total) - TOTAL_BASE,
        number_y: frame.ground() + NUMBER_BASE,
    };
    chart.bars.iter().zip(totals).enumerate().map(label).collect()
}

/// Around bar, label and number; around the bar alone where it is narrow.
fn outline(frame: Frame, selected: usize, top: f64) -> Outline {
    let (margin, above, below) = if frame.bar() >= FRAMED_BAR { (3.0, 22.0, 24.0) } else { (1.5, 3.0, 3.0) };
    let y = (top - above).max(0.0);
    let (width, height) = (frame.bar() + 2.0 * margin, frame.ground() + below - y);
    Outline { x: frame.bar_x(selected) - margin, y, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::bars::names::NAME_HEIGHT;
    use crate::report::{Segment, Tick};

    fn gib(count: f64) -> Bytes {
        Bytes::new(count * 1_073_741_824.0)
    }

    fn bar(stage: usize, parts: &[(Category, f64)], off: f64) -> Bar {
        let mut end = 0.0;
        let segments = parts
            .iter()
            .map(|(category, count)| {
                let from = end;
                end += count;
                Segment { category: *category, from: gib(from), to: gib(end), bytes: gib(*count) }
            })
            .collect();
        let notch = Segment { category: Category::Buffers, from: gib(end - off), to: gib(end), bytes: gib(-off) };
        let notches = if off > 0.0 { vec![notch] } else { Vec::new() };
        Bar { stage, total: gib(end - off), band: None, exceeds: end - off > 64.0, segments, notches, other: None }
    }

    fn chart(bars: Vec<Bar>) -> Chart {
        let ticks = (0..6).map(|step| Tick { bytes: gib(16.0 * f64::from(step)) }).collect();
        Chart { top: gib(80.0), bottom: Bytes::ZERO, ticks, capacity: gib(64.0), bars }
    }

    fn draw(bars: Vec<Bar>) -> Drawing {
        Drawing::new(&chart(bars), None, room(740.0))
    }

    fn room(width: f64) -> Room {
        let size = Size { width, height: 352.0 };
        Room { size, peak: 0, selected: 0, unit: MemoryUnit::Gib, category: Category::id }
    }

    #[test]
    fn every_category_is_one_path_with_one_rectangle_a_bar() {
        let drawing =
            draw(vec![bar(0, &[(Category::Parameters, 10.0)], 0.0), bar(1, &[(Category::Gradients, 5.0)], 0.0)]);
        assert_eq!(drawing.pieces.len(), Category::ALL.len());
        for (_, path) in &drawing.pieces {
            assert_eq!(path.matches('M').count(), 2, "{path}");
        }
    }

    #[test]
    fn pieces_stand_on_one_another_and_the_label_above_the_last() {
        let parts = [(Category::Parameters, 36.0), (Category::Reserve, 18.0)];
        let drawing = draw(vec![bar(0, &parts, 0.0)]);
        let frame = drawing.frame;
        // The scale ends at the line of the device, 64 GiB.
        let y = |count: f64| ABOVE + (64.0 - count) / 64.0 * frame.plot_height();
        assert!((drawing.stages[0].y - (y(54.0) - 6.0)).abs() < 0.01);
        assert!(drawing.pieces[0].1.starts_with(&format!("M{:.1} {:.1}H", frame.bar_x(0), y(36.0))));
    }

    #[test]
    fn a_notch_is_taken_off_the_end_and_the_total_says_so() {
        let drawing = draw(vec![bar(0, &[(Category::Parameters, 30.0)], 12.0)]);
        assert_eq!(drawing.stages[0].total, "18.0");
        assert_eq!(drawing.notches.matches('M').count(), 1);
    }

    #[test]
    fn marks_give_way_to_the_line_of_the_device() {
        let drawing = draw(vec![bar(0, &[(Category::Parameters, 65.8)], 0.0)]);
        let texts: Vec<&str> = drawing.marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(texts, ["0", "16", "32", "48", ""]);
        assert_eq!(drawing.capacity.text, "64");
        assert!(drawing.stages[0].exceeds);
    }

    #[test]
    fn names_beside_a_single_bar_never_touch() {
        let parts = Category::ALL.map(|category| (category, 0.5));
        let drawing = draw(vec![bar(0, &parts, 0.0)]);
        assert_eq!(drawing.names.len(), Category::ALL.len());
        assert!(drawing.names.windows(2).all(|pair| pair[0].y - pair[1].y >= NAME_HEIGHT - 0.01));
        assert!(draw((0..16).map(|stage| bar(stage, &parts, 0.0)).collect()).names.is_empty());
    }

    #[test]
    fn amounts_of_the_scale_are_short_in_both_units() {
        assert_eq!(mark(gib(64.0), MemoryUnit::Gib), "64");
        assert_eq!(mark(gib(64.0), MemoryUnit::Gb), "68.7");
        assert_eq!(mark(gib(-0.25), MemoryUnit::Gib), "\u{2212}0.25");
    }

    #[test]
    fn the_baseline_is_drawn_behind_on_the_same_scale() {
        let low = chart(vec![bar(0, &[(Category::Parameters, 10.0)], 0.0)]);
        let mut high = chart(vec![bar(0, &[(Category::Parameters, 75.0)], 0.0), bar(1, &[], 0.0)]);
        high.top = gib(96.0);
        let drawing = Drawing::new(&low, Some(&high), room(720.0));
        assert_eq!(drawing.ghosts.matches('M').count(), 1, "the second stage has no place");
        assert_eq!(Drawing::new(&low, None, room(720.0)).ghosts, "");
        let scale = Scale::of(&low, Some(&high));
        assert!(scale.top >= gib(75.0));
        assert!(drawing.ghosts.contains(&format!("V{:.1}", scale.y(drawing.frame, gib(75.0)))));
    }
}
