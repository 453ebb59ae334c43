//! An execution spec laid over the primary fields, before anything is derived (config-spec 8).

use super::Primary;
use crate::facts::execution::{ExecutionSpec, Field, Setting};

/// The primary fields with what an execution spec states over them. Stating recompute by layers without ranges takes
/// away the ranges there were.
pub fn apply(mut primary: Primary, spec: &ExecutionSpec) -> Primary {
    let by_layers = spec.states(Field::FullRecompute) || spec.states(Field::SelectiveRecompute);
    if by_layers && !spec.states(Field::Recompute) {
        primary.recompute_ranges = None;
    }
    for (field, setting) in spec.settings() {
        match setting {
            Setting::Whole(number) => whole(&mut primary, *field, *number),
            Setting::Flag(flag) => switch(&mut primary, *field, *flag),
            Setting::Text(_)
            | Setting::Number(_)
            | Setting::Layers(_)
            | Setting::Offset(_)
            | Setting::Ranges(_)
            | Setting::Memory(_) => other(&mut primary, *field, setting),
        }
    }
    primary
}

/// Fields that are whole numbers.
fn whole(primary: &mut Primary, field: Field, number: i64) {
    match field {
        Field::DataParallel => primary.data_parallel = number,
        Field::TensorParallel => primary.tensor_parallel = number,
        Field::PipelineParallel => primary.pipeline_parallel = number,
        Field::Chunks => primary.chunks = number,
        Field::ContextParallel => primary.context_parallel = number,
        Field::ExpertParallel => primary.expert_parallel = number,
        Field::ExpertTensorParallel => primary.expert_tensor_parallel = number,
        Field::MicroBatch => primary.micro_batch = number,
        Field::MicroBatches => primary.micro_batches = number,
        Field::GlobalBatch => primary.global_batch = number,
        Field::OptimizerShard => primary.optimizer_shard = number,
        Field::ExpertShard => primary.expert_shard = Some(number),
        Field::SequenceParts => primary.sequence_parts = number,
        Field::Sequence => primary.sequence = number,
        Field::ParamBytes => primary.param_bytes = number,
        Field::ComputeBytes => primary.compute_bytes = number,
        Field::SoftmaxBytes => primary.softmax_bytes = number,
        Field::GradBytes => primary.grad_bytes = Some(number),
        Field::OptimizerStateBytes => primary.optimizer_state_bytes = Some(number),
        Field::MainParamBytes => primary.main_param_bytes = Some(number),
        Field::NormBytes => primary.norm_bytes = Some(number),
        Field::DropoutBytes => primary.dropout_bytes = Some(number),
        Field::OptimizerStates => primary.optimizer_states = Some(number),
        Field::SequenceParallel
        | Field::ShardActivations
        | Field::LossParallel
        | Field::OptimizerParallel
        | Field::GradShard
        | Field::GradShardAsParams
        | Field::ShardSpansCp
        | Field::ExpertShardGroup
        | Field::GradAccumulation
        | Field::DeferredGradAccumulation
        | Field::OverlappedGradReduce
        | Field::ReshardParams
        | Field::ParamCasts
        | Field::MtpInOffset
        | Field::EmbeddingOutputInOffset
        | Field::RecomputeSliceActivation
        | Field::FlashAttention
        | Field::GradClip
        | Field::GroupedGemm
        | Field::VocabularyDataParallel
        | Field::EmbeddingSharded
        | Field::TieEmbeddings
        | Field::ShardMtpParam
        | Field::Frozen
        | Field::Schedule
        | Field::Offset
        | Field::Partition
        | Field::FullRecompute
        | Field::SelectiveRecompute
        | Field::SelectiveCommRecompute
        | Field::SelectiveRule
        | Field::Recompute
        | Field::CpAlgorithm
        | Field::Optimizer
        | Field::CapacityFactor
        | Field::DeviceMemory => {}
    }
}

