//! What the core found, ready to be listed and underlined: sentences and places as editors count them.

use super::ranges;
use crate::browser::editing::Utf16Range;
use shardmem::diagnostics::{Diagnostic, Severity};
use shardmem::provenance::{KeyPath, Source};
use shardmem::report::actions::{Action, actions};
use shardmem::report::messages::{self, Language};
use shardmem::text::{LineIndex, Span};

/// One finding as listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The stable code.
    pub code: &'static str,
    /// The sentence.
    pub message: String,
    /// The way on, in words.
    pub help: Option<String>,
    /// The model whose dimensions can be taken instead, where that is the way on.
    pub adopt: Option<String>,
    /// The keys that can be left out, where that is the way on.
    pub leave_out: Vec<KeyPath>,
    /// Whether the way on is to say which model it is.
    pub lacks_model: bool,
    /// Where, if it is in one of the texts.
    pub spot: Option<Spot>,
    /// Which recompute range it is about.
    pub row: Option<usize>,
}

/// A place in one of the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// Which text.
    pub source: Source,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Characters that are wrong on that line; at least one.
    pub length: u32,
    /// What to select.
    pub range: Utf16Range,
}

impl Finding {
    /// A finding with its place, `located` in the text that `lines` index.
    pub fn new(
        diagnostic: &Diagnostic,
        source: Source,
        located: Option<(&LineIndex, Span)>,
        language: Language,
    ) -> Self {
        let actions = actions(diagnostic);
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.name(),
            message: messages::message(diagnostic, language),
            help: messages::help(diagnostic, language),
            adopt: actions.iter().find_map(|action| match action {
                Action::UseModel(model) => Some(model.clone()),
                Action::PickModel | Action::PasteConfig | Action::LeaveOut(_) => None,
            }),
            leave_out: actions
                .iter()
                .find_map(|action| match action {
                    Action::LeaveOut(keys) => Some(keys.clone()),
                    Action::UseModel(_) | Action::PickModel | Action::PasteConfig => None,
                })
                .unwrap_or_default(),
            lacks_model: actions.contains(&Action::PickModel),
            spot: located.map(|(lines, span)| Spot::new(source, lines, span)),
            row: ranges::row_of(diagnostic),
        }
    }
}

impl Spot {
    pub(super) fn new(source: Source, lines: &LineIndex, span: Span) -> Self {
        let start = lines.position(span.start);
        // Only the first line of a longer span is underlined; all of it is selected.
        let line_end = lines.line_span(start.line).end;
        let end = lines.position(span.end.min(line_end).max(span.start));
        Self {
            source,
            line: start.line,
            column: start.column,
            length: end.column.saturating_sub(start.column).max(1),
            range: Utf16Range { start: lines.utf16(span.start), end: lines.utf16(span.end) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_characters_to_show_and_utf16_units_to_select() {
        let text = "a: 1\n并行: 😀 x\nb: 2\n";
        let lines = LineIndex::new(text.into());
        let start = text.find('😀').expect("it is there");
        let spot = Spot::new(Source::Run, &lines, Span::new(start, start + "😀 x\nb".len()));
        assert_eq!((spot.line, spot.column, spot.length), (2, 5, 3));
        assert_eq!(spot.range, Utf16Range { start: 9, end: 15 });
        let end = Spot::new(Source::Run, &lines, Span::new(text.len(), text.len()));
        assert_eq!((end.line, end.column, end.length), (4, 1, 1));
    }
}
