//! Where the bars stand, in pixels.

use crate::report::Chart;
use crate::units::Bytes;

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Room at the left for the scale's marks, where they are short.
pub(super) const LEFT: f64 = 40.0;
/// Room above the plot for the label of a bar that touches the top.
pub(super) const ABOVE: f64 = 24.0;
/// Room under the plot for the stage numbers.
const BELOW: f64 = 28.0;
/// The widest a bar's slot gets, so that one stage is a bar and not a wall.
const WIDEST_SLOT: f64 = 104.0;
/// How many stages at most have names beside their bars.
const NAMED_STAGES: usize = 3;
/// How far a bar with names stands off the edge of its slot, and its names off the bar.
const NAMED_INSET: f64 = 8.0;
pub(super) const NAME_DISTANCE: f64 = 26.0;

/// The chart's box and how many bars stand in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The whole box.
    pub size: Size,
    /// How many bars.
    pub bars: usize,
    /// Where the plot begins; at the left of it stand the marks of the scale.
    pub left: f64,
    /// Whether segments are named beside their bars.
    pub names_segments: bool,
}

impl Frame {
    /// A box with bars in it; `left` is the room that marks take, `name` that of the widest name of a segment.
    pub(super) fn new(size: Size, bars: usize, left: f64, name: f64) -> Self {
        let frame = Self { size, bars, left: left.max(LEFT), names_segments: false };
        let needed = NAMED_INSET + NAMED_BAR + NAME_DISTANCE + name;
        Self { names_segments: bars <= NAMED_STAGES && frame.available() / frame.count() >= needed, ..frame }
    }

    /// Height of the plot itself.
    pub(super) fn plot_height(self) -> f64 {
        (self.size.height - ABOVE - BELOW).max(1.0)
    }

    /// Lower edge of the plot.
    pub fn ground(self) -> f64 {
        ABOVE + self.plot_height()
    }

    fn available(self) -> f64 {
        (self.size.width - self.left).max(1.0)
    }

    fn count(self) -> f64 {
        self.bars.max(1) as f64
    }

    /// Width of a bar's slot.
    pub fn slot(self) -> f64 {
        // A high chart may have wide bars.
        let wide = WIDEST_SLOT.max(self.size.height * 0.3);
        let widest = if self.names_segments { f64::INFINITY } else { wide };
        (self.available() / self.count()).min(widest)
    }

    /// Width of a bar.
    pub fn bar(self) -> f64 {
        if self.names_segments {
            return NAMED_BAR;
        }
        let slot = self.slot();
        // A gap of a fifth, but never less than a pixel of bar.
        (slot - (slot * 0.2).clamp(1.0, 12.0)).max(1.0)
    }

    /// Left edge of a bar.
    pub fn bar_x(self, index: usize) -> f64 {
        let inset = if self.names_segments { NAMED_INSET } else { ((self.slot() - self.bar()) / 2.0).max(0.0) };
        let last = (self.size.width - self.bar()).max(self.left);
        (self.slot_x(index) + inset).min(last)
    }

    /// Left edge of a slot.
    pub fn slot_x(self, index: usize) -> f64 {
        self.left + index as f64 * self.slot()
    }

    /// Where the middle of a label stands that belongs to a bar: inside the box, and off the scale's marks.
    pub(super) fn label_x(self, index: usize, width: f64) -> f64 {
        let middle = self.bar_x(index) + self.bar() / 2.0;
        let half = width / 2.0;
        let first = self.left - MARK_DISTANCE + half;
        middle.min(self.size.width - half).max(first)
    }
}

/// How far the marks of the scale stand off the plot.
pub(super) const MARK_DISTANCE: f64 = 8.0;
/// Width of a bar that has names beside it.
const NAMED_BAR: f64 = WIDEST_SLOT * 0.8;

/// The scale: bytes at both ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// At the lower end.
    pub(super) bottom: Bytes,
    /// At the upper end.
    pub(super) top: Bytes,
}

impl Scale {
    /// The scale of a chart, and of the one whose outlines stand behind it, cut off at the first half step above everything
    /// in them: the bars get the room, and the scale still changes rarely while a slider moves.
    pub(super) fn of(chart: &Chart, behind: Option<&Chart>) -> Self {
        let charts = || std::iter::once(chart).chain(behind);
        let step = step(marked(chart, behind));
        let bars = || charts().flat_map(|chart| &chart.bars);
        let ends = bars().flat_map(|bar| bar.segments.iter().map(|segment| segment.to.value()));
        let highest = ends.chain(bars().map(|bar| bar.total.value())).fold(chart.capacity.value(), f64::max);
        let half = step / 2.0;
        let cut = (highest / half).ceil() * half;
        let (top, bottom) = charts().fold((chart.top.value(), chart.bottom.value()), |(top, bottom), chart| {
            (top.max(chart.top.value()), bottom.min(chart.bottom.value()))
        });
        let top = if cut.is_finite() && cut > bottom { cut.min(top) } else { top };
        Self { bottom: Bytes::new(bottom), top: Bytes::new(top) }
    }

