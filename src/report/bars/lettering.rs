//! How much room a text takes, without a font: never less than it really takes.

/// Height of a line of the chart's type, from the top of its letters to the foot of those that hang below.
const HEIGHT: f64 = 13.0;
/// How much of it stands above the base line.
const ASCENT: f64 = 10.0;
/// Width of the widest figure, bold, and of what stands for a letter; of a Chinese character.
const LETTER: f64 = 7.8;
const WIDE_LETTER: f64 = 12.0;

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lettering {
    /// At its left end.
    Start,
    /// In its middle.
    Middle,
    /// At its right end.
    End,
}

/// A rectangle; `y` is its upper edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Lettering {
    /// The room that a text takes, held at a point of its base line.
    pub fn room(self, text: &str, x: f64, base: f64) -> Rectangle {
        let width = width(text);
        let left = match self {
            Self::Start => x,
            Self::Middle => x - width / 2.0,
            Self::End => x - width,
        };
        Rectangle { x: left, y: base - ASCENT, width, height: HEIGHT }
    }
}

impl Rectangle {
    /// Whether two rectangles share a point inside both.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }
}

/// The width of a text in the chart's type, in pixels.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|letter| if letter >= '\u{2e80}' { WIDE_LETTER } else { LETTER }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stands_where_it_is_held() {
        let held = |lettering: Lettering| lettering.room("64.0", 100.0, 50.0).x;
        assert_eq!(held(Lettering::Start), 100.0);
        assert_eq!(held(Lettering::Middle), 100.0 - 2.0 * LETTER);
        assert_eq!(held(Lettering::End), 100.0 - 4.0 * LETTER);
        assert_eq!(width("参数 1"), 2.0 * WIDE_LETTER + 2.0 * LETTER);
    }

    #[test]
    fn what_only_touches_does_not_overlap() {
        let at = |x: f64, y: f64| Rectangle { x, y, width: 10.0, height: 10.0 };
        assert!(at(0.0, 0.0).overlaps(&at(9.0, 9.0)));
        assert!(!at(0.0, 0.0).overlaps(&at(10.0, 0.0)));
        assert!(!at(0.0, 0.0).overlaps(&at(0.0, 10.0)));
    }
}
