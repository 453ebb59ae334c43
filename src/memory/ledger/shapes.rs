//! From a model's tensors to the widths of a layer on a rank (ledger 1, 2).

use super::live::Dim;
use super::units::Unit;
use super::widths::{AttentionKind, FeedForwardKind, RouterKind, Weights, Widths};
use crate::config::Config;
use crate::model::tensors::{FeedForward, LayerRun, Mixer, Role};
use crate::model::{Dimension, ModelSpec};

/// What all layers of a run share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) model: &'a ModelSpec,
    pub(super) config: &'a Config,
    /// Copies a token.
    pub(super) chosen: f64,
}

/// Share of a head that GLM rotates.
const GLM_ROTATES: f64 = 0.5;

impl Run<'_> {
    fn count(&self, field: Dimension) -> f64 {
        self.model.count(field) as f64
    }

    fn degree(value: i64) -> f64 {
        value.max(1) as f64
    }

    pub(super) fn tensor_parallel(&self) -> f64 {
        Self::degree(self.config.primary().tensor_parallel)
    }

    pub(super) fn sequence_parallel(&self) -> bool {
        self.config.primary().sequence_parallel && self.tensor_parallel() > 1.0
    }

    fn context_parallel(&self) -> f64 {
        Self::degree(self.config.primary().context_parallel)
    }

    /// T: tokens of a micro-batch on the rank.
    pub(super) fn tokens(&self) -> f64 {
        let primary = self.config.primary();
        Self::degree(primary.micro_batch) * self.sequence()
    }

    /// Tokens of a sequence on the rank.
    pub(super) fn sequence(&self) -> f64 {
        self.config.primary().sequence.max(0) as f64 / self.context_parallel()
    }

    /// Whether the class rotates only a part of each head.
    fn rotates_a_part(&self) -> bool {
        self.model.name.value.starts_with("glm")
    }

    /// Width of what is rotated in a head.
    pub(super) fn rotary_width(&self) -> f64 {
        let rope = self.count(Dimension::RotaryWidth);
        if self.config.primary().kv_latent > 0 && rope > 0.0 {
            return rope;
        }
        let head = self.config.primary().head_width;
        if self.rotates_a_part() { head * GLM_ROTATES } else { head }
    }

    /// Bytes of a routing weight: Qwen's router casts back.
    fn routing_bytes(&self) -> f64 {
        if self.model.name.value.starts_with("qwen") { 2.0 } else { 4.0 }
    }

    /// Widths of a layer.
    pub(super) fn widths(&self, layer: &LayerRun, unit: &Unit, inner: Option<&Unit>) -> Widths {
        let shapes = Shapes { layer };
        let tensor = self.tensor_parallel();
        let tokens = self.tokens();
        let shard = if self.sequence_parallel() { tokens / tensor } else { tokens };
        let primary = self.config.primary();
        let hidden = primary.hidden.max(0) as f64;
        let latent = layer.mixer == Mixer::Latent;
        let heads = self.count(Dimension::Heads).max(1.0) / tensor;
        let query = shapes.columns(Role::Output) / tensor;
        let key = shapes.key_rows().min(query * tensor) / tensor;
        let kv_heads = if key > 0.0 { (heads * key / query.max(1.0)).max(1.0) } else { 0.0 };
        let experts = shapes.rows(Role::Router);
        // A dense feed-forward beside experts runs as shared experts do.
        let is_beside = layer.feed_forward == FeedForward::DenseAndExperts;
        let beside = if is_beside { shapes.rows(Role::Up) } else { 0.0 };
        let expert_width = shapes.expert_width();
        let rope = self.count(Dimension::RotaryWidth);
        let up_rows = shapes.rows(Role::QueryUp) / tensor;
        let kv_latent = shapes.rows(Role::KvDownNorm);
        let kv_rows = shapes.rows(Role::KvUp) / tensor;
        let value_width = shapes.columns(Role::Output) / tensor;
        Widths {
            attention: match layer.mixer {
                Mixer::None => AttentionKind::None,
                Mixer::Latent => AttentionKind::Latent,
                _ => AttentionKind::Heads,
            },
            feed_forward: match layer.feed_forward {
                FeedForward::Dense => FeedForwardKind::Dense,
                FeedForward::Experts | FeedForward::DenseAndExperts => FeedForwardKind::Experts,
                FeedForward::None => FeedForwardKind::None,
            },
            router: if shapes.has(Role::CorrectionBias) || shapes.has(Role::CorrectionBuffer) {
                RouterKind::Sigmoid
            } else {
                RouterKind::Softmax
            },
            tokens: Dim::new("T", tokens),
            shard: Dim::new("Ts", shard),
            hidden: Dim::new("h", hidden),
            query: Dim::new("q", query),
            key: Dim::new("v", key),
            heads: Dim::new("a", heads),
            kv_heads: Dim::new("k", kv_heads),
            qk_norm: shapes.has(Role::QueryNorm),
            part_rotary: self.rotates_a_part() && !latent,
            feed_forward_width: Dim::new("f", shapes.rows(Role::Up) / tensor),
            experts: Dim::new("E", experts),
            chosen: Dim::new("κ", self.chosen),
            copies: Dim::new("κh", self.chosen * hidden),
            copies_width: Dim::new("κm", self.chosen * expert_width),
            shared_width: Dim::new("f_shared", (shapes.rows(Role::SharedUp) + beside) / tensor),
            routing_bytes: self.routing_bytes(),
            query_latent: Dim::new("ql", shapes.rows(Role::QueryDownNorm)),
            kv_latent: Dim::new("kvl", kv_latent),
            kv_down: Dim::new("kvl+rope", shapes.rows(Role::KvDown)),
            rope: Dim::new("rope", rope),
            heads_rope: Dim::new("a·rope", heads * rope),
            heads_nope: Dim::new("a·nope", (up_rows - heads * rope).max(0.0)),
            latent_query: Dim::new("w", up_rows),
            latent_kv: Dim::new("z", kv_rows),
            latent_value: Dim::new("a·v", value_width),
            weights: weights(unit, inner, is_beside),
            expert_parallel: Self::degree(primary.expert_parallel),
            whole_tokens: Dim::new("T·cp", tokens * self.context_parallel()),
        }
    }
}

