//! What the operators of one layer are made of: widths on the rank, sizes of its weights, tokens.

use super::live::Dim;

/// How a layer attends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttentionKind {
    /// Queries, keys and values of heads (ledger 4).
    Heads,
    /// Multi-head latent attention.
    Latent,
    /// None.
    None,
}

/// How a layer feeds forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedForwardKind {
    /// Dense.
    Dense,
    /// Routed experts, and shared ones where they have a width.
    Experts,
    /// None.
    None,
}

/// How the router chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouterKind {
    /// Softmax over all experts (Mixtral, Qwen).
    Softmax,
    /// Sigmoid scores with a correction bias and groups (DeepSeek-V3, GLM).
    Sigmoid,
}

/// Sizes of the weights on the rank, elements, each with its bias.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weights {
    /// Of the whole layer.
    pub(super) all: f64,
    pub query: Dim,
    pub key: Dim,
    pub value: Dim,
    pub output: Dim,
    pub query_norm: Dim,
    pub key_norm: Dim,
    pub query_down: Dim,
    pub query_down_norm: Dim,
    pub query_up: Dim,
    pub kv_down: Dim,
    pub kv_down_norm: Dim,
    pub kv_up: Dim,
    pub gate: Dim,
    pub up: Dim,
    pub down: Dim,
    pub router: Dim,
    pub experts_up: Dim,
    pub experts_down: Dim,
    pub shared_gate: Dim,
    pub shared_up: Dim,
    pub shared_down: Dim,
    pub norm: Dim,
}

/// One kind of layer on a rank: everything its operators' tensors follow from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Widths {
    /// How it attends.
    pub attention: AttentionKind,
    /// How it feeds forward.
    pub feed_forward: FeedForwardKind,
    /// How its router chooses.
    pub router: RouterKind,
    /// T: tokens on the rank.
    pub tokens: Dim,
    /// Ts: tokens of a rank between the tensor-parallel regions.
    pub shard: Dim,
    /// h: hidden width.
    pub hidden: Dim,
    /// q: all query heads of the rank.
    pub query: Dim,
    /// v: all key heads of the rank.
    pub key: Dim,
    /// a: query heads of the rank.
    pub heads: Dim,
    /// k: key/value heads of the rank.
    pub kv_heads: Dim,
    /// Whether queries and keys are normalised.
    pub qk_norm: bool,
    /// Whether only a part of each head is rotated.
    pub part_rotary: bool,
    /// f/t: feed-forward width of the rank.
    pub feed_forward_width: Dim,
    /// E: experts.
    pub experts: Dim,
    /// κ: copies a token.
    pub chosen: Dim,
    /// κh.
    pub copies: Dim,
    /// κm.
    pub copies_width: Dim,
    /// Shared experts' width on the rank; 0 none.
    pub shared_width: Dim,
    /// ω: bytes of a routing weight.
    pub routing_bytes: f64,
    /// ql: latent width of queries; 0 where queries come from the residual stream.
    pub query_latent: Dim,
    /// kvl: latent width of keys and values.
    pub kv_latent: Dim,
    /// kvl + rope.
    pub kv_down: Dim,
    /// rope.
    pub rope: Dim,
    /// a·rope.
    pub heads_rope: Dim,
    /// a·nope.
    pub heads_nope: Dim,
    /// w = a·(nope + rope).
    pub latent_query: Dim,
    /// z = a·(nope + v).
    pub latent_kv: Dim,
    /// a·v.
    pub latent_value: Dim,
    /// Its weights.
    pub weights: Weights,
    /// Expert-parallel degree.
    pub expert_parallel: f64,
    /// The whole sequence of a rank's group: T·cp.
    pub whole_tokens: Dim,
}
