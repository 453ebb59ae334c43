//! Nodes out of a stream of events, as PyYAML's composer and safe constructor make them, within our limits.

mod collections;

use super::builder::{Builder, Key};
use super::marks::{Marks, Token};
use super::mend::Mended;
use super::node::{Node, Value};
use super::reason::Reason;
use super::scalar::{self, Asked};
use super::{DEEPEST_NESTING, LARGEST_EXPANSION, MOST_FINDINGS, count, strict};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::provenance::Source;
use crate::text::{LineIndex, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the text is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A whole file.
    Document,
    /// A scalar, or a section or list in brackets.
    Value,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// In single or double quotes.
    Quoted,
    /// Behind `|` or `>`.
    Block,
}

/// How a section or list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Block,
    Brackets,
}

/// What makes further reading pointless.
pub(super) struct Refusal(pub(super) Box<Diagnostic>);

impl Refusal {
    fn of(finding: Diagnostic) -> Self {
        Self(Box::new(finding))
    }
}

/// One step of a reading.
pub(super) type Step = Result<(), Refusal>;

/// A finished value, with what its section needs to know of it.
#[derive(Clone)]
struct Done {
    node: Node,
    /// How many values it holds, itself included.
    size: usize,
    /// How deep it is; 0 for a scalar.
    height: usize,
    /// A key that is no text, in a section that was allowed to have one (inside a list).
    odd_key: Option<OddKey>,
}

#[derive(Clone)]
struct OddKey {
    span: Span,
    written: Arc<str>,
    kind: &'static str,
}

/// A section or list that is not closed yet.
struct Frame {
    collection: Collection,
    layout: Layout,
    anchor: usize,
    mark: usize,
    start: usize,
    size: usize,
    height: usize,
    inside_list: bool,
    odd_key: Option<OddKey>,
}

enum Collection {
    Sequence(Vec<Node>),
    Mapping(Builder),
}

/// The state of a reading.
pub(super) struct Composer<'t> {
    mended: &'t Mended<'t>,
    pub(super) text: &'t str,
    shape: Shape,
    source: Source,
    lines: &'t LineIndex,
    frames: Vec<Frame>,
    /// By the parser's number of the anchor; those not closed yet are missing.
    anchors: Vec<Option<Done>>,
    anchor_names: BTreeSet<String>,
    /// Values held by anchors, and values added by aliases.
    kept: usize,
    expanded: usize,
    /// Quoted and block texts, in which tabs may stand.
    opaque: Vec<Span>,
    /// The end of the last token that holds a value.
    last_end: usize,
    flow_depth: usize,
    documents: usize,
    /// Every token, where an edit needs them.
    marks: Option<Marks>,
    pub(super) found: Found,
}

/// What a reading found.
#[derive(Default)]
pub(super) struct Found {
    root: Option<Node>,
    errors: Vec<Diagnostic>,
    /// What PyYAML and the trainer find only after the whole text was scanned without an error.
    late_errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Found {
    /// Hands over what was found, the errors in the order in which the trainer would meet them.
    pub(super) fn report(self, stop: Option<Diagnostic>, findings: &mut Findings) -> Option<Node> {
        findings.add_all(self.warnings);
        findings.add_all(self.errors);
        match stop {
            Some(finding) => findings.add(finding),
            None => findings.add_all(self.late_errors),
        }
        if findings.failed() {
            return None;
        }
        Some(self.root.unwrap_or(Node { value: Value::Null, span: Span::default() }))
    }
}

impl<'t> Composer<'t> {
    pub(super) fn new(mended: &'t Mended<'t>, shape: Shape, source: Source, lines: &'t LineIndex) -> Self {
        Self {
            mended,
            text: &mended.text,
            shape,
            source,
            lines,
            frames: Vec::new(),
            anchors: Vec::new(),
            anchor_names: BTreeSet::new(),
            kept: 0,
            expanded: 0,
            opaque: Vec::new(),
            last_end: 0,
            flow_depth: 0,
            documents: 0,
            marks: None,
            found: Found::default(),
        }
    }

    /// Keeps every token from now on.
    pub(super) fn keep_marks(&mut self) {
        self.marks = Some(Marks::default());
    }

    /// Hands over the tokens, with what the anchors among them stand for.
    pub(super) fn take_marks(&mut self) -> Option<Marks> {
        let mut marks = self.marks.take()?;
        let anchors = std::mem::take(&mut self.anchors);
        let anchors = anchors.into_iter().enumerate();
        marks.anchors = anchors.filter_map(|(anchor, done)| Some((anchor, done?.node.value))).collect();
        Some(marks)
    }

