//! No text makes the core panic: real files cut short, with a line left out, with a value replaced.

mod checks;

use checks::{cases, golden};
use serde_json::Value;
use shardmem::estimate::{Input, Outcome, estimate};

fn texts() -> Vec<String> {
    cases(&golden("yamls.json")).iter().filter_map(|case| case["yaml"].as_str()).map(str::to_owned).collect()
}

/// An estimate, or at least one error; and JSON in either case.
fn answers(text: &str) {
    let outcome = estimate(&Input::of(text));
    if let Outcome::Rejected(rejected) = &outcome {
        assert!(rejected.errors().next().is_some(), "refused without an error:\n{text}");
    }
    let json = shardmem::report::json::to_string(&outcome.json());
    assert!(serde_json::from_str::<Value>(&json).is_ok(), "no JSON: {json}");
}

#[test]
fn cut_short_anywhere() {
    for text in texts() {
        for at in (0..text.len()).step_by(61).filter(|at| text.is_char_boundary(*at)) {
            answers(&text[..at]);
        }
    }
}

#[test]
fn with_any_line_left_out() {
    for text in texts() {
        let lines: Vec<&str> = text.lines().collect();
        for left_out in 0..lines.len() {
            answers(&[&lines[..left_out], &lines[left_out + 1..]].concat().join("\n"));
        }
    }
}

#[test]
fn with_any_value_replaced() {
    let values = [
        "-1",
        "0",
        "99999999999999999999",
        "9007199254740991",
        "~",
        "[]",
        "{}",
        "1.5",
        ".nan",
        "-.inf",
        "\"\"",
        "[[1]]",
    ];
    for (turn, text) in texts().iter().enumerate() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some((key, value)) = line.split_once(": ") else { continue };
            if value.trim().is_empty() {
                continue;
            }
            let replaced = format!("{key}: {}", values[(turn + at) % values.len()]);
            answers(&[&lines[..at], &[replaced.as_str()], &lines[at + 1..]].concat().join("\n"));
        }
    }
}

#[test]
fn with_hostile_sizes() {
    let model = "model: {config_overrides: {hidden_size: 9007199254740991, num_hidden_layers: LAYERS, num_attention_heads: 9007199254740991, vocab_size: 9007199254740991}}";
    for layers in ["1", "9007199254740991", "100000"] {
        for degrees in [
            "tp_size: 9007199254740991",
            "pp_size: 9007199254740991",
            "pp_size: 4096, pp_interleave_num: 4096",
            "cp_size: 9007199254740991, ep_size: 9007199254740991",
        ] {
            answers(&format!(
                "{}\naccelerator: {{{degrees}}}\ntraining: {{micro_batch_size: 9007199254740991}}\n",
                model.replace("LAYERS", layers)
            ));
        }
    }
}
