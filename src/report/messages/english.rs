//! English.

use super::table::{Words, phrases, rows};

pub(super) const WORDS: Words = Words {
    nearest: "did you mean {}?",
    use_dimensions: "use the dimensions of {} (same shapes inferred)",
    belongs_to: "{} is where it is read",
    state: "state {}",
    use_value: "use {}",
    of_config: "{} of config.json",
    of_execution: "{} of the execution spec",
    no_key: "the value",
    more: " and {} more",
    comma: ", ",
    or: " or ",
};

rows! {
    // The text.
    YamlSyntax "expected YAML as the trainer reads it, got {0:phrase}[: {1}]"
        => "mend the text here; what stands behind it was not read";
    DocumentTooLarge "expected a text of at most {1} bytes, got {0}" => "leave out what does not describe the run";
    DocumentTooDeep "expected sections nested at most {0} deep, got more" => "write the values out flat";
    DocumentExpands "expected aliases that stand for at most {0} values, got more" => "write the values out flat";
    RootNotMapping "expected sections of keys and values, got {0:phrase}"
        => "give the whole file, beginning with its first key";
    KeyNotText "expected a text as key, got {0}[, which the trainer reads as {1:phrase}]" => "put the key in quotes";
    JsonSyntax "expected JSON, got {0:phrase}[: {1}]" => "mend the text here; what stands behind it was not read";
    InputMindformers "expected the train.yaml of a HyperParallel run, got a MindFormers file (it has {0})"
        => "give the train.yaml of a HyperParallel run, or begin with a sample";
    InputSearch "expected the train.yaml of one run, got the file of a search over layouts (it has {0})"
        => "give the train.yaml of a HyperParallel run, or begin with a sample";

    // The model.
    ModelUnstated "expected a model, by its name or its dimensions, got neither"
        => "name it in `model.pretrained_model_name_or_path`, state its dimensions in `model.config_overrides`, pick it from the catalogue, or give its config.json";
    HfConfigUnresolved "expected a model of the catalogue or stated dimensions, got {0}, which is not in the catalogue"
        => "pick the model from the catalogue, give its config.json, or state its dimensions in `model.config_overrides`";
    ModelUnknown "expected the id of a model in the catalogue, got {0}" => "give its config.json instead, if you have it";
    SpecUnknownKey "expected dimensions of a model in `model.config_overrides`, got {0#the unknown key|the unknown keys} {0}"
        => "use the names that config.json has, such as `hidden_size`";
    SpecRequiredMissing "expected the model to state {0}, got nothing"
        => "state it in `model.config_overrides`, or give the model's config.json";
    SpecRequiredNonpositive "expected {key} to be at least 1, got {1}" => "state the model's own value";
    SpecNotInteger "expected a whole number for {key}, got {1}" => "write the digits out: 4096, not 4k or 4e3";
    SpecFlagNotBool "expected true or false for {key}, got {1}" => "write true or false, without quotes";
    SpecKvHeads "expected key/value heads that divide the {1} attention heads, got {0}"
        => "[use {near}, or ]state the model's own value";
    SpecExpertWidth "expected a width for the {0} experts, got neither `moe_intermediate_size` nor `intermediate_size`"
        => "state `moe_intermediate_size`";
    SpecSharedWidth "expected a width for {0} shared {0#expert|experts}, got no feed-forward width at all"
        => "state `shared_expert_intermediate_size` or `moe_intermediate_size`";
    SpecUnknownArch "expected {key} to be a family that is known, got {0}" => "use one of {1}";
    SpecOpsForm "expected {key} to be a section that counts ops, got {0}"
        => "state a section for each layer kind, with a count for each op";
    SpecOpsKinds "expected op counts for the layer {1#kind|kinds} {1}, got {0}"
        => "name exactly the layer kinds of the model's family";
    SpecOpsMissing "expected a count for each op in {key}, got none for {1}" => "state 0 for an op that the layer does not have";
    SpecOpsUnknown "expected known ops in {key}, got {1}"
        => "use attMM, attBMM, ffMM, softmax, dropout, normOp, gather, headCast, ffAct and linrec";
    SpecActivationsForm "expected measured bytes a token in {key}[, got {0}]"
        => "state `saved`, `saved_tp`, `working` and `working_tp` for a layer kind of the model, each a number from 0; `selective` and `selective_tp` both or neither";
    SpecLayersForm "expected `kind` (text), `count` (from 1) and `mtp` (true or false) of each group of layers in {key}, got {0}"
        => "state `kind` and `count` for each group";
    SpecLayersZero "expected {key} to be at least 1, got 0" => "leave out a group without layers";
    SpecLayersKind "expected {2} as layer kind, {2#the one|those} of the family {1}, got {0}" => "use {2#it|one of them}, or another `arch`";
    SpecLayersOrder "expected multi-token-prediction layers last, got body layers behind them in {key}"
        => "move the groups with `mtp: true` to the end";
    SpecLayersBodyCount "expected {key} to list the model's {1} body {1#layer|layers}, got {0}"
        => "let the counts sum to `num_hidden_layers`";
    SpecLayersMtpCount "expected {key} to list the model's {1} multi-token-prediction {1#layer|layers}, got {0}"
        => "let the counts of the groups with `mtp: true` sum to `mtp_depth`";
    SpecLayerTypesShort "expected {key} to name a type for each of the {1} layers, got {0}"
        => "state a type for each layer, or leave the list out";
    SpecLayerTypesForm "expected {key} to be a list of texts, got {0}" => "state a type for each layer, or leave the list out";
    SpecLinearMissing "expected all five dimensions of linear attention or none, got no {0}"
        => "state the missing {0#one|ones} in `model.config_overrides`";
    SpecLinearUnstated "expected the five dimensions of the linear-attention layers, got none"
        => "state {0} in `model.config_overrides`";
    SpecEncoderDecoderOdd "expected an even number of layers, half encoder and half decoder, got {0}"
        => "state encoder and decoder layers together";
    VisionMissing "expected the vision tower to state {0}, got nothing"
        => "state it in `model.config_overrides.vision`, or give the model's config.json";
    VisionInvalid "expected the vision tower to be a section of dimensions, got {0}"
        => "state its dimensions in `model.config_overrides.vision`";

    // The run.
    DeviceNumIndivisible "expected a device count divisible by TP·PP·CP = {2}, got {1} ({0:phrase})"
        => "[use {near} devices, or ]change one of TP, PP and CP";
    ExpertShardRule "expected {key} to be `group` or left out, got {1}" => "write `group`";
    AcModeUnknown "expected {key} to be off, selective or full, got {1}" => "write off, selective or full";
    AcModeNotSingle "expected one recompute mode for {key}, got {1}" => "write off, selective or full";
    MoeDispatchNegative "expected {key} to be at least 0, got {1}" => "leave it out: it costs time, not memory";
    MemoryFormat "expected {key} to be a memory size such as 64GB, got {1}"
        => "write a number and B, KB, MB or GB (binary multiples)";
    NotInteger "expected a whole number for {key}, got {1}" => "write the digits out: 4096, not 4k or 4e3";
    NotNumber "expected a number for {key}, got {1}" => "write it in digits; an exponent needs a point and a sign: 1.0e-6";
    DegreeTooLarge "expected {key} to be at most {2}, got {1}" => "nothing so large can be laid out";
    ExpertLayout "DP {4}, TP {5}, CP {7} and EP {6} cannot hold the experts: expected expert group, expert TP, expert width and experts of at least 1, got {0}, {1}, {2} and {3}"
        => "lower EP or expert TP until DP·TP·CP holds them";
    RecomputeRangePastEnd "expected {key} to end within the model's {1} layers, got a range up to layer {0}, counted from 0"
        => "leave out `count` to cover the rest of the layers";
    SelectiveRuleUnknown "expected {key} to be hyperparallel or mindformers, got {0}"
        => "use hyperparallel unless the run follows MindFormers";
    MultimodalSelectiveSettings "expected one selective setting in {key} for a vision-language model, got {0}"
        => "give all selective ranges the same ops";
    RangeForm "expected recompute ranges with first, count, option and ops in {key}, got {0}"
        => "state `first`, `count` and `option` for each range";
    RangeUnknownKey "expected first, count, option or ops in a recompute range, got {0}" => "leave it out";
    RangeOpsForm "expected {key} to map ops to keep or recompute, got {0}" => "write `softmax: recompute` under `ops`";
    RangeFirst "expected {key} to be a whole number from 0, got {0}" => "layers are counted from 0, body before multi-token prediction";
    RangeCount "expected {key} to be a whole number from 1, got {0}" => "leave it out to cover the rest of the layers";
    RangeOption "expected {key} to be none, full or selective, got {0}" => "write none, full or selective";
    RangeOpsNotSelective "expected ops only in a selective range, got them in {key}" => "write `option: selective`, or leave the ops out";
    RangeOpsUnknown "expected an op of selective recompute, got {0}"
        => "use attBMM, headCast, dropout, softmax, normOp, gather, ffAct or attUp";
    RangeOpState "expected {key} to be keep or recompute, got {0}" => "write keep or recompute";
    RangesOverlap "expected {key} to begin at layer {1} or later, where the range before it ends, got {0}"
        => "order the ranges by first layer, without overlap";
    RangesOpenNotLast "expected only the last range without a count, got {key}" => "state its `count`, or move it to the end";
    ExecUnknownKey "expected a name of the execution spec, got {0}" => "leave it out";
    ExecKind "expected {key} to be {1:phrase}, got {2}" => "leave it out to keep what the train.yaml states";
    LayersNotPlaced "expected the stages to hold the model's {1} layers, got {0}"
        => "let an even share per stage and its `offset`, over all stages, sum to the model's layers";
    LayoutTooLarge "expected 1 to {1} layers and chunks (stages times `pp_interleave_num`), got {0}" => "lower PP or `pp_interleave_num`";
    StageListShort "expected recomputed layers for each of the {0} stages, got a shorter list" => "state one number a stage (one list a chunk)";
    ScheduleUnknown "expected a pipeline schedule that the reference prices, got {0}"
        => "use 1f1b, gpipe, seqpipe, seqsmartvpp or zero_bubble_v";
    PolicyUnknown "expected a policy of the memory model, got {0}" => "leave it out";
    PolicyValueUnknown "expected a value of the policy {1}, got {0}" => "leave it out to keep the default";
    MemoryModelUnknown "expected the memory model sapp_nd or fsdp2, got {0}" => "leave it out";
    MeasuredUnreadable "expected a measured peak such as 65.2GiB, 70GB or a number of bytes, got {0}"
        => "write a number and KiB, MiB, GiB, KB, MB or GB (GB is 10^9 here), or give the line that docs/measure.py prints";
    ShapesUnknown "expected a model whose tensors are known, got {0}"
        => "take the memory model sapp_nd, which prices it by its dimensions";

    // Warnings of the reading (config-spec 13).
    FamilyDefault "expected a model name that begins with a known family's, got {0}: priced as the family {1}"
        => "state `arch` in `model.config_overrides` if it is another";
    LayerTypesUnknown "expected layer types of the family {1}, got {0}: all layers are priced as {2}"
        => "state `layers` in `model.config_overrides` if they differ";
    ActivationsUnused "expected measured activations of the layer {1#kind|kinds} {1}, got them for {0}, which the model does not have: they are unused"
        => "name a layer kind that the model has";
    LayerKindNearest "the reference has no kind for these layers, counted from 0, and prices the nearest: {0:whole}"
        => "allow for the difference beside the figures";
    HfConfigUnread "the named model's config.json cannot be read: the dimensions in `model.config_overrides` are used alone"
        => "pick the model from the catalogue, or give its config.json";
    VisionGridMissing "the vision tower states no position grid: {0} tokens an image are assumed" => "state `context.visual_seq_len`";
    MtpUnpriced "the trainer builds no multi-token-prediction layers here: {0} of the model {0#is|are} left out"
        => "leave it so: the run trains without them";
    DeviceNumUnstated "the device count is not stated: data parallel is taken as the shard size, {0}"
        => "state `context.device_num`, or give the device count beside the file";
    CpAlgoDefault "the context-parallel algorithm is not stated: colossalai_cp is assumed";
    OptimizerUnstated "the optimizer is not stated: {0} is assumed" => "state `optimizer._target_`";
    DtypeUnstated "no dtype is stated: bfloat16 is assumed";
    UnreadPrecisionKey "{key} is not read by this trainer"
        => "state `model.torch_dtype` or `fsdp_config.mix_precision.param_dtype`";
    SeqLenUnstated "the sequence length is not stated: the limit of {0} tokens is used";
    ExpertDegreesClamped "DP {0}, TP {1}, EP {2} and expert TP {3} leave less than one rank to a group of the {4} experts<: taken as one>"
        => "lower EP or expert TP until DP·TP·CP holds them";
    NoCensus "measured activations are asked for, and the model's config.json cannot be read: the formulas are used"
        => "pick the model from the catalogue, or give its config.json";

    // Our own warnings.
    DuplicateKey "{0} is stated more than once in this section[, first in line {1}]: the last counts" => "keep one of them";
    KeyMisspelled "{0} is not read" => "correct it, or leave it out";
    KeyMisplaced "{0} is not read in this section" => "move it";
    KeysUnreadMore "{0} more {0#key looks|keys look} misspelled or misplaced, the first of them here" => "correct those shown, and the rest will be shown";
    MemoryUnitUnknown "expected B, KB, MB or GB as unit of {key}, got {1}: it counts as bytes"
        => "write a number and B, KB, MB or GB (binary multiples)";
    HeadsNotDivided "TP {0} does not divide the {1} attention heads: <the reference prices this; the run would fail because >each rank needs whole heads"
        => "use TP {near}";
    KvHeadsNotDivided "TP {0} does not divide the {1} key/value {1#head|heads}: <the reference prices this; the run would fail because >each rank needs a whole key/value head"
        => "use TP {near}";
    VocabularyNotDivided "TP {0} does not divide the vocabulary of {1}: <the reference prices this; the run would fail because >each rank needs an equal part of the tokens"
        => "use TP {near}, or pad the vocabulary";
    ExpertsNotDivided "EP {0} does not divide the {1} experts: <the reference prices this; the run would fail because >each rank needs the same number of whole experts"
        => "use EP {near}";
    SequenceNotDivided "CP {0} does not divide the sequence of {1} tokens: <the reference prices this; the run would fail because >each rank needs an equal part of the sequence"
        => "use CP {near}";
    ShardNotDividing "DP shard {0} does not divide DP {1}: <the reference prices this; the run would fail because >shard groups of one size must cover all ranks"
        => "use DP shard {near}";
    ShardTimesReplicate "DP shard {0} times DP replicate {1} is not DP {2}: <the reference prices this; the run would fail because >shard and replicate together must be the data-parallel ranks"
        => "let their product be {2}[: DP shard {near}]";
    OverrideUnread "{0} was overridden and is not read here: nothing changes" => "leave it out, or override a key that is read";
    ReferenceNegativeBuffer "the reference counts {1:gib} of buffers on stage {0}, where a run holds {2:gib}[: {3} micro-{3#batch is|batches are} fewer than the {4} stages]"
        => "run at least as many micro-batches as pipeline stages";

    // Notes.
    Fragment "expected a whole train.yaml, got a part of one: no model is named and no dimensions are stated"
        => "pick the model it belongs to";
    StagesEmpty "the stages {0:whole}, counted from 0, run nothing: {2} {2#layer does|layers do} not reach all {1} stages"
        => "run fewer pipeline stages than layers";
    KeyWithoutModel "{0} {0#changes|change} memory, and the reference does not read {0#it|them}" => "allow for it beside the figures";
}

phrases! {
    // What a value is.
    "null" => "nothing";
    "boolean" => "a boolean";
    "integer" => "a whole number";
    "float" => "a number";
    "text" => "a single text";
    "date" => "a date";
    "list" => "a list";
    "section" => "a section";
}
