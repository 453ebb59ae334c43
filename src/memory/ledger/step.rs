//! One optimizer step without a pipeline: micro-batches one after the other (ledger 5, 5b).

use super::book::{Book, Moment, Phase};
use super::layer::{GradientFate, Tail};
use super::slots::Slot;
use super::stage::{Kind, Layout, Run, Stage};
use super::units::Unit;

/// Which piece of a layer's forward is that of local experts.
pub(super) const EXPERTS_FORWARD: usize = 1;

/// A unit by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// Embedding, final norm and head, or the embedding alone.
    Root,
    /// Final norm and head, as a unit of their own.
    Head,
    /// A layer of a kind.
    Layer(usize),
    /// The local experts of a kind.
    Inner(usize),
}

/// A layer to walk, or so many that repeat what the one before did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Layer { kind: usize, number: u32 },
    Repeat(u32),
}

/// Walks a stage.
pub(super) struct Walk<'a> {
    pub(super) book: Book,
    pub(super) layout: &'a Layout,
    pub(super) kinds: &'a [Kind],
    pub(super) stage: &'a Stage,
    pub(super) stops: Vec<Stop>,
    /// The flat buffer of the unit gathered last in a forward.
    pub(super) pending: Option<Who>,
    /// The unit whose gather was started ahead.
    pub(super) prefetched: Option<Who>,
    /// The unit whose reduction's input is still there.
    pub(super) reduced: Option<Who>,
    /// Whether the weights of the layers are whole.
    pub(super) layers_whole: bool,
    /// Whether the weights of the root, and of the head's unit, are whole.
    pub(super) root_whole: bool,
    pub(super) head_whole: bool,
    /// A pipeline's buffers: the output that is being sent, the gradient received last, the input's gradient being sent.
    pub(super) sent: f64,
    /// An interleaved stage's units are gathered, and not copied out yet.
    pub(super) gathered_ahead: bool,
    pub(super) received_gradient: f64,
    pub(super) sent_gradient: f64,
    /// What the tracker counts as activations at the end of the first forward, and after its loss.
    pub(super) saved: (f64, f64),
}

/// What becomes of gradients in a micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sync {
    pub(super) fate: GradientFate,
    pub(super) reduces: bool,
    pub(super) added: bool,
}

impl Layout {
    /// What becomes of gradients in a micro-batch.
    pub(super) fn sync(&self, micro_batch: u32) -> Sync {
        let last = micro_batch + 1 == self.micro_batches;
        if self.fsdp.always_whole {
            // Main gradients are always there and take every weight's.
            return Sync { fate: GradientFate::Added, reduces: false, added: false };
        }
        if !self.sync_last {
            return Sync { fate: GradientFate::Waits, reduces: true, added: micro_batch > 0 };
        }
        let fate = match micro_batch {
            0 if last => GradientFate::Waits,
            0 => GradientFate::Cast,
            _ => GradientFate::Added,
        };
        Sync { fate, reduces: last, added: false }
    }
}

impl Layout {
    /// What becomes of gradients in a micro-batch, with or without a pipeline.
    pub(super) fn sync_of(&self, micro_batch: u32) -> Sync {
        if self.pipeline && !self.fsdp.always_whole {
            return super::pipeline::sync(micro_batch);
        }
        self.sync(micro_batch)
    }
}

/// The first two and the last two layers of each run; those between repeat.
pub(super) fn stops(runs: &[Run]) -> Vec<Stop> {
    let mut stops = Vec::with_capacity(runs.len() * 5);
    for run in runs {
        let layer = |at: u32| Stop::Layer { kind: run.kind, number: run.first + at };
        if run.count <= 4 {
            stops.extend((0..run.count).map(layer));
        } else {
            stops.extend([layer(0), layer(1), Stop::Repeat(run.count - 4), layer(run.count - 2), layer(run.count - 1)]);
        }
    }
    stops
}

