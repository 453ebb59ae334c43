//! The chart as it is drawn: coordinates and texts, nothing else. Tested natively.

use super::geometry::{ABOVE, Frame, Scale, labelled, marked};
use shardmem::decimal::push_fixed;
use shardmem::memory::Category;
use shardmem::report::number::{Decimals, MemoryUnit, amount, mark};
use shardmem::report::{Bar, Chart};
use shardmem::units::Bytes;

/// Two marks closer than this would touch.
const MARK_HEIGHT: f64 = 14.0;
/// Distance between two names beside a bar.
const NAME_HEIGHT: f64 = 15.0;
/// Widest digit of the chart's type, and the air between two labels.
const DIGIT: f64 = 7.2;
const LABEL_AIR: f64 = 6.0;
/// A frame around a narrower bar would cut through its label.
const FRAMED_BAR: f64 = 28.0;

/// How far the baseline's outline stands off a bar.
const GHOST_MARGIN: f64 = 3.0;

/// Everything the chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The box, and where bars stand in it.
    pub frame: Frame,
    /// The unit, above the scale.
    pub unit: &'static str,
    /// The scale; a mark without a text is a line only.
    pub marks: Vec<Mark>,
    /// The device's line.
    pub capacity: Mark,
    /// Outlines of the bars of the baseline, one path; empty without one.
    pub ghosts: String,
    /// The pieces of all bars by category, each category one path.
    pub pieces: Vec<(Category, String)>,
    /// What negative items take off the ends of the stacks, one path.
    pub notches: String,
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
    /// Its height in the chart.
    pub y: f64,
    /// Its amount.
    pub text: String,
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
    /// Middle of the bar.
    pub x: f64,
    /// Base line of the total.
    pub y: f64,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outline {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A name beside a piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// Which category.
    pub category: Category,
    /// Its amount as written.
    pub amount: String,
    /// The line from the piece to the name.
    pub leader: String,
    /// Left end of the name.
    pub x: f64,
    /// Base line of the name.
    pub y: f64,
}

