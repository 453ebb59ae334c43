//! Parameters of layers and tables, in elements (memory-core 5).

use super::fields::Layer;
use crate::explain::{Quantity, formulas};

formulas! {
    /// Parameters of a layer's attention, elements.
    ATTENTION "attention-parameters" "memory-core 5";
    /// Parameters of a layer's latent attention, elements.
    LATENT_ATTENTION "latent-attention-parameters" "memory-core 5";
    /// Parameters of a layer's dense feed-forward, elements.
    FEED_FORWARD "feed-forward-parameters" "memory-core 5";
    /// Parameters of a layer's router, elements.
    ROUTER "router-parameters" "memory-core 5";
    /// Parameters of all of a layer's routed experts, elements; expert tensor parallelism divides their width.
    ROUTED "routed-expert-parameters" "memory-core 5";
    /// Parameters of a layer's shared experts and their gate, elements.
    SHARED "shared-expert-parameters" "memory-core 5";
    /// Parameters of a layer's norms, elements.
    NORMS "norm-parameters" "memory-core 5";
    /// Parameters of a layer that are sharded as non-expert ones, elements.
    DENSE "non-expert-parameters" "memory-core 5";
    /// Width of a head.
    HEAD_WIDTH "head-width" "memory-core 5";
    /// Biases of the query projection, elements.
    QUERY_BIAS "query-bias" "memory-core 5";
    /// Biases of the key and value projections, elements each.
    KV_BIAS "kv-bias" "memory-core 5";
    /// Bias of the attention's output projection, elements.
    OUTPUT_BIAS "output-bias" "memory-core 5";
    /// Biases of one feed-forward, elements.
    FEED_FORWARD_BIAS "feed-forward-bias" "memory-core 5";
    /// Elements of the embedding table.
    EMBEDDING "embedding-table" "memory-core 5";
    /// Elements of the output table; the reference always counts a bias.
    OUTPUT "output-table" "memory-core 5";
    /// Elements of an MTP head beside its tables and its layer: a projection and norms.
    MTP_HEAD "mtp-head-parameters" "memory-core 5";
}

/// A layer's parameters by part; the parts a layer does not have are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters<V> {
    pub(crate) attention: V,
    pub(crate) norms: V,
    pub(crate) feed_forward: V,
    pub(crate) router: V,
    pub(crate) routed: V,
    pub(crate) shared: V,
}

impl<V: Quantity> Parameters<V> {
    /// Everything that is sharded as a non-expert parameter.
    pub(crate) fn dense(&self) -> V {
        (self.attention + self.norms + self.feed_forward + self.router).named(&DENSE)
    }

    /// Routed and shared experts.
    pub(crate) fn experts(&self) -> V {
        self.routed + self.shared
    }
}

/// A layer's parameters.
pub(crate) fn parameters<V: Quantity>(l: &Layer<V>) -> Parameters<V> {
    let n = &l.n;
    let none = l.literal(0.0);
    let dense = Parameters {
        attention: attention(l),
        norms: norms(l),
        feed_forward: none,
        router: none,
        routed: none,
        shared: none,
    };
    if l.cases.experts {
        Parameters { router: (n.hidden * n.experts).named(&ROUTER), routed: routed(l), shared: shared(l), ..dense }
    } else {
        Parameters { feed_forward: feed_forward(l), ..dense }
    }
}

/// The width of a head: stated, else the hidden width over the heads.
pub(crate) fn head_width<V: Quantity>(l: &Layer<V>) -> V {
    if l.cases.head_width {
        l.n.head_width
    } else {
        (l.n.hidden / l.n.heads).because("no head width is stated: it follows from the heads").named(&HEAD_WIDTH)
    }
}

fn attention<V: Quantity>(l: &Layer<V>) -> V {
    if l.cases.latent { latent_attention(l).named(&LATENT_ATTENTION) } else { full_attention(l).named(&ATTENTION) }
}

