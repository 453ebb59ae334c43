//! What each golden file asserts, case by case; shared by the native runner and the one in the browsers.
#![allow(dead_code, unreachable_pub, reason = "modules of several test programs, each of which uses its part")]

pub mod compare;
pub mod derive;
pub mod findings;
pub mod ledger;
pub mod ledger_case;
pub mod memory_vectors;
pub mod nodes;
pub mod parse;
pub mod peaks;
pub mod ranges;
pub mod spec;
pub mod yamls;

use serde_json::Value;

/// Checks one case; the error names the first differing field.
pub type Check = fn(&Value) -> Result<(), String>;

/// Every golden file with its check.
pub const CHECKS: &[(&str, Check)] = &[
    ("derive.json", derive::run),
    ("parse.json", parse::run),
    ("spec.json", spec::run),
    ("ranges.json", ranges::run),
    ("memory-vectors.json", memory_vectors::run),
    ("peaks.json", peaks::run),
    ("catalogue.json", peaks::run),
    ("yamls.json", yamls::run),
    ("ledger.json", ledger::run),
];

/// A file of `tests/goldens/`; native programs only.
pub fn golden(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON")
}

/// The cases of a golden file: the file itself, or its `cases`.
pub fn cases(file: &Value) -> &[Value] {
    let cases = file.as_array().or_else(|| file["cases"].as_array());
    cases.map_or(&[], Vec::as_slice)
}

/// What a case is called.
pub fn name_of(case: &Value) -> &str {
    case["name"].as_str().or_else(|| case["file"].as_str()).unwrap_or("unnamed")
}
