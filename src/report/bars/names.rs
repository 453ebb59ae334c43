//! Names beside the pieces of a bar, where there is room for them.

use super::drawing::Drawn;
use super::geometry::{ABOVE, Frame, NAME_DISTANCE};
use super::lettering::{Lettering, Rectangle, width};
use crate::decimal::push_fixed;
use crate::memory::Category;
use crate::report::number::{Decimals, MemoryUnit, amount};
use crate::report::{Bar, Chart};

/// Distance between two names beside a bar.
pub(super) const NAME_HEIGHT: f64 = 15.0;
/// The highest and, above the ground, the lowest that the middle of a name stands.
const HIGHEST: f64 = ABOVE / 3.0;
const LOWEST: f64 = 3.0;
/// From the middle of a name to its base line.
const BASE: f64 = 4.0;

/// A name beside a piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// The category and its amount as written.
    pub text: String,
    /// The line from the piece to the name.
    pub leader: String,
    /// Left end of the name.
    pub x: f64,
    /// Base line of the name.
    pub y: f64,
}

impl Name {
    pub(super) fn room(&self) -> Rectangle {
        Lettering::Start.room(&self.text, self.x, self.y)
    }
}

/// How a piece is called.
pub(super) type Say = fn(Category) -> &'static str;

/// The widest name that a chart would have beside its bars, with some room for larger amounts.
pub(super) fn widest(chart: &Chart, unit: MemoryUnit, say: Say) -> f64 {
    let segments = chart.bars.iter().flat_map(|bar| &bar.segments);
    let texts = segments.map(|segment| {
        let amount = amount(segment.bytes, unit, Decimals::Two);
        width(say(segment.category)) + width(" ") + width(&amount).max(width("000.00"))
    });
    texts.fold(0.0, f64::max)
}

/// The names of all bars; none where they are more than the plot is high.
pub(super) fn names(chart: &Chart, drawn: &[Drawn], frame: Frame, unit: MemoryUnit, say: Say) -> Vec<Name> {
    let mut names = Vec::new();
    if frame.names_segments {
        for (index, (bar, drawn)) in chart.bars.iter().zip(drawn).enumerate() {
            beside(bar, drawn, frame, frame.bar_x(index) + frame.bar(), (unit, say), &mut names);
        }
    }
    names
}

fn beside(bar: &Bar, drawn: &Drawn, frame: Frame, edge: f64, (unit, say): (MemoryUnit, Say), names: &mut Vec<Name>) {
    let middles: Vec<f64> = bar.segments.iter().map(|segment| drawn.middle_of(segment.category)).collect();
    let Some(heights) = apart(&middles, HIGHEST, frame.ground() - LOWEST) else { return };
    for ((segment, middle), y) in bar.segments.iter().zip(middles).zip(heights) {
        let mut leader = String::new();
        let steps = [("M", edge + 3.0), (" ", middle), ("L", edge + 15.0), (" ", y), ("H", edge + 21.0)];
        for (command, coordinate) in steps {
            leader.push_str(command);
            push_fixed(&mut leader, coordinate, 1);
        }
        let text = format!("{} {}", say(segment.category), amount(segment.bytes, unit, Decimals::Two));
        names.push(Name { text, leader, x: edge + NAME_DISTANCE, y: y + BASE });
    }
}

/// Heights near the wanted ones, from the ground up, each a name above the one before; none where they do not all fit.
fn apart(wanted: &[f64], highest: f64, lowest: f64) -> Option<Vec<f64>> {
    let mut heights = Vec::with_capacity(wanted.len());
    let mut limit = lowest;
    for wanted in wanted {
        heights.push(wanted.min(limit));
        limit = wanted.min(limit) - NAME_HEIGHT;
    }
    // Where the uppermost are pushed out of the picture, they push the others down.
    let mut limit = highest;
    for height in heights.iter_mut().rev() {
        *height = height.max(limit);
        limit = *height + NAME_HEIGHT;
    }
    heights.first().is_none_or(|first| *first <= lowest).then_some(heights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_way_upwards_then_downwards() {
        assert_eq!(apart(&[90.0, 88.0, 20.0], 8.0, 95.0), Some(vec![90.0, 75.0, 20.0]));
        assert_eq!(apart(&[90.0, 12.0, 11.0, 10.0], 8.0, 95.0), Some(vec![90.0, 38.0, 23.0, 8.0]));
        assert_eq!(apart(&[50.0, 40.0, 30.0], 8.0, 30.0), None);
        assert_eq!(apart(&[], 8.0, 30.0), Some(Vec::new()));
    }
}
