//! The trainer's key names: this is the only place that spells them (config-spec 4). One row a fact: the keys looked up,
//! in order, each in a section.

use super::Schema;
use crate::model;
use crate::provenance::KeyPath;

/// A section of a train.yaml, after the fallbacks of config-spec 4.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The root.
    Root,
    /// Root `accelerator`, else `train.accelerator`.
    Accelerator,
    /// Root `training`, else `train`.
    Training,
    /// Root `optimizer`, else `train.optimizer`.
    Optimizer,
    /// `fsdp_config`.
    Fsdp,
    /// `fsdp_config.mix_precision`.
    MixedPrecision,
    /// `activation_checkpoint`.
    Checkpoint,
    /// `train.gradient_checkpointing`.
    LegacyCheckpoint,
    /// `dataset.data_transform`.
    DataTransform,
    /// `dataset.data_config`.
    DataConfig,
    /// `data`.
    LegacyData,
    /// `context`.
    Context,
    /// `model`.
    Model,
    /// `model.config_overrides`.
    Overrides,
}

impl Section {
    /// Every section.
    pub const ALL: [Self; 14] = [
        Self::Root,
        Self::Accelerator,
        Self::Training,
        Self::Optimizer,
        Self::Fsdp,
        Self::MixedPrecision,
        Self::Checkpoint,
        Self::LegacyCheckpoint,
        Self::DataTransform,
        Self::DataConfig,
        Self::LegacyData,
        Self::Context,
        Self::Model,
        Self::Overrides,
    ];

    /// Where the section may stand: the first place whose last key exists is the one (even if null), else the one the
    /// schema writes.
    pub const fn places(self) -> &'static [&'static str] {
        match self {
            Self::Root => &[""],
            Self::Accelerator => &["accelerator", "train.accelerator"],
            Self::Training => &["training", "train"],
            Self::Optimizer => &["optimizer", "train.optimizer"],
            Self::Fsdp => &["fsdp_config"],
            Self::MixedPrecision => &["fsdp_config.mix_precision"],
            Self::Checkpoint => &["activation_checkpoint"],
            Self::LegacyCheckpoint => &["train.gradient_checkpointing"],
            Self::DataTransform => &["dataset.data_transform"],
            Self::DataConfig => &["dataset.data_config"],
            Self::LegacyData => &["data"],
            Self::Context => &["context"],
            Self::Model => &["model"],
            Self::Overrides => &["model.config_overrides"],
        }
    }

    /// The place a schema writes where the section stands nowhere.
    pub fn home(self, schema: Schema) -> KeyPath {
        let places = self.places();
        match schema {
            Schema::AutoModels => KeyPath::parse(places[0]),
            Schema::Legacy => KeyPath::parse(places[places.len() - 1]),
        }
    }

    /// The keys read from the section.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        let keys = Fact::ALL.iter().flat_map(|fact| fact.keys());
        keys.filter(move |(section, _)| *section == self).map(|(_, key)| *key)
    }
}

/// How a train.yaml spells what states a model.
pub fn model_keys() -> model::Keys {
    let place = |section: Section| KeyPath::parse(section.places()[0]);
    let key = |fact: Fact| {
        let (section, key) = fact.keys()[0];
        place(section).key(key)
    };
    model::Keys {
        section: place(Section::Model),
        overrides: place(Section::Overrides),
        checkpoint: key(Fact::ModelPath),
        visual_tokens: key(Fact::VisualTokens),
        hints: CHECKPOINT_HINTS.to_vec(),
        run: Section::Overrides.keys().collect(),
    }
}

macro_rules! facts {
    ($($fact:ident [$($section:ident $key:literal),*] legacy $legacy:literal $meaning:literal;)*) => {
        /// A fact of a run that keys state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fact {
            $(#[doc = $meaning] $fact,)*
        }

        impl Fact {
            /// Every fact.
            pub const ALL: &'static [Self] = &[$(Self::$fact,)*];

            /// The keys looked up, in order.
            pub const fn keys(self) -> &'static [(Section, &'static str)] {
                match self { $(Self::$fact => &[$((Section::$section, $key),)*],)* }
            }

            /// The key that a schema writes where none is stated: AutoModels the first.
            pub const fn written(self, schema: Schema) -> (Section, &'static str) {
                let legacy = match self { $(Self::$fact => $legacy,)* };
                match schema {
                    Schema::AutoModels => self.keys()[0],
                    Schema::Legacy => self.keys()[legacy],
                }
            }
        }
    };
}

