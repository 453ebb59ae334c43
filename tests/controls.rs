//! What-if controls: what they write, what moves with them, and what they leave alone (DESIGN 3.3).

use serde_json::Value;
use shardmem::config::{derive, reference_fields};
use shardmem::diagnostics::{Checked, Code, Errors};
use shardmem::document::{self, Document};
use shardmem::facts::controls::{Change, Control, Disabled, Moved, Refusal, Setting, set_key};
use shardmem::facts::{Facts, ModelChoice, Overrides, read};
use shardmem::provenance::KeyPath;
use std::collections::BTreeSet;

const SAMPLES: [(&str, &str); 3] = [
    ("deepseek-v3-512", include_str!("../data/samples/deepseek-v3-512.yaml")),
    ("qwen3-30b-a3b-8", include_str!("../data/samples/qwen3-30b-a3b-8.yaml")),
    ("llama-3.1-8b-8", include_str!("../data/samples/llama-3.1-8b-8.yaml")),
];

const LEGACY: &str = "
model:
  name: qwen3_moe
  config_overrides: {hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 16, num_key_value_heads: 4,
    intermediate_size: 6144, vocab_size: 64000, num_experts: 64, num_experts_per_tok: 8, moe_intermediate_size: 768}
train:
  accelerator: {dp_shard: 8, tp_degree: 2, pipeline_parallel_degree: 2}
  micro_batch_size: 1
  optimizer: {type: adamw}
  gradient_checkpointing: {activation_checkpoint: full}
data: {max_seq_len: 4096}
";

/// Like the recipe: no device count, one node sharded whole.
const UNCOUNTED: &str = "
model: {pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B, torch_dtype: bfloat16}
training: {global_batch_size: 8, micro_batch_size: 1}
accelerator: {tp_size: 1, cp_size: 1, ep_size: 1, pp_size: 1}
fsdp_config: {dp_shard_size: 8}
dataset: {data_transform: {max_seq_len: 4096}}
optimizer: {_target_: hyper_parallel.components.optim.AdamW}
";

fn document(text: &str) -> Document {
    document::parse(text).expect("YAML").value
}

fn facts(document: &Document, overrides: &Overrides) -> Facts {
    read(document, &ModelChoice::Named, overrides, None).expect("facts").value
}

fn set(facts: &Facts, control: Control, setting: &Setting, pinned: bool) -> (Overrides, Vec<Moved>) {
    let change = control.set(setting, facts, pinned).expect("a change");
    (change.overrides, change.moved)
}

fn fields(facts: &Facts) -> Value {
    reference_fields(&derive(facts).expect("a config").value).into()
}

#[test]
fn raising_tp_on_a_pinned_node_keeps_its_devices() {
    for text in [UNCOUNTED, SAMPLES[1].1] {
        let document = document(text);
        let mut overrides = Overrides::none();
        for (tp, shard) in [(1, 8), (4, 2), (8, 1)] {
            let before = facts(&document, &overrides);
            let (change, moved) = set(&before, Control::Tp, &Setting::Number(tp), true);
            overrides.extend(change);
            let after = facts(&document, &overrides);
            assert_eq!(after.devices(), 8, "TP {tp}");
            assert_eq!((after.run.tensor_parallel.value, after.run.dp_shard.value), (tp, shard));
            assert_eq!(after.run.data_parallel.value * tp, 8);
            assert_eq!(moved.iter().any(|moved| moved.control == Control::DpShard), tp > 1, "{moved:?}");
        }
    }
}

#[test]
fn the_note_names_what_moved_and_replicate_takes_the_rest() {
    let text = "{model: {pretrained_model_name_or_path: Qwen/Qwen3-8B}, fsdp_config: {dp_shard_size: 6}, \
                accelerator: {dp_replicate: 4}}";
    let before = facts(&document(text), &Overrides::none());
    assert_eq!(before.devices(), 24);
    let (overrides, moved) = set(&before, Control::Tp, &Setting::Number(3), true);
    let after = facts(&document(text), &overrides);
    assert_eq!((after.devices(), after.run.dp_shard.value, after.run.dp_replicate.value), (24, 4, 2));
    let expected = [(Control::DpShard, 6, 4), (Control::DpReplicate, 4, 2)];
    assert_eq!(moved, expected.map(|(control, from, to)| Moved { control, from, to }));
}

