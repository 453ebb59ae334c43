//! From the event parser's events to nodes, as PyYAML's composer and safe constructor go about it. The only file that names
//! the event parser.
//!
//! Where this still differs from PyYAML 6 (found by comparing generated and mangled texts; none is known in a real file):
//! - Read there, refused here: inside brackets a `?` in a plain value, a value right behind a `:` that follows nothing
//!   (`[:a]`) and a lone `-`; a key that is nothing but an anchor or tag (`&a :`); an anchor or alias right before its colon
//!   (`*a: 1`); a block text whose header stands at the start of a line; half a surrogate pair as an escape; a number of
//!   more than 4,300 characters in a base other than ten; `!!set`, `!!omap`, `!!pairs`, `!!binary`; an alias to the
//!   collection it stands in; more nesting, anchored values or aliases than the limits allow.
//! - Read otherwise: a line or paragraph separator (U+2028, U+2029) in a value is folded as a line feed is. In a section
//!   inside a list, keys that are no text become text, so that there `1` and `on` are two keys.
//! - Refused there as YAML, here as no section: some texts whose whole content is one block text.

use super::compose::{Composer, Layout, Refusal, Shape, Step, Style};
use super::marks::Marks;
use super::mend::Mended;
use super::node::Node;
use super::reason::Reason;
use super::scalar::Asked;
use super::{DEEPEST_NESTING, strict};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::provenance::Source;
use crate::text::{LineIndex, Span};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle, Tag};

/// Reads a text of one document; no document is null.
pub(super) fn load(text: &str, source: Source, lines: &LineIndex, findings: &mut Findings) -> Option<Node> {
    read(text, Shape::Document, source, lines, findings, None)
}

/// The same with every token of the text.
pub(super) fn load_marked(text: &str, lines: &LineIndex, findings: &mut Findings, marks: &mut Marks) -> Option<Node> {
    read(text, Shape::Document, Source::Run, lines, findings, Some(marks))
}

/// Reads a single value; sections and lists only in brackets.
pub(super) fn load_value(text: &str, lines: &LineIndex, findings: &mut Findings) -> Option<Node> {
    read(text, Shape::Value, Source::Run, lines, findings, None)
}

/// Every scalar of a text in order: where it stands, and whether it is plain. Ends where the text stops being YAML.
pub(super) fn scalars(text: &str) -> Vec<(Span, bool)> {
    let mut scalars = Vec::new();
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        if let Event::Scalar(_, style, ..) = event {
            scalars.push((bytes(text, &span), style == ScalarStyle::Plain));
        }
    }
    scalars
}

fn read(
    text: &str,
    shape: Shape,
    source: Source,
    lines: &LineIndex,
    findings: &mut Findings,
    marks: Option<&mut Marks>,
) -> Option<Node> {
    let mut mended = match strict::normalised(text) {
        Ok(text) => Mended::new(text),
        Err((reason, span)) => {
            findings.add(Diagnostic::new(Code::YamlSyntax, Place::Span(source, span)).with(reason.phrase()));
            return None;
        }
    };
    loop {
        let mut composer = Composer::new(&mended, shape, source, lines);
        if marks.is_some() {
            composer.keep_marks();
        }
        let stop = compose(&mut composer).err();
        let (kept, found) = (composer.take_marks(), composer.found);
        match stop {
            Some(Stop::BlankMissingAt(at, _)) if mended.insert_blank(at) => {}
            Some(Stop::BlankMissingAt(_, finding) | Stop::For(finding)) => {
                return found.report(Some(*finding.0), findings);
            }
            None => {
                if let Some(marks) = marks {
                    *marks = kept.unwrap_or_default();
                }
                return found.report(None, findings).map(|root| mended.original_tree(root));
            }
        }
    }
}

/// Why reading ends early.
enum Stop {
    For(Refusal),
    /// Two tokens that PyYAML reads without a blank between them: a value and a comment, a `:` and a bracket.
    BlankMissingAt(usize, Refusal),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::For(refusal)
    }
}

