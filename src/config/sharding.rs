//! What divides parameters, optimizer states, gradients and tables, and what communicates (config-spec 10.3 to 10.6).

use super::Primary;
use super::experts::ExpertDegrees;
use crate::units::integers::{at_least_one, floor_div, floor_mod, gcd, product};

/// Over how many data-parallel ranks an optimizer shard spreads a parameter. A count that does not divide the domain
/// shards over all of it: more sharding, not less.
pub(super) fn optimizer_ranks(primary: &Primary) -> i64 {
    let over_context = if primary.shard_spans_cp { primary.context_parallel } else { 1 };
    let domain = product([primary.data_parallel, over_context]);
    let stated = primary.optimizer_shard;
    if stated >= 1 && floor_mod(domain, stated) == 0 { stated } else { domain }
}

/// The same where there is an optimizer shard, else 1.
pub(super) fn sharding_ranks(primary: &Primary) -> i64 {
    if primary.optimizer_parallel { optimizer_ranks(primary) } else { 1 }
}

/// What CP divides a parameter by, beyond the stated shard: nothing where that shard spans DP × CP already.
pub(super) const fn param_context_shard(primary: &Primary) -> i64 {
    if primary.shard_spans_cp { 1 } else { primary.context_parallel }
}

/// How many ranks reduce a routed expert's gradient together: those that hold the same slice of it.
pub(super) fn expert_reduction_ranks(primary: &Primary, expert_tensor: i64) -> i64 {
    let ranks = product([primary.data_parallel, primary.tensor_parallel, primary.context_parallel]);
    at_least_one(floor_div(ranks, product([at_least_one(expert_tensor), at_least_one(primary.expert_parallel)])))
}

/// Divisors of non-expert parameters, routed experts and shared experts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shards {
    pub(super) dense: i64,
    pub(super) routed: i64,
    pub(super) shared: i64,
}

/// What divides parameters and optimizer states.
pub(super) fn param_shards(primary: &Primary, experts: ExpertDegrees) -> Shards {
    let ranks = sharding_ranks(primary);
    Shards {
        dense: product([ranks, primary.tensor_parallel, param_context_shard(primary)]),
        routed: routed_shard(primary, experts, ranks),
        shared: gcd(primary.experts, product([ranks, experts.tensor])),
    }
}

/// The whole domain a non-expert parameter could be sharded over.
pub(super) fn whole_shard(primary: &Primary) -> i64 {
    let data = if primary.optimizer_parallel { primary.data_parallel } else { 1 };
    product([data, primary.context_parallel, primary.tensor_parallel])
}

fn routed_shard(primary: &Primary, experts: ExpertDegrees, ranks: i64) -> i64 {
    let spread = primary.expert_parallel > 1;
    let context = param_context_shard(primary);
    match primary.expert_shard {
        _ if spread && primary.expert_shard_group == Some(true) => experts.group,
        None if primary.optimizer_parallel => experts.group,
        None => product([context, experts.tensor]),
        Some(stated) if spread => gcd(stated, experts.group),
        // Without EP the experts are sharded with the other parameters, whatever is stated.
        Some(_) => product([ranks, context, experts.tensor]),
    }
}

/// What divides gradients.
pub(super) fn grad_shards(primary: &Primary, experts: ExpertDegrees, params: Shards) -> Shards {
    if primary.grad_shard_as_params {
        params
    } else if primary.grad_shard {
        Shards { dense: whole_shard(primary), ..params }
    } else {
        Shards { dense: primary.tensor_parallel, routed: experts.tensor, shared: experts.tensor }
    }
}

/// How data parallelism over `ranks` gathers parameters and reduces gradients: 0, 2 or 3.
pub(super) const fn data_level(primary: &Primary, ranks: i64) -> i64 {
    if ranks == 1 || !primary.optimizer_parallel {
        0
    } else if primary.grad_shard {
        3
    } else {
        2
    }
}

/// What divides the embedding table, and over how many of those ranks it is gathered.
pub(super) fn embedding_shards(primary: &Primary) -> (i64, i64) {
    let replicated = primary.vocabulary_data_parallel && primary.pipeline_parallel == 1;
    let tensor = if replicated { 1 } else { primary.tensor_parallel };
    let fully_sharded = primary.grad_shard_as_params;
    let ranks = if fully_sharded { sharding_ranks(primary) } else { primary.data_parallel };
    let shard = if primary.embedding_sharded { ranks } else { 1 };
    let gather = if fully_sharded && primary.embedding_sharded { ranks } else { 1 };
    (product([shard, tensor]), gather)
}
