//! The configuration of a run: primary fields as stated, and every field that follows from them.

mod culprit;
mod derive;
mod derived;
pub mod execution;
mod experts;
mod family_run;
pub mod from_facts;
pub mod legality;
mod origins;
mod primary;
mod recompute;
mod reference_fields;
mod sharding;

pub use crate::facts::ranges;
pub use crate::facts::{Capacity, CapacityUnit, Offset, RecomputeLayers, RecomputeOption, RecomputeRange, Switches};
/// Types of the model that a config's fields hold.
pub use crate::model::{Census, Family, LayerKind};
pub use culprit::culprit;
pub use from_facts::{derive, derive_with, primary};
pub use legality::{holds_experts, legality, refused};
pub use origins::origin_of;
pub use primary::Primary;
pub use recompute::SelectiveRun;
pub use reference_fields::reference_fields;

use crate::diagnostics::{Checked, Errors};
use derived::Derived;

/// What happens to an expert layout that the degrees cannot hold (config-spec 10.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// It is refused.
    Strict,
    /// What is below one is raised to one, with a warning. This is how a train.yaml is read.
    Clamped,
}

/// A run's configuration: what is stated and all that follows. Made by [`Config::new`] alone, so never half derived.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    primary: Primary,
    derived: Derived,
    submodules: Vec<Submodule>,
}

/// A part of a multimodal model with a configuration of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Submodule {
    /// Which part.
    pub role: Role,
    /// Its configuration.
    pub config: Config,
}

/// The parts of a multimodal model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The vision tower.
    Vision,
    /// The language model.
    Text,
}

impl Role {
    /// The reference's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vision => "vision",
            Self::Text => "text",
        }
    }
}

impl Config {
    /// Derives every field that follows from `primary` (config-spec 9 and 10).
    ///
    /// Whole numbers divide and wrap as Python's do. Where Python would raise on a division by zero, the quotient is 0
    /// here, which makes the expert layout impossible and is refused or clamped as such; products beyond 64 bits saturate.
    pub fn new(primary: Primary, strictness: Strictness) -> Result<Checked<Self>, Errors> {
        derive::derive(primary, strictness)
    }

    /// A multimodal parent: a run as parsed, whose layers live in its submodules, in walking order (config-spec 11).
    #[must_use]
    pub fn with_submodules(mut self, submodules: Vec<Submodule>) -> Self {
        self.primary.multimodal = true;
        self.primary.layers = 0;
        self.primary.stack = None;
        self.submodules = submodules;
        self
    }

    /// The same run with another pipeline offset, which no derived field reads (the text part of a multimodal model).
    #[must_use]
    pub fn with_offset(mut self, offset: Offset) -> Self {
        self.primary.offset = offset;
        self
    }

    /// The same run with other layers recomputed selectively, and the switches as they were derived: what a search does to
    /// a config that it has derived once.
    #[must_use]
    pub fn with_selective_layers(mut self, layers: RecomputeLayers) -> Self {
        self.primary.selective_recompute = layers;
        self
    }

    /// What is stated. An expert count and width that were clamped are the clamped ones.
    pub const fn primary(&self) -> &Primary {
        &self.primary
    }

    /// The parts of a multimodal parent, in walking order; empty for a language model.
    pub fn submodules(&self) -> &[Submodule] {
        &self.submodules
    }

    /// Over how many data-parallel ranks an optimizer shard would spread a parameter, were there one (config-spec 10.3).
    pub fn optimizer_ranks(&self) -> i64 {
        sharding::optimizer_ranks(&self.primary)
    }

    /// What CP's ranks divide a parameter's state by, beyond the shard stated for it (config-spec 10.3).
    pub const fn param_context_shard(&self) -> i64 {
        sharding::param_context_shard(&self.primary)
    }

    /// How many ranks hold the same slice of a routed expert and so reduce its gradient together (config-spec 10.5).
    pub fn expert_reduction_ranks(&self) -> i64 {
        sharding::expert_reduction_ranks(&self.primary, self.derived.expert_tensor_degree)
    }

    /// Whether the run's selective layers follow HyperParallel's own policy (config-spec 10.7).
    pub fn runs_hyper_selective(&self) -> bool {
        self.derived.switches == Switches::HYPER_SELECTIVE
    }

    /// The selective layers with their own switches, in model order, where the ranges state several settings; the
    /// reference's `layer_switches` (config-spec 10.7).
    pub fn selective_runs(&self) -> Option<&[SelectiveRun]> {
        self.derived.selective_runs.as_deref()
    }
}
