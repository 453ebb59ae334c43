//! The cases that the formulas branch on, beside the numbers that they read (memory-core 3).

use super::policies::Policies;
use crate::model::Census;

/// How parameters are gathered and gradients reduced over data parallelism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataLevel {
    /// Not at all.
    Off,
    /// Optimizer states are sharded.
    Optimizer,
    /// Gradients too.
    Gradients,
}

impl DataLevel {
    pub(super) const fn of(level: i64) -> Self {
        match level {
            0 => Self::Off,
            3 => Self::Gradients,
            _ => Self::Optimizer,
        }
    }
}

/// How context parallelism moves keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextAlgorithm {
    /// Around a ring.
    Ring,
    /// All-to-all over heads.
    Ulysses,
    /// A name that the reference prices no buffer for.
    Unknown,
}

impl ContextAlgorithm {
    pub(super) fn by_name(name: &str) -> Self {
        match name {
            "colossalai_cp" | "hybrid_cp" | "hybird_cp" => Self::Ring,
            "ulysses_cp" => Self::Ulysses,
            _ => Self::Unknown,
        }
    }
}

/// The cases that the formulas of one layer kind branch on: plain facts beside the numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cases {
    /// Latent attention.
    pub(crate) latent: bool,
    /// Queries have a latent of their own.
    pub(crate) query_latent: bool,
    /// The head width is stated; else it follows from width and heads.
    pub(crate) head_width: bool,
    /// A mixture of experts.
    pub(crate) experts: bool,
    /// Dropless experts.
    pub(crate) dropless: bool,
    /// Shared experts have a gate.
    pub(crate) shared_gate: bool,
    /// Biases of query, key and value projections.
    pub(crate) qkv_bias: Option<bool>,
    /// Bias of the output projection.
    pub(crate) output_bias: Option<bool>,
    /// Biases of feed-forward matmuls.
    pub(crate) feed_forward_bias: Option<bool>,
    /// Norms are stated.
    pub(crate) layer_norms: bool,
    /// Norms have biases.
    pub(crate) norm_bias: bool,
    /// The feed-forward has an even number of matmuls.
    pub(crate) even_matmuls: bool,
    /// Level of non-expert parameters.
    pub(crate) data_level: DataLevel,
    /// Level of expert parameters.
    pub(crate) expert_data_level: DataLevel,
    /// CP algorithm.
    pub(crate) context_algorithm: ContextAlgorithm,
    /// More than one pipeline stage.
    pub(crate) pipelined: bool,
    /// Tokens travel between EP ranks.
    pub(crate) dispatches: bool,
    /// The load of each expert is measured, and EP divides the experts.
    pub(crate) measured_load: bool,
    /// Keys and values travel within CP.
    pub(crate) gathers_kv: bool,
    /// The output table is the embedding's.
    pub(crate) tied: bool,
    /// MTP heads are sharded.
    pub(crate) shards_mtp: bool,
    /// There are MTP heads.
    pub(crate) mtp: bool,
    /// Gathered parameters are freed after use.
    pub(crate) reshards: bool,
    /// The norms are counted from the op counts, by policy.
    pub(crate) own_norms: bool,
    /// The policies in force.
    pub(crate) policies: Policies,
    /// Measured activations of the kind.
    pub(crate) census: Option<Census>,
    /// Measured activations of the output.
    pub(crate) output_census: Option<Census>,
}
