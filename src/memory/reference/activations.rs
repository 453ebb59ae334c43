//! What a node keeps between its forward and its backward (memory-core 7.1 to 7.5).

use super::fields::{Layer, Measured};
use super::parameters::head_width;
use super::policies::{OutputActivations, RecomputeInput};
use crate::config::Switches;
use crate::explain::{Quantity, formulas};
use crate::model::Census;

formulas! {
    /// What a layer keeps of its query, key and value projections and of the batched matmuls, bytes.
    QKV "qkv" "memory-core 7.1";
    /// Elements a token of the attention's projections.
    PROJECTIONS "qkv-elements" "memory-core 7.1";
    /// Elements a token of the up-projections from the latents.
    UP_PROJECTIONS "up-elements" "memory-core 7.1";
    /// What a layer keeps of its attention scores, bytes.
    SCORE "score" "memory-core 7.1";
    /// What a layer keeps of its attention's output projection, bytes.
    PROJECTION "proj" "memory-core 7.1";
    /// Bytes a token that a feed-forward keeps.
    WIDTH_BYTES "ffn-bytes" "memory-core 7.1";
    /// What a layer keeps of its dense feed-forward, bytes.
    FEED_FORWARD "ffn" "memory-core 7.1";
    /// Tokens that a rank's routed experts take, over all of them.
    LOAD "load" "memory-core 7.1";
    /// What a layer keeps of its routed experts, bytes.
    ROUTED "routed" "memory-core 7.1";
    /// What a layer keeps of its shared experts, bytes.
    SHARED "shared" "memory-core 7.1";
    /// What a layer keeps of its router, bytes.
    ROUTER "router" "memory-core 7.1";
    /// What a layer keeps of its norms, bytes.
    NORM "norm" "memory-core 7.1";
    /// What a layer keeps, bytes.
    LAYER "layer-activation" "memory-core 7.1";
    /// What a fully recomputed layer keeps: its input, which CP does not divide, bytes.
    INPUT "recompute-input" "memory-core 7.2";
    /// Measured activations, bytes.
    CENSUS "measured" "memory-core 7.3";
    /// Bytes a token, measured, that stay between the passes.
    CENSUS_KEPT "measured-kept" "memory-core 7.3";
    /// Bytes a token, measured, while the layer works.
    CENSUS_HELD "measured-held" "memory-core 7.3";
    /// What the embedding keeps, bytes.
    EMBEDDING "embedding-activation" "memory-core 7.4";
    /// What the output layer keeps: the norm's input and the logits, bytes.
    OUTPUT "output-activation" "memory-core 7.5";
    /// What the MTP heads keep: their inputs, an embedding and an output each, bytes.
    MTP "mtp-activation" "memory-core 7.5";
}

/// Where in a step a node is evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point<V> {
    /// Micro-batches in flight, at least 1 (f).
    pub(crate) in_flight: V,
    /// The schedule's raw factor, which buffers take as it is (g).
    pub(crate) raw: V,
    /// Tokens of the sequence, or of the part of it, that is under way.
    pub(crate) sequence: V,
}

/// What a layer keeps, slot by slot; slots a layer does not have are zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots<V> {
    pub(crate) qkv: V,
    pub(crate) score: V,
    pub(crate) projection: V,
    pub(crate) feed_forward: V,
    pub(crate) routed: V,
    pub(crate) shared: V,
    pub(crate) router: V,
    pub(crate) norm: V,
    /// Measured activations, which stand in the place of the slots.
    pub(crate) measured: V,
}

impl<V: Quantity> Slots<V> {
    /// Nothing kept.
    pub(crate) fn none(l: &Layer<V>) -> Self {
        let none = l.literal(0.0);
        Self {
            qkv: none,
            score: none,
            projection: none,
            feed_forward: none,
            routed: none,
            shared: none,
            router: none,
            norm: none,
            measured: none,
        }
    }

    /// The attention's slots.
    pub(crate) fn attention(&self) -> V {
        self.qkv + self.score + self.projection
    }

    /// The feed-forward's slots, with experts and router.
    pub(crate) fn feed_forwards(&self) -> V {
        self.feed_forward + (self.routed + self.shared + self.router)
    }

