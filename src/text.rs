//! Places in a text: byte spans inside, lines and columns at the border.

/// A half-open range of UTF-8 byte offsets in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
}

/// A place as people and editors count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// Where each line of a text begins; turns byte offsets into positions and into UTF-16 offsets (what a textarea selects by).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    text: std::sync::Arc<str>,
    starts: Vec<usize>,
}

impl LineIndex {
    /// Indexes a text; lines end at `\n`, `\r\n` or a lone `\r`, as YAML counts them.
    pub fn new(text: std::sync::Arc<str>) -> Self {
        let mut starts = vec![0];
        if text.contains('\r') {
            let bytes = text.as_bytes();
            let ends_line =
                |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            starts.extend((0..bytes.len()).filter(ends_line).map(|at| at + 1));
        } else {
            // Several bytes at a time.
            starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        }
        Self { text, starts }
    }

    /// The position of a byte offset; an offset past the end, or inside a character, is moved back to the nearest valid one.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.floor(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = self.text[self.starts[line]..offset].chars().count() + 1;
        Position { line: narrow(line + 1), column: narrow(column) }
    }

    /// A byte offset as a number of UTF-16 code units from the start of the text.
    pub fn utf16(&self, offset: usize) -> u32 {
        narrow(self.text[..self.floor(offset)].encode_utf16().count())
    }

    /// The span of a line (from 1) without its line break; the last line where there are fewer.
    pub fn line_span(&self, line: u32) -> Span {
        let index = (line.max(1) as usize - 1).min(self.starts.len() - 1);
        let start = self.starts[index];
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        Span::new(start, start + self.text[start..end].trim_end_matches(['\n', '\r']).len())
    }

    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_characters_and_utf16_units() {
        let index = LineIndex::new("a: 1\r\n并行: 😀x\n".into());
        let x = "a: 1\r\n并行: 😀".len();
        assert_eq!(index.position(x), Position { line: 2, column: 6 });
        assert_eq!(index.utf16(x), 12);
        assert_eq!(index.position(usize::MAX), Position { line: 3, column: 1 });
        assert_eq!(index.position(7), Position { line: 2, column: 1 });
        assert_eq!(index.line_span(1), Span::new(0, 4));
    }
}
