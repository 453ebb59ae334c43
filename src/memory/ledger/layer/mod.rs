//! One layer's operators, forward and backward, as births and deaths (ledger 4): everything between a unit's gather and
//! its reduction.

mod attention;
mod backward;
mod context;
mod dense;
mod experts;
mod forward;
mod latent;
mod linear;
mod norm;
mod profile;
mod rotary;
mod router;
mod tail;

pub(super) use profile::{Profile, profile};
pub(super) use tail::{LossKind, Tables, Tail, embedding_backward, tail};

use super::live::{Bench, Dim, Observer, Size, Tensor};
use super::slots::Slot;
use super::widths::{AttentionKind, FeedForwardKind, Widths};

/// What a layer keeps between forward and backward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Recompute {
    /// Everything that backward reads.
    Nothing,
    /// Its input and the listed outputs.
    Selective(Kept),
    /// Its input.
    Full,
}

/// Which outputs a selective layer keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    /// Of matmuls the first, third, …; of attention and grouped matmuls all; reduce-scattered outputs.
    EverySecondMatmul,
    /// Of all matmuls and attention; reduce-scattered outputs.
    EveryMatmul,
    /// The same with every collective's.
    MatmulsAndCollectives,
}

/// What becomes of a weight's gradient when its operator's backward is over (ledger 5b, accumulation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum GradientFate {
    /// It waits for its unit's reduction.
    Waits,
    /// It is cast to the reduce dtype and kept whole.
    Cast,
    /// It is added to the one that is there.
    Added,
}

/// How context parallelism exchanges keys and values (ledger 5b).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ContextKind {
    /// No context parallelism.
    None,
    /// Keys and values of the whole sequence are gathered.
    Gathered,
    /// Heads are exchanged for tokens.
    AllToAll,
    /// Keys and values go round.
    Ring {
        /// Whether the rank is the ring's last.
        last: bool,
    },
}

/// What decides how a layer's operators run, beside their widths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rules {
    /// Tensor parallelism is above 1.
    pub tensor_parallel: bool,
    /// Sequence parallelism is on, and tensor parallelism above 1.
    pub sequence_parallel: bool,
    /// The RMS norm is one kernel.
    pub fused_norm: bool,
    /// `SwiGLU` is one kernel.
    pub fused_swiglu: bool,
    /// Queries, keys and values are one projection.
    pub fused_qkv: bool,
    /// Keys and values are expanded to the query heads.
    pub expanded_kv: bool,
    /// Sequence parallelism keeps shards of norm outputs and gathers again.
    pub shard_outputs: bool,
    /// How context parallelism works.
    pub context: ContextKind,
    /// Expert parallelism is above 1.
    pub expert_parallel: bool,
    /// Bytes of a reduced element.
    pub reduce_bytes: f64,
}

/// Which time a layer's forward runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// In the forward.
    Forward,
    /// In the backward, again.
    Again,
}

/// A tensor with whether it outlives the function that made it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) tensor: Tensor,
    pub(super) stays: bool,
}

impl Held {
    pub(super) const NONE: Self = Self { tensor: Tensor::NONE, stays: false };
}

/// Matmuls and other outputs that selective recompute may keep, in the order in which they are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Made {
    Query,
    Key,
    Value,
    Output,
    Gate,
    Up,
    Down,
    Router,
    SharedGate,
    SharedUp,
    SharedDown,
    QueryDown,
    QueryUp,
    KvDown,
    KvUp,
    Mixed,
    LogSumExp,
    ExpertsUp,
    ExpertsDown,
    OutputScattered,
    DownScattered,
    Gathered,
}

const MADE: usize = Made::Gathered as usize + 1;

/// Everything that a layer's backward finds kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Saved {
    pub(super) norm1: norm::Kept,
    pub(super) norm2: norm::Kept,
    pub(super) query_norm: norm::Kept,
    pub(super) key_norm: norm::Kept,
    pub(super) inner_query_norm: norm::Kept,
    pub(super) inner_kv_norm: norm::Kept,
    /// What q, k and v read.
    pub(super) attention_input: Tensor,
    /// What gate and up (or router and copies) read.
    pub(super) feed_forward_input: Tensor,
    pub(super) query: Tensor,
    pub(super) key: Tensor,
    /// Of a fused projection, all of it: the value is a view.
    pub(super) value: Tensor,
    pub(super) mixed: Tensor,
    pub(super) log_sum_exp: Tensor,
    /// A further copy of the attention output, or what stands before an exchange.
    pub(super) mixed_copy: Tensor,
    pub(super) query_latent: Tensor,
    pub(super) kv_latent: Tensor,
    pub(super) dense: dense::Kept,
    pub(super) experts: experts::Kept,
    pub(super) router: router::Kept,
    /// The residual stream between the blocks, where a fused norm keeps it.
    pub(super) middle: Tensor,
    pub(super) input: Tensor,
}