    /// Everything the layer keeps.
    pub(crate) fn total(&self) -> V {
        (self.attention() + self.feed_forwards() + self.norm + self.measured).named(&LAYER)
    }
}

/// What an evaluation is for; it matters to measured activations only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// What stays between the passes.
    BetweenPasses,
    /// The layer under way, whose kept activations the stage counts already.
    WorkingKept,
    /// The layer under way, recomputed: nothing of it is counted yet.
    WorkingRecomputed,
}

/// What a plain layer keeps, or a selective one with the switches given.
pub(crate) fn layer<V: Quantity>(
    l: &Layer<V>,
    selective: Option<Switches>,
    point: Point<V>,
    purpose: Purpose,
) -> Slots<V> {
    if let Some(measured) = census(l, selective, point, purpose) {
        return Slots { measured, ..Slots::none(l) };
    }
    let keeps = selective.unwrap_or(Switches::ALL_KEPT);
    let slots = Slots {
        qkv: qkv(l, keeps, point),
        score: score(l, keeps, point),
        projection: projection(l, keeps, point),
        norm: norm(l, keeps, point),
        ..Slots::none(l)
    };
    if l.cases.experts {
        Slots { routed: routed(l, keeps, point), shared: shared(l, keeps, point), router: router(l, point), ..slots }
    } else {
        Slots { feed_forward: feed_forward(l, keeps, point), ..slots }
    }
}

/// What a fully recomputed layer keeps: its input, which CP does not divide as specified.
pub(crate) fn recomputed_layer<V: Quantity>(l: &Layer<V>, point: Point<V>) -> V {
    let n = &l.n;
    let input = point.in_flight * n.compute_width * point.sequence * n.batch * n.hidden / n.input_shard;
    let input = match l.cases.policies.recompute_input() {
        RecomputeInput::InputWhole => input,
        RecomputeInput::InputDivided => (input / n.context).because("by policy, CP divides it"),
    };
    input.named(&INPUT)
}

fn qkv<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let n = &l.n;
    let batched = if keeps.attention_batched_matmul {
        n.attention_batched_matmul * n.head_width
    } else {
        l.literal(0.0).because("the batched matmuls are recomputed")
    };
    let elements = projections(l) + up_projections(l, keeps) + batched;
    (point.in_flight * (point.sequence * n.batch * n.compute_width * elements) / (n.tensor * n.context)).named(&QKV)
}

fn projections<V: Quantity>(l: &Layer<V>) -> V {
    let n = &l.n;
    let matmuls = n.attention_matmul + n.attention_casts;
    if !l.cases.latent {
        let kv = matmuls * 0.5 * n.head_width * n.kv_heads * n.context / n.kv_shards;
        return (matmuls * 0.25 * n.hidden + kv).because("full attention").named(&PROJECTIONS);
    }
    let query = if l.cases.query_latent {
        n.query_latent.because("queries have a latent")
    } else {
        (n.query_latent + n.heads * 2.0 * (n.head_width + n.rotary)).because("queries have no latent")
    };
    let rotary = matmuls * 0.25 * n.rotary;
    let kv = matmuls * 0.25 * (n.kv_heads * n.head_width + n.kv_latent);
    let elements = matmuls * 0.25 * query + (rotary + kv) * n.context / n.kv_shards;
    elements.because("latent attention").named(&PROJECTIONS)
}

fn up_projections<V: Quantity>(l: &Layer<V>, keeps: Switches) -> V {
    let n = &l.n;
    if !l.cases.latent {
        return l.literal(0.0);
    }
    if !keeps.attention_up {
        return l.literal(0.0).because("the up-projections are recomputed");
    }
    let matmuls = n.attention_matmul + n.attention_casts;
    let query = if l.cases.query_latent {
        n.heads * 2.0 * (n.head_width + n.rotary)
    } else {
        l.literal(0.0).because("queries have no latent")
    };
    let kv = matmuls * 0.25 * n.kv_heads * (n.head_width * 2.0 + n.rotary) * n.context / n.kv_shards;
    (matmuls * 0.25 * query + kv).named(&UP_PROJECTIONS)
}

