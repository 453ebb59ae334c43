//! The reader against tables of what PyYAML 6.0.3's safe loader and Python's `json` read.
//!
//! Rows of the JSON tables are a text and what it is: `["map", [key, value]…]`, `["list", value…]`, a kind with Python's
//! `str()` of the value, or `["error", code]`.

use serde_json::{Value as Json, json};
use shardmem::diagnostics::{Checked, Errors};
use shardmem::document::{Document, Node, Value, parse, parse_json};
use std::path::Path;

#[test]
fn plain_scalars_are_read_as_pyyaml_reads_them() {
    let table = include_str!("document/scalars.tsv");
    let mut rows = 0;
    for row in table.lines().filter(|row| !row.starts_with("# ")) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [written, kind, text] = cells[..] else { panic!("three cells: {row}") };
        let read = match parse(&format!("a: {written}\n")) {
            Ok(document) => described(&document.value.root)[1][1].clone(),
            Err(errors) => json!(["error", errors.first().code.name()]),
        };
        let expected = match kind {
            "error" => json!(["error", "yaml_syntax"]),
            "null" => json!(["null"]),
            "bool" => json!(["bool", text == "True"]),
            "str" => json!(["str", written]),
            _ => json!([kind, text]),
        };
        assert_eq!(read, expected, "{written}");
        rows += 1;
    }
    assert!(rows > 600);
}

#[test]
fn documents_are_read_as_pyyaml_reads_them() {
    check_all(include_str!("document/documents.json"), parse);
}

#[test]
fn json_is_read_as_python_reads_it() {
    check_all(include_str!("document/json.json"), parse_json);
}

#[test]
fn real_files_are_read_as_pyyaml_reads_them() {
    let table: Json = serde_json::from_str(include_str!("document/yamls.json")).expect("the table is JSON");
    for (name, expected) in table.as_object().expect("the table is an object") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/yamls").join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(path).expect("the file stands beside the table");
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let document = parse(&text).expect("a real file is read");
            assert_eq!(document.warnings, []);
            assert_eq!(&described(&document.value.root), expected, "{name}");
        }
    }
}

fn check_all(table: &str, read: fn(&str) -> Result<Checked<Document>, Errors>) {
    let table: Vec<(String, Json)> = serde_json::from_str(table).expect("the table is JSON");
    assert!(table.len() > 100);
    for (text, expected) in table {
        let found = match read(&text) {
            Ok(document) => described(&document.value.root),
            Err(errors) => json!(["error", errors.first().code.name()]),
        };
        assert_eq!(found, expected, "{text:?}");
    }
}

/// A value in the table's form.
fn described(node: &Node) -> Json {
    let list = |kind: &str, items: Vec<Json>| Json::Array(std::iter::once(kind.into()).chain(items).collect());
    match &node.value {
        Value::Null => json!(["null"]),
        Value::Bool(flag) => json!(["bool", flag]),
        Value::Integer(_) | Value::WideInteger(_) => json!(["int", node.value.to_text()]),
        Value::Float(_) => json!(["float", node.value.to_text()]),
        Value::Text(text) => json!(["str", **text]),
        Value::Date(_) => json!(["date", node.value.to_text()]),
        Value::Sequence(items) => list("list", items.iter().map(described).collect()),
        Value::Mapping(mapping) => {
            let entries = mapping.entries.iter();
            list("map", entries.map(|entry| json!([*entry.key, described(&entry.node)])).collect())
        }
    }
}
