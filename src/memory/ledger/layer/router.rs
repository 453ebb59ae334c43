//! Routers: softmax over all experts, or sigmoid scores in groups (ledger 4).

use super::{Held, Layer, Made};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;
use crate::memory::ledger::widths::RouterKind;

/// What a router keeps.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory::ledger) struct Kept {
    /// The fp32 copy of its input.
    input: Tensor,
    /// The fp32 copy of its weight.
    weight: Tensor,
    scores: Tensor,
    index: Tensor,
    value: Tensor,
    sum: Tensor,
    /// The routing weights.
    pub(super) weights: Tensor,
}

impl Kept {
    pub(super) const NONE: Self = Self {
        input: Tensor::NONE,
        weight: Tensor::NONE,
        scores: Tensor::NONE,
        index: Tensor::NONE,
        value: Tensor::NONE,
        sum: Tensor::NONE,
        weights: Tensor::NONE,
    };
}

/// What lives until the block of experts returns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Routed {
    pub(super) logits: Held,
    pub(super) weights: Held,
}

impl<O: Observer> Layer<'_, O> {
    pub(super) const fn shard_of(&self, factor: f64, width: Dim) -> Size {
        Size::new(factor, width, self.widths.shard)
    }

    /// Chooses experts; the index of the chosen and their weights are what comes of it.
    pub(super) fn route(&mut self) -> (Routed, Kept) {
        match self.widths.router {
            RouterKind::Softmax => self.route_by_softmax(),
            RouterKind::Sigmoid => self.route_by_sigmoid(),
        }
    }

    fn route_by_softmax(&mut self) -> (Routed, Kept) {
        let (experts, chosen) = (self.widths.experts, self.widths.chosen);
        let logits = self.output(Made::Router, Slot::Router, "router-logits", self.shard_of(2.0, experts), false);
        let scores = self.keep(Slot::Router, "router-softmax", self.shard_of(4.0, experts));
        let value = self.keep(Slot::Router, "router-top-values", self.shard_of(4.0, chosen));
        let index = self.keep(Slot::Router, "router-top-index", self.shard_of(8.0, chosen));
        let sum = self.keep(Slot::Router, "router-sum", self.shard_of(4.0, Dim::ONE));
        let weights = self.routing_weights();
        for held in [scores, value, index, sum] {
            self.let_go(held);
        }
        let kept = Kept {
            scores: Self::found(scores),
            index: Self::found(index),
            value: Self::found(value),
            sum: Self::found(sum),
            weights: Self::found(weights),
            ..Kept::NONE
        };
        (Routed { logits, weights }, kept)
    }

    fn routing_weights(&mut self) -> Held {
        let size = self.shard_of(self.widths.routing_bytes, self.widths.chosen);
        if self.widths.routing_bytes == 4.0 {
            return self.keep(Slot::Router, "routing-weights", size);
        }
        let normalised = self.passing("routing-weights-fp32", self.shard_of(4.0, self.widths.chosen));
        let weights = self.keep(Slot::Router, "routing-weights", size);
        self.let_go(normalised);
        weights
    }

    fn route_by_sigmoid(&mut self) -> (Routed, Kept) {
        let (experts, chosen) = (self.widths.experts, self.widths.chosen);
        let input = self.keep(Slot::Router, "router-fp32-input", self.shard_of(4.0, self.widths.hidden));
        let whole = Size::new(4.0, self.widths.weights.router, Dim::ONE);
        let weight = self.keep(Slot::Router, "router-fp32-weight", whole);
        let logits = self.output(Made::Router, Slot::Router, "router-logits", self.shard_of(4.0, experts), false);
        self.let_go(input);
        self.let_go(weight);
        let scores = self.keep(Slot::Router, "router-sigmoid", self.shard_of(4.0, experts));
        let biased = self.passing("router-biased-scores", self.shard_of(4.0, experts));
        let groups = self.passing("router-groups", self.shard_of(24.0, Dim::new("groups", 1.0)));
        let masked = self.passing("router-masked-scores", self.shard_of(4.0, experts));
        let value = self.passing("router-top-values", self.shard_of(4.0, chosen));
        let index = self.keep(Slot::Router, "router-top-index", self.shard_of(8.0, chosen));
        self.let_go(value);
        let picked = self.keep(Slot::Router, "router-picked-scores", self.shard_of(4.0, chosen));
        let sum = self.keep(Slot::Router, "router-sum", self.shard_of(4.0, Dim::ONE));
        let normalised = self.passing("routing-weights-normalised", self.shard_of(4.0, chosen));
        let weights = self.keep(Slot::Router, "routing-weights", self.shard_of(4.0, chosen));
        for held in [normalised, scores, biased, groups, masked, index, picked, sum] {
            self.let_go(held);
        }
        let kept = Kept {
            input: Self::found(input),
            weight: Self::found(weight),
            scores: Self::found(scores),
            index: Self::found(index),
            value: Self::found(picked),
            sum: Self::found(sum),
            weights: Self::found(weights),
        };
        (Routed { logits, weights }, kept)
    }

    /// From the gradient of the routing weights to that of the router's input, summed into the copies' one.
    pub(super) fn route_backward(&mut self, kept: Kept, weights: Tensor, others: Tensor) -> Tensor {
        let (experts, chosen) = (self.widths.experts, self.widths.chosen);
        let router = self.widths.weights.router;
        let picked = self.gradient("picked-gradient", self.shard_of(4.0, chosen));
        self.bench.all_die(&[weights, kept.sum, kept.value]);
        let zeros = self.gradient("scores-zeros", self.shard_of(4.0, experts));
        let scores = self.gradient("scores-gradient", self.shard_of(4.0, experts));
        self.bench.all_die(&[zeros, picked, kept.index]);
        let logits = self.gradient("logits-gradient", self.shard_of(4.0, experts));
        self.bench.all_die(&[scores, kept.scores]);
        if self.widths.router == RouterKind::Softmax {
            let cast = self.gradient("logits-bf16-gradient", self.shard_of(2.0, experts));
            self.bench.dies(logits);
            let weight = self.weight_gradient(router);
            let input = self.gradient("router-input-gradient", self.sharded(self.widths.hidden));
            self.bench.dies(cast);
            self.weight_done(weight, router);
            return self.sum(others, input);
        }
        let weight = self.gradient("router-fp32-weight-gradient", Size::new(4.0, router, Dim::ONE));
        let input = self.gradient("router-fp32-input-gradient", self.shard_of(4.0, self.widths.hidden));
        self.bench.all_die(&[logits, kept.input, kept.weight]);
        let cast = self.weight_gradient(router);
        self.bench.dies(weight);
        self.weight_done(cast, router);
        let result = self.gradient("router-input-gradient", self.sharded(self.widths.hidden));
        self.bench.dies(input);
        self.sum(others, result)
    }
}
