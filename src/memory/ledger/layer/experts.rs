//! Routed experts on grouped matmuls, dropless and balanced, with or without expert parallelism (ledger 4, 5b).

use super::{Held, Layer, Made, Pass};
use crate::memory::ledger::live::{Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

/// What routed experts keep, beside the router's tensors and the block's input.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory::ledger) struct Kept {
    order: Tensor,
    source: Tensor,
    copies: Tensor,
    /// Expert parallelism: the index of expert order.
    expert_order: Tensor,
    joined: Tensor,
    silu: Tensor,
    product: Tensor,
    output: Tensor,
    inverse: Tensor,
}

impl Kept {
    pub(super) const NONE: Self = Self {
        order: Tensor::NONE,
        source: Tensor::NONE,
        copies: Tensor::NONE,
        expert_order: Tensor::NONE,
        joined: Tensor::NONE,
        silu: Tensor::NONE,
        product: Tensor::NONE,
        output: Tensor::NONE,
        inverse: Tensor::NONE,
    };
}

impl<O: Observer> Layer<'_, O> {
    fn copies(&self, bytes: f64) -> Size {
        self.shard_of(bytes, self.widths.copies)
    }

    fn copies_width(&self, bytes: f64) -> Size {
        self.shard_of(bytes, self.widths.copies_width)
    }

    /// The routed experts, with their router. Made again without shared experts, they stop at the index that restores
    /// the order, and give no output.
    pub(super) fn experts(&mut self, stops: bool) -> (Held, Kept, super::router::Kept) {
        let (routed, router) = self.route();
        let chosen = self.widths.chosen;
        let order = self.keep(Slot::Experts, "copies-order", self.shard_of(8.0, chosen));
        let source = self.keep(Slot::Experts, "copies-source", self.shard_of(8.0, chosen));
        let sorted = self.passing("sorted-expert-ids", self.shard_of(8.0, chosen));
        let parallel = self.rules.expert_parallel;
        let copies = self.make(Slot::Experts, "copies", self.copies(2.0), !parallel);
        let (output, mut kept) = if parallel { self.dispatched() } else { self.grouped() };
        if !parallel {
            kept.copies = Self::found(copies);
        }
        kept.order = Self::found(order);
        kept.source = Self::found(source);
        let weighted = self.passing("weighted-output", self.copies(self.widths.routing_bytes));
        self.let_go(routed.weights);
        let inverse = self.keep(Slot::Experts, "inverse-index", self.shard_of(8.0, chosen));
        kept.inverse = Self::found(inverse);
        kept.output = Self::found(output);
        let combined = if self.pass == Pass::Again && stops {
            self.let_go(weighted);
            Held::NONE
        } else {
            self.combined(weighted)
        };
        for held in [copies, order, source, sorted, inverse, output, routed.logits] {
            self.let_go(held);
        }
        (combined, kept, router)
    }

    fn combined(&mut self, weighted: Held) -> Held {
        let bytes = self.widths.routing_bytes;
        let restored = self.passing("restored-output", self.copies(bytes));
        self.let_go(weighted);
        let sum = self.passing("copies-sum", self.shard_of(bytes, self.widths.hidden));
        self.let_go(restored);
        if bytes == 2.0 {
            return sum;
        }
        let cast = self.passing("experts-output", self.sharded(self.widths.hidden));
        self.let_go(sum);
        cast
    }

    /// The experts' own matmuls on gathered copies.
    fn grouped(&mut self) -> (Held, Kept) {
        let joined = self.output(Made::ExpertsUp, Slot::Experts, "experts-up-output", self.copies_width(4.0), true);
        let silu = self.keep(Slot::Experts, "experts-silu", self.copies_width(2.0));
        let product = self.keep(Slot::Experts, "experts-product", self.copies_width(2.0));
        self.let_go(silu);
        self.let_go(joined);
        let output = self.output(Made::ExpertsDown, Slot::Experts, "experts-down-output", self.copies(2.0), true);
        self.let_go(product);
        let kept =
            Kept { joined: Self::found(joined), silu: Self::found(silu), product: Self::found(product), ..Kept::NONE };
        (output, kept)
    }

    /// The same on the experts of other ranks: copies go there and come back.
    fn dispatched(&mut self) -> (Held, Kept) {
        self.cut();
        let received = self.passing("received-copies", self.copies(2.0));
        let index = self.keep(Slot::Experts, "expert-order", self.shard_of(8.0, self.widths.chosen));
        let ordered = self.keep(Slot::Experts, "expert-order-copies", self.copies(2.0));
        self.let_go(received);
        let joined = self.output(Made::ExpertsUp, Slot::Experts, "experts-up-output", self.copies_width(4.0), true);
        let silu = self.keep(Slot::Experts, "experts-silu", self.copies_width(2.0));
        let product = self.keep(Slot::Experts, "experts-product", self.copies_width(2.0));
        self.let_go(silu);
        let down = self.output(Made::ExpertsDown, Slot::Experts, "experts-down-output", self.copies(2.0), false);
        let back = self.passing("source-order-copies", self.copies(2.0));
        let returned = self.keep(Slot::Experts, "returned-copies", self.copies(2.0));
        for held in [index, ordered, joined, product, down, back] {
            self.let_go(held);
        }
        self.cut();
        let kept = Kept {
            expert_order: Self::found(index),
            copies: Self::found(ordered),
            joined: Self::found(joined),
            silu: Self::found(silu),
            product: Self::found(product),
            ..Kept::NONE
        };
        (returned, kept)
    }

    /// The gradient of every copy of the output: needs nothing that is kept.
    pub(super) fn combine_backward(&mut self) -> Tensor {
        let bytes = self.widths.routing_bytes;
        let cast = if bytes == 4.0 {
            self.gradient("fp32-gradient", self.shard_of(4.0, self.widths.hidden))
        } else {
            Tensor::NONE
        };
        let copies = self.gradient("copies-gradient", self.copies(bytes));
        self.bench.dies(cast);
        copies
    }

    /// From that gradient to the one of the experts' input, with the router's.
    pub(super) fn experts_backward(
        &mut self,
        kept: Kept,
        router: super::router::Kept,
        copies: Tensor,
        others: Tensor,
    ) -> Tensor {
        let bytes = self.widths.routing_bytes;
        let zeros = self.gradient("order-zeros", self.copies(bytes));
        // Made again, nobody but the product holds it.
        let recomputed = kept.inverse.slot == Slot::Recomputed;
        if recomputed {
            self.bench.dies(kept.inverse);
        }
        let restored = self.gradient("order-gradient", self.copies(bytes));
        if !recomputed {
            self.bench.dies(kept.inverse);
        }
        self.bench.all_die(&[zeros, copies]);
        let (output, weights) = self.weighting_backward(kept, router.weights, restored);
        let input = if self.rules.expert_parallel {
            self.dispatched_backward(kept, output)
        } else {
            self.grouped_backward(kept, output)
        };
        let zeros = self.gradient("copies-zeros", self.sharded(self.widths.hidden));
        let summed = self.gradient("copies-sum-gradient", self.sharded(self.widths.hidden));
        self.bench.all_die(&[zeros, input, kept.order, kept.source]);
        let input = self.sum(others, summed);
        self.route_backward(router, weights, input)
    }

    /// Weighting: gradients of the experts' output (bf16) and of the routing weights.
    fn weighting_backward(&mut self, kept: Kept, weights: Tensor, incoming: Tensor) -> (Tensor, Tensor) {
        let bytes = self.widths.routing_bytes;
        let output = self.gradient("weighting-gradient", self.copies(bytes));
        let product = self.gradient("weighting-product", self.copies(bytes));
        let recomputed = kept.output.slot == Slot::Recomputed;
        if recomputed {
            self.bench.dies(kept.output);
        }
        // The engine casts while the product and all it read are still alive.
        let cast = if bytes == 4.0 { self.gradient("output-gradient", self.copies(2.0)) } else { Tensor::NONE };
        let of_weights = self.gradient("routing-weights-gradient", self.shard_of(bytes, self.widths.chosen));
        self.bench.all_die(&[product, incoming, weights]);
        if !recomputed {
            self.bench.dies(kept.output);
        }
        if bytes == 4.0 {
            self.bench.dies(output);
            return (cast, of_weights);
        }
        (output, of_weights)
    }

    fn grouped_backward(&mut self, kept: Kept, incoming: Tensor) -> Tensor {
        let weights = self.widths.weights;
        let down = self.weight_gradient(weights.experts_down);
        let product = self.gradient("product-input-gradient", self.copies_width(2.0));
        self.bench.all_die(&[incoming, kept.product]);
        self.weight_done(down, weights.experts_down);
        let joined = self.experts_swiglu_backward(kept, product);
        let up = self.weight_gradient(weights.experts_up);
        let input = self.gradient("copies-input-gradient", self.copies(2.0));
        self.bench.all_die(&[joined, kept.copies]);
        self.weight_done(up, weights.experts_up);
        input
    }

    fn experts_swiglu_backward(&mut self, kept: Kept, product: Tensor) -> Tensor {
        let first = self.gradient("experts-product-gradient", self.copies_width(2.0));
        let second = self.gradient("experts-product-gradient", self.copies_width(2.0));
        self.bench.all_die(&[product, kept.silu]);
        let gate = self.gradient("experts-silu-gradient", self.copies_width(2.0));
        self.bench.dies(first);
        let joined = self.gradient("experts-joined-gradient", self.copies_width(4.0));
        self.bench.all_die(&[gate, second, kept.joined]);
        joined
    }

    fn dispatched_backward(&mut self, kept: Kept, incoming: Tensor) -> Tensor {
        self.cut();
        let sent = self.bench.born(Slot::ExpertParallel, "returned-gradient", self.copies(2.0));
        self.bench.dies(incoming);
        let ordered = self.bench.born(Slot::ExpertParallel, "expert-order-gradient", self.copies(2.0));
        self.bench.dies(sent);
        let input = self.grouped_backward(kept, ordered);
        let zeros = self.bench.born(Slot::ExpertParallel, "dispatch-zeros", self.copies(2.0));
        let received = self.bench.born(Slot::ExpertParallel, "dispatch-gradient", self.copies(2.0));
        self.bench.all_die(&[zeros, input, kept.expert_order]);
        let result = self.bench.born(Slot::ExpertParallel, "source-gradient", self.copies(2.0));
        self.bench.dies(received);
        self.cut();
        result
    }
}
