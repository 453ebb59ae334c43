//! Gathers and reductions of FSDP units (ledger 5, G1-G7 and R1-R6; 5b, whole gradients).

use super::book::{Book, Moment};
use super::slots::Slot;
use super::units::Unit;

/// How units are gathered and reduced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fsdp {
    /// w: bytes of a stored element.
    pub stored: f64,
    /// c: bytes of a computed element.
    pub compute: f64,
    /// ρ: bytes of a reduced element.
    pub reduce: f64,
    /// Whether tensor parallelism is above 1.
    pub tensor_parallel: bool,
    /// Megatron's and nanotron's layout: weights are always whole, gradients too.
    pub always_whole: bool,
}

/// What a reduction finds and leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reducing {
    /// Gradients wait whole, in the reduce dtype, from micro-batches before.
    pub whole: bool,
    /// A sharded gradient is there already, and takes the sum in place.
    pub added: bool,
    /// Where the unit's bf16 gradients are booked.
    pub tables: bool,
}

impl Fsdp {
    /// G1: casts of the shards, then one flat buffer.
    pub(super) fn gather(self, book: &mut Book, unit: &Unit) {
        if self.always_whole || unit.ranks <= 1.0 || unit.padded == 0.0 {
            return;
        }
        let cast = if self.stored == self.compute { 0.0 } else { self.compute * unit.shard() };
        book.born(Slot::GatherCopies, cast);
        book.born(Slot::AllGather, self.compute * unit.padded);
        book.dies(Slot::GatherCopies, cast);
    }

    /// The flat buffer dies.
    pub(super) fn gathered_dies(self, book: &mut Book, unit: &Unit) {
        if !self.always_whole && unit.ranks > 1.0 {
            book.dies(Slot::AllGather, self.compute * unit.padded);
        }
    }

    /// G2, G4, G7: whole weights are made.
    pub(super) fn copy_out(self, book: &mut Book, unit: &Unit) {
        if self.always_whole || unit.padded == 0.0 {
            return;
        }
        if unit.ranks > 1.0 {
            let beside = self.compute * unit.columns;
            book.born(Slot::Gathered, self.compute * unit.padded);
            book.born(Slot::GatherCopies, beside);
            book.dies(Slot::GatherCopies, beside);
            return;
        }
        let mut before = 0.0;
        for part in &unit.parts {
            let size = self.compute * part.elements;
            let cast = if self.stored == self.compute { 0.0 } else { size };
            book.born(Slot::GatherCopies, cast);
            book.dies(Slot::GatherCopies, before);
            book.born(Slot::Gathered, size);
            before = cast;
        }
        book.dies(Slot::GatherCopies, before);
    }

    /// G6: whole weights are freed.
    pub(super) fn reshard(self, book: &mut Book, unit: &Unit) {
        if !self.always_whole {
            book.dies(Slot::Gathered, self.compute * unit.padded);
        }
    }

    /// R2: gradients of replicated tensors are summed over tensor parallelism into new ones.
    pub(super) fn sum_replicated(self, book: &mut Book, unit: &Unit) {
        if self.tensor_parallel && unit.replicated > 0.0 {
            let sums = 2.0 * unit.replicated;
            book.born(Slot::LayerGradients, sums);
            book.dies(Slot::LayerGradients, sums);
        }
    }

    /// R4 to R6, after weights and the input before are freed.
    pub(super) fn reduce(self, book: &mut Book, unit: &Unit, reducing: Reducing) {
        if unit.padded == 0.0 {
            return;
        }
        let (own, bytes) = match (reducing.whole, reducing.tables) {
            (true, _) => (Slot::WholeGradients, self.reduce),
            (false, true) => (Slot::TableGradients, 2.0),
            (false, false) => (Slot::LayerGradients, 2.0),
        };
        let reordered = bytes * unit.largest_column;
        book.born(Slot::GatherCopies, reordered);
        book.dies(Slot::GatherCopies, reordered);
        book.born(Slot::ReduceInput, self.reduce * unit.padded);
        book.dies(own, bytes * unit.elements);
        let output = self.reduce * unit.shard();
        book.born(Slot::ReduceOutput, output);
        let gradient = self.stored * unit.shard();
        if self.reduce != self.stored {
            book.born(Slot::ReduceOutput, gradient);
            if !unit.replicas {
                book.dies(Slot::ReduceOutput, output);
            }
        }
        if reducing.added {
            book.dies(Slot::ReduceOutput, gradient);
        } else {
            book.rebook(Slot::ReduceOutput, Slot::Gradients, gradient);
        }
    }

    /// The input of the unit reduced before is freed.
    pub(super) fn input_dies(self, book: &mut Book, unit: &Unit) {
        book.dies(Slot::ReduceInput, self.reduce * unit.padded);
    }

    /// The optimizer's step, with every gradient there.
    pub(super) fn step(book: &mut Book, foreach: f64) {
        book.at(Moment::OptimizerStep);
        book.born(Slot::OptimizerStep, foreach);
        book.look();
        book.dies(Slot::OptimizerStep, foreach);
    }
}
