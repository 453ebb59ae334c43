//! Reading a text into a tree with positions, as the trainer's loader does.
//!
//! `parse` reads a train.yaml as PyYAML 6's safe loader does (YAML 1.1), `parse_json` a config.json as Python's `json`
//! does; both into the same [`Node`]s. What differs from PyYAML is listed at `loader`.

mod builder;
mod compose;
mod date;
mod deserialize;
mod json;
mod loader;
mod locate;
mod mend;
mod node;
mod pattern;
mod python;
mod reason;
mod scalar;
mod strict;
mod wide;
mod write;

pub use deserialize::{DeserializeError, from_node};
pub use locate::Document;
pub use node::{Entry, Mapping, Node, Value};
pub use reason::Reason;
pub use write::to_yaml;

use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::provenance::Source;
use crate::text::{LineIndex, Span};

/// The longest text that is read, in bytes.
pub const LARGEST_TEXT: usize = 1 << 20;
/// How deep sections and lists may be nested, aliases followed.
pub const DEEPEST_NESTING: usize = 100;
/// How many values aliases may add to those written.
pub const LARGEST_EXPANSION: usize = 100_000;

/// Reads a train.yaml.
pub fn parse(text: &str) -> Result<Checked<Document>, Errors> {
    parse_from(Source::Run, text)
}

/// Reads a YAML text of sections; `source` is the text that the findings name as their place.
pub fn parse_from(source: Source, text: &str) -> Result<Checked<Document>, Errors> {
    small_enough(source, text)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = loader::load(text, source, &lines, &mut findings);
    if let Some(root) = &root {
        check_root(root, source, &mut findings);
    }
    findings.finish(root.map(|root| Document { root, lines, source }))
}

/// Reads a config.json.
pub fn parse_json(text: &str) -> Result<Checked<Document>, Errors> {
    let source = Source::Model;
    small_enough(source, text)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = json::load(text, source, &lines, &mut findings);
    if let Some(root) = &root {
        check_root(root, source, &mut findings);
    }
    findings.finish(root.map(|root| Document { root, lines, source }))
}

/// Reads a single value as YAML would behind `key: `; what `--set key=value` takes. Sections and lists only in brackets.
pub fn parse_value(text: &str) -> Result<Node, Errors> {
    small_enough(Source::Run, text)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = loader::load_value(text, &lines, &mut findings);
    findings.finish(root).map(|checked| checked.value)
}

fn small_enough(source: Source, text: &str) -> Result<(), Errors> {
    if text.len() <= LARGEST_TEXT {
        return Ok(());
    }
    let finding = Diagnostic::new(Code::DocumentTooLarge, Place::Span(source, Span::new(LARGEST_TEXT, text.len())));
    Err(Errors::one(finding.with(count(text.len())).with(count(LARGEST_TEXT))))
}

fn check_root(root: &Node, source: Source, findings: &mut Findings) {
    if root.value.as_mapping().is_none() {
        let finding = Diagnostic::new(Code::RootNotMapping, Place::Span(source, root.span));
        findings.add(finding.with(root.value.type_name()));
    }
}

/// A length as an argument.
fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
