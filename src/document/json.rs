//! Reading JSON as Python's `json` does: `NaN` and the infinities, whole numbers of any length, the last of repeated keys.
//!
//! Where this differs from Python: half a surrogate pair becomes the replacement character, since no text can hold it.

use super::builder::Builder;
use super::node::{Entry, Node, Value};
use super::reason::Reason;
use super::{DEEPEST_NESTING, MOST_FINDINGS, count, scalar};
use crate::decimal;
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::provenance::Source;
use crate::text::{LineIndex, Span};
use std::sync::Arc;

/// Reads a text of one value.
pub(super) fn load(text: &str, source: Source, lines: &LineIndex, findings: &mut Findings) -> Option<Node> {
    let mut reader = Reader { text, source, lines, at: 0, warnings: Vec::new() };
    let outcome = reader.document();
    findings.add_all(reader.warnings);
    outcome.map_err(|finding| findings.add(finding)).ok()
}

struct Reader<'t> {
    text: &'t str,
    source: Source,
    lines: &'t LineIndex,
    at: usize,
    warnings: Vec<Diagnostic>,
}

type Outcome<T> = Result<T, Diagnostic>;

impl Reader<'_> {
    fn document(&mut self) -> Outcome<Node> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.refusal(Reason::ByteOrderMark));
        }
        let root = self.value(0)?;
        self.skip_blanks();
        if self.at < self.text.len() {
            return Err(self.refusal(Reason::TextBehind));
        }
        Ok(root)
    }

    fn value(&mut self, depth: usize) -> Outcome<Node> {
        self.skip_blanks();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.section(depth + 1)?,
            Some(b'[') => self.list(depth + 1)?,
            Some(b'"') => Value::Text(self.quoted()?),
            _ => self.bare()?,
        };
        Ok(Node { value, span: Span::new(start, self.at) })
    }

    fn section(&mut self, depth: usize) -> Outcome<Value> {
        self.enter(depth)?;
        let mut builder = Builder::default();
        if !self.skipped_to(b'}') {
            loop {
                self.entry(&mut builder, depth)?;
                if self.ends_with(b'}')? {
                    break;
                }
            }
        }
        Ok(Value::Mapping(builder.finish()))
    }

    fn entry(&mut self, builder: &mut Builder, depth: usize) -> Outcome<()> {
        self.skip_blanks();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.refusal(Reason::KeyMissing));
        }
        let key = self.quoted()?;
        let key_span = Span::new(start, self.at);
        if !self.skipped_to(b':') {
            return Err(self.refusal(Reason::ColonMissing));
        }
        let node = self.value(depth)?;
        if let Some(first) = builder.insert(Entry { key: Arc::clone(&key), key_span, node }) {
            self.warn_of_duplicate(&key, key_span, first);
        }
        Ok(())
    }

    fn list(&mut self, depth: usize) -> Outcome<Value> {
        self.enter(depth)?;
        let mut items = Vec::new();
        if !self.skipped_to(b']') {
            loop {
                items.push(self.value(depth)?);
                if self.ends_with(b']')? {
                    break;
                }
            }
        }
        Ok(Value::Sequence(items))
    }

    /// Takes the opening bracket.
    fn enter(&mut self, depth: usize) -> Outcome<()> {
        if depth > DEEPEST_NESTING {
            let place = Place::Span(self.source, Span::new(self.at, self.at + 1));
            return Err(Diagnostic::new(Code::DocumentTooDeep, place).with(count(DEEPEST_NESTING)));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the collection ends here; a comma goes on.
    fn ends_with(&mut self, closing: u8) -> Outcome<bool> {
        if self.skipped_to(closing) {
            return Ok(true);
        }
        if self.skipped_to(b',') { Ok(false) } else { Err(self.refusal(Reason::CommaOrEndMissing)) }
    }

    // Scalars.

    /// A word or a number.
    fn bare(&mut self) -> Outcome<Value> {
        let words = [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Float(f64::NAN)),
            ("Infinity", Value::Float(f64::INFINITY)),
            ("-Infinity", Value::Float(f64::NEG_INFINITY)),
        ];
        for (word, value) in words {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        self.number()
    }

    fn number(&mut self) -> Outcome<Value> {
        let number = &self.text[self.at..];
        let bytes = number.as_bytes();
        let digits_from = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let sign = usize::from(number.starts_with('-'));
        // A leading zero stands alone.
        let whole = if bytes.get(sign) == Some(&b'0') { 1 } else { digits_from(sign) };
        if whole == 0 {
            return Err(self.refusal(Reason::ValueMissing));
        }
        let mut length = sign + whole;
        if bytes.get(length) == Some(&b'.') && digits_from(length + 1) > 0 {
            length += 1 + digits_from(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let digits = digits_from(length + 1 + sign);
            length += if digits > 0 { 1 + sign + digits } else { 0 };
        }
        let value = if length == sign + whole {
            scalar::decimal(&number[..length])
        } else {
            decimal::read(&number[..length]).map(Value::Float).ok_or(Reason::ValueMissing)
        };
        let value = value.map_err(|reason| self.refusal(reason))?;
        self.at += length;
        Ok(value)
    }

    fn quoted(&mut self) -> Outcome<Arc<str>> {
        let opening = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text.into());
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.refusal(Reason::ControlCharacter)),
                None => {
                    self.at = opening;
                    return Err(self.refusal(Reason::QuoteUnclosed));
                }
            }
        }
    }

    fn escape(&mut self) -> Outcome<char> {
        let character = match self.text.as_bytes().get(self.at + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.code_point(),
            _ => return Err(self.refusal(Reason::Escape)),
        };
        self.at += 2;
        Ok(character)
    }

    /// `\uXXXX`, or two of them that are one character.
    fn code_point(&mut self) -> Outcome<char> {
        let Some(first) = self.unit(self.at) else { return Err(self.refusal(Reason::Escape)) };
        let second = self.unit(self.at + 6);
        self.at += 6;
        let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
        match pair {
            Some(character) if character.len_utf16() == 2 => {
                self.at += 6;
                Ok(character)
            }
            _ => Ok(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    /// The UTF-16 unit of an escape that begins at `at`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let all_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if all_digits { u16::from_str_radix(digits, 16).ok() } else { None }
    }

    // Characters.

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes the symbol if it comes next.
    fn skipped_to(&mut self, symbol: u8) -> bool {
        self.skip_blanks();
        let here = self.peek() == Some(symbol);
        self.at += usize::from(here);
        here
    }

    fn refusal(&self, reason: Reason) -> Diagnostic {
        let here = self.text[self.at..].chars().next();
        let span = Span::new(self.at, self.at + here.map_or(0, char::len_utf8));
        Diagnostic::new(Code::JsonSyntax, Place::Span(self.source, span)).with(reason.phrase())
    }

    fn warn_of_duplicate(&mut self, key: &str, later: Span, first: Span) {
        if self.warnings.len() < MOST_FINDINGS {
            let line = i64::from(self.lines.position(first.start).line);
            let finding = Diagnostic::new(Code::DuplicateKey, Place::Span(self.source, later));
            self.warnings.push(finding.with(key).with(line));
        }
    }
}
