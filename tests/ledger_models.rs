//! The ledger over every model of the catalogue, under layouts that cross its rules: no figure is negative or no number,
//! items sum to totals, and depth costs nothing.

use shardmem::config::{self, Config};
use shardmem::document::parse;
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use shardmem::memory::ledger::policies::Policies;
use shardmem::memory::ledger::{self, Inputs, Precision};
use shardmem::memory::{Breakdown, Category};
use shardmem::model::catalogue;
use shardmem::model::tensors::tensors;
use shardmem::placement;

/// A run of a catalogue model by what its sections hold.
fn run(model: &str, accelerator: &str, fsdp: &str, rest: &str) -> String {
    format!(
        "model: {{pretrained_model_name_or_path: {model}}}\naccelerator: {{{accelerator}}}\nfsdp_config: {{{fsdp}}}\n\
         dataset: {{data_transform: {{max_seq_len: 4096}}}}\n{rest}"
    )
}

fn read(yaml: &str) -> Option<(Facts, Config)> {
    let document = parse(yaml).expect("YAML").value;
    let facts = facts::read(&document, &ModelChoice::Named, &Overrides::none(), None).ok()?.value;
    let config = config::derive(&facts).ok()?.value;
    Some((facts, config))
}

fn account(yaml: &str, policies: &[(&str, &str)]) -> Option<Breakdown> {
    let (facts, config) = read(yaml)?;
    let placement = placement::place(&config).ok()?.value;
    let tensors = tensors(&facts.model)?;
    let precision = Precision { stored: 4.0, compute: 2.0, reduce: 4.0 };
    let inputs = Inputs {
        model: &facts.model,
        tensors: &tensors,
        config: &config,
        placement: &placement,
        precision,
        last_of_ring: false,
    };
    let chosen: Vec<_> = policies.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let policies = Policies::chosen(&chosen).expect("known policies").value;
    let breakdown = ledger::account(inputs, policies).ok()?.value;
    for band in ledger::bands(inputs, &breakdown, policies) {
        assert!(band.low > 0.0 && band.low <= band.expected && band.expected <= band.high, "{band:?}");
    }
    Some(breakdown)
}

fn check(name: &str, breakdown: &Breakdown) {
    for stage in &breakdown.stages {
        for (at, total) in stage.totals.iter().enumerate() {
            let sum: f64 = stage.items.iter().map(|item| item.bytes[at].value()).sum();
            let total = total.value();
            assert!(total.is_finite() && total > 0.0, "{name}: {total}");
            assert!((sum - total).abs() <= 1e-9 * total, "{name}: items give {sum}, the total is {total}");
        }
        for item in &stage.items {
            for bytes in &*item.bytes {
                assert!(bytes.value() >= 0.0, "{name}, stage {}: {} is {bytes:?}", stage.stage, item.id);
            }
        }
        assert_eq!(stage.layers_of_instants.len(), stage.instants.len());
    }
}

/// Accelerator, FSDP, further sections, policies.
type Sections = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const LAYOUTS: [Sections; 8] = [
    ("tp_size: 1", "dp_shard_size: 8", "", &[]),
    ("tp_size: 2, sequence_parallel: true", "dp_shard_size: 4", "activation_checkpoint: {mode: full}", &[]),
    ("tp_size: 1", "dp_shard_size: 1", "activation_checkpoint: {mode: selective}", &[("norm", "fused")]),
    ("pp_size: 2", "dp_shard_size: 2", "training: {micro_batch_num: 8}", &[("wrap", "embedding+layers+head")]),
    ("pp_size: 2, pp_interleave_num: 2", "dp_shard_size: 2", "training: {micro_batch_num: 8}", &[]),
    (
        "ep_size: 4",
        "dp_shard_size: 8, edp_shard_size: 2",
        "training: {micro_batch_num: 3}",
        &[("gradient-sync", "last")],
    ),
    ("cp_size: 2", "dp_shard_size: 8", "", &[("cp-kind", "ring"), ("loss", "chunked:1024")]),
    ("tp_size: 2", "dp_shard_size: 1", "", &[("state-layout", "zero1"), ("qkv", "fused"), ("kv", "expanded")]),
];

#[test]
fn every_model_of_the_catalogue_is_walked() {
    let mut walked = 0;
    for entry in catalogue::all() {
        for (accelerator, fsdp, rest, policies) in LAYOUTS {
            if let Some(breakdown) = account(&run(entry.id, accelerator, fsdp, rest), policies) {
                check(&format!("{}, {accelerator}, {fsdp}", entry.id), &breakdown);
                walked += 1;
            }
        }
    }
    assert!(walked > 1000, "only {walked} were walked");
}

#[test]
fn sharded_states_are_the_parameters_over_the_shard() {
    // TC14, TC16: AdamW's two states are twice the sharded parameters, whatever replicates them.
    let plain = account(&run("meta-llama/Llama-3.1-8B", "tp_size: 1", "dp_shard_size: 8", ""), &[]).expect("walked");
    let twice = run("meta-llama/Llama-3.1-8B", "dp_replicate: 2", "dp_shard_size: 8", "context: {device_num: 16}");
    let replicated = account(&twice, &[]).expect("walked");
    let of = |breakdown: &Breakdown, category: Category| -> f64 {
        let items = breakdown.stages[0].items.iter().filter(|item| item.category == category);
        items.map(|item| item.bytes[0].value()).sum()
    };
    for category in [Category::Parameters, Category::OptimizerStates] {
        assert_eq!(of(&plain, category), of(&replicated, category));
    }
    assert_eq!(of(&plain, Category::Parameters), 4.0 * 8_030_261_248.0 / 8.0);
}

#[test]
fn a_dimension_that_does_not_divide_is_an_error() {
    // Mixtral's eight experts on 24 ranks: dimension 1, 28,672 rows, is sharded, and 24 does not divide it.
    let yaml = run("mistralai/Mixtral-8x7B-v0.1", "tp_size: 1", "dp_shard_size: 24", "");
    assert!(account(&yaml, &[]).is_none());
    assert!(account(&yaml, &[("expert-shard-dim", "0")]).is_some());
}
