//! An execution spec laid over the primary fields, before anything is derived (config-spec 8).

use super::{Capacity, Offset, Primary, RecomputeLayers, RecomputeRange};
use crate::facts::execution::{ExecutionSpec, Field, Setting};
use std::sync::Arc;

/// The primary fields with what an execution spec states over them. Stating recompute by layers without ranges takes
/// away the ranges there were.
pub fn apply(mut primary: Primary, spec: &ExecutionSpec) -> Primary {
    let by_layers = spec.states(Field::FullRecompute) || spec.states(Field::SelectiveRecompute);
    if by_layers && !spec.states(Field::Recompute) {
        primary.recompute_ranges = None;
    }
    for (field, setting) in spec.settings() {
        state(&mut primary, *field, setting);
    }
    primary
}

fn state(primary: &mut Primary, field: Field, setting: &Setting) {
    match field {
        Field::DataParallel => put(&mut primary.data_parallel, setting),
        Field::TensorParallel => put(&mut primary.tensor_parallel, setting),
        Field::PipelineParallel => put(&mut primary.pipeline_parallel, setting),
        Field::Chunks => put(&mut primary.chunks, setting),
        Field::ContextParallel => put(&mut primary.context_parallel, setting),
        Field::ExpertParallel => put(&mut primary.expert_parallel, setting),
        Field::ExpertTensorParallel => put(&mut primary.expert_tensor_parallel, setting),
        Field::SequenceParallel => put(&mut primary.sequence_parallel, setting),
        Field::ShardActivations => put(&mut primary.shard_activations, setting),
        Field::LossParallel => put(&mut primary.loss_parallel, setting),
        Field::MicroBatch => put(&mut primary.micro_batch, setting),
        Field::MicroBatches => put(&mut primary.micro_batches, setting),
        Field::GlobalBatch => put(&mut primary.global_batch, setting),
        Field::OptimizerParallel => put(&mut primary.optimizer_parallel, setting),
        Field::GradShard => put(&mut primary.grad_shard, setting),
        Field::GradShardAsParams => put(&mut primary.grad_shard_as_params, setting),
        Field::ShardSpansCp => put(&mut primary.shard_spans_cp, setting),
        Field::OptimizerShard => put(&mut primary.optimizer_shard, setting),
        Field::ExpertShard => put(&mut primary.expert_shard, setting),
        Field::ExpertShardGroup => put(&mut primary.expert_shard_group, setting),
        Field::GradAccumulation => put(&mut primary.grad_accumulation, setting),
        Field::DeferredGradAccumulation => put(&mut primary.deferred_grad_accumulation, setting),
        Field::OverlappedGradReduce => put(&mut primary.overlapped_grad_reduce, setting),
        Field::ReshardParams => put(&mut primary.reshard_params, setting),
        Field::ParamCasts => put(&mut primary.param_casts, setting),
        Field::Schedule => put(&mut primary.schedule, setting),
        Field::Offset => put(&mut primary.offset, setting),
        // The search's; nothing reads it here.
        Field::Partition => {}
        Field::SequenceParts => put(&mut primary.sequence_parts, setting),
        Field::Sequence => put(&mut primary.sequence, setting),
        Field::MtpInOffset => put(&mut primary.mtp_in_offset, setting),
        Field::EmbeddingOutputInOffset => put(&mut primary.embedding_output_in_offset, setting),
        Field::FullRecompute => put(&mut primary.full_recompute, setting),
        Field::SelectiveRecompute => put(&mut primary.selective_recompute, setting),
        Field::SelectiveCommRecompute => {
            if let Setting::Layers(layers) = setting {
                primary.selective_comm_recompute = Some(layers.truthy());
            }
        }
        Field::SelectiveRule => put(&mut primary.selective_rule, setting),
        Field::RecomputeSliceActivation => put(&mut primary.recompute_slice_activation, setting),
        Field::Recompute => put(&mut primary.recompute_ranges, setting),
        Field::ParamBytes => put(&mut primary.param_bytes, setting),
        Field::ComputeBytes => put(&mut primary.compute_bytes, setting),
        Field::SoftmaxBytes => put(&mut primary.softmax_bytes, setting),
        Field::GradBytes => put(&mut primary.grad_bytes, setting),
        Field::OptimizerStateBytes => put(&mut primary.optimizer_state_bytes, setting),
        Field::MainParamBytes => put(&mut primary.main_param_bytes, setting),
        Field::NormBytes => put(&mut primary.norm_bytes, setting),
        Field::DropoutBytes => put(&mut primary.dropout_bytes, setting),
        Field::OptimizerStates => put(&mut primary.optimizer_states, setting),
        Field::FlashAttention => put(&mut primary.flash_attention, setting),
        Field::GradClip => put(&mut primary.clips_gradients, setting),
        Field::GroupedGemm => put(&mut primary.grouped_matmul, setting),
        Field::VocabularyDataParallel => put(&mut primary.vocabulary_data_parallel, setting),
        Field::EmbeddingSharded => put(&mut primary.embedding_sharded, setting),
        Field::TieEmbeddings => put(&mut primary.tied_embeddings, setting),
        Field::ShardMtpParam => put(&mut primary.shard_mtp, setting),
        Field::Frozen => put(&mut primary.frozen, setting),
        Field::CpAlgorithm => put(&mut primary.cp_algorithm, setting),
        Field::Optimizer => put(&mut primary.optimizer, setting),
        Field::CapacityFactor => put(&mut primary.capacity_factor, setting),
        Field::DeviceMemory => put(&mut primary.device_capacity, setting),
    }
}

/// Writes a setting into a primary field of its kind; the reader gives each field no other.
fn put<T: Held>(field: &mut T, setting: &Setting) {
    if let Some(value) = T::held(setting) {
        *field = value;
    }
}

/// What a setting can hold.
trait Held: Sized {
    fn held(setting: &Setting) -> Option<Self>;
}

macro_rules! held {
    ($($kind:ty: $setting:ident;)*) => {
        $(impl Held for $kind {
            fn held(setting: &Setting) -> Option<Self> {
                if let Setting::$setting(value) = setting { Some(value.clone()) } else { None }
            }
        })*
    };
}

held! {
    i64: Whole;
    bool: Flag;
    f64: Number;
    Arc<str>: Text;
    RecomputeLayers: Layers;
    Offset: Offset;
    Arc<[RecomputeRange]>: Ranges;
    Capacity: Memory;
}

impl<T: Held> Held for Option<T> {
    fn held(setting: &Setting) -> Option<Self> {
        T::held(setting).map(Some)
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
