//! The derivation, in the reference's order: later fields read earlier ones (config-spec 10).

use super::derived::Derived;
use super::experts::expert_degrees;
use super::{Config, Primary, Strictness, family_run, recompute, sharding};
use crate::diagnostics::{Checked, Errors, Findings};

pub(super) fn derive(mut primary: Primary, strictness: Strictness) -> Result<Checked<Config>, Errors> {
    let mut findings = Findings::new();
    let derived = derived(&mut primary, strictness, &mut findings);
    findings.finish(Some(Config { primary, derived, submodules: Vec::new() }))
}

fn derived(primary: &mut Primary, strictness: Strictness, findings: &mut Findings) -> Derived {
    let sequence_shards = if primary.sequence_parallel { primary.tensor_parallel } else { 1 };
    let experts = expert_degrees(primary, strictness, findings);
    let params = sharding::param_shards(primary, experts);
    let grads = sharding::grad_shards(primary, experts, params);
    let (embedding_shard, embedding_gather) = sharding::embedding_shards(primary);
    recompute::check_ranges(primary, findings);
    let (switches, selective_runs) = recompute::switches(primary, sequence_shards, findings);
    let family = family_run::defaults(primary);
    let widths = family_run::widths(primary, &family);
    let shards_activations = primary.shard_activations.unwrap_or(family.shard_activations);
    let shards_logits = primary.loss_parallel.unwrap_or(family.loss_parallel);
    let over_tensor = |sharded: bool| if sharded { primary.tensor_parallel } else { 1 };
    Derived {
        sequence_shards,
        expert_tensor_degree: experts.tensor,
        expert_data_degree: experts.data,
        expert_group: experts.group,
        dispatches: experts.dispatches,
        param_shard: params.dense,
        param_shard_whole: sharding::whole_shard(primary),
        shared_expert_shard: params.shared,
        routed_expert_shard: params.routed,
        grad_shard: grads.dense,
        routed_expert_grad_shard: grads.routed,
        shared_expert_grad_shard: grads.shared,
        keeps_param_casts: primary.param_casts.unwrap_or(!primary.optimizer_parallel),
        data_level: sharding::data_level(primary, primary.data_parallel),
        expert_data_level: sharding::data_level(primary, sharding::expert_reduction_ranks(primary, experts.tensor)),
        tensor_communicates: one_if(primary.tensor_parallel > 1),
        experts_communicate: one_if(primary.expert_parallel > 1 || primary.experts > 1),
        context_communicates: one_if(primary.context_parallel > 1),
        data_overlap: 0.9,
        tensor_overlap: 0.5,
        embedding_shard,
        embedding_gather,
        switches,
        flash_sequence: flash_sequence(primary),
        qk_norms: i64::from(primary.qk_norm),
        accumulates_gradients: widths.accumulates,
        gradient_width: widths.gradient,
        optimizer_state_width: widths.optimizer_state,
        optimizer_width: widths.optimizer,
        table_optimizer_width: widths.table_optimizer,
        norm_width: widths.norm,
        dropout_width: widths.dropout,
        reshards: primary.reshard_params.unwrap_or(family.reshard_params),
        defers_gradients: primary.deferred_grad_accumulation.unwrap_or(family.deferred_grad_accumulation),
        overlaps_reduction: primary.overlapped_grad_reduce.unwrap_or(family.overlapped_grad_reduce),
        shards_logits,
        recompute_input_shard: over_tensor(shards_activations || primary.recompute_slice_activation),
        output_activation_shard: over_tensor(shards_activations && shards_logits),
        head_width: family_run::head_width(primary),
        selective_runs,
    }
}

const fn one_if(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

fn flash_sequence(primary: &Primary) -> f64 {
    let sequence = primary.sequence as f64;
    if primary.flash_attention && primary.heads > 0 { sequence / primary.heads as f64 } else { sequence }
}
