//! Lines of a text: indentation, comments, line breaks.

use crate::document::compose::Layout;
use crate::document::marks::{Mark, Token};
use crate::document::strict::line_end;

/// The bytes between two places as text; nothing where one of them lies inside a character: PyYAML's further line breaks
/// are read as two characters.
pub(super) fn piece(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// Where the line that holds `at` begins.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
    text.as_bytes()[..at].iter().rposition(is_break).map_or(0, |found| found + 1)
}

/// The column of a place in characters, from 0; a byte-order mark takes no room.
pub(super) fn column(text: &str, at: usize) -> usize {
    piece(text, line_start(text, at), at).trim_start_matches('\u{feff}').chars().count()
}

/// The line break that ends the line of `at`, else that of the first line, else a line feed.
pub(super) fn line_break(text: &str, at: usize) -> &str {
    let first = line_end(text.as_bytes(), 0);
    [line_end(text.as_bytes(), at), first]
        .into_iter()
        .map(|end| break_at(text, end))
        .find(|found| !found.is_empty())
        .unwrap_or("\n")
}

fn break_at(text: &str, end: usize) -> &str {
    let length = match &text.as_bytes()[end..] {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    };
    piece(text, end, end + length)
}

/// The start of the line behind the one that ends at `end`; nothing behind the last.
fn next_line(text: &str, end: usize) -> Option<usize> {
    let length = break_at(text, end).len();
    (length > 0).then_some(end + length)
}

/// The end of the line of `at` and of the lines right below it that `belong` to it.
fn end_with(text: &str, at: usize, belong: &dyn Fn(&str) -> bool) -> usize {
    let mut end = line_end(text.as_bytes(), at);
    while let Some(start) = next_line(text, end).filter(|start| *start < text.len()) {
        let line_end = line_end(text.as_bytes(), start);
        if !belong(piece(text, start, line_end)) {
            break;
        }
        end = line_end;
    }
    end
}

/// With the comments right below it that stand at least as far in as `column`.
pub(super) fn end_with_comments(text: &str, at: usize, column: usize) -> usize {
    end_with(text, at, &|line| {
        let written = line.trim_start_matches(' ');
        written.starts_with('#') && line.len() - written.len() >= column
    })
}

/// With the empty lines right below it.
pub(super) fn end_with_blanks(text: &str, at: usize) -> usize {
    end_with(text, at, &|line| line.trim_start_matches(' ').is_empty())
}

/// Whether an empty line stands above the line of `at` and the comments over it.
pub(super) fn is_set_apart(text: &str, at: usize) -> bool {
    let mut start = line_start(text, at);
    while start > 0 {
        let above = &text.as_bytes()[..start];
        let end = start - if above.ends_with(b"\r\n") { 2 } else { 1 };
        start = line_start(text, end);
        let line = piece(text, start, end).trim_start_matches(' ');
        if !line.starts_with('#') {
            return line.is_empty();
        }
    }
    false
}

/// How much further in the sections of this text stand than what holds them: what most of them do.
pub(super) fn step(text: &str, marks: &[Mark]) -> usize {
    const WIDEST: usize = 8;
    let mut seen = [0_usize; WIDEST + 1];
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        while open.last().is_some_and(|(end, _)| *end <= at) {
            open.pop();
        }
        if mark.token != Token::Section(Layout::Block) {
            continue;
        }
        let column = column(text, mark.span.start);
        let inside = open.last().map_or(0, |(_, outer)| column.saturating_sub(*outer));
        if let Some(count) = seen.get_mut(inside) {
            *count += 1;
        }
        open.push((mark.next, column));
    }
    let used = (1..=WIDEST).rev().max_by_key(|step| seen[*step]);
    used.filter(|step| seen[*step] > 0).unwrap_or(2)
}