fn score<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let n = &l.n;
    let op = |kept: bool, width: V, recomputed| {
        if kept { n.softmax * width } else { l.literal(0.0).because(recomputed) }
    };
    let bytes = op(keeps.softmax, n.softmax_width, "the softmax is recomputed")
        + op(keeps.dropout, n.dropout_width, "dropout is recomputed")
        + op(keeps.head_cast, n.compute_width, "the cast of the scores is recomputed");
    let scores = n.flash_sequence * n.batch * n.heads * point.sequence;
    (point.in_flight * (scores * bytes) / (n.tensor * n.context)).named(&SCORE)
}

fn projection<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let n = &l.n;
    let matmuls = (n.attention_matmul + n.attention_casts) * 0.25;
    let dropouts =
        if keeps.dropout { n.dropout * n.dropout_width } else { l.literal(0.0).because("dropout is recomputed") };
    let tokens = point.sequence * n.batch * n.hidden * n.compute_width;
    (point.in_flight * (tokens * (matmuls + dropouts)) / n.sequence_shards.larger(n.context)).named(&PROJECTION)
}

/// Bytes a token that a feed-forward of a width keeps.
fn feed_forward_bytes<V: Quantity>(l: &Layer<V>, keeps: Switches, width: V) -> V {
    let n = &l.n;
    let between = if l.cases.even_matmuls {
        (n.hidden * 0.5 + width * 0.5).because("an even number of matmuls")
    } else {
        (n.hidden * (1.0 / 3.0) + width * (2.0 / 3.0)).because("an odd number of matmuls")
    };
    let matmuls = between * (n.compute_width * n.feed_forward_matmul) + n.compute_width * width * n.feed_forward_casts;
    let activation = if keeps.feed_forward_activation {
        n.compute_width * width
    } else {
        l.literal(0.0).because("the activation function is recomputed")
    };
    (matmuls + activation).named(&WIDTH_BYTES)
}

fn feed_forward<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    split_feed_forward(l, keeps, point, l.n.feed_forward).named(&FEED_FORWARD)
}

fn split_feed_forward<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>, width: V) -> V {
    let n = &l.n;
    point.in_flight * (point.sequence * n.batch) * feed_forward_bytes(l, keeps, width) / (n.tensor * n.context)
}

fn routed<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let n = &l.n;
    let tokens = point.sequence * n.batch;
    let share = tokens * n.chosen_experts / n.experts;
    let load = if l.cases.dropless {
        (share * n.experts).because("dropless")
    } else {
        (share * n.capacity * n.experts).because("up to the capacity")
    };
    (split_feed_forward(l, keeps, point, n.expert_feed_forward) / tokens * load.named(&LOAD)).named(&ROUTED)
}

fn shared<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let one = split_feed_forward(l, keeps, point, l.n.expert_feed_forward);
    (l.n.shared_experts * one).named(&SHARED)
}

fn router<V: Quantity>(l: &Layer<V>, point: Point<V>) -> V {
    let n = &l.n;
    let tokens = point.sequence * n.batch * n.compute_width;
    let choice = tokens * (n.experts * 2.0 + n.chosen_experts);
    (point.in_flight * (choice + tokens * n.hidden) / (n.tensor * n.context)).named(&ROUTER)
}

fn norm<V: Quantity>(l: &Layer<V>, keeps: Switches, point: Point<V>) -> V {
    let n = &l.n;
    let elements = if keeps.norm {
        n.hidden * n.norm + n.qk_norms * (n.heads + n.kv_heads) * head_width(l)
    } else {
        l.literal(0.0).because("norms are recomputed")
    };
    let tokens = point.sequence * n.batch * n.norm_width;
    (point.in_flight * (tokens * elements) / (n.tensor * n.context)).named(&NORM)
}

