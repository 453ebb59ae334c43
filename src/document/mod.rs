//! Reading a text into a tree with positions, as the trainer's loader does.
//!
//! `parse` reads a train.yaml as PyYAML 6's safe loader does (YAML 1.1), `parse_json` a config.json as Python's `json`
//! does; both into the same [`Node`]s. What differs from PyYAML is listed at `loader`.

mod apply;
mod builder;
mod compose;
mod date;
mod deserialize;
mod json;
mod line;
mod loader;
mod locate;
mod marks;
mod mend;
mod node;
mod pattern;
mod python;
mod reason;
mod scalar;
mod serialize;
mod strict;
mod without;
mod write;
mod written;

pub use apply::{Unapplied, apply};
pub use deserialize::{DeserializeError, from_node};
pub use line::{Quotes, to_line, to_sections};
pub use locate::Document;
pub use node::{Entry, Mapping, Node, Value};
pub use reason::Reason;
pub use without::without;
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

/// The longest state of the page that is read, in bytes: it holds several texts.
const LARGEST_STATE: usize = 4 << 20;

/// How many findings of one kind are worth showing; a text with more is not what its author thinks it is.
const MOST_FINDINGS: usize = 50;

/// Reads a train.yaml.
pub fn parse(text: &str) -> Result<Checked<Document>, Errors> {
    parse_from(Source::Run, text)
}

/// Reads a YAML text of sections; `source` is the text that the findings name as their place.
pub fn parse_from(source: Source, text: &str) -> Result<Checked<Document>, Errors> {
    read(text, source, loader::load)
}

/// Reads a config.json.
pub fn parse_json(text: &str) -> Result<Checked<Document>, Errors> {
    read(text, Source::Model, json::load)
}

/// Reads the JSON of a page's state.
pub fn parse_state(text: &str) -> Result<Node, Errors> {
    small_enough(Source::Run, text, LARGEST_STATE)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = json::load(text, Source::Run, &lines, &mut findings);
    findings.finish(root).map(|checked| checked.value)
}

/// Reads a text of sections by its language's own loader.
fn read(
    text: &str,
    source: Source,
    load: fn(&str, Source, &LineIndex, &mut Findings) -> Option<Node>,
) -> Result<Checked<Document>, Errors> {
    small_enough(source, text, LARGEST_TEXT)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = load(text, source, &lines, &mut findings);
    if let Some(root) = &root {
        check_root(root, source, &mut findings);
    }
    findings.finish(root.map(|root| Document { root, lines, source }))
}

/// Reads a single value as YAML would behind `key: `; what `--set key=value` takes. Sections and lists only in brackets.
pub fn parse_value(text: &str) -> Result<Node, Errors> {
    small_enough(Source::Run, text, LARGEST_TEXT)?;
    let lines = LineIndex::new(text.into());
    let mut findings = Findings::new();
    let root = loader::load_value(text, &lines, &mut findings);
    findings.finish(root).map(|checked| checked.value)
}

