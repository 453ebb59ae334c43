//! The run, as the reference reads it (config-spec 4), in the order of config-spec 18.3.

mod degrees;
mod recompute;
mod training;

use super::dialect::Fact;
use super::reader::Reader;
use super::{Capacity, Offset, RecomputeLayers, capacity};
use crate::diagnostics::Diagnostic;
use crate::model::{Dimension, ModelSpec};
use crate::provenance::{Origin, Stated};
use degrees::{batch, degrees, sharding};
use recompute::{offset, recompute};
use std::sync::Arc;
use training::{bytes, clips_gradients, cp_algorithm, experts, moe_dispatch, optimizer, sequence, widths};

/// Every fact of a run, each with where it comes from. Whole numbers are as read: zero and negatives occur.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSpec {
    /// Data-parallel shard degree, as read.
    pub dp_shard: Stated<i64>,
    /// Data-parallel replicate degree, as read.
    pub dp_replicate: Stated<i64>,
    /// Tensor parallelism, at least 1.
    pub tensor_parallel: Stated<i64>,
    /// Pipeline parallelism, at least 1.
    pub pipeline_parallel: Stated<i64>,
    /// Context parallelism, at least 1.
    pub context_parallel: Stated<i64>,
    /// Expert parallelism, at least 1.
    pub expert_parallel: Stated<i64>,
    /// Expert tensor parallelism; 0 is unstated on a dense model.
    pub expert_tensor_parallel: Stated<i64>,
    /// Data parallelism, at least 1.
    pub data_parallel: Stated<i64>,
    /// The device count, where the text or the caller states one.
    pub devices: Option<Stated<i64>>,
    /// The count the caller gave, used or not.
    pub caller_devices: Option<i64>,
    /// Chunks a stage.
    pub chunks: Stated<i64>,
    /// Pipeline schedule, as written.
    pub schedule: Stated<Arc<str>>,
    /// Sequence parallelism.
    pub sequence_parallel: Stated<bool>,
    /// Optimizer sharding.
    pub optimizer_parallel: Stated<bool>,
    /// Ranks that share a parameter's optimizer state.
    pub optimizer_shard: Stated<i64>,
    /// Sharding of accumulated gradients.
    pub grad_shard: Stated<bool>,
    /// Gathered parameters are freed after a layer.
    pub reshard_params: Stated<bool>,
    /// Shard size of an expert; AutoModels only.
    pub expert_shard: Option<Stated<i64>>,
    /// Experts are sharded over their whole group; AutoModels only.
    pub expert_shard_group: Option<Stated<bool>>,
    /// Loss on vocabulary-sharded logits.
    pub loss_parallel: Stated<bool>,
    /// Sequences a micro-batch.
    pub micro_batch: Stated<i64>,
    /// Micro-batches a step.
    pub micro_batches: Stated<i64>,
    /// Sequences a step.
    pub global_batch: Stated<i64>,
    /// Gradients are clipped.
    pub clips_gradients: Stated<bool>,
    /// Context-parallel algorithm.
    pub cp_algorithm: Stated<Arc<str>>,
    /// Optimizer, as written.
    pub optimizer: Stated<Arc<str>>,
    /// Optimizer states a parameter.
    pub optimizer_states: Stated<i64>,
    /// An fp32 copy of each parameter is kept.
    pub main_params: Stated<bool>,
    /// Dtype of a stored parameter, as written.
    pub stored_dtype: Stated<Arc<str>>,
    /// Bytes of a stored parameter.
    pub stored_bytes: Stated<i64>,
    /// The mode of recompute, unless an override replaced it.
    pub mode: Option<Stated<&'static str>>,
    /// Layers recomputed whole.
    pub full_recompute: Stated<RecomputeLayers>,
    /// Layers recomputed selectively.
    pub selective_recompute: Stated<RecomputeLayers>,
    /// A recomputed layer's input is kept sharded over TP.
    pub recompute_slice: Stated<bool>,
    /// Bytes of a parameter as it is used.
    pub param_bytes: Stated<i64>,
    /// Dtype of a computation, as written.
    pub compute_dtype: Stated<Arc<str>>,
    /// Bytes of an element of a computation.
    pub compute_bytes: Stated<i64>,
    /// Bytes of an element of the softmax.
    pub softmax_bytes: Stated<i64>,
    /// Bytes of an element that FSDP reduces, where the text states its dtype; the reference does not read it.
    pub reduce_bytes: Option<Stated<i64>>,
    /// Grouped matmul of the experts.
    pub grouped_matmul: Stated<bool>,
    /// Expert capacity factor.
    pub capacity_factor: Stated<f64>,
    /// Pipeline offset.
    pub offset: Stated<Offset>,
    /// Tokens of a training sequence.
    pub sequence: Stated<i64>,
    /// Whether the text states the length.
    pub sequence_stated: bool,
    /// Memory of a device.
    pub device_memory: Stated<Capacity>,
    /// Cost of token dispatch; time model only.
    pub moe_dispatch: Option<Stated<f64>>,
}