facts! {
    DpShard [Fsdp "dp_shard_size", Accelerator "dp_shard"] legacy 1 "Data-parallel shard degree.";
    DpReplicate [Accelerator "dp_replicate"] legacy 0 "Data-parallel replicate degree.";
    TensorParallel [Accelerator "tp_size", Accelerator "tp_degree"] legacy 1 "Tensor parallelism.";
    PipelineParallel [Accelerator "pp_size", Accelerator "pipeline_parallel_degree"] legacy 1 "Pipeline parallelism.";
    ContextParallel [Accelerator "cp_size", Accelerator "context_parallel_degree"] legacy 1 "Context parallelism.";
    ExpertParallel [Accelerator "ep_size", Accelerator "expert_parallel_degree"] legacy 1 "Expert parallelism.";
    ExpertTensorParallel [Accelerator "expert_tensor_parallel_degree"] legacy 0 "Expert tensor parallelism.";
    ExpertShard [Fsdp "edp_shard_size"] legacy 0 "Shard size of an expert.";
    Chunks [Accelerator "pp_interleave_num"] legacy 0 "Chunks a stage (VPP).";
    Schedule [Accelerator "pipeline_scheduler"] legacy 0 "Pipeline schedule.";
    SequenceParallel [Accelerator "sequence_parallel", Accelerator "use_seq_parallel"] legacy 1 "Sequence parallelism.";
    OptimizerParallel [Accelerator "enable_parallel_optimizer"] legacy 0 "Optimizer sharding; legacy schema only.";
    OptimizerShard [Accelerator "optimizer_weight_shard_size"] legacy 0 "Ranks that share a parameter's optimizer state.";
    GradShard [Accelerator "gradient_accumulation_shard"] legacy 0 "Sharding of accumulated gradients.";
    LossParallel [Accelerator "loss_parallel"] legacy 0 "Loss on vocabulary-sharded logits.";
    CpAlgorithm [Accelerator "context_parallel_algo"] legacy 0 "Context-parallel algorithm.";
    ReshardForward [Fsdp "reshard_after_forward"] legacy 0 "Free gathered parameters after the forward.";
    ReshardBackward [Fsdp "reshard_after_backward"] legacy 0 "Free gathered parameters after the backward.";
    Devices [Context "device_num"] legacy 0 "Device count.";
    MicroBatch [Training "micro_batch_size"] legacy 0 "Sequences a micro-batch.";
    MicroBatches [Training "micro_batch_num"] legacy 0 "Micro-batches a step.";
    GlobalBatch [Training "global_batch_size"] legacy 0 "Sequences a step.";
    MaxGradNorm [Training "max_grad_norm", Optimizer "max_grad_norm"] legacy 0 "Gradient clipping.";
    OptimizerName [Optimizer "_target_", Optimizer "type"] legacy 1 "Optimizer.";
    MainParams [Optimizer "fp32_main_params"] legacy 0 "An fp32 copy of each parameter.";
    InitDtype [Root "model_init_dtype"] legacy 0 "Dtype the parameters are kept in.";
    ParamDtype [MixedPrecision "param_dtype"] legacy 0 "Dtype FSDP gathers parameters in.";
    ReduceDtype [MixedPrecision "reduce_dtype"] legacy 0 "Dtype FSDP reduces gradients in.";
    TorchDtype [Model "torch_dtype"] legacy 0 "Dtype the model is loaded in.";
    LegacyParamDtype [Model "param_init_type"] legacy 0 "Dtype of parameters; legacy schema only.";
    LegacyComputeDtype [Model "compute_dtype"] legacy 0 "Dtype of computation; legacy schema only.";
    SoftmaxDtype [Model "softmax_compute_type"] legacy 0 "Dtype of the softmax.";
    FullOverride [Overrides "full_rec"] legacy 0 "Full recompute, per layer or stage.";
    SelectiveOverride [Overrides "sel_rec"] legacy 0 "Selective recompute, per layer or stage.";
    RecomputeMode [Checkpoint "mode", LegacyCheckpoint "activation_checkpoint"] legacy 1 "Recompute mode.";
    RecomputeSlice [Checkpoint "recompute_slice_activation", Fsdp "recompute_slice_activation",
        LegacyCheckpoint "recompute_slice_activation"] legacy 2 "Keep a recomputed layer's input sharded over TP.";
    Offset [Overrides "offset", Model "offset"] legacy 0 "Layers more or fewer per stage.";
    GroupedMatmul [Overrides "use_gmm", Overrides "gmm"] legacy 0 "Grouped matmul of the experts.";
    Capacity [Overrides "capacity_factor", Overrides "cap_fact"] legacy 0 "Expert capacity factor.";
    SequenceLength [DataTransform "max_seq_len", DataConfig "seq_length", LegacyData "max_seq_len"] legacy 2 "Tokens of a training sequence.";
    SequenceFallback [Overrides "seq_length"] legacy 0 "Sequence length where nothing else states one.";
    DeviceMemory [Context "max_device_memory"] legacy 0 "Memory of a device.";
    VisualTokens [Context "visual_seq_len"] legacy 0 "Tokens of an image.";
    ExpertShardRule [Context "expert_shard"] legacy 0 "Shard each expert over its whole group.";
    MoeDispatch [Context "moe_dispatch"] legacy 0 "Cost of token dispatch; time model only.";
    Census [Context "census"] legacy 0 "Measured activations.";
    CensusSpec [Context "census_spec"] legacy 0 "The model spec of the census.";
    ModelTarget [Model "_target_"] legacy 0 "The class that builds the model.";
    ModelPath [Model "pretrained_model_name_or_path", Model "config_path"] legacy 0 "The checkpoint.";
    ModelName [Model "name"] legacy 0 "The model's name.";
}

