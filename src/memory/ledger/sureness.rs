//! How sure each item is (ledger 6): exact where measurements of such a run are met, else by policy, or estimated.

use super::Inputs;
use super::policies::{Loss, NormOutputs, Policies, Qkv, Selective, StateLayout};
use super::slots::Slot;
use crate::config::RecomputeLayers;
use crate::memory::Certainty;
use crate::model::tensors::{Mixer, Sureness, Tensors};
use crate::placement::Schedule;

/// What of a run no measurement covers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sure {
    /// Nothing of the run is like a measured one.
    estimated: bool,
    /// Tokens are mixed in ways that were not measured.
    other_mixers: bool,
    policies: Policies,
    selective: bool,
}

impl Sure {
    pub(super) fn of(inputs: Inputs<'_>, policies: Policies) -> Self {
        let primary = inputs.config.primary();
        let above = |degree: i64| degree > 1;
        let (tensor, pipeline) = (above(primary.tensor_parallel), above(primary.pipeline_parallel));
        let (context, expert) = (above(primary.context_parallel), above(primary.expert_parallel));
        let combined = tensor && (pipeline || context || expert) || expert && pipeline;
        let experts_split = primary.expert_tensor_parallel > 1;
        let muon = primary.optimizer.to_ascii_lowercase().contains("muon");
        let scheduled = pipeline && inputs.placement.schedule() != Schedule::OneForwardOneBackward;
        let parts = inputs.placement.parts() > 1;
        let estimated = policies.state_layout() == StateLayout::Zero1
            || combined
            || experts_split
            || muon
            || scheduled
            || parts
            || inputs.tensors.sureness == Sureness::Inferred;
        let selective =
            !matches!(primary.selective_recompute, RecomputeLayers::All(false)) || primary.recompute_ranges.is_some();
        Self { estimated, other_mixers: other_mixers(inputs.tensors), policies, selective }
    }

    pub(super) fn certainty(&self, slot: Slot) -> Certainty {
        if self.estimated {
            return Certainty::Estimated;
        }
        let mixes = matches!(slot, Slot::Attention | Slot::Recomputed | Slot::Forward | Slot::Backward);
        if self.other_mixers && mixes {
            return Certainty::Estimated;
        }
        if self.by_policy(slot) { Certainty::Policy } else { slot.kind().certainty }
    }

    /// Whether a policy whose value no measurement has decides the item.
    fn by_policy(&self, slot: Slot) -> bool {
        let policies = self.policies;
        match slot {
            Slot::Output | Slot::Loss => policies.loss() != Loss::FullFp32,
            Slot::Attention => {
                policies.qkv() == Qkv::Fused
                    || policies.norm_outputs() == NormOutputs::Shard
                    || self.selective && policies.selective() == Selective::HyperParallel
            }
            Slot::FeedForward | Slot::SharedExperts | Slot::Router | Slot::Experts => {
                policies.norm_outputs() == NormOutputs::Shard
                    || self.selective && policies.selective() == Selective::HyperParallel
            }
            _ => false,
        }
    }
}

fn other_mixers(tensors: &Tensors) -> bool {
    tensors.text.runs.iter().any(|run| match run.mixer {
        Mixer::Attention | Mixer::Sliding | Mixer::Latent | Mixer::None => false,
        Mixer::Cross | Mixer::Compressed | Mixer::Delta | Mixer::KimiDelta | Mixer::Lightning | Mixer::StateSpace => {
            true
        }
    })
}
