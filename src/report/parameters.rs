//! The model's parameters beside those that the reference counts, and what makes the difference.

use crate::memory::reference::counted::Counted;
use crate::model::tensors::{Count, Group, Sureness, Tensors};

/// How many parameters the reference counts, how many the model has, and why they differ.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterNote {
    /// What the reference counts, all stages together.
    pub reference: f64,
    /// What the model has, tensor by tensor.
    pub count: Count,
    /// How sure that is.
    pub sureness: Sureness,
    /// What makes the difference, the largest first; the sum is exactly `reference` less `count.total`.
    pub differences: Vec<Difference>,
}

/// Parameters that one side counts and the other does not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Why.
    pub cause: Cause,
    /// How many more the reference counts; negative where it counts fewer.
    pub parameters: f64,
}

/// Why the reference counts other parameters than the model has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// Multi-token prediction, which published counts leave out.
    Prediction,
    /// The bias that it gives every output table.
    OutputBias,
    /// A tied table on two stages, or tables that it does not know.
    Tables,
    /// Biases of attention projections that nobody states.
    AttentionBiases,
    /// Biases of feed-forwards that nobody states.
    FeedForwardBiases,
    /// Norms with biases, or more or fewer of them.
    Norms,
    /// The vision tower.
    Tower,
    /// Attention maps of another shape.
    Attention,
    /// Feed-forwards of another shape.
    FeedForward,
    /// Experts, routers and shared experts of another shape.
    Experts,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 10] = [
        Self::Prediction,
        Self::OutputBias,
        Self::Tables,
        Self::AttentionBiases,
        Self::FeedForwardBiases,
        Self::Norms,
        Self::Tower,
        Self::Attention,
        Self::FeedForward,
        Self::Experts,
    ];

    /// Stable kebab-case id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Prediction => "prediction",
            Self::OutputBias => "output-bias",
            Self::Tables => "tables",
            Self::AttentionBiases => "attention-biases",
            Self::FeedForwardBiases => "feed-forward-biases",
            Self::Norms => "norms",
            Self::Tower => "tower",
            Self::Attention => "attention",
            Self::FeedForward => "feed-forward",
            Self::Experts => "experts",
        }
    }

    /// What the reference counts of it, and what the model has.
    fn sides(self, reference: &Counted, tensors: &Tensors) -> (f64, u64) {
        let own = |group| tensors.in_group(group);
        match self {
            Self::Prediction => (reference.prediction, 0),
            Self::OutputBias => (reference.output_bias, own(Group::HeadBias)),
            Self::Tables => (reference.tables, own(Group::Tables)),
            Self::AttentionBiases => (reference.attention_biases, own(Group::AttentionBias)),
            Self::FeedForwardBiases => (reference.feed_forward_biases, own(Group::FeedForwardBias)),
            Self::Norms => (reference.norms, own(Group::Norm)),
            Self::Tower => (reference.tower, tensors.in_tower()),
            Self::Attention => (reference.attention, own(Group::Attention)),
            Self::FeedForward => (reference.feed_forward, own(Group::FeedForward)),
            Self::Experts => (
                reference.experts,
                [Group::Router, Group::Experts, Group::Shared].map(own).into_iter().fold(0, u64::saturating_add),
            ),
        }
    }
}

impl ParameterNote {
    /// How many more parameters the reference counts; negative where it counts fewer.
    pub fn difference(&self) -> f64 {
        self.reference - self.count.total as f64
    }

    /// Compares the two counts.
    pub fn new(reference: &Counted, tensors: &Tensors) -> Self {
        let mut differences: Vec<Difference> = Vec::new();
        for cause in Cause::ALL {
            let (theirs, ours) = cause.sides(reference, tensors);
            let parameters = theirs - ours as f64;
            if parameters != 0.0 {
                let larger = |other: &Difference| other.parameters.abs() >= parameters.abs();
                differences.insert(differences.partition_point(larger), Difference { cause, parameters });
            }
        }
        Self { reference: reference.total(), count: tensors.count(), sureness: tensors.sureness, differences }
    }
}
