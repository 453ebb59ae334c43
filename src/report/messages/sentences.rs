//! The sentences, one line a code: `{0}`, `{1}`, … stand for the diagnostic's arguments in their order,
//! `{1:gib}` for an amount of bytes, `{key}` for the key it is about; what stands in `[…]` is left out where its argument is missing.

use crate::diagnostics::Code;

/// How a code is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sentence {
    /// One phrase.
    Plain(&'static str),
    /// A fact that the reference prices though no such run exists, and the reason why it would fail (DESIGN 3.5).
    WouldFail {
        /// What does not divide.
        fact: &'static str,
        /// Why such a run fails.
        reason: &'static str,
        /// The degree that nearest legal values are values of.
        degree: &'static str,
    },
}

const fn would_fail(fact: &'static str, reason: &'static str, degree: &'static str) -> Sentence {
    Sentence::WouldFail { fact, reason, degree }
}

/// The sentence of a code.
#[expect(clippy::too_many_lines, reason = "a table, one line a code")]
pub const fn sentence(code: Code) -> Sentence {
    use Sentence::Plain;
    match code {
        // The text.
        Code::YamlSyntax => Plain("expected YAML as the trainer reads it, got {0}[: `{1}`]"),
        Code::DocumentTooLarge => Plain("the text has {0} bytes; at most {1} are read"),
        Code::DocumentTooDeep => Plain("sections are nested more than {0} deep"),
        Code::DocumentExpands => Plain("aliases expand to more than {0} values"),
        Code::RootNotMapping => Plain("expected sections of keys and values, got {0}"),
        Code::KeyNotText => Plain("expected a text as key, got `{0}`[, which the trainer reads as {1}]"),
        Code::JsonSyntax => Plain("expected JSON, got {0}[: `{1}`]"),
        Code::InputMindformers => {
            Plain("this is a MindFormers file (it has `{0}`): expected a HyperParallel train.yaml")
        }
        Code::InputSearch => Plain("this is a search file (it has `{0}`): expected the train.yaml of one run"),

        // The model.
        Code::ModelUnstated => Plain("expected the file to name a model or to state its dimensions, got neither"),
        Code::HfConfigUnresolved => {
            Plain("expected a model of the catalogue or stated dimensions, got `{0}`, which is not in the catalogue")
        }
        Code::ModelUnknown => Plain("no catalogue model is called `{0}`"),
        Code::SpecUnknownKey => Plain("unknown dimensions in `model.config_overrides`: {0}"),
        Code::SpecRequiredMissing => Plain("the model does not state `{0}`, which every model needs"),
        Code::SpecRequiredNonpositive => Plain("expected `{0}` to be at least 1, got {1}"),
        Code::SpecNotInteger | Code::NotInteger => Plain("expected a whole number for `{0}`, got {1}"),
        Code::SpecFlagNotBool => Plain("expected true or false for `{0}`, got {1}"),
        Code::SpecKvHeads => Plain("expected the key/value heads to divide the {1} attention heads, got {0}"),
        Code::SpecExpertWidth => Plain(
            "expected a width for the {0} experts, got none: neither `moe_intermediate_size` nor `intermediate_size` is stated",
        ),
        Code::SpecSharedWidth => {
            Plain("expected a width for the {0} shared experts, got none: no feed-forward width is stated")
        }
        Code::SpecActivationsForm => Plain("expected measured activations as numbers per layer kind, got {0}"),
        Code::SpecUnknownArch => Plain("expected one of the families {1}, got `{0}`"),
        Code::SpecOpsForm => Plain("expected `ops` to count every op of each layer kind, got {0}"),
        Code::SpecOpsKinds => Plain("expected op counts for the layer kinds {1}, got {0}"),
        Code::SpecOpsMissing => Plain("the op counts of `{0}` lack {1}"),
        Code::SpecOpsUnknown => Plain("the op counts of `{0}` name unknown ops: {1}"),
        Code::SpecLayersForm => Plain(
            "expected `layers` to be a list of groups with `kind` (text), `count` (from 1) and `mtp` (true or false), got {0}",
        ),
        Code::SpecLayersZero => Plain("expected `{0}` to be at least 1, got 0"),
        Code::SpecLayersKind => Plain("the family {1} has no layers of kind `{0}`: expected one of {2}"),
        Code::SpecLayersOrder => Plain("`{0}` is a body layer behind MTP layers: expected the MTP layers last"),
        Code::SpecLayersBodyCount => Plain("`layers` list {0} body layers, expected the model's {1}"),
        Code::SpecLayersMtpCount => Plain("`layers` list {0} MTP layers, expected the model's {1}"),
        Code::SpecLayerTypesShort => Plain("`layer_types` lists {0} layers, expected the model's {1}"),
        Code::SpecLayerTypesForm => Plain("expected `layer_types` to be a list of texts, got {0}"),
        Code::SpecLinearMissing => {
            Plain("linear attention is stated in part: expected all five dimensions or none, {0} is not stated")
        }
        Code::SpecLinearUnstated => {
            Plain("the model has linear-attention layers, and their dimensions are not stated: {0}")
        }
        Code::SpecEncoderDecoderOdd => Plain("expected an even number of layers for an encoder-decoder model, got {0}"),
        Code::VisionMissing => Plain("the vision tower does not state {0}"),
        Code::VisionInvalid => Plain("expected the vision tower to be a section of dimensions, got {0}"),

        // The run.
        Code::DeviceNumIndivisible => Plain("expected a device count divisible by TP·PP·CP = {2}, got {0} = {1}"),
        Code::ExpertShardRule => Plain("expected `{0}` to be `group` or unstated, got {1}"),
        Code::AcModeUnknown => Plain("expected `{0}` to be off, selective or full, got {1}"),
        Code::AcModeNotSingle => Plain("expected `{0}` to name one recompute mode (off, selective or full), got {1}"),
        Code::MoeDispatchNegative => Plain("expected `{0}` to be at least 0, got {1}"),
        Code::MemoryFormat => Plain("expected `{0}` to be a memory size such as 64GB, got {1}"),
        Code::NotNumber => Plain("expected a number for `{0}`, got {1}"),
        Code::ExpertLayout => Plain(
            "DP {4}, TP {5}, EP {6} and CP {7} cannot hold the experts: expected expert group, expert TP, expert width and experts of at least 1, got {0}, {1}, {2} and {3}",
        ),
        Code::SelectiveRuleUnknown => {
            Plain("expected the selective recompute rule hyperparallel or mindformers, got `{0}`")
        }
        Code::MultimodalSelectiveSettings => {
            Plain("the recompute ranges state {0} selective settings: a vision-language model takes one")
        }

        // Recompute ranges.
        Code::RecomputeRangePastEnd => Plain("{key} reaches layer {0}, counted from 0: the model has {1} layers"),
        Code::RangeForm => Plain("expected {key} to be recompute ranges with first, count, option and ops, got {0}"),
        Code::RangeUnknownKey => Plain("a recompute range has no key `{0}`: expected first, count, option or ops"),
        Code::RangeOpsForm => Plain("expected {key} to map ops to keep or recompute, got {0}"),
        Code::RangeFirst => Plain("expected {key} to be a whole number from 0, got {0}"),
        Code::RangeCount => Plain("expected {key} to be a whole number from 1, got {0}"),
        Code::RangeOption => Plain("expected {key} to be none, full or selective, got {0}"),
        Code::RangeOpsNotSelective => Plain("{key} states ops, which only a selective range takes"),
        Code::RangeOpsUnknown => Plain(
            "no op of selective recompute is called `{0}`: expected attBMM, headCast, dropout, softmax, normOp, gather, ffAct or attUp",
        ),
        Code::RangeOpState => Plain("expected {key} to be keep or recompute, got {0}"),
        Code::RangesOverlap => Plain(
            "{key} begins at layer {0}, and the range before it ends at layer {1}: expected ranges in order, without overlap",
        ),
        Code::RangesOpenNotLast => Plain("{key} has no count and is not the last range: only the last may be open"),

        // The execution spec and the command line.
        Code::ExecUnknownKey => Plain("the execution spec has no `{0}`"),
        Code::ExecKind => Plain("expected `{0}` to be {1}, got {2}"),
        Code::LayersNotPlaced => Plain("the stages hold {0} layers, the model has {1}"),
        Code::DegreeTooLarge => Plain("expected `{0}` to be at most {2}, got {1}"),
        Code::LayoutTooLarge => Plain("expected a layout of 1 to {1} chunks or layers, got {0}"),
        Code::StageListShort => Plain("expected a list of layers for each of the {0} stages, got a shorter one"),
        Code::ScheduleUnknown => Plain("the reference prices no pipeline schedule called `{0}`"),
        Code::PolicyUnknown => Plain("the memory model has no policy called `{0}`"),
        Code::MemoryModelUnknown => Plain("expected the memory model sapp_nd, got `{0}`"),

        // Warnings of the reading (config-spec 13).
        Code::FamilyDefault => Plain("no family's name opens `{0}`: priced as the family {1}"),
        Code::LayerTypesUnknown => Plain("the family {1} has no layers of type {0}: all are priced as {2}"),
        Code::HfConfigUnread => {
            Plain("the named model's config.json cannot be read: the stated dimensions are used alone")
        }
        Code::VisionGridMissing => Plain("the vision tower states no position grid: {0} tokens an image are assumed"),
        Code::MtpUnpriced => Plain("the trainer builds no multi-token-prediction layers: {0} left out"),
        Code::DeviceNumUnstated => {
            Plain("the device count is not stated: data parallel is taken as the shard size, {0}")
        }
        Code::CpAlgoDefault => Plain("the context-parallel algorithm is not stated: colossalai_cp is assumed"),
        Code::OptimizerUnstated => Plain("the optimizer is not stated: {0} is assumed"),
        Code::DtypeUnstated => Plain("nothing states a dtype: bfloat16 is assumed"),
        Code::UnreadPrecisionKey => Plain("this trainer does not read `model.{0}`"),
        Code::SeqLenUnstated => Plain("the sequence length is not stated: the limit of {0} tokens is used"),
        Code::ExpertDegreesClamped => Plain(
            "DP {0}, TP {1}, EP {2} and expert TP {3} cannot hold {4} experts: expert groups were raised to one rank",
        ),
        Code::NoCensus => Plain("a census was asked for, and the model's config.json cannot be read"),

        // Our own warnings.
        Code::DuplicateKey => {
            Plain("`{0}` is stated more than once in this section[, first in line {1}]: the last counts")
        }
        Code::KeyMisspelled => Plain("`{0}` is not read"),
        Code::KeyMisplaced => Plain("`{0}` is not read in this section"),
        Code::KeysUnreadMore => Plain("{0} more keys look misspelled or misplaced"),
        Code::MemoryUnitUnknown => Plain("`{0}` names no known unit: {1} counts as bytes"),
        Code::HeadsNotDivided => {
            would_fail("TP {0} does not divide the {1} attention heads", "each rank needs a whole head", "TP")
        }
        Code::KvHeadsNotDivided => {
            would_fail("TP {0} does not divide the {1} key/value heads", "each rank needs a whole key/value head", "TP")
        }
        Code::VocabularyNotDivided => would_fail(
            "TP {0} does not divide the vocabulary of {1}",
            "each rank needs an equal part of the tokens",
            "TP",
        ),
        Code::ExpertsNotDivided => would_fail(
            "EP {0} does not divide the {1} experts",
            "each rank needs the same number of whole experts",
            "EP",
        ),
        Code::SequenceNotDivided => would_fail(
            "CP {0} does not divide the sequence of {1} tokens",
            "each rank needs an equal part of the sequence",
            "CP",
        ),
        Code::ShardNotDividing => would_fail(
            "the DP shard {0} does not divide DP {1}",
            "shard groups of one size must cover all ranks",
            "DP shard",
        ),
        Code::ShardTimesReplicate => would_fail(
            "DP shard {0} times DP replicate {1} is not DP {2}",
            "the mesh of shard and replicate must be the data-parallel ranks",
            "DP shard",
        ),
        Code::OverrideUnread => Plain("`{0}` was overridden and is not read here: nothing changes"),
        Code::ReferenceNegativeBuffer => Plain(
            "the reference counts {1:gib} of buffers on stage {0}, where {2:gib} would be held without this quirk[: {3} micro-batches are fewer than the {4} stages]",
        ),

        // Notes.
        Code::Fragment => Plain("the file names no model and states no dimensions: this is a fragment of a train.yaml"),
        Code::KeyWithoutModel => Plain("`{0}` matters to memory, and the reference does not read it"),
    }
}

