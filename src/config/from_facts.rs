//! From facts to a derived configuration: the fields of config-spec 7 and 8, and the split of a multimodal model (11).

use super::{Config, Offset, Primary, Role, Strictness, Submodule};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::facts::{Facts, Schema};
use crate::model::{Dimension, Family, Flag, ModelSpec, OpCounts, Stack, TowerDimension, VisionTower};
use crate::provenance::{KeyPath, Source};
use crate::units::integers::floor_div;
use std::sync::Arc;

/// Derives the configuration of a run, as the reference reads a train.yaml: an expert layout that the degrees cannot hold
/// is clamped and warned about. A multimodal model becomes a parent of a vision and a text part.
pub fn derive(facts: &Facts) -> Result<Checked<Config>, Errors> {
    derive_with(facts, |primary| primary)
}

/// The same with the primary fields changed before derivation and before the multimodal split (an execution spec).
pub fn derive_with(facts: &Facts, change: impl FnOnce(Primary) -> Primary) -> Result<Checked<Config>, Errors> {
    let mut findings = Findings::new();
    let tower = facts.model.vision.as_ref().filter(|_| facts.builds_tower);
    // Known before the split, so that what a multimodal run may not state is refused here.
    let stated = Primary { multimodal: tower.is_some(), ..change(primary(facts)) };
    let main = findings.take(Config::new(stated, Strictness::Clamped));
    findings.add_all(facts.late.iter().cloned());
    let config = match (main, tower) {
        (Some(main), Some(tower)) => multimodal(facts, main, tower, &mut findings),
        (main, _) => main,
    };
    findings.finish(config)
}

fn multimodal(facts: &Facts, mut main: Config, tower: &VisionTower, findings: &mut Findings) -> Option<Config> {
    // Each part is a language model of its own.
    main.primary.multimodal = false;
    let text = main.clone().with_offset(even_offset(main.primary()));
    let inherited = tower_family(facts, tower, findings);
    let vision = vision_primary(facts, main.primary().clone(), tower, inherited);
    let vision = findings.take(Config::new(vision, Strictness::Clamped))?;
    let parts = vec![Submodule { role: Role::Vision, config: vision }, Submodule { role: Role::Text, config: text }];
    Some(main.with_submodules(parts))
}

/// Primary fields of the run, the language model's where there are several parts.
pub fn primary(facts: &Facts) -> Primary {
    let model = &facts.model;
    let mut primary = Primary { mtp_unpriced: facts.mtp_unpriced, ..Primary::default() };
    language_model(&mut primary, facts);
    primary.family = model.family.value;
    primary.op_counts = op_counts(model.family.value, model.ops.as_deref());
    primary.stack = Some(stack(facts));
    primary.output_census = model.output_activations;
    primary.tied_embeddings = model.is(Flag::TiedEmbeddings).unwrap_or(false);
    degrees(&mut primary, facts);
    sharding(&mut primary, facts);
    rest(&mut primary, facts);
    primary
}

fn language_model(primary: &mut Primary, facts: &Facts) {
    let model = &facts.model;
    let count = |field| model.count(field);
    primary.model_name = model.name.value.clone();
    primary.hidden = count(Dimension::HiddenSize);
    primary.layers = count(Dimension::Layers);
    primary.heads = count(Dimension::Heads);
    primary.feed_forward = count(Dimension::FeedForward);
    primary.vocabulary = count(Dimension::Vocabulary);
    primary.kv_heads = or(count(Dimension::KvHeads), primary.heads);
    primary.head_width = head_width(count(Dimension::HeadWidth), primary.hidden, primary.heads);
    primary.value_head_width = unless_zero(count(Dimension::ValueHeadWidth));
    primary.nope_head_width = unless_zero(count(Dimension::NopeWidth));
    primary.kv_latent = count(Dimension::KvLatent);
    primary.query_latent = count(Dimension::QueryLatent);
    primary.rotary_width = count(Dimension::RotaryWidth);
    primary.output_gate = model.is(Flag::OutputGate).unwrap_or(false);
    primary.qk_norm = model.is(Flag::QkNorm).unwrap_or(false);
    primary.qkv_bias = model.is(Flag::QkvBias);
    primary.output_bias = model.is(Flag::OutputBias);
    primary.feed_forward_bias = model.is(Flag::FeedForwardBias);
    primary.norm_bias = model.is(Flag::NormBias);
    primary.shared_expert_gate = model.is(Flag::SharedExpertGate);
    primary.layer_norms = unless_zero(count(Dimension::LayerNorms));
    primary.mtp_layers = facts.mtp_layers;
    primary.multiple_of = or(count(Dimension::MultipleOf), 256);
    let multiplier = model.feed_forward_multiplier.as_ref().map_or(0.0, |stated| stated.value);
    primary.feed_forward_multiplier = if multiplier == 0.0 { 1.0 } else { multiplier };
    experts(primary, model);
}

