//! Every diagnostic that the goldens' texts raise is said in full: its sentence names no argument that is not there.

mod checks;

use checks::{cases, golden};
use serde_json::Value;
use shardmem::diagnostics::Diagnostic;
use shardmem::document::Reason;
use shardmem::estimate::{Input, ModelChoice, estimate};
use shardmem::report::messages::{Language, help, message, phrase};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

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

/// A sentence that lacks an argument is the bare code.
fn is_complete(diagnostic: &Diagnostic) -> bool {
    Language::ALL.into_iter().all(|language| {
        let said = message(diagnostic, language);
        let help = help(diagnostic, language).unwrap_or_default();
        said != diagnostic.code.name() && !said.contains("{}") && !help.contains("{}")
    })
}

#[test]
fn every_reason_is_said_in_every_language() {
    for reason in Reason::ALL {
        assert_ne!(phrase(reason.phrase(), Language::Chinese), reason.phrase());
        assert_eq!(phrase(reason.phrase(), Language::English), reason.phrase());
    }
}

/// Whatever stands in a text, what is said of it is one short line of letters that are seen.
#[test]
fn hostile_texts_are_said_shortly_and_visibly() {
    let long = "x".repeat(300_000);
    for hostile in ["\\u202Eevil\\u2066\\0\\n\\t\\e[31m`", "\\u200B\\uFEFF\\u2028", &long] {
        let mut seen = BTreeSet::new();
        for text in [
            format!("model: {{pretrained_model_name_or_path: \"{hostile}\"}}"),
            format!("model: {{config_overrides: {{\"{hostile}\": 1, name: \"{hostile}\", arch: \"{hostile}\"}}}}"),
            format!("model: {{config_overrides: {{hidden_size: \"{hostile}\", layers: [\"{hostile}\"]}}}}"),
            format!(
                "accelerator: {{tp_size: \"{hostile}\", pipeline_scheduler: \"{hostile}\"}}\nmodel: {{hidden_size: 1}}"
            ),
            format!("training: {{\"{hostile}\": 1, \"{hostile}\": 2}}"),
            format!(
                "context: {{max_device_memory: \"{hostile}\", expert_shard: [\"{hostile}\"]}}\nmodel: {{hidden_size: 1}}"
            ),
            format!("activation_checkpoint: {{mode: {{\"{hostile}\": \"{hostile}\"}}}}\nmodel: {{hidden_size: 1}}"),
        ] {
            for found in estimate(&Input::of(&text)).findings() {
                for language in Language::ALL {
                    let help = help(&found.diagnostic, language).unwrap_or_default();
                    let said = format!("{} {help}", message(&found.diagnostic, language));
                    let unseen = |letter: char| {
                        letter.is_control() || "\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}".contains(letter)
                    };
                    assert!(!said.contains(unseen), "{said:?}");
                    assert!(said.chars().count() < 700, "{}: {said}", said.len());
                }
                seen.insert(found.diagnostic.code.name());
            }
        }
        assert!(seen.len() > 5, "{seen:?}");
    }
}

/// No phrase of ours is left in English: outside of quotes, no two words of small letters stand beside each other.
#[test]
fn every_example_is_said_in_chinese() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let read = |name: String| fs::read_to_string(folder.join(name)).ok();
    let mut seen = BTreeSet::new();
    for entry in fs::read_dir(&folder).expect("the examples") {
        let file = entry.expect("a file").file_name().into_string().expect("a plain name");
        let Some(name) = file.strip_suffix(".yaml") else { continue };
        if file.strip_suffix(".exec.yaml").is_some() {
            continue;
        }
        let config = read(format!("{name}.config.json"));
        let input = Input {
            model: config.map_or(ModelChoice::Named, |text| ModelChoice::Config(text.into())),
            exec: read(format!("{name}.exec.yaml")).map(Into::into),
            ..Input::of(&read(file.clone()).expect("the example"))
        };
        for found in estimate(&input).findings() {
            let help = help(&found.diagnostic, Language::Chinese).unwrap_or_default();
            let said = format!("{} {help}", message(&found.diagnostic, Language::Chinese));
            let outside: String = said.split('`').step_by(2).collect::<Vec<_>>().join("、");
            let words: Vec<&str> = outside.split(' ').collect();
            let small = |word: &str| word.len() > 1 && word.bytes().all(|letter| letter.is_ascii_lowercase());
            assert!(!words.windows(2).any(|pair| small(pair[0]) && small(pair[1])), "{name}: {said}");
            seen.insert(found.diagnostic.code.name());
        }
    }
    assert!(seen.len() > 90, "only {} codes were raised", seen.len());
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