/// What is to be done about a code wherever the diagnostic itself knows no nearer way.
pub const fn advice(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::YamlSyntax | Code::JsonSyntax => "mend the text here; what stands behind it was not read",
        Code::DocumentTooLarge => "leave out what does not describe the run",
        Code::DocumentTooDeep | Code::DocumentExpands => "write the values out flat",
        Code::RootNotMapping => "paste the whole train.yaml, beginning with its sections",
        Code::KeyNotText => "put the key in quotes",
        Code::InputMindformers | Code::InputSearch => {
            "paste the train.yaml of a HyperParallel run, or begin with a sample"
        }
        Code::ModelUnstated | Code::HfConfigUnresolved => {
            "pick the model from the catalogue, give its config.json, or state its dimensions in `model.config_overrides`"
        }
        Code::ModelUnknown => "give its config.json instead, if you have it",
        Code::SpecUnknownKey => "use the names of config.json as the trainer's model spec writes them",
        Code::SpecRequiredMissing | Code::VisionMissing => {
            "state it in `model.config_overrides`, or give the model's config.json"
        }
        Code::SpecExpertWidth | Code::SpecSharedWidth => "state `moe_intermediate_size`",
        Code::DeviceNumIndivisible => "change the device count, or one of TP, PP and CP",
        Code::AcModeUnknown | Code::AcModeNotSingle => "write off, selective or full",
        Code::MemoryFormat | Code::MemoryUnitUnknown => "write a number and B, KB, MB or GB (binary multiples): 64GB",
        Code::ExpertLayout | Code::ExpertDegreesClamped => "lower EP or expert TP until DP·TP·CP holds them",
        Code::RecomputeRangePastEnd => "leave out `count` to cover the rest of the layers",
        Code::RangesOverlap | Code::RangesOpenNotLast => "order the ranges by first layer, the open one last",
        Code::HfConfigUnread => "pick the model from the catalogue, or give its config.json",
        Code::DeviceNumUnstated => "state `context.device_num`, or give the device count beside the file",
        Code::OptimizerUnstated => "state `optimizer._target_`",
        Code::UnreadPrecisionKey => "state `model.torch_dtype` or `fsdp_config.mix_precision.param_dtype`",
        Code::Fragment => "pick the model it belongs to",
        Code::ReferenceNegativeBuffer => "run at least as many micro-batches as pipeline stages",
        Code::SpecRequiredNonpositive
        | Code::SpecNotInteger
        | Code::SpecFlagNotBool
        | Code::SpecKvHeads
        | Code::SpecUnknownArch
        | Code::SpecOpsForm
        | Code::SpecOpsKinds
        | Code::SpecOpsMissing
        | Code::SpecOpsUnknown
        | Code::SpecActivationsForm
        | Code::SpecLayersForm
        | Code::SpecLayersZero
        | Code::SpecLayersKind
        | Code::SpecLayersOrder
        | Code::SpecLayersBodyCount
        | Code::SpecLayersMtpCount
        | Code::SpecLayerTypesShort
        | Code::SpecLayerTypesForm
        | Code::SpecLinearMissing
        | Code::SpecLinearUnstated
        | Code::SpecEncoderDecoderOdd
        | Code::VisionInvalid
        | Code::ExpertShardRule
        | Code::MoeDispatchNegative
        | Code::NotInteger
        | Code::NotNumber
        | Code::SelectiveRuleUnknown
        | Code::MultimodalSelectiveSettings
        | Code::RangeForm
        | Code::RangeUnknownKey
        | Code::RangeOpsForm
        | Code::RangeFirst
        | Code::RangeCount
        | Code::RangeOption
        | Code::RangeOpsNotSelective
        | Code::RangeOpsUnknown
        | Code::RangeOpState
        | Code::ExecUnknownKey
        | Code::ExecKind
        | Code::LayersNotPlaced
        | Code::DegreeTooLarge
        | Code::LayoutTooLarge
        | Code::StageListShort
        | Code::ScheduleUnknown
        | Code::PolicyUnknown
        | Code::MemoryModelUnknown
        | Code::FamilyDefault
        | Code::LayerTypesUnknown
        | Code::CpAlgoDefault
        | Code::DtypeUnstated
        | Code::SeqLenUnstated
        | Code::VisionGridMissing
        | Code::MtpUnpriced
        | Code::NoCensus
        | Code::DuplicateKey
        | Code::KeyMisspelled
        | Code::KeyMisplaced
        | Code::KeysUnreadMore
        | Code::HeadsNotDivided
        | Code::KvHeadsNotDivided
        | Code::VocabularyNotDivided
        | Code::ExpertsNotDivided
        | Code::SequenceNotDivided
        | Code::ShardNotDividing
        | Code::ShardTimesReplicate
        | Code::OverrideUnread
        | Code::KeyWithoutModel => return None,
    })
}