    /// Distance of an amount from the top of the chart, held inside the plot.
    pub(super) fn y(self, frame: Frame, bytes: Bytes) -> f64 {
        let range = self.top.value() - self.bottom.value();
        let share = if range > 0.0 { (self.top.value() - bytes.value()) / range } else { 1.0 };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 };
        ABOVE + share * frame.plot_height()
    }
}

/// The chart of the two whose scale suits both: the higher one.
pub(super) fn marked<'a>(chart: &'a Chart, behind: Option<&'a Chart>) -> &'a Chart {
    behind.filter(|behind| behind.top > chart.top).unwrap_or(chart)
}

/// The distance between two marks.
fn step(chart: &Chart) -> f64 {
    let pair = chart.ticks.get(1).zip(chart.ticks.first());
    pair.map_or(0.0, |(next, first)| next.bytes.value() - first.bytes.value())
}

/// Which bars carry their label: the selected one always, the peak's where it is not too near, others as far as labels of
/// this width leave room.
pub(super) fn labelled(frame: Frame, width: f64, selected: usize, peak: usize) -> Vec<bool> {
    let mut shown = vec![false; frame.bars];
    let mut taken: Vec<f64> = Vec::new();
    let grid = (0..frame.bars).step_by(steps(width, frame.slot()));
    for index in [selected, peak].into_iter().filter(|index| *index < frame.bars).chain(grid) {
        let x = frame.label_x(index, width);
        if taken.iter().all(|other| (x - other).abs() >= width) {
            taken.push(x);
            shown[index] = true;
        }
    }
    shown
}

/// How many slots a label needs.
fn steps(label_width: f64, slot: f64) -> usize {
    let needed = (label_width / slot.max(1e-3)).ceil().clamp(1.0, 65_536.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 65,536")]
    let needed = needed as usize;
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Bar, Tick};

    fn frame(bars: usize, width: f64) -> Frame {
        Frame::new(Size { width, height: 352.0 }, bars, LEFT, 180.0)
    }

    #[test]
    fn bars_stand_inside_the_frame_and_apart() {
        for bars in [1, 2, 5, 16, 64, 256] {
            for width in [320.0, 444.0, 720.0, 1600.0] {
                let frame = frame(bars, width);
                assert!(frame.bar_x(0) >= LEFT);
                assert!(frame.bar_x(bars - 1) + frame.bar() <= width, "{bars} bars in {width}");
                assert!(bars == 1 || frame.bar_x(1) - frame.bar_x(0) > frame.bar() * 0.99);
            }
        }
    }

    #[test]
    fn the_scale_turns_over_and_survives_what_is_no_number() {
        let scale = Scale { bottom: Bytes::new(-10.0), top: Bytes::new(90.0) };
        let frame = frame(16, 720.0);
        assert_eq!(scale.y(frame, Bytes::new(90.0)), ABOVE);
        assert_eq!(scale.y(frame, Bytes::new(-10.0)), frame.ground());
        assert_eq!(scale.y(frame, Bytes::new(f64::NAN)), frame.ground());
        let flat = Scale { bottom: Bytes::ZERO, top: Bytes::ZERO };
        assert_eq!(flat.y(frame, Bytes::ZERO), frame.ground());
    }

    #[test]
    fn the_scale_is_cut_at_half_a_step() {
        let gib = |count: f64| Bytes::new(count * 1_073_741_824.0);
        let ticks = (0..6).map(|step| Tick { bytes: gib(16.0 * f64::from(step)) }).collect();
        let bar = Bar {
            stage: 0,
            total: gib(65.8),
            band: None,
            exceeds: true,
            segments: Vec::new(),
            notches: Vec::new(),
            other: None,
        };
        let mut chart = Chart { top: gib(80.0), bottom: Bytes::ZERO, ticks, capacity: gib(64.0), bars: vec![bar] };
        assert_eq!(Scale::of(&chart, None).top, gib(72.0));
        let mut higher = chart.clone();
        higher.bars[0].total = gib(100.0);
        higher.top = gib(112.0);
        assert_eq!(Scale::of(&chart, Some(&higher)).top, gib(104.0));
        assert_eq!(marked(&chart, Some(&higher)), &higher);
        chart.ticks.clear();
        assert_eq!(Scale::of(&chart, None).top, gib(80.0));
        chart.bars[0].total = Bytes::new(f64::NAN);
        assert_eq!(Scale::of(&chart, None).top, gib(80.0));
    }

    #[test]
    fn labels_never_touch() {
        for bars in [1, 2, 3, 16, 17, 64, 200] {
            for width in [320.0, 444.0, 720.0] {
                for (selected, peak) in [(0, 0), (1, bars - 1), (bars / 2, bars / 2 + 1)] {
                    let frame = frame(bars, width);
                    let shown = labelled(frame, 36.0, selected, peak);
                    let at: Vec<f64> =
                        (0..bars).filter(|index| shown[*index]).map(|index| frame.label_x(index, 36.0)).collect();
                    assert!(shown.get(selected).is_none_or(|shown| *shown));
                    assert!(at.windows(2).all(|pair| pair[1] - pair[0] >= 36.0));
                }
            }
        }
    }
}
