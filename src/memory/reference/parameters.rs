//! Parameters of layers and tables, in elements (memory-core 5).

use super::fields::Layer;
use crate::explain::{Formula, Quantity};

static ATTENTION: Formula = Formula { id: "attention-parameters", reference: "memory-core 5" };
static LATENT_ATTENTION: Formula = Formula { id: "latent-attention-parameters", reference: "memory-core 5" };
static FEED_FORWARD: Formula = Formula { id: "feed-forward-parameters", reference: "memory-core 5" };
static ROUTED: Formula = Formula { id: "routed-expert-parameters", reference: "memory-core 5" };
static SHARED: Formula = Formula { id: "shared-expert-parameters", reference: "memory-core 5" };
static NORMS: Formula = Formula { id: "norm-parameters", reference: "memory-core 5" };

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
        self.attention + self.norms + self.feed_forward + self.router
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
        Parameters { router: n.hidden * n.experts, routed: routed(l), shared: shared(l), ..dense }
    } else {
        Parameters { feed_forward: feed_forward(l), ..dense }
    }
}

/// The width of a head: stated, else the hidden width over the heads.
pub(crate) fn head_width<V: Quantity>(l: &Layer<V>) -> V {
    if l.cases.head_width {
        l.n.head_width.because("the head width is stated")
    } else {
        (l.n.hidden / l.n.heads).because("the head width follows from the heads")
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
        None => (n.hidden, n.hidden),
        Some(false) => (l.literal(0.0), l.literal(0.0)),
        Some(true) => (n.query_projections * query_width, kv_width),
    };
    let output_bias = match l.cases.output_bias {
        None | Some(true) => n.hidden,
        Some(false) => l.literal(0.0),
    };
    let query = n.attention_matmul * 0.25 * (n.query_projections * n.hidden * query_width + query_bias);
    let output = n.attention_matmul * 0.25 * (n.hidden * query_width + output_bias);
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
    match l.cases.feed_forward_bias {
        None => l.n.feed_forward_matmul * width,
        Some(false) => l.literal(0.0),
        Some(true) => (l.n.feed_forward_matmul - 1.0) * width + l.n.hidden,
    }
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
    let gated = if l.cases.shared_gate { experts + l.n.hidden } else { experts };
    gated.named(&SHARED)
}

fn norms<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    if l.cases.own_norms {
        let vectors = n.norm * 2.0 * n.hidden + n.attention_matmul * 0.5 * n.head_width;
        return vectors.because("by policy, from the op counts").named(&NORMS);
    }
    let vectors = if l.cases.layer_norms {
        (n.layer_norms * if l.cases.norm_bias { 2.0 } else { 1.0 }).because("the model states its norms")
    } else {
        (n.norm * 2.0).because("norms are counted from the ops, each with a bias")
    };
    (vectors * n.hidden + n.qk_norms * 2.0 * head_width(l)).named(&NORMS)
}

/// The embedding table.
pub(crate) fn embedding<V: Quantity>(l: &Layer<V>) -> V {
    l.n.hidden * l.n.vocabulary
}

/// The output table; the reference always counts a bias.
pub(crate) fn output<V: Quantity>(l: &Layer<V>) -> V {
    l.n.hidden * l.n.vocabulary + l.n.vocabulary
}

/// What one MTP head has besides tables and its layer: a projection and norms.
pub(crate) fn mtp_head<V: Quantity>(l: &Layer<V>) -> V {
    l.n.hidden * 2.0 * l.n.hidden + l.n.hidden * 4.0
}
