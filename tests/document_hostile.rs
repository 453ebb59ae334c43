//! Texts that mean harm: refused or read within bounds, never a panic.

#[path = "document/random.rs"]
mod random;

use random::Random;
use shardmem::diagnostics::{Checked, Diagnostic, Errors, Place};
use shardmem::document::{
    DEEPEST_NESTING, Document, LARGEST_EXPANSION, LARGEST_TEXT, Node, Value, parse, parse_json, parse_value,
};

fn code(text: &str) -> &'static str {
    parse(text).map_or_else(|errors| errors.first().code.name(), |_| "read")
}

fn json_code(text: &str) -> &'static str {
    parse_json(text).map_or_else(|errors| errors.first().code.name(), |_| "read")
}

#[test]
fn a_text_over_the_limit_is_not_looked_at() {
    assert_eq!(code(&"x".repeat(LARGEST_TEXT + 1)), "document_too_large");
    assert_eq!(json_code(&"x".repeat(LARGEST_TEXT + 1)), "document_too_large");
    assert!(parse_value(&"x".repeat(LARGEST_TEXT + 1)).is_err());
    assert_eq!(code(&format!("a: {}", "x".repeat(LARGEST_TEXT - 3))), "read");
}

#[test]
fn nesting_stops_at_the_limit() {
    for opening in ["[", "{", "{a: ", "- ", "[{a: "] {
        assert_eq!(code(&opening.repeat(LARGEST_TEXT / opening.len())), "document_too_deep", "{opening}");
    }
    let indented: Vec<String> = (0..1400).map(|depth| format!("{:depth$}a:", "")).collect();
    assert_eq!(code(&indented.join("\n")), "document_too_deep");
    assert_eq!(json_code(&"[".repeat(LARGEST_TEXT)), "document_too_deep");
    assert_eq!(json_code(&r#"{"a":"#.repeat(LARGEST_TEXT / 5)), "document_too_deep");
    let nested = |depth: usize| format!("a: {}{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    assert_eq!(code(&nested(DEEPEST_NESTING)), "read");
    assert_eq!(code(&nested(DEEPEST_NESTING + 1)), "document_too_deep");
}

#[test]
fn aliases_do_not_get_past_the_limits() {
    let mut bomb = vec!["a: &a [x, x, x, x, x, x, x, x, x]".to_owned()];
    for (name, last) in ('b'..='j').zip('a'..) {
        let aliases = vec![format!("*{last}"); 9].join(", ");
        bomb.push(format!("{name}: &{name} [{aliases}]"));
    }
    assert_eq!(code(&bomb.join("\n")), "document_expands");
    let texts = format!("a: &a {}\nb: [{}]\n", "x".repeat(1000), vec!["*a"; LARGEST_EXPANSION + 1].join(","));
    assert_eq!(code(&texts), "document_expands");
    let merges = format!("a: &a {{x: 1}}\nb:\n{}", "  <<: *a\n".repeat(LARGEST_EXPANSION / 2 + 1));
    assert_eq!(code(&merges), "document_expands");
    let open = |at| format!("{{k{at}: &a{at} ");
    let anchors: String = (0..60).map(open).collect();
    let anchors = format!("{anchors}[{}]{}", vec!["1"; 2000].join(","), "}".repeat(60));
    assert_eq!(code(&anchors), "document_expands");
    let deep = "[".repeat(60);
    let closed = "]".repeat(60);
    assert_eq!(code(&format!("a: &a {deep}{closed}\nb: {deep}*a{closed}\n")), "document_too_deep");
    assert_eq!(code("a: &a [*a]"), "document_expands");
    assert_eq!(code("a: &a {b: *a}"), "document_expands");
    assert_eq!(code("a: &a {<<: *a}"), "yaml_syntax");
}

#[test]
fn long_pieces_are_read_or_refused() {
    let long = LARGEST_TEXT - 10;
    assert_eq!(code(&format!("a: {}", "1".repeat(long))), "yaml_syntax");
    assert_eq!(code(&format!("a: 0x{}", "f".repeat(long - 2))), "yaml_syntax");
    assert_eq!(code(&format!("a: 1{}", ":1".repeat(long / 2 - 2))), "yaml_syntax");
    assert_eq!(code(&format!("a: 1{}.0", ":1".repeat(long / 2 - 2))), "yaml_syntax");
    assert_eq!(code(&format!("a: 0.{}", "1".repeat(long - 2))), "read");
    assert_eq!(code(&format!("a: \"{}", "x".repeat(long - 2))), "yaml_syntax");
    assert_eq!(code(&format!("# {}", "\t".repeat(long))), "root_not_mapping");
    assert_eq!(code(&format!("a: {}", "\t".repeat(long))), "yaml_syntax");
    assert_eq!(code(&"a: \"b\"#\n".repeat(1000)), "yaml_syntax");
    assert_eq!(json_code(&format!("{{\"a\":{}}}", "1".repeat(long))), "json_syntax");
    assert_eq!(json_code(&format!("{{\"a\":\"{}", "x".repeat(long - 6))), "json_syntax");
}

#[test]
fn findings_are_limited() {
    let duplicates = parse(&"a: 1\n".repeat(2000)).expect("repeated keys are read");
    assert!(duplicates.warnings.len() <= 50);
    for text in ["1: 1\n".repeat(2000), "a: 0b_\n".repeat(2000), format!("a: &a [{}]", "*a, ".repeat(2000))] {
        let errors = parse(&text).expect_err("it is refused");
        assert!(errors.errors().len() <= 51);
    }
}

#[test]
fn mangled_texts_do_no_harm() {
    const PIECES: &[&str] = &[
        "\t",
        " ",
        "\n",
        ":",
        ": ",
        "- ",
        "? ",
        ",",
        "[",
        "]",
        "{",
        "}",
        "#",
        " # ",
        "&a ",
        "*a",
        "!!str ",
        "!x ",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "%",
        "@",
        "---\n",
        "...\n",
        "<<: *a\n",
        "=",
        "\r",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\\",
        "é",
        "中",
        "😀",
        "\0",
        "0x_",
        "1:1",
        "2025-02-30",
        "null",
        "\\u12",
        "\\ud83d",
    ];
    let sources = [
        include_str!("yamls/dryrun_ep_explicit.yaml"),
        include_str!("yamls/qwen3_5_9b_base_vlm.yaml"),
        "a: &a {b: 1, 中: [x, \"y\"]}\nb:\n  <<: *a\n  c: |\n    t\n  d: >-\n    u\n- 1\n",
        "{\"a\": [1, 2.5, true, null, \"x\\n\\u4e2d\"], \"b\": {\"c\": -1e5}}",
    ];
    let mut random = Random::new(99);
    for round in 0..4000 {
        let source = sources[round % sources.len()];
        let mut text: Vec<char> = source.chars().skip(random.below(source.len())).take(random.below(400)).collect();
        for _ in 0..random.below(6) {
            let at = random.below(text.len() + 1);
            let piece = PIECES[random.below(PIECES.len())].chars();
            let until = (at + random.below(3)).min(text.len());
            text.splice(at..until, piece);
        }
        let text: String = text.into_iter().collect();
        check(&text, parse(&text));
        check(&text, parse_json(&text));
        if let Ok(node) = parse_value(&text) {
            check_spans(&text, &node);
        }
    }
}

#[test]
fn random_bytes_do_no_harm() {
    let mut random = Random::new(5);
    for _ in 0..2000 {
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect();
        let text = String::from_utf8_lossy(&bytes);
        check(&text, parse(&text));
        check(&text, parse_json(&text));
    }
}

/// Every place that a reading names lies in the text.
fn check(text: &str, outcome: Result<Checked<Document>, Errors>) {
    let findings: Vec<Diagnostic> = match outcome {
        Ok(document) => {
            check_spans(text, &document.value.root);
            for path in document.value.paths() {
                let place = Place::Value(document.value.source, path);
                let span = document.value.locate(&place).expect("an existing path lies in its document");
                assert!(text.get(span.start..span.end).is_some());
            }
            document.warnings
        }
        Err(errors) => errors.errors().iter().chain(errors.warnings()).cloned().collect(),
    };
    for finding in findings {
        let Place::Span(_, span) = finding.place else { panic!("{finding:?} has no bytes") };
        assert!(text.get(span.start..span.end).is_some(), "{finding:?} in {text:?}");
    }
}

fn check_spans(text: &str, node: &Node) {
    assert!(text.get(node.span.start..node.span.end).is_some(), "{node:?} in {text:?}");
    match &node.value {
        Value::Sequence(items) => items.iter().for_each(|item| check_spans(text, item)),
        Value::Mapping(mapping) => {
            for entry in &mapping.entries {
                assert!(text.get(entry.key_span.start..entry.key_span.end).is_some());
                check_spans(text, &entry.node);
            }
        }
        _ => {}
    }
}
