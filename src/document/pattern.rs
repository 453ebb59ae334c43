//! Patterns as constants: as much of a regular expression as a plain scalar needs, without the crate.
//!
//! Choices are ordered and repetitions keep what they took, so matching never goes back and takes time in proportion to
//! the text. A pattern must therefore be written so that the first choice that fits is the right one.

use std::ops::RangeInclusive;

/// A set of characters. All patterns are ASCII.
pub(super) type Set = &'static [RangeInclusive<u8>];

/// One piece of a pattern.
#[derive(Debug)]
pub(super) enum Piece {
    /// These very characters.
    Word(&'static str),
    /// One character of the set.
    One(Set),
    /// One character of the set, or none.
    Maybe(Set),
    /// Any number of characters of the set.
    Any(Set),
    /// At least one character of the set.
    Some(Set),
    /// The first of these sequences that fits.
    Choice(&'static [&'static [Piece]]),
    /// The sequence, or nothing.
    Optional(&'static [Piece]),
    /// The sequence, at least once.
    Repeated(&'static [Piece]),
}

/// Whether the sequence covers the whole text.
pub(super) fn matches(sequence: &[Piece], text: &str) -> bool {
    match sequence {
        // Told by their lengths alone, mostly.
        [Piece::Word(word)] => *word == text,
        _ => after(sequence, text.as_bytes()) == Some(&[]),
    }
}

/// What is left of the text behind the sequence, if the text begins with it.
fn after<'t>(sequence: &[Piece], text: &'t [u8]) -> Option<&'t [u8]> {
    sequence.iter().try_fold(text, |rest, piece| piece.after(rest))
}

impl Piece {
    fn after<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        match self {
            Self::Word(word) => text.strip_prefix(word.as_bytes()),
            Self::One(set) => (run(set, text) > 0).then(|| &text[1..]),
            Self::Maybe(set) => Some(&text[run(set, text).min(1)..]),
            Self::Any(set) => Some(&text[run(set, text)..]),
            Self::Some(set) => Some(&text[run(set, text)..]).filter(|rest| rest.len() < text.len()),
            Self::Choice(sequences) => sequences.iter().find_map(|sequence| after(sequence, text)),
            Self::Optional(sequence) => Some(after(sequence, text).unwrap_or(text)),
            Self::Repeated(sequence) => {
                let mut rest = after(sequence, text)?;
                while let Some(further) = after(sequence, rest).filter(|further| further.len() < rest.len()) {
                    rest = further;
                }
                Some(rest)
            }
        }
    }
}

/// How many characters of the set the text begins with.
fn run(set: Set, text: &[u8]) -> usize {
    text.iter().take_while(|byte| set.iter().any(|range| range.contains(byte))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: Set = &[b'0'..=b'9'];

    #[test]
    fn covers_the_whole_text_or_does_not_match() {
        let clock: &[Piece] = &[Piece::Some(DIGITS), Piece::Repeated(&[Piece::Word(":"), Piece::One(DIGITS)])];
        assert!(matches(clock, "12:3:4"));
        for text in ["12", "12:", "12:34", ":1", "12:3 "] {
            assert!(!matches(clock, text), "{text}");
        }
        let optional: &[Piece] = &[Piece::Optional(&[Piece::Word("ab")]), Piece::Any(DIGITS), Piece::Maybe(DIGITS)];
        for (text, expected) in [("", true), ("ab", true), ("a", false), ("ab12", true)] {
            assert_eq!(matches(optional, text), expected, "{text}");
        }
    }
}
