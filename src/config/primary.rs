//! Primary fields: what a run and its model state, as the reference reads them, before anything is derived.

use crate::facts::{Capacity, Offset, RecomputeLayers, RecomputeRange};
use crate::model::{Census, Family, OpCounts, Stack};
use std::sync::Arc;

/// Every primary field (config-spec 7, 8, 9). Whole numbers are as read: zero and negatives occur. `None` is "not stated".
/// The name in code font is the reference's.
#[derive(Debug, Clone, PartialEq)]
pub struct Primary {
    // The model.
    /// `model_name`.
    pub model_name: Arc<str>,
    /// `arch`.
    pub family: Family,
    /// `inherited_arch`: the language model's family, on a vision tower.
    pub inherited_family: Option<Family>,
    /// `multimodal`: a parent of submodules.
    pub multimodal: bool,
    /// `h`, elements.
    pub hidden: i64,
    /// `n_lay`, body layers.
    pub layers: i64,
    /// `n_mtp`, multi-token-prediction layers.
    pub mtp_layers: i64,
    /// `mtp_unpriced`: MTP layers the trainer does not build; `None` in the legacy schema.
    pub mtp_unpriced: Option<i64>,
    /// `a`, query heads.
    pub heads: i64,
    /// `n_kv`, key/value heads.
    pub kv_heads: i64,
    /// `dh` before the family's value-head rule; may be fractional.
    pub head_width: f64,
    /// `v_head_dim`.
    pub value_head_width: Option<i64>,
    /// `qk_nope_head_dim`.
    pub nope_head_width: Option<i64>,
    /// `dc_kv`, latent width of keys and values; 0 is not MLA.
    pub kv_latent: i64,
    /// `dc_q`, latent width of queries; 0 is none.
    pub query_latent: i64,
    /// `dhr`, rotary part of a head.
    pub rotary_width: i64,
    /// `hff`, dense feed-forward width.
    pub feed_forward: i64,
    /// `hff_exp`, one expert's feed-forward width.
    pub expert_feed_forward: i64,
    /// `v`, vocabulary.
    pub vocabulary: i64,
    /// `s`, tokens of a training sequence.
    pub sequence: i64,
    /// `attn_output_gate`.
    pub output_gate: bool,
    /// `qk_norm`.
    pub qk_norm: bool,
    /// `qkv_bias`.
    pub qkv_bias: Option<bool>,
    /// `o_bias`.
    pub output_bias: Option<bool>,
    /// `mlp_bias`.
    pub feed_forward_bias: Option<bool>,
    /// `norm_bias`.
    pub norm_bias: Option<bool>,
    /// `layer_norms`, norms a layer has.
    pub layer_norms: Option<i64>,
    /// `shared_expert_gate`.
    pub shared_expert_gate: Option<bool>,
    /// `n_exp`, routed experts; 1 is dense.
    pub experts: i64,
    /// `n_chosen_exp`, experts a token goes to.
    pub chosen_experts: i64,
    /// `n_shared_exp`.
    pub shared_experts: i64,
    /// `k_1st_dense`, leading dense layers.
    pub leading_dense: i64,
    /// `multiple_of`.
    pub multiple_of: i64,
    /// `fdm`, feed-forward multiplier.
    pub feed_forward_multiplier: f64,
    /// `tie_emb_out`.
    pub tied_embeddings: bool,
    /// `layer_stack`; `None` in a multimodal parent.
    pub stack: Option<Stack>,
    /// `op_counts`: the counts of every kind of the family, or the stated ones.
    pub op_counts: Arc<[(&'static str, OpCounts)]>,
    /// `output_census`: measured activations of the output layer.
    pub output_census: Option<Census>,

    // Degrees.
    /// `d`.
    pub data_parallel: i64,
    /// `t`.
    pub tensor_parallel: i64,
    /// `p`.
    pub pipeline_parallel: i64,
    /// `vp`, chunks a stage.
    pub chunks: i64,
    /// `cp`.
    pub context_parallel: i64,
    /// `ep`.
    pub expert_parallel: i64,
    /// `etp`.
    pub expert_tensor_parallel: i64,
    /// `sequence_parallel`.
    pub sequence_parallel: bool,
    /// `cp_algo`.
    pub cp_algorithm: Arc<str>,
    /// `devices`: the caller's count.
    pub caller_devices: Option<i64>,

    // Batch.
    /// `b`, sequences a micro-batch.
    pub micro_batch: i64,
    /// `m`, micro-batches a step.
    pub micro_batches: i64,
    /// `gbs`.
    pub global_batch: i64,

    // Sharding.
    /// `has_op`.
    pub optimizer_parallel: bool,
    /// `os_max_shard`.
    pub optimizer_shard: i64,
    /// `has_grad_shard`.
    pub grad_shard: bool,
    /// `grad_shard_as_params`.
    pub grad_shard_as_params: bool,
    /// `shard_spans_cp`.
    pub shard_spans_cp: bool,
    /// `expert_shard`.
    pub expert_shard: Option<i64>,
    /// `expert_shard_group`; `None` where the schema has no such rule (counts as false).
    pub expert_shard_group: Option<bool>,
    /// `grad_accumulation`.
    pub grad_accumulation: Option<bool>,
    /// `deferred_grad_accumulation`.
    pub deferred_grad_accumulation: Option<bool>,
    /// `overlapped_grad_reduce`.
    pub overlapped_grad_reduce: Option<bool>,
    /// `reshard_params`.
    pub reshard_params: Option<bool>,
    /// `param_casts`.
    pub param_casts: Option<bool>,
    /// `shard_activations`.
    pub shard_activations: Option<bool>,
    /// `loss_parallel`.
    pub loss_parallel: Option<bool>,
    /// `vocab_emb_dp`.
    pub vocabulary_data_parallel: bool,
    /// `emb_dp_sharded`.
    pub embedding_sharded: bool,
    /// `is_shard_mtp_param`.
    pub shard_mtp: bool,
    /// `freeze`.
    pub frozen: bool,

    // Pipeline.
    /// `pp_sched`, as stated.
    pub schedule: Arc<str>,
    /// `n_s_split`, parts a sequence is split into.
    pub sequence_parts: i64,
    /// `offset`.
    pub offset: Offset,
    /// `is_mtp_in_offset`.
    pub mtp_in_offset: bool,
    /// `emb_out_in_offset`.
    pub embedding_output_in_offset: bool,
    /// `config_format` is `json` (memory-core 8.1).
    pub json_format: bool,

    // Recompute.
    /// `full_rec`.
    pub full_recompute: RecomputeLayers,
    /// `sel_rec`.
    pub selective_recompute: RecomputeLayers,
    /// `sel_comm_rec`, truth value.
    pub selective_comm_recompute: Option<bool>,
    /// `sel_rec_rule`.
    pub selective_rule: Arc<str>,
    /// `recompute_slice_activation`.
    pub recompute_slice_activation: bool,
    /// `recompute_ranges`; an empty list is a statement.
    pub recompute_ranges: Option<Arc<[RecomputeRange]>>,
    /// `stated_ac_mode`.
    pub stated_mode: Option<Arc<str>>,

    // Widths, bytes an element.
    /// `bytes_p`.
    pub param_bytes: i64,
    /// `bytes_compute`.
    pub compute_bytes: i64,
    /// `bytes_softmax`.
    pub softmax_bytes: i64,
    /// `grad_bytes`.
    pub grad_bytes: Option<i64>,
    /// `optimizer_state_bytes`.
    pub optimizer_state_bytes: Option<i64>,
    /// `optimizer_states`.
    pub optimizer_states: Option<i64>,
    /// `main_param_bytes`.
    pub main_param_bytes: Option<i64>,
    /// `norm_bytes`.
    pub norm_bytes: Option<i64>,
    /// `dropout_bytes`.
    pub dropout_bytes: Option<i64>,

    // The rest of the run.
    /// `optimizer`, its name as stated.
    pub optimizer: Arc<str>,
    /// `has_clip`.
    pub clips_gradients: bool,
    /// `has_fa`.
    pub flash_attention: bool,
    /// `gmm`, grouped matmul (dropless experts).
    pub grouped_matmul: bool,
    /// `cap_fact`.
    pub capacity_factor: f64,
    /// `tokens_per_expert`: measured load.
    pub tokens_per_expert: Option<Arc<[f64]>>,
    /// `moe_dispatch`, of the time model only.
    pub moe_dispatch: Option<f64>,
    /// `seq_len_stated`.
    pub sequence_stated: bool,
    /// `device_capacity`.
    pub device_capacity: Capacity,
    /// `device_per_node`.
    pub devices_per_node: i64,
}

impl Default for Primary {
    /// A dense run of nothing on one device with everything the reference's parser states by default; for tests and for
    /// filling in field by field.
    #[expect(clippy::too_many_lines, reason = "one line a field")]
    fn default() -> Self {
        Self {
            model_name: "custom".into(),
            family: Family::Default,
            inherited_family: None,
            multimodal: false,
            hidden: 0,
            layers: 0,
            mtp_layers: 0,
            mtp_unpriced: None,
            heads: 0,
            kv_heads: 0,
            head_width: 0.0,
            value_head_width: None,
            nope_head_width: None,
            kv_latent: 0,
            query_latent: 0,
            rotary_width: 0,
            feed_forward: 0,
            expert_feed_forward: 0,
            vocabulary: 0,
            sequence: 4096,
            output_gate: false,
            qk_norm: false,
            qkv_bias: None,
            output_bias: None,
            feed_forward_bias: None,
            norm_bias: None,
            layer_norms: None,
            shared_expert_gate: None,
            experts: 1,
            chosen_experts: 1,
            shared_experts: 0,
            leading_dense: 0,
            multiple_of: 256,
            feed_forward_multiplier: 1.0,
            tied_embeddings: false,
            stack: None,
            op_counts: Arc::from([]),
            output_census: None,
            data_parallel: 1,
            tensor_parallel: 1,
            pipeline_parallel: 1,
            chunks: 1,
            context_parallel: 1,
            expert_parallel: 1,
            expert_tensor_parallel: 0,
            sequence_parallel: false,
            cp_algorithm: "colossalai_cp".into(),
            caller_devices: None,
            micro_batch: 1,
            micro_batches: 1,
            global_batch: 1,
            optimizer_parallel: false,
            optimizer_shard: 1,
            grad_shard: false,
            grad_shard_as_params: true,
            shard_spans_cp: true,
            expert_shard: Some(1),
            expert_shard_group: Some(false),
            grad_accumulation: Some(true),
            deferred_grad_accumulation: Some(true),
            overlapped_grad_reduce: Some(true),
            reshard_params: Some(true),
            param_casts: Some(false),
            shard_activations: None,
            loss_parallel: Some(false),
            vocabulary_data_parallel: true,
            embedding_sharded: true,
            shard_mtp: true,
            frozen: false,
            schedule: "1f1b".into(),
            sequence_parts: 1,
            offset: Offset::Unstated,
            mtp_in_offset: false,
            embedding_output_in_offset: false,
            json_format: false,
            full_recompute: RecomputeLayers::All(false),
            selective_recompute: RecomputeLayers::All(false),
            selective_comm_recompute: None,
            selective_rule: "hyperparallel".into(),
            recompute_slice_activation: false,
            recompute_ranges: None,
            stated_mode: None,
            param_bytes: 2,
            compute_bytes: 2,
            softmax_bytes: 4,
            grad_bytes: Some(2),
            optimizer_state_bytes: Some(2),
            optimizer_states: Some(2),
            main_param_bytes: Some(0),
            norm_bytes: None,
            dropout_bytes: None,
            optimizer: "adamw".into(),
            clips_gradients: false,
            flash_attention: true,
            grouped_matmul: false,
            capacity_factor: 1.0,
            tokens_per_expert: None,
            moe_dispatch: None,
            sequence_stated: false,
            device_capacity: Capacity::DEFAULT,
            devices_per_node: 8,
        }
    }
}
