//! The numbers that the formulas read, with the reference's symbols (memory-core 3).

use super::cases::{Cases, ContextAlgorithm, DataLevel};
use super::policies::{CmNorms, OutputCensus, Policies};
use crate::config::{Config, Family, LayerKind, Primary};
use crate::explain::{Quantity, fields, formulas};
use crate::model::{AttentionFlavour, Census, FeedForwardFlavour, LinearAttention};

fields! {
    /// The numbers of one layer kind. `Fields<f64>` computes; other quantities explain.
    Fields;
    /// Sequences a micro-batch.
    batch "b";
    /// Tokens of a training sequence, whole.
    sequence "s";
    /// The sequence that attention scores are priced over.
    flash_sequence "s_fa";
    /// Hidden width.
    hidden "h";
    /// Feed-forward width.
    feed_forward "hff";
    /// One expert's feed-forward width.
    expert_feed_forward "hff_exp";
    /// Vocabulary.
    vocabulary "v";
    /// Query heads.
    heads "a";
    /// Key/value heads; fractional in linear layers.
    kv_heads "n_kv";
    /// Head width.
    head_width "dh";
    /// Width of a key head's non-rotary part.
    nope_width "qk_nope_head_dim";
    /// Latent width of keys and values.
    kv_latent "dc_kv";
    /// Latent width of queries.
    query_latent "dc_q";
    /// Rotary part of a head.
    rotary "dhr";
    /// Query projections: 2 where the output gate is fused into them, else 1.
    query_projections "n_qproj";
    /// Further attention parameters, of linear layers.
    extra_attention "attn_extra_p";
    /// Query/key norms.
    qk_norms "n_qknorm";
    /// Norms a layer states.
    layer_norms "layer_norms";
    /// Routed experts.
    experts "n_exp";
    /// Experts a token goes to.
    chosen_experts "n_chosen_exp";
    /// Shared experts.
    shared_experts "n_shared_exp";
    /// Capacity factor.
    capacity "cap_fact";
    /// Tokens of the most loaded EP rank, where measured.
    largest_load "tokens_per_expert";
    /// MTP layers.
    mtp "n_mtp";
    /// Tensor-parallel degree.
    tensor "t";
    /// Context-parallel degree.
    context "cp";
    /// Expert-parallel degree.
    expert "ep";
    /// What divides an expert's width: the expert tensor-parallel degree, at least 1.
    expert_width_shard "etp";
    /// Ranks that the activations between TP regions are split over.
    sequence_shards "sp";
    /// Tensor-parallel degree of an expert layer.
    expert_tensor "t_exp";
    /// Ranks over which keys and values are split within CP.
    kv_shards "kv_shards";
    /// Attention projections.
    attention_matmul "n_attMM";
    /// Attention batched matmuls.
    attention_batched_matmul "n_attBMM";
    /// Feed-forward matmuls.
    feed_forward_matmul "n_ffMM";
    /// Casts of attention weights.
    attention_casts "n_attParamCast";
    /// Casts of feed-forward weights.
    feed_forward_casts "n_ffParamCast";
    /// Softmaxes.
    softmax "n_softmax";
    /// Dropouts.
    dropout "n_dropout";
    /// Norms.
    norm "n_normOp";
    /// Gathers.
    gather "n_gather";
    /// Bytes of a parameter.
    param_width "bytes_p";
    /// Bytes of a computed element.
    compute_width "bytes_compute";
    /// Bytes of a softmax element.
    softmax_width "bytes_softmax";
    /// Bytes of a norm's element.
    norm_width "bytes_norm";
    /// Bytes of a dropout mask's element.
    dropout_width "bytes_dropout";
    /// Bytes of a gradient element.
    grad_width "bytes_grad";
    /// Bytes of optimizer states a parameter.
    optimizer_width "bytes_optim";
    /// The same for embedding and output tables.
    table_optimizer_width "bytes_optim_table";
    /// What divides non-expert parameters.
    param_shard "shard_p_os_non_exp_partial";
    /// What divides routed experts' parameters.
    routed_shard "shard_p_os_exp";
    /// What divides shared experts' parameters.
    shared_shard "shard_p_os_exp_partial";
    /// What divides non-expert gradients.
    grad_shard "shard_grad_non_exp";
    /// What divides routed experts' gradients.
    routed_grad_shard "shard_grad_exp";
    /// What divides shared experts' gradients.
    shared_grad_shard "shard_grad_exp_partial";
    /// What divides the embedding table.
    embedding_shard "shard_embed";
    /// Over how many of those ranks the table is gathered.
    embedding_gather "gather_embed";
    /// What CP divides a parameter by, beyond the stated shard.
    param_context "param_cp";
    /// What divides a recomputed layer's input.
    input_shard "shard_recompute_input";
    /// What divides the output layer's activations.
    output_shard "shard_output_activ";
    /// What divides the output layer's measured activations that TP splits.
    logits_shard "L";
    /// Data-parallel buffer level.
    data_level "comm_d_non_exp";
    /// 1 where TP communicates.
    tensor_on "comm_t";
    /// 1 where CP communicates.
    context_on "comm_cp";
    /// 1 where EP communicates.
    expert_on "comm_ep";
}

