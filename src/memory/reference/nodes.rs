//! Every node of a placement, evaluated: what it holds, keeps and gathers.

use super::Policies;
use super::activations::{self, Point, Purpose, Slots};
use super::buffers::{self, Buffers, Gathers};
use super::fields::{Fields, Layer, layer, model_fields};
use super::held::{self, Reduction, Resource};
use super::parameters::{Parameters, parameters};
use super::stage::IN_FLIGHT;
use crate::config::{Config, Switches};
use crate::explain::{Group, Quantity};
use crate::placement::{Node, Placement, Run};
use std::cell::OnceCell;

/// One part of a model, ready to be evaluated: a language model, or the tower or the text of a multimodal one.
pub(super) struct Part<V: Quantity> {
    kinds: Vec<Kind<V>>,
    tables: Tables<V>,
}

/// What does not depend on where a layer of a kind runs.
struct Kind<V: Quantity> {
    /// The reference's name for it.
    name: &'static str,
    layer: Layer<V>,
    parameters: Parameters<V>,
    held: Held<V>,
    reduction: Reduction<V>,
    /// Under way when warm-up ends, recomputed and kept, and when the backward ends.
    under_way: [OnceCell<Value<V>>; 3],
}

/// When a node is under way, beside everything that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// Its gathered parameters are counted twice: its own, and those of the layer fetched ahead.
    WarmupEnd,
    /// Its gathered parameters are counted once, and nothing of it is counted as kept.
    BackwardEnd,
}

struct Tables<V> {
    embedding: [V; 3],
    output: [V; 3],
    mtp: [V; 3],
    output_reduction: Reduction<V>,
}

/// What a node holds all the time, by [`Resource`]: in all, and by part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held<V> {
    pub(super) total: [V; 3],
    pub(super) parts: HeldParts<V>,
}

/// The parts of what a node holds, by [`Resource`].
#[derive(Debug, Clone, Copy)]
pub(super) enum HeldParts<V> {
    Layer([Parameters<V>; 3]),
    Embedding,
    /// With what the MTP heads hold of it.
    Output {
        mtp: Option<[V; 3]>,
    },
}

/// A node at one point of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<V> {
    pub(super) kept: KeptParts<V>,
    pub(super) activation: V,
    pub(super) buffers: Buffers<V>,
    pub(super) gathered: V,
    /// Activation and buffers.
    pub(super) total: V,
}

/// The parts of what a node keeps.
#[derive(Debug, Clone, Copy)]
pub(super) enum KeptParts<V> {
    Layer(Slots<V>),
    /// A fully recomputed layer's input.
    Input(V),
    Embedding(V),
    Output {
        own: V,
        mtp: Option<V>,
    },
}

impl Part<f64> {
    /// The parts of a placed model as numbers, in walking order.
    pub(super) fn all(config: &Config, placement: &Placement, policies: Policies) -> Vec<Self> {
        let configs = configs(config).enumerate();
        configs.map(|(at, config)| Self::new(config, placement, at, policies, (), &|n| n)).collect()
    }
}

/// The configs of a model's parts, in walking order.
pub(super) fn configs(config: &Config) -> impl Iterator<Item = &Config> {
    let whole = config.submodules().is_empty().then_some(config);
    whole.into_iter().chain(config.submodules().iter().map(|submodule| &submodule.config))
}

impl<V: Quantity> Part<V> {
    /// A part; `lift` makes quantities of the numbers of a kind.
    pub(super) fn new(
        config: &Config,
        placement: &Placement,
        part: usize,
        policies: Policies,
        context: V::Context,
        lift: &impl Fn(Fields<f64>) -> Fields<V>,
    ) -> Self {
        let models = model_fields(config);
        let kinds = placement.kinds(part).iter().map(|placed| {
            let layer = layer(config, &placed.kind, placed.census, policies, &models, context, lift);
            Kind::of(placed.kind.name, layer)
        });
        let kinds: Vec<Kind<V>> = kinds.collect();
        // Tables read no field that a kind overrides.
        let tables = Tables::of(&kinds[0].layer);
        Self { kinds, tables }
    }

    /// Some of a run's nodes in a chunk.
    pub(super) fn group(&self, run: &Run, chunk: usize, count: u32) -> Group {
        let kind = match run.node {
            // Numbers know no names.
            _ if !V::EXPLAINS => "",
            Node::Embedding => "embedding",
            Node::Output => "output",
            Node::Plain | Node::Selective(_) | Node::Full => self.kinds[run.kind].name,
        };
        Group { kind, letter: run.node.letter(), chunk, count }
    }

    /// A layer as its kind leaves the config.
    pub(super) fn layer(&self, kind: usize) -> &Layer<V> {
        &self.kinds[kind].layer
    }

    /// A layer's gradients that are reduced.
    pub(super) fn layer_reduction(&self, kind: usize) -> Reduction<V> {
        self.kinds[kind].reduction
    }

    /// The output table's gradient that is reduced.
    pub(super) fn output_reduction(&self) -> Reduction<V> {
        self.tables.output_reduction
    }

    /// What a node holds all the time.
    pub(super) fn held(&self, run: &Run) -> Held<V> {
        match run.node {
            Node::Embedding => Held { total: self.tables.embedding, parts: HeldParts::Embedding },
            Node::Output if self.layer(0).cases.mtp => Held {
                total: std::array::from_fn(|at| self.tables.output[at] + self.tables.mtp[at]),
                parts: HeldParts::Output { mtp: Some(self.tables.mtp) },
            },
            Node::Output => Held { total: self.tables.output, parts: HeldParts::Output { mtp: None } },
            Node::Plain | Node::Selective(_) | Node::Full => self.kinds[run.kind].held,
        }
    }

