//! The items of the ledger, in one table: what a live tensor is booked under, with its category and how sure it is.

use crate::memory::{Category, Certainty};
use std::ops::{AddAssign, Index, IndexMut, SubAssign};

/// What an item is.
#[derive(Debug, PartialEq, Eq)]
pub struct ItemKind {
    /// Stable kebab-case id; also the key of its label.
    pub id: &'static str,
    /// What kind of memory it is.
    pub category: Category,
    /// How sure it is where no policy and no unmeasured layout says otherwise.
    pub certainty: Certainty,
    /// What the simulated measurements (PyTorch's memory tracker) book such tensors under.
    pub tracked_as: Tracked,
}

/// The categories of the simulated measurements, with the goldens' names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the tracker's own names")]
pub enum Tracked {
    ShardedParam,
    OptState,
    Inputs,
    ShardedGrad,
    UnshardedGrad,
    Activation,
    Recomputed,
    Temp,
    Gathered,
    AllGather,
    ReduceScatter,
    OptimizerTemp,
}

macro_rules! items {
    ($($name:ident $id:literal $category:ident $certainty:ident $tracked:ident $meaning:literal;)*) => {
        /// An item of the ledger; the order is that of the breakdown, from the ground up.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Slot { $(#[doc = $meaning] $name,)* }

        impl Slot {
            /// Every item, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// What it is.
            pub const fn kind(self) -> &'static ItemKind {
                &KINDS[self as usize]
            }
        }

        /// Every item that the ledger lists, in the order of a breakdown.
        pub static KINDS: &[ItemKind] = &[$(ItemKind {
            id: $id,
            category: Category::$category,
            certainty: Certainty::$certainty,
            tracked_as: Tracked::$tracked,
        },)*];
    };
}

items! {
    ParametersTables "parameters-tables" Parameters Exact ShardedParam "Embedding, head and final norm, sharded.";
    ParametersAttention "parameters-attention" Parameters Exact ShardedParam "Attention, sharded.";
    ParametersFeedForward "parameters-feed-forward" Parameters Exact ShardedParam "Dense feed-forwards and shared experts, sharded.";
    ParametersExperts "parameters-experts" Parameters Exact ShardedParam "Routers and routed experts, sharded.";
    ParametersNorm "parameters-norm" Parameters Exact ShardedParam "Norms of the layers, sharded.";
    OptimizerStates "optimizer-states" OptimizerStates Exact OptState "Optimizer states of the sharded parameters.";
    MainParameters "optimizer-main-parameters" OptimizerStates Policy OptState "The fp32 copy of the sharded parameters.";
    Gradients "gradients" Gradients Exact ShardedGrad "Reduced, sharded gradients.";
    WholeGradients "gradients-unsharded" Gradients Policy UnshardedGrad "Gradients that wait, whole, for the step's last micro-batch.";
    Inputs "activations-inputs" Activations Exact Inputs "Token ids and labels of every micro-batch.";
    Embedding "activations-embedding" Activations Exact Activation "The embedding's output and the rotary tables.";
    RecomputeInputs "activations-recompute-inputs" Activations Exact Activation "Inputs of layers that are recomputed.";
    Attention "activations-attention" Activations Exact Activation "What attention keeps for backward.";
    FeedForward "activations-feed-forward" Activations Exact Activation "What dense feed-forwards keep.";
    Experts "activations-routed-experts" Activations Exact Activation "What routed experts keep.";
    Router "activations-router" Activations Exact Activation "What routers keep.";
    SharedExperts "activations-shared-experts" Activations Exact Activation "What shared experts keep.";
    Norm "activations-norm" Activations Exact Activation "What norms keep.";
    Output "activations-output" Activations Exact Activation "Final norm, head input, logits and loss.";
    Gathered "buffers-gathered-parameters" Buffers Exact Gathered "Whole bf16 weights of units in use.";
    AllGather "buffers-parameter-gathers" Buffers Exact AllGather "Flat buffers of parameter gathers.";
    GatherCopies "buffers-gather-copies" Buffers Exact Temp "Casts and copies on the way to whole weights.";
    TensorParallel "buffers-tensor-parallel" Buffers Exact Temp "What tensor parallelism gathers or reduces in backward.";
    ContextParallel "buffers-context-parallel" Buffers Exact Temp "What context parallelism exchanges.";
    ExpertParallel "buffers-expert-parallel" Buffers Exact Temp "What expert parallelism exchanges in backward.";
    PipelineParallel "buffers-pipeline-parallel" Buffers Exact Activation "Received and sent activations and their gradients.";
    Forward "working-set-forward" BackwardWorkingSet Exact Activation "Passing tensors of a forward.";
    Recomputed "working-set-recomputed" BackwardWorkingSet Exact Recomputed "The forward of a layer, made again.";
    Backward "working-set-backward" BackwardWorkingSet Exact Temp "Gradients of activations, and what makes them.";
    Loss "working-set-loss" BackwardWorkingSet Exact Temp "Gradients of the logits.";
    OptimizerStep "working-set-optimizer" BackwardWorkingSet Policy OptimizerTemp "What the optimizer's step makes on the way.";
    LayerGradients "gradients-of-layer" GradientsInFlight Exact Temp "Unreduced weight gradients of the layer under way.";
    TableGradients "gradients-of-tables" GradientsInFlight Exact Temp "Unreduced gradients of embedding, final norm and head.";
    ReduceInput "gradients-reduce-input" GradientsInFlight Exact ReduceScatter "Inputs of gradient reductions.";
    ReduceOutput "gradients-reduce-output" GradientsInFlight Exact Temp "Outputs of gradient reductions before they are gradients.";
}

/// Bytes of every item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amounts([f64; Slot::COUNT]);

impl Amounts {
    /// Nothing.
    pub const ZERO: Self = Self([0.0; Slot::COUNT]);

    /// All items together.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Adds another so many times.
    pub fn add_times(&mut self, other: &Self, times: f64) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own += other * times;
        }
    }

    /// What the tracker counts as activations.
    pub fn tracked(&self, category: Tracked) -> f64 {
        KINDS.iter().zip(&self.0).filter(|(kind, _)| kind.tracked_as == category).map(|(_, bytes)| bytes).sum()
    }
}

impl Index<Slot> for Amounts {
    type Output = f64;

    fn index(&self, slot: Slot) -> &f64 {
        &self.0[slot as usize]
    }
}

impl IndexMut<Slot> for Amounts {
    fn index_mut(&mut self, slot: Slot) -> &mut f64 {
        &mut self.0[slot as usize]
    }
}

impl AddAssign<&Self> for Amounts {
    fn add_assign(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own += other;
        }
    }
}

impl SubAssign<&Self> for Amounts {
    fn sub_assign(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own -= other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_kebab_case_and_categories_stand_in_order() {
        for (at, kind) in KINDS.iter().enumerate() {
            assert!(kind.id.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-'), "{}", kind.id);
            assert!(KINDS[..at].iter().all(|before| before.id != kind.id && before.category <= kind.category));
        }
    }
}
