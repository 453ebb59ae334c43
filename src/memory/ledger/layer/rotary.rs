//! Rotary position embedding of whole heads, and of a part of each (ledger 4).

use super::{Held, Layer};
use crate::memory::ledger::live::{Dim, Observer, Size, Tensor};
use crate::memory::ledger::slots::Slot;

impl<O: Observer> Layer<'_, O> {
    /// Rotates queries or keys: about 9n in five pieces, of which 2n stay.
    pub(super) fn rotate(&mut self, width: Dim, read_again: bool) -> Held {
        let size = self.whole(width);
        let by_cosine = self.passing("rotary-times-cosine", size);
        let negated = self.passing("rotary-negated-half", Size { factor: 1.0, ..size });
        let turned = self.passing("rotary-turned", size);
        self.let_go(negated);
        let by_sine = self.passing("rotary-times-sine", size);
        self.let_go(turned);
        let rotated = self.make(Slot::Attention, "rotated", size, read_again);
        self.let_go(by_cosine);
        self.let_go(by_sine);
        rotated
    }

    /// From the gradient of what is rotated to that of what went in.
    pub(super) fn rotate_backward(&mut self, width: Dim, incoming: Tensor) -> Tensor {
        let size = self.whole(width);
        let by_sine = self.gradient("rotary-sine-gradient", size);
        let negated = self.gradient("rotary-half-gradient", Size { factor: 1.0, ..size });
        let first = self.gradient("rotary-padded-gradient", size);
        self.bench.dies(negated);
        let second = self.gradient("rotary-padded-gradient", size);
        self.bench.dies(by_sine);
        self.bench.dies(second);
        let result = self.gradient("rotary-gradient", size);
        self.bench.dies(incoming);
        self.bench.dies(first);
        result
    }
}