fn small_enough(source: Source, text: &str, largest: usize) -> Result<(), Errors> {
    if text.len() <= largest {
        return Ok(());
    }
    let finding = Diagnostic::new(Code::DocumentTooLarge, Place::Span(source, Span::new(largest, text.len())));
    Err(Errors::one(finding.with(count(text.len())).with(count(largest))))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Argument;

    /// Code, the bytes it points at, and the arguments of every error.
    fn errors(text: &str) -> Vec<(&'static str, &str, Vec<Argument>)> {
        let errors = parse(text).expect_err("it is refused");
        let shown = |finding: &Diagnostic| {
            let Place::Span(Source::Run, span) = finding.place else { panic!("{finding:?} has no bytes") };
            (finding.code.name(), &text[span.start..span.end], finding.arguments.clone())
        };
        errors.errors().iter().map(shown).collect()
    }

    fn refused(reason: Reason, written: &str) -> Vec<Argument> {
        let written = (!written.is_empty()).then(|| written.into());
        std::iter::once(reason.phrase().into()).chain(written).collect()
    }

    #[test]
    fn a_refusal_points_at_what_is_wrong() {
        for (text, at, reason) in [
            ("a: !x 1", "!x", Reason::TagUnknown),
            ("a: 1\nb: 2025-02-30", "2025-02-30", Reason::DateImpossible),
            ("a: *x", "*x", Reason::AliasUndefined),
            ("a: &x 1\nb: &x 2", "&x", Reason::AnchorRepeated),
            ("a: &x.y 1", "&x.y", Reason::AnchorName),
            ("<<: 1", "1", Reason::MergeOfOther),
            ("a: =", "=", Reason::EqualsSign),
            ("a: <<", "<<", Reason::MergeSign),
            ("a: 0b_", "0b_", Reason::DigitsMissing),
            ("a: !!int two", "two", Reason::TagMismatched),
            ("a: !!seq {b: 1}", "{", Reason::TagMismatched),
            ("? [a]\n: 1", "[", Reason::KeyIsCollection),
            ("a: [x?]", "x?", Reason::QuestionMark),
            ("a: @b", "@", Reason::ReservedCharacter),
            ("a: [b}", "[", Reason::BracketUnclosed),
            ("a: b]\nc: ]", "]", Reason::BracketMismatched),
            ("a: b: c", ":", Reason::ColonHere),
        ] {
            assert_eq!(errors(text), [("yaml_syntax", at, refused(reason, at))], "{text}");
        }
        for (text, reason) in [
            ("a: 1\t", Reason::Tab),
            ("a: \u{7}", Reason::NotPrintable),
            ("%YAML 2.0\n---\na: 1", Reason::Version),
            ("a: 1\n---\nb: 2", Reason::SecondDocument),
            ("a: 'b", Reason::QuoteUnclosed),
            ("a: [1", Reason::BracketUnclosed),
            ("a:\n   b: 1\n  c: 2", Reason::Indentation),
            ("a: 1\nb", Reason::ColonMissing),
        ] {
            assert_eq!(errors(text)[0].2[0], reason.phrase().into(), "{text}");
        }
    }

    #[test]
    fn a_refused_tab_is_pointed_at_itself() {
        for (text, at) in [("a:\n  b: c\n\td: e", 10), ("a:\n\t- b", 3), ("a:\n  \tb: c", 5), ("a: 1\t", 4)] {
            let place = parse(text).expect_err("it is refused").first().place.clone();
            assert_eq!(place, Place::Span(Source::Run, Span::new(at, at + 1)), "{text:?}");
        }
    }

    #[test]
    fn wrong_values_are_found_all_at_once_and_odd_keys_after_them() {
        let found = errors("a: 2025-02-30\nb: 0x_\non: 1\nc: {1: 2}");
        let expected =
            [("yaml_syntax", "2025-02-30"), ("yaml_syntax", "0x_"), ("key_not_text", "on"), ("key_not_text", "1")];
        assert_eq!(found.iter().map(|(code, at, _)| (*code, *at)).collect::<Vec<_>>(), expected);
        assert_eq!(found[2].2, [Argument::from("on"), Argument::from("boolean")]);
        assert_eq!(errors("a: [{1: 2}, &x {on: 1}]\nb: *x")[0].1, "on");
        assert_eq!(errors("- a"), [("root_not_mapping", "- a", vec![Argument::from("list")])]);
        assert_eq!(errors("# a\n"), [("root_not_mapping", "", vec![Argument::from("null")])]);
    }

    #[test]
    fn a_repeated_key_is_a_warning_at_the_later_one() {
        let text = "a: 1\nb:\n  c: 1\n  <<: {c: 3}\n  c: 2\na: 2\na: 3\n";
        let Checked { value: document, warnings } = parse(text).expect("it is read");
        let places: Vec<_> = warnings.iter().map(|finding| finding.place.clone()).collect();
        let at = |text: &str, from: usize| Place::Span(Source::Run, Span::new(from, from + text.len()));
        assert_eq!(places, [at("c", 30), at("a", 35), at("a", 40)]);
        assert_eq!(warnings[0].arguments, [Argument::from("c"), Argument::Integer(3)]);
        assert_eq!(warnings[2].arguments, [Argument::from("a"), Argument::Integer(1)]);
        let root = document.root.value.as_mapping().expect("a section");
        assert_eq!(root.get("a").map(|node| &node.value), Some(&Value::Integer(3)));
    }

    #[test]
    fn every_value_knows_its_bytes() {
        let text = "a: &x  # c\n  b: !!int \"12\"\n  e:  # none\n  g: |- # d\n    t\n\n    u\n\nl:\n- 1\n- {q: 1, r: }\nk: [p,\n *x]\n\
                    'm n': {<<: *x, b:[2]}\n中: '😀'\n";
        let document = parse(text).expect("it is read").value;
        let written: Vec<(String, &str, &str)> = document
            .entries()
            .map(|(path, entry)| {
                let key = &text[entry.key_span.start..entry.key_span.end];
                (path.to_string(), key, &text[entry.node.span.start..entry.node.span.end])
            })
            .collect();
        let expected = [
            ("a", "a", "b: !!int \"12\"\n  e:  # none\n  g: |- # d\n    t\n\n    u"),
            ("a.b", "b", "\"12\""),
            ("a.e", "e", ""),
            ("a.g", "g", "|- # d\n    t\n\n    u"),
            ("l", "l", "- 1\n- {q: 1, r: }"),
            ("l[1].q", "q", "1"),
            ("l[1].r", "r", ""),
            ("k", "k", "[p,\n *x]"),
            ("k[1].b", "b", "\"12\""),
            ("k[1].e", "e", ""),
            ("k[1].g", "g", "|- # d\n    t\n\n    u"),
            ("m n", "'m n'", "{<<: *x, b:[2]}"),
            ("m n.b", "b", "[2]"),
            ("m n.e", "e", ""),
            ("m n.g", "g", "|- # d\n    t\n\n    u"),
            ("中", "中", "'😀'"),
        ];
        let expected = expected.map(|(path, key, value)| (path.to_owned(), key, value));
        assert_eq!(written, expected);
        let absent = &document.get(&crate::provenance::KeyPath::parse("a.e")).expect("it stands there").span;
        assert_eq!(&text[absent.start - 2..absent.end], "e:");
    }

    #[test]
    fn a_single_value_is_a_scalar_or_stands_in_brackets() {
        let value = |text: &str| parse_value(text).map(|node| node.value);
        assert_eq!(value("8"), Ok(Value::Integer(8)));
        assert_eq!(value("off"), Ok(Value::Bool(false)));
        assert_eq!(value("'off'"), Ok(Value::Text("off".into())));
        assert_eq!(value(""), Ok(Value::Null));
        assert_eq!(value("[1, a]").map(|value| value.to_text()), Ok("[1, 'a']".to_owned()));
        assert_eq!(value("{a: {b: 1}}").map(|value| value.to_text()), Ok("{'a': {'b': 1}}".to_owned()));
        for text in ["a: 1", "- 1", "a\n---\nb", "[1", "{1: 2}", "0b_"] {
            assert!(value(text).is_err(), "{text}");
        }
    }

    #[test]
    fn json_findings_have_places() {
        for (text, at, reason) in [
            ("{\"a\": 01}", 7, Reason::CommaOrEndMissing),
            ("{\"a\" 1}", 5, Reason::ColonMissing),
            ("{a: 1}", 1, Reason::KeyMissing),
            ("{\"a\": }", 6, Reason::ValueMissing),
            ("{\"a\": \"\\q\"}", 7, Reason::Escape),
            ("{\"a\": \"b\tc\"}", 8, Reason::ControlCharacter),
            ("{\"a\": \"b", 6, Reason::QuoteUnclosed),
            ("{} x", 3, Reason::TextBehind),
            ("{\"a\": 1,}", 8, Reason::KeyMissing),
            ("\u{feff}{}", 0, Reason::ByteOrderMark),
        ] {
            let errors = parse_json(text).expect_err("it is refused");
            let Place::Span(Source::Model, span) = errors.first().place else { panic!("no bytes") };
            assert_eq!((span.start, &errors.first().arguments[0]), (at, &reason.phrase().into()), "{text}");
            assert_eq!(errors.first().code, Code::JsonSyntax);
        }
        assert_eq!(parse_json("[]").expect_err("no section").first().code, Code::RootNotMapping);
        let Checked { value, warnings } =
            parse_json("{\"a\": 1,\n \"a\": {\"\\u4e2d\\ud83d\\ude00\": []}}").expect("it is read");
        assert_eq!(warnings[0].arguments, [Argument::from("a"), Argument::Integer(1)]);
        assert_eq!(value.paths().map(|path| path.to_string()).collect::<Vec<_>>(), ["a", "a.中😀"]);
    }
}
