//! Runs to try the laws on: every catalogue model that can be priced, under random layouts.

use proptest::prelude::*;
use proptest::sample::select;
use shardmem::config::Config;
use shardmem::estimate::{Input, Outcome, Ready, estimate};
use shardmem::memory::{Category, StageMemory};
use shardmem::model::catalogue;
use std::sync::OnceLock;

/// A train.yaml in numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    pub(crate) model: &'static str,
    pub(crate) tp: i64,
    pub(crate) pp: i64,
    pub(crate) cp: i64,
    pub(crate) ep: i64,
    pub(crate) shard: i64,
    pub(crate) replicate: i64,
    pub(crate) expert_shard: i64,
    pub(crate) chunks: i64,
    pub(crate) micro_batch: i64,
    pub(crate) micro_batches: i64,
    pub(crate) sequence: i64,
    pub(crate) recompute: &'static str,
    pub(crate) schedule: &'static str,
    pub(crate) sequence_parallel: bool,
    pub(crate) loss_parallel: bool,
    pub(crate) reshard: bool,
    pub(crate) main_params: bool,
}

impl Layout {
    /// One device, and nothing that the laws vary.
    pub(crate) const fn plain(model: &'static str) -> Self {
        Self {
            model,
            tp: 1,
            pp: 1,
            cp: 1,
            ep: 1,
            shard: 1,
            replicate: 1,
            expert_shard: 1,
            chunks: 1,
            micro_batch: 1,
            micro_batches: 4,
            sequence: 4096,
            recompute: "off",
            schedule: "1f1b",
            sequence_parallel: false,
            loss_parallel: false,
            reshard: true,
            main_params: true,
        }
    }

    pub(crate) fn text(&self) -> String {
        let Self { model, tp, pp, cp, ep, shard, replicate, expert_shard, chunks, .. } = self;
        let Self { micro_batch, micro_batches, sequence, recompute, schedule, .. } = self;
        let Self { sequence_parallel, loss_parallel, reshard, main_params, .. } = self;
        format!(
            "model: {{pretrained_model_name_or_path: {model}, torch_dtype: bfloat16}}\n\
             training: {{micro_batch_size: {micro_batch}, micro_batch_num: {micro_batches}}}\n\
             accelerator: {{tp_size: {tp}, pp_size: {pp}, cp_size: {cp}, ep_size: {ep}, dp_replicate: {replicate},\n  \
             pp_interleave_num: {chunks}, pipeline_scheduler: {schedule}, context_parallel_algo: colossalai_cp,\n  \
             sequence_parallel: {sequence_parallel}, loss_parallel: {loss_parallel}}}\n\
             fsdp_config: {{dp_shard_size: {shard}, edp_shard_size: {expert_shard}, reshard_after_forward: {reshard}}}\n\
             optimizer: {{_target_: AdamW, fp32_main_params: {main_params}}}\n\
             activation_checkpoint: {{mode: {recompute}}}\n\
             dataset: {{data_transform: {{max_seq_len: {sequence}}}}}\n\
             context: {{max_device_memory: 64GB}}\n"
        )
    }

    /// The estimate; nothing where the layout is refused.
    pub(crate) fn estimate(&self) -> Option<Ready> {
        ready(&Input::of(&self.text()))
    }

    /// The estimate of a layout that must not be refused.
    pub(crate) fn priced(&self) -> Ready {
        match estimate(&Input::of(&self.text())) {
            Outcome::Ready(ready) => *ready,
            Outcome::Rejected(rejected) => panic!("{self:?}: {:?}", rejected.findings),
        }
    }
}

pub(crate) fn ready(input: &Input) -> Option<Ready> {
    match estimate(input) {
        Outcome::Ready(ready) => Some(*ready),
        Outcome::Rejected(_) => None,
    }
}

