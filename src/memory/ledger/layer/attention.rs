//! Attention over heads, between norm 1 and the residual sum (ledger 4).

use super::norm::Shape;
use super::{Held, Layer, Made, norm};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

impl<O: Observer> Layer<'_, O> {
    pub(super) const fn query_norm_shape(&self) -> Shape {
        let widths = self.widths;
        Shape { width: widths.query, means: widths.heads, tokens: widths.tokens, weight: widths.weights.query_norm }
    }

    pub(super) const fn key_norm_shape(&self) -> Shape {
        let widths = self.widths;
        Shape { width: widths.key, means: widths.kv_heads, tokens: widths.tokens, weight: widths.weights.key_norm }
    }

    /// From norm 1's output to the output projection's, which alone outlives the block.
    pub(super) fn attention(&mut self, shard: Held) -> Held {
        let (input, beside) = self.column_input(Slot::Attention, shard);
        self.saved.attention_input = Self::found(input);
        if beside.stays {
            self.saved.attention_input = beside.tensor;
        }
        let (query, key, value) = self.projected();
        let (query, key) = self.rotated(query, key);
        let (key, value) = self.expanded(key, value);
        self.saved.query = Self::found(query);
        self.saved.key = Self::found(key);
        self.saved.value = Self::found(value);
        let mixed = self.mixed();
        let partial = self.output(Made::Output, Slot::Attention, "output-projection", self.hidden_partial(), false);
        let output = self.row_output(partial, Made::OutputScattered, Slot::Attention);
        for held in [query, key, value, mixed, input, beside] {
            self.let_go(held);
        }
        output
    }

    pub(super) const fn hidden_partial(&self) -> Size {
        self.whole(self.widths.hidden)
    }

    /// Queries, keys and values before rotation.
    fn projected(&mut self) -> (Held, Held, Held) {
        let (query, key) = (self.whole(self.widths.query), self.whole(self.widths.key));
        if self.rules.fused_qkv {
            // The value is a view of the whole projection, and so keeps all of it.
            let all =
                Size::new(2.0, Dim::new("q+2v", self.widths.query.value + 2.0 * self.widths.key.value), query.rows);
            let read_again = self.reads_own().1 && !self.rules.expanded_kv;
            let projection = self.output(Made::Query, Slot::Attention, "qkv-projection", all, read_again);
            return (Held::NONE, Held::NONE, projection);
        }
        let normed_by_kernel = self.widths.qk_norm && self.rules.fused_norm;
        let projected = self.output(Made::Query, Slot::Attention, "query-projection", query, normed_by_kernel);
        let query = self.normed(projected, self.query_norm_shape(), true);
        let projected = self.output(Made::Key, Slot::Attention, "key-projection", key, normed_by_kernel);
        let key_held = self.normed(projected, self.key_norm_shape(), false);
        let read_again = self.reads_own().1 && !self.rules.expanded_kv;
        let value = self.output(Made::Value, Slot::Attention, "value-projection", key, read_again);
        (query, key_held, value)
    }

    fn normed(&mut self, projected: Held, shape: Shape, of_query: bool) -> Held {
        if !self.widths.qk_norm {
            return projected;
        }
        let (output, mut kept) = self.norm(Slot::Attention, shape, false);
        self.let_go(projected);
        if self.rules.fused_norm {
            kept.input = Self::found(projected);
        }
        if of_query {
            self.saved.query_norm = kept;
        } else {
            self.saved.key_norm = kept;
        }
        output
    }

    /// Rotates both; what went in dies when both are done.
    fn rotated(&mut self, query: Held, key: Held) -> (Held, Held) {
        if self.widths.part_rotary {
            return self.partly_rotated(query, key);
        }
        let (reads_query, reads_key) = self.reads_own();
        let rotated_query = self.rotate(self.widths.query, reads_query);
        let rotated_key = self.rotate(self.widths.key, reads_key && !self.rules.expanded_kv);
        self.let_go(query);
        self.let_go(key);
        (rotated_query, rotated_key)
    }

    /// GLM: a part of each head is rotated and joined with the rest; the projections' outputs die with the block.
    fn partly_rotated(&mut self, query: Held, key: Held) -> (Held, Held) {
        let (query_width, key_width) = (self.widths.query, self.widths.key);
        let half = |width: Dim| Dim::new("half", width.value / 2.0);
        let part_query = self.rotate(half(query_width), false);
        let part_key = self.rotate(half(key_width), false);
        let (reads_query, reads_key) = self.reads_own();
        let joined_query = self.make(Slot::Attention, "joined-query", self.whole(query_width), reads_query);
        let joined_key = self.make(Slot::Attention, "joined-key", self.whole(key_width), reads_key);
        self.let_go(part_query);
        self.let_go(part_key);
        self.let_go(query);
        self.let_go(key);
        (joined_query, joined_key)
    }

    fn expanded(&mut self, key: Held, value: Held) -> (Held, Held) {
        if !self.rules.expanded_kv {
            return (key, value);
        }
        let size = self.whole(self.widths.query);
        let keys = self.keep(Slot::Attention, "expanded-key", size);
        let values = self.keep(Slot::Attention, "expanded-value", size);
        self.let_go(key);
        self.let_go(value);
        (keys, values)
    }

    /// From the gradient of the block's output to that of norm 1's.
    pub(super) fn attention_backward(&mut self, incoming: Tensor) -> Tensor {
        let (_, gathered) = self.row_gradient(incoming);
        let weights = self.widths.weights;
        let query_size = self.whole(self.widths.query);
        let mixed = self.row_backward(weights.output, query_size, gathered);
        let (query, key, value) = self.mixed_backward(mixed);
        let (key, query) = self.rotated_backward(key, query);
        let again = self.gathered_again();
        let mut input = self.column_backward(weights.value, value, Tensor::NONE);
        let key = self.normed_backward(key, false);
        input = self.column_backward(weights.key, key, input);
        let query = self.normed_backward(query, true);
        input = self.last_column_backward(weights.query, query, input);
        self.bench.all_die(&[again, self.saved.attention_input]);
        self.column_input_gradient(input)
    }

    fn normed_backward(&mut self, incoming: Tensor, of_query: bool) -> Tensor {
        if !self.widths.qk_norm {
            return incoming;
        }
        let (shape, kept): (Shape, norm::Kept) = if of_query {
            (self.query_norm_shape(), self.saved.query_norm)
        } else {
            (self.key_norm_shape(), self.saved.key_norm)
        };
        self.norm_backward(shape, kept, incoming)
    }

    fn rotated_backward(&mut self, key: Tensor, query: Tensor) -> (Tensor, Tensor) {
        let (query_width, key_width) = (self.widths.query, self.widths.key);
        if !self.widths.part_rotary {
            let key = self.rotate_backward(key_width, key);
            return (key, self.rotate_backward(query_width, query));
        }
        let key = self.partly_rotated_backward(key_width, key);
        (key, self.partly_rotated_backward(query_width, query))
    }

    fn partly_rotated_backward(&mut self, width: Dim, incoming: Tensor) -> Tensor {
        let size = self.whole(width);
        let first = self.gradient("joined-padded-gradient", size);
        let second = self.gradient("joined-padded-gradient", size);
        let sum = self.gradient("joined-gradient", size);
        self.bench.all_die(&[first, second, incoming]);
        let contiguous = self.gradient("joined-contiguous-gradient", size);
        self.bench.dies(sum);
        contiguous
    }
}
