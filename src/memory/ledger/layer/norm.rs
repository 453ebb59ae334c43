//! RMS norm, eager and as one kernel (ledger 4).

use super::{Held, Layer};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

/// What a norm keeps.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory::ledger) struct Kept {
    /// The fp32 copy of its input; of a kernel, the input where nobody else holds it.
    pub(super) input: Tensor,
    pub(super) rstd: Tensor,
    pub(super) normalised: Tensor,
}

impl Kept {
    pub(super) const NONE: Self = Self { input: Tensor::NONE, rstd: Tensor::NONE, normalised: Tensor::NONE };
}

/// The shape of a norm: its width on a token, how many means a token has, the tokens, its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) width: Dim,
    pub(super) means: Dim,
    pub(super) tokens: Dim,
    pub(super) weight: Dim,
}

impl Shape {
    const fn all(self, bytes: f64) -> Size {
        Size::new(bytes, self.width, self.tokens)
    }

    const fn each(self) -> Size {
        Size::new(4.0, self.means, self.tokens)
    }
}

impl<O: Observer> Layer<'_, O> {
    /// Its output (2n), and what it keeps. The input stays with whoever holds it.
    pub(super) fn norm(&mut self, owner: Slot, shape: Shape, output_read_again: bool) -> (Held, Kept) {
        if self.rules.fused_norm {
            let output = self.make(owner, "norm-output", shape.all(2.0), output_read_again);
            let rstd = self.keep(Slot::Norm, "norm-rstd", shape.each());
            self.let_go(rstd);
            return (output, Kept { rstd: Self::found(rstd), ..Kept::NONE });
        }
        let copy = self.keep(Slot::Norm, "norm-fp32-input", shape.all(4.0));
        let square = self.passing("norm-square", shape.all(4.0));
        let mean = self.passing("norm-mean", shape.each());
        self.let_go(square);
        let rstd = self.keep(Slot::Norm, "norm-rstd", shape.each());
        self.let_go(mean);
        let product = self.passing("norm-product", shape.all(4.0));
        self.let_go(copy);
        self.let_go(rstd);
        let normalised = self.keep(Slot::Norm, "norm-normalised", shape.all(2.0));
        let output = self.make(owner, "norm-output", shape.all(2.0), output_read_again);
        self.let_go(normalised);
        self.let_go(product);
        let kept = Kept { input: Self::found(copy), rstd: Self::found(rstd), normalised: Self::found(normalised) };
        (output, kept)
    }

    /// From the gradient of its output to that of its input, 2n; the former dies.
    pub(super) fn norm_backward(&mut self, shape: Shape, kept: Kept, incoming: Tensor) -> Tensor {
        if self.rules.fused_norm {
            let result = self.gradient("norm-gradient", shape.all(2.0));
            let weight = self.weight_gradient(shape.weight);
            self.bench.all_die(&[incoming, kept.input, kept.rstd]);
            self.weight_done(weight, shape.weight);
            return result;
        }
        let by_weight = self.gradient("norm-times-weight", shape.all(2.0));
        let by_input = self.gradient("norm-times-normalised", shape.all(2.0));
        let weight = self.weight_gradient(shape.weight);
        self.bench.all_die(&[by_input, incoming, kept.normalised]);
        self.weight_done(weight, shape.weight);
        let cast = self.gradient("norm-fp32-gradient", shape.all(4.0));
        self.bench.dies(by_weight);
        let direct = self.gradient("norm-times-rstd", shape.all(4.0));
        let by_copy = self.gradient("norm-times-copy", shape.all(4.0));
        self.bench.all_die(&[cast, by_copy]);
        self.bench.dies(kept.rstd);
        let mean = self.gradient("norm-mean-gradient", shape.all(4.0));
        let powers = [
            self.gradient("norm-power-gradient", shape.all(4.0)),
            self.gradient("norm-power-gradient", shape.all(4.0)),
            self.gradient("norm-power-gradient", shape.all(4.0)),
        ];
        self.bench.all_die(&[mean, powers[0], powers[1], kept.input]);
        self.bench.all_die(&[powers[2]]);
        let result = self.gradient("norm-gradient", shape.all(2.0));
        self.bench.dies(direct);
        result
    }
}
