//! The derived fields, in one table: meaning, the name by which Rust code reads each, its type, the reference's name.

use super::{Config, SelectiveRun, Switches};
use serde_json::Value;
use std::sync::Arc;

macro_rules! derived_fields {
    ($($(#[doc = $meaning:literal])+ $field:ident: $kind:ty = $name:literal;)*) => {
        /// Everything that follows from the primary fields (config-spec 10).
        #[derive(Debug, Clone, PartialEq)]
        pub(super) struct Derived {
            $(pub(super) $field: $kind,)*
            pub(super) selective_runs: Option<Arc<[SelectiveRun]>>,
        }

        impl Config {
            $(
                $(#[doc = $meaning])+
                #[doc = ""]
                #[doc = concat!("The reference's `", $name, "` (config-spec 10).")]
                pub fn $field(&self) -> $kind {
                    self.derived.$field
                }
            )*

            /// Each derived field by the reference's name, but for `layer_switches`.
            pub(super) fn derived_by_name(&self) -> impl Iterator<Item = (&'static str, Value)> {
                [$(($name, Written::written(self.derived.$field)),)*].into_iter()
            }
        }
    };
}

derived_fields! {
    /// Over how many ranks the activations between the TP regions are split: the TP degree under sequence parallelism, else 1.
    sequence_shards: i64 = "sp";
    /// The tensor-parallel degree that an expert layer runs with.
    expert_tensor_degree: i64 = "t_exp";
    /// The data-parallel degree that an expert layer runs with, in its older form; at least 1.
    expert_data_degree: i64 = "d_exp";
    /// How many ranks hold the same experts. TP does not divide it where experts have no tensor parallelism of their own.
    expert_group: i64 = "edp_group";
    /// How often a layer dispatches its tokens to experts: once in a mixture of experts, else never.
    dispatches: i64 = "n_dispatch";
    /// What divides a non-expert parameter and its optimizer states on a rank.
    param_shard: i64 = "shard_p_os_non_exp_partial";
    /// The whole domain that could divide a non-expert parameter: DP (with an optimizer shard), CP and TP.
    param_shard_whole: i64 = "shard_p_os_non_exp";
    /// What divides a shared expert's parameters and optimizer states.
    shared_expert_shard: i64 = "shard_p_os_exp_partial";
    /// What divides a routed expert's parameters and optimizer states, beyond EP.
    routed_expert_shard: i64 = "shard_p_os_exp";
    /// What divides a non-expert parameter's gradient.
    grad_shard: i64 = "shard_grad_non_exp";
    /// What divides a routed expert's gradient, beyond EP.
    routed_expert_grad_shard: i64 = "shard_grad_exp";
    /// What divides a shared expert's gradient.
    shared_expert_grad_shard: i64 = "shard_grad_exp_partial";
    /// Whether a layer keeps the casts of its weights beside its matmuls.
    keeps_param_casts: bool = "keeps_param_casts";
    /// How data parallelism gathers and reduces non-expert parameters: 0 not at all, 2 optimizer sharding, 3 gradients sharded too.
    data_level: i64 = "comm_d_non_exp";
    /// The same for expert parameters, over the ranks that hold the same slice of an expert.
    expert_data_level: i64 = "comm_d_exp";
    /// 1 where tensor parallelism communicates, else 0.
    tensor_communicates: f64 = "comm_t";
    /// 1 where expert parallelism communicates, or the model has experts, else 0.
    experts_communicate: f64 = "comm_ep";
    /// 1 where context parallelism communicates, else 0.
    context_communicates: f64 = "comm_cp";
    /// How much of the data-parallel communication is hidden; of the time model only.
    data_overlap: f64 = "comm_dp_overlap";
    /// How much of the tensor-parallel communication is hidden; of the time model only.
    tensor_overlap: f64 = "comm_tp_overlap";
    /// What divides the embedding table.
    embedding_shard: i64 = "shard_embed";
    /// Over how many of those ranks the embedding table is gathered to compute with it.
    embedding_gather: i64 = "gather_embed";
    /// What a selective layer keeps: the run's one setting, or the first where its ranges state several.
    switches: Switches = "rec_op";
    /// The sequence length that attention scores are priced over: shortened by the heads under flash attention. May be fractional.
    flash_sequence: f64 = "s_fa";
    /// Query/key norms a layer runs: one or none.
    qk_norms: i64 = "n_qknorm";
    /// Whether the run accumulates gradients over micro-batches without a pipeline too.
    accumulates_gradients: bool = "accumulates_grads";
    /// Bytes of a gradient element on a rank; 0 where gradients take no memory.
    gradient_width: i64 = "bytes_grad";
    /// Bytes of an optimizer-state element.
    optimizer_state_width: i64 = "bytes_os";
    /// Bytes of optimizer states and main copy per parameter of a layer.
    optimizer_width: i64 = "bytes_optim";
    /// The same per parameter of the embedding and output tables, which keep two states whatever the optimizer.
    table_optimizer_width: i64 = "bytes_optim_table";
    /// Bytes of a norm's kept input element.
    norm_width: i64 = "bytes_norm";
    /// Bytes of a dropout mask element.
    dropout_width: i64 = "bytes_dropout";
    /// Whether FSDP frees a layer's gathered parameters once it has run.
    reshards: bool = "reshards";
    /// Whether each layer's reduced gradient is held until the backward ends.
    defers_gradients: bool = "defers_grads";
    /// Whether a layer's gradients are reduced while the next layer's backward runs.
    overlaps_reduction: bool = "overlaps_grad_reduce";
    /// Whether the loss runs on logits sharded over the vocabulary.
    shards_logits: bool = "shards_logits";
    /// What divides the input that a fully recomputed layer keeps.
    recompute_input_shard: i64 = "shard_recompute_input";
    /// What divides the output layer's activations.
    output_activation_shard: i64 = "shard_output_activ";
    /// The width of a head, after the family's rule for value heads. May be fractional.
    head_width: f64 = "dh";
}

/// A field's value as the goldens write it.
trait Written {
    fn written(self) -> Value;
}

impl Written for i64 {
    fn written(self) -> Value {
        self.into()
    }
}

impl Written for bool {
    fn written(self) -> Value {
        self.into()
    }
}

impl Written for f64 {
    fn written(self) -> Value {
        self.into()
    }
}

impl Written for Switches {
    fn written(self) -> Value {
        super::reference_fields::switches(self)
    }
}
