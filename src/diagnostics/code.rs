//! The stable codes, each with its severity, in one table.

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// No estimate is made.
    Error,
    /// An estimate is made; the run may differ or fail.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

macro_rules! codes {
    ($($severity:ident $name:literal $code:ident $meaning:literal $source:literal;)*) => {
        /// A stable diagnostic code; the snake_case name is the interface (DESIGN 3.5).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!($meaning, " (", $source, ").")] $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code,)*];

            /// The stable snake_case name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$code => $name,)* }
            }

            /// How much it matters where no memory model says otherwise.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$code => Severity::$severity,)* }
            }

            /// What it means, as a phrase.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$code => $meaning,)* }
            }

            /// Where the rule is written.
            pub const fn source(self) -> &'static str {
                match self { $(Self::$code => $source,)* }
            }
        }
    };
}

codes! {
    Error "yaml_syntax" YamlSyntax "the text is not YAML as the trainer's loader reads it" "config-spec 2, 14";
    Error "document_too_large" DocumentTooLarge "the text is longer than the limit" "DESIGN 4";
    Error "document_too_deep" DocumentTooDeep "sections are nested deeper than the limit" "DESIGN 4";
    Error "document_expands" DocumentExpands "aliases expand to more nodes than the limit" "DESIGN 4";
    Error "root_not_mapping" RootNotMapping "the file is empty, a list or a single value" "config-spec 2";
    Error "key_not_text" KeyNotText "a key is not text (a bare `on:` is a boolean)" "config-spec 2, 18.5";
    Error "json_syntax" JsonSyntax "the model config is not JSON" "DESIGN 4";
    Error "input_mindformers" InputMindformers "a MindFormers file, which is not read yet" "mindformers-spec 1";
    Error "input_search" InputSearch "a search file, which is not read yet" "search-spec 1";
    Error "model_unstated" ModelUnstated "nothing in the file describes a model" "config-spec 12";
    Error "hf_config_unresolved" HfConfigUnresolved "a model is named, but its config cannot be read" "config-spec 12, 13";
    Error "model_unknown" ModelUnknown "no catalogue model has this id" "DESIGN 3.1";
    Error "spec_unknown_key" SpecUnknownKey "an unknown key among the overrides of the model" "config-spec 5.5";
    Error "spec_required_missing" SpecRequiredMissing "a required dimension is not stated" "config-spec 5.5";
    Error "spec_required_nonpositive" SpecRequiredNonpositive "a required dimension is zero, negative or null" "config-spec 5.5";
    Error "spec_not_integer" SpecNotInteger "a dimension is not a whole number" "config-spec 5.5";
    Error "spec_flag_not_bool" SpecFlagNotBool "a switch of the model is neither true nor false" "config-spec 5.5";
    Error "spec_kv_heads" SpecKvHeads "the key/value heads do not divide the heads" "config-spec 5.5";
    Error "spec_expert_width" SpecExpertWidth "a mixture of experts without an expert width" "config-spec 5.5";
    Error "spec_shared_width" SpecSharedWidth "shared experts without a width" "config-spec 5.5";
    Error "spec_unknown_arch" SpecUnknownArch "a stated family that does not exist" "config-spec 6.1";
    Error "spec_ops_form" SpecOpsForm "stated op counts that are no mapping" "config-spec 12";
    Error "spec_ops_kinds" SpecOpsKinds "stated op counts for other layer kinds than the family's" "config-spec 12";
    Error "spec_ops_missing" SpecOpsMissing "a stated op vector misses an op" "config-spec 12";
    Error "spec_ops_unknown" SpecOpsUnknown "a stated op vector names an unknown op" "config-spec 12";
    Error "spec_activations_form" SpecActivationsForm "measured activations of an unknown layer kind or form" "memory-core 7.3";
    Error "spec_layers_form" SpecLayersForm "the stated layers are no list of groups" "config-spec 12";
    Error "spec_layers_zero" SpecLayersZero "a stated layer group has no layers" "config-spec 12";
    Error "spec_layers_kind" SpecLayersKind "a stated layer kind the family does not have" "config-spec 12";
    Error "spec_layers_order" SpecLayersOrder "body layers are stated after MTP layers" "config-spec 12";
    Error "spec_layers_body_count" SpecLayersBodyCount "the stated layers do not sum to the model's" "config-spec 12";
    Error "spec_layers_mtp_count" SpecLayersMtpCount "the stated MTP layers do not sum to the model's" "config-spec 12";
    Error "spec_layer_types_short" SpecLayerTypesShort "fewer layer types than layers" "config-spec 6.4";
    Error "spec_layer_types_form" SpecLayerTypesForm "the layer types are no list of texts" "config-spec 12";
    Error "spec_linear_missing" SpecLinearMissing "some, not all, of the five linear-attention fields" "config-spec 6.4";
    Error "spec_linear_unstated" SpecLinearUnstated "a linear-attention layer without its fields" "config-spec 6.4";
    Error "spec_encoder_decoder_odd" SpecEncoderDecoderOdd "an encoder-decoder model with an odd depth" "config-spec 12";
    Error "vision_missing" VisionMissing "the vision tower lacks a field" "config-spec 5.5";
    Error "vision_invalid" VisionInvalid "the vision tower's config is no mapping" "config-spec 12";
    Error "device_num_indivisible" DeviceNumIndivisible "the device count is not divisible by TP·PP·CP" "config-spec 4.3";
    Error "expert_shard_rule" ExpertShardRule "an unknown expert shard rule" "config-spec 4.7";
    Error "ac_mode_unknown" AcModeUnknown "an unknown recompute mode" "config-spec 4.8";
    Error "ac_mode_not_single" AcModeNotSingle "a recompute mode that names no single mode" "config-spec 4.8";
    Error "moe_dispatch_negative" MoeDispatchNegative "a negative dispatch cost" "config-spec 4.11";
    Error "memory_format" MemoryFormat "a memory size that cannot be read" "config-spec 4.11";
    Error "not_integer" NotInteger "a value is not a whole number" "config-spec 12, 18.5";
    Error "not_number" NotNumber "a value is not a number" "config-spec 12, 18.5";
    Error "degree_too_large" DegreeTooLarge "a degree is larger than anything that can be laid out" "DESIGN 7";
    Error "expert_layout" ExpertLayout "the degrees leave an expert group, width or count below one" "config-spec 10.2";
    Error "recompute_range_past_end" RecomputeRangePastEnd "a recompute range reaches past the last layer" "config-spec 10.7";
    Error "selective_rule_unknown" SelectiveRuleUnknown "an unknown rule of selective recompute" "config-spec 10.7";
    Error "multimodal_selective_settings" MultimodalSelectiveSettings "a multimodal model with several selective settings" "config-spec 10.7";
    Error "range_form" RangeForm "a recompute range is no mapping" "config-spec 18.2";
    Error "range_unknown_key" RangeUnknownKey "an unknown key in a recompute range" "config-spec 18.2";
    Error "range_ops_form" RangeOpsForm "the ops of a range are no mapping" "config-spec 18.2";
    Error "range_first" RangeFirst "the first layer of a range is no whole number from 0" "config-spec 18.2";
    Error "range_count" RangeCount "the count of a range is no whole number from 1" "config-spec 18.2";
    Error "range_option" RangeOption "an unknown option of a range" "config-spec 18.2";
    Error "range_ops_not_selective" RangeOpsNotSelective "ops stated on a range that is not selective" "config-spec 18.2";
    Error "range_ops_unknown" RangeOpsUnknown "an unknown op in a range" "config-spec 18.2";
    Error "range_op_state" RangeOpState "an op of a range is neither keep nor recompute" "config-spec 18.2";
    Error "ranges_overlap" RangesOverlap "recompute ranges overlap or are out of order" "config-spec 18.2";
    Error "ranges_open_not_last" RangesOpenNotLast "an open recompute range is not the last" "config-spec 18.2";
    Error "exec_unknown_key" ExecUnknownKey "an unknown key of the execution spec" "DESIGN 3.1";
    Error "exec_kind" ExecKind "a value of the execution spec is of another kind" "DESIGN 3.1";
    Error "layers_not_placed" LayersNotPlaced "the placed layers are not the model's" "memory-core 8.8";
    Error "layout_too_large" LayoutTooLarge "no pipeline, or more chunks or layers than are placed" "DESIGN 7";
    Error "stage_list_short" StageListShort "a list of layers per stage is shorter than the stages" "memory-core 8.3";
    Error "schedule_unknown" ScheduleUnknown "a pipeline schedule the reference does not price" "memory-core 19";
    Error "policy_unknown" PolicyUnknown "the memory model has no policy of this name" "DESIGN 3.1";
    Error "policy_value_unknown" PolicyValueUnknown "the policy has no value of this name" "memory-core 15";
    Error "memory_model_unknown" MemoryModelUnknown "no memory model has this name" "DESIGN 3.1";
    Error "measured_unreadable" MeasuredUnreadable "a measured peak that is no amount of memory" "ledger 7";
    Error "shapes_unknown" ShapesUnknown "the ledger has no tensors for a model whose shapes nobody wrote down" "ledger 2";
    Warning "family_default" FamilyDefault "the name opens with no known family" "config-spec 6.1";
    Warning "layer_types_unknown" LayerTypesUnknown "layer types the family does not have" "config-spec 6.4";
    Warning "activations_unused" ActivationsUnused "measured activations of a layer kind that the model does not have" "memory-core 7.3";
    Warning "layer_kind_nearest" LayerKindNearest "layers of a kind the reference does not have are priced as the nearest one" "DESIGN 3.5";
    Warning "hf_config_unresolved" HfConfigUnread "a model is named, its config cannot be read, and the overrides are used alone" "config-spec 13";
    Warning "vision_grid_missing" VisionGridMissing "the vision tower states no position grid" "config-spec 5.4";
    Warning "mtp_unpriced" MtpUnpriced "the trainer builds no MTP layers" "config-spec 6.4";
    Warning "device_num_unstated" DeviceNumUnstated "the device count is not stated" "config-spec 4.3";
    Warning "cp_algo_default" CpAlgoDefault "the context-parallel algorithm is not stated" "config-spec 4.2";
    Warning "optimizer_unstated" OptimizerUnstated "the optimizer is not stated" "config-spec 4.5";
    Warning "dtype_unstated" DtypeUnstated "nothing states a dtype" "config-spec 13";
    Warning "unread_precision_key" UnreadPrecisionKey "a precision key this trainer does not read" "config-spec 13";
    Warning "seq_len_unstated" SeqLenUnstated "the sequence length is not stated" "config-spec 4.10";
    Warning "expert_degrees_clamped" ExpertDegreesClamped "the degrees cannot hold the experts and were raised" "config-spec 10.2";
    Warning "no_census" NoCensus "a census was asked for, and the config is not readable" "config-spec 13";
    Warning "duplicate_key" DuplicateKey "a key is repeated; the last one counts" "config-spec 2";
    Warning "key_misspelled" KeyMisspelled "an unknown key near one that is read" "DESIGN 3.5";
    Warning "key_misplaced" KeyMisplaced "a key that is read, in another section than it is read from" "DESIGN 3.5";
    Warning "keys_unread_more" KeysUnreadMore "further unknown keys" "DESIGN 3.5";
    Warning "memory_unit_unknown" MemoryUnitUnknown "a memory size without a known unit counts as bytes" "config-spec 4.11";
    Warning "heads_not_divided" HeadsNotDivided "TP does not divide the attention heads" "DESIGN 3.5";
    Warning "kv_heads_not_divided" KvHeadsNotDivided "TP does not divide the key/value heads" "DESIGN 3.5";
    Warning "vocabulary_not_divided" VocabularyNotDivided "TP does not divide the vocabulary" "DESIGN 3.5";
    Warning "experts_not_divided" ExpertsNotDivided "EP does not divide the experts" "DESIGN 3.5";
    Warning "sequence_not_divided" SequenceNotDivided "CP does not divide the sequence" "DESIGN 3.5";
    Warning "shard_not_dividing" ShardNotDividing "the DP shard does not divide DP" "DESIGN 3.5";
    Warning "shard_times_replicate" ShardTimesReplicate "shard times replicate is not DP" "DESIGN 3.5";
    Warning "override_unread" OverrideUnread "an override of a key that is not read" "DESIGN 2.4";
    Warning "reference_negative_buffer" ReferenceNegativeBuffer "the reference's buffers are negative here" "memory-core 9";
    Note "fragment" Fragment "the file names no model and no dimensions" "DESIGN 3.5";
    Note "stages_empty" StagesEmpty "pipeline stages that run nothing" "memory-core 8";
    Note "key_without_model" KeyWithoutModel "a known key that matters to memory, and that the reference does not read" "DESIGN 3.5";
}
