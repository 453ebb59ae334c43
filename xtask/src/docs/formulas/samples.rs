//! Runs that together reach every formula in every case: some models, each with one thing changed at a time.

use std::sync::Arc;

use shardmem::config::{
    Census, Config, Family, Primary, RecomputeLayers, RecomputeOption, RecomputeRange, Strictness, Switches,
};
use shardmem::memory::reference::Policies;
use shardmem::memory::reference::policies::POLICIES;
use shardmem::model::{LayerGroup, LinearAttention, Stack};
use shardmem::placement::{Placement, place};

/// A run, placed.
pub(super) struct Sample {
    pub(super) config: Config,
    pub(super) placement: Placement,
    pub(super) policies: Policies,
    /// Whether nothing of the model is changed.
    pub(super) is_plain: bool,
}

impl Sample {
    /// Where sequences are split, each formula has a form of its own, with the part in the place of the whole: only the
    /// formulas of the split are shown of such a run.
    pub(super) fn shows(&self, formula: &str) -> bool {
        !self.placement.schedule().splits_sequence() || ["g", "most-in-flight", "sequence-part"].contains(&formula)
    }
}

/// Each model with each change.
pub(super) fn all() -> Vec<Sample> {
    let changed = |model: Primary| {
        CHANGES.iter().enumerate().filter_map(move |(at, change)| {
            let mut primary = model.clone();
            change(&mut primary);
            sample(primary, at == 0)
        })
    };
    let policies = POLICIES.iter().flat_map(|policy| policy.values.iter().skip(1).map(|value| (policy.id, value.id)));
    let under = |(policy, value): (&str, &str)| {
        let choices = [(policy.to_owned(), value.to_owned())];
        let policies = Policies::chosen(&choices).expect("of the table").value;
        [dense(), experts(), cm(), mtp(), measured()].map(|mut primary| {
            context(&mut primary, "colossalai_cp");
            (primary.shard_spans_cp, primary.reshard_params) = (false, Some(false));
            primary.full_recompute = RecomputeLayers::PerStage([3, 3].into());
            Some(Sample { policies, ..sample(primary, false)? })
        })
    };
    let policies: Vec<Sample> = policies.flat_map(under).flatten().collect();
    models().into_iter().flat_map(changed).chain(policies).collect()
}

/// Some changes leave nothing that could be placed.
fn sample(primary: Primary, is_plain: bool) -> Option<Sample> {
    let config = Config::new(primary, Strictness::Clamped).ok()?.value;
    let placement = place(&config).ok()?.value;
    Some(Sample { config, placement, policies: Policies::default(), is_plain })
}

const LAYERS: i64 = 12;

fn models() -> Vec<Primary> {
    vec![dense(), pangualpha(), experts(), latent(), mtp(), hybrid(), measured()]
}

fn dense() -> Primary {
    Primary {
        family: Family::Default,
        hidden: 64,
        layers: LAYERS,
        heads: 8,
        kv_heads: 2,
        head_width: 8.0,
        feed_forward: 256,
        expert_feed_forward: 256,
        vocabulary: 1000,
        layer_norms: Some(2),
        qkv_bias: Some(false),
        output_bias: Some(false),
        feed_forward_bias: Some(false),
        stack: Some(stack(Family::Default, None)),
        data_parallel: 4,
        tensor_parallel: 2,
        pipeline_parallel: 2,
        micro_batches: 4,
        optimizer_parallel: true,
        optimizer_shard: 4,
        ..Primary::default()
    }
}

fn pangualpha() -> Primary {
    Primary { family: Family::Pangualpha, stack: Some(stack(Family::Pangualpha, None)), ..dense() }
}

fn experts() -> Primary {
    Primary {
        family: Family::Mixtral,
        experts: 8,
        chosen_experts: 2,
        shared_experts: 1,
        expert_feed_forward: 128,
        expert_parallel: 2,
        expert_shard: Some(2),
        grouped_matmul: true,
        stack: Some(stack(Family::Mixtral, None)),
        ..dense()
    }
}

