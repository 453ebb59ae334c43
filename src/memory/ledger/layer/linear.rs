//! Linear maps and what tensor parallelism does around them (ledger 4).

use super::{Held, Layer, Made};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

impl<O: Observer> Layer<'_, O> {
    /// Sequence parallelism gathers what column-parallel maps read; without it they read the shard itself. Gives what they
    /// read, and what beside it lives to the end of the block.
    pub(super) fn column_input(&mut self, owner: Slot, shard: Held) -> (Held, Held) {
        if !self.rules.sequence_parallel {
            return (shard, Held::NONE);
        }
        let hidden = self.whole(self.widths.hidden);
        let gathered = self.output(Made::Gathered, owner, "gathered-input", hidden, !self.rules.shard_outputs);
        (gathered, shard)
    }

    /// Whether a norm's output itself is what a column-parallel map keeps.
    pub(super) const fn shard_is_kept(&self) -> bool {
        !self.rules.sequence_parallel || self.rules.shard_outputs
    }

    /// The output of a row-parallel map: the partial sum becomes the rank's own part.
    pub(super) fn row_output(&mut self, partial: Held, made: Made, owner: Slot) -> Held {
        if !self.rules.tensor_parallel {
            return partial;
        }
        if self.rules.sequence_parallel {
            let reordered = self.passing("reordered-sum", self.whole(self.widths.hidden));
            let scattered = self.output(made, owner, "scattered-output", self.sharded(self.widths.hidden), false);
            self.let_go(reordered);
            self.let_go(partial);
            return scattered;
        }
        let reduced = self.passing("reduced-output", self.whole(self.widths.hidden));
        self.let_go(partial);
        reduced
    }

    /// The gradient that enters a row-parallel map, gathered where sequence parallelism cut its output.
    pub(super) fn row_gradient(&mut self, incoming: Tensor) -> (Tensor, Tensor) {
        if !self.rules.sequence_parallel {
            return (incoming, Tensor::NONE);
        }
        let gathered = self.exchanged("gathered-gradient", self.whole(self.widths.hidden));
        (gathered, gathered)
    }

    /// A row-parallel map's backward: weight gradient, then the gradient of its input. The gathered gradient dies.
    pub(super) fn row_backward(&mut self, weight: Dim, input: Size, gathered: Tensor) -> Tensor {
        let gradient = self.weight_gradient(weight);
        let result = self.gradient("input-gradient", input);
        self.bench.dies(gathered);
        self.weight_done(gradient, weight);
        result
    }

    /// A column-parallel map's backward, summed into what other maps of the same input gave; the incoming gradient dies.
    pub(super) fn column_backward(&mut self, weight: Dim, incoming: Tensor, others: Tensor) -> Tensor {
        let result = self.column_product(weight, incoming);
        let result = self.reduced(result);
        self.sum(others, result)
    }

    /// The same of the map whose backward comes last: the partial sums are joined before they are reduced.
    pub(super) fn last_column_backward(&mut self, weight: Dim, incoming: Tensor, others: Tensor) -> Tensor {
        let result = self.column_product(weight, incoming);
        let result = self.sum(others, result);
        self.reduced(result)
    }

    fn column_product(&mut self, weight: Dim, incoming: Tensor) -> Tensor {
        let gradient = self.weight_gradient(weight);
        let result = self.gradient("input-gradient", self.whole(self.widths.hidden));
        self.bench.dies(incoming);
        self.weight_done(gradient, weight);
        result
    }

    fn reduced(&mut self, partial: Tensor) -> Tensor {
        if !self.rules.tensor_parallel {
            return partial;
        }
        let reduced = self.exchanged("reduced-gradient", self.whole(self.widths.hidden));
        self.bench.dies(partial);
        reduced
    }

    /// Two gradients of one tensor are summed in place (rule L3).
    pub(super) fn sum(&mut self, into: Tensor, other: Tensor) -> Tensor {
        if into == Tensor::NONE {
            return other;
        }
        self.bench.dies(other);
        into
    }

    /// The rank's own part of a whole gradient.
    pub(super) fn column_input_gradient(&mut self, whole: Tensor) -> Tensor {
        if !self.rules.sequence_parallel {
            return whole;
        }
        let own = self.exchanged("own-gradient", self.sharded(self.widths.hidden));
        self.bench.dies(whole);
        own
    }

    /// What Megatron's sequence parallelism gathers again for a backward.
    pub(super) fn gathered_again(&mut self) -> Tensor {
        if self.rules.sequence_parallel && self.rules.shard_outputs {
            return self.exchanged("gathered-again", self.whole(self.widths.hidden));
        }
        Tensor::NONE
    }
}