impl<'a> Walk<'a> {
    pub(super) fn new(layout: &'a Layout, kinds: &'a [Kind], stage: &'a Stage) -> Self {
        Self {
            book: Book::new(&stage.states),
            layout,
            kinds,
            stage,
            stops: stops(&stage.runs),
            pending: None,
            prefetched: None,
            reduced: None,
            layers_whole: false,
            root_whole: false,
            head_whole: false,
            sent: 0.0,
            gathered_ahead: false,
            received_gradient: 0.0,
            sent_gradient: 0.0,
            saved: (0.0, 0.0),
        }
    }

    /// The whole step.
    pub(super) fn step(&mut self) {
        let all = self.layout.micro_batches;
        for micro_batch in 0..all {
            // All between the second and the last are alike.
            if micro_batch > 2 && micro_batch + 2 < all {
                continue;
            }
            let sync = self.layout.sync_of(micro_batch);
            self.forward(micro_batch == 0);
            self.backward(sync);
        }
        self.optimizer();
    }

    pub(super) fn optimizer(&mut self) {
        self.book.during(Phase::Optimizer);
        self.book.outside_layers();
        let parameters = if self.layout.foreach { super::states::parameters(self.book.live()) } else { 0.0 };
        super::fsdp::Fsdp::step(&mut self.book, parameters);
    }

