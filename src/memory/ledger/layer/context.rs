//! The attention kernel, and what context parallelism does around it (ledger 4, 5b).

use super::{ContextKind, Held, Layer, Made};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

/// Gradients of queries, keys and values.
pub(super) type Gradients = (Tensor, Tensor, Tensor);

impl<O: Observer> Layer<'_, O> {
    const fn per_head(&self) -> Size {
        Size::new(4.0, self.widths.heads, self.widths.tokens)
    }

    const fn whole_sequence(&self, width: Dim) -> Size {
        Size::new(2.0, width, self.widths.whole_tokens)
    }

    /// Whether the kernel reads rotated queries, and keys and values, as the rank made them.
    pub(super) fn reads_own(&self) -> (bool, bool) {
        match self.rules.context {
            ContextKind::None | ContextKind::Ring { .. } => (true, true),
            ContextKind::Gathered => (true, false),
            ContextKind::AllToAll => (false, false),
        }
    }

    /// Width of the keys as the kernel reads them.
    fn key_width(&self) -> Dim {
        if self.rules.expanded_kv { self.widths.query } else { self.widths.key }
    }

    /// The attention output, as the output projection reads it.
    pub(super) fn mixed(&mut self) -> Held {
        match self.rules.context {
            ContextKind::None => self.flash(),
            ContextKind::Gathered => self.gathered_context(),
            ContextKind::AllToAll => self.exchanged_heads(),
            ContextKind::Ring { last } => self.ring(last),
        }
    }

    fn flash(&mut self) -> Held {
        let size = self.whole(self.widths.query);
        let mixed = self.output(Made::Mixed, Slot::Attention, "attention-output", size, true);
        let sums = self.output(Made::LogSumExp, Slot::Attention, "attention-log-sum-exp", self.per_head(), true);
        self.let_go(sums);
        self.saved.mixed = Self::found(mixed);
        self.saved.log_sum_exp = Self::found(sums);
        if !self.widths.part_rotary {
            return mixed;
        }
        // Such queries lie heads-first, and so does the output: the projection reads a copy.
        self.mixed_copy(mixed)
    }

    fn mixed_copy(&mut self, mixed: Held) -> Held {
        let copy = self.keep(Slot::Attention, "attention-output-copy", self.whole(self.widths.query));
        self.saved.mixed_copy = Self::found(copy);
        self.let_go(mixed);
        copy
    }

    fn gathered_context(&mut self) -> Held {
        let size = self.whole_sequence(self.key_width());
        let keys = self.output(Made::Gathered, Slot::Attention, "gathered-key", size, true);
        let values = self.keep(Slot::Attention, "gathered-value", size);
        let mixed = self.flash();
        self.saved.key = Self::found(keys);
        self.saved.value = Self::found(values);
        self.let_go(keys);
        self.let_go(values);
        mixed
    }

    /// An exchange of heads for tokens: a re-ordered copy, then what is received.
    fn exchange(&mut self, width: Dim, name: &'static str) -> Held {
        let size = self.whole(width);
        let reordered = self.passing("reordered-heads", size);
        let received = self.keep(Slot::Attention, name, size);
        self.let_go(reordered);
        received
    }

    fn exchanged_heads(&mut self) -> Held {
        let query = self.exchange(self.widths.query, "exchanged-query");
        let key = self.exchange(self.key_width(), "exchanged-key");
        let value = self.exchange(self.key_width(), "exchanged-value");
        self.saved.query = Self::found(query);
        self.saved.key = Self::found(key);
        self.saved.value = Self::found(value);
        let mixed = self.flash();
        let back = self.exchange(self.widths.query, "returned-attention-output");
        self.saved.mixed_copy = Self::found(back);
        for held in [query, key, value, mixed] {
            self.let_go(held);
        }
        back
    }

    /// Keys and values go round; blocks are merged in fp32.
    fn ring(&mut self, last: bool) -> Held {
        let (query, key) = (self.whole(self.widths.query), self.whole(self.widths.key));
        let contiguous = [self.passing("ring-contiguous-key", key), self.passing("ring-contiguous-value", key)];
        let joined = self.passing("ring-joined", Size { factor: 4.0, ..key });
        self.let_go(contiguous[0]);
        self.let_go(contiguous[1]);
        let received = self.passing("ring-received", Size { factor: 4.0, ..key });
        let merged = self.passing("ring-fp32-output", Size { factor: 4.0, ..query });
        let block = self.passing("ring-block-output", query);
        let three = self.per_head();
        let weights = self.passing("ring-log-sum-exps", Size { factor: 12.0, ..three });
        let part = Size { factor: if last { 4.0 } else { 2.0 }, ..query };
        let pieces = [
            self.passing("ring-block-fp32", part),
            self.passing("ring-block-fp32", part),
            self.passing("ring-block-fp32", part),
        ];
        for held in pieces.into_iter().chain([block, weights]) {
            self.let_go(held);
        }
        let mixed = self.output(Made::Mixed, Slot::Attention, "attention-output", query, true);
        let sums = self.output(Made::LogSumExp, Slot::Attention, "attention-log-sum-exp", self.per_head(), true);
        for held in [joined, received, merged, sums] {
            self.let_go(held);
        }
        self.saved.mixed = Self::found(mixed);
        self.saved.log_sum_exp = Self::found(sums);
        if last { mixed } else { self.mixed_copy(mixed) }
    }

    /// From the gradient that the output projection gives to those of queries, keys and values; what the kernel kept and
    /// the incoming gradient die.
    pub(super) fn mixed_backward(&mut self, incoming: Tensor) -> Gradients {
        match self.rules.context {
            ContextKind::None | ContextKind::Gathered => {
                self.bench.dies(self.saved.mixed_copy);
                self.flash_backward(incoming)
            }
            ContextKind::AllToAll => self.exchanged_backward(incoming),
            ContextKind::Ring { .. } => {
                self.bench.dies(self.saved.mixed_copy);
                self.ring_backward(incoming)
            }
        }
    }

    fn flash_backward(&mut self, incoming: Tensor) -> Gradients {
        let gathered = self.rules.context == ContextKind::Gathered;
        let own = self.whole(self.key_width());
        let size = if gathered { self.whole_sequence(self.key_width()) } else { own };
        let query = self.gradient("query-gradient", self.whole(self.widths.query));
        let mut key = self.gradient("key-gradient", size);
        let mut value = self.gradient("value-gradient", size);
        self.kernel_done(incoming);
        if gathered {
            key = self.scattered(key, own);
            value = self.scattered(value, own);
        }
        if self.rules.expanded_kv {
            key = self.summed_heads(key);
            value = self.summed_heads(value);
        }
        (query, key, value)
    }

    /// What the kernel kept dies, with the gradient of its output.
    fn kernel_done(&mut self, incoming: Tensor) {
        let saved = self.saved;
        self.bench.all_die(&[saved.query, saved.key, saved.mixed, saved.log_sum_exp, incoming]);
        // Of a fused projection the value is a view.
        self.bench.dies(saved.value);
    }

    fn scattered(&mut self, whole: Tensor, own: Size) -> Tensor {
        let scattered = self.bench.born(Slot::ContextParallel, "scattered-gradient", own);
        self.bench.dies(whole);
        scattered
    }

    /// The gradient of keys or values that were expanded to the query heads.
    fn summed_heads(&mut self, expanded: Tensor) -> Tensor {
        let own = self.whole(self.widths.key);
        let summed = self.gradient("summed-heads-gradient", own);
        self.bench.dies(expanded);
        summed
    }

    fn exchange_backward(&mut self, incoming: Tensor, width: Dim) -> Tensor {
        let size = self.whole(width);
        let reordered = self.bench.born(Slot::ContextParallel, "reordered-gradient", size);
        let received = self.bench.born(Slot::ContextParallel, "exchanged-gradient", size);
        self.bench.all_die(&[reordered, incoming]);
        received
    }

    fn exchanged_backward(&mut self, incoming: Tensor) -> Gradients {
        self.bench.dies(self.saved.mixed_copy);
        let mixed = self.exchange_backward(incoming, self.widths.query);
        let (query, key, value) = self.flash_backward(mixed);
        let value = self.exchange_backward(value, self.widths.key);
        let key = self.exchange_backward(key, self.widths.key);
        let query = self.exchange_backward(query, self.widths.query);
        (query, key, value)
    }

    fn ring_backward(&mut self, incoming: Tensor) -> Gradients {
        let (query, key) = (self.whole(self.widths.query), self.whole(self.widths.key));
        let wide = |size: Size, factor: f64| Size { factor, ..size };
        let fp32 = self.bench.born(Slot::ContextParallel, "ring-fp32-query-gradient", wide(query, 4.0));
        let both = self.bench.born(Slot::ContextParallel, "ring-fp32-key-value-gradients", wide(key, 8.0));
        let joined = self.bench.born(Slot::ContextParallel, "ring-joined-gradients", wide(key, 8.0));
        let received = self.bench.born(Slot::ContextParallel, "ring-received-gradients", wide(key, 8.0));
        let blocks = [
            self.bench.born(Slot::ContextParallel, "ring-key-value-blocks", wide(key, 4.0)),
            self.bench.born(Slot::ContextParallel, "ring-key-value-blocks", wide(key, 4.0)),
        ];
        let own = [
            self.bench.born(Slot::ContextParallel, "ring-block-gradient", query),
            self.bench.born(Slot::ContextParallel, "ring-block-gradient", key),
            self.bench.born(Slot::ContextParallel, "ring-block-gradient", key),
        ];
        self.bench.all_die(&own);
        self.bench.all_die(&blocks);
        self.bench.all_die(&[joined, received]);
        let gradients = (
            self.gradient("query-gradient", query),
            self.gradient("key-gradient", key),
            self.gradient("value-gradient", key),
        );
        self.bench.all_die(&[fp32, both]);
        self.kernel_done(incoming);
        gradients
    }
}
