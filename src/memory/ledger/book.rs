//! The live set of a whole step: totals an item, and the worst point of every named instant.

use super::live::Segment;
use super::slots::{Amounts, Slot};

/// The named instants of a step (ledger 5), in the order in which they first come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Moment {
    /// The first parameters of a stage are gathered.
    FirstGather,
    /// A layer's forward, its gather included.
    ForwardLayer,
    /// The head, and the end of the forward.
    ForwardEnd,
    /// The loss.
    Loss,
    /// The loss's own backward.
    BackwardStart,
    /// The head's backward, with the final norm's.
    Head,
    /// A layer's gather in backward.
    LayerGather,
    /// A layer's backward.
    LayerBackward,
    /// A layer's reduction.
    LayerReduction,
    /// The embedding's backward.
    Embedding,
    /// The embedding's gradient is cut to the rank's rows.
    EmbeddingCut,
    /// The reduction of embedding, final norm and head.
    RootReduction,
    /// The optimizer's step.
    OptimizerStep,
}

impl Moment {
    /// Every instant, in order.
    pub const ALL: [Self; MOMENTS] = [
        Self::FirstGather,
        Self::ForwardLayer,
        Self::ForwardEnd,
        Self::Loss,
        Self::BackwardStart,
        Self::Head,
        Self::LayerGather,
        Self::LayerBackward,
        Self::LayerReduction,
        Self::Embedding,
        Self::EmbeddingCut,
        Self::RootReduction,
        Self::OptimizerStep,
    ];

    /// Stable kebab-case id (DESIGN 2).
    pub const fn id(self) -> &'static str {
        match self {
            Self::FirstGather => "first-gather",
            Self::ForwardLayer => "forward-layer",
            Self::ForwardEnd => "forward-end",
            Self::Loss => "loss",
            Self::BackwardStart => "backward-start",
            Self::Head => "head",
            Self::LayerGather => "layer-gather",
            Self::LayerBackward => "layer-backward",
            Self::LayerReduction => "layer-reduction",
            Self::Embedding => "embedding",
            Self::EmbeddingCut => "embedding-cut",
            Self::RootReduction => "root-reduction",
            Self::OptimizerStep => "optimizer-step",
        }
    }
}

/// How many instants there are.
pub(super) const MOMENTS: usize = Moment::OptimizerStep as usize + 1;

/// Parts of a step whose own peaks are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Forwards.
    Forward,
    /// The loss.
    Loss,
    /// Backwards, with the loss's.
    Backward,
    /// The reduction at the end of a pipeline's step.
    Reduction,
    /// What lies between the micro-batches of a pipeline.
    Between,
    /// The optimizer's step.
    Optimizer,
}

/// How many phases there are.
pub(super) const PHASES: usize = Phase::Optimizer as usize + 1;

/// The worst point of an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Everything that is alive; minus infinity where the instant never comes.
    pub total: f64,
    /// The same by item.
    pub live: Amounts,
    /// The layer of the model that it lies in.
    pub layer: Option<u32>,
}

impl Worst {
    const NEVER: Self = Self { total: f64::NEG_INFINITY, live: Amounts::ZERO, layer: None };
}

/// The live set while a step is walked.
#[derive(Debug, Clone)]
pub(super) struct Book {
    live: Amounts,
    total: f64,
    worst: [Worst; MOMENTS],
    phases: [f64; PHASES],
    moment: Moment,
    phase: Phase,
    layer: Option<u32>,
}

impl Book {
    /// What is alive before the step.
    pub(super) fn new(live: &Amounts) -> Self {
        Self {
            live: *live,
            total: live.total(),
            worst: [Worst::NEVER; MOMENTS],
            phases: [f64::NEG_INFINITY; PHASES],
            moment: Moment::FirstGather,
            phase: Phase::Forward,
            layer: None,
        }
    }

    /// What comes next belongs to this instant.
    pub(super) const fn at(&mut self, moment: Moment) {
        self.moment = moment;
    }

    /// What comes next belongs to this instant of this layer.
    pub(super) const fn at_layer(&mut self, moment: Moment, layer: u32) {
        self.moment = moment;
        self.layer = Some(layer);
    }

    /// What comes next belongs to no layer.
    pub(super) const fn outside_layers(&mut self) {
        self.layer = None;
    }

    /// What comes next belongs to this phase.
    pub(super) const fn during(&mut self, phase: Phase) {
        self.phase = phase;
    }

    /// A tensor is born.
    pub(super) fn born(&mut self, slot: Slot, bytes: f64) {
        self.live[slot] += bytes;
        self.total += bytes;
        self.look();
    }

    /// A tensor dies.
    pub(super) fn dies(&mut self, slot: Slot, bytes: f64) {
        self.live[slot] -= bytes;
        self.total -= bytes;
    }

    /// A tensor counts again that a piece let die although somebody else holds it too; no point of the walk.
    pub(super) fn was_there(&mut self, slot: Slot, bytes: f64) {
        self.live[slot] += bytes;
        self.total += bytes;
    }

    /// A tensor is booked under another item.
    pub(super) fn rebook(&mut self, from: Slot, to: Slot, bytes: f64) {
        self.live[from] -= bytes;
        self.live[to] += bytes;
    }

    /// The present point counts for its instant and phase.
    pub(super) fn look(&mut self) {
        let worst = &mut self.worst[self.moment as usize];
        if self.total > worst.total {
            *worst = Worst { total: self.total, live: self.live, layer: self.layer };
        }
        let phase = &mut self.phases[self.phase as usize];
        *phase = phase.max(self.total);
    }

    /// A piece that was walked before runs on what is alive now.
    pub(super) fn play(&mut self, piece: &Segment) {
        let total = self.total + piece.rise;
        let worst = &mut self.worst[self.moment as usize];
        if total > worst.total {
            let mut live = self.live;
            live += &piece.at;
            *worst = Worst { total, live, layer: self.layer };
        }
        let phase = &mut self.phases[self.phase as usize];
        *phase = phase.max(total);
        self.live += &piece.net;
        self.total += piece.net_total;
    }

    /// What is alive.
    pub(super) const fn live(&self) -> &Amounts {
        &self.live
    }

    /// What lies between two states comes so many times more: equal layers or micro-batches that are not walked.
    pub(super) fn repeat(&mut self, before: &Amounts, times: f64) {
        let mut change = self.live;
        change -= before;
        self.live.add_times(&change, times);
        self.total = self.live.total();
    }

    /// The worst point of an instant.
    pub(super) const fn worst(&self, moment: Moment) -> &Worst {
        &self.worst[moment as usize]
    }

    /// The peak of a phase; minus infinity where it never comes.
    pub(super) const fn phase_peak(&self, phase: Phase) -> f64 {
        self.phases[phase as usize]
    }
}
