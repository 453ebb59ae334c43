//! Static memory: parameters, optimizer states and gradients that a rank holds all the time (memory-core 6).

use super::fields::{Cases, Layer};
use super::parameters::{self, Parameters};
use crate::explain::{Formula, Quantity};

static EMBEDDING: Formula = Formula { id: "embedding-held", reference: "memory-core 6" };
static OUTPUT: Formula = Formula { id: "output-held", reference: "memory-core 6" };
static MTP: Formula = Formula { id: "mtp-held", reference: "memory-core 6" };

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
    parameters.dense() * width / dense
        + (parameters.routed / l.n.expert) * width / routed
        + parameters.shared * width / shared
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
    if is_table_shared(&l.cases) {
        return l.literal(0.0).because("the output layer holds the tied table").named(&EMBEDDING);
    }
    let n = &l.n;
    let table = parameters::embedding(l) / n.embedding_shard;
    (table * (resource.table_width(l) / n.param_context)).named(&EMBEDDING)
}

/// What a rank holds of the output layer, without MTP heads.
pub(crate) fn output<V: Quantity>(l: &Layer<V>, resource: Resource) -> V {
    let (dense, _, _) = resource.shards(l);
    (parameters::output(l) * (resource.table_width(l) / dense)).named(&OUTPUT)
}

/// What a rank holds of the MTP heads beside the output layer; their layers are body layers.
pub(crate) fn mtp<V: Quantity>(l: &Layer<V>, resource: Resource) -> V {
    let (dense, _, _) = resource.shards(l);
    let head = parameters::mtp_head(l) * resource.width(l);
    let head = if l.cases.shards_mtp { head / dense } else { head.because("MTP parameters are not sharded") };
    (l.n.mtp * (embedding(l, resource) + head + output(l, resource))).named(&MTP)
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
    Reduction { whole: l.n.grad_width * whole, sharded: l.n.grad_width * sharded }
}
