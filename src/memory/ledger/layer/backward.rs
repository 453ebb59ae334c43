//! One layer's backward, with the recomputation where it begins (ledger 4, rules L1-L5).

use super::dense::Block;
use super::{Layer, Recompute};
use crate::memory::ledger::live::{Observer, Tensor};
use crate::memory::ledger::widths::{AttentionKind, FeedForwardKind, RouterKind};

impl<O: Observer> Layer<'_, O> {
    /// From the gradient of the layer's output to that of its input, which is summed into the former unless that is held
    /// from outside.
    pub(super) fn backward(&mut self, incoming: Tensor, outside: bool) {
        self.outside = outside;
        match self.widths.feed_forward {
            FeedForwardKind::Dense => self.dense_half(incoming),
            FeedForwardKind::Experts => self.experts_half(incoming),
            FeedForwardKind::None => {
                self.recompute_now();
                self.bench.dies(self.saved.middle);
            }
        }
        let gradient = match self.widths.attention {
            AttentionKind::Heads => self.attention_backward(incoming),
            AttentionKind::Latent => self.latent_backward(incoming),
            AttentionKind::None => return self.backward_ends(),
        };
        let own = self.recompute == Recompute::Nothing && self.rules.fused_norm;
        let mut norm = self.saved.norm1;
        if own {
            norm.input = self.saved.input;
        }
        let result = self.norm_backward(self.norm_shape(), norm, gradient);
        self.sum_into_stream(result);
        if own {
            self.saved.input = Tensor::NONE;
        }
        self.backward_ends();
    }

    fn backward_ends(&mut self) {
        self.bench.dies(self.saved.input);
        if std::mem::take(&mut self.outside) {
            self.gradient("layer-gradient", self.sharded(self.widths.hidden));
        }
        self.other_weight_gradients();
        // What selective recompute kept and nobody reads again stays to the end.
        let unread = self.cache;
        self.bench.all_die(&unread);
    }

    fn recompute_now(&mut self) {
        if self.recompute != Recompute::Nothing {
            self.again();
        }
    }

    fn dense_half(&mut self, incoming: Tensor) {
        let (_, gathered) = self.row_gradient(incoming);
        self.recompute_now();
        let again = self.gathered_again();
        let input = self.dense_backward(Block::Dense, self.saved.dense, gathered, Tensor::NONE);
        self.bench.all_die(&[again, self.saved.feed_forward_input]);
        let input = self.column_input_gradient(input);
        self.norm2_backward(input);
    }

    fn norm2_backward(&mut self, incoming: Tensor) {
        let mut norm = self.saved.norm2;
        if self.rules.fused_norm {
            norm.input = self.saved.middle;
        }
        let result = self.norm_backward(self.norm_shape(), norm, incoming);
        self.sum_into_stream(result);
    }

    /// The residual stream's gradient takes a block's; where it is held from outside the block's takes it, once.
    fn sum_into_stream(&mut self, block: Tensor) {
        if !std::mem::take(&mut self.outside) {
            self.bench.dies(block);
        }
    }

    fn experts_half(&mut self, incoming: Tensor) {
        let has_shared = self.widths.shared_width.value > 0.0;
        let mut others = Tensor::NONE;
        let copies = if has_shared {
            let (_, gathered) = self.row_gradient(incoming);
            self.recompute_now();
            let input = self.dense_backward(Block::Shared, self.saved.dense, gathered, Tensor::NONE);
            others = self.column_input_gradient(input);
            // A sigmoid router reads a copy of its own, so only the shared experts held the input.
            if self.widths.router == RouterKind::Sigmoid {
                self.bench.dies(std::mem::replace(&mut self.saved.feed_forward_input, Tensor::NONE));
            }
            self.combine_backward()
        } else {
            let copies = self.combine_backward();
            self.recompute_now();
            copies
        };
        let input = self.experts_backward(self.saved.experts, self.saved.router, copies, others);
        self.bench.dies(self.saved.feed_forward_input);
        self.norm2_backward(input);
    }
}
