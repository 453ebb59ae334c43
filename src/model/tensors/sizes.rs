//! How large the tensors of a layer and of the root are.

use super::architecture::{Correction, Form, Gating, Given, Sinks, Span, Special};
use super::blocks::{Size, Sizes};
use super::facts::{Fact, PARTS};
use super::plan::{FeedForward, Mixer, Model, Plan};
use crate::model::{Dimension, Flag};
use crate::provenance::{Origin, Source};

/// The heads of a layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heads {
    /// Query heads.
    pub(super) queries: u64,
    /// Key/value heads.
    pub(super) keys: u64,
    /// Width of a head.
    pub(super) width: u64,
    /// Width of a value head.
    pub(super) value_width: u64,
}

/// A width where a part exists, else none.
pub(super) const fn only(exists: bool, width: u64) -> u64 {
    if exists { width } else { 0 }
}

/// What is stated, else what it follows from.
const fn or(stated: u64, other: u64) -> u64 {
    if stated > 0 { stated } else { other }
}

/// The product of sizes; saturates.
pub(super) const fn times(a: u64, b: u64) -> u64 {
    a.saturating_mul(b)
}

const fn plus(a: u64, b: u64) -> u64 {
    a.saturating_add(b)
}

impl Model<'_> {
    fn fact(&self, fact: Fact) -> u64 {
        self.spec.facts.language.of(fact)
    }

    fn hidden(&self) -> u64 {
        self.dimension(Dimension::HiddenSize)
    }

    /// Whether a part exists. What the run states of it wins over what the class does with its config.
    fn has(&self, flag: Flag, given: Given) -> bool {
        let flag = self.spec.flag(flag);
        let by_run =
            |origin: &Origin| matches!(origin, Origin::Key(Source::Run | Source::Execution, _) | Origin::Override(_));
        let by_config = |origin: &Origin| matches!(origin, Origin::Key(Source::Model, _) | Origin::ChosenModel(_));
        if let Some(stated) = flag.filter(|flag| by_run(&flag.origin)) {
            return stated.value;
        }
        let in_config = flag.filter(|flag| by_config(&flag.origin)).map(|flag| flag.value);
        match given {
            Given::No => false,
            Given::Yes => true,
            Given::Stated => in_config.unwrap_or(false),
            Given::StatedElseYes => in_config.unwrap_or(true),
            Given::Bias => self.fact(Fact::Bias) > 0,
            Given::Settled => flag.is_some_and(|flag| flag.value),
        }
    }

    fn has_norm_bias(&self) -> bool {
        self.has(Flag::NormBias, self.traits.norm_bias)
    }

    fn is_tied(&self) -> bool {
        let stated = self.spec.facts.language.stated(Fact::Tied).map(|tied| tied > 0);
        let otherwise = if stated.unwrap_or(self.traits.tied) { Given::StatedElseYes } else { Given::Stated };
        self.has(Flag::TiedEmbeddings, otherwise)
    }

    /// How many norms on the residual stream a layer has.
    pub(super) fn norms(&self, plan: &Plan) -> u64 {
        /// More than any layer has; what is stated beyond it is a slip.
        const MOST: u64 = 64;
        let stated = self.spec.dimension(Dimension::LayerNorms);
        if stated.is_some_and(|stated| !matches!(stated.origin, Origin::Rule(_))) {
            return self.dimension(Dimension::LayerNorms).min(MOST);
        }
        // A part that a searched architecture leaves out has no norm either.
        if plan.block.is_some() {
            return u64::from(plan.mixer != Mixer::None) + u64::from(plan.feed_forward != FeedForward::None);
        }
        let special = self.traits.special;
        let shared = special == Special::Falcon && self.fact(Fact::NewDecoder) == 0;
        let own = if shared { 1 } else { self.traits.norms };
        let beside = special == Special::Beside && plan.feed_forward == FeedForward::DenseAndExperts;
        own * (if special == Special::Double { 2 } else { 1 }) + only(beside, 3)
    }

    /// Sizes of the root.
    pub(super) fn root_sizes(&self) -> Sizes {
        let (hidden, vocabulary) = (self.hidden(), self.dimension(Dimension::Vocabulary));
        let special = self.traits.special;
        let head_bias = match self.traits.head_bias {
            Given::Stated => self.fact(Fact::HeadBias) > 0,
            Given::Bias => self.fact(Fact::Bias) > 0,
            Given::Yes => true,
            Given::No | Given::StatedElseYes | Given::Settled => false,
        };
        let streams = only(special == Special::Compressed, self.fact(Fact::Streams));
        let mut sizes = Sizes::new();
        sizes.set(&[
            (Size::Hidden, hidden),
            (Size::EmbeddingRows, plus(vocabulary, only(special == Special::ImageRows, 8))),
            (Size::Positions, only(special == Special::Positions, self.dimension(Dimension::ContextLimit))),
            (Size::NormBias, only(self.has_norm_bias(), hidden)),
            (Size::HyperRows, streams),
            (Size::HyperColumns, times(streams, hidden)),
            (Size::HyperScales, only(streams > 0, 1)),
            (Size::HeadRows, only(!self.is_tied(), vocabulary)),
            (Size::HeadBias, only(head_bias, vocabulary)),
        ]);
        sizes
    }

    /// Sizes of a layer.
    pub(super) fn sizes(&self, plan: &Plan) -> Sizes {
        let hidden = self.hidden();
        let mut sizes = Sizes::new();
        sizes.set(&[
            (Size::Hidden, hidden),
            (Size::TwiceHidden, times(2, hidden)),
            (Size::NormBias, only(self.has_norm_bias(), hidden)),
        ]);
        match plan.mixer {
            Mixer::Attention | Mixer::Sliding | Mixer::Cross => self.attention(plan, &mut sizes),
            Mixer::Latent => self.latent(plan, &mut sizes),
            Mixer::Compressed => self.compressed(plan, &mut sizes),
            Mixer::Delta | Mixer::KimiDelta | Mixer::Lightning | Mixer::StateSpace => self.linear(plan, &mut sizes),
            Mixer::None => {}
        }
        self.dense(plan, &mut sizes);
        self.expert(plan, &mut sizes);
        sizes
    }

    fn head_width(&self) -> u64 {
        let derived = self.hidden().checked_div(self.dimension(Dimension::Heads)).unwrap_or(0);
        or(self.either(Dimension::HeadWidth, Fact::HeadWidth), derived)
    }

    fn heads(&self, plan: &Plan) -> Heads {
        let queries = self.dimension(Dimension::Heads);
        let width = self.head_width();
        let shared = self.traits.special == Special::Falcon
            && self.fact(Fact::NewDecoder) == 0
            && self.fact(Fact::MultiQuery) > 0;
        let keys = if shared { 1 } else { or(self.either(Dimension::KvHeads, Fact::KvHeads), queries) };
        let value_width = or(self.dimension(Dimension::ValueHeadWidth), width);
        let heads = Heads { queries, keys, width, value_width };
        if let Some((group, _)) = plan.block {
            return Heads { keys: queries.checked_div(group).unwrap_or(0), ..heads };
        }
        match plan.mixer {
            Mixer::Sliding => self.sliding_heads(heads),
            Mixer::Attention => self.global_heads(heads),
            Mixer::Cross
            | Mixer::Latent
            | Mixer::Compressed
            | Mixer::Delta
            | Mixer::KimiDelta
            | Mixer::Lightning
            | Mixer::StateSpace
            | Mixer::None => heads,
        }
    }

    fn sliding_heads(&self, heads: Heads) -> Heads {
        Heads {
            queries: or(self.fact(Fact::SlidingHeads), heads.queries),
            keys: or(self.fact(Fact::SlidingKvHeads), heads.keys),
            width: or(self.fact(Fact::SlidingHeadWidth), heads.width),
            value_width: or(self.fact(Fact::SlidingValueWidth), heads.value_width),
        }
    }

    fn global_heads(&self, heads: Heads) -> Heads {
        let width = self.fact(Fact::GlobalHeadWidth);
        Heads {
            keys: or(self.fact(Fact::GlobalKvHeads), heads.keys),
            width: or(width, heads.width),
            value_width: or(width, heads.value_width),
            ..heads
        }
    }

    fn attention(&self, plan: &Plan, sizes: &mut Sizes) {
        let heads = self.heads(plan);
        self.attention_maps(plan, heads, sizes);
        self.attention_extras(plan, heads, sizes);
    }

    fn attention_maps(&self, plan: &Plan, heads: Heads, sizes: &mut Sizes) {
        let doubled = match self.traits.gating {
            Gating::Stated | Gating::Head => self.spec.is(Flag::OutputGate).unwrap_or(false),
            Gating::Query => true,
        };
        let query = times(times(heads.queries, heads.width), if doubled { 2 } else { 1 });
        let key = times(heads.keys, heads.width);
        let key_is_value = plan.mixer == Mixer::Attention && self.fact(Fact::KeyIsValue) > 0;
        let value = only(!key_is_value, times(heads.keys, heads.value_width));
        let bias = self.has(Flag::QkvBias, self.traits.qkv_bias);
        sizes.set(&[
            (Size::QueryRows, query),
            (Size::KeyRows, key),
            (Size::ValueRows, value),
            (Size::MixedColumns, times(heads.queries, heads.value_width)),
            (Size::QueryBias, only(bias, query)),
            (Size::KeyBias, only(bias, key)),
            (Size::ValueBias, only(bias, value)),
            (Size::OutputBias, self.output_bias()),
        ]);
    }

    fn attention_extras(&self, plan: &Plan, heads: Heads, sizes: &mut Sizes) {
        let cross = plan.mixer == Mixer::Cross;
        let normed = cross || self.has(Flag::QkNorm, self.traits.query_key_norm);
        let [query_norm, key_norm] = match self.traits.norm_span {
            Span::Head => [heads.width; 2],
            Span::Heads => [heads.queries, heads.keys].map(|count| times(count, heads.width)),
        };
        let sinks = match self.traits.sinks {
            Sinks::None => false,
            Sinks::All => true,
            Sinks::Sliding => plan.mixer == Mixer::Sliding,
        };
        sizes.set(&[
            (Size::QueryNorm, only(normed, query_norm)),
            (Size::KeyNorm, only(normed, key_norm)),
            // One gate for the attention, one for the feed-forward.
            (Size::LayerGates, only(cross, 2)),
            (Size::OutputGate, only(self.traits.gating == Gating::Head, heads.queries)),
            (Size::Sinks, only(sinks, heads.queries)),
        ]);
    }

    fn output_bias(&self) -> u64 {
        only(self.has(Flag::OutputBias, self.traits.output_bias), self.hidden())
    }

    fn latent(&self, plan: &Plan, sizes: &mut Sizes) {
        let heads = self.dimension(Dimension::Heads);
        let latent = self.either(Dimension::KvLatent, Fact::KvLatent);
        let query_latent = self.either(Dimension::QueryLatent, Fact::QueryLatent);
        let rotary = self.either(Dimension::RotaryWidth, Fact::RotaryWidth);
        let width = self.head_width();
        let nope = or(self.either(Dimension::NopeWidth, Fact::NopeWidth), width);
        let value = or(self.either(Dimension::ValueHeadWidth, Fact::ValueHeadWidth), width);
        let bias = self.has(Flag::QkvBias, self.traits.qkv_bias);
        let kv_down = plus(latent, rotary);
        sizes.set(&[
            (Size::QueryLatent, query_latent),
            (Size::QueryInput, or(query_latent, self.hidden())),
            (Size::QueryRows, times(heads, plus(nope, rotary))),
            (Size::KvDown, kv_down),
            (Size::KvLatent, latent),
            (Size::KvUp, times(heads, plus(nope, value))),
            (Size::MixedColumns, times(heads, value)),
            (Size::QueryDownBias, only(bias, query_latent)),
            (Size::KvDownBias, only(bias, kv_down)),
            (Size::OutputBias, self.output_bias()),
        ]);
        if plan.indexed {
            self.indexer(sizes);
            sizes.set(&[(Size::IndexNorm, self.fact(Fact::IndexHeadWidth))]);
        }
    }

    fn indexer(&self, sizes: &mut Sizes) {
        let (heads, width) = (self.fact(Fact::IndexHeads), self.fact(Fact::IndexHeadWidth));
        sizes.set(&[(Size::IndexQuery, times(heads, width)), (Size::IndexWidth, width), (Size::IndexHeads, heads)]);
    }

    /// Blocks of a few tokens are compressed with overlap, and chosen by an indexer; blocks of many are not.
    fn compressed(&self, plan: &Plan, sizes: &mut Sizes) {
        const OVERLAPPING: u64 = 4;
        let Heads { queries, width, .. } = self.heads(plan);
        let (groups, latent) = (self.fact(Fact::OutputGroups), self.fact(Fact::OutputLatent));
        let overlapping = plan.compressed == OVERLAPPING;
        let compressed = only(plan.compressed > 0, width);
        sizes.set(&[
            (Size::Heads, queries),
            (Size::HeadWidth, width),
            (Size::QueryLatent, self.dimension(Dimension::QueryLatent)),
            (Size::QueryRows, times(queries, width)),
            (Size::OutputDownRows, times(groups, latent)),
            (Size::OutputDownColumns, times(queries, width).checked_div(groups).unwrap_or(0)),
            (Size::CompressWidth, times(if overlapping { 2 } else { 1 }, compressed)),
            (Size::CompressRate, plan.compressed),
            (Size::CompressNorm, compressed),
        ]);
        if overlapping {
            self.indexer(sizes);
            sizes.set(&[(Size::IndexCompress, times(2, self.fact(Fact::IndexHeadWidth)))]);
        }
        let streams = self.fact(Fact::Streams);
        sizes.set(&[
            (Size::HyperRows, times(plus(2, streams), streams)),
            (Size::HyperColumns, times(streams, self.hidden())),
            (Size::HyperScales, only(streams > 0, 3)),
        ]);
    }

    /// Heads of values, the width of one, all keys together, and the convolution's width.
    fn recurrence(&self, plan: &Plan) -> [u64; 4] {
        let fact = |fact| self.fact(fact);
        let dimension = |field| self.dimension(field);
        let convolution = dimension(Dimension::LinearConvolution);
        match plan.mixer {
            Mixer::StateSpace => {
                let state = times(fact(Fact::StateGroups), fact(Fact::StateSize));
                [fact(Fact::StateHeads), fact(Fact::StateHeadWidth), state, fact(Fact::StateKernel)]
            }
            Mixer::KimiDelta => {
                let (heads, width) = (fact(Fact::LinearHeads), fact(Fact::LinearHeadWidth));
                [heads, width, times(heads, width), convolution]
            }
            Mixer::Lightning => {
                let Heads { queries, width, .. } = self.heads(plan);
                [queries, width, times(queries, width), 0]
            }
            Mixer::Delta
            | Mixer::Attention
            | Mixer::Sliding
            | Mixer::Cross
            | Mixer::Latent
            | Mixer::Compressed
            | Mixer::None => {
                let keys = times(dimension(Dimension::LinearKeyHeads), dimension(Dimension::LinearKeyWidth));
                [dimension(Dimension::LinearValueHeads), dimension(Dimension::LinearValueWidth), keys, convolution]
            }
        }
    }

    fn linear(&self, plan: &Plan, sizes: &mut Sizes) {
        let [heads, width, keys, kernel] = self.recurrence(plan);
        let value = times(heads, width);
        let joined = plus(times(2, keys), value);
        sizes.set(&[
            (Size::HeadWidth, width),
            (Size::LinearHeads, heads),
            (Size::LinearValue, value),
            (Size::LinearQkv, joined),
            (Size::LinearInput, plus(plus(value, joined), heads)),
            (Size::Kernel, kernel),
        ]);
    }

    fn is_gated(&self, plan: &Plan) -> bool {
        match self.traits.form {
            Form::Gated | Form::GatedHalf => true,
            Form::Plain => false,
            Form::Counted => plan.matmuls != 2,
        }
    }

    fn feed_forward_width(&self) -> u64 {
        let width = self.either(Dimension::FeedForward, Fact::FeedForward);
        match self.traits.form {
            Form::GatedHalf => width / 2,
            Form::Gated | Form::Plain | Form::Counted => width,
        }
    }

    fn dense(&self, plan: &Plan, sizes: &mut Sizes) {
        /// Widths of a searched architecture are multiples of this.
        const STEP: u64 = 256;
        let width = match plan.block {
            Some((_, multiple)) => (times(times(2, multiple), self.hidden()) / (3 * PARTS)).next_multiple_of(STEP),
            None => or(self.fact(Fact::DenseWidth), self.feed_forward_width()),
        };
        let gate = only(self.is_gated(plan), width);
        let bias = self.has(Flag::FeedForwardBias, self.traits.feed_forward_bias);
        sizes.set(&[
            (Size::GateRows, gate),
            (Size::UpRows, width),
            (Size::GateBias, only(bias, gate)),
            (Size::UpBias, only(bias, width)),
            (Size::DownBias, only(bias, self.hidden())),
        ]);
    }

    fn expert(&self, plan: &Plan, sizes: &mut Sizes) {
        let special = self.traits.special;
        let (hidden, experts) = (self.hidden(), self.experts());
        let width = self.expert_width();
        let up = times(width, if self.is_gated(plan) { 2 } else { 1 });
        let latent = self.fact(Fact::ExpertLatent);
        let (biased, scaled) = (special == Special::ExpertBiases, special == Special::Beside);
        let rows = plus(experts, self.fact(Fact::ZeroExperts));
        let correction = self.traits.correction;
        sizes.set(&[
            (Size::Experts, experts),
            (Size::ExpertWidth, width),
            (Size::ExpertUp, up),
            (Size::ExpertInput, or(latent, hidden)),
            (Size::ExpertUpBias, only(biased, up)),
            (Size::ExpertDownBias, only(biased, hidden)),
            (Size::Latent, latent),
            (Size::RouterRows, rows),
            (Size::RouterBias, only(biased, experts)),
            (Size::RouterScale, only(scaled, hidden)),
            (Size::PerExpertScale, only(scaled, experts)),
            (Size::Correction, only(correction == Correction::Buffer, rows)),
            (Size::CorrectionParameter, only(correction == Correction::Parameter, experts)),
        ]);
        self.shared(plan, sizes);
    }

    fn expert_width(&self) -> u64 {
        or(self.either(Dimension::ExpertWidth, Fact::ExpertWidth), self.feed_forward_width())
    }

    /// Shared experts are one feed-forward as wide as all of them.
    fn shared(&self, plan: &Plan, sizes: &mut Sizes) {
        let stated = self.either(Dimension::SharedExperts, Fact::SharedExperts);
        let count = if self.traits.special == Special::OneShared { 1 } else { stated };
        let stated = self.either(Dimension::SharedWidth, Fact::SharedWidth);
        let width = or(stated, times(count, self.expert_width()));
        let mixed = width > 0 && self.has(Flag::SharedExpertGate, self.traits.shared_gate);
        sizes.set(&[
            (Size::SharedWidth, width),
            (Size::SharedGateRows, only(self.is_gated(plan), width)),
            (Size::SharedMix, only(mixed, 1)),
        ]);
    }
}