impl Drawing {
    /// The drawing of a chart; `behind` is the baseline's, `peak` the stage of the peak.
    pub fn new(
        chart: &Chart,
        behind: Option<&Chart>,
        frame: Frame,
        (peak, selected): (usize, usize),
        unit: MemoryUnit,
    ) -> Self {
        let scale = Scale::of(chart, behind);
        let drawn: Vec<Drawn> = chart.bars.iter().map(|bar| Drawn::new(bar, frame, scale)).collect();
        let capacity = Mark { y: scale.y(frame, chart.capacity).round(), text: mark(chart.capacity, unit) };
        Self {
            frame,
            unit: unit.name(),
            marks: marks(marked(chart, behind), frame, scale, capacity.y, unit),
            ghosts: behind.map_or(String::new(), |behind| ghosts(behind, frame, scale)),
            pieces: Category::ALL
                .into_iter()
                .enumerate()
                .map(|(at, category)| (category, pieces(&drawn, frame, at)))
                .collect(),
            notches: path(drawn.iter().map(|drawn| drawn.notch), frame),
            stages: stage_labels(chart, frame, scale, (peak, selected), unit),
            outline: outline(frame, selected, drawn.get(selected).map_or(frame.ground(), |drawn| drawn.top)),
            names: names(chart, &drawn, frame, unit),
            capacity,
        }
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
struct Drawn {
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

fn marks(chart: &Chart, frame: Frame, scale: Scale, line: f64, unit: MemoryUnit) -> Vec<Mark> {
    let ticks = chart.ticks.iter().filter(|tick| tick.bytes <= scale.top);
    ticks
        .map(|tick| {
            let y = scale.y(frame, tick.bytes).round();
            let is_free = (y - line).abs() >= MARK_HEIGHT;
            Mark { y, text: if is_free { mark(tick.bytes, unit) } else { String::new() } }
        })
        .collect()
}

fn stage_labels(
    chart: &Chart,
    frame: Frame,
    scale: Scale,
    (peak, selected): (usize, usize),
    unit: MemoryUnit,
) -> Vec<StageLabel> {
    // Three figures are enough for a bar; the table has more.
    let decimals = if unit.of(scale.top) > 128.0 { Decimals::Zero } else { Decimals::One };
    let totals: Vec<String> = chart.bars.iter().map(|bar| amount(bar.total, unit, decimals)).collect();
    let longest = totals.iter().map(|total| total.chars().count()).max().unwrap_or(0);
    let written = labelled(frame, longest as f64 * DIGIT + LABEL_AIR, selected, peak);
    let label = |(index, (bar, total)): (usize, (&Bar, String))| StageLabel {
        bytes: bar.total,
        total,
        exceeds: bar.exceeds,
        is_written: written[index],
        x: frame.bar_x(index) + frame.bar() / 2.0,
        // At the total, inside the notch where there is one: the end of the bar is what counts.
        y: scale.y(frame, bar.total) - 6.0,
    };
    chart.bars.iter().zip(totals).enumerate().map(label).collect()
}

/// Around bar, label and number; around the bar alone where it is narrow.
fn outline(frame: Frame, selected: usize, top: f64) -> Outline {
    let (margin, above, below) = if frame.bar() >= FRAMED_BAR { (3.0, 22.0, 24.0) } else { (1.5, 3.0, 3.0) };
    let y = (top - above).max(0.0);
    Outline {
        x: frame.bar_x(selected) - margin,
        y,
        width: frame.bar() + 2.0 * margin,
        height: frame.ground() + below - y,
    }
}

/// Each name at its piece, moved up as far as the name below needs.
fn names(chart: &Chart, drawn: &[Drawn], frame: Frame, unit: MemoryUnit) -> Vec<Name> {
    if !frame.names_segments() {
        return Vec::new();
    }
    let mut names = Vec::new();
    for (index, (bar, drawn)) in chart.bars.iter().zip(drawn).enumerate() {
        let edge = frame.bar_x(index) + frame.bar();
        let mut lowest = frame.ground() - ABOVE / 8.0;
        for segment in &bar.segments {
            let at = Category::ALL.iter().position(|category| *category == segment.category).unwrap_or(0);
            let middle = drawn.pieces[at].y + drawn.pieces[at].height / 2.0;
            let y = middle.min(lowest);
            lowest = y - NAME_HEIGHT;
            let mut leader = String::new();
            draw(&mut leader, &[("M", edge + 3.0), (" ", middle), ("L", edge + 15.0), (" ", y), ("H", edge + 21.0)]);
            names.push(Name {
                category: segment.category,
                amount: amount(segment.bytes, unit, Decimals::Two),
                leader,
                x: edge + 26.0,
                y: y + 4.0,
            });
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::size::Size;
    use shardmem::report::{Segment, Tick};

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
        Bar { stage, total: gib(end - off), exceeds: end - off > 64.0, segments, notches }
    }

    fn chart(bars: Vec<Bar>) -> Chart {
        let ticks = (0..6).map(|step| Tick { bytes: gib(16.0 * f64::from(step)) }).collect();
        Chart { top: gib(80.0), bottom: Bytes::ZERO, ticks, capacity: gib(64.0), bars }
    }

    fn draw(bars: Vec<Bar>) -> Drawing {
        let frame = Frame { size: Size { width: 740.0, height: 352.0 }, bars: bars.len() };
        Drawing::new(&chart(bars), None, frame, (0, 0), MemoryUnit::Gib)
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
        let frame = Frame { size: Size { width: 720.0, height: 352.0 }, bars: 1 };
        let low = chart(vec![bar(0, &[(Category::Parameters, 10.0)], 0.0)]);
        let mut high = chart(vec![bar(0, &[(Category::Parameters, 75.0)], 0.0), bar(1, &[], 0.0)]);
        high.top = gib(96.0);
        let drawing = Drawing::new(&low, Some(&high), frame, (0, 0), MemoryUnit::Gib);
        assert_eq!(drawing.ghosts.matches('M').count(), 1, "the second stage has no place");
        assert_eq!(Drawing::new(&low, None, frame, (0, 0), MemoryUnit::Gib).ghosts, "");
        let scale = Scale::of(&low, Some(&high));
        assert!(scale.top >= gib(75.0));
        assert!(drawing.ghosts.contains(&format!("V{:.1}", scale.y(frame, gib(75.0)))));
    }
}