/// Root keys whose mere presence makes a file AutoModels (config-spec 3).
pub const AUTO_MODELS_ROOTS: [&str; 3] = ["training", "accelerator", "fsdp_config"];
/// The key whose truth makes a file AutoModels.
pub const AUTO_MODELS_PATH: &str = "pretrained_model_name_or_path";
/// The least text of the `AutoModels` schema: a run that states nothing.
pub const EMPTY_RUN: &str = "training: {}\n";
/// The root's sections in the order in which people write them.
pub const ROOTS: [&str; 10] = [
    MODEL,
    "training",
    "train",
    "accelerator",
    "fsdp_config",
    "optimizer",
    "activation_checkpoint",
    "dataset",
    "data",
    "context",
];
/// The section of the model.
pub const MODEL: &str = "model";
/// Keys of older files that name a checkpoint: nothing reads them, and they say which model is meant.
pub const CHECKPOINT_HINTS: [&str; 2] = ["weights_path", "tokenizer_path"];
/// Classes that build a checkpoint's vision tower (config-spec 11).
pub const VISION_TARGETS: [&str; 3] = ["ImageTextToText", "Vision2Seq", "ConditionalGeneration"];
/// The modes of recompute, from least to most.
pub const RECOMPUTE_MODES: [&str; 3] = ["off", "selective", "full"];
/// The one rule `context.expert_shard` may name.
pub const EXPERT_GROUP_RULE: &str = "group";

