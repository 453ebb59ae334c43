//! The items of the reference model, in one table: a new item is a line here and a place where it is computed.

use crate::explain::Formula;
use crate::memory::{Category, Certainty};

/// What an item is.
#[derive(Debug, PartialEq, Eq)]
pub struct ItemKind {
    /// Stable kebab-case id; also the key of its label.
    pub id: &'static str,
    /// What kind of memory it is.
    pub category: Category,
    /// How sure it is.
    pub certainty: Certainty,
    /// The formula it follows.
    pub formula: Formula,
}

impl ItemKind {
    /// Whether it is the same at every instant.
    pub(super) const fn is_always_there(&self) -> bool {
        match self.category {
            Category::Parameters | Category::OptimizerStates | Category::Gradients | Category::Reserve => true,
            Category::Activations | Category::Buffers | Category::BackwardWorkingSet | Category::GradientsInFlight => {
                false
            }
        }
    }
}

macro_rules! items {
    ($($name:ident $id:literal $category:ident $certainty:ident $reference:literal;)*) => {
        /// An item of the reference model; the order is that of the breakdown, from the ground up.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Id { $($name,)* }

        impl Id {
            pub(super) const COUNT: usize = KINDS.len();
        }

        /// Every item that the reference model lists, in the order of a breakdown.
        pub static KINDS: &[ItemKind] = &[$(ItemKind {
            id: $id,
            category: Category::$category,
            certainty: Certainty::$certainty,
            formula: Formula { id: $id, reference: concat!("memory-core ", $reference) },
        },)*];
    };
}

items! {
    ParametersEmbedding "parameters-embedding" Parameters Exact "6";
    ParametersAttention "parameters-attention" Parameters Exact "5, 6";
    ParametersNorm "parameters-norm" Parameters Exact "5, 6";
    ParametersFeedForward "parameters-feed-forward" Parameters Exact "5, 6";
    ParametersRouter "parameters-router" Parameters Exact "5, 6";
    ParametersRoutedExperts "parameters-routed-experts" Parameters Exact "5, 6";
    ParametersSharedExperts "parameters-shared-experts" Parameters Exact "5, 6";
    ParametersOutput "parameters-output" Parameters Exact "6";
    ParametersMtp "parameters-mtp" Parameters Exact "6";
    OptimizerEmbedding "optimizer-states-embedding" OptimizerStates Policy "6";
    OptimizerAttention "optimizer-states-attention" OptimizerStates Policy "5, 6";
    OptimizerNorm "optimizer-states-norm" OptimizerStates Policy "5, 6";
    OptimizerFeedForward "optimizer-states-feed-forward" OptimizerStates Policy "5, 6";
    OptimizerRouter "optimizer-states-router" OptimizerStates Policy "5, 6";
    OptimizerRoutedExperts "optimizer-states-routed-experts" OptimizerStates Policy "5, 6";
    OptimizerSharedExperts "optimizer-states-shared-experts" OptimizerStates Policy "5, 6";
    OptimizerOutput "optimizer-states-output" OptimizerStates Policy "6";
    OptimizerMtp "optimizer-states-mtp" OptimizerStates Policy "6";
    GradientsEmbedding "gradients-embedding" Gradients Policy "6";
    GradientsAttention "gradients-attention" Gradients Policy "5, 6";
    GradientsNorm "gradients-norm" Gradients Policy "5, 6";
    GradientsFeedForward "gradients-feed-forward" Gradients Policy "5, 6";
    GradientsRouter "gradients-router" Gradients Policy "5, 6";
    GradientsRoutedExperts "gradients-routed-experts" Gradients Policy "5, 6";
    GradientsSharedExperts "gradients-shared-experts" Gradients Policy "5, 6";
    GradientsOutput "gradients-output" Gradients Policy "6";
    GradientsMtp "gradients-mtp" Gradients Policy "6";
    ActivationsEmbedding "activations-embedding" Activations Estimated "7.4";
    ActivationsQkv "activations-attention-qkv" Activations Estimated "7.1";
    ActivationsScore "activations-attention-score" Activations Estimated "7.1";
    ActivationsProjection "activations-attention-projection" Activations Estimated "7.1";
    ActivationsFeedForward "activations-feed-forward" Activations Estimated "7.1";
    ActivationsRoutedExperts "activations-routed-experts" Activations Estimated "7.1";
    ActivationsSharedExperts "activations-shared-experts" Activations Estimated "7.1";
    ActivationsRouter "activations-router" Activations Estimated "7.1";
    ActivationsNorm "activations-norm" Activations Estimated "7.1";
    ActivationsRecomputeInputs "activations-recompute-inputs" Activations Estimated "7.2";
    ActivationsMeasured "activations-measured" Activations Estimated "7.3";
    ActivationsOutput "activations-output" Activations Estimated "7.5";
    ActivationsMtp "activations-mtp" Activations Estimated "7.5";
    BuffersTableGathers "buffers-table-gathers" Buffers Policy "7.6";
    BuffersParameterGathers "buffers-parameter-gathers" Buffers Policy "7.6";
    BuffersTensorParallel "buffers-tensor-parallel" Buffers Estimated "7.6";
    BuffersContextParallel "buffers-context-parallel" Buffers Estimated "7.6";
    BuffersExpertParallel "buffers-expert-parallel" Buffers Estimated "7.6";
    WorkingActivations "working-set-activations" BackwardWorkingSet Estimated "10.1, 10.2";
    WorkingBuffers "working-set-buffers" BackwardWorkingSet Estimated "10.1, 10.2";
    GradientsHeld "gradients-held" GradientsInFlight Policy "10.2";
    GradientsWhole "gradients-whole-layers" GradientsInFlight Policy "10.2";
    GradientsRoot "gradients-whole-output" GradientsInFlight Policy "10.2";
    Reserve "reserve" Reserve Policy "2, item 6";
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
