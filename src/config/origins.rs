//! Where the fields of a config come from: a key, the trainer's default, the family, a rule, a constant, an override or a
//! model that the user chose (DESIGN 2.2). Derived numbers hold no origin; it follows from the facts, when one is opened.

use super::Role;
use crate::facts::dialect::model_keys;
use crate::facts::execution::{ExecutionSpec, Field};
use crate::facts::{Facts, RunSpec};
use crate::model::{Dimension, Flag, TowerDimension, VisionTower};
use crate::provenance::{KeyPath, Origin, Source, Stated};

/// Where a field comes from, by the reference's name (config-spec 7 to 10, memory-core 3): those of the formulas' symbols
/// and those of [`reference_fields`](super::reference_fields). `spec` is the execution spec laid over the facts, `role` the
/// part of a multimodal model; `None` for a name that no field has.
pub fn origin_of(name: &str, facts: &Facts, spec: Option<&ExecutionSpec>, role: Role) -> Option<Origin> {
    let tower = facts.model.vision.as_ref().filter(|_| role == Role::Vision);
    if let Some(origin) = tower.and_then(|tower| of_tower(name, tower)) {
        return Some(origin);
    }
    if let Some(field) = field(name).filter(|field| spec.is_some_and(|spec| spec.states(*field))) {
        return Some(Origin::Key(Source::Execution, KeyPath::root().key(field.name())));
    }
    of_run(name, &facts.run)
        .or_else(|| of_model(name, facts))
        .or_else(|| of_family(name, facts, role))
        .or_else(|| of_rule(name).map(Origin::Rule))
        .or_else(|| of_constant(name).map(Origin::Constant))
}

/// The field of an execution spec that states a field of the config (config-spec 8), where their names differ.
const RENAMED: [(&str, Field); 40] = [
    ("accumulates_grads", Field::GradAccumulation),
    ("b", Field::MicroBatch),
    ("bytes_compute", Field::ComputeBytes),
    ("bytes_dropout", Field::DropoutBytes),
    ("bytes_grad", Field::GradBytes),
    ("bytes_norm", Field::NormBytes),
    ("bytes_os", Field::OptimizerStateBytes),
    ("bytes_p", Field::ParamBytes),
    ("bytes_softmax", Field::SoftmaxBytes),
    ("cap_fact", Field::CapacityFactor),
    ("d", Field::DataParallel),
    ("defers_grads", Field::DeferredGradAccumulation),
    ("device_capacity", Field::DeviceMemory),
    ("freeze", Field::Frozen),
    ("full_rec", Field::FullRecompute),
    ("gbs", Field::GlobalBatch),
    ("gmm", Field::GroupedGemm),
    ("has_clip", Field::GradClip),
    ("has_fa", Field::FlashAttention),
    ("has_grad_shard", Field::GradShard),
    ("has_op", Field::OptimizerParallel),
    ("is_mtp_in_offset", Field::MtpInOffset),
    ("is_shard_mtp_param", Field::ShardMtpParam),
    ("keeps_param_casts", Field::ParamCasts),
    ("m", Field::MicroBatches),
    ("n_s_split", Field::SequenceParts),
    ("os_max_shard", Field::OptimizerShard),
    ("overlaps_grad_reduce", Field::OverlappedGradReduce),
    ("p", Field::PipelineParallel),
    ("pp_sched", Field::Schedule),
    ("recompute_ranges", Field::Recompute),
    ("reshards", Field::ReshardParams),
    ("s", Field::Sequence),
    ("sel_comm_rec", Field::SelectiveCommRecompute),
    ("sel_rec", Field::SelectiveRecompute),
    ("sel_rec_rule", Field::SelectiveRule),
    ("shards_logits", Field::LossParallel),
    ("t", Field::TensorParallel),
    ("tie_emb_out", Field::TieEmbeddings),
    ("vp", Field::Chunks),
];