/// Reads all events.
fn compose(composer: &mut Composer<'_>) -> Result<(), Stop> {
    let options = granit_parser::options! {
        bom_inside_document_as_content: true,
        block_scalar_eof_without_line_feed: true,
        emit_anchor_events: true,
        flow_nesting_limit: DEEPEST_NESTING + 1,
        block_nesting_limit: DEEPEST_NESTING + 1,
    };
    for event in Parser::new_from_str_with_options(composer.text, options) {
        let (event, span) = event.map_err(|error| refused(composer, &error))?;
        step(composer, event, &span)?;
    }
    composer.end()?;
    Ok(())
}

fn step(composer: &mut Composer<'_>, event: Event<'_>, at: &granit_parser::Span) -> Step {
    let span = bytes(composer.text, at);
    match event {
        Event::DocumentStart(..) => composer.document(span),
        Event::Alias(anchor) => composer.alias(anchor, span),
        Event::Anchor(_, name) => composer.anchor_name(&name, span),
        Event::UnresolvedAlias(_) => Err(composer.stop(span, Reason::AliasUndefined)),
        Event::Scalar(text, style, anchor, tag) => {
            let asked = asked(composer, tag.as_deref(), at)?;
            let style = match style {
                ScalarStyle::Plain => Style::Plain,
                ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
                ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
            };
            composer.scalar(&text, style, anchor, asked, span)
        }
        Event::SequenceStart(style, anchor, tag) => {
            let asked = asked(composer, tag.as_deref(), at)?;
            composer.open_list(layout(style), anchor, asked, span)
        }
        Event::MappingStart(style, anchor, tag) => {
            let asked = asked(composer, tag.as_deref(), at)?;
            composer.open_section(layout(style), anchor, asked, span)
        }
        Event::SequenceEnd | Event::MappingEnd => composer.close(span),
        // The other events say nothing of values; the parser's enum may grow.
        _ => Ok(()),
    }
}

fn layout(style: StructureStyle) -> Layout {
    match style {
        StructureStyle::Block => Layout::Block,
        StructureStyle::Flow => Layout::Brackets,
    }
}

fn asked(composer: &Composer<'_>, tag: Option<&Tag>, at: &granit_parser::Span) -> Result<Asked, Refusal> {
    let Some(tag) = tag else { return Ok(Asked::Nothing) };
    Asked::by_tag(&format!("{}{}", tag.handle(), tag.suffix())).ok_or_else(|| {
        let span = at.tag_span().unwrap_or(*at);
        composer.stop(bytes(composer.text, &span), Reason::TagUnknown)
    })
}

/// The event parser's error as ours.
fn refused(composer: &Composer<'_>, error: &ScanError) -> Stop {
    let reason = reason(error.kind());
    let mut start = offset(composer.text, error.marker().byte_offset());
    if reason == Reason::Tab {
        start = tab(composer.text, start);
    }
    let rest = &composer.text[start..];
    let here = rest.chars().next().filter(|character| !character.is_control() || *character == '\t');
    let mut span = Span::new(start, start + here.map_or(0, char::len_utf8));
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return Stop::For(composer.too_deep(span));
    }
    if *error.kind() == ErrorKind::UnknownAnchor {
        span.end = start + rest.find([' ', '\t', '\r', '\n', ',', ']', '}']).unwrap_or(rest.len());
    }
    let finding = composer.stop(span, reason);
    match error.kind() {
        // Not behind the header of a block text.
        ErrorKind::CommentNotSeparated
            if rest.starts_with('#') && composer.text[..start].ends_with(['\'', '"', '[', ']', '{', '}', ',']) =>
        {
            Stop::BlankMissingAt(start, finding)
        }
        ErrorKind::FlowMappingValueAdjacentCollection if rest.starts_with(':') => {
            Stop::BlankMissingAt(start + 1, finding)
        }
        _ => Stop::For(finding),
    }
}

/// The tab that a refusal means, whose place is the word behind it or the beginning of the text that it stands in.
fn tab(text: &str, at: usize) -> usize {
    let blanks = text[..at].trim_end_matches([' ', '\t']).len();
    let before = text[blanks..at].find('\t').map(|ahead| blanks + ahead);
    before.or_else(|| text[at..].find('\t').map(|ahead| at + ahead)).unwrap_or(at)
}

