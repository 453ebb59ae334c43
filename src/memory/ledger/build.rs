//! From a run's config to what the walk reads: layout, kinds of layers, stages.

use super::fsdp::Fsdp;
use super::layer::{ContextKind, GradientFate, Kept, LossKind, Recompute, Rules, Tables, embedding_backward, tail};
use super::live::Dim;
use super::policies::{
    AdamW, CpKind, ExpertShardDim, GradientSync, KeyValues, LogitsKept, Loss, Norm, NormOutputs, PipelineReshard,
    Policies, Qkv, ReshardAfterBackward, Selective, StateLayout, SwiGlu, Wrap,
};
use super::shapes;
use super::slots::{Amounts, Slot};
use super::stage::{Ends, Kind, Layout, Run, Stage};
use super::states::{self, StateWidths};
use super::units::{Sharding, Unit};
use super::{Inputs, Precision};
use crate::diagnostics::{Code, Diagnostic, Place, Severity};
use crate::model::tensors::{LayerRun, Role, Tensor};
use crate::placement::{Node, Order};

/// Everything that is walked.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) layout: Layout,
    pub(super) kinds: Vec<Kind>,
    /// By stage, then chunk.
    pub(super) stages: Vec<Vec<Stage>>,
}

/// A kind by where its tensors come from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    run: usize,
    recompute: Recompute,
}

