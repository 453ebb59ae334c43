//! A dense feed-forward, or the shared experts of a mixture (ledger 4).

use super::{Held, Layer, Made};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

/// What a dense feed-forward keeps, beside its input.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory::ledger) struct Kept {
    gate: Tensor,
    up: Tensor,
    silu: Tensor,
    product: Tensor,
}

impl Kept {
    pub(super) const NONE: Self =
        Self { gate: Tensor::NONE, up: Tensor::NONE, silu: Tensor::NONE, product: Tensor::NONE };
}

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Dense,
    Shared,
}

/// Names, widths and weights of a block.
struct Parts {
    owner: Slot,
    width: Dim,
    gate: (Made, Dim),
    up: (Made, Dim),
    down: (Made, Dim),
}

impl<O: Observer> Layer<'_, O> {
    fn parts(&self, block: Block) -> Parts {
        let (widths, weights) = (self.widths, &self.widths.weights);
        match block {
            Block::Dense => Parts {
                owner: Slot::FeedForward,
                width: widths.feed_forward_width,
                gate: (Made::Gate, weights.gate),
                up: (Made::Up, weights.up),
                down: (Made::Down, weights.down),
            },
            Block::Shared => Parts {
                owner: Slot::SharedExperts,
                width: widths.shared_width,
                gate: (Made::SharedGate, weights.shared_gate),
                up: (Made::SharedUp, weights.shared_up),
                down: (Made::SharedDown, weights.shared_down),
            },
        }
    }

    /// From what gate and up read to the block's output. Made again, it stops before the down product, which gives none.
    pub(super) fn dense(&mut self, block: Block, inputs: [Held; 2]) -> (Held, Kept) {
        let parts = self.parts(block);
        let size = self.whole(parts.width);
        let gate = self.output(parts.gate.0, parts.owner, "gate-output", size, true);
        if self.rules.fused_swiglu {
            let up = self.output(parts.up.0, parts.owner, "up-output", size, true);
            let product = self.keep(parts.owner, "swiglu-product", size);
            self.let_go(gate);
            self.let_go(up);
            let kept = Kept { gate: Self::found(gate), up: Self::found(up), ..Kept::NONE };
            // The one function has read its inputs, and hands its only output on.
            self.inputs_die(inputs);
            self.let_go(product);
            return self.down(&parts, product, kept);
        }
        let silu = self.keep(parts.owner, "silu-output", size);
        self.let_go(gate);
        let up = self.output(parts.up.0, parts.owner, "up-output", size, true);
        let product = self.keep(parts.owner, "swiglu-product", size);
        self.let_go(silu);
        self.let_go(up);
        let kept = Kept { gate: Self::found(gate), up: Self::found(up), silu: Self::found(silu), ..Kept::NONE };
        let output = self.down(&parts, product, kept);
        self.let_go(product);
        self.inputs_die(inputs);
        output
    }

    fn inputs_die(&mut self, inputs: [Held; 2]) {
        for input in inputs {
            self.let_go(input);
        }
    }

    fn down(&mut self, parts: &Parts, product: Held, kept: Kept) -> (Held, Kept) {
        let kept = Kept { product: Self::found(product), ..kept };
        if self.pass == super::Pass::Again {
            return (Held::NONE, kept);
        }
        let partial = self.output(parts.down.0, parts.owner, "down-output", self.whole(self.widths.hidden), false);
        (self.row_output(partial, Made::DownScattered, parts.owner), kept)
    }

    /// From the gradient of the block's output, which dies where it was gathered, to that of what gate and up read.
    pub(super) fn dense_backward(&mut self, block: Block, kept: Kept, gathered: Tensor, others: Tensor) -> Tensor {
        let parts = self.parts(block);
        let size = self.whole(parts.width);
        let product = self.row_backward(parts.down.1, size, gathered);
        self.bench.dies(kept.product);
        let (gate, up) = self.swiglu_backward(size, kept, product, parts.up.1, others);
        self.column_backward(parts.gate.1, gate, up)
    }

    /// Product, up, silu: gives the gradient of the gate's output and the sum of those of the input so far.
    fn swiglu_backward(
        &mut self,
        size: Size,
        kept: Kept,
        product: Tensor,
        up_weight: Dim,
        others: Tensor,
    ) -> (Tensor, Tensor) {
        let first = self.gradient("product-gradient", size);
        let second = self.gradient("product-gradient", size);
        self.bench.dies(product);
        if self.rules.fused_swiglu {
            self.bench.all_die(&[kept.gate, kept.up]);
            let input = self.column_backward(up_weight, second, others);
            return (first, input);
        }
        self.bench.all_die(&[kept.silu, kept.up]);
        let input = self.column_backward(up_weight, second, others);
        let gate = self.gradient("silu-gradient", size);
        self.bench.all_die(&[first, kept.gate]);
        (gate, input)
    }
}