/// The parser counts bytes of the very text it was given; a place it does not know is the end.
fn offset(text: &str, offset: Option<usize>) -> usize {
    let mut offset = offset.unwrap_or(text.len()).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

fn bytes(text: &str, span: &granit_parser::Span) -> Span {
    let start = offset(text, span.start.byte_offset());
    Span::new(start, offset(text, span.end.byte_offset()).max(start))
}

/// Our reason for the event parser's; what it says of its own inputs and options cannot occur.
fn reason(kind: &ErrorKind) -> Reason {
    use ErrorKind as K;
    match kind {
        K::TabNotAllowed
        | K::TabInBlockIndentation
        | K::TabInIndentation
        | K::TabInPlainScalar
        | K::TabAtBlockScalarStart => Reason::Tab,
        K::InvalidIndentation
        | K::InvalidQuotedScalarIndent
        | K::InvalidFlowScalarIndent
        | K::ExpectedBlockMappingKey
        | K::ExpectedBlockSequenceEntry
        | K::UnexpectedEofBlockMapping
        | K::UnexpectedEofBlockSequence => Reason::Indentation,
        K::SimpleKeyExpected | K::InvalidSimpleKey | K::UnexpectedEndOfPlainScalar => Reason::ColonMissing,
        K::MappingValueNotAllowed | K::InvalidColonPlacement | K::FlowMappingValueAdjacentCollection => {
            Reason::ColonHere
        }
        K::InvalidMappingValueWhitespace => Reason::ColonWithoutBlank,
        K::BlockSequenceEntryNotAllowed
        | K::BlockEntryInFlowCollection
        | K::InvalidBlockEntryWhitespace
        | K::PlainScalarStartsWithDashFlowIndicator => Reason::ItemHere,
        K::MappingKeyNotAllowed => Reason::QuestionMark,
        K::UnclosedFlowCollection { .. }
        // Its place is the opening bracket.
        | K::MismatchedFlowCollectionEnd { .. }
        | K::UnexpectedEofFlowMapping
        | K::UnexpectedEofFlowSequence
        | K::UnexpectedEofImplicitFlowMapping => Reason::BracketUnclosed,
        K::MisplacedFlowCollectionEnd => Reason::BracketMismatched,
        K::ExpectedFlowMappingSeparator | K::ExpectedFlowSequenceSeparator => Reason::CommaMissing,
        K::UnclosedQuotedScalar | K::DocumentIndicatorInQuotedScalar => Reason::QuoteUnclosed,
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => Reason::TextAfterQuote,
        K::UnknownQuotedScalarEscape
        | K::InvalidQuotedScalarHexEscape
        | K::InvalidLowSurrogateHexEscape
        | K::InvalidLowSurrogate
        | K::MissingLowSurrogate
        | K::UnpairedLowSurrogate
        | K::InvalidUnicodeEscape => Reason::Escape,
        K::ZeroBlockScalarIndent | K::InvalidBlockScalarHeader | K::InvalidBlockScalarIndent => Reason::BlockScalar,
        K::CommentInterceptedScalar => Reason::CommentInText,
        K::UnsupportedYamlMajorVersion => Reason::Version,
        K::DuplicateVersionDirective
        | K::DuplicateTagDirective
        | K::InvalidDirectiveTerminator
        | K::MissingYamlVersionSeparator
        | K::MissingDirectiveName
        | K::InvalidDirectiveName
        | K::DirectiveByteLimitExceeded { .. }
        | K::YamlVersionTooLong
        | K::MissingYamlVersion
        | K::InvalidTagDirectiveTerminator
        | K::ExpectedTagDirectiveBang => Reason::Directive,
        K::ExpectedDocumentStart | K::MissingDocumentEndBeforeDirective | K::InvalidDocumentEnd => Reason::DocumentEnd,
        K::UnknownAnchor => Reason::AliasUndefined,
        K::MissingAnchorOrAliasName => Reason::AnchorName,
        K::UndeclaredTagHandle => Reason::TagUnknown,
        K::ExpectedTagBang
        | K::InvalidGlobalTagCharacter
        | K::InvalidTagTerminator
        | K::MissingTagUri
        | K::UnclosedVerbatimTag
        | K::InvalidTagEscape
        | K::InvalidTagUtf8
        | K::InvalidTagUtf8LeadingByte
        | K::InvalidTagUtf8TrailingByte => Reason::TagMalformed,
        K::UnexpectedCharacter { .. } => Reason::ReservedCharacter,
        _ => Reason::Malformed,
    }
}