/// What the run takes from the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelFacts<'a> {
    pub(super) spec: Option<&'a ModelSpec>,
    /// MTP layers kept.
    pub(super) mtp_layers: i64,
}

impl ModelFacts<'_> {
    fn count(&self, field: Dimension) -> i64 {
        self.spec.map_or(0, |spec| spec.count(field))
    }

    fn experts(&self) -> bool {
        self.count(Dimension::Experts) > 1
    }

    fn dtype(&self) -> Option<Stated<Arc<str>>> {
        self.spec?.dtype.clone().filter(|dtype| !dtype.value.is_empty())
    }
}

/// Findings that the reference raises only after the derivation.
pub(super) type Late = Vec<Diagnostic>;

/// Reads the run.
pub(super) fn read(reader: &Reader<'_>, model: ModelFacts<'_>, caller: Option<i64>) -> (RunSpec, Late) {
    let degrees = degrees(reader, caller);
    let sharding = sharding(reader, &degrees);
    let batch = batch(reader, &degrees);
    let clips_gradients = clips_gradients(reader);
    let cp_algorithm = cp_algorithm(reader, degrees.context_parallel.value);
    let (optimizer, optimizer_states) = optimizer(reader);
    let recompute = recompute(reader);
    let widths = widths(reader, model);
    let (grouped_matmul, capacity_factor) = experts(reader, model);
    let expert_tensor_parallel = match degrees.expert_tensor_parallel.value {
        0 if model.experts() => Stated::new(1, Origin::TrainerDefault("config-spec 4.7")),
        _ => degrees.expert_tensor_parallel,
    };
    let offset = offset(reader, model, degrees.pipeline_parallel.value, degrees.chunks.value);
    let (sequence, sequence_stated) = sequence(reader, model);
    let device_memory = capacity::read(reader);
    let (moe_dispatch, late) = moe_dispatch(reader);
    let run = RunSpec {
        dp_shard: degrees.dp_shard,
        dp_replicate: degrees.dp_replicate,
        tensor_parallel: degrees.tensor_parallel,
        pipeline_parallel: degrees.pipeline_parallel,
        context_parallel: degrees.context_parallel,
        expert_parallel: degrees.expert_parallel,
        expert_tensor_parallel,
        data_parallel: degrees.data_parallel,
        devices: degrees.devices,
        caller_devices: caller,
        chunks: degrees.chunks,
        schedule: degrees.schedule,
        sequence_parallel: degrees.sequence_parallel,
        optimizer_parallel: sharding.optimizer_parallel,
        optimizer_shard: sharding.optimizer_shard,
        grad_shard: sharding.grad_shard,
        reshard_params: sharding.reshard_params,
        expert_shard: sharding.expert_shard,
        expert_shard_group: sharding.expert_shard_group,
        loss_parallel: reader.flag(Fact::LossParallel, "config-spec 4.2"),
        micro_batch: batch.0,
        micro_batches: batch.1,
        global_batch: batch.2,
        clips_gradients,
        cp_algorithm,
        optimizer,
        optimizer_states,
        main_params: reader.flag(Fact::MainParams, "config-spec 4.5"),
        stored_bytes: bytes(&widths.stored),
        stored_dtype: widths.stored,
        mode: recompute.mode,
        full_recompute: recompute.full,
        selective_recompute: recompute.selective,
        recompute_slice: reader.flag_by_presence(Fact::RecomputeSlice, false, "config-spec 4.8"),
        param_bytes: bytes(&widths.param),
        compute_bytes: bytes(&widths.compute),
        compute_dtype: widths.compute,
        softmax_bytes: bytes(&widths.softmax),
        reduce_bytes: widths.reduce.as_ref().map(bytes),
        grouped_matmul,
        capacity_factor,
        offset,
        sequence,
        sequence_stated,
        device_memory,
        moe_dispatch,
    };
    (run, late)
}
