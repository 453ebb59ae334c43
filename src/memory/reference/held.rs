//! Static memory: parameters, optimizer states and gradients that a rank holds all the time (memory-core 6).

use super::cases::Cases;
use super::fields::Layer;
use super::parameters::{self, Parameters};
use crate::explain::{Quantity, formulas};

formulas! {
    /// Parameters of a layer that a rank holds, bytes.
    LAYER_PARAMETERS "layer-parameters-held" "memory-core 6";
    /// Optimizer states of a layer that a rank holds, bytes.
    LAYER_OPTIMIZER "layer-optimizer-held" "memory-core 6";
    /// Gradients of a layer that a rank holds, bytes.
    LAYER_GRADIENTS "layer-gradients-held" "memory-core 6";
    /// Parameters of the embedding table that a rank holds, bytes.
    EMBEDDING_PARAMETERS "embedding-parameters-held" "memory-core 6";
    /// Optimizer states of the embedding table that a rank holds, bytes.
    EMBEDDING_OPTIMIZER "embedding-optimizer-held" "memory-core 6";
    /// Gradients of the embedding table that a rank holds, bytes.
    EMBEDDING_GRADIENTS "embedding-gradients-held" "memory-core 6";
    /// Parameters of the output table that a rank holds, bytes.
    OUTPUT_PARAMETERS "output-parameters-held" "memory-core 6";
    /// Optimizer states of the output table that a rank holds, bytes.
    OUTPUT_OPTIMIZER "output-optimizer-held" "memory-core 6";
    /// Gradients of the output table that a rank holds, bytes.
    OUTPUT_GRADIENTS "output-gradients-held" "memory-core 6";
    /// Parameters of the MTP heads beside the output layer that a rank holds; their layers are body layers, bytes.
    MTP_PARAMETERS "mtp-parameters-held" "memory-core 6";
    /// Optimizer states of the MTP heads that a rank holds, bytes.
    MTP_OPTIMIZER "mtp-optimizer-held" "memory-core 6";
    /// Gradients of the MTP heads that a rank holds, bytes.
    MTP_GRADIENTS "mtp-gradients-held" "memory-core 6";
    /// Gradients as computed, before they are reduced, bytes.
    WHOLE "whole-gradients" "memory-core 10.2";
    /// Gradients as kept, after they are reduced, bytes.
    REDUCED "reduced-gradients" "memory-core 10.2";
}

/// What is held for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Parameters,
    OptimizerStates,
    Gradients,
}

impl Resource {
    pub(crate) const ALL: [Self; 3] = [Self::Parameters, Self::OptimizerStates, Self::Gradients];

    /// Bytes a parameter of a layer.
    fn width<V: Quantity>(self, l: &Layer<V>) -> V {
        match self {
            Self::Parameters => l.n.param_width,
            Self::OptimizerStates => l.n.optimizer_width,
            Self::Gradients => l.n.grad_width,
        }
    }

    /// Bytes a parameter of a table.
    fn table_width<V: Quantity>(self, l: &Layer<V>) -> V {
        match self {
            Self::Parameters => l.n.param_width,
            Self::OptimizerStates => l.n.table_optimizer_width,
            Self::Gradients => l.n.grad_width,
        }
    }

    /// One of the three, in the order of [`Self::ALL`].
    const fn of<T: Copy>(self, all: [T; 3]) -> T {
        all[self as usize]
    }

    /// What divides non-expert, routed and shared parameters.
    fn shards<V: Quantity>(self, l: &Layer<V>) -> (V, V, V) {
        match self {
            Self::Parameters | Self::OptimizerStates => (l.n.param_shard, l.n.routed_shard, l.n.shared_shard),
            Self::Gradients => (l.n.grad_shard, l.n.routed_grad_shard, l.n.shared_grad_shard),
        }
    }
}

/// What a rank holds of a layer, for one resource.
pub(crate) fn layer<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>, resource: Resource) -> V {
    let (dense, routed, shared) = resource.shards(l);
    let width = resource.width(l);
    let held = parameters.dense() * width / dense
        + (parameters.routed / l.n.expert) * width / routed
        + parameters.shared * width / shared;
    held.named(resource.of([&LAYER_PARAMETERS, &LAYER_OPTIMIZER, &LAYER_GRADIENTS]))
}