#[test]
fn a_shard_moves_replicate_and_a_stated_count_makes_replicate_move_the_count() {
    let document = document(UNCOUNTED);
    let before = facts(&document, &Overrides::none());
    let (overrides, moved) = set(&before, Control::DpShard, &Setting::Number(2), true);
    let after = facts(&document, &overrides);
    assert_eq!((after.devices(), after.run.dp_replicate.value), (8, 4));
    assert_eq!(moved, [Moved { control: Control::DpReplicate, from: 1, to: 4 }]);
    let refused = Control::DpShard.set(&Setting::Number(3), &before, true);
    assert_eq!(refused, Err(Refusal::ShardNotDividing { data_parallel: 8 }));

    let counted = self::document(SAMPLES[0].1);
    let before = facts(&counted, &Overrides::none());
    assert_eq!(Control::DpReplicate.setting(&before), Setting::Number(8));
    let (overrides, moved) = set(&before, Control::DpReplicate, &Setting::Number(4), false);
    let after = facts(&counted, &overrides);
    assert_eq!((after.devices(), after.run.data_parallel.value), (256, 16));
    assert_eq!(moved, [Moved { control: Control::Devices, from: 512, to: 256 }]);
}

#[test]
fn a_degree_that_the_devices_cannot_hold_is_refused() {
    let before = facts(&document(SAMPLES[0].1), &Overrides::none());
    let refused = Control::Tp.set(&Setting::Number(3), &before, true);
    assert_eq!(refused, Err(Refusal::DevicesNotDivided { devices: 512, product: 48 }));
    assert_eq!(Control::Tp.set(&Setting::Number(0), &before, true), Err(Refusal::NotPositive));
    assert_eq!(Control::Tp.set(&Setting::Switch(true), &before, true), Err(Refusal::Kind));
}

#[test]
fn a_key_path_goes_through_the_same_function() {
    let document = document(UNCOUNTED);
    let before = facts(&document, &Overrides::none());
    let path = KeyPath::parse("accelerator.tp_size");
    let change = set_key(&path, &document::parse_value("4").expect("a value").value, &before, true).expect("a change");
    assert_eq!(facts(&document, &change.overrides).devices(), 8);
    assert_eq!(change.overrides.paths().len(), 2);
    let other = KeyPath::parse("training.max_grad_norm");
    let change =
        set_key(&other, &document::parse_value("1.0").expect("a value").value, &before, true).expect("a change");
    assert_eq!(change.overrides.paths(), [other]);
}

#[test]
fn each_schema_writes_its_own_keys() {
    let auto = facts(&document(UNCOUNTED), &Overrides::none());
    let legacy = facts(&document(LEGACY), &Overrides::none());
    let expected = [
        (Control::DpShard, "fsdp_config.dp_shard_size", "train.accelerator.dp_shard"),
        (Control::DpReplicate, "accelerator.dp_replicate", "train.accelerator.dp_replicate"),
        (Control::Tp, "accelerator.tp_size", "train.accelerator.tp_degree"),
        (Control::Pp, "accelerator.pp_size", "train.accelerator.pipeline_parallel_degree"),
        (Control::Cp, "accelerator.cp_size", "train.accelerator.context_parallel_degree"),
        (Control::Ep, "accelerator.ep_size", "train.accelerator.expert_parallel_degree"),
        (Control::Etp, "accelerator.expert_tensor_parallel_degree", "train.accelerator.expert_tensor_parallel_degree"),
        (Control::SequenceParallel, "accelerator.sequence_parallel", "train.accelerator.use_seq_parallel"),
        (Control::Vpp, "accelerator.pp_interleave_num", "train.accelerator.pp_interleave_num"),
        (Control::Schedule, "accelerator.pipeline_scheduler", "train.accelerator.pipeline_scheduler"),
        (Control::CpAlgorithm, "accelerator.context_parallel_algo", "train.accelerator.context_parallel_algo"),
        (Control::LossParallel, "accelerator.loss_parallel", "train.accelerator.loss_parallel"),
        (Control::MicroBatch, "training.micro_batch_size", "train.micro_batch_size"),
        (Control::MicroBatches, "training.micro_batch_num", "train.micro_batch_num"),
        (Control::GlobalBatch, "training.global_batch_size", "train.global_batch_size"),
        (Control::SequenceLength, "dataset.data_transform.max_seq_len", "data.max_seq_len"),
        (Control::Recompute, "activation_checkpoint.mode", "train.gradient_checkpointing.activation_checkpoint"),
        (Control::Optimizer, "optimizer._target_", "train.optimizer.type"),
        (Control::MainParams, "optimizer.fp32_main_params", "train.optimizer.fp32_main_params"),
        (Control::ParamDtype, "model.torch_dtype", "model.param_init_type"),
        (Control::ComputeDtype, "fsdp_config.mix_precision.param_dtype", "model.compute_dtype"),
        (Control::Device, "context.max_device_memory", "context.max_device_memory"),
        (Control::DeviceMemory, "context.max_device_memory", "context.max_device_memory"),
        (Control::Devices, "context.device_num", "context.device_num"),
    ];
    for (control, in_auto, in_legacy) in expected {
        assert_eq!(control.key(&auto), Ok(KeyPath::parse(in_auto)), "{}", control.name());
        assert_eq!(control.key(&legacy), Ok(KeyPath::parse(in_legacy)), "{}", control.name());
    }
    for control in [Control::EdpShard, Control::Reshard] {
        assert!(matches!(control.key(&legacy), Err(Disabled::NotInThisSchema(_))), "{}", control.name());
    }
    let dense = facts(&document(SAMPLES[2].1), &Overrides::none());
    assert_eq!(Control::Ep.key(&dense), Err(Disabled::DenseModel));
}