    pub(super) fn unit(&self, who: Who) -> &'a Unit {
        match who {
            Who::Root => &self.stage.ends.root,
            Who::Head => &self.stage.ends.head,
            Who::Layer(kind) => &self.kinds[kind].unit,
            Who::Inner(kind) => self.kinds[kind].inner.as_ref().expect("local experts are a unit"),
        }
    }

    /// A forward's gather: the flat buffer before dies when this one is copied out.
    pub(super) fn gather_forward(&mut self, who: Who) {
        let (fsdp, unit) = (self.layout.fsdp, self.unit(who));
        if self.prefetched == Some(who) {
            self.prefetched = None;
        } else {
            fsdp.gather(&mut self.book, unit);
        }
        self.pending_dies();
        fsdp.copy_out(&mut self.book, unit);
        self.pending = Some(who);
    }

    pub(super) fn pending_dies(&mut self) {
        if let Some(pending) = self.pending.take() {
            let unit = self.unit(pending);
            self.layout.fsdp.gathered_dies(&mut self.book, unit);
        }
    }

    /// A backward's gather, which was started ahead; then the next one is.
    pub(super) fn gather_backward(&mut self, who: Who, next: Option<Who>) {
        let (fsdp, unit) = (self.layout.fsdp, self.unit(who));
        if self.prefetched != Some(who) {
            fsdp.gather(&mut self.book, unit);
        }
        self.prefetched = None;
        fsdp.copy_out(&mut self.book, unit);
        fsdp.gathered_dies(&mut self.book, unit);
        if let Some(next) = next {
            self.prefetch(next);
        }
    }

    pub(super) fn prefetch(&mut self, next: Who) {
        let unit = self.unit(next);
        if unit.ranks > 1.0 && !self.layout.fsdp.always_whole {
            self.layout.fsdp.gather(&mut self.book, unit);
            self.prefetched = Some(next);
        }
    }

    pub(super) fn stream(&self) -> f64 {
        2.0 * self.layout.widths.hidden.value * self.layout.widths.shard.value
    }

    fn forward(&mut self, measured: bool) {
        self.book.during(Phase::Forward);
        self.book.outside_layers();
        self.book.at(Moment::FirstGather);
        self.root_forward();
        self.book.born(Slot::Embedding, self.layout.rotary);
        let beside = self.layers_forward(Slot::Embedding);
        self.head_gather();
        if beside {
            self.book.dies(Slot::Embedding, self.stream());
        }
        self.head_forward(measured);
    }

    /// The root's gather and the embedding.
    pub(super) fn root_forward(&mut self) {
        if !self.root_whole && self.stage.ends.root.padded > 0.0 {
            self.gather_forward(Who::Root);
            self.root_whole = true;
        }
        if self.stage.ends.embedding {
            self.embedding_forward();
            if self.layout.own_ends && self.layout.reshard {
                self.layout.fsdp.reshard(&mut self.book, &self.stage.ends.root);
                self.root_whole = false;
            }
        }
    }

    fn embedding_forward(&mut self) {
        let rules = self.layout.rules;
        let whole = 2.0 * self.layout.widths.hidden.value * self.layout.widths.tokens.value;
        if !rules.tensor_parallel {
            self.book.born(Slot::Embedding, whole);
            return;
        }
        self.book.born(Slot::Forward, whole);
        if rules.sequence_parallel {
            self.book.born(Slot::Forward, whole);
        }
        self.book.born(Slot::Embedding, self.stream());
        self.book.dies(Slot::Forward, if rules.sequence_parallel { 2.0 * whole } else { whole });
    }

    /// All layers; gives whether what went into the first is still alive beside what is kept. It is booked under `input`.
    pub(super) fn layers_forward(&mut self, input: Slot) -> bool {
        let stream = self.stream();
        if self.stops.is_empty() {
            // A stage without layers hands on a copy.
            self.book.born(Slot::Forward, stream);
            return true;
        }
        let mut beside = false;
        let mut before = *self.book.live();
        for at in 0..self.stops.len() {
            match self.stops[at] {
                Stop::Repeat(times) => self.book.repeat(&before, f64::from(times)),
                Stop::Layer { kind, number } => {
                    before = *self.book.live();
                    let first = at == 0;
                    if first {
                        self.book.rebook(input, Slot::Forward, stream);
                    }
                    self.layer_forward(kind, number, first);
                    let held = !self.layout.pipeline || input == Slot::PipelineParallel;
                    if first && held && !self.kinds[kind].profile(self.any_fate()).keeps_input {
                        self.book.was_there(input, stream);
                        beside = true;
                    }
                }
            }
        }
        self.layers_whole = !self.layout.reshard;
        beside
    }

    /// Forwards do not depend on what becomes of gradients.
    pub(super) fn any_fate(&self) -> GradientFate {
        self.layout.sync_of(0).fate
    }

    fn layer_forward(&mut self, kind: usize, number: u32, first: bool) {
        if !first {
            self.book.at_layer(Moment::ForwardLayer, number);
        }
        if !self.layers_whole {
            self.gather_forward(Who::Layer(kind));
        }
        self.book.at_layer(Moment::ForwardLayer, number);
        let profile = self.kinds[kind].profile(self.any_fate());
        for (at, piece) in profile.forward.iter().enumerate() {
            let inner = at == EXPERTS_FORWARD;
            if inner && !self.layers_whole {
                self.gather_forward(Who::Inner(kind));
            }
            self.book.play(piece);
            if inner {
                self.forward_done(Who::Inner(kind));
            }
        }
        self.forward_done(Who::Layer(kind));
    }

    /// A unit's forward is over: its weights are freed, unless they stay.
    fn forward_done(&mut self, who: Who) {
        if self.layout.reshard {
            let unit = self.unit(who);
            self.layout.fsdp.reshard(&mut self.book, unit);
        }
    }

    pub(super) fn tail(&self, fate: GradientFate) -> &'a Tail {
        let found = self.stage.tails.iter().find(|(of, _)| *of == fate);
        &found.expect("the head was walked for every fate").1
    }

    /// The gather of final norm and head, where they are a unit of their own.
    pub(super) fn head_gather(&mut self) {
        self.book.outside_layers();
        self.book.at(Moment::ForwardEnd);
        if self.layout.own_ends && self.stage.ends.output && !self.head_whole {
            self.gather_forward(Who::Head);
            self.head_whole = true;
        }
    }

    /// Final norm, head and loss.
    pub(super) fn head_forward(&mut self, measured: bool) {
        let tail = self.tail(self.any_fate());
        self.book.play(&tail.forward);
        self.pending_dies();
        let activations = |book: &Book| book.live().tracked(super::slots::Tracked::Activation);
        if measured {
            self.saved.0 = activations(&self.book);
        }
        self.book.during(Phase::Loss);
        self.book.at(Moment::Loss);
        self.book.play(&tail.loss);
        if measured {
            self.saved.1 = activations(&self.book);
        }
    }
}
