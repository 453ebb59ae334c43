//! Every field by the reference's name, as the goldens and the JSON of DESIGN 3.1 write it.

use super::{Config, Offset, Primary, RecomputeLayers, RecomputeRange, Switches};
use crate::model::{Family, canonical_layers, canonical_ops};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The primary and derived fields of a config, keyed by the reference's names (config-spec 18.4).
///
/// Fields that only some readings state (a caller's device count, the expert shard of the AutoModels schema, …) are there
/// exactly where they are stated. The measured-activation fields of the reference are always null.
pub fn reference_fields(config: &Config) -> Map<String, Value> {
    let primary = config.primary();
    let mut fields = Map::new();
    fields.extend(model(primary).map(named));
    fields.extend(layout(primary).map(named));
    fields.extend(sharding(primary).map(named));
    fields.extend(run(primary).map(named));
    fields.extend(config.derived_by_name().map(named));
    fields.insert("dh".into(), number(config.head_width()));
    fields.insert("layer_switches".into(), layer_switches(config));
    fields.extend(sometimes(primary).into_iter().filter(|(_, value)| !value.is_null()).map(named));
    submodules(config, &mut fields);
    fields
}

fn named((name, value): (&'static str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}

fn model(primary: &Primary) -> impl Iterator<Item = (&'static str, Value)> {
    [
        ("model_name", json!(*primary.model_name)),
        ("arch", json!(primary.family.name())),
        ("multimodal", json!(primary.multimodal)),
        ("h", json!(primary.hidden)),
        ("n_lay", json!(primary.layers)),
        ("n_mtp", json!(primary.mtp_layers)),
        ("a", json!(primary.heads)),
        ("n_kv", json!(primary.kv_heads)),
        ("v_head_dim", json!(primary.value_head_width)),
        ("qk_nope_head_dim", json!(primary.nope_head_width)),
        ("dc_kv", json!(primary.kv_latent)),
        ("dc_q", json!(primary.query_latent)),
        ("dhr", json!(primary.rotary_width)),
        ("hff", json!(primary.feed_forward)),
        ("hff_exp", json!(primary.expert_feed_forward)),
        ("v", json!(primary.vocabulary)),
        ("s", json!(primary.sequence)),
        ("attn_output_gate", json!(primary.output_gate)),
        ("qk_norm", json!(primary.qk_norm)),
        ("qkv_bias", json!(primary.qkv_bias)),
        ("o_bias", json!(primary.output_bias)),
        ("mlp_bias", json!(primary.feed_forward_bias)),
        ("norm_bias", json!(primary.norm_bias)),
        ("layer_norms", json!(primary.layer_norms)),
        ("shared_expert_gate", json!(primary.shared_expert_gate)),
        ("n_exp", json!(primary.experts)),
        ("n_chosen_exp", json!(primary.chosen_experts)),
        ("n_shared_exp", json!(primary.shared_experts)),
        ("k_1st_dense", json!(primary.leading_dense)),
        ("multiple_of", json!(primary.multiple_of)),
        ("fdm", json!(primary.feed_forward_multiplier)),
        ("tie_emb_out", json!(primary.tied_embeddings)),
        ("layer_stack", primary.stack.as_ref().map_or(Value::Null, canonical_layers)),
        ("op_counts", canonical_ops(&primary.op_counts)),
        ("census", Value::Null),
        ("output_census", Value::Null),
        ("kind_activations", Value::Null),
    ]
    .into_iter()
}

fn layout(primary: &Primary) -> impl Iterator<Item = (&'static str, Value)> {
    [
        ("d", json!(primary.data_parallel)),
        ("t", json!(primary.tensor_parallel)),
        ("p", json!(primary.pipeline_parallel)),
        ("vp", json!(primary.chunks)),
        ("cp", json!(primary.context_parallel)),
        ("ep", json!(primary.expert_parallel)),
        ("etp", json!(primary.expert_tensor_parallel)),
        ("sequence_parallel", json!(primary.sequence_parallel)),
        ("cp_algo", json!(*primary.cp_algorithm)),
        ("b", json!(primary.micro_batch)),
        ("m", json!(primary.micro_batches)),
        ("gbs", json!(primary.global_batch)),
        ("pp_sched", json!(*primary.schedule)),
        ("n_s_split", json!(primary.sequence_parts)),
        ("offset", offset(&primary.offset)),
        ("is_mtp_in_offset", json!(primary.mtp_in_offset)),
    ]
    .into_iter()
}

fn sharding(primary: &Primary) -> impl Iterator<Item = (&'static str, Value)> {
    [
        ("has_op", json!(primary.optimizer_parallel)),
        ("os_max_shard", json!(primary.optimizer_shard)),
        ("has_grad_shard", json!(primary.grad_shard)),
        ("grad_shard_as_params", json!(primary.grad_shard_as_params)),
        ("shard_spans_cp", json!(primary.shard_spans_cp)),
        ("grad_accumulation", json!(primary.grad_accumulation)),
        ("deferred_grad_accumulation", json!(primary.deferred_grad_accumulation)),
        ("overlapped_grad_reduce", json!(primary.overlapped_grad_reduce)),
        ("reshard_params", json!(primary.reshard_params)),
        ("param_casts", json!(primary.param_casts)),
        ("loss_parallel", json!(primary.loss_parallel)),
        ("vocab_emb_dp", json!(primary.vocabulary_data_parallel)),
        ("emb_dp_sharded", json!(primary.embedding_sharded)),
        ("is_shard_mtp_param", json!(primary.shard_mtp)),
        ("freeze", json!(primary.frozen)),
    ]
    .into_iter()
}

fn run(primary: &Primary) -> impl Iterator<Item = (&'static str, Value)> {
    let capacity = primary.device_capacity;
    [
        ("full_rec", recompute_layers(&primary.full_recompute)),
        ("sel_rec", recompute_layers(&primary.selective_recompute)),
        ("sel_rec_rule", json!(*primary.selective_rule)),
        ("recompute_slice_activation", json!(primary.recompute_slice_activation)),
        ("recompute_ranges", primary.recompute_ranges.as_deref().map_or(Value::Null, ranges)),
        ("stated_ac_mode", json!(primary.stated_mode.as_deref())),
        ("bytes_p", json!(primary.param_bytes)),
        ("bytes_compute", json!(primary.compute_bytes)),
        ("bytes_softmax", json!(primary.softmax_bytes)),
        ("grad_bytes", json!(primary.grad_bytes)),
        ("optimizer_state_bytes", json!(primary.optimizer_state_bytes)),
        ("optimizer_states", json!(primary.optimizer_states)),
        ("main_param_bytes", json!(primary.main_param_bytes)),
        ("optimizer", json!(*primary.optimizer)),
        ("has_clip", json!(primary.clips_gradients)),
        ("has_fa", json!(primary.flash_attention)),
        ("gmm", json!(primary.grouped_matmul)),
        ("cap_fact", number(primary.capacity_factor)),
        ("moe_dispatch", json!(primary.moe_dispatch)),
        ("seq_len_stated", json!(primary.sequence_stated)),
        ("device_capacity", json!({"size": capacity.size, "unit": capacity.unit.name()})),
    ]
    .into_iter()
}

/// Fields that stand there only where something states them.
fn sometimes(primary: &Primary) -> [(&'static str, Value); 10] {
    [
        ("mtp_unpriced", json!(primary.mtp_unpriced)),
        ("expert_shard", json!(primary.expert_shard)),
        ("expert_shard_group", json!(primary.expert_shard_group)),
        ("devices", json!(primary.caller_devices)),
        ("inherited_arch", json!(primary.inherited_family.map(Family::name))),
        ("shard_activations", json!(primary.shard_activations)),
        ("norm_bytes", json!(primary.norm_bytes)),
        ("dropout_bytes", json!(primary.dropout_bytes)),
        ("sel_comm_rec", json!(primary.selective_comm_recompute)),
        ("emb_out_in_offset", if primary.embedding_output_in_offset { json!(true) } else { Value::Null }),
    ]
}

fn submodules(config: &Config, fields: &mut Map<String, Value>) {
    let parts = config.submodules();
    if config.primary().inherited_family.is_some() {
        fields.insert("layer_binding".into(), Value::Null);
    }
    if parts.is_empty() {
        fields.insert("mm_ccfgs".into(), Value::Null);
        fields.insert("mm_order".into(), Value::Null);
        return;
    }
    let nested: Map<_, _> =
        parts.iter().map(|part| (part.role.name().to_owned(), reference_fields(&part.config).into())).collect();
    fields.insert("mm_ccfgs".into(), nested.into());
    fields.insert("mm_order".into(), parts.iter().map(|part| part.role.name()).collect());
    fields.insert("mm_main".into(), "text".into());
}

/// A number that is whole in most runs, written as it is meant.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range of a double")]
        return json!(value as i64);
    }
    json!(value)
}

fn offset(offset: &Offset) -> Value {
    match offset {
        Offset::Unstated => Value::Null,
        Offset::Scalar(layers) => json!(layers),
        Offset::PerStage(stages) => json!(**stages),
        Offset::PerChunk(chunks) => per_chunk(chunks),
    }
}

fn recompute_layers(layers: &RecomputeLayers) -> Value {
    match layers {
        RecomputeLayers::All(all) => json!(all),
        RecomputeLayers::Count(count) => json!(count),
        RecomputeLayers::PerStage(counts) => json!(**counts),
        RecomputeLayers::PerChunk(chunks) => per_chunk(chunks),
        RecomputeLayers::Ops(ops) => ops.iter().map(|op| Value::from(&**op)).collect(),
    }
}

fn per_chunk(chunks: &[Arc<[i64]>]) -> Value {
    chunks.iter().map(|stages| json!(**stages)).collect()
}

fn ranges(ranges: &[RecomputeRange]) -> Value {
    ranges.iter().map(range).collect()
}

fn range(range: &RecomputeRange) -> Value {
    let mut fields = Map::new();
    fields.insert("first".into(), range.first.into());
    if let Some(count) = range.count {
        fields.insert("count".into(), count.into());
    }
    fields.insert("option".into(), range.option.name().into());
    if let Some(stated) = range.switches {
        let recomputed = stated.named().into_iter().filter(|(_, keeps)| !keeps);
        let ops: Map<_, _> = recomputed.map(|(op, _)| (op.to_owned(), "recompute".into())).collect();
        fields.insert("ops".into(), ops.into());
    }
    fields.into()
}

/// The eight switches: 1 keeps, 0 recomputes.
pub(super) fn switches(switches: Switches) -> Value {
    let named = switches.named().into_iter().map(|(op, keeps)| (op.to_owned(), Value::from(u8::from(keeps))));
    named.collect::<Map<_, _>>().into()
}

/// Per layer in model order that layer's switches, null for a layer that is not selective; null as a whole where the run
/// has one setting.
fn layer_switches(config: &Config) -> Value {
    let Some(runs) = config.selective_runs() else { return Value::Null };
    let primary = config.primary();
    let layers = primary.layers.saturating_add(primary.mtp_layers).max(0);
    let covering =
        |layer: i64| runs.iter().find(|run| (run.first..run.first.saturating_add(run.count)).contains(&layer));
    (0..layers).map(|layer| covering(layer).map_or(Value::Null, |run| switches(run.switches))).collect()
}
