//! One layer's forward (ledger 4, rule L6).

use super::dense::Block;
use super::norm::Shape;
use super::{Held, Layer, Pass, Recompute};
use crate::memory::ledger::live::{Observer, Tensor};
use crate::memory::ledger::slots::Slot;
use crate::memory::ledger::widths::{AttentionKind, FeedForwardKind};

impl<O: Observer> Layer<'_, O> {
    pub(super) const fn norm_shape(&self) -> Shape {
        Shape {
            width: self.widths.hidden,
            means: super::Dim::ONE,
            tokens: self.widths.shard,
            weight: self.widths.weights.norm,
        }
    }

    /// The layer's forward, from its input to its output. Its input lives on where something keeps it, else until the
    /// layer is done.
    pub(super) fn forward(&mut self, input: Tensor) -> Tensor {
        let input = if self.keeps_input() {
            let slot = if self.recompute == Recompute::Nothing { Slot::Norm } else { Slot::RecomputeInputs };
            Held { tensor: self.bench.rebook(input, slot), stays: true }
        } else {
            Held { tensor: input, stays: false }
        };
        self.saved.input = Self::found(input);
        let output = self.body();
        self.let_go(input);
        output.tensor
    }

    /// Whether anything but the layer itself holds its input.
    pub(super) fn keeps_input(&self) -> bool {
        self.recompute != Recompute::Nothing || self.rules.fused_norm
    }

    /// The forward again, up to the last tensor that backward needs.
    pub(super) fn again(&mut self) {
        self.pass = Pass::Again;
        self.body();
    }

    /// Norms, attention, feed-forward and residual sums. Made again, it gives no output.
    fn body(&mut self) -> Held {
        let middle = self.attention_half();
        self.feed_forward_half(middle)
    }

    fn attention_half(&mut self) -> Held {
        if self.widths.attention == AttentionKind::None {
            return Held::NONE;
        }
        let kept_shard = self.shard_is_kept();
        let (shard, norm) = self.norm(Slot::Norm, self.norm_shape(), kept_shard);
        self.saved.norm1 = norm;
        let output = match self.widths.attention {
            AttentionKind::Latent => self.latent(shard),
            AttentionKind::Heads | AttentionKind::None => self.attention(shard),
        };
        let middle = self.make(Slot::Norm, "residual-sum", self.sharded(self.widths.hidden), self.rules.fused_norm);
        self.let_go(output);
        self.saved.middle = Self::found(middle);
        middle
    }

    fn feed_forward_half(&mut self, middle: Held) -> Held {
        if self.widths.feed_forward == FeedForwardKind::None {
            return self.without_feed_forward(middle);
        }
        let experts = self.widths.feed_forward == FeedForwardKind::Experts;
        let kept_shard = experts || self.shard_is_kept();
        let (shard, norm) = self.norm(Slot::Norm, self.norm_shape(), kept_shard);
        self.saved.norm2 = norm;
        let output = match self.widths.feed_forward {
            FeedForwardKind::Experts => self.expert_block(shard),
            FeedForwardKind::Dense | FeedForwardKind::None => self.dense_block(shard),
        };
        if self.pass == Pass::Again {
            self.let_go(middle);
            return Held::NONE;
        }
        let sum = self.passing("layer-output", self.sharded(self.widths.hidden));
        self.let_go(output);
        self.let_go(middle);
        sum
    }

    /// The sum behind the attention is the layer's output.
    fn without_feed_forward(&mut self, middle: Held) -> Held {
        if self.pass == Pass::Again {
            self.let_go(middle);
            return Held::NONE;
        }
        let output = self.passing("layer-output", self.sharded(self.widths.hidden));
        self.let_go(middle);
        output
    }

    fn dense_block(&mut self, shard: Held) -> Held {
        let (input, beside) = self.column_input(Slot::FeedForward, shard);
        self.saved.feed_forward_input = Self::found(input);
        if beside.stays {
            self.saved.feed_forward_input = beside.tensor;
        }
        let (output, kept) = self.dense(Block::Dense, [input, beside]);
        self.saved.dense = kept;
        output
    }

    fn expert_block(&mut self, shard: Held) -> Held {
        self.saved.feed_forward_input = Self::found(shard);
        let has_shared = self.widths.shared_width.value > 0.0;
        let (routed, kept, router) = self.experts(!has_shared);
        self.saved.experts = kept;
        self.saved.router = router;
        let output = if has_shared {
            let (shared, kept) = self.dense(Block::Shared, [Held::NONE; 2]);
            self.saved.dense = kept;
            if self.pass == Pass::Again {
                self.let_go(routed);
                Held::NONE
            } else {
                let sum = self.passing("experts-and-shared", self.sharded(self.widths.hidden));
                self.let_go(shared);
                self.let_go(routed);
                sum
            }
        } else {
            routed
        };
        self.let_go(shard);
        output
    }
}