fn field(name: &str) -> Option<Field> {
    let renamed = RENAMED.iter().find(|(other, _)| *other == name).map(|(_, field)| *field);
    renamed.or_else(|| Field::ALL.iter().copied().find(|field| field.name() == name))
}

fn of_run(name: &str, run: &RunSpec) -> Option<Origin> {
    let origin = match name {
        "d" => &run.data_parallel.origin,
        "t" => &run.tensor_parallel.origin,
        "p" => &run.pipeline_parallel.origin,
        "vp" => &run.chunks.origin,
        "cp" => &run.context_parallel.origin,
        "ep" => &run.expert_parallel.origin,
        "etp" => &run.expert_tensor_parallel.origin,
        "b" => &run.micro_batch.origin,
        "m" => &run.micro_batches.origin,
        "gbs" => &run.global_batch.origin,
        "s" | "seq_len_stated" => &run.sequence.origin,
        "sequence_parallel" => &run.sequence_parallel.origin,
        "pp_sched" => &run.schedule.origin,
        "offset" => &run.offset.origin,
        "cp_algo" => &run.cp_algorithm.origin,
        "has_op" => &run.optimizer_parallel.origin,
        "os_max_shard" => &run.optimizer_shard.origin,
        "has_grad_shard" => &run.grad_shard.origin,
        "expert_shard" => &run.expert_shard.as_ref()?.origin,
        "expert_shard_group" => &run.expert_shard_group.as_ref()?.origin,
        "reshard_params" | "reshards" => &run.reshard_params.origin,
        "loss_parallel" | "shards_logits" => &run.loss_parallel.origin,
        "has_clip" => &run.clips_gradients.origin,
        "optimizer" | "optimizer_states" => &run.optimizer.origin,
        "full_rec" => &run.full_recompute.origin,
        "sel_rec" => &run.selective_recompute.origin,
        "stated_ac_mode" => &run.mode.as_ref()?.origin,
        "recompute_slice_activation" => &run.recompute_slice.origin,
        "bytes_p" | "grad_bytes" => &run.param_bytes.origin,
        "bytes_compute" => &run.compute_bytes.origin,
        "bytes_softmax" => &run.softmax_bytes.origin,
        "optimizer_state_bytes" | "bytes_os" | "main_param_bytes" if run.main_params.value => &run.main_params.origin,
        "optimizer_state_bytes" | "bytes_os" => &run.stored_bytes.origin,
        "main_param_bytes" => &run.main_params.origin,
        "gmm" => &run.grouped_matmul.origin,
        "cap_fact" => &run.capacity_factor.origin,
        "device_capacity" => &run.device_memory.origin,
        "moe_dispatch" => &run.moe_dispatch.as_ref()?.origin,
        "devices" => &run.devices.as_ref()?.origin,
        _ => return None,
    };
    Some(origin.clone())
}