fields! {
    /// The shapes of linear attention, as the model states them.
    Linear;
    /// Key heads of linear attention.
    key_heads "n_k";
    /// Width of a key head of linear attention.
    key_width "d_k";
    /// Value heads of linear attention.
    value_heads "n_v";
    /// Width of a value head of linear attention.
    value_width "d_v";
    /// Convolution width of linear attention.
    convolution "w_conv";
}

fields! {
    /// Measured activations, bytes a token.
    Measured;
    /// Measured: kept between the passes, divided by sequence parallelism.
    saved "saved";
    /// Measured: kept between the passes, divided by tensor parallelism.
    saved_tensor "saved_tp";
    /// Measured: held while the layer works, divided by sequence parallelism.
    working "working";
    /// Measured: held while the layer works, divided by tensor parallelism.
    working_tensor "working_tp";
    /// Measured: kept under selective recompute, divided by sequence parallelism.
    selective "selective";
    /// Measured: kept under selective recompute, divided by tensor parallelism.
    selective_tensor "selective_tp";
}

formulas! {
    /// Width of a head.
    HEAD_WIDTH "dh" "config-spec 10.1";
    /// Query projections: 2 where the output gate is fused into them, else 1.
    QUERY_PROJECTIONS "n-qproj" "memory-core 5";
    /// Query heads.
    HEADS "a" "memory-core 4.3";
    /// Ranks over which keys and values are split within CP.
    KV_SHARDS "kv-shards" "memory-core 7.1";
    /// Key/value heads of a linear layer, so that its keys are as wide as they are.
    LINEAR_KV_HEADS "n-kv" "memory-core 4.3";
    /// Further parameters of linear attention: its convolution, gates and norm.
    LINEAR_EXTRA "attn-extra-p" "memory-core 4.3";
}

/// One layer kind as the formulas read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layer<V: Quantity> {
    /// What literals need.
    pub(crate) context: V::Context,
    /// The numbers.
    pub(crate) n: Fields<V>,
    /// The cases.
    pub(crate) cases: Cases,
}

impl<V: Quantity> Layer<V> {
    pub(crate) fn literal(&self, value: f64) -> V {
        V::literal(self.context, value)
    }
}

impl Layer<f64> {
    /// A kind of layer of a config as numbers.
    pub(crate) fn numbers(config: &Config, kind: &LayerKind, census: Option<Census>, policies: Policies) -> Self {
        layer(config, kind, census, policies, &model_fields(config), (), |n| n)
    }
}