/// Shapes of a layer's tensors by role.
struct Shapes<'a> {
    layer: &'a LayerRun,
}

impl Shapes<'_> {
    fn shape(&self, role: Role) -> Option<&[u64]> {
        self.layer.tensors.iter().find(|tensor| tensor.role == role).map(crate::model::tensors::Tensor::shape)
    }

    fn has(&self, role: Role) -> bool {
        self.shape(role).is_some()
    }

    fn rows(&self, role: Role) -> f64 {
        self.shape(role).map_or(0.0, |shape| shape[0] as f64)
    }

    fn columns(&self, role: Role) -> f64 {
        self.shape(role).and_then(|shape| shape.get(1)).map_or(0.0, |columns| *columns as f64)
    }

    /// Rows of the keys; of other token mixers, as wide as what they mix.
    fn key_rows(&self) -> f64 {
        if self.has(Role::Key) { self.rows(Role::Key) } else { self.columns(Role::Output) }
    }

    /// m: width of an expert.
    fn expert_width(&self) -> f64 {
        let shape = self.shape(Role::ExpertsDown);
        shape.and_then(|shape| shape.get(2)).map_or(0.0, |width| *width as f64)
    }
}

/// Weights by their operators.
fn weights(unit: &Unit, inner: Option<&Unit>, dense_beside: bool) -> Weights {
    let of = |roles: &[Role]| {
        let all = unit.parts.iter().chain(inner.into_iter().flat_map(|inner| &inner.parts));
        all.filter(|part| roles.contains(&part.role)).map(|part| part.elements).sum::<f64>()
    };
    let dim = |symbol, roles: &[Role]| Dim::new(symbol, of(roles));
    let shared = |symbol, own: Role, beside: [Role; 2]| {
        Dim::new(symbol, of(&[own]) + if dense_beside { of(&beside) } else { 0.0 })
    };
    Weights {
        all: unit.elements + inner.map_or(0.0, |inner| inner.elements),
        query: dim("W_q", &[Role::Query, Role::QueryBias]),
        key: dim("W_k", &[Role::Key, Role::KeyBias]),
        value: dim("W_v", &[Role::Value, Role::ValueBias]),
        output: dim("W_o", &[Role::Output, Role::OutputBias]),
        query_norm: dim("d", &[Role::QueryNorm]),
        key_norm: dim("d", &[Role::KeyNorm]),
        query_down: dim("W_qa", &[Role::QueryDown, Role::QueryDownBias]),
        query_down_norm: dim("ql", &[Role::QueryDownNorm]),
        query_up: dim("W_qb", &[Role::QueryUp]),
        kv_down: dim("W_kva", &[Role::KvDown, Role::KvDownBias]),
        kv_down_norm: dim("kvl", &[Role::KvDownNorm]),
        kv_up: dim("W_kvb", &[Role::KvUp]),
        gate: dim("W_gate", &[Role::Gate, Role::GateBias]),
        up: dim("W_up", &[Role::Up, Role::UpBias]),
        down: dim("W_down", &[Role::Down, Role::DownBias]),
        router: dim("E·h", &[Role::Router, Role::RouterBias]),
        experts_up: dim("E·2m·h", &[Role::ExpertsUp, Role::ExpertsUpBias]),
        experts_down: dim("E·m·h", &[Role::ExpertsDown, Role::ExpertsDownBias]),
        shared_gate: shared("W_gate", Role::SharedGate, [Role::Gate, Role::GateBias]),
        shared_up: shared("W_up", Role::SharedUp, [Role::Up, Role::UpBias]),
        shared_down: shared("W_down", Role::SharedDown, [Role::Down, Role::DownBias]),
        norm: Dim::new("h", of(&[Role::LayerNorm, Role::LayerNormBias]) / 2.0),
    }
}
