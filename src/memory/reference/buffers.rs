//! Communication buffers of one node (memory-core 7.6). Units are mixed as in the reference: some of these are element
//! counts used as bytes.

use super::activations::Point;
use super::cases::{ContextAlgorithm, DataLevel};
use super::fields::Layer;
use super::parameters::{self, Parameters};
use super::policies::{LayerBuffer, OutputBuffer};
use crate::config::Switches;
use crate::explain::{Quantity, formulas};

formulas! {
    /// The buffer that a node counts: the largest of the three that gather.
    GATHERED "gathers" "memory-core 7.6";
    /// Gathered parameters of a node.
    DATA "dp-buffer" "memory-core 7.6";
    /// Gathered parameters of a layer that holds them; the reference counts elements.
    WHOLE "layer-gathers" "memory-core 7.6";
    /// The buffer of tensor parallelism.
    TENSOR "tp-buffer" "memory-core 7.6";
    /// The buffer of context parallelism.
    CONTEXT "cp-buffer" "memory-core 7.6";
    /// The buffer of expert parallelism: tokens on their way to and from other ranks.
    EXPERT "ep-buffer" "memory-core 7.6";
    /// The gathered embedding table; the reference counts elements.
    EMBEDDING "embedding-gather" "memory-core 7.6";
    /// The gathered output table; the reference counts elements.
    OUTPUT "output-gather" "memory-core 7.6";
}

/// The buffers of a node, of which it counts the largest of the first three, and the last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffers<V> {
    pub(crate) data: V,
    pub(crate) tensor: V,
    pub(crate) context: V,
    pub(crate) expert: V,
}

/// Which buffer a node counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Largest {
    Data,
    Tensor,
    Context,
}

impl<V: Quantity> Buffers<V> {
    /// The buffer that gathers: the largest of three.
    pub(crate) fn gathered(&self) -> V {
        self.data.larger(self.tensor).larger(self.context).named(&GATHERED)
    }

    /// Which of the three that is; on ties the first.
    pub(crate) fn largest(&self) -> Largest {
        let (data, tensor, context) = (self.data.number(), self.tensor.number(), self.context.number());
        if data >= tensor && data >= context {
            Largest::Data
        } else if tensor >= context {
            Largest::Tensor
        } else {
            Largest::Context
        }
    }
}

/// How often a layer's gathered parameters are counted where they are freed after use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Gathers {
    /// Between the passes: layers none, tables once.
    BetweenPasses,
    /// In a working set: layers so many times, tables not again.
    Working(f64),
}

/// Buffers of a plain layer, or of a selective one with the switches given.
pub(crate) fn layer<V: Quantity>(
    l: &Layer<V>,
    parameters: &Parameters<V>,
    selective: Option<Switches>,
    point: Point<V>,
    gathers: Gathers,
) -> Buffers<V> {
    let gather_kept = selective.is_none_or(|switches| switches.gather);
    Buffers {
        data: layer_data(l, parameters, gathers),
        tensor: layer_tensor(l, gather_kept, point),
        context: layer_context(l, gather_kept, point),
        expert: layer_expert(l, point),
    }
}

/// Buffers of a fully recomputed layer: its parameters' gathers alone.
pub(crate) fn recomputed_layer<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>, gathers: Gathers) -> Buffers<V> {
    let none = l.literal(0.0);
    Buffers { data: layer_data(l, parameters, gathers), tensor: none, context: none, expert: none }
}

fn layer_data<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>, gathers: Gathers) -> V {
    let times = match gathers {
        Gathers::BetweenPasses => 0.0,
        Gathers::Working(times) => times,
    };
    if l.cases.reshards {
        let freed = match gathers {
            Gathers::BetweenPasses => "gathered parameters are freed after use: none stay between the passes",
            Gathers::Working(_) => "gathered parameters are freed after use: counted while the layer is under way",
        };
        (whole_layer_data(l, parameters) * times).because(freed).named(&DATA)
    } else {
        whole_layer_data(l, parameters).because("gathered parameters are not freed").named(&DATA)
    }
}

/// The gathers of a layer that holds them.
pub(crate) fn whole_layer_data<V: Quantity>(l: &Layer<V>, parameters: &Parameters<V>) -> V {
    let n = &l.n;
    let size = parameters.dense();
    let dense = match l.cases.data_level {
        DataLevel::Off => l.literal(0.0).because("data parallelism gathers nothing"),
        DataLevel::Optimizer => {
            (size / (layer_shard(l) * n.tensor) + size / n.tensor).because("optimizer states are sharded")
        }
        DataLevel::Gradients => (size / n.tensor).because("optimizer states and gradients are sharded"),
    };
    (dense + expert_data(l, parameters.experts())).named(&WHOLE)
}

/// What CP divides the sharded term by.
fn layer_shard<V: Quantity>(l: &Layer<V>) -> V {
    match l.cases.policies.layer_buffer() {
        LayerBuffer::LayerTensorAndContext => l.n.context,
        LayerBuffer::LayerParameter => l.n.param_context.because("by policy, as the parameter is sharded"),
    }
}

fn expert_data<V: Quantity>(l: &Layer<V>, size: V) -> V {
    let n = &l.n;
    let spread = n.context * n.expert_tensor * n.expert;
    match l.cases.expert_data_level {
        DataLevel::Off => l.literal(0.0).because("no ranks share a slice of an expert"),
        DataLevel::Optimizer => size / spread + size / n.expert.larger(n.expert_tensor),
        DataLevel::Gradients => size / spread,
    }
}

