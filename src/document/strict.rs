//! What PyYAML's scanner refuses or reads otherwise than a YAML 1.2 scanner, character by character.

use super::reason::Reason;
use crate::text::Span;
use std::borrow::Cow;

/// The text as the event parser should see it, with every byte where it was: PyYAML's further line breaks (next line, line
/// and paragraph separator) become blanks and a line feed. Fails at the first character that is not printable.
pub(super) fn normalised(text: &str) -> Result<Cow<'_, str>, (Reason, Span)> {
    if is_plain_ascii(text) {
        return Ok(text.into());
    }
    let mut breaks = false;
    for (at, character) in text.char_indices() {
        match character {
            '\u{85}' | '\u{2028}' | '\u{2029}' => breaks = true,
            ' '..='~' | '\n' | '\r' | '\t' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => {}
            _ => return Err((Reason::NotPrintable, Span::new(at, at + character.len_utf8()))),
        }
    }
    if !breaks {
        return Ok(text.into());
    }
    Ok(text.replace('\u{85}', " \n").replace(['\u{2028}', '\u{2029}'], "  \n").into())
}

/// Whether a text, as nearly every one, holds nothing but ASCII that PyYAML reads.
fn is_plain_ascii(text: &str) -> bool {
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte) | matches!(byte, b'\n' | b'\r' | b'\t');
    // A block at a time and each to its end, so that the compiler takes many bytes at once.
    text.as_bytes().chunks(64).all(|block| block.iter().fold(true, |plain, byte| plain & is_plain(byte)))
}

/// Whether a document end marker stands in a text that holds no value, where PyYAML misses the document before it.
pub(super) fn has_document_end(text: &str) -> bool {
    text.lines()
        .any(|line| line.strip_prefix("...").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])))
}

/// The first tab outside quotes, block texts (`opaque`, in order) and comments: PyYAML takes blanks alone between tokens.
pub(super) fn misplaced_tab(text: &str, opaque: &[Span]) -> Option<usize> {
    if !text.contains('\t') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut opaque = opaque.iter().peekable();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(span) = opaque.next_if(|span| span.start <= at) {
            at = at.max(span.end);
            continue;
        }
        match bytes[at] {
            b'\t' => return Some(at),
            b'#' if at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r') => at = line_end(bytes, at),
            _ => at += 1,
        }
    }
    None
}

/// Where one of the symbols stands first, in what lies between the end of a token and a value: behind anchors, tags and
/// comments. A block text begins with its `|` or `>`, a block list with its `-`.
pub(super) fn first_symbol(text: &str, from: usize, to: usize, symbols: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < to {
        match bytes[at] {
            byte if symbols.contains(&byte) => return Some(at),
            b'#' => at = line_end(bytes, at),
            b'&' | b'!' => at += bytes[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count(),
            _ => at += 1,
        }
    }
    None
}

/// The end of the line that `at` lies in, without its line break.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_every_byte_where_it_was() {
        assert_eq!(normalised("a\u{85}b\u{2028}c").as_deref(), Ok("a \nb  \nc"));
        assert_eq!(normalised("a\u{7f}"), Err((Reason::NotPrintable, Span::new(1, 2))));
        assert_eq!(normalised("并\0"), Err((Reason::NotPrintable, Span::new(3, 4))));
    }

    #[test]
    fn finds_tabs_between_tokens_only() {
        assert_eq!(misplaced_tab("a: b # x\ty\n# \t\nc: 'd\te'", &[Span::new(19, 24)]), None);
        assert_eq!(misplaced_tab("a: b\t# x", &[]), Some(4));
        assert_eq!(misplaced_tab("a#\tb", &[]), Some(2));
    }

    #[test]
    fn finds_where_a_block_begins() {
        let text = "a: &x !!str # c | d\n  |- # e\n text";
        assert_eq!(first_symbol(text, 2, text.len(), b"|>"), text.find("|-"));
        assert_eq!(first_symbol("a: &x-y # -\n- 1", 1, 14, b"-"), Some(12));
        assert_eq!(first_symbol("a: b", 1, 2, b"-"), None);
    }
}