/// Root keys of a MindFormers file (mindformers-spec 1).
pub const MINDFORMERS_ROOTS: [&str; 3] = ["parallel_config", "runner_config", "recompute_config"];
/// The section inside `model` of a MindFormers file.
pub const MINDFORMERS_MODEL: &str = "model_config";
/// The section that both MindFormers pynative and search files have.
pub const PARALLELISM: &str = "parallelism";
/// Long keys of a pynative MindFormers file's `parallelism`.
pub const PYNATIVE_KEYS: [&str; 5] =
    ["data_parallel_shard", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel"];
/// Root keys one of which stands beside a pynative `parallelism`.
pub const PYNATIVE_ROOTS: [&str; 2] = ["training", "recompute"];
/// Root keys of a search file (search-spec 1).
pub const SEARCH_ROOTS: [&str; 3] = [PARALLELISM, "cluster", "constraint"];

/// Read keys that other tools and sections use for something else: their standing elsewhere says nothing. Sorted, as the
/// lists below are.
pub const COMMON_KEYS: [&str; 17] = [
    "_target_",
    "census",
    "compute_dtype",
    "config_path",
    "expert_shard",
    "full_rec",
    "gmm",
    "loss_parallel",
    "mode",
    "name",
    "offset",
    "pretrained_model_name_or_path",
    "sel_rec",
    "seq_length",
    "sequence_parallel",
    "torch_dtype",
    "type",
];

/// Sections that have nothing to do with memory, or that hold free text of other programs: not looked into.
pub const FOREIGN_SECTIONS: [&str; 36] = [
    "callbacks",
    "checkpoint",
    "codegen",
    "collate_fn",
    "compile",
    "compile_config",
    "dataloader.collate_fn",
    "dataloader.get_batch.runtime_input_adapter",
    "dataset.model_assets",
    "debug",
    "dry_run",
    "logging",
    "loss",
    "loss_fn",
    "low_precision.precision_debug",
    "low_precision.scaling",
    "lr_scheduler",
    "model.config",
    "model.config_overrides",
    "model.reference_weights",
    "modeling_backend",
    "optimizer.adamw_config",
    "optimizer.muon_config",
    "plan_overrides",
    "profiling",
    "step_scheduler._target_",
    "tokenizer",
    "tracking",
    "train.checkpoint",
    "train.debug",
    "train.logging",
    "train.mixed_precision.enabled",
    "train.optimizer.betas",
    "train.profiling",
    "train.wandb",
    "wandb",
];

/// Keys of the sections that are read, known from real files, without effect on memory.
pub const SILENT_KEYS: [&str; 123] = [
    "activation_checkpointing",
    "append_eos",
    "attention_mode",
    "attn_implementation",
    "backend",
    "batch_size",
    "betas",
    "cache_dir",
    "cast_forward_inputs",
    "chat_template",
    "comm_fusion_zero_copy",
    "config",
    "create_attention_mask_in_dataloader",
    "create_ltor_fields_in_dataloader",
    "data_config",
    "data_lazy_load",
    "data_path",
    "data_rearrange_map",
    "data_sharding",
    "data_type",
    "dataloader_type",
    "dataset_type",
    "datasets_type",
    "decay_steps",
    "deterministic",
    "distributed_walk",
    "dp_size",
    "drop_last",
    "empty_cache_steps",
    "enable",
    "enable_async_tensor_parallel",
    "enable_compile",
    "enable_full_determinism",
    "enabled",
    "engram_assets_path",
    "eval_iters",
    "exercise_post_training_indexer",
    "experts_implementation",
    "extra_adamw_name_keywords",
    "extra_wrap_modules",
    "force_hf",
    "format",
    "fsdp_mode",
    "grad_clip",
    "height",
    "hf_config_name",
    "hf_dataset_name",
    "ignore_mismatched_sizes",
    "image_grid_height",
    "image_grid_width",
    "in_channels",
    "include_fqns",
    "indexer_loss_coeff",
    "init_device",
    "is_dataset_from_mr",
    "joint_attention_dim",
    "labels_are_shifted",
    "layer_count",
    "load",
    "load_base_model",
    "local_files_only",
    "log_interval",
    "log_steps",
    "logging_steps",
    "loss_aggregation",
    "lr",
    "lr_decay_ratio",
    "lr_decay_style",
    "lr_min",
    "lr_scheduler_iters",
    "lr_warmup_ratio",
    "max_steps",
    "min_buffered_samples",
    "mock_data",
    "no_decay_params",
    "num_epochs",
    "num_samples",
    "num_train_epochs",
    "num_vision_layers",
    "num_workers",
    "out_channels",
    "output_dtype",
    "packing",
    "patch_size",
    "pin_memory",
    "pp_mpipe_transpose_layers",
    "pp_mpipe_transpose_overflow",
    "prefetch_factor",
    "qk_clip_threshold",
    "reference_weights",
    "report_throughput",
    "requires_grad_sync",
    "resume",
    "sampler_type",
    "save_ckpt",
    "save_steps",
    "seed",
    "shuffle",
    "simple_blend",
    "skip_data_check",
    "source",
    "source_type",
    "split",
    "text_column",
    "text_keys",
    "text_parameter_divisor",
    "tokenizer_path",
    "train_iters",
    "train_path",
    "train_samples",
    "train_url",
    "trust_remote_code",
    "use_background_prefetcher",
    "validate_placement",
    "vl_grid_h",
    "vl_grid_t",
    "vl_grid_w",
    "vocab_size",
    "wandb",
    "warmup_steps",
    "weight_decay",
    "weights_path",
    "width",
];

/// Known keys that matter to memory and that the reference does not read.
pub const NOTED_KEYS: [&str; 23] = [
    "activation_checkpoint.selection",
    "activation_swap",
    "dataloader.get_batch.cp_algorithm",
    "fsdp_config.backward_prefetch_depth",
    "fsdp_config.comm_fusion",
    "fsdp_config.cpu_offload",
    "fsdp_config.defer_fsdp_grad_sync",
    "fsdp_config.enable_fsdp2_prefetch",
    "fsdp_config.enable_offload",
    "fsdp_config.forward_prefetch_depth",
    "fsdp_config.mix_precision.reduce_dtype",
    "fsdp_config.replicate_params",
    "low_precision.enabled",
    "model.freeze_modules",
    "optimizer.offload",
    "parallel",
    "train.accelerator.comm_fusion",
    "train.accelerator.fsdp_backward_prefetch",
    "train.accelerator.fsdp_forward_prefetch",
    "train.accelerator.pp_less_memory",
    "train.gradient_checkpointing.num_layers",
    "train.mixed_precision.param_dtype",
    "train.mixed_precision.reduce_dtype",
];

/// What people write for a read key of the same section.
pub const SYNONYMS: [(&str, &str); 14] = [
    ("tp", "tp_size"),
    ("pp", "pp_size"),
    ("cp", "cp_size"),
    ("ep", "ep_size"),
    ("tensor_parallel_size", "tp_size"),
    ("pipeline_parallel_size", "pp_size"),
    ("context_parallel_size", "cp_size"),
    ("expert_parallel_size", "ep_size"),
    ("dp_replicate_size", "dp_replicate"),
    ("pp_schedule", "pipeline_scheduler"),
    ("vpp", "pp_interleave_num"),
    ("seq_len", "max_seq_len"),
    ("sequence_length", "max_seq_len"),
    ("max_seq_length", "max_seq_len"),
];