fn full_attention<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    let query_width = n.heads * head_width(l);
    let kv_width = n.kv_heads * head_width(l);
    let (query_bias, kv_bias) = match l.cases.qkv_bias {
        None => {
            let unstated = n.hidden.because("nothing states whether queries, keys and values have biases");
            (unstated, unstated)
        }
        Some(false) => {
            let none = l.literal(0.0).because("queries, keys and values have no biases");
            (none, none)
        }
        Some(true) => {
            let own = "queries, keys and values have biases";
            ((n.query_projections * query_width).because(own), kv_width.because(own))
        }
    };
    let output_bias = match l.cases.output_bias {
        None => n.hidden.because("nothing states whether the output projection has a bias"),
        Some(true) => n.hidden.because("the output projection has a bias"),
        Some(false) => l.literal(0.0).because("the output projection has no bias"),
    };
    let (query_bias, kv_bias) = (query_bias.named(&QUERY_BIAS), kv_bias.named(&KV_BIAS));
    let query = n.attention_matmul * 0.25 * (n.query_projections * n.hidden * query_width + query_bias);
    let output = n.attention_matmul * 0.25 * (n.hidden * query_width + output_bias.named(&OUTPUT_BIAS));
    let key_value = n.attention_matmul * 0.5 * (n.hidden * n.kv_heads * head_width(l) + kv_bias);
    query + output + key_value + n.extra_attention
}

fn latent_attention<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    let query_width = n.heads * (n.nope_width + n.rotary);
    let query = if l.cases.query_latent {
        (n.hidden * n.query_latent + n.query_latent + n.query_latent * query_width).because("queries have a latent")
    } else {
        (n.hidden * query_width).because("queries have no latent")
    };
    let key_value =
        n.hidden * (n.kv_latent + n.rotary) + n.kv_latent + n.kv_latent * n.kv_heads * (n.nope_width + n.head_width);
    let output = n.heads * n.head_width * n.hidden;
    n.attention_matmul * 0.25 * (query + key_value + output)
}

/// Biases of a feed-forward of a width. Where nothing is stated each matmul counts one of that width.
fn feed_forward_bias<V: Quantity>(l: &Layer<V>, width: V) -> V {
    let bias = match l.cases.feed_forward_bias {
        None => (l.n.feed_forward_matmul * width).because("nothing states whether the feed-forward has biases"),
        Some(false) => l.literal(0.0).because("the feed-forward has no biases"),
        Some(true) => ((l.n.feed_forward_matmul - 1.0) * width + l.n.hidden).because("the feed-forward has biases"),
    };
    bias.named(&FEED_FORWARD_BIAS)
}

fn one_feed_forward<V: Quantity>(l: &Layer<V>, width: V) -> V {
    l.n.feed_forward_matmul * width * l.n.hidden + feed_forward_bias(l, width)
}

fn feed_forward<V: Quantity>(l: &Layer<V>) -> V {
    ((l.n.shared_experts + 1.0) * one_feed_forward(l, l.n.feed_forward)).named(&FEED_FORWARD)
}

fn routed<V: Quantity>(l: &Layer<V>) -> V {
    let width = l.n.expert_feed_forward / l.n.expert_width_shard;
    (l.n.experts * one_feed_forward(l, width)).named(&ROUTED)
}

/// Expert tensor parallelism does not divide shared experts.
fn shared<V: Quantity>(l: &Layer<V>) -> V {
    let experts = l.n.shared_experts * one_feed_forward(l, l.n.expert_feed_forward);
    let gated =
        if l.cases.shared_gate { (experts + l.n.hidden).because("shared experts have a gate") } else { experts };
    gated.named(&SHARED)
}

fn norms<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    if l.cases.own_norms {
        let vectors = n.norm * 2.0 * n.hidden + n.attention_matmul * 0.5 * n.head_width;
        return vectors.because("by policy, from the op counts").named(&NORMS);
    }
    let vectors = if l.cases.layer_norms {
        let vectors = if l.cases.norm_bias { 2.0 } else { 1.0 };
        (n.layer_norms * vectors).because(if l.cases.norm_bias { "norms have biases" } else { "norms have no biases" })
    } else {
        (n.norm * 2.0).because("nothing states the norms: they are counted from the ops, each with a bias")
    };
    (vectors * n.hidden + n.qk_norms * 2.0 * head_width(l)).named(&NORMS)
}

/// The embedding table.
pub(crate) fn embedding<V: Quantity>(l: &Layer<V>) -> V {
    (l.n.hidden * l.n.vocabulary).named(&EMBEDDING)
}

/// The output table; the reference always counts a bias.
pub(crate) fn output<V: Quantity>(l: &Layer<V>) -> V {
    (l.n.hidden * l.n.vocabulary + l.n.vocabulary).named(&OUTPUT)
}

/// What one MTP head has besides tables and its layer: a projection and norms.
pub(crate) fn mtp_head<V: Quantity>(l: &Layer<V>) -> V {
    (l.n.hidden * 2.0 * l.n.hidden + l.n.hidden * 4.0).named(&MTP_HEAD)
}