#[test]
fn a_control_writes_the_key_that_was_read() {
    let text = UNCOUNTED.replace("tp_size: 1,", "tp_degree: 2,");
    let facts = facts(&document(&text), &Overrides::none());
    assert_eq!(Control::Tp.key(&facts), Ok(KeyPath::parse("accelerator.tp_degree")));
    assert_eq!(Control::of_key(&KeyPath::parse("accelerator.tp_degree"), &facts), Some(Control::Tp));
}

/// What follows from how many ranks hold the same parameter.
const MESH: [&str; 17] = [
    "d",
    // The legacy schema shards over all of DP.
    "os_max_shard",
    "d_exp",
    "edp_group",
    "comm_d_exp",
    "comm_d_non_exp",
    "gather_embed",
    "shard_embed",
    "shard_grad_exp",
    "shard_grad_exp_partial",
    "shard_grad_non_exp",
    "shard_p_os_exp",
    "shard_p_os_exp_partial",
    "shard_p_os_non_exp",
    "shard_p_os_non_exp_partial",
    // The micro-batches that the global batch leaves each rank.
    "m",
    "gbs",
];

/// What follows from how many ranks share the experts.
const EXPERT_MESH: [&str; 8] = [
    "t_exp",
    "d_exp",
    "edp_group",
    "comm_d_exp",
    "shard_grad_exp",
    "shard_grad_exp_partial",
    "shard_p_os_exp",
    "shard_p_os_exp_partial",
];

/// Widths in bytes.
const WIDTHS: [&str; 8] = [
    "bytes_p",
    "bytes_compute",
    "bytes_grad",
    "grad_bytes",
    "bytes_os",
    "bytes_optim",
    "bytes_optim_table",
    "optimizer_state_bytes",
];

/// The reference's fields that a control may change, its own and those that follow; the rest must stay.
fn reach(control: Control) -> Vec<&'static str> {
    let (own, following): (&[&str], &[&str]) = match control {
        Control::DpShard => (&["has_op"], &MESH),
        Control::DpReplicate | Control::Devices => (&[], &MESH),
        Control::Tp => (&["t", "t_exp", "sp", "comm_t", "shard_recompute_input", "shard_output_activ"], &MESH),
        Control::Pp => (&["p", "offset"], &MESH),
        Control::Cp => (&["cp", "comm_cp"], &MESH),
        Control::Ep => (&["ep"], &EXPERT_MESH),
        Control::Etp => (&["etp"], &EXPERT_MESH),
        Control::EdpShard => (&["expert_shard", "shard_grad_exp", "shard_p_os_exp"], &[]),
        Control::SequenceParallel => (&["sequence_parallel", "sp", "rec_op"], &[]),
        Control::Vpp => (&["vp", "offset"], &[]),
        Control::Schedule => (&["pp_sched"], &[]),
        Control::CpAlgorithm => (&["cp_algo"], &[]),
        Control::LossParallel => (&["loss_parallel", "shards_logits", "shard_output_activ"], &[]),
        Control::MicroBatch => (&["b", "m", "gbs"], &[]),
        Control::MicroBatches | Control::GlobalBatch => (&["m", "gbs"], &[]),
        Control::SequenceLength => (&["s", "s_fa", "seq_len_stated"], &[]),
        Control::Recompute => (&["full_rec", "sel_rec", "rec_op", "stated_ac_mode"], &[]),
        Control::Reshard => (&["reshard_params", "reshards"], &[]),
        Control::Optimizer => (&["optimizer", "optimizer_states", "bytes_optim"], &[]),
        Control::MainParams => {
            (&["main_param_bytes", "optimizer_state_bytes", "bytes_os", "bytes_optim", "bytes_optim_table"], &[])
        }
        Control::ParamDtype => (&["main_param_bytes"], &WIDTHS),
        Control::ComputeDtype => (&["bytes_p", "bytes_compute", "bytes_grad", "grad_bytes"], &[]),
        Control::Device | Control::DeviceMemory => (&["device_capacity"], &[]),
    };
    own.iter().chain(following).copied().collect()
}

