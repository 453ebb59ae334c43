//! Degrees of parallelism, sharding, batch (config-spec 4.2 to 4.4).

use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::facts::Schema;
use crate::facts::dialect::{EXPERT_GROUP_RULE, Fact};
use crate::facts::reader::{Reader, refused};
use crate::provenance::{Origin, Source, Stated};
use crate::units::integers::floor_div;
use std::sync::Arc;

/// The largest degree that is laid out; beyond it nothing real exists, and lists would not fit into memory.
const LARGEST_DEGREE: i64 = 1 << 20;
/// The largest number of chunks of a pipeline.
const LARGEST_PIPELINE: i64 = 1 << 16;

pub(super) struct Degrees {
    pub(super) dp_shard: Stated<i64>,
    pub(super) dp_replicate: Stated<i64>,
    pub(super) tensor_parallel: Stated<i64>,
    pub(super) pipeline_parallel: Stated<i64>,
    pub(super) context_parallel: Stated<i64>,
    pub(super) expert_parallel: Stated<i64>,
    pub(super) expert_tensor_parallel: Stated<i64>,
    pub(super) data_parallel: Stated<i64>,
    pub(super) devices: Option<Stated<i64>>,
    pub(super) chunks: Stated<i64>,
    pub(super) schedule: Stated<Arc<str>>,
    pub(super) sequence_parallel: Stated<bool>,
}

pub(super) fn degrees(reader: &Reader<'_>, caller: Option<i64>) -> Degrees {
    let dp_shard = reader.integer(Fact::DpShard, 1, "config-spec 4.2");
    let dp_replicate = reader.integer(Fact::DpReplicate, 1, "config-spec 4.2");
    let tensor_parallel = degree(reader, Fact::TensorParallel, LARGEST_DEGREE);
    let pipeline_parallel = degree(reader, Fact::PipelineParallel, LARGEST_PIPELINE);
    let context_parallel = degree(reader, Fact::ContextParallel, LARGEST_DEGREE);
    let expert_parallel = degree(reader, Fact::ExpertParallel, LARGEST_DEGREE);
    let expert_tensor_parallel = reader.integer(Fact::ExpertTensorParallel, 0, "config-spec 4.2");
    let product = tensor_parallel.value * pipeline_parallel.value * context_parallel.value;
    let (data_parallel, devices) = data_parallel(reader, &dp_shard, &dp_replicate, product, caller);
    let chunks = degree(reader, Fact::Chunks, LARGEST_PIPELINE / pipeline_parallel.value);
    let schedule = match reader.present(Fact::Schedule) {
        Some(found) => Stated::new(found.value.to_text().into(), found.origin),
        None => Stated::new("1f1b".into(), Origin::TrainerDefault("config-spec 4.2")),
    };
    let sequence_parallel = reader.flag(Fact::SequenceParallel, "config-spec 4.2");
    Degrees {
        dp_shard,
        dp_replicate,
        tensor_parallel,
        pipeline_parallel,
        context_parallel,
        expert_parallel,
        expert_tensor_parallel,
        data_parallel,
        devices,
        chunks,
        schedule,
        sequence_parallel,
    }
}

/// `max(1, int(first truthy or 1))`.
fn degree(reader: &Reader<'_>, fact: Fact, largest: i64) -> Stated<i64> {
    let read = reader.integer(fact, 1, "config-spec 4.2");
    if read.value > largest {
        if let Some(found) = reader.truthy(fact) {
            reader.report(refused(Code::DegreeTooLarge, &found).with(largest));
        }
        return Stated::new(1, read.origin);
    }
    read.map(|degree| degree.max(1))
}

fn data_parallel(
    reader: &Reader<'_>,
    shard: &Stated<i64>,
    replicate: &Stated<i64>,
    product: i64,
    caller: Option<i64>,
) -> (Stated<i64>, Option<Stated<i64>>) {
    let auto_models = reader.schema == Schema::AutoModels;
    let stated = Some(reader.integer(Fact::Devices, 0, "config-spec 4.3")).filter(|devices| devices.value != 0);
    let caller = caller.filter(|count| auto_models && *count != 0).map(|count| Stated::new(count, Origin::Caller));
    let Some(devices) = stated.or(caller) else {
        if auto_models && replicate.value == 1 {
            let path = reader.first_key(Fact::Devices);
            let finding = Diagnostic::new(Code::DeviceNumUnstated, Place::Missing(Source::Run, path.clone()));
            reader.report(finding.with(shard.value).help(Help::State(path)));
        }
        let degree = replicate.value.saturating_mul(shard.value).max(1);
        return (Stated::new(degree, Origin::Rule("config-spec 4.3, replicate times shard")), None);
    };
    if devices.value.checked_rem(product) != Some(0) {
        let source = devices.origin.key().map_or_else(|| "--devices".to_owned(), |(_, path)| path.to_string());
        let below = floor_div(devices.value, product).saturating_mul(product);
        let near = [below, below.saturating_add(product)].into_iter().filter(|count| *count > 0).collect();
        let finding =
            Diagnostic::new(Code::DeviceNumIndivisible, Place::of(&devices.origin)).with(source).with(devices.value);
        reader.report(finding.with(product).help(Help::NearestValues(near)));
    }
    let degree = floor_div(devices.value, product).max(1);
    (Stated::new(degree, Origin::Rule("config-spec 4.3, devices over TP·PP·CP")), Some(devices))
}