/// Measured activations in the place of the slots, where the kind has some that cover what the layer recomputes.
fn census<V: Quantity>(l: &Layer<V>, selective: Option<Switches>, point: Point<V>, purpose: Purpose) -> Option<V> {
    let n = &l.n;
    let census = l.cases.census?;
    let gathered = if l.cases.gathers_kv {
        ((n.context - 1.0) * 2.0 * n.kv_heads * n.head_width * n.compute_width / n.tensor)
            .because("keys and values are gathered within CP")
    } else {
        l.literal(0.0)
    };
    let split = |sequence: V, tensor: V| sequence / n.sequence_shards + tensor / n.tensor;
    let measured = measured(l, census);
    let kept = match (selective, census.selective) {
        (None, _) => split(measured.saved, measured.saved_tensor) + gathered,
        (Some(Switches::HYPER_SELECTIVE), Some(_)) => split(measured.selective, measured.selective_tensor)
            .because("measured under HyperParallel's selective recompute"),
        (Some(_), _) => return None,
    };
    let held = split(measured.working, measured.working_tensor) + gathered;
    let tokens = point.in_flight * point.sequence * n.batch / n.context;
    Some((tokens * by_purpose(l, purpose, kept, held)).named(&CENSUS))
}

fn measured<V: Quantity>(l: &Layer<V>, census: Census) -> Measured<V> {
    let Census { saved, saved_tensor, working, working_tensor, selective } = census;
    let (selective, selective_tensor) = selective.unwrap_or_default();
    Measured { saved, saved_tensor, working, working_tensor, selective, selective_tensor }.lift(l.context)
}

fn by_purpose<V: Quantity>(l: &Layer<V>, purpose: Purpose, kept: V, held: V) -> V {
    let (kept, held) = (kept.named(&CENSUS_KEPT), held.named(&CENSUS_HELD));
    match purpose {
        Purpose::BetweenPasses => kept,
        Purpose::WorkingKept => {
            l.literal(0.0).larger(held - kept).because("what stays between the passes is counted already")
        }
        Purpose::WorkingRecomputed => held.because("nothing of the layer is counted yet"),
    }
}

/// What the embedding keeps.
pub(crate) fn embedding<V: Quantity>(l: &Layer<V>, point: Point<V>) -> V {
    let n = &l.n;
    let tokens = point.sequence * n.batch * n.hidden;
    (point.in_flight * n.compute_width / (n.tensor * n.context) * tokens).named(&EMBEDDING)
}

/// What the output layer keeps, without MTP heads: the norm's input and the logits.
pub(crate) fn output<V: Quantity>(l: &Layer<V>, point: Point<V>, purpose: Purpose) -> V {
    let n = &l.n;
    if let Some(census) = l.cases.output_census {
        return output_census(l, census, point, purpose).named(&CENSUS);
    }
    let tokens = point.sequence * n.batch;
    let kept = tokens * n.norm_width * n.hidden + tokens * n.compute_width * n.vocabulary;
    (point.in_flight * under_context(l, kept / n.output_shard)).named(&OUTPUT)
}

fn output_census<V: Quantity>(l: &Layer<V>, census: Census, point: Point<V>, purpose: Purpose) -> V {
    let n = &l.n;
    let tokens = point.in_flight * point.sequence * n.batch / n.context;
    let measured = measured(l, census);
    let kept = measured.saved + measured.saved_tensor / n.logits_shard;
    let held = measured.working + measured.working_tensor / n.logits_shard;
    tokens * by_purpose(l, purpose, kept, held)
}

/// What the output layer keeps on one of CP's ranks.
fn under_context<V: Quantity>(l: &Layer<V>, kept: V) -> V {
    match l.cases.policies.output_activations() {
        OutputActivations::Divided => kept / l.n.context,
        OutputActivations::Whole => kept.because("by policy, CP does not divide it"),
    }
}

/// What the MTP heads keep beside the output layer: their inputs, an embedding and an output each.
pub(crate) fn mtp<V: Quantity>(l: &Layer<V>, point: Point<V>, purpose: Purpose) -> V {
    let n = &l.n;
    let inputs = point.sequence * n.batch * 3.0 * n.hidden;
    let heads = under_context(l, point.in_flight * n.mtp * n.compute_width * inputs);
    (heads + n.mtp * embedding(l, point) + n.mtp * output(l, point, purpose)).named(&MTP)
}