/// The first field outside a control's reach that differs; the parts of a multimodal model have the same fields.
fn reached_beyond(control: Control, before: &Value, after: &Value) -> Option<String> {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            let outside = names.into_iter().filter(|name| !reach(control).contains(&&***name));
            outside.into_iter().find_map(|name| {
                let [before, after] = [before, after].map(|fields| fields.get(name).unwrap_or(&Value::Null));
                reached_beyond(control, before, after).map(|_| name.clone())
            })
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            before.iter().zip(after).find_map(|(before, after)| reached_beyond(control, before, after))
        }
        _ => (before != after).then(|| after.to_string()),
    }
}

/// Files of every kind that is read: the samples, real ones, both schemas, with and without a device count.
const FILES: [&str; 8] = [
    SAMPLES[0].1,
    SAMPLES[1].1,
    SAMPLES[2].1,
    LEGACY,
    UNCOUNTED,
    include_str!("yamls/qwen3_moe_recipe.yaml"),
    include_str!("yamls/qwen3_5_9b_base_vlm.yaml"),
    include_str!("yamls/dryrun_ep_explicit.yaml"),
];

/// A file as it can be read: its own model, or another in the place of one that nobody knows.
fn readable(text: &str) -> (Document, ModelChoice) {
    let document = document(text);
    let named = read(&document, &ModelChoice::Named, &Overrides::none(), None).is_ok();
    let other = || ModelChoice::Catalogue("Qwen/Qwen3-30B-A3B".into());
    (document, if named { ModelChoice::Named } else { other() })
}

/// A change that a control can make to a file.
struct Made<'a> {
    control: Control,
    setting: &'a Setting,
    before: &'a Facts,
    after: Result<Checked<Facts>, Errors>,
}

/// Every change that a control can make to every file here.
fn each_change(pinned: bool, mut check: impl FnMut(&Made<'_>)) {
    for text in FILES {
        let (document, choice) = readable(text);
        let before = read(&document, &choice, &Overrides::none(), None).expect("facts").value;
        for control in Control::ALL.iter().copied().filter(|control| control.key(&before).is_ok()) {
            for setting in &control.values(&before) {
                if let Ok(Change { overrides, .. }) = control.set(setting, &before, pinned) {
                    let after = read(&document, &choice, &overrides, None);
                    check(&Made { control, setting, before: &before, after });
                }
            }
        }
    }
}

#[test]
fn every_file_here_is_read_or_refused_for_its_kind() {
    let mut refused = Vec::new();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/yamls")).expect("a folder") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a text");
        let (document, choice) = readable(&text);
        match read(&document, &choice, &Overrides::none(), None) {
            Ok(_) => assert!(FILES.contains(&&*text), "a file that is read is tried"),
            Err(errors) => refused.push(errors.first().code),
        }
    }
    refused.sort();
    // Two files state the model under names that the reference does not know.
    assert_eq!(refused, [Code::InputMindformers, Code::SpecUnknownKey, Code::SpecUnknownKey]);
}

#[test]
fn a_control_leaves_the_schema_and_the_fields_outside_its_reach_alone() {
    let mut tried = 0;
    for pinned in [false, true] {
        each_change(pinned, |made| {
            let Made { control, setting, before, after, .. } = made;
            let after = after.as_ref().unwrap_or_else(|errors| panic!("{} {setting:?}: {errors:?}", control.name()));
            let unread = after.warnings.iter().find(|warning| warning.code == Code::OverrideUnread);
            assert_eq!(unread, None, "{}", control.name());
            assert_eq!((after.value.schema, after.value.input_kind), (before.schema, before.input_kind));
            // Where the shard follows a degree, what follows from the shard does too.
            let following = if pinned { Some(Control::DpShard) } else { None };
            let beyond = reached_beyond(*control, &fields(before), &fields(&after.value));
            let beyond = beyond.filter(|name| !following.is_some_and(|control| reach(control).contains(&&**name)));
            assert_eq!(beyond, None, "{} {setting:?}", control.name());
            tried += 1;
        });
    }
    assert!(tried > 2000, "{tried}");
}

#[test]
fn setting_a_control_makes_it_stand_there() {
    each_change(true, |Made { control, setting, after, .. }| {
        let after = &after.as_ref().expect("facts").value;
        // Two accelerators of one size are one setting.
        if *control != Control::Device {
            assert_eq!(control.setting(after), **setting, "{}", control.name());
        }
    });
}

#[test]
fn an_override_of_a_key_that_is_not_read_says_so_and_changes_nothing() {
    let document = document(UNCOUNTED);
    let overrides = Overrides::none().with("train.accelerator.tp_degree", document::Value::Integer(4));
    let read = read(&document, &ModelChoice::Named, &overrides, None).expect("facts");
    assert!(read.warnings.iter().any(|warning| warning.code == Code::OverrideUnread));
    assert_eq!(read.value.run.tensor_parallel.value, 1);
}
