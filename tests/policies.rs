//! The policies of the reference's memory model: the specified value is the default, every other value is priced, and
//! reports list what is in force (memory-core 15).

use shardmem::diagnostics::Help;
use shardmem::estimate::{Input, Outcome, estimate};
use shardmem::memory::reference::policies::POLICIES;

/// CP 2 and TP 2 over FSDP, one recomputed stage, parameters that CP divides beyond their shard (the legacy schema).
const RUN: &str = "
model:
  config_overrides: {name: cm_test, hidden_size: 1024, num_hidden_layers: 8, num_attention_heads: 16, vocab_size: 32000,
    intermediate_size: 4096, max_position_embeddings: 4096, torch_dtype: bfloat16, full_rec: [2, 0],
    output_activations: {saved: 100, saved_tp: 800, working: 200, working_tp: 900, seq_length: 4096}}
train:
  accelerator: {tp_degree: 2, context_parallel_degree: 2, pipeline_parallel_degree: 2, dp_shard: 4, loss_parallel: true,
    context_parallel_algo: ulysses_cp}
  micro_batch_num: 4
  optimizer: {type: AdamW}
data: {max_seq_len: 4096}
context: {device_num: 32}
";

/// The same with a shard that spans CP, and the formulas for the output layer.
fn auto_models() -> String {
    let text = RUN.replace("\ntrain:", "\nfsdp_config: {dp_shard_size: 4}\ntrain:");
    let census = text.find("    output_activations").expect("a census");
    let end = text[census..].find("}}").expect("its end") + census + 1;
    [&text[..census], &text[end..]].concat()
}

fn outcome(text: &str, policies: &[(&str, &str)]) -> Outcome {
    let policies = policies.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    estimate(&Input { policies, ..Input::of(text) })
}

/// Every stage's total, in bytes.
fn totals(text: &str, policies: &[(&str, &str)]) -> Vec<f64> {
    match outcome(text, policies) {
        Outcome::Ready(ready) => {
            ready.breakdown.stages.iter().map(|stage| stage.reference.as_ref().expect("figures").total).collect()
        }
        Outcome::Rejected(rejected) => panic!("refused: {:?}", rejected.findings),
    }
}

#[test]
fn the_default_changes_nothing_and_every_other_value_changes_a_figure() {
    let gathered = auto_models().replace("dp_shard_size: 4", "dp_shard_size: 4, reshard_after_forward: false");
    let texts = [RUN.to_owned(), auto_models(), gathered];
    let specified: Vec<_> = texts.iter().map(|text| totals(text, &[])).collect();
    for policy in &POLICIES {
        let under = |value| texts.iter().map(|text| totals(text, &[(policy.id, value)])).collect::<Vec<_>>();
        assert_eq!(under(policy.default_value()), specified, "{}", policy.id);
        for value in &policy.values[1..] {
            assert_ne!(under(value.id), specified, "{}={}", policy.id, value.id);
        }
    }
}

#[test]
fn figures_follow_the_policy() {
    let change = |policy, value| {
        let text = auto_models();
        let differences = totals(&text, &[(policy, value)]).into_iter().zip(totals(&text, &[]));
        differences.map(|(chosen, specified)| chosen - specified).collect::<Vec<_>>()
    };
    // The output layer keeps s·b·(4h + 2v) over TP, once in flight and once under way.
    let output = 4096.0 * (4.0 * 1024.0 + 2.0 * 32000.0);
    assert_eq!(change("output-activations-under-cp", "whole"), [0.0, 2.0 * (output - output / 2.0)]);
    // Two recomputed layers keep 2·s·h each, for the two micro-batches in flight on stage 0.
    let input = 2.0 * 2.0 * 2.0 * 4096.0 * 1024.0;
    assert_eq!(change("recompute-input-under-cp", "divided"), [-(input - input / 2.0), 0.0]);
    // The gathered table counts 2·(hv + v)/(t·cp), and without CP twice that.
    let table = 2.0 * (1024.0 * 32000.0 + 32000.0);
    assert_eq!(change("output-buffer-under-cp", "parameter"), [0.0, table / 2.0 - table / 4.0]);
}

#[test]
fn reports_list_the_values_in_force_of_a_refused_input_too() {
    let listed = |outcome: &Outcome| outcome.json().policies.0.clone();
    let values = |outcome: &Outcome| {
        listed(outcome).into_iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or(""))).collect()
    };
    let specified: Vec<String> =
        POLICIES.iter().map(|policy| format!("{}={}", policy.id, policy.default_value())).collect();
    let got: Vec<String> = values(&outcome(RUN, &[]));
    assert_eq!(got, specified);
    let got: Vec<String> = values(&outcome("model: {}", &[("cm-norms", "own")]));
    assert!(got.contains(&"cm-norms=own".to_owned()) && got.len() == POLICIES.len(), "{got:?}");
}

#[test]
fn unknown_choices_are_refused_with_what_there_is() {
    let Outcome::Rejected(rejected) = outcome(RUN, &[("output-census-split", "always")]) else { panic!("priced") };
    let error = rejected.errors().next().expect("an error");
    assert_eq!(error.diagnostic.code.name(), "policy_value_unknown");
    assert_eq!(error.message(), "expected a value of the policy `output-census-split`, got `always`");
    assert_eq!(error.help().as_deref(), Some("use `loss-parallel` or `never`"));
    let Outcome::Rejected(rejected) = outcome(RUN, &[("output-census", "never")]) else { panic!("priced") };
    let error = rejected.errors().next().expect("an error");
    assert_eq!(error.diagnostic.code.name(), "policy_unknown");
    assert!(matches!(&error.diagnostic.help, Some(Help::OneOf(names)) if names.len() == POLICIES.len()));
}