    fn mark(&mut self, token: Token, span: Span, anchor: usize) -> usize {
        let span = self.mended.original(span);
        self.marks.as_mut().map_or(0, |marks| marks.add(token, span, anchor))
    }

    /// A document begins.
    pub(super) fn document(&mut self, span: Span) -> Step {
        self.documents += 1;
        if self.documents > 1 {
            return Err(self.stop(span, Reason::SecondDocument));
        }
        self.check_before_document(span.start)
    }

    /// The text ends.
    pub(super) fn end(&self) -> Step {
        if self.documents == 0 {
            self.check_before_document(self.text.len())?;
        }
        match strict::misplaced_tab(self.text, &self.opaque) {
            Some(at) => Err(self.stop(Span::new(at, at + 1), Reason::Tab)),
            None => Ok(()),
        }
    }

    /// PyYAML takes no document end before the document.
    fn check_before_document(&self, start: usize) -> Step {
        let nothing_before = !strict::has_document_end(&self.text[..start]);
        if nothing_before { Ok(()) } else { Err(self.stop(Span::new(start, start), Reason::DocumentEnd)) }
    }

    // Anchors and aliases.

    /// The value just met is anchored by this name.
    pub(super) fn anchor_name(&mut self, name: &str, span: Span) -> Step {
        let next = self.text[span.end..].chars().next().unwrap_or(' ');
        let plain_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !plain_name || !(next.is_whitespace() || "?:,]}%@`".contains(next)) {
            return Err(self.stop(span, Reason::AnchorName));
        }
        if !self.anchor_names.insert(name.to_owned()) {
            return Err(self.stop(span, Reason::AnchorRepeated));
        }
        Ok(())
    }