fn latent() -> Primary {
    Primary {
        family: Family::Deepseek,
        kv_latent: 16,
        query_latent: 24,
        rotary_width: 4,
        nope_head_width: Some(8),
        stack: Some(stack(Family::Deepseek, None)),
        ..experts()
    }
}

fn cm() -> Primary {
    Primary { family: Family::Cm, stack: Some(stack(Family::Cm, None)), ..experts() }
}

fn mtp() -> Primary {
    let mut groups = stack(Family::Deepseek, None).groups.to_vec();
    groups.push(LayerGroup { count: 1, mtp: true, ..groups[0] });
    Primary { mtp_layers: 1, stack: Some(Stack { groups: groups.into(), linear: None }), ..latent() }
}

fn hybrid() -> Primary {
    Primary { family: Family::Qwen35, stack: Some(stack(Family::Qwen35, None)), ..dense() }
}

fn measured() -> Primary {
    let census = Census {
        saved: 100.0,
        saved_tensor: 200.0,
        working: 300.0,
        working_tensor: 400.0,
        selective: Some((50.0, 60.0)),
    };
    Primary { stack: Some(stack(Family::Default, Some(census))), output_census: Some(census), ..dense() }
}

/// As many layers of each kind of the family, each with what is measured of it.
fn stack(family: Family, census: Option<Census>) -> Stack {
    let kinds = family.kinds();
    let count = u32::try_from(LAYERS).unwrap_or(0) / u32::try_from(kinds.len()).unwrap_or(1);
    let groups: Vec<LayerGroup> =
        kinds.iter().map(|kind| LayerGroup { kind: *kind, count, mtp: false, census }).collect();
    let linear =
        LinearAttention { key_heads: 4, key_head_width: 8, value_heads: 8, value_head_width: 8, convolution_width: 4 };
    Stack { groups: groups.into(), linear: (family == Family::Qwen35).then_some(linear) }
}

fn recompute(primary: &mut Primary, switches: Switches) {
    let range = RecomputeRange { first: 0, count: None, option: RecomputeOption::Selective, switches: Some(switches) };
    primary.recompute_ranges = Some([range].into());
}

const NOTHING_KEPT: Switches = Switches {
    attention_batched_matmul: false,
    head_cast: false,
    dropout: false,
    softmax: false,
    norm: false,
    gather: false,
    feed_forward_activation: false,
    attention_up: false,
};

fn schedule(primary: &mut Primary, name: &str, chunks: i64) {
    (primary.schedule, primary.chunks) = (name.into(), chunks);
}

fn context(primary: &mut Primary, algorithm: &str) {
    (primary.context_parallel, primary.cp_algorithm) = (2, algorithm.into());
}