pub(super) struct Sharding {
    pub(super) optimizer_parallel: Stated<bool>,
    pub(super) optimizer_shard: Stated<i64>,
    pub(super) grad_shard: Stated<bool>,
    pub(super) reshard_params: Stated<bool>,
    pub(super) expert_shard: Option<Stated<i64>>,
    pub(super) expert_shard_group: Option<Stated<bool>>,
}

pub(super) fn sharding(reader: &Reader<'_>, degrees: &Degrees) -> Sharding {
    let auto_models = reader.schema == Schema::AutoModels;
    let optimizer_parallel = if auto_models {
        Stated::new(degrees.dp_shard.value > 1, Origin::Rule("config-spec 4.2, shard above 1"))
    } else {
        reader.flag_by_presence(Fact::OptimizerParallel, true, "config-spec 4.2")
    };
    let stated = reader.present(Fact::OptimizerShard).map(|found| reader.to_integer(&found, 1));
    let fallback = if auto_models { &degrees.dp_shard } else { &degrees.data_parallel };
    let optimizer_shard = stated
        .filter(|shard| shard.value != 0)
        .unwrap_or_else(|| Stated::new(fallback.value, Origin::Rule("config-spec 4.2, the data-parallel shard")));
    let (expert_shard, expert_shard_group) = if auto_models { expert_sharding(reader) } else { (None, None) };
    let forward = reader.flag_by_presence(Fact::ReshardForward, true, "config-spec 4.2");
    let backward = reader.flag_by_presence(Fact::ReshardBackward, true, "config-spec 4.2");
    Sharding {
        optimizer_parallel,
        optimizer_shard: optimizer_shard.map(|shard| shard.max(1)),
        grad_shard: reader.flag(Fact::GradShard, "config-spec 4.2"),
        reshard_params: if forward.value { backward } else { forward },
        expert_shard,
        expert_shard_group,
    }
}

fn expert_sharding(reader: &Reader<'_>) -> (Option<Stated<i64>>, Option<Stated<bool>>) {
    let group = match reader.present(Fact::ExpertShardRule) {
        None => Stated::new(false, Origin::TrainerDefault("config-spec 4.7")),
        Some(found) => {
            let group = found.value.as_text() == Some(EXPERT_GROUP_RULE);
            if !group && !found.value.is_null() {
                let finding = refused(Code::ExpertShardRule, &found);
                reader.report(finding.help(Help::Nearest(EXPERT_GROUP_RULE.to_owned())));
            }
            Stated::new(group, found.origin)
        }
    };
    let shard = reader.integer(Fact::ExpertShard, 1, "config-spec 4.7").map(|shard| shard.max(1));
    (Some(shard), Some(group))
}

pub(super) fn batch(reader: &Reader<'_>, degrees: &Degrees) -> (Stated<i64>, Stated<i64>, Stated<i64>) {
    let micro = reader.integer(Fact::MicroBatch, 1, "config-spec 4.4").map(|micro| micro.max(1));
    let mut count = reader.integer(Fact::MicroBatches, 0, "config-spec 4.4");
    let global = reader.integer(Fact::GlobalBatch, 0, "config-spec 4.4");
    let a_step = micro.value.saturating_mul(degrees.data_parallel.value);
    if count.value <= 0 {
        count = if global.value > 0 && global.value % a_step == 0 {
            Stated::new((global.value / a_step).max(1), Origin::Rule("config-spec 4.4, from the global batch"))
        } else {
            Stated::new(degrees.pipeline_parallel.value, Origin::Rule("config-spec 4.4, the pipeline degree"))
        };
    }
    let global = if global.value > 0 {
        global
    } else {
        Stated::new(a_step.saturating_mul(count.value), Origin::Rule("config-spec 4.4, from the micro-batches"))
    };
    (micro, count, global)
}