/// Fields that are flags.
fn switch(primary: &mut Primary, field: Field, flag: bool) {
    match field {
        Field::SequenceParallel => primary.sequence_parallel = flag,
        Field::ShardActivations => primary.shard_activations = Some(flag),
        Field::LossParallel => primary.loss_parallel = Some(flag),
        Field::OptimizerParallel => primary.optimizer_parallel = flag,
        Field::GradShard => primary.grad_shard = flag,
        Field::GradShardAsParams => primary.grad_shard_as_params = flag,
        Field::ShardSpansCp => primary.shard_spans_cp = flag,
        Field::ExpertShardGroup => primary.expert_shard_group = Some(flag),
        Field::GradAccumulation => primary.grad_accumulation = Some(flag),
        Field::DeferredGradAccumulation => primary.deferred_grad_accumulation = Some(flag),
        Field::OverlappedGradReduce => primary.overlapped_grad_reduce = Some(flag),
        Field::ReshardParams => primary.reshard_params = Some(flag),
        Field::ParamCasts => primary.param_casts = Some(flag),
        Field::MtpInOffset => primary.mtp_in_offset = flag,
        Field::EmbeddingOutputInOffset => primary.embedding_output_in_offset = flag,
        Field::RecomputeSliceActivation => primary.recompute_slice_activation = flag,
        Field::FlashAttention => primary.flash_attention = flag,
        Field::GradClip => primary.clips_gradients = flag,
        Field::GroupedGemm => primary.grouped_matmul = flag,
        Field::VocabularyDataParallel => primary.vocabulary_data_parallel = flag,
        Field::EmbeddingSharded => primary.embedding_sharded = flag,
        Field::TieEmbeddings => primary.tied_embeddings = flag,
        Field::ShardMtpParam => primary.shard_mtp = flag,
        Field::Frozen => primary.frozen = flag,
        Field::DataParallel
        | Field::TensorParallel
        | Field::PipelineParallel
        | Field::Chunks
        | Field::ContextParallel
        | Field::ExpertParallel
        | Field::ExpertTensorParallel
        | Field::MicroBatch
        | Field::MicroBatches
        | Field::GlobalBatch
        | Field::OptimizerShard
        | Field::ExpertShard
        | Field::SequenceParts
        | Field::Sequence
        | Field::ParamBytes
        | Field::ComputeBytes
        | Field::SoftmaxBytes
        | Field::GradBytes
        | Field::OptimizerStateBytes
        | Field::MainParamBytes
        | Field::NormBytes
        | Field::DropoutBytes
        | Field::OptimizerStates
        | Field::Schedule
        | Field::Offset
        | Field::Partition
        | Field::FullRecompute
        | Field::SelectiveRecompute
        | Field::SelectiveCommRecompute
        | Field::SelectiveRule
        | Field::Recompute
        | Field::CpAlgorithm
        | Field::Optimizer
        | Field::CapacityFactor
        | Field::DeviceMemory => {}
    }
}

/// All other fields. `pp_partition` is the search's; nothing reads it here.
fn other(primary: &mut Primary, field: Field, setting: &Setting) {
    match (field, setting) {
        (Field::Schedule, Setting::Text(name)) => primary.schedule = name.clone(),
        (Field::SelectiveRule, Setting::Text(name)) => primary.selective_rule = name.clone(),
        (Field::CpAlgorithm, Setting::Text(name)) => primary.cp_algorithm = name.clone(),
        (Field::Optimizer, Setting::Text(name)) => primary.optimizer = name.clone(),
        (Field::Offset, Setting::Offset(offset)) => primary.offset = offset.clone(),
        (Field::FullRecompute, Setting::Layers(layers)) => primary.full_recompute = layers.clone(),
        (Field::SelectiveRecompute, Setting::Layers(layers)) => primary.selective_recompute = layers.clone(),
        (Field::SelectiveCommRecompute, Setting::Layers(layers)) => {
            primary.selective_comm_recompute = Some(layers.truthy());
        }
        (Field::Recompute, Setting::Ranges(ranges)) => primary.recompute_ranges = Some(ranges.clone()),
        (Field::CapacityFactor, Setting::Number(factor)) => primary.capacity_factor = *factor,
        (Field::DeviceMemory, Setting::Memory(capacity)) => primary.device_capacity = *capacity,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse_from;
    use crate::facts::execution::read;
    use crate::provenance::Source;

    /// Every field but `pp_partition` reaches the primary fields.
    #[test]
    fn every_field_changes_something() {
        let values = ["7", "true", "false", "gpipe", "mindformers", "[3]", "1.5", "96GB", "[{first: 1, option: full}]"];
        for field in Field::ALL.iter().filter(|field| **field != Field::Partition) {
            let changes = |value: &&str| {
                let text = format!("{}: {value}\n", field.name());
                let document = parse_from(Source::Execution, &text).expect("YAML").value;
                read(&document).is_ok_and(|spec| apply(Primary::default(), &spec.value) != Primary::default())
            };
            assert!(values.iter().any(changes), "{} changes nothing", field.name());
        }
    }

    #[test]
    fn recompute_by_layers_takes_ranges_away() {
        let read = |text: &str| read(&parse_from(Source::Execution, text).expect("YAML").value).expect("right").value;
        let with_ranges = apply(Primary::default(), &read("recompute: [{option: full}]"));
        assert!(with_ranges.recompute_ranges.is_some());
        assert_eq!(apply(with_ranges.clone(), &read("full_recompute: true")).recompute_ranges, None);
        assert!(apply(with_ranges, &read("tp: 2")).recompute_ranges.is_some());
    }
}