/// One thing changed, or what it takes with it.
const CHANGES: &[fn(&mut Primary)] = &[
    |_| {},
    // Pipeline.
    |primary| primary.pipeline_parallel = 1,
    |primary| (primary.pipeline_parallel, primary.micro_batches) = (1, 1),
    |primary| primary.micro_batches = 1,
    |primary| schedule(primary, "1f1b", 2),
    |primary| schedule(primary, "1f1b", 3),
    |primary| schedule(primary, "gpipe", 1),
    |primary| schedule(primary, "zero_bubble_v", 2),
    |primary| schedule(primary, "zero_bubble_v", 3),
    |primary| {
        schedule(primary, "zero_bubble_v", 2);
        primary.full_recompute = RecomputeLayers::All(true);
    },
    |primary| {
        schedule(primary, "seqpipe", 1);
        primary.sequence_parts = 2;
    },
    |primary| {
        schedule(primary, "seqpipe", 2);
        primary.sequence_parts = 4;
    },
    |primary| schedule(primary, "seqpipe", 3),
    // What is recomputed.
    |primary| primary.full_recompute = RecomputeLayers::All(true),
    |primary| primary.selective_recompute = RecomputeLayers::All(true),
    |primary| recompute(primary, NOTHING_KEPT),
    |primary| recompute(primary, Switches { attention_up: false, ..Switches::ALL_KEPT }),
    |primary| recompute(primary, Switches { dropout: false, ..Switches::ALL_KEPT }),
    |primary| {
        primary.full_recompute = RecomputeLayers::All(true);
        primary.recompute_slice_activation = true;
    },
    // Degrees.
    |primary| primary.data_parallel = 1,
    |primary| (primary.data_parallel, primary.optimizer_shard) = (1, 1),
    |primary| (primary.tensor_parallel, primary.sequence_parallel) = (2, true),
    |primary| primary.tensor_parallel = 1,
    |primary| context(primary, "colossalai_cp"),
    |primary| context(primary, "ulysses_cp"),
    |primary| context(primary, "another"),
    |primary| {
        context(primary, "colossalai_cp");
        primary.pipeline_parallel = 1;
    },
    |primary| {
        context(primary, "ulysses_cp");
        primary.pipeline_parallel = 1;
    },
    |primary| primary.expert_parallel = 1,
    |primary| primary.expert_parallel = 8,
    |primary| primary.expert_parallel = 64,
    |primary| primary.expert_tensor_parallel = 2,
    // Sharding.
    |primary| primary.optimizer_parallel = false,
    |primary| (primary.optimizer_parallel, primary.expert_shard) = (false, None),
    |primary| (primary.optimizer_parallel, primary.grad_shard_as_params) = (false, false),
    |primary| {
        (primary.optimizer_parallel, primary.grad_shard_as_params) = (false, false);
        primary.grad_shard = true;
    },
    |primary| primary.optimizer_shard = 3,
    |primary| {
        context(primary, "colossalai_cp");
        (primary.shard_spans_cp, primary.optimizer_shard) = (false, 3);
    },
    |primary| primary.expert_shard = None,
    |primary| primary.expert_shard_group = Some(true),
    |primary| primary.grad_shard_as_params = false,
    |primary| (primary.grad_shard, primary.grad_shard_as_params) = (true, false),
    |primary| primary.embedding_sharded = false,
    |primary| (primary.pipeline_parallel, primary.vocabulary_data_parallel) = (1, true),
    |primary| primary.reshard_params = Some(false),
    |primary| (primary.reshard_params, primary.tensor_parallel) = (Some(false), 1),
    |primary| primary.deferred_grad_accumulation = Some(false),
    |primary| {
        primary.deferred_grad_accumulation = Some(false);
        primary.overlapped_grad_reduce = Some(false);
    },
    |primary| primary.loss_parallel = Some(true),
    |primary| {
        (primary.loss_parallel, primary.shard_activations) = (Some(true), Some(true));
        primary.full_recompute = RecomputeLayers::All(true);
    },
    |primary| (primary.pipeline_parallel, primary.grad_accumulation) = (1, Some(false)),
    |primary| primary.shard_mtp = false,
    |primary| primary.param_casts = Some(true),
    |primary| primary.frozen = true,
    // The model.
    |primary| (primary.pipeline_parallel, primary.tied_embeddings) = (1, true),
    |primary| (primary.qkv_bias, primary.output_bias, primary.feed_forward_bias) = (None, None, None),
    |primary| {
        (primary.qkv_bias, primary.output_bias) = (Some(true), Some(true));
        primary.feed_forward_bias = Some(true);
    },
    |primary| primary.norm_bias = Some(true),
    |primary| primary.layer_norms = None,
    |primary| primary.head_width = 0.0,
    |primary| primary.qk_norm = true,
    |primary| primary.output_gate = true,
    |primary| primary.nope_head_width = None,
    |primary| primary.query_latent = 0,
    |primary| primary.flash_attention = false,
    |primary| primary.shared_expert_gate = Some(true),
    |primary| primary.grouped_matmul = false,
    |primary| primary.tokens_per_expert = Some(Arc::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])),
    // Nothing in it.
    |primary| {
        (primary.hidden, primary.feed_forward, primary.vocabulary) = (0, 0, 0);
        (primary.compute_bytes, primary.softmax_bytes, primary.norm_bytes) = (0, 0, Some(0));
    },
];