/// The same, by part of the layer: they sum to [`layer`] up to rounding.
pub(crate) fn layer_parts<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>, resource: Resource) -> Parameters<V> {
    let (dense, routed, shared) = resource.shards(l);
    let width = resource.width(l);
    Parameters {
        attention: parameters.attention * width / dense,
        norms: parameters.norms * width / dense,
        feed_forward: parameters.feed_forward * width / dense,
        router: parameters.router * width / dense,
        routed: (parameters.routed / l.n.expert) * width / routed,
        shared: parameters.shared * width / shared,
    }
}

/// Whether the output layer holds the embedding's table.
pub(crate) const fn is_table_shared(cases: &Cases) -> bool {
    cases.tied && !cases.pipelined
}

/// What a rank holds of the embedding; nothing where the output's table is the same one and stands on the same stage.
pub(crate) fn embedding<V: Quantity>(l: &Layer<V>, resource: Resource) -> V {
    let name = resource.of([&EMBEDDING_PARAMETERS, &EMBEDDING_OPTIMIZER, &EMBEDDING_GRADIENTS]);
    if is_table_shared(&l.cases) {
        return l.literal(0.0).because("the output layer holds the tied table").named(name);
    }
    let n = &l.n;
    let table = parameters::embedding(l) / n.embedding_shard;
    (table * (resource.table_width(l) / n.param_context)).named(name)
}

/// What a rank holds of the output layer, without MTP heads.
pub(crate) fn output<V: Quantity>(l: &Layer<V>, resource: Resource) -> V {
    let (dense, _, _) = resource.shards(l);
    let name = resource.of([&OUTPUT_PARAMETERS, &OUTPUT_OPTIMIZER, &OUTPUT_GRADIENTS]);
    (parameters::output(l) * (resource.table_width(l) / dense)).named(name)
}

/// What a rank holds of the MTP heads beside the output layer; their layers are body layers.
pub(crate) fn mtp<V: Quantity>(l: &Layer<V>, resource: Resource) -> V {
    let (dense, _, _) = resource.shards(l);
    let head = parameters::mtp_head(l) * resource.width(l);
    let head = if l.cases.shards_mtp { head / dense } else { head.because("MTP parameters are not sharded") };
    let name = resource.of([&MTP_PARAMETERS, &MTP_OPTIMIZER, &MTP_GRADIENTS]);
    (l.n.mtp * (embedding(l, resource) + head + output(l, resource))).named(name)
}

/// Gradients on their way through a reduction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduction<V> {
    /// Before it: as computed.
    pub(crate) whole: V,
    /// After it: as kept.
    pub(crate) sharded: V,
}

/// A layer's gradients that are reduced (memory-core 10.2).
pub(crate) fn layer_reduction<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>) -> Reduction<V> {
    let n = &l.n;
    reduction(
        l,
        [
            (parameters.dense(), n.tensor, n.grad_shard),
            (parameters.routed / n.expert, n.expert_tensor, n.routed_grad_shard),
            (parameters.shared, n.expert_tensor, n.shared_grad_shard),
        ],
    )
}

/// The output layer's gradient that is reduced.
pub(crate) fn output_reduction<V: Quantity>(l: &Layer<V>) -> Reduction<V> {
    reduction(l, [(parameters::output(l), l.n.tensor, l.n.grad_shard)])
}

/// Only what is kept on more ranks than it is computed on is reduced.
fn reduction<V: Quantity, const N: usize>(l: &Layer<V>, parts: [(V, V, V); N]) -> Reduction<V> {
    let none = l.literal(0.0);
    let (whole, sharded) = parts
        .into_iter()
        .filter(|(_, computed, kept)| kept.number() > computed.number())
        .fold((none, none), |(whole, sharded), (size, computed, kept)| {
            (whole + size / computed, sharded + size / kept)
        });
    Reduction { whole: (l.n.grad_width * whole).named(&WHOLE), sharded: (l.n.grad_width * sharded).named(&REDUCED) }
}
