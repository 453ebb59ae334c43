//! States: sharded parameters, optimizer states and main copies (ledger 3).

use super::slots::{Amounts, Slot};
use super::units::Unit;
use crate::model::tensors::{Group, Role};

/// Bytes of states an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StateWidths {
    /// A stored parameter.
    pub stored: f64,
    /// All optimizer states of a parameter together.
    pub states: f64,
    /// The fp32 copy.
    pub main: f64,
}

/// The slot that a parameter is booked under.
const fn slot(role: Role) -> Slot {
    match role.group() {
        Group::Attention | Group::AttentionBias => Slot::ParametersAttention,
        Group::Norm => match role {
            Role::FinalNorm | Role::FinalNormBias => Slot::ParametersTables,
            _ => Slot::ParametersNorm,
        },
        Group::FeedForward | Group::FeedForwardBias | Group::Shared => Slot::ParametersFeedForward,
        Group::Router | Group::Experts => Slot::ParametersExperts,
        Group::Tables | Group::HeadBias | Group::Prediction | Group::Tower => Slot::ParametersTables,
    }
}

/// Adds the states of a unit so many times.
pub(super) fn add(states: &mut Amounts, unit: &Unit, widths: StateWidths, times: f64) {
    for part in &unit.parts {
        let shard = part.padded / unit.ranks * times;
        states[slot(part.role)] += widths.stored * shard;
        states[Slot::OptimizerStates] += widths.states * shard;
        states[Slot::MainParameters] += widths.main * shard;
    }
}

/// Adds the states of a unit as Megatron's distributed optimizer and nanotron hold them: bf16 weights 2 and fp32 gradients
/// 4, both whole, fp32 master 4 and two states 8 over `ranks`.
pub(super) fn add_whole(states: &mut Amounts, unit: &Unit, ranks: f64, times: f64) {
    for part in &unit.parts {
        let all = part.elements * times;
        states[slot(part.role)] += 2.0 * all;
        states[Slot::Gradients] += 4.0 * all;
        states[Slot::OptimizerStates] += 8.0 * all / ranks;
        states[Slot::MainParameters] += 4.0 * all / ranks;
    }
}

/// Bytes of the sharded parameters.
pub(super) fn parameters(states: &Amounts) -> f64 {
    let slots = [
        Slot::ParametersTables,
        Slot::ParametersAttention,
        Slot::ParametersFeedForward,
        Slot::ParametersExperts,
        Slot::ParametersNorm,
    ];
    slots.iter().map(|slot| states[*slot]).sum()
}
