//! Which blocks each layer has, and from them its tensors.

use super::architecture::{INFERRED, Linear, Special, Traits, traits};
use super::blocks::{self, Row, Sizes};
use super::facts::{Fact, Mark};
use super::{LayerRun, Part, Sureness, Tensor};
use crate::model::{AttentionFlavour, Dimension, FeedForwardFlavour, LayerKind, ModelSpec};
use crate::provenance::Origin;
use std::sync::Arc;

/// How a layer mixes tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mixer {
    /// Softmax attention over the whole sequence.
    Attention,
    /// Softmax attention in a window.
    Sliding,
    /// Softmax attention to another sequence.
    Cross,
    /// Multi-head latent attention.
    Latent,
    /// Attention over compressed blocks of tokens.
    Compressed,
    /// Gated delta-rule attention.
    Delta,
    /// Kimi's delta attention.
    KimiDelta,
    /// Lightning attention.
    Lightning,
    /// A state space.
    StateSpace,
    /// Not at all.
    None,
}

/// The feed-forward of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedForward {
    /// Dense.
    Dense,
    /// A mixture of experts.
    Experts,
    /// A dense one beside a mixture of experts.
    DenseAndExperts,
    /// None.
    None,
}

/// What one layer has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    pub(super) mixer: Mixer,
    pub(super) feed_forward: FeedForward,
    /// Tokens compressed into one; 0 none.
    pub(super) compressed: u64,
    /// Whether a sparse attention has an indexer of its own.
    pub(super) indexed: bool,
    /// The block of a searched architecture.
    pub(super) block: Option<super::facts::Block>,
    /// Feed-forward matmuls of the kind.
    pub(super) matmuls: u32,
    pub(super) prediction: bool,
}

/// A model spec with what its class decides.
pub(super) struct Model<'a> {
    pub(super) spec: &'a ModelSpec,
    pub(super) traits: Traits,
    pub(super) sureness: Sureness,
}

impl<'a> Model<'a> {
    /// None where the class has shapes that nobody wrote down.
    pub(super) fn of(spec: &'a ModelSpec) -> Option<Self> {
        let known = spec.facts.types.iter().flatten().find_map(|name| traits(name));
        let whole = spec.facts.language.of(Fact::Uncounted) == 0;
        let sureness = if known.is_some() && whole { Sureness::Known } else { Sureness::Inferred };
        let traits = known.unwrap_or(INFERRED);
        (traits.special != Special::Unknown).then_some(Self { spec, traits, sureness })
    }

    /// A dimension; 0 where nobody states it.
    pub(super) fn dimension(&self, field: Dimension) -> u64 {
        u64::try_from(self.spec.count(field)).unwrap_or(0)
    }

    /// A dimension as it is stated, else as the class spells it, else as it follows from others.
    pub(super) fn either(&self, field: Dimension, fact: Fact) -> u64 {
        let stated = self.spec.dimension(field).is_some_and(|stated| !matches!(stated.origin, Origin::Rule(_)));
        let own = self.spec.facts.language.stated(fact).filter(|_| !stated);
        own.unwrap_or_else(|| self.dimension(field))
    }

    pub(super) fn experts(&self) -> u64 {
        self.either(Dimension::Experts, Fact::Experts)
    }

    pub(super) fn chosen_experts(&self) -> u64 {
        self.either(Dimension::ChosenExperts, Fact::ChosenExperts)
    }

    /// The language model.
    pub(super) fn text(&self) -> Part {
        Part { root: self.root(), runs: self.runs() }
    }

    fn runs(&self) -> Vec<LayerRun> {
        let groups = &self.spec.stack.groups;
        let body: u64 = groups.iter().filter(|group| !group.mtp).map(|group| u64::from(group.count)).sum();
        let mut runs: Vec<(Plan, LayerRun)> = Vec::new();
        let mut number = 0;
        for group in &**groups {
            for _ in 0..group.count {
                // A prediction layer is made like the last one of the body.
                let like = if group.mtp { body.saturating_sub(1) } else { number };
                let plan = self.plan(like, &group.kind, group.mtp);
                match runs.last_mut() {
                    Some((last, run)) if *last == plan => run.count += 1,
                    _ => {
                        let run = self.run(number, plan, &runs);
                        runs.push((plan, run));
                    }
                }
                number += 1;
            }
        }
        runs.into_iter().map(|(_, run)| run).collect()
    }

    /// A run of one layer; its tensors are those of a run shortly before where that has the same plan.
    fn run(&self, first: u64, plan: Plan, before: &[(Plan, LayerRun)]) -> LayerRun {
        const LOOKED_BACK: usize = 8;
        let same = before.iter().rev().take(LOOKED_BACK).find(|(known, _)| *known == plan);
        let tensors = same.map_or_else(|| self.layer(&plan), |(_, run)| run.tensors.clone());
        let Plan { mixer, feed_forward, prediction, .. } = plan;
        LayerRun { mixer, feed_forward, first, count: 1, prediction, tensors }
    }

    fn plan(&self, number: u64, kind: &LayerKind, prediction: bool) -> Plan {
        let facts = &self.spec.facts;
        let mark = if self.kinds_say_attention() {
            match kind.attention {
                AttentionFlavour::Full => Mark::Full,
                AttentionFlavour::Linear => Mark::Linear,
            }
        } else {
            of_layer(&facts.attention, number).unwrap_or(Mark::Full)
        };
        let block = of_layer(&facts.blocks, number);
        Plan {
            mixer: self.mixer(number, mark, block),
            feed_forward: self.feed_forward(number, mark, kind.feed_forward, block),
            compressed: of_layer(&facts.compressed, number).unwrap_or(0),
            indexed: of_layer(&facts.indexed, number).unwrap_or(true),
            block,
            matmuls: kind.counts.feed_forward_matmul,
            prediction,
        }
    }

