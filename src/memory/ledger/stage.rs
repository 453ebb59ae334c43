//! One pipeline stage as the walk sees it: its layers in runs, its units, and how they behave.

use super::fsdp::Fsdp;
use super::layer::{GradientFate, LossKind, Profile, Recompute, Rules, Tables, Tail};
use super::live::Segment;
use super::slots::Amounts;
use super::units::Unit;
use super::widths::Widths;

/// A kind of layer with one way of recomputing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kind {
    /// Its unit, without the experts where they are one of their own.
    pub unit: Unit,
    /// The unit of its local experts (expert parallelism).
    pub inner: Option<Unit>,
    /// What recomputes.
    pub recompute: Recompute,
    /// Its widths.
    pub widths: Widths,
    profiles: [Option<Box<Profile>>; 3],
}

impl Kind {
    /// A kind with the profiles that are asked for.
    pub(super) fn new(unit: Unit, inner: Option<Unit>, recompute: Recompute, widths: &Widths) -> Self {
        Self { unit, inner, recompute, widths: *widths, profiles: [None, None, None] }
    }

    /// Walks it for a fate of its gradients.
    pub(super) fn walk(&mut self, rules: Rules, fate: GradientFate, pipeline: bool) {
        let profile = &mut self.profiles[fate as usize];
        if profile.is_none() {
            *profile = Some(Box::new(super::layer::profile(&self.widths, rules, self.recompute, fate, pipeline)));
        }
    }

    /// What it does.
    ///
    /// # Panics
    /// Where the fate was not walked.
    pub(super) fn profile(&self, fate: GradientFate) -> &Profile {
        self.profiles[fate as usize].as_ref().expect("walked before")
    }
}

/// Equal layers, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// Index among the kinds.
    pub kind: usize,
    /// The first one's number in the model.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Embedding, final norm and head of a stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ends {
    /// The unit of what is there: all of it, or the embedding alone.
    pub root: Unit,
    /// The unit of final norm and head, where it is one of its own.
    pub head: Unit,
    /// Whether the embedding is there.
    pub embedding: bool,
    /// Whether final norm, head and loss are there.
    pub output: bool,
    /// Elements of the embedding on the rank.
    pub embedding_rows: f64,
    /// Whether head and embedding are one table.
    pub tied: bool,
}

/// What all stages share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    /// How operators run.
    pub rules: Rules,
    /// How units are gathered and reduced.
    pub fsdp: Fsdp,
    /// Widths that embedding and head share with the layers.
    pub widths: Widths,
    /// Sizes of the tables.
    pub tables: Tables,
    /// How the loss is made.
    pub loss: LossKind,
    /// Whether the bf16 logits stay referenced.
    pub logits_kept: bool,
    /// Bytes of the rotary tables of a micro-batch.
    pub rotary: f64,
    /// Whether weights are freed after a forward.
    pub reshard: bool,
    /// Whether weights are freed after a backward that reduces nothing.
    pub reshard_backward: bool,
    /// Whether gradients wait for the last micro-batch.
    pub sync_last: bool,
    /// Whether the embedding, and the head with the final norm, are units of their own.
    pub own_ends: bool,
    /// Whether the stages form a pipeline.
    pub pipeline: bool,
    /// Micro-batches of a step.
    pub micro_batches: u32,
    /// Bytes that a foreach optimizer makes on the way, a parameter byte.
    pub foreach: bool,
}

/// One stage, or one of the stages that a rank of an interleaved pipeline runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stage {
    /// Its layers, in order.
    pub runs: Vec<Run>,
    /// Embedding and head.
    pub ends: Ends,
    /// States and inputs: what is alive before the step.
    pub states: Amounts,
    /// Head and loss, by the fate of gradients.
    pub tails: Vec<(GradientFate, Tail)>,
    /// The embedding's backward, by the fate of gradients.
    pub embeddings: Vec<(GradientFate, Segment)>,
}