fn of_model(name: &str, facts: &Facts) -> Option<Origin> {
    let model = &facts.model;
    let dimension = |field| model.dimension(field).filter(|stated| stated.value != 0).map(origin);
    let or_rule = |field, rule| Some(dimension(field).unwrap_or(Origin::Rule(rule)));
    let flag = |field, rule| Some(model.flag(field).map_or(Origin::Rule(rule), origin));
    let experts = |field, rule| {
        let stated = dimension(field).filter(|_| model.count(Dimension::Experts) > 1);
        Some(stated.unwrap_or(Origin::Rule(rule)))
    };
    let unstated = "config-spec 7, unstated";
    match name {
        "model_name" => Some(model.name.origin.clone()),
        "arch" => Some(model.family.origin.clone()),
        "h" => or_rule(Dimension::HiddenSize, unstated),
        "n_lay" => or_rule(Dimension::Layers, unstated),
        "a" => or_rule(Dimension::Heads, unstated),
        "v" => or_rule(Dimension::Vocabulary, unstated),
        "hff" => or_rule(Dimension::FeedForward, unstated),
        "n_kv" => or_rule(Dimension::KvHeads, "config-spec 7, as many as query heads"),
        "dh" if model.family.value.value_head_width().is_some() => dimension(Dimension::ValueHeadWidth),
        "dh" => or_rule(Dimension::HeadWidth, "config-spec 7, hidden width over heads"),
        "v_head_dim" => or_rule(Dimension::ValueHeadWidth, unstated),
        "qk_nope_head_dim" => or_rule(Dimension::NopeWidth, "memory-core 3, as wide as a value head"),
        "dc_kv" => or_rule(Dimension::KvLatent, unstated),
        "dc_q" => or_rule(Dimension::QueryLatent, unstated),
        "dhr" => or_rule(Dimension::RotaryWidth, unstated),
        "n_exp" => experts(Dimension::Experts, "config-spec 7, a dense model"),
        "n_chosen_exp" => experts(Dimension::ChosenExperts, "config-spec 7, one"),
        "n_shared_exp" => experts(Dimension::SharedExperts, "config-spec 7, none"),
        "hff_exp" => experts(Dimension::ExpertWidth, "config-spec 7, as wide as the dense one"),
        "k_1st_dense" => experts(Dimension::LeadingDense, "config-spec 7, none"),
        "n_mtp" if facts.mtp_unpriced.is_some() => {
            Some(Origin::TrainerDefault("config-spec 6.4, no MTP layers are built"))
        }
        "n_mtp" | "mtp_unpriced" => or_rule(Dimension::MtpDepth, unstated),
        "multiple_of" => or_rule(Dimension::MultipleOf, "config-spec 7"),
        "fdm" => Some(model.feed_forward_multiplier.as_ref().map_or(Origin::Rule("config-spec 7"), origin)),
        "layer_norms" => or_rule(Dimension::LayerNorms, "config-spec 5.4"),
        "attn_output_gate" | "n_qproj" | "g" => flag(Flag::OutputGate, unstated),
        "tie_emb_out" => flag(Flag::TiedEmbeddings, unstated),
        "qk_norm" | "n_qknorm" => flag(Flag::QkNorm, unstated),
        "qkv_bias" => flag(Flag::QkvBias, unstated),
        "o_bias" => flag(Flag::OutputBias, unstated),
        "mlp_bias" => flag(Flag::FeedForwardBias, unstated),
        "norm_bias" => flag(Flag::NormBias, unstated),
        "shared_expert_gate" => flag(Flag::SharedExpertGate, unstated),
        "n_k" => dimension(Dimension::LinearKeyHeads),
        "d_k" => dimension(Dimension::LinearKeyWidth),
        "n_v" => dimension(Dimension::LinearValueHeads),
        "d_v" => dimension(Dimension::LinearValueWidth),
        "w_conv" => dimension(Dimension::LinearConvolution),
        _ => None,
    }
}

/// What the language model's or the tower's family decides (config-spec 6.2, 6.3).
fn of_family(name: &str, facts: &Facts, role: Role) -> Option<Origin> {
    let family = match role {
        Role::Text => facts.model.family.value.name(),
        Role::Vision => "vision",
    };
    match name {
        // A head without a width of its own is as wide as the family's value heads.
        "norm_bytes" | "bytes_norm" | "dropout_bytes" | "bytes_dropout" | "dh" => Some(Origin::FamilyDefault(family)),
        // A tower shards its activations as its language model's family does.
        "shard_activations" => Some(Origin::FamilyDefault(facts.model.family.value.name())),
        _ if name == "op_counts" || name.strip_prefix("n_").is_some_and(is_op) => Some(match facts.model.ops {
            Some(_) if role == Role::Text => Origin::Key(Source::Run, model_keys().overrides.key("ops")),
            Some(_) | None => Origin::FamilyDefault(family),
        }),
        _ => None,
    }
}