impl Saved {
    const NONE: Self = Self {
        norm1: norm::Kept::NONE,
        norm2: norm::Kept::NONE,
        query_norm: norm::Kept::NONE,
        key_norm: norm::Kept::NONE,
        inner_query_norm: norm::Kept::NONE,
        inner_kv_norm: norm::Kept::NONE,
        attention_input: Tensor::NONE,
        feed_forward_input: Tensor::NONE,
        query: Tensor::NONE,
        key: Tensor::NONE,
        value: Tensor::NONE,
        mixed: Tensor::NONE,
        log_sum_exp: Tensor::NONE,
        mixed_copy: Tensor::NONE,
        query_latent: Tensor::NONE,
        kv_latent: Tensor::NONE,
        dense: dense::Kept::NONE,
        experts: experts::Kept::NONE,
        router: router::Kept::NONE,
        middle: Tensor::NONE,
        input: Tensor::NONE,
    };
}

/// Walks one layer.
pub(super) struct Layer<'a, O> {
    pub(super) bench: &'a mut Bench<O>,
    pub(super) widths: &'a Widths,
    pub(super) rules: Rules,
    pub(super) recompute: Recompute,
    pub(super) fate: GradientFate,
    pub(super) pass: Pass,
    /// What selective recompute keeps from the forward.
    cache: [Tensor; MADE],
    pub(super) saved: Saved,
    /// Where gradients of weights are booked.
    pub(super) gradient_slot: Slot,
    /// Elements of the weights that have a gradient so far.
    weights_done: f64,
    /// Whether the gradient of the layer's output is held from outside, so that the first sum goes into the other.
    pub(super) outside: bool,
    /// What lives until the head's matmul has read it.
    pub(super) passing_input: Held,
    /// Pieces that the walk is cut into where other units step in.
    pub(super) pieces: Vec<super::live::Segment>,
}

impl<'a, O: Observer> Layer<'a, O> {
    pub(super) fn new(
        bench: &'a mut Bench<O>,
        widths: &'a Widths,
        rules: Rules,
        recompute: Recompute,
        fate: GradientFate,
    ) -> Self {
        Self {
            bench,
            widths,
            rules,
            recompute,
            fate,
            pass: Pass::Forward,
            cache: [Tensor::NONE; MADE],
            saved: Saved::NONE,
            gradient_slot: Slot::LayerGradients,
            weights_done: 0.0,
            outside: false,
            passing_input: Held::NONE,
            pieces: Vec::new(),
        }
    }

    /// Whether the pass keeps what backward reads.
    pub(super) fn keeps(&self) -> bool {
        self.recompute == Recompute::Nothing || self.pass == Pass::Again
    }

    /// Where a tensor of the pass is booked.
    fn slot(&self, owner: Slot, stays: bool) -> Slot {
        match (self.pass, stays) {
            (Pass::Again, _) => Slot::Recomputed,
            (Pass::Forward, true) => owner,
            (Pass::Forward, false) => Slot::Forward,
        }
    }

    /// A tensor that backward reads.
    pub(super) fn keep(&mut self, owner: Slot, name: &'static str, size: Size) -> Held {
        self.make(owner, name, size, true)
    }

    /// A tensor that dies when its last reader is through.
    pub(super) fn passing(&mut self, name: &'static str, size: Size) -> Held {
        self.make(Slot::Forward, name, size, false)
    }

    /// A tensor that backward reads, or not.
    pub(super) fn make(&mut self, owner: Slot, name: &'static str, size: Size, read_again: bool) -> Held {
        let stays = read_again && self.keeps();
        let slot = self.slot(owner, stays);
        Held { tensor: self.bench.born(slot, name, size), stays }
    }

    /// The output of something that selective recompute may keep.
    pub(super) fn output(&mut self, made: Made, owner: Slot, name: &'static str, size: Size, read_again: bool) -> Held {
        if !self.selects(made) {
            return self.make(owner, name, size, read_again);
        }
        match self.pass {
            Pass::Forward => {
                let tensor = self.bench.born(owner, name, size);
                self.cache[made as usize] = tensor;
                Held { tensor, stays: true }
            }
            // The same tensor: it leaves the cache where it is read.
            Pass::Again => {
                let tensor = std::mem::replace(&mut self.cache[made as usize], Tensor::NONE);
                Held { tensor, stays: read_again }
            }
        }
    }