    /// Keeps a value for its aliases.
    fn keep(&mut self, anchor: usize, done: &Done) -> Step {
        if anchor == 0 {
            return Ok(());
        }
        self.kept += done.size;
        if self.kept > LARGEST_EXPANSION {
            return Err(self.expands(done.node.span));
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        self.anchors[anchor] = Some(done.clone());
        Ok(())
    }

    /// A value by its anchor.
    pub(super) fn alias(&mut self, anchor: usize, span: Span) -> Step {
        self.last_end = span.end;
        self.mark(Token::Alias, span, anchor);
        let Some(target) = self.anchors.get(anchor).and_then(Option::as_ref) else { return self.recursion(span) };
        self.expanded += target.size;
        if self.expanded > LARGEST_EXPANSION {
            return Err(self.expands(span));
        }
        if self.frames.len() + target.height > DEEPEST_NESTING {
            return Err(self.too_deep(span));
        }
        let mut done = target.clone();
        done.node.span = span;
        if self.expects_key() {
            if matches!(done.node.value, Value::Sequence(_) | Value::Mapping(_)) {
                return Err(self.stop(span, Reason::KeyIsCollection));
            }
            self.key(done.node.value, span);
            return Ok(());
        }
        self.place(done)
    }

    /// An alias inside the very collection it stands for. PyYAML reads it, and the trainer never comes back from it.
    fn recursion(&mut self, span: Span) -> Step {
        if self.found.late_errors.len() < MOST_FINDINGS {
            let finding = self.finding(Code::DocumentExpands, span).with(count(LARGEST_EXPANSION));
            self.found.late_errors.push(finding);
        }
        if self.expects_key() {
            return Err(self.stop(span, Reason::KeyIsCollection));
        }
        self.place(Done { node: Node { value: Value::Null, span }, size: 1, height: 0, odd_key: None })
    }

    // Scalars.

    /// A scalar; `span` is empty where nothing is written.
    pub(super) fn scalar(&mut self, text: &str, style: Style, anchor: usize, asked: Asked, span: Span) -> Step {
        // The parser calls an absent value `~`.
        let absent = style == Style::Plain && span.start == span.end;
        let text = if absent { "" } else { text };
        if absent && self.expects_key() && self.text[span.start..].trim_start_matches(' ').starts_with(':') {
            self.check_absent_key(span)?;
        }
        let span = self.scalar_span(style, absent, span)?;
        self.mark(Token::Scalar, span, anchor);
        let key_sign = (asked == Asked::Nothing && style == Style::Plain && self.expects_key())
            .then(|| scalar::kind(text))
            .flatten();
        match key_sign {
            Some(scalar::Kind::Merge) => {
                self.set_key(Key::Merge);
                return Ok(());
            }
            Some(scalar::Kind::EqualsSign) => {
                self.key(Value::Text("=".into()), span);
                return Ok(());
            }
            _ => {}
        }
        if self.flow_depth > 0 && self.expects_key() {
            self.check_key_line(span)?;
        }
        let value = self.value(text, style, asked, span)?;
        let done = Done { node: Node { value, span }, size: 1, height: 0, odd_key: None };
        self.keep(anchor, &done)?;
        if self.expects_key() {
            self.key(done.node.value, span);
            return Ok(());
        }
        self.place(done)
    }

    /// PyYAML takes a key of nothing only behind a `?`.
    fn check_absent_key(&self, span: Span) -> Step {
        let behind_question = self.text[..span.start].trim_end().ends_with('?');
        if behind_question { Ok(()) } else { Err(self.stop(Span::new(span.start, span.start), Reason::ColonHere)) }
    }

    /// PyYAML wants a key in brackets on one line with its colon.
    fn check_key_line(&self, span: Span) -> Step {
        let behind = self.text[span.end..].trim_start();
        let to_colon = &self.text[span.start..self.text.len() - behind.len()];
        let behind_question = self.text[..span.start].trim_end().ends_with('?');
        if behind.starts_with(':') && to_colon.contains(['\n', '\r']) && !behind_question {
            return Err(self.stop(span, Reason::ColonHere));
        }
        Ok(())
    }

    /// The bytes of a scalar: with the header of a block text, behind the colon for an absent value.
    fn scalar_span(&mut self, style: Style, absent: bool, span: Span) -> Result<Span, Refusal> {
        let span = match style {
            Style::Plain if absent => self.absent_span(span),
            Style::Plain => self.plain_span(span)?,
            Style::Quoted => {
                self.opaque.push(span);
                span
            }
            Style::Block => {
                let header = strict::first_symbol(self.text, self.last_end, span.start, b"|>").unwrap_or(span.start);
                self.opaque.push(Span::new(strict::line_end(self.text.as_bytes(), header), span.end));
                Span::new(header, self.text[..span.end].trim_end().len().max(header))
            }
        };
        self.last_end = self.last_end.max(span.end);
        Ok(span)
    }

    /// PyYAML ends a plain scalar inside brackets at a `?`, and begins none with a `:`.
    fn plain_span(&self, span: Span) -> Result<Span, Refusal> {
        let written = &self.text[span.start..span.end];
        if self.flow_depth > 0 && written.contains('?') {
            return Err(self.stop(span, Reason::QuestionMark));
        }
        if self.flow_depth > 0 && written.starts_with(':') {
            return Err(self.stop(span, Reason::ColonHere));
        }
        Ok(span)
    }

    fn absent_span(&self, span: Span) -> Span {
        let Some(Frame { collection: Collection::Mapping(builder), .. }) = self.frames.last() else { return span };
        let Some(Key::Own(_, key)) = &builder.pending else { return span };
        let behind = &self.text[key.end..];
        let blanks = behind.len() - behind.trim_start_matches(' ').len();
        let colon = usize::from(behind[blanks..].starts_with(':'));
        let at = if colon == 1 { key.end + blanks + 1 } else { key.end };
        Span::new(at, at)
    }

    /// The value of a scalar; a wrong one hides no other, so reading goes on with nothing in its place.
    fn value(&mut self, text: &str, style: Style, asked: Asked, span: Span) -> Result<Value, Refusal> {
        let value = scalar::value(text, style == Style::Plain, asked);
        value.or_else(|reason| {
            let finding = self.finding(Code::YamlSyntax, span).with(reason.phrase()).with(text);
            if self.found.errors.len() >= MOST_FINDINGS {
                return Err(Refusal::of(finding));
            }
            self.found.errors.push(finding);
            Ok(Value::Null)
        })
    }

    // Refusals.

    fn finding(&self, code: Code, span: Span) -> Diagnostic {
        Diagnostic::new(code, Place::Span(self.source, self.mended.original(span)))
    }

    pub(super) fn stop(&self, span: Span, reason: Reason) -> Refusal {
        let written = self.text[span.start..span.end].lines().next().unwrap_or_default();
        let finding = self.finding(Code::YamlSyntax, span).with(reason.phrase());
        Refusal::of(if written.trim().is_empty() { finding } else { finding.with(written) })
    }

    fn expands(&self, span: Span) -> Refusal {
        Refusal::of(self.finding(Code::DocumentExpands, span).with(count(LARGEST_EXPANSION)))
    }

    pub(super) fn too_deep(&self, span: Span) -> Refusal {
        Refusal::of(self.finding(Code::DocumentTooDeep, span).with(count(DEEPEST_NESTING)))
    }
}
