//! How much room a text takes, in lines and columns of the editor's type, without asking the browser to lay it out.

/// Lines longer than this are painted in part, where they are seen.
pub(super) const LONG: usize = 1_000;
/// Columns of room behind the longest line.
const BEHIND: usize = 4;

/// The room of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// How many lines; at least one.
    pub(super) lines: usize,
    /// How many columns hold every line, with some room behind: an upper bound where letters are wide.
    pub(super) columns: usize,
    /// Whether the text is left to the textarea: of a long line with wide letters nobody knows where a column begins.
    pub(super) is_plain: bool,
}

impl Extent {
    /// The room of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut extent = Self { lines: 0, columns: 0, is_plain: false };
        for line in text.split('\n') {
            let is_ascii = line.is_ascii();
            extent.lines += 1;
            extent.columns = extent.columns.max(if is_ascii { narrow(line) } else { line.chars().map(width).sum() });
            extent.is_plain |= !is_ascii && line.len() > LONG;
        }
        extent.columns += BEHIND;
        extent
    }

    /// Its width as a style; `ch` is a column.
    pub(super) fn width(self) -> String {
        format!("{}ch", self.columns)
    }

    /// Its height as a style.
    pub(super) fn height(self) -> String {
        line_top(self.lines)
    }
}

/// Where a line begins, by its index.
pub(super) fn line_top(index: usize) -> String {
    format!("calc(var(--line) * {index})")
}

/// A tab is at most two columns wide.
fn narrow(line: &str) -> usize {
    line.len() + line.bytes().filter(|byte| *byte == b'\t').count()
}

/// Columns of a letter, at most: wide from Hangul on, pictures a little wider than that.
const fn width(letter: char) -> usize {
    match letter {
        '\t' | '\u{1100}'..'\u{10000}' => 2,
        ..'\u{1100}' => 1,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_room() {
        assert_eq!(Extent::of(""), Extent { lines: 1, columns: 4, is_plain: false });
        assert_eq!(Extent::of("a\n  并行: 😀\n"), Extent { lines: 3, columns: 4 + 2 + 4 + 2 + 3, is_plain: false });
        assert_eq!(Extent::of("\ta").columns, 4 + 3);
        assert!(!Extent::of(&"x".repeat(1 << 20)).is_plain);
        assert!(Extent::of(&"并".repeat(LONG)).is_plain);
    }
}