fn is_op(name: &str) -> bool {
    crate::model::OpCounts::new([0; 10]).named().iter().any(|(op, _)| *op == name)
}

fn of_tower(name: &str, tower: &VisionTower) -> Option<Origin> {
    let dimension = |field| tower.dimension(field).map(origin);
    match name {
        "h" => dimension(TowerDimension::HiddenSize),
        "n_lay" => dimension(TowerDimension::Layers),
        "a" => dimension(TowerDimension::Heads),
        "n_kv" => Some(Origin::Rule("config-spec 7, as many as query heads")),
        "dh" => Some(Origin::Rule("config-spec 7, hidden width over heads")),
        "hff" | "hff_exp" => dimension(TowerDimension::FeedForward),
        "s" => Some(tower.tokens.origin.clone()),
        "v" | "n_mtp" | "n_exp" | "n_chosen_exp" | "n_shared_exp" | "dc_kv" | "dc_q" | "dhr" | "tie_emb_out"
        | "gmm" | "cap_fact" | "loss_parallel" | "shards_logits" | "offset" | "vocab_emb_dp" => {
            Some(Origin::Rule("config-spec 11"))
        }
        _ => None,
    }
}

/// What is computed from other fields (config-spec 10, memory-core 4.3 and 7), or stated by the trainer whatever the file
/// says (config-spec 4.2).
fn of_rule(name: &str) -> Option<&'static str> {
    Some(match name {
        "sp" => "config-spec 10.1",
        "t_exp" | "d_exp" | "edp_group" | "n_dispatch" => "config-spec 10.2",
        "param_cp" | "optimizer_ranks" => "config-spec 10.3",
        "shard_p_os_non_exp_partial"
        | "shard_p_os_non_exp"
        | "shard_p_os_exp"
        | "shard_p_os_exp_partial"
        | "shard_grad_non_exp"
        | "shard_grad_exp"
        | "shard_grad_exp_partial" => "config-spec 10.4",
        "keeps_param_casts" | "comm_d_non_exp" | "comm_d_exp" | "comm_t" | "comm_ep" | "comm_cp"
        | "expert_dp_ranks" => "config-spec 10.5",
        "shard_embed" | "gather_embed" => "config-spec 10.6",
        "rec_op" | "layer_switches" => "config-spec 10.7",
        "s_fa"
        | "bytes_grad"
        | "bytes_optim"
        | "bytes_optim_table"
        | "shard_recompute_input"
        | "shard_output_activ"
        | "defers_grads"
        | "overlaps_grad_reduce"
        | "accumulates_grads" => "config-spec 10.8",
        "grad_shard_as_params"
        | "grad_accumulation"
        | "deferred_grad_accumulation"
        | "overlapped_grad_reduce"
        | "param_casts"
        | "shard_spans_cp"
        | "has_fa"
        | "vocab_emb_dp"
        | "emb_dp_sharded"
        | "is_shard_mtp_param"
        | "freeze"
        | "n_s_split"
        | "sel_rec_rule"
        | "is_mtp_in_offset" => "config-spec 4.2",
        "layer_stack" => "config-spec 6.4",
        "attn_extra_p" | "n_attParamCast" | "n_ffParamCast" => "memory-core 4.3",
        "kv_shards" => "memory-core 7.1",
        "L" => "memory-core 7.5",
        _ => return None,
    })
}

/// What the reference fixes.
fn of_constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "comm_dp_overlap" | "comm_tp_overlap" => "config-spec 10.5",
        "device_per_node" | "dropless_tok_factor" | "safety" => "memory-core 13",
        _ => return None,
    })
}

