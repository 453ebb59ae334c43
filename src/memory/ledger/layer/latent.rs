//! Multi-head latent attention, as the eager code of its class runs it (ledger 4).

use super::norm::Shape;
use super::{Held, Layer, Made};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

impl<O: Observer> Layer<'_, O> {
    const fn latent_norm(&self, width: Dim, weight: Dim) -> Shape {
        Shape { width, means: Dim::ONE, tokens: self.widths.tokens, weight }
    }

    const fn rotary(&self, bytes: f64) -> Size {
        Size::new(bytes, self.widths.heads_rope, self.widths.tokens)
    }

    /// From norm 1's output to the output projection's.
    pub(super) fn latent(&mut self, shard: Held) -> Held {
        let widths = self.widths;
        let (input, beside) = self.column_input(Slot::Attention, shard);
        self.saved.attention_input = if beside.stays { beside.tensor } else { Self::found(input) };
        let query = self.latent_query();
        let down = self.output(Made::KvDown, Slot::Attention, "kv-down", self.whole(widths.kv_down), false);
        let shape = self.latent_norm(widths.kv_latent, widths.weights.kv_down_norm);
        let (latent, kept) = self.norm(Slot::Attention, shape, true);
        self.saved.inner_kv_norm = kept;
        self.saved.kv_latent = Self::found(latent);
        let both = self.output(Made::KvUp, Slot::Attention, "kv-up", self.whole(widths.latent_kv), true);
        let rotated = self.latent_rotation();
        let joined = self.keep(Slot::Attention, "joined-query", self.whole(widths.latent_query));
        let key = self.keep(Slot::Attention, "joined-key", self.whole(widths.latent_query));
        self.saved.query = Self::found(joined);
        self.saved.key = Self::found(key);
        self.saved.value = Self::found(both);
        let value = self.whole(widths.latent_value);
        let mixed = self.output(Made::Mixed, Slot::Attention, "attention-output", value, true);
        let heads = Size::new(4.0, widths.heads, widths.tokens);
        let sums = self.output(Made::LogSumExp, Slot::Attention, "attention-log-sum-exp", heads, true);
        self.saved.mixed = Self::found(mixed);
        self.saved.log_sum_exp = Self::found(sums);
        self.let_go(sums);
        let partial = self.output(Made::Output, Slot::Attention, "output-projection", self.hidden_partial(), false);
        let output = self.row_output(partial, Made::OutputScattered, Slot::Attention);
        for held in [query, down, latent, both, rotated, joined, key, mixed, input, beside] {
            self.let_go(held);
        }
        output
    }

    /// Queries of all heads before rotation, through their latent where there is one.
    fn latent_query(&mut self) -> Held {
        let widths = self.widths;
        let size = self.whole(widths.latent_query);
        if widths.query_latent.value == 0.0 {
            return self.output(Made::QueryUp, Slot::Attention, "query-up", size, false);
        }
        let down = self.output(Made::QueryDown, Slot::Attention, "query-down", self.whole(widths.query_latent), false);
        let shape = self.latent_norm(widths.query_latent, widths.weights.query_down_norm);
        let (latent, kept) = self.norm(Slot::Attention, shape, true);
        self.let_go(down);
        self.saved.inner_query_norm = kept;
        self.saved.query_latent = Self::found(latent);
        let query = self.output(Made::QueryUp, Slot::Attention, "query-up", size, false);
        self.let_go(latent);
        query
    }

    /// Interleaved rotation of the queries' rotary part, and of the one shared key.
    fn latent_rotation(&mut self) -> Held {
        let pieces = [
            self.passing("rotary-interleaved", self.rotary(2.0)),
            self.passing("rotary-negated-half", self.rotary(1.0)),
            self.passing("rotary-turned", self.rotary(2.0)),
            self.passing("rotary-half", self.rotary(1.0)),
        ];
        let rotated = self.passing("rotated", self.rotary(2.0));
        for piece in pieces {
            self.let_go(piece);
        }
        rotated
    }

    /// From the gradient of the block's output to that of norm 1's.
    pub(super) fn latent_backward(&mut self, incoming: Tensor) -> Tensor {
        let widths = self.widths;
        let weights = widths.weights;
        let (_, gathered) = self.row_gradient(incoming);
        let mixed = self.row_backward(weights.output, self.whole(widths.latent_value), gathered);
        let query = self.gradient("query-gradient", self.whole(widths.latent_query));
        let key = self.gradient("key-gradient", self.whole(widths.latent_query));
        let value = self.gradient("value-gradient", self.whole(widths.latent_value));
        let saved = self.saved;
        self.bench.all_die(&[mixed, saved.query, saved.key, saved.value, saved.mixed, saved.log_sum_exp]);
        let (both, shared_key) = self.latent_key_backward(key, value);
        let latent = self.inner_backward(weights.kv_up, both, widths.kv_latent, saved.kv_latent);
        let rotary = self.latent_rotation_backward(shared_key);
        let shape = self.latent_norm(widths.kv_latent, weights.kv_down_norm);
        let latent = self.norm_backward(shape, saved.inner_kv_norm, latent);
        let down = self.gradient("kv-down-gradient", self.whole(widths.kv_down));
        self.bench.all_die(&[latent]);
        let mut input = self.column_backward(weights.kv_down, down, Tensor::NONE);
        let query = self.latent_query_joined(query, rotary);
        input = self.latent_query_backward(query, input);
        let again = saved.attention_input;
        self.bench.dies(again);
        self.column_input_gradient(input)
    }

    /// The key's two copies, its parts, and the joined gradient of keys and values as the up-projection reads it.
    fn latent_key_backward(&mut self, key: Tensor, value: Tensor) -> (Tensor, Tensor) {
        let widths = self.widths;
        let first = self.gradient("key-copy-gradient", self.whole(widths.latent_query));
        let rope = self.gradient("key-rotary-gradient", self.rotary(2.0));
        let spread = self.gradient("key-rotary-contiguous", self.rotary(2.0));
        let second = self.gradient("key-copy-gradient", self.whole(widths.latent_query));
        self.bench.all_die(&[key, rope, first]);
        let nope = Size::new(2.0, widths.heads_nope, widths.tokens);
        let rest = self.gradient("key-rest-gradient", nope);
        self.bench.dies(second);
        let joined = self.gradient("kv-joined-gradient", self.whole(widths.latent_kv));
        self.bench.all_die(&[rest, value]);
        let contiguous = self.gradient("kv-contiguous-gradient", self.whole(widths.latent_kv));
        self.bench.dies(joined);
        (contiguous, spread)
    }

    /// A map out of a latent: weight gradient, gradient of the latent; what it read dies.
    fn inner_backward(&mut self, weight: Dim, incoming: Tensor, width: Dim, read: Tensor) -> Tensor {
        let gradient = self.weight_gradient(weight);
        let result = self.gradient("latent-gradient", self.whole(width));
        self.bench.all_die(&[incoming, read]);
        self.weight_done(gradient, weight);
        result
    }

    fn latent_rotation_backward(&mut self, shared_key: Tensor) -> Tensor {
        self.bench.dies(shared_key);
        let pieces = [
            self.gradient("rotary-gradient", self.rotary(2.0)),
            self.gradient("rotary-gradient", self.rotary(2.0)),
            self.gradient("rotary-gradient", self.rotary(1.0)),
        ];
        let result = self.gradient("rotary-gradient", self.rotary(2.0));
        self.bench.all_die(&pieces);
        result
    }

    fn latent_query_joined(&mut self, query: Tensor, rotary: Tensor) -> Tensor {
        let size = self.whole(self.widths.latent_query);
        let joined = self.gradient("query-joined-gradient", size);
        self.bench.all_die(&[query, rotary]);
        let contiguous = self.gradient("query-contiguous-gradient", size);
        self.bench.dies(joined);
        contiguous
    }

    fn latent_query_backward(&mut self, query: Tensor, others: Tensor) -> Tensor {
        let (widths, saved) = (self.widths, self.saved);
        let weights = widths.weights;
        if widths.query_latent.value == 0.0 {
            return self.column_backward(weights.query_up, query, others);
        }
        let latent = self.inner_backward(weights.query_up, query, widths.query_latent, saved.query_latent);
        let shape = self.latent_norm(widths.query_latent, weights.query_down_norm);
        let down = self.norm_backward(shape, saved.inner_query_norm, latent);
        self.column_backward(weights.query_down, down, others)
    }
}
