//! Every parameter tensor of a model, with its shape (ledger 2): what the true parameter count is the sum of, and what
//! the second memory model walks over.
//!
//! A pure function of the model spec. What a class of checkpoints decides stands in one table (`architecture`), what
//! tensors a block has in another (`blocks`); `plan` says which blocks a layer has, `sizes` how large they are.

mod architecture;
mod blocks;
mod facts;
mod plan;
mod role;
mod sizes;
mod tower;

pub(in crate::model) use facts::Facts;
pub use plan::{FeedForward, Mixer};
pub use role::{Group, Role};

use super::ModelSpec;
use blocks::{Row, Size, Sizes};
use plan::Model;
use std::sync::Arc;

/// Which dimension tensor parallelism splits (ledger 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Split {
    /// The first: output features, heads, vocabulary.
    Rows,
    /// The second: input features.
    Columns,
    /// None: every rank holds it whole.
    Whole,
}

/// A tensor as the checkpoint's class makes it, before any sharding. Maps that a checkpoint stores as one (queries, keys
/// and values; gate and up) stand apart, except for stacked experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// What it does.
    pub role: Role,
    /// What tensor parallelism splits.
    pub split: Split,
    dimensions: [u64; 3],
    rank: u8,
}

impl Tensor {
    /// The tensor of a row; none where it has no elements.
    fn of(row: Row, sizes: &Sizes) -> Option<Self> {
        let dimensions = row.shape.map(|size| sizes.of(size));
        let rank = row.shape.iter().rposition(|size| *size != Size::One).map_or(1, |last| last + 1);
        let rank = u8::try_from(rank).unwrap_or(u8::MAX);
        (!dimensions.contains(&0)).then_some(Self { role: row.role, split: row.split, dimensions, rank })
    }

    /// Rows, columns, …: one to three dimensions, none of them zero.
    pub fn shape(&self) -> &[u64] {
        &self.dimensions[..usize::from(self.rank)]
    }

    /// How many elements it has; saturates.
    pub fn elements(&self) -> u64 {
        product(self.dimensions)
    }

    /// How many of them the first rank of tensor parallelism holds: the split dimension divided, rounded up.
    pub fn elements_on_rank(&self, tensor_parallel: u64) -> u64 {
        let mut dimensions = self.dimensions;
        match self.split {
            Split::Rows => dimensions[0] = dimensions[0].div_ceil(tensor_parallel.max(1)),
            Split::Columns => dimensions[1] = dimensions[1].div_ceil(tensor_parallel.max(1)),
            Split::Whole => {}
        }
        product(dimensions)
    }

    /// How many parameters it is: its elements, or none where it is a buffer.
    pub fn parameters(&self) -> u64 {
        if self.role.is_parameter() { self.elements() } else { 0 }
    }

    /// How many of its parameters a token meets: of a stack, those of the chosen experts.
    fn active(&self, chosen_experts: u64) -> u64 {
        if !self.role.is_stacked() {
            return self.parameters();
        }
        let [experts, rows, columns] = self.dimensions;
        product([chosen_experts.min(experts), rows, columns])
    }
}

fn product(dimensions: [u64; 3]) -> u64 {
    dimensions.into_iter().fold(1, u64::saturating_mul)
}

/// Equal layers, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerRun {
    /// How they mix tokens.
    pub mixer: Mixer,
    /// Their feed-forward.
    pub feed_forward: FeedForward,
    /// The first one's number in the model, from 0; multi-token-prediction layers follow the body.
    pub first: u64,
    /// How many there are, at least one.
    pub count: u64,
    /// Whether they predict further tokens: no part of a parameter count.
    pub prediction: bool,
    /// One layer's tensors, in module order.
    pub tensors: Arc<[Tensor]>,
}

impl LayerRun {
    /// Parameters of one of the layers.
    pub fn parameters(&self) -> u64 {
        sum(&self.tensors, Tensor::parameters)
    }
}

/// A stack of layers with what stands outside of them: the language model, or a vision tower.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// Tensors of the root unit, in module order: embedding, final norm, head.
    pub root: Vec<Tensor>,
    /// The layers, in model order.
    pub runs: Vec<LayerRun>,
}

impl Part {
    /// Parameters of the layers `from..to`, by their number in the model.
    pub fn layers(&self, from: u64, to: u64) -> u64 {
        let layers = |run: &LayerRun| run.first.saturating_add(run.count).min(to).saturating_sub(run.first.max(from));
        self.runs.iter().fold(0, |sum, run| sum.saturating_add(layers(run).saturating_mul(run.parameters())))
    }

    fn sum(&self, count: impl Fn(&Tensor) -> u64 + Copy) -> u64 {
        let body = self.runs.iter().filter(|run| !run.prediction);
        body.fold(sum(&self.root, count), |total, run| {
            total.saturating_add(sum(&run.tensors, count).saturating_mul(run.count))
        })
    }
}

fn sum(tensors: &[Tensor], count: impl Fn(&Tensor) -> u64) -> u64 {
    tensors.iter().fold(0, |sum, tensor| sum.saturating_add(count(tensor)))
}

/// How sure the shapes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sureness {
    /// The `model_type` is known, and its class makes these tensors.
    Known,
    /// The `model_type` is not known, or some part of it is not counted: what the fields and the name imply.
    Inferred,
}

/// Every tensor of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensors {
    /// The language model.
    pub text: Part,
    /// The vision tower, where the model has one.
    pub vision: Option<Part>,
    /// How sure this is.
    pub sureness: Sureness,
    /// Experts a token goes to.
    pub chosen_experts: u64,
}

/// How many parameters a model has, multi-token prediction left out as published counts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// All; a tied table counts once.
    pub total: u64,
    /// Those a token meets: the chosen experts instead of all, everything else whole.
    pub active: u64,
}

impl Tensors {
    /// Language model and tower.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.text).chain(&self.vision)
    }

    /// The parameter count.
    pub fn count(&self) -> Count {
        Count { total: self.sum(Tensor::parameters), active: self.sum(|tensor| tensor.active(self.chosen_experts)) }
    }

    /// Parameters of the language model in a group.
    pub fn in_group(&self, group: Group) -> u64 {
        self.text.sum(|tensor| if tensor.role.group() == group { tensor.parameters() } else { 0 })
    }

    /// Parameters of the vision tower.
    pub fn in_tower(&self) -> u64 {
        self.vision.as_ref().map_or(0, |tower| tower.sum(Tensor::parameters))
    }

    fn sum(&self, count: impl Fn(&Tensor) -> u64 + Copy) -> u64 {
        self.parts().fold(0, |sum, part| sum.saturating_add(part.sum(count)))
    }
}

/// Every tensor of a model; none where its class has shapes that nobody wrote down.
pub fn tensors(spec: &ModelSpec) -> Option<Tensors> {
    let model = Model::of(spec)?;
    let vision = tower::tower(&model);
    let tower_known = vision.as_ref().is_none_or(|tower| tower.sureness == Sureness::Known);
    let sureness = if tower_known { model.sureness } else { Sureness::Inferred };
    Some(Tensors {
        text: model.text(),
        vision: vision.map(|tower| tower.part),
        sureness,
        chosen_experts: model.chosen_experts(),
    })
}