fn layer_tensor<V: Quantity>(l: &Layer<V>, gather_kept: bool, point: Point<V>) -> V {
    let n = &l.n;
    if !gather_kept {
        return l.literal(0.0).because("gathers are recomputed").named(&TENSOR);
    }
    let gathers = n.gather * 0.25;
    let (attention, feed_forward) = if l.cases.experts {
        let width = n.experts / n.expert * n.expert_feed_forward + n.shared_experts * n.expert_feed_forward;
        (
            (gathers * n.hidden * n.hidden * n.compute_width * n.attention_matmul)
                .because("a mixture of experts: the reference counts weights"),
            gathers * n.hidden * n.compute_width * n.feed_forward_matmul * width,
        )
    } else {
        let tokens = gathers * point.sequence * n.batch;
        ((tokens * n.hidden * point.raw).because("a dense layer"), tokens * n.feed_forward * point.raw)
    };
    (n.tensor_on * attention / n.context + n.tensor_on * feed_forward / n.context).named(&TENSOR)
}

/// It depends neither on the size of CP nor on the micro-batches in flight.
fn layer_context<V: Quantity>(l: &Layer<V>, gather_kept: bool, point: Point<V>) -> V {
    let n = &l.n;
    if n.context_on.number() == 0.0 {
        return n.context_on.named(&CONTEXT);
    }
    let tokens = n.context_on * 2.0 * point.sequence * n.batch;
    let again = if gather_kept && !l.cases.pipelined { 1.0 } else { 0.0 };
    let share = match l.cases.context_algorithm {
        ContextAlgorithm::Unknown => {
            return l.literal(0.0).because("no buffer is priced for this algorithm").named(&CONTEXT);
        }
        ContextAlgorithm::Ring => l.literal(2.0 * 0.5 * again + 0.5).because("keys and values go around a ring"),
        ContextAlgorithm::Ulysses => l.literal(0.5 * again + 0.5).because("heads are exchanged all to all"),
    };
    let share = if again == 0.0 { share } else { share.because("they are gathered again, without a pipeline") };
    let attention = tokens * (share * n.attention_matmul * n.hidden) / n.tensor;
    let feed_forward = tokens * n.feed_forward_matmul * n.feed_forward / n.tensor;
    (attention + feed_forward).named(&CONTEXT)
}

fn layer_expert<V: Quantity>(l: &Layer<V>, point: Point<V>) -> V {
    let n = &l.n;
    if !l.cases.dispatches {
        let none = if n.expert_on.number() == 0.0 { n.expert_on } else { l.literal(0.0) };
        return none.because("no tokens travel between ranks").named(&EXPERT);
    }
    let tokens = if l.cases.measured_load {
        (point.raw * n.largest_load).because("the load of each expert is measured")
    } else {
        (point.raw * n.chosen_experts * point.sequence * n.batch / n.context).because("experts are loaded evenly")
    };
    let away = tokens * (n.expert - 1.0) / n.expert;
    (away * n.hidden * n.compute_width * 2.0 * n.expert_on).named(&EXPERT)
}

/// Buffers of the embedding: its gathered table, and its output over TP.
pub(crate) fn embedding<V: Quantity>(l: &Layer<V>, point: Point<V>, gathers: Gathers) -> Buffers<V> {
    let n = &l.n;
    let none = l.literal(0.0);
    let tokens = n.tensor_on * point.sequence * n.hidden * n.batch;
    Buffers {
        data: table_data(l, gathers, embedding_gather(l)),
        tensor: (tokens * (n.tensor - 1.0) / (n.tensor * n.context)).named(&TENSOR),
        context: none,
        expert: none,
    }
}

fn embedding_gather<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    (n.data_level * n.hidden * n.vocabulary / (n.embedding_shard / n.embedding_gather * n.param_context))
        .named(&EMBEDDING)
}

/// Buffers of the output layer, with its MTP heads: gathered tables.
pub(crate) fn output<V: Quantity>(l: &Layer<V>, gathers: Gathers) -> Buffers<V> {
    let n = &l.n;
    let none = l.literal(0.0);
    let shard = match l.cases.policies.output_buffer() {
        OutputBuffer::TensorAndContext => n.tensor * n.context,
        OutputBuffer::Parameter => (n.tensor * n.param_context).because("by policy, as the parameter is sharded"),
    };
    let own = (n.data_level * parameters::output(l) / shard).named(&OUTPUT);
    let data = if l.cases.mtp {
        let head = parameters::mtp_head(l) + parameters::embedding(l) + parameters::output(l);
        let heads = n.mtp * n.data_level * head / shard;
        own + heads + n.mtp * embedding_gather(l) + n.mtp * own
    } else {
        own
    };
    Buffers { data: table_data(l, gathers, data), tensor: none, context: none, expert: none }
}

/// Tables stay gathered between the passes; a working set does not count them again, where gathers are freed at all.
fn table_data<V: Quantity>(l: &Layer<V>, gathers: Gathers, table: V) -> V {
    match gathers {
        Gathers::Working(_) if l.cases.reshards => {
            l.literal(0.0).because("the table stays gathered and is counted already").named(&DATA)
        }
        Gathers::Working(_) | Gathers::BetweenPasses => table.named(&DATA),
    }
}
