//! The TypeScript types of the JavaScript API name what the recorded answers hold (`cli/tests/cli.rs` holds those
//! against the command line).

use serde_json::Value;
use shardmem::memory::Category;
use std::collections::BTreeSet;

const TYPES: &str = include_str!("../src/wasm/types.d.ts");

/// The fields of an interface.
fn declared(interface: &str) -> BTreeSet<&str> {
    let (_, rest) = TYPES.split_once(&format!("export interface {interface} {{\n")).expect("an interface");
    let (body, _) = rest.split_once("\n}").expect("an end");
    body.lines()
        .filter_map(|line| line.strip_prefix("  ")?.split_once(':'))
        .map(|(name, _)| name)
        .filter(is_name)
        .collect()
}

fn is_name(text: &&str) -> bool {
    text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

fn held(object: &Value) -> BTreeSet<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn answers(cases: &str) -> Vec<Value> {
    let cases: Value = serde_json::from_str(cases).expect("JSON");
    let expected = cases.as_array().expect("a list").iter().map(|case| case["expected"].as_str().expect("text"));
    expected.map(|text| serde_json::from_str(text).expect("JSON")).collect()
}

#[test]
fn every_field_is_declared_and_no_other() {
    let answers = answers(include_str!("api/cases.json"));
    let (made, refused) = (&answers[0], answers.last().expect("a refusal"));
    let ledger = answers.iter().find(|answer| answer["memory_model"] == "fsdp2").expect("an answer by the ledger");
    for (interface, object) in [
        ("Estimate", made),
        ("Estimate", ledger),
        ("Stage", &ledger["stages"][0]),
        ("Estimate", refused),
        ("Model", &made["model"]),
        ("Band", &ledger["band"]),
        ("Other", &made["other"]),
        ("Measured", &ledger["measured"]),
        ("Stage", &made["stages"][0]),
        ("Item", &made["stages"][0]["items"][0]),
        ("Diagnostic", &refused["diagnostics"][0]),
    ] {
        assert_eq!(declared(interface), held(object), "{interface}");
    }
}

#[test]
fn every_field_of_an_explanation_is_declared_and_no_other() {
    let answers = answers(include_str!("api/explain.json"));
    let (told, refused) = (&answers[0], answers.last().expect("a refusal"));
    let steps = told["steps"].as_array().expect("steps");
    let children: Vec<&Value> = steps.iter().flat_map(|step| step["children"].as_array().expect("children")).collect();
    let group = children.iter().find_map(|child| child["groups"].get(0)).expect("a group");
    let origin = children.iter().map(|child| &child["origin"]).find(|origin| !origin.is_null()).expect("an origin");
    for (interface, object) in [
        ("Explained", told),
        ("Explained", refused),
        ("Step", &steps[0]),
        ("Child", children[0]),
        ("Group", group),
        ("Origin", origin),
    ] {
        assert_eq!(declared(interface), held(object), "{interface}");
    }
}

#[test]
fn categories_are_those_of_the_core() {
    let (_, rest) = TYPES.split_once("  category:\n").expect("the category of an item");
    let (union, _) = rest.split_once(';').expect("an end");
    let declared: Vec<&str> = union.split('"').skip(1).step_by(2).collect();
    assert_eq!(declared, Category::ALL.map(Category::id));
}