fn experts(primary: &mut Primary, model: &ModelSpec) {
    let count = |field| model.count(field);
    primary.experts = 1;
    primary.chosen_experts = 1;
    primary.shared_experts = 0;
    primary.expert_feed_forward = primary.feed_forward;
    primary.leading_dense = 0;
    if count(Dimension::Experts) <= 1 {
        return;
    }
    primary.experts = count(Dimension::Experts);
    primary.chosen_experts = count(Dimension::ChosenExperts).max(1);
    primary.shared_experts = count(Dimension::SharedExperts);
    primary.expert_feed_forward = or(count(Dimension::ExpertWidth), primary.feed_forward);
    primary.leading_dense = count(Dimension::LeadingDense);
}

fn head_width(stated: i64, hidden: i64, heads: i64) -> f64 {
    match (stated, heads) {
        (0, 0) => 0.0,
        (0, heads) => hidden as f64 / heads as f64,
        (stated, _) => stated as f64,
    }
}

const fn or(value: i64, default: i64) -> i64 {
    if value == 0 { default } else { value }
}

const fn unless_zero(value: i64) -> Option<i64> {
    if value == 0 { None } else { Some(value) }
}

fn op_counts(family: Family, stated: Option<&[(&'static str, OpCounts)]>) -> Arc<[(&'static str, OpCounts)]> {
    match stated {
        Some(stated) => stated.into(),
        None => family.kinds().iter().map(|kind| (kind.name, kind.counts)).collect(),
    }
}

/// The stack without the MTP layers that the trainer does not build.
fn stack(facts: &Facts) -> Stack {
    let stack = &facts.model.stack;
    match facts.schema {
        Schema::Legacy => stack.clone(),
        Schema::AutoModels => {
            Stack { groups: stack.groups.iter().copied().filter(|group| !group.mtp).collect(), linear: stack.linear }
        }
    }
}

fn degrees(primary: &mut Primary, facts: &Facts) {
    let run = &facts.run;
    primary.data_parallel = run.data_parallel.value;
    primary.tensor_parallel = run.tensor_parallel.value;
    primary.pipeline_parallel = run.pipeline_parallel.value;
    primary.chunks = run.chunks.value;
    primary.context_parallel = run.context_parallel.value;
    primary.expert_parallel = run.expert_parallel.value;
    primary.expert_tensor_parallel = run.expert_tensor_parallel.value;
    primary.sequence_parallel = run.sequence_parallel.value;
    primary.cp_algorithm = run.cp_algorithm.value.clone();
    primary.caller_devices = run.caller_devices;
    primary.micro_batch = run.micro_batch.value;
    primary.micro_batches = run.micro_batches.value;
    primary.global_batch = run.global_batch.value;
    primary.schedule = run.schedule.value.clone();
    primary.offset = run.offset.value.clone();
    primary.mtp_in_offset = facts.mtp_layers != 0;
    primary.sequence = run.sequence.value;
    primary.sequence_stated = run.sequence_stated;
}

fn sharding(primary: &mut Primary, facts: &Facts) {
    let run = &facts.run;
    primary.optimizer_parallel = run.optimizer_parallel.value;
    primary.optimizer_shard = run.optimizer_shard.value;
    primary.grad_shard = run.grad_shard.value;
    primary.shard_spans_cp = facts.schema == Schema::AutoModels;
    primary.expert_shard = run.expert_shard.as_ref().map(|shard| shard.value);
    primary.expert_shard_group = run.expert_shard_group.as_ref().map(|group| group.value);
    primary.reshard_params = Some(run.reshard_params.value);
    primary.loss_parallel = Some(run.loss_parallel.value);
}

fn rest(primary: &mut Primary, facts: &Facts) {
    let run = &facts.run;
    primary.full_recompute = run.full_recompute.value.clone();
    primary.selective_recompute = run.selective_recompute.value.clone();
    primary.recompute_slice_activation = run.recompute_slice.value;
    primary.stated_mode = run.mode.as_ref().map(|mode| mode.value.into());
    primary.param_bytes = run.param_bytes.value;
    primary.grad_bytes = Some(run.param_bytes.value);
    primary.compute_bytes = run.compute_bytes.value;
    primary.softmax_bytes = run.softmax_bytes.value;
    let (stored, main) = (run.stored_bytes.value, run.main_params.value);
    primary.optimizer_state_bytes = Some(if main { 4 } else { stored });
    primary.main_param_bytes = Some(if main && stored < 4 { 4 } else { 0 });
    primary.optimizer_states = Some(run.optimizer_states.value);
    primary.optimizer = run.optimizer.value.clone();
    primary.clips_gradients = run.clips_gradients.value;
    primary.grouped_matmul = run.grouped_matmul.value;
    primary.capacity_factor = run.capacity_factor.value;
    primary.moe_dispatch = run.moe_dispatch.as_ref().map(|cost| cost.value);
    primary.device_capacity = run.device_memory.value;
}

/// The family that the tower's name implies; its activation sharding is the tower's.
fn tower_family(facts: &Facts, tower: &VisionTower, findings: &mut Findings) -> Family {
    Family::of_model_name(&tower.name).unwrap_or_else(|| {
        let place = match facts.model.catalogue_id {
            Some(_) => facts.model_place.clone(),
            None => Place::Value(Source::Model, KeyPath::parse("vision_config")),
        };
        let finding = Diagnostic::new(Code::FamilyDefault, place);
        findings.add(finding.with(&*tower.name).with(Family::Default.name()));
        Family::Default
    })
}

/// The vision part: a copy of the derived parent with the tower's own geometry (config-spec 11).
fn vision_primary(facts: &Facts, parent: Primary, tower: &VisionTower, inherited: Family) -> Primary {
    let count = |field| tower.count(field);
    let (hidden, heads) = (count(TowerDimension::HiddenSize), count(TowerDimension::Heads));
    let layers = count(TowerDimension::Layers);
    let feed_forward = count(TowerDimension::FeedForward);
    let offset = front_loaded(layers, parent.pipeline_parallel, parent.chunks);
    Primary {
        model_name: tower.name.clone(),
        family: Family::Vision,
        inherited_family: Some(inherited),
        op_counts: op_counts(inherited, None),
        stack: Some(tower.stack.clone()),
        output_census: None,
        hidden,
        layers,
        heads,
        kv_heads: heads,
        head_width: head_width(0, hidden, heads),
        feed_forward,
        expert_feed_forward: feed_forward,
        vocabulary: 0,
        sequence: or(tower.tokens.value, 4096),
        value_head_width: None,
        nope_head_width: None,
        kv_latent: 0,
        query_latent: 0,
        rotary_width: 0,
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
        mtp_layers: 0,
        mtp_unpriced: facts.mtp_unpriced,
        multiple_of: 256,
        feed_forward_multiplier: 1.0,
        tied_embeddings: false,
        vocabulary_data_parallel: false,
        mtp_in_offset: false,
        grouped_matmul: false,
        capacity_factor: 1.0,
        loss_parallel: Some(true),
        offset,
        ..parent
    }
}

/// Zeros, one row a chunk under interleaving (config-spec 11).
fn even_offset(parent: &Primary) -> Offset {
    let stages = usize::try_from(parent.pipeline_parallel).unwrap_or(1);
    let row: Arc<[i64]> = vec![0; stages].into();
    match usize::try_from(parent.chunks).unwrap_or(1) {
        0 | 1 => Offset::PerStage(row),
        chunks => Offset::PerChunk(vec![row; chunks].into()),
    }
}

/// Every layer on the first stage (of the first chunk).
fn front_loaded(layers: i64, stages: i64, chunks: i64) -> Offset {
    let share = floor_div(floor_div(layers, stages), chunks);
    let length = usize::try_from(stages).unwrap_or(1);
    let others: Arc<[i64]> = vec![-share; length].into();
    let mut first = vec![-share; length];
    if let Some(stage) = first.first_mut() {
        *stage = layers - share;
    }
    match usize::try_from(chunks).unwrap_or(1) {
        0 | 1 => Offset::PerStage(first.into()),
        chunks => {
            let mut rows = vec![others; chunks];
            rows[0] = first.into();
            Offset::PerChunk(rows.into())
        }
    }
}