    /// What the embedding's tables of the MTP heads hold, which the printed counters see twice.
    pub(super) fn mtp_embeddings(&self) -> Option<[V; 3]> {
        let layer = self.layer(0);
        layer.cases.mtp.then(|| self.tables.embedding.map(|embedding| layer.n.mtp * embedding))
    }

    /// A node between the passes.
    pub(super) fn between_passes(&self, node: Node, kind: usize, point: Point<V>) -> Value<V> {
        self.value(node, kind, point, Purpose::BetweenPasses, Gathers::BetweenPasses)
    }

    /// A node under way: one micro-batch, the whole sequence, its parameters gathered. A fully recomputed layer is under way
    /// as a plain one. Equal on every stage, so evaluated once.
    pub(super) fn under_way(&self, node: Node, kind: usize, moment: Moment) -> Value<V> {
        let once = &self.kinds[kind].under_way;
        let [recomputed, kept, last] = once;
        match (node, moment) {
            (Node::Full, Moment::WarmupEnd) => {
                *recomputed.get_or_init(|| self.working(Node::Plain, kind, moment, false))
            }
            (Node::Plain, Moment::WarmupEnd) => *kept.get_or_init(|| self.working(Node::Plain, kind, moment, true)),
            (Node::Full | Node::Plain, Moment::BackwardEnd) => {
                *last.get_or_init(|| self.working(Node::Plain, kind, moment, false))
            }
            (Node::Selective(_) | Node::Embedding | Node::Output, _) => {
                self.working(node, kind, moment, moment == Moment::WarmupEnd)
            }
        }
    }

    fn working(&self, node: Node, kind: usize, moment: Moment, kept: bool) -> Value<V> {
        let purpose = if kept { Purpose::WorkingKept } else { Purpose::WorkingRecomputed };
        let times = match moment {
            Moment::WarmupEnd => 2.0,
            Moment::BackwardEnd => 1.0,
        };
        self.value(node, kind, self.one_micro_batch(), purpose, Gathers::Working(times))
    }

    /// One micro-batch of the whole sequence.
    pub(super) fn one_micro_batch(&self) -> Point<V> {
        let layer = self.layer(0);
        let one = layer.literal(1.0).because("one micro-batch is under way").named(&IN_FLIGHT);
        Point { in_flight: one, raw: one, sequence: layer.n.sequence }
    }

    fn value(&self, node: Node, kind: usize, point: Point<V>, purpose: Purpose, gathers: Gathers) -> Value<V> {
        let tables = self.layer(0);
        match node {
            Node::Embedding => {
                let kept = activations::embedding(tables, point);
                Value::new(KeptParts::Embedding(kept), kept, buffers::embedding(tables, point, gathers))
            }
            Node::Output => {
                let own = activations::output(tables, point, purpose);
                let mtp = tables.cases.mtp.then(|| activations::mtp(tables, point, purpose));
                let all = mtp.map_or(own, |mtp| own + mtp);
                Value::new(KeptParts::Output { own, mtp }, all, buffers::output(tables, gathers))
            }
            Node::Plain => self.layer_value(kind, None, point, purpose, gathers),
            Node::Selective(switches) => self.layer_value(kind, Some(switches), point, purpose, gathers),
            Node::Full => {
                let Kind { layer, parameters, .. } = &self.kinds[kind];
                let input = activations::recomputed_layer(layer, point);
                Value::new(KeptParts::Input(input), input, buffers::recomputed_layer(layer, parameters, gathers))
            }
        }
    }

    fn layer_value(
        &self,
        kind: usize,
        selective: Option<Switches>,
        point: Point<V>,
        purpose: Purpose,
        gathers: Gathers,
    ) -> Value<V> {
        let Kind { layer, parameters, .. } = &self.kinds[kind];
        let slots = activations::layer(layer, selective, point, purpose);
        let buffers = buffers::layer(layer, parameters, selective, point, gathers);
        Value::new(KeptParts::Layer(slots), slots.total(), buffers)
    }
}

impl<V: Quantity> Kind<V> {
    fn of(name: &'static str, layer: Layer<V>) -> Self {
        let parameters = parameters(&layer);
        let held = Held {
            total: Resource::ALL.map(|resource| held::layer(&layer, &parameters, resource)),
            parts: HeldParts::Layer(Resource::ALL.map(|resource| held::layer_parts(&layer, &parameters, resource))),
        };
        let reduction = held::layer_reduction(&layer, &parameters);
        Self { name, layer, parameters, held, reduction, under_way: Default::default() }
    }
}

impl<V: Quantity> Tables<V> {
    fn of(layer: &Layer<V>) -> Self {
        Self {
            embedding: Resource::ALL.map(|resource| held::embedding(layer, resource)),
            output: Resource::ALL.map(|resource| held::output(layer, resource)),
            mtp: Resource::ALL.map(|resource| held::mtp(layer, resource)),
            output_reduction: held::output_reduction(layer),
        }
    }
}

impl<V: Quantity> Value<V> {
    fn new(kept: KeptParts<V>, activation: V, buffers: Buffers<V>) -> Self {
        let gathered = buffers.gathered();
        Self { kept, activation, buffers, gathered, total: activation + (gathered + buffers.expert) }
    }

    /// The node's buffers.
    pub(super) fn comm(&self) -> V {
        self.gathered + self.buffers.expert
    }
}
