//! `peaks.json` and `catalogue.json`: a train.yaml that names a catalogue model, every stage's memory out.

use super::compare::at;
use super::memory_vectors::stages;
use serde_json::Value;
use shardmem::estimate::{Found, Input, Outcome, Ready, estimate};

/// Checks one case.
pub fn run(case: &Value) -> Result<(), String> {
    match ready(case)? {
        Some(ready) => stages(&case["stages"], &ready.breakdown),
        None => Ok(()),
    }
}

/// The estimate of a case's text alone, or none where the case expects the error that was found.
pub fn ready(case: &Value) -> Result<Option<Box<Ready>>, String> {
    let text = case["yaml"].as_str().ok_or("the case has no yaml")?;
    match (estimate(&Input::of(text)), case.get("error")) {
        (Outcome::Ready(ready), None) => Ok(Some(ready)),
        (Outcome::Ready(_), Some(error)) => Err(format!("error.code: expected {}, got an estimate", error["code"])),
        (Outcome::Rejected(rejected), Some(error)) => {
            let code = rejected.errors().next().map_or("nothing", |found| found.diagnostic.code.name());
            at("error.code", &error["code"], &code.into(), 0.0).map(|()| None)
        }
        (Outcome::Rejected(rejected), None) => {
            let said: Vec<String> = rejected.errors().map(Found::message).collect();
            Err(format!("expected an estimate, got: {}", said.join("; ")))
        }
    }
}