fn origin<T>(stated: &Stated<T>) -> Origin {
    stated.origin.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{derive, reference_fields};
    use crate::document::{Value, parse, parse_from};
    use crate::facts::{ModelChoice, Overrides, execution, read};

    const RUN: &str = "model: {pretrained_model_name_or_path: deepseek-ai/DeepSeek-V3}\naccelerator: {tp_size: 2}\n\
                       fsdp_config: {dp_shard_size: 8}\ncontext: {device_num: 16, expert_shard: group}\n";

    fn facts(choice: &ModelChoice, overrides: &Overrides) -> Facts {
        read(&parse(RUN).expect("YAML").value, choice, overrides, None).expect("facts").value
    }

    fn origin(name: &str) -> Option<Origin> {
        origin_of(name, &facts(&ModelChoice::Named, &Overrides::none()), None, Role::Text)
    }

    /// Parts of a multimodal run, and what only other inputs state.
    const WITHOUT: [&str; 10] = [
        "multimodal",
        "mm_ccfgs",
        "mm_order",
        "census",
        "output_census",
        "kind_activations",
        "recompute_ranges",
        "moe_dispatch",
        "stated_ac_mode",
        "mm_main",
    ];

    #[test]
    fn every_field_has_an_origin() {
        let facts = facts(&ModelChoice::Named, &Overrides::none());
        let config = derive(&facts).expect("a config").value;
        for (name, _) in reference_fields(&config).iter().filter(|(name, _)| !WITHOUT.contains(&&***name)) {
            assert!(origin_of(name, &facts, None, Role::Text).is_some(), "{name}");
        }
        for symbol in ["n_attMM", "n_linrec", "n_attParamCast", "kv_shards", "L", "n_qproj", "attn_extra_p", "bytes_os"]
        {
            assert!(origin_of(symbol, &facts, None, Role::Text).is_some(), "{symbol}");
        }
        assert_eq!(origin_of("no_such_field", &facts, None, Role::Text), None);
    }

    #[test]
    fn origins_are_told_apart() {
        let key = |path: &str| Some(Origin::Key(Source::Run, KeyPath::parse(path)));
        assert_eq!(origin("t"), key("accelerator.tp_size"));
        assert_eq!(origin("h"), Some(Origin::Key(Source::Model, KeyPath::parse("hidden_size"))));
        assert_eq!(origin("bytes_norm"), Some(Origin::FamilyDefault("deepseek")));
        assert_eq!(origin("n_softmax"), Some(Origin::FamilyDefault("deepseek")));
        assert_eq!(origin("comm_dp_overlap"), Some(Origin::Constant("config-spec 10.5")));
        assert!(matches!(origin("p"), Some(Origin::TrainerDefault(_))));
        assert!(matches!(origin("shard_embed"), Some(Origin::Rule(_))));
        assert!(matches!(origin("n_mtp"), Some(Origin::TrainerDefault(_))));
        let overrides = Overrides::none().with("accelerator.pp_size", Value::Integer(2));
        let over = origin_of("p", &facts(&ModelChoice::Named, &overrides), None, Role::Text);
        assert_eq!(over, Some(Origin::Override(KeyPath::parse("accelerator.pp_size"))));
        let chosen = facts(&ModelChoice::Catalogue("Qwen/Qwen3-8B".into()), &Overrides::none());
        assert_eq!(origin_of("v", &chosen, None, Role::Text), Some(Origin::ChosenModel("Qwen/Qwen3-8B".into())));
    }

    #[test]
    fn an_execution_spec_outranks_the_file() {
        let text = parse_from(Source::Execution, "tp: 4\nnorm_bytes: 2\n").expect("YAML").value;
        let spec = execution::read(&text).expect("right").value;
        let facts = facts(&ModelChoice::Named, &Overrides::none());
        for (name, key) in [("t", "tp"), ("bytes_norm", "norm_bytes"), ("norm_bytes", "norm_bytes")] {
            let expected = Some(Origin::Key(Source::Execution, KeyPath::parse(key)));
            assert_eq!(origin_of(name, &facts, Some(&spec), Role::Text), expected);
        }
        assert_eq!(origin_of("cp", &facts, Some(&spec), Role::Text), origin("cp"));
    }
}
