//! One kind of layer walked once: what its forward and backward do to any live set.

use super::{GradientFate, Layer, Recompute, Rules};
use crate::memory::ledger::live::{Bench, Observer, Segment, Silent, Size};
use crate::memory::ledger::slots::Slot;
use crate::memory::ledger::widths::Widths;

/// What a layer's forward and backward do, piece by piece: between two pieces another unit steps in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile {
    /// The forward. At its beginning the layer's input is alive, at its end its output is beside what it keeps.
    pub forward: Vec<Segment>,
    /// The backward. At its beginning the gradient of its output is alive, at its end that of its input.
    pub backward: Vec<Segment>,
    /// The same where the gradient of its output is held from outside, and so takes no sum (rule L3).
    pub outside: Vec<Segment>,
    /// Whether the layer's input is among it.
    pub keeps_input: bool,
}

/// Walks a layer; in a pipeline also as a stage's last.
pub(crate) fn profile(
    widths: &Widths,
    rules: Rules,
    recompute: Recompute,
    fate: GradientFate,
    pipeline: bool,
) -> Profile {
    let mut profile = walk(&mut Bench::new(Silent), widths, rules, recompute, fate, false);
    if pipeline {
        profile.outside = walk(&mut Bench::new(Silent), widths, rules, recompute, fate, true).backward;
    }
    profile
}

fn walk<O: Observer>(
    bench: &mut Bench<O>,
    widths: &Widths,
    rules: Rules,
    recompute: Recompute,
    fate: GradientFate,
    outside: bool,
) -> Profile {
    let stream = Size::new(2.0, widths.hidden, widths.shard);
    let input = bench.born(Slot::Forward, "layer-input", stream);
    bench.cut();
    let mut layer = Layer::new(bench, widths, rules, recompute, fate);
    let keeps_input = layer.keeps_input();
    let output = layer.forward(input);
    layer.cut();
    let forward = std::mem::take(&mut layer.pieces);
    // The next layer takes the output.
    layer.bench.dies(output);
    let incoming = layer.bench.born(Slot::Backward, "layer-gradient", stream);
    layer.bench.cut();
    layer.backward(incoming, outside);
    layer.cut();
    let backward = std::mem::take(&mut layer.pieces);
    Profile { forward, backward, outside: Vec::new(), keeps_input }
}
