//! Keys that are not there yet: added to their section, or with a section that begins for them.

use super::edit::{Editing, Holder, Place, quotes_of};
use super::lines::{end_with_blanks, end_with_comments, is_set_apart, line_break, line_start, piece};
use crate::document::compose::Layout;
use crate::document::line::{Indentation, Quotes, add_entry, add_text, add_value};
use crate::document::node::Value;
use crate::document::strict::line_end;
use crate::text::Span;

/// A key that comes in, with its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct New<'n> {
    pub(super) key: &'n str,
    pub(super) value: &'n Value,
}

impl Editing<'_> {
    /// A key behind the last one of its section.
    pub(super) fn add_key(&mut self, place: Place, layout: Layout, new: New<'_>) {
        match layout {
            Layout::Block => self.add_line(place, new),
            Layout::Brackets => self.add_in_brackets(place.at, new),
        }
    }

    fn add_line(&mut self, place: Place, new: New<'_>) {
        let column = self.column_of(place.at);
        let mark = &self.marks.list[place.at];
        let last = &self.marks.list[mark.next - 1];
        let at = if self.keeps_blanks(last.span) {
            end_with_blanks(self.text, last.span.end)
        } else {
            end_with_comments(self.text, mark.span.end.max(last.span.end), column.max(1))
        };
        let begins_section = new.value.as_mapping().is_some_and(|section| !section.entries.is_empty());
        let air = if column == 0 && begins_section { self.air(place.at).to_owned() } else { String::new() };
        self.insert_lines(at, column, &air, new);
    }

    /// The empty line between two sections of the root, where this text has one before the last.
    fn air(&self, root: usize) -> &str {
        let last = self.marks.last_entry(root).map(|(key, _)| self.marks.list[key].span.start);
        let begins = self.marks.list[root].span.start;
        let apart = last.filter(|key| *key != begins && is_set_apart(self.text, *key));
        apart.map_or("", |key| line_break(self.text, key))
    }

    /// Whether the empty lines behind a value belong to it: a block text that keeps them.
    fn keeps_blanks(&self, span: Span) -> bool {
        let header = piece(self.text, span.start, line_end(self.text.as_bytes(), span.start));
        let mut signs = header.bytes().take_while(|sign| matches!(sign, b'|' | b'>' | b'+' | b'0'..=b'9'));
        header.starts_with(['|', '>']) && signs.any(|sign| sign == b'+')
    }

    /// An entry on lines of its own behind the line that ends at `at`, `before` above it; the text ends as it ended.
    fn insert_lines(&mut self, at: usize, column: usize, before: &str, new: New<'_>) {
        let line_break = line_break(self.text, at);
        let mut lines = line_break.to_owned() + before;
        let indentation = Indentation { column, step: self.step() };
        add_entry(&mut lines, new.key, new.value, indentation, line_break);
        lines.truncate(lines.len() - line_break.len());
        self.insert(at, lines);
    }

    /// A key in a section in brackets: on a line of its own where the last one has that.
    fn add_in_brackets(&mut self, section: usize, new: New<'_>) {
        let span = self.marks.list[section].span;
        let closing = span.end.saturating_sub(1).max(span.start);
        let Some((key, value)) = self.marks.last_entry(section) else {
            let is_blank = piece(self.text, span.start + 1, closing).trim_start_matches(' ').is_empty();
            let from = if is_blank { (span.start + 1).min(closing) } else { closing };
            return self.replace(Span::new(from, closing), entry(new, self.quotes));
        };
        let key = &self.marks.list[key];
        let entry = entry(new, quotes_of(self.text, key));
        let end = self.marks.list[value].span.end.max(key.span.end);
        let start = line_start(self.text, key.span.start);
        let indentation = piece(self.text, start, key.span.start);
        let has_own_line = start > span.start && indentation.trim_start_matches(' ').is_empty();
        let comma = self.comma(end, closing);
        let last_line = line_end(self.text.as_bytes(), comma.unwrap_or(end));
        let closes_here = last_line > closing;
        let line_break = line_break(self.text, start);
        match comma {
            Some(_) if has_own_line && !closes_here => {
                self.insert(last_line, [line_break, indentation, &entry, ","].concat());
            }
            Some(comma) => self.insert(comma + 1, [" ", &entry, ","].concat()),
            None if !has_own_line => self.insert(end, [", ", &entry].concat()),
            None => {
                self.insert(end, ",".to_owned());
                let at = if closes_here { end } else { last_line };
                self.insert(at, [line_break, indentation, &entry].concat());
            }
        }
    }

    /// The comma behind the last value in brackets.
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < to {
            match bytes[at] {
                b',' => return Some(at),
                b'#' => at = line_end(bytes, at),
                _ => at += 1,
            }
        }
        None
    }

    /// A section of one key in the place of nothing or a scalar, or beside what an alias stands for.
    pub(super) fn begin_section(&mut self, place: Place, merged: bool, new: New<'_>) -> Option<()> {
        let span = self.marks.list[place.at].span;
        let merge = if merged { ["<<: ", piece(self.text, span.start, span.end)].concat() } else { String::new() };
        let column = match place.holder {
            Holder::Text => {
                self.begin_text(span, new);
                return Some(());
            }
            Holder::Brackets | Holder::List => {
                let comma = if merged { ", " } else { "" };
                return self.put(place, &["{", &merge, comma, &entry(new, self.quotes), "}"].concat());
            }
            Holder::Lines(column) => column + self.step(),
        };
        let lead = self.lead(place)?;
        if lead.tagged {
            self.replace(Span::new(lead.start, lead.end), lead.anchor.to_owned());
        }
        self.drop_value(place, &lead);
        let at = end_with_comments(self.text, lead.end.max(span.end), column.max(1));
        let mut before = String::new();
        if merged {
            before.extend(std::iter::repeat_n(' ', column));
            before.extend([&merge, line_break(self.text, at)]);
        }
        self.insert_lines(at, column, &before, new);
        Some(())
    }

    /// The first section of a text that says nothing, or null.
    pub(super) fn begin_text(&mut self, null: Span, new: New<'_>) {
        let absent = null.start == null.end;
        let at = if absent { end_of_content(self.text) } else { null.start };
        let line = piece(self.text, line_start(self.text, at), at);
        let line_break = line_break(self.text, at);
        let mut lines = String::new();
        if !line.trim_start_matches(['\u{feff}', ' ']).is_empty() {
            lines.push_str(line_break);
        }
        add_entry(&mut lines, new.key, new.value, Indentation { column: 0, step: 2 }, line_break);
        if absent {
            self.insert(at, lines);
        } else {
            lines.truncate(lines.len() - line_break.len());
            self.replace(null, lines);
        }
    }
}

/// Where a text that says nothing can go on: at its end, or before the line that ends the document.
fn end_of_content(text: &str) -> usize {
    let last = line_start(text, text.trim_end_matches(['\n', '\r']).len());
    if text[last..].starts_with("...") { last } else { text.len() }
}

/// A key and its value in brackets.
fn entry(new: New<'_>, quotes: Quotes) -> String {
    let mut entry = String::new();
    add_text(&mut entry, new.key, quotes);
    entry.push_str(": ");
    add_value(&mut entry, new.value, quotes);
    entry
}
