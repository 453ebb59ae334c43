//! Measured activations stated in the model spec are priced in place of the formulas (memory-core 7.3).

use shardmem::estimate::{Input, Outcome, Ready, estimate};

/// Two layers on one rank group of TP 2: s 4096, b 2, h 64, v 128.
fn run(overrides: &str, mode: &str) -> String {
    format!(
        "model: {{config_overrides: {{name: llama2, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4,\n\
         \x20 vocab_size: 128, intermediate_size: 256, torch_dtype: bfloat16, {overrides}}}}}\n\
         accelerator: {{tp_size: 2, loss_parallel: true}}\ntraining: {{micro_batch_size: 2, micro_batch_num: 4}}\n\
         activation_checkpoint: {{mode: {mode}}}\ndataset: {{data_transform: {{max_seq_len: 4096}}}}\n\
         optimizer: {{_target_: AdamW}}\ncontext: {{device_num: 2}}\n"
    )
}

fn ready(text: &str) -> Box<Ready> {
    match estimate(&Input::of(text)) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

fn activations(text: &str) -> f64 {
    ready(text).breakdown.stages[0].reference.as_ref().expect("figures").activations
}

const RECORD: &str = "saved: 100, saved_tp: 300, working: 150, working_tp: 330, seq_length: 4096";
const TOKENS: f64 = 4096.0 * 2.0;
/// The embedding's output.
const EMBEDDING: f64 = TOKENS * 2.0 * 64.0 / 2.0;
/// The output layer by the formulas: the norm's input and the logits, on no sharded activations.
const OUTPUT: f64 = TOKENS * (4.0 * 64.0 + 2.0 * 128.0);

#[test]
fn a_record_of_the_kind_replaces_the_formulas() {
    let measured = run(&format!("activations: {{decoder: {{{RECORD}}}}}"), "off");
    assert_eq!(activations(&measured), EMBEDDING + 2.0 * TOKENS * (100.0 + 300.0 / 2.0) + OUTPUT);
    let plain = activations(&run("qk_norm: false", "off"));
    assert_eq!(activations(&run("activations: {}", "off")), plain);
    assert_eq!(activations(&run("activations: null, output_activations: 0", "off")), plain);
    let items = &ready(&measured).breakdown.stages[0].items;
    let bytes = |id: &str| items.iter().find(|item| item.id == id).map_or(0.0, |item| item.bytes[0].value());
    let sum: f64 = items.iter().map(|item| item.bytes[0].value()).sum();
    assert_eq!(sum, ready(&measured).breakdown.stages[0].totals[0].value());
    assert_eq!(bytes("activations-attention-qkv") + bytes("activations-feed-forward"), 0.0);
}

#[test]
fn a_selective_layer_needs_the_selective_pair() {
    let with = run(&format!("activations: {{decoder: {{{RECORD}, selective: 20, selective_tp: 60}}}}"), "selective");
    assert_eq!(activations(&with), EMBEDDING + 2.0 * TOKENS * (20.0 + 60.0 / 2.0) + OUTPUT);
    let without = run(&format!("activations: {{decoder: {{{RECORD}}}}}"), "selective");
    assert_eq!(activations(&without), activations(&run("qk_norm: false", "selective")));
}

#[test]
fn the_output_layer_has_a_record_of_its_own() {
    let measured = run("output_activations: {saved: 10, saved_tp: 40, working: 30, working_tp: 90}", "full");
    let input = 2.0 * TOKENS * 2.0 * 64.0;
    assert_eq!(activations(&measured), EMBEDDING + input + TOKENS * (10.0 + 40.0 / 2.0));
    // Under way it holds what it does not keep already; its table is gathered twice, once for each pass.
    let figures = ready(&measured).breakdown.stages[0].reference.clone().expect("figures");
    assert_eq!(figures.bwd_overhead, TOKENS * ((30.0 + 90.0 / 2.0) - (10.0 + 40.0 / 2.0)));
}

#[test]
fn records_of_other_kinds_are_unused_and_wrong_ones_refused() {
    let text = run(&format!("activations: {{moe: {{{RECORD}}}}}"), "off");
    let found: Vec<_> = ready(&text).findings.iter().map(|found| found.diagnostic.code.name()).collect();
    assert!(found.contains(&"activations_unused"), "{found:?}");
    let Outcome::Rejected(rejected) = estimate(&Input::of(&run("activations: {decoder: {saved: 1}}", "off"))) else {
        panic!("priced")
    };
    let codes: Vec<_> = rejected.errors().map(|error| error.diagnostic.code.name()).collect();
    assert_eq!(codes, ["spec_activations_form"; 3]);
    assert_eq!(rejected.errors().next().and_then(|error| error.position).map(|(_, at)| at.line), Some(2));
}