    /// Whether the family's kinds of layers tell full from linear attention.
    fn kinds_say_attention(&self) -> bool {
        self.spec.family.value.kinds().iter().any(|kind| kind.attention == AttentionFlavour::Linear)
    }

    fn mixer(&self, number: u64, mark: Mark, block: Option<super::facts::Block>) -> Mixer {
        if self.traits.special == Special::Compressed {
            return Mixer::Compressed;
        }
        if self.spec.facts.cross.binary_search(&number).is_ok() {
            return Mixer::Cross;
        }
        let latent = self.either(Dimension::KvLatent, Fact::KvLatent) > 0;
        match mark {
            Mark::Full | Mark::Sliding if block.is_some_and(|(group, _)| group == 0) => Mixer::None,
            Mark::Full | Mark::Sliding if latent => Mixer::Latent,
            Mark::Full => Mixer::Attention,
            Mark::Sliding => Mixer::Sliding,
            Mark::Linear => match self.traits.linear {
                Linear::Delta => Mixer::Delta,
                Linear::Kimi => Mixer::KimiDelta,
                Linear::Lightning => Mixer::Lightning,
            },
            Mark::State => Mixer::StateSpace,
            Mark::FeedForward | Mark::Experts => Mixer::None,
        }
    }

    fn feed_forward(
        &self,
        number: u64,
        mark: Mark,
        flavour: FeedForwardFlavour,
        block: Option<super::facts::Block>,
    ) -> FeedForward {
        if self.traits.special == Special::Single {
            return match mark {
                Mark::Experts => FeedForward::Experts,
                Mark::FeedForward => FeedForward::Dense,
                Mark::Full | Mark::Sliding | Mark::Linear | Mark::State => FeedForward::None,
            };
        }
        if block.is_some_and(|(_, multiple)| multiple == 0) {
            return FeedForward::None;
        }
        let experts = self.experts() > 0
            && match flavour {
                FeedForwardFlavour::Dense => false,
                FeedForwardFlavour::Experts => true,
                FeedForwardFlavour::Models => self.is_sparse(number),
            };
        let beside = matches!(self.traits.special, Special::Beside | Special::Double);
        match (experts, beside) {
            (true, true) => FeedForward::DenseAndExperts,
            (true, false) => FeedForward::Experts,
            (false, _) => FeedForward::Dense,
        }
    }

    fn is_sparse(&self, number: u64) -> bool {
        let facts = &self.spec.facts;
        if let Some(sparse) = of_layer(&facts.sparse, number) {
            return sparse;
        }
        let step = facts.language.of(Fact::SparseStep).max(1);
        number >= self.either(Dimension::LeadingDense, Fact::LeadingDense)
            && (number + 1).is_multiple_of(step)
            && facts.dense_only.binary_search(&number).is_err()
    }

    /// The tensors of a layer, in module order (ledger 2).
    fn layer(&self, plan: &Plan) -> Arc<[Tensor]> {
        let sizes = self.sizes(plan);
        let mut tensors = Vec::with_capacity(20);
        let mut add = |rows: &[Row]| of_rows(rows, &sizes, &mut tensors);
        let twice = if self.traits.special == Special::Double { 2 } else { 1 };
        for _ in 0..twice {
            add(mixer_rows(plan.mixer));
            if matches!(plan.feed_forward, FeedForward::Dense | FeedForward::DenseAndExperts) {
                add(blocks::DENSE);
            }
        }
        if matches!(plan.feed_forward, FeedForward::Experts | FeedForward::DenseAndExperts) {
            let in_order = if self.traits.router_last {
                [blocks::EXPERTS, blocks::ROUTER, blocks::SHARED]
            } else {
                [blocks::ROUTER, blocks::EXPERTS, blocks::SHARED]
            };
            for rows in in_order {
                add(rows);
            }
        }
        for _ in 0..self.norms(plan) {
            add(blocks::NORM);
        }
        if self.traits.special == Special::Compressed {
            add(blocks::HYPER);
            add(blocks::HYPER);
        }
        if plan.prediction {
            add(blocks::PREDICTION);
        }
        tensors.into()
    }

    fn root(&self) -> Vec<Tensor> {
        let mut tensors = Vec::with_capacity(blocks::ROOT.len());
        of_rows(blocks::ROOT, &self.root_sizes(), &mut tensors);
        tensors
    }
}

/// What a per-layer list says of a layer. Layers behind its end go round again, as the pattern they continue.
fn of_layer<T: Copy>(list: &[T], number: u64) -> Option<T> {
    let length = u64::try_from(list.len()).ok().filter(|length| *length > 0)?;
    list.get(usize::try_from(number % length).ok()?).copied()
}

pub(super) const fn mixer_rows(mixer: Mixer) -> &'static [Row] {
    match mixer {
        Mixer::Attention | Mixer::Sliding | Mixer::Cross => blocks::ATTENTION,
        Mixer::Latent => blocks::LATENT,
        Mixer::Compressed => blocks::COMPRESSED,
        Mixer::Delta => blocks::DELTA,
        Mixer::KimiDelta => blocks::KIMI_DELTA,
        Mixer::Lightning => blocks::LIGHTNING,
        Mixer::StateSpace => blocks::STATE_SPACE,
        Mixer::None => &[],
    }
}

/// The tensors of rows.
pub(super) fn of_rows(rows: &[Row], sizes: &Sizes, tensors: &mut Vec<Tensor>) {
    tensors.extend(rows.iter().filter_map(|row| Tensor::of(*row, sizes)));
}