/// A kind of layer of a config: the model's own numbers with the fields that the kind overrides (memory-core 4.3). `lift`
/// makes quantities of them.
pub(crate) fn layer<V: Quantity>(
    config: &Config,
    kind: &LayerKind,
    census: Option<Census>,
    policies: Policies,
    models: &Fields<f64>,
    context: V::Context,
    lift: impl FnOnce(Fields<f64>) -> Fields<V>,
) -> Layer<V> {
    let primary = config.primary();
    let (experts, expert_parallel) = match kind.feed_forward {
        FeedForwardFlavour::Dense => (1, 1),
        FeedForwardFlavour::Models | FeedForwardFlavour::Experts => (primary.experts, primary.expert_parallel),
    };
    let measured = largest_load(primary, experts.max(1), expert_parallel);
    let mut numbers = *models;
    op_counts(config, kind, &mut numbers);
    numbers.largest_load = measured.unwrap_or(0.0);
    numbers.logits_shard = logits_shard(config, policies);
    let mut n = lift(numbers);
    match (kind.attention, primary.stack.as_ref().and_then(|stack| stack.linear)) {
        (AttentionFlavour::Linear, Some(shapes)) => linear_fields(&shapes, &mut n, context),
        (AttentionFlavour::Linear | AttentionFlavour::Full, _) => {}
    }
    match kind.feed_forward {
        FeedForwardFlavour::Models => {}
        FeedForwardFlavour::Experts => n.feed_forward = n.expert_feed_forward,
        FeedForwardFlavour::Dense => {
            let one = V::literal(context, 1.0);
            let none = V::literal(context, 0.0).because("a dense layer has no shared experts");
            (n.experts, n.chosen_experts, n.shared_experts, n.expert) = (one, one, none, one);
        }
    }
    let algorithm = ContextAlgorithm::by_name(&primary.cp_algorithm);
    let splits_kv = algorithm == ContextAlgorithm::Ulysses || kind.counts.linear_recurrence > 0;
    let kv_shards = if splits_kv {
        n.context.because("each CP rank keeps a part of the keys and values")
    } else {
        V::literal(context, 1.0).because("each CP rank keeps all keys and values")
    };
    n.kv_shards = kv_shards.named(&KV_SHARDS);
    let cases = Cases {
        latent: primary.kv_latent > 0,
        query_latent: primary.query_latent > 0,
        head_width: n.head_width.number() != 0.0,
        experts: experts > 1,
        dropless: primary.grouped_matmul,
        shared_gate: n.shared_experts.number() > 0.0 && primary.shared_expert_gate == Some(true),
        qkv_bias: primary.qkv_bias,
        output_bias: primary.output_bias,
        feed_forward_bias: primary.feed_forward_bias,
        layer_norms: primary.layer_norms.is_some(),
        norm_bias: primary.norm_bias == Some(true),
        even_matmuls: kind.counts.feed_forward_matmul.is_multiple_of(2),
        data_level: DataLevel::of(config.data_level()),
        expert_data_level: DataLevel::of(config.expert_data_level()),
        context_algorithm: algorithm,
        pipelined: primary.pipeline_parallel > 1,
        dispatches: expert_parallel > 1 && n.expert_on.number() != 0.0,
        measured_load: measured.is_some(),
        gathers_kv: primary.context_parallel > 1 && !splits_kv,
        tied: primary.tied_embeddings,
        shards_mtp: primary.shard_mtp,
        mtp: primary.mtp_layers > 0,
        reshards: config.reshards(),
        own_norms: primary.family == Family::Cm && policies.cm_norms() == CmNorms::Own,
        policies,
        census,
        output_census: primary.output_census,
    };
    Layer { context, n, cases }
}

fn op_counts(config: &Config, kind: &LayerKind, n: &mut Fields<f64>) {
    let counts = kind.counts;
    n.attention_matmul = counts.attention_matmul.into();
    n.attention_batched_matmul = counts.attention_batched_matmul.into();
    n.feed_forward_matmul = counts.feed_forward_matmul.into();
    n.softmax = counts.softmax.into();
    n.dropout = counts.dropout.into();
    n.norm = counts.norm.into();
    n.gather = counts.gather.into();
    if config.keeps_param_casts() {
        n.attention_casts = n.attention_matmul;
        n.feed_forward_casts = n.feed_forward_matmul;
    }
}

/// A linear layer's heads and widths in place of the model's.
fn linear_fields<V: Quantity>(shapes: &LinearAttention, n: &mut Fields<V>, context: V::Context) {
    let shapes = Linear {
        key_heads: shapes.key_heads as f64,
        key_width: shapes.key_head_width as f64,
        value_heads: shapes.value_heads as f64,
        value_width: shapes.value_head_width as f64,
        convolution: shapes.convolution_width as f64,
    };
    let shapes = shapes.lift::<V>(context);
    let keys = shapes.key_heads * shapes.key_width;
    n.heads = shapes.value_heads.because("a linear layer has its value heads").named(&HEADS);
    n.head_width = shapes.value_width.because("a linear layer has its value heads").named(&HEAD_WIDTH);
    n.kv_heads = (keys / shapes.value_width).named(&LINEAR_KV_HEADS);
    n.query_projections =
        V::literal(context, 2.0).because("a linear layer has an output gate").named(&QUERY_PROJECTIONS);
    n.qk_norms = V::literal(context, 0.0).because("a linear layer norms neither queries nor keys");
    let convolution = shapes.convolution * (keys * 2.0 + shapes.value_heads * shapes.value_width);
    let gates = n.hidden * 2.0 * shapes.value_heads;
    n.extra_attention = (convolution + gates + shapes.value_heads * 2.0 + shapes.value_width).named(&LINEAR_EXTRA);
}