    fn selects(&self, made: Made) -> bool {
        let Recompute::Selective(kept) = self.recompute else { return false };
        match made {
            Made::Mixed
            | Made::LogSumExp
            | Made::ExpertsUp
            | Made::ExpertsDown
            | Made::OutputScattered
            | Made::DownScattered => true,
            Made::Gathered => kept == Kept::MatmulsAndCollectives,
            _ => match kept {
                Kept::EverySecondMatmul => self.is_odd(made),
                Kept::EveryMatmul | Kept::MatmulsAndCollectives => true,
            },
        }
    }

    /// Whether a plain matmul is the first, third, … of its layer.
    fn is_odd(&self, made: Made) -> bool {
        let attention: &[Made] = match self.widths.attention {
            AttentionKind::Latent if self.widths.query_latent.value > 0.0 => {
                &[Made::QueryDown, Made::QueryUp, Made::KvDown, Made::KvUp, Made::Output]
            }
            AttentionKind::Latent => &[Made::QueryUp, Made::KvDown, Made::KvUp, Made::Output],
            AttentionKind::Heads => &[Made::Query, Made::Key, Made::Value, Made::Output],
            AttentionKind::None => &[],
        };
        let feed_forward: &[Made] = match self.widths.feed_forward {
            FeedForwardKind::Dense => &[Made::Gate, Made::Up, Made::Down],
            FeedForwardKind::Experts => &[Made::Router, Made::SharedGate, Made::SharedUp, Made::SharedDown],
            FeedForwardKind::None => &[],
        };
        let place = attention.iter().chain(feed_forward).position(|plain| *plain == made);
        place.is_some_and(|place| place.is_multiple_of(2))
    }

    /// Its function or last reader is through: it dies unless it stays.
    pub(super) fn let_go(&mut self, held: Held) {
        if !held.stays {
            self.bench.dies(held.tensor);
        }
    }

    /// What backward finds of a tensor.
    pub(super) const fn found(held: Held) -> Tensor {
        if held.stays { held.tensor } else { Tensor::NONE }
    }

    /// A gradient of an activation, or what is on the way to one.
    pub(super) fn gradient(&mut self, name: &'static str, size: Size) -> Tensor {
        self.bench.born(Slot::Backward, name, size)
    }

    /// A gradient that tensor parallelism gathers, reduces or cuts.
    pub(super) fn exchanged(&mut self, name: &'static str, size: Size) -> Tensor {
        self.bench.born(Slot::TensorParallel, name, size)
    }

    /// A weight's gradient (rule L5): bf16, in the weight's shape on the rank.
    pub(super) fn weight_gradient(&mut self, weight: Dim) -> Tensor {
        self.weights_done += weight.value;
        self.bench.born(self.gradient_slot, "weight-gradient", Size::new(2.0, weight, Dim::ONE))
    }

    /// Gradients of weights that no operator of the walk has.
    pub(super) fn other_weight_gradients(&mut self) {
        let rest = self.widths.weights.all - self.weights_done;
        if rest > 0.0 {
            let rest = Dim::new("other weights", rest);
            let gradient = self.weight_gradient(rest);
            self.weight_done(gradient, rest);
        }
    }

    /// Its operator's backward is over.
    pub(super) fn weight_done(&mut self, gradient: Tensor, weight: Dim) {
        match self.fate {
            GradientFate::Waits => {}
            GradientFate::Cast if self.rules.reduce_bytes == 2.0 => {
                self.bench.rebook(gradient, Slot::WholeGradients);
            }
            GradientFate::Cast => {
                let whole = Size::new(self.rules.reduce_bytes, weight, Dim::ONE);
                self.bench.born(Slot::WholeGradients, "whole-gradient", whole);
                self.bench.dies(gradient);
            }
            GradientFate::Added => self.bench.dies(gradient),
        }
    }

    pub(super) fn cut(&mut self) {
        let piece = self.bench.cut();
        self.pieces.push(piece);
    }

    /// 2·width bytes for every token of the rank.
    pub(super) const fn whole(&self, width: Dim) -> Size {
        Size::new(2.0, width, self.widths.tokens)
    }

    /// 2·width bytes for every token of the rank's shard.
    pub(super) const fn sharded(&self, width: Dim) -> Size {
        Size::new(2.0, width, self.widths.shard)
    }
}