pub(super) struct Builder<'a> {
    inputs: Inputs<'a>,
    policies: Policies,
    shapes: shapes::Run<'a>,
    sharding: Sharding,
    kinds: Vec<Kind>,
    keys: Vec<Key>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(inputs: Inputs<'a>, policies: Policies) -> Self {
        let shapes = shapes::Run {
            model: inputs.model,
            config: inputs.config,
            chosen: inputs.tensors.chosen_experts.max(1) as f64,
        };
        Self { inputs, policies, shapes, sharding: sharding(inputs, policies), kinds: Vec::new(), keys: Vec::new() }
    }

    /// Everything, walked.
    pub(super) fn build(mut self) -> Result<Built, Diagnostic> {
        let layout = self.layout();
        let mut stages = self.stages()?;
        self.walk(&layout, &mut stages);
        Ok(Built { layout, kinds: self.kinds, stages })
    }

    /// The kinds of layers and the stages, not walked.
    pub(super) fn units(mut self) -> Result<(Vec<Kind>, Vec<Vec<Stage>>), Diagnostic> {
        let stages = self.stages()?;
        Ok((self.kinds, stages))
    }

    fn stages(&mut self) -> Result<Vec<Vec<Stage>>, Diagnostic> {
        let placement = self.inputs.placement;
        let order = placement.order(self.part());
        let chunks = placement.stages().next().map_or(1, |stage| stage.chunks().len());
        let mut stages = Vec::with_capacity(placement.stages().len());
        for stage in placement.stages() {
            let mut built = Vec::with_capacity(chunks);
            for (at, chunk) in stage.chunks().enumerate() {
                let order = order.get(stage.index * chunks + at).copied().unwrap_or_default();
                built.push(self.stage(chunk.runs, order)?);
            }
            stages.push(built);
        }
        Ok(stages)
    }

    /// The part of a multimodal model that is walked: the language model, which comes last.
    fn part(&self) -> usize {
        self.inputs.placement.parts() - 1
    }

    fn stage(&mut self, nodes: &[crate::placement::Run], order: Order) -> Result<Stage, Diagnostic> {
        let mut runs: Vec<Run> = Vec::new();
        let mut local = 0_i64;
        let (mut embedding, mut output) = (false, false);
        let part = self.part();
        for node in nodes.iter().filter(|node| node.part == part) {
            match node.node {
                Node::Embedding => embedding = true,
                Node::Output => output = true,
                Node::Plain | Node::Selective(_) | Node::Full => {
                    for at in 0..i64::from(node.count) {
                        let number = u32::try_from(order.layer(local + at)).unwrap_or(0);
                        self.add_layer(&mut runs, number, node.node)?;
                    }
                    local += i64::from(node.count);
                }
            }
        }
        let ends = self.ends(embedding, output)?;
        let states = self.states(&runs, &ends);
        Ok(Stage { runs, ends, states, tails: Vec::new(), embeddings: Vec::new() })
    }

    fn add_layer(&mut self, runs: &mut Vec<Run>, number: u32, node: Node) -> Result<(), Diagnostic> {
        let of_number = |run: &LayerRun| run.first <= u64::from(number) && u64::from(number) < run.first + run.count;
        let found = self.inputs.tensors.text.runs.iter().position(of_number);
        let Some(run) = found.or_else(|| self.inputs.tensors.text.runs.len().checked_sub(1)) else { return Ok(()) };
        let recompute = self.recompute(number, node);
        let kind = self.kind(Key { run, recompute })?;
        match runs.last_mut() {
            Some(last) if last.kind == kind && last.first + last.count == number => last.count += 1,
            _ => runs.push(Run { kind, first: number, count: 1 }),
        }
        Ok(())
    }

    fn recompute(&self, number: u32, node: Node) -> Recompute {
        match node {
            Node::Full => Recompute::Full,
            Node::Selective(_) => match self.policies.selective() {
                Selective::HyperParallel => Recompute::Selective(Kept::MatmulsAndCollectives),
                Selective::EverySecondMatmul => Recompute::Selective(Kept::EverySecondMatmul),
                Selective::EveryMatmul => Recompute::Selective(Kept::EveryMatmul),
                Selective::EverySecondLayer if number.is_multiple_of(2) => Recompute::Full,
                Selective::EverySecondLayer => Recompute::Nothing,
            },
            Node::Plain | Node::Embedding | Node::Output => Recompute::Nothing,
        }
    }

    fn kind(&mut self, key: Key) -> Result<usize, Diagnostic> {
        if let Some(at) = self.keys.iter().position(|known| *known == key) {
            return Ok(at);
        }
        let run = &self.inputs.tensors.text.runs[key.run];
        let apart = self.sharding.expert > 1;
        let stacked = |tensor: &&Tensor| tensor.role.is_stacked();
        let unit = self.unit(run.tensors.iter().filter(|tensor| !(apart && stacked(tensor))), false)?;
        let inner = if apart { Some(self.unit(run.tensors.iter().filter(stacked), true)?) } else { None };
        let inner = inner.filter(|inner| inner.elements > 0.0);
        let widths = self.shapes.widths(run, &unit, inner.as_ref());
        self.kinds.push(Kind::new(unit, inner, key.recompute, &widths));
        self.keys.push(key);
        Ok(self.kinds.len() - 1)
    }

    fn unit<'t>(&self, tensors: impl Iterator<Item = &'t Tensor>, inner: bool) -> Result<Unit, Diagnostic> {
        Unit::of(tensors, self.sharding, inner).map_err(|dimension| {
            let ranks = if inner { self.sharding.expert_data } else { self.sharding.data };
            let finding = Diagnostic::new(Code::ShardNotDividing, Place::Whole);
            // FSDP refuses an uneven shard of dimension 1: no such run exists.
            let finding = Diagnostic { severity: Severity::Error, ..finding };
            finding.with(integer(ranks)).with(integer(dimension))
        })
    }

    fn ends(&self, embedding: bool, output: bool) -> Result<Ends, Diagnostic> {
        let root = &self.inputs.tensors.text.root;
        let is_embedding = |tensor: &&Tensor| matches!(tensor.role, Role::Embedding | Role::Position);
        let own = self.policies.wrap() == Wrap::EmbeddingLayersHead;
        let tied = !root.iter().any(|tensor| tensor.role == Role::Head);
        let behind = |tensor: &&Tensor| {
            output && (!is_embedding(tensor) || (tied && !embedding && tensor.role == Role::Embedding))
        };
        let before = |tensor: &&Tensor| embedding && is_embedding(tensor);
        let (first, head) = if own {
            (self.unit(root.iter().filter(before), false)?, self.unit(root.iter().filter(behind), false)?)
        } else {
            let both = |tensor: &&Tensor| before(tensor) || behind(tensor);
            (self.unit(root.iter().filter(both), false)?, Unit::default())
        };
        let embedding_rows = first.parts.iter().filter(|part| part.role == Role::Embedding).map(|part| part.elements);
        let embedding_rows = if embedding { embedding_rows.sum() } else { 0.0 };
        Ok(Ends { root: first, head, embedding, output, embedding_rows, tied: tied && embedding && output })
    }

    fn states(&self, runs: &[Run], ends: &Ends) -> Amounts {
        let widths = self.state_widths();
        let mut states = Amounts::ZERO;
        if self.policies.state_layout() == StateLayout::Zero1 {
            self.whole_states(runs, ends, &mut states);
            states[Slot::Inputs] = self.input_bytes();
            return states;
        }
        for unit in [&ends.root, &ends.head] {
            if unit.padded > 0.0 {
                states::add(&mut states, unit, widths, 1.0);
            }
        }
        for run in runs {
            let kind = &self.kinds[run.kind];
            states::add(&mut states, &kind.unit, widths, f64::from(run.count));
            if let Some(inner) = &kind.inner {
                states::add(&mut states, inner, widths, f64::from(run.count));
            }
        }
        states[Slot::Inputs] = self.input_bytes();
        states
    }

    /// Token ids and labels of every micro-batch.
    fn input_bytes(&self) -> f64 {
        16.0 * self.shapes.tokens() * self.inputs.config.primary().micro_batches.max(1) as f64
    }

    /// Weights and gradients whole, optimizer states over all data-parallel ranks (policy `state-layout`).
    fn whole_states(&self, runs: &[Run], ends: &Ends, states: &mut Amounts) {
        let primary = self.inputs.config.primary();
        let ranks = (primary.data_parallel.max(1) as f64) * (primary.context_parallel.max(1) as f64);
        for unit in [&ends.root, &ends.head] {
            states::add_whole(states, unit, ranks, 1.0);
        }
        for run in runs {
            let kind = &self.kinds[run.kind];
            states::add_whole(states, &kind.unit, ranks, f64::from(run.count));
            if let Some(inner) = &kind.inner {
                states::add_whole(states, inner, ranks / self.sharding.expert as f64, f64::from(run.count));
            }
        }
    }

    fn state_widths(&self) -> StateWidths {
        let primary = self.inputs.config.primary();
        let count = primary.optimizer_states.unwrap_or(2).max(0) as f64;
        let width = primary.optimizer_state_bytes.unwrap_or(4).max(0) as f64;
        StateWidths {
            stored: self.inputs.precision.stored,
            states: count * width,
            main: primary.main_param_bytes.unwrap_or(0).max(0) as f64,
        }
    }

    fn layout(&self) -> Layout {
        let primary = self.inputs.config.primary();
        let (policies, shapes) = (self.policies, self.shapes);
        let (tensor, tokens) = (shapes.tensor_parallel(), shapes.tokens());
        let rules = self.rules();
        let pipeline = primary.pipeline_parallel > 1;
        let tables = self.tables();
        let Precision { stored, compute, reduce } = self.inputs.precision;
        let reshard = match (pipeline, primary.reshard_params.unwrap_or(true)) {
            (true, reshard) => reshard && policies.pipeline_reshard() == PipelineReshard::Reshards,
            (false, reshard) => reshard,
        };
        let mut widths = self.shapes.widths(&empty_run(), &Unit::default(), None);
        widths.shard = Dim::new("Ts", if rules.sequence_parallel { tokens / tensor } else { tokens });
        let parallel_loss = primary.loss_parallel.unwrap_or(false);
        Layout {
            rules,
            fsdp: Fsdp {
                stored,
                compute,
                reduce,
                tensor_parallel: tensor > 1.0,
                always_whole: policies.state_layout() == StateLayout::Zero1,
            },
            widths,
            tables,
            loss: match policies.loss() {
                Loss::FullFp32 => {
                    LossKind::Full { parallel: tensor > 1.0 && parallel_loss, gathers: tensor > 1.0 && !parallel_loss }
                }
                Loss::Chunked(tokens) => LossKind::Chunked(tokens as f64),
                Loss::Fused => LossKind::Chunked(1.0),
                Loss::Megatron => LossKind::Megatron,
                Loss::Nanotron => LossKind::Nanotron,
            },
            logits_kept: policies.logits_kept() == LogitsKept::Held || pipeline,
            rotary: 4.0 * shapes.rotary_width() * shapes.sequence(),
            reshard,
            reshard_backward: !pipeline && policies.reshard_after_backward() == ReshardAfterBackward::Reshards,
            sync_last: pipeline || policies.gradient_sync() == GradientSync::Last,
            pipeline,
            own_ends: policies.wrap() == Wrap::EmbeddingLayersHead,
            micro_batches: u32::try_from(primary.micro_batches.clamp(1, 1 << 20)).unwrap_or(1),
            foreach: policies.adamw() == AdamW::Foreach,
        }
    }

    fn rules(&self) -> Rules {
        let primary = self.inputs.config.primary();
        let policies = self.policies;
        Rules {
            tensor_parallel: self.shapes.tensor_parallel() > 1.0,
            sequence_parallel: self.shapes.sequence_parallel(),
            fused_norm: policies.norm() == Norm::Fused,
            fused_swiglu: policies.swiglu() == SwiGlu::Fused,
            fused_qkv: policies.qkv() == Qkv::Fused,
            expanded_kv: policies.key_values() == KeyValues::Expanded,
            shard_outputs: policies.norm_outputs() == NormOutputs::Shard,
            context: self.context(),
            expert_parallel: primary.expert_parallel > 1,
            reduce_bytes: self.inputs.precision.reduce,
        }
    }

    fn context(&self) -> ContextKind {
        let primary = self.inputs.config.primary();
        match self.policies.cp_kind() {
            _ if primary.context_parallel <= 1 => ContextKind::None,
            CpKind::ByAlgorithm if &*primary.cp_algorithm == "ulysses_cp" => ContextKind::AllToAll,
            CpKind::ByAlgorithm | CpKind::Gathered => ContextKind::Gathered,
            CpKind::AllToAll => ContextKind::AllToAll,
            CpKind::Ring => ContextKind::Ring { last: self.inputs.last_of_ring },
        }
    }

    fn tables(&self) -> Tables {
        let root = &self.inputs.tensors.text.root;
        let tensor = self.sharding.tensor;
        let find = |role: Role| root.iter().find(move |tensor| tensor.role == role);
        let embedding = find(Role::Embedding);
        let table = find(Role::Head).or(embedding);
        let rows = |table: Option<&Tensor>| table.map_or(0, |table| table.shape()[0]);
        let on_rank = |role: Role| find(role).map_or(0.0, |own| own.elements_on_rank(tensor) as f64);
        let other = |tensor: &&Tensor| {
            tensor.role.is_parameter()
                && !matches!(
                    tensor.role,
                    Role::Embedding
                        | Role::Position
                        | Role::FinalNorm
                        | Role::FinalNormBias
                        | Role::Head
                        | Role::HeadBias
                )
        };
        let all = |own: &Tensor| own.elements_on_rank(tensor) as f64;
        let head = table.map_or(0.0, |table| table.elements_on_rank(tensor) as f64);
        Tables {
            rows: Dim::new("V/t", rows(table).div_ceil(tensor) as f64),
            all_rows: Dim::new("V", rows(table) as f64),
            head: Dim::new("V/t·h", head + on_rank(Role::HeadBias)),
            embedding: Dim::new("V·h", embedding.map_or(0.0, |table| table.elements() as f64)),
            norm: Dim::new("h", on_rank(Role::FinalNorm) + on_rank(Role::FinalNormBias)),
            positions: Dim::new("positions", on_rank(Role::Position)),
            other: Dim::new("other tables", root.iter().filter(other).map(all).sum()),
        }
    }

    /// Walks every kind, head and embedding for every fate that gradients have.
    fn walk(&mut self, layout: &Layout, stages: &mut [Vec<Stage>]) {
        let mut fates: Vec<GradientFate> = Vec::new();
        for micro_batch in [0, 1, layout.micro_batches - 1] {
            let fate = layout.sync_of(micro_batch.min(layout.micro_batches - 1)).fate;
            if !fates.contains(&fate) {
                fates.push(fate);
            }
        }
        for fate in fates {
            for kind in &mut self.kinds {
                kind.walk(layout.rules, fate, layout.pipeline);
            }
            for stage in stages.iter_mut().flatten() {
                if stage.ends.output {
                    let walked = tail(
                        &layout.widths,
                        layout.rules,
                        &layout.tables,
                        layout.loss,
                        layout.logits_kept,
                        fate,
                        layout.pipeline,
                    );
                    stage.tails.push((fate, walked));
                }
                if stage.ends.embedding {
                    let walked = embedding_backward(&layout.widths, layout.rules, &layout.tables, fate);
                    stage.embeddings.push((fate, walked));
                }
            }
        }
    }
}

fn sharding(inputs: Inputs<'_>, policies: Policies) -> Sharding {
    let primary = inputs.config.primary();
    let degree = |value: i64| u64::try_from(value.max(1)).unwrap_or(1);
    let data = if primary.optimizer_parallel { degree(inputs.config.optimizer_ranks()) } else { 1 };
    let expert = degree(primary.expert_parallel);
    let expert_data = if expert > 1 { degree(primary.expert_shard.unwrap_or(1)) } else { data };
    let ranks = degree(primary.data_parallel).saturating_mul(degree(primary.context_parallel));
    Sharding {
        replicas: ranks > data,
        expert_replicas: ranks > expert.saturating_mul(expert_data),
        tensor: degree(primary.tensor_parallel),
        data,
        expert,
        expert_data,
        experts_on_rows: policies.expert_shard_dim() == ExpertShardDim::First,
    }
}

fn empty_run() -> LayerRun {
    LayerRun {
        mixer: crate::model::tensors::Mixer::None,
        feed_forward: crate::model::tensors::FeedForward::None,
        first: 0,
        count: 0,
        prediction: false,
        tensors: std::sync::Arc::from([]),
    }
}

fn integer(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