/// What TP divides the output layer's measured activations by.
fn logits_shard(config: &Config, policies: Policies) -> f64 {
    match policies.output_census() {
        OutputCensus::LossParallel if config.shards_logits() => config.primary().tensor_parallel as f64,
        OutputCensus::LossParallel | OutputCensus::Never => 1.0,
    }
}

/// The largest sum over the experts of one EP rank, where each expert's load is measured and EP divides them.
fn largest_load(primary: &Primary, experts: i64, expert_parallel: i64) -> Option<f64> {
    let loads = primary.tokens_per_expert.as_deref()?;
    if expert_parallel < 1 || experts % expert_parallel != 0 {
        return None;
    }
    let group = usize::try_from(experts / expert_parallel).ok().filter(|group| *group > 0)?;
    loads.chunks(group).map(|group| group.iter().sum()).reduce(f64::max)
}

/// The numbers of the model as they stand before a kind is applied.
pub(crate) fn model_fields(config: &Config) -> Fields<f64> {
    let primary = config.primary();
    Fields {
        batch: primary.micro_batch as f64,
        sequence: primary.sequence as f64,
        flash_sequence: config.flash_sequence(),
        hidden: primary.hidden as f64,
        feed_forward: primary.feed_forward as f64,
        expert_feed_forward: primary.expert_feed_forward as f64,
        vocabulary: primary.vocabulary as f64,
        heads: primary.heads as f64,
        kv_heads: primary.kv_heads as f64,
        head_width: config.head_width(),
        nope_width: primary
            .nope_head_width
            .filter(|width| *width != 0)
            .map_or(config.head_width(), |width| width as f64),
        kv_latent: primary.kv_latent as f64,
        query_latent: primary.query_latent as f64,
        rotary: primary.rotary_width as f64,
        query_projections: if primary.output_gate { 2.0 } else { 1.0 },
        extra_attention: 0.0,
        qk_norms: config.qk_norms() as f64,
        layer_norms: primary.layer_norms.unwrap_or(0) as f64,
        experts: primary.experts as f64,
        chosen_experts: primary.chosen_experts as f64,
        shared_experts: primary.shared_experts as f64,
        capacity: primary.capacity_factor,
        largest_load: 0.0,
        mtp: primary.mtp_layers as f64,
        tensor: primary.tensor_parallel as f64,
        context: primary.context_parallel as f64,
        expert: primary.expert_parallel as f64,
        expert_width_shard: primary.expert_tensor_parallel.max(1) as f64,
        sequence_shards: config.sequence_shards() as f64,
        expert_tensor: config.expert_tensor_degree() as f64,
        kv_shards: 1.0,
        attention_matmul: 0.0,
        attention_batched_matmul: 0.0,
        feed_forward_matmul: 0.0,
        attention_casts: 0.0,
        feed_forward_casts: 0.0,
        softmax: 0.0,
        dropout: 0.0,
        norm: 0.0,
        gather: 0.0,
        param_width: primary.param_bytes as f64,
        compute_width: primary.compute_bytes as f64,
        softmax_width: primary.softmax_bytes as f64,
        norm_width: config.norm_width() as f64,
        dropout_width: config.dropout_width() as f64,
        grad_width: config.gradient_width() as f64,
        optimizer_width: config.optimizer_width() as f64,
        table_optimizer_width: config.table_optimizer_width() as f64,
        param_shard: config.param_shard() as f64,
        routed_shard: config.routed_expert_shard() as f64,
        shared_shard: config.shared_expert_shard() as f64,
        grad_shard: config.grad_shard() as f64,
        routed_grad_shard: config.routed_expert_grad_shard() as f64,
        shared_grad_shard: config.shared_expert_grad_shard() as f64,
        embedding_shard: config.embedding_shard() as f64,
        // Over no rank at all counts as one.
        embedding_gather: if config.embedding_gather() == 0 { 1.0 } else { config.embedding_gather() as f64 },
        param_context: config.param_context_shard() as f64,
        input_shard: config.recompute_input_shard() as f64,
        output_shard: config.output_activation_shard() as f64,
        logits_shard: 1.0,
        data_level: config.data_level() as f64,
        tensor_on: config.tensor_communicates(),
        context_on: config.context_communicates(),
        expert_on: config.experts_communicate(),
    }
}