/// A catalogue model that can be priced by its name, with what the laws ask of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    pub(crate) id: &'static str,
    pub(crate) layers: i64,
    pub(crate) experts: i64,
    pub(crate) is_tied: bool,
    /// Whether it is a language model alone, without a vision tower.
    pub(crate) is_text: bool,
    /// Whether all of its layers are of one kind.
    pub(crate) is_uniform: bool,
}

pub(crate) fn models() -> &'static [Model] {
    static MODELS: OnceLock<Vec<Model>> = OnceLock::new();
    MODELS.get_or_init(|| catalogue::all().iter().filter_map(|entry| model(entry.id)).collect())
}

fn model(id: &'static str) -> Option<Model> {
    let ready = Layout::plain(id).estimate()?;
    let primary = ready.config.primary();
    let parts = ready.config.submodules();
    let text: &Config = parts.last().map_or(&ready.config, |part| &part.config);
    let (layers, experts) = (text.primary().layers, text.primary().experts);
    let is_uniform = ready.placement.parts() == 1 && ready.placement.kinds(0).len() == 1;
    Some(Model { id, layers, experts, is_tied: primary.tied_embeddings, is_text: parts.is_empty(), is_uniform })
}

pub(crate) fn select_model(filter: impl Fn(&Model) -> bool) -> impl Strategy<Value = Model> {
    let models: Vec<Model> = models().iter().filter(|model| filter(model)).copied().collect();
    select(models)
}

/// A layout that the reference prices: degrees are powers of two, and the pipeline does not outgrow the model.
pub(crate) fn layout(filter: impl Fn(&Model) -> bool) -> impl Strategy<Value = Layout> {
    let degrees = (power(3), power(4), power(2), power(3), power(4), power(2));
    let batch = (power(2), 1_i64..40, power(6));
    let modes = (select(vec!["off", "selective", "full"]), any::<[bool; 4]>(), power(2));
    (select_model(filter), degrees, batch, modes).prop_map(|(model, degrees, batch, modes)| {
        let (tp, pp, cp, ep, shard, replicate) = degrees;
        let (micro_batch, micro_batches, sequence) = batch;
        let (recompute, [sequence_parallel, loss_parallel, reshard, main_params], expert_shard) = modes;
        let pp = if pp > model.layers { 1 } else { pp };
        Layout {
            tp,
            pp,
            cp,
            ep: ep.min(shard * replicate).min(model.experts.max(1)),
            shard,
            replicate,
            expert_shard,
            micro_batch,
            micro_batches,
            sequence: 512 * sequence,
            recompute,
            sequence_parallel,
            loss_parallel,
            reshard,
            main_params,
            ..Layout::plain(model.id)
        }
    })
}

/// 2^0 to 2^most.
pub(crate) fn power(most: u32) -> impl Strategy<Value = i64> {
    (0..=most).prop_map(|exponent| 1_i64 << exponent)
}

/// An item's bytes at an instant of a stage; zero where it has none.
pub(crate) fn item(stage: &StageMemory, id: &str, instant: usize) -> f64 {
    stage.items.iter().find(|item| item.id == id).map_or(0.0, |item| item.bytes[instant].value())
}

/// The sum of a category at an instant of a stage.
pub(crate) fn category(stage: &StageMemory, category: Category, instant: usize) -> f64 {
    let items = stage.items.iter().filter(|item| item.category == category);
    items.map(|item| item.bytes[instant].value()).sum()
}

/// What a stage holds of one kind of tensor, by the ids' common part: `routed-experts`, …
pub(crate) fn held(stage: &StageMemory) -> impl Iterator<Item = (&'static str, f64)> {
    let is_static = |category| match category {
        Category::Parameters | Category::OptimizerStates | Category::Gradients => true,
        Category::Activations
        | Category::Buffers
        | Category::BackwardWorkingSet
        | Category::GradientsInFlight
        | Category::Reserve => false,
    };
    stage.items.iter().filter(move |item| is_static(item.category)).map(|item| (item.id, item.bytes[0].value()))
}

/// Equal but for the rounding of doubles.
pub(crate) fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}
