//! Every diagnostic that the goldens' texts raise is said in full: its sentence names no argument that is not there.

mod checks;

use checks::{cases, golden};
use serde_json::Value;
use shardmem::diagnostics::Diagnostic;
use shardmem::estimate::{Input, ModelChoice, estimate};
use shardmem::report::messages::{Sentence, fill, sentence};
use std::collections::BTreeSet;

#[test]
fn sentences_find_their_arguments() {
    let mut seen = BTreeSet::new();
    for (file, read) in
        [("parse.json", parse_case as fn(&Value) -> Input), ("spec.json", spec_case), ("yamls.json", yaml_case)]
    {
        for case in cases(&golden(file)) {
            for found in estimate(&read(case)).findings() {
                assert!(is_complete(&found.diagnostic), "{file} {}: {:?}", checks::name_of(case), found.diagnostic);
                seen.insert(found.diagnostic.code.name());
            }
        }
    }
    assert!(seen.len() > 40, "only {} codes were raised: {seen:?}", seen.len());
}

#[test]
fn broken_texts_are_said_in_full() {
    for text in [
        "a: [",
        "a: \"\\q\"",
        "a: !x 1",
        "a: *b",
        "on: 1",
        "1: 2",
        "- a",
        "text",
        "%YAML 2.0\n---\na: 1",
        "a: 1\na: 2",
        "context: {max_device_memory: 64GiB}\nmodel: {config_overrides: {hidden_size: 1}}",
        "parallel_config: {}",
        "model: {}\ntraining:\naccelerator: {tp_size: []}",
        "a: 2025-13-01",
    ] {
        for found in estimate(&Input::of(text)).findings() {
            assert!(is_complete(&found.diagnostic), "{text}: {:?}", found.diagnostic);
        }
    }
}

fn is_complete(diagnostic: &Diagnostic) -> bool {
    match sentence(diagnostic.code) {
        Sentence::Plain(template) => fill(template, diagnostic).is_some(),
        Sentence::WouldFail { fact, reason, .. } => {
            fill(fact, diagnostic).is_some() && fill(reason, diagnostic).is_some()
        }
    }
}

fn parse_case(case: &Value) -> Input {
    Input { model: choice(&case["model"]), ..yaml_case(case) }
}

/// JSON is YAML, so a case's model section makes a train.yaml as it stands.
fn spec_case(case: &Value) -> Input {
    let text = serde_json::json!({ "model": case["model_section"], "training": null }).to_string();
    Input { model: choice(&case["config"]), ..Input::of(&text) }
}

fn yaml_case(case: &Value) -> Input {
    Input::of(case["yaml"].as_str().unwrap_or_default())
}

fn choice(config: &Value) -> ModelChoice {
    if config.is_null() { ModelChoice::Named } else { ModelChoice::Config(config.to_string().into()) }
}
