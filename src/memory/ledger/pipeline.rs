//! One stage of a 1F1B pipeline (ledger 5b): warm-up, pairs, cool-down, reduction.

use super::book::{Moment, Phase};
use super::layer::GradientFate;
use super::slots::{Slot, Tracked};
use super::step::{Stop, Sync, Walk, Who};

/// What becomes of gradients in a pipeline's micro-batch: never reduced before the end.
pub(super) const fn sync(micro_batch: u32) -> Sync {
    let fate = if micro_batch == 0 { GradientFate::Cast } else { GradientFate::Added };
    Sync { fate, reduces: false, added: false }
}

impl Walk<'_> {
    /// The step of a stage that starts `ahead` forwards before its first backward.
    pub(super) fn pipeline_step(&mut self, ahead: u32) {
        let all = self.layout.micro_batches;
        let ahead = ahead.min(all).max(1);
        self.folded(ahead, Self::warm_up);
        self.folded(all - ahead, |walk, at| walk.pair(at, false));
        self.folded(ahead, |walk, at| walk.pair(all - ahead + at, true));
        self.pipeline_end();
        self.optimizer();
    }

    /// Walks the first two and the last of so many alike; those between repeat the second.
    fn folded(&mut self, count: u32, walk: impl Fn(&mut Self, u32)) {
        for at in 0..count.min(2) {
            let before = *self.book.live();
            walk(self, at);
            if at == 1 && count > 3 {
                self.book.repeat(&before, f64::from(count - 3));
            }
        }
        if count > 2 {
            walk(self, count - 1);
        }
    }

    fn warm_up(&mut self, at: u32) {
        let sent = std::mem::replace(&mut self.sent, 0.0);
        self.stage_forward(at == 0);
        // The send before is waited for once this forward is over.
        self.book.dies(Slot::PipelineParallel, sent);
    }

    /// A backward, then the next forward, unless all of them are over.
    fn pair(&mut self, micro_batch: u32, cools: bool) {
        self.stage_backward(micro_batch, cools);
        if !cools {
            self.stage_forward(false);
        }
    }

    fn receives(&self) -> bool {
        !self.stage.ends.embedding
    }

    pub(super) fn stage_forward(&mut self, measured: bool) {
        self.book.outside_layers();
        self.book.during(Phase::Between);
        self.book.at(Moment::FirstGather);
        let stream = self.stream();
        if self.receives() {
            self.book.born(Slot::PipelineParallel, stream);
        }
        self.book.during(Phase::Forward);
        self.root_forward();
        self.book.born(Slot::Embedding, self.layout.rotary);
        let input = if self.receives() { Slot::PipelineParallel } else { Slot::Embedding };
        let beside = self.layers_forward(input);
        if beside && !self.receives() {
            self.book.dies(input, stream);
        }
        self.head_gather();
        if self.stage.ends.output {
            self.head_forward(measured);
        } else {
            self.output_sent(measured);
            self.sent = stream;
        }
    }

    /// The forward returns its output, which is sent.
    pub(super) fn output_sent(&mut self, measured: bool) {
        let stream = self.stream();
        self.pending_dies();
        self.book.rebook(Slot::Forward, Slot::PipelineParallel, stream);
        if measured {
            self.saved.0 = self.book.live().tracked(Tracked::Activation);
        }
    }

    pub(super) fn stage_backward(&mut self, micro_batch: u32, cools: bool) {
        let stream = self.stream();
        let sync = self.layout.sync_of(micro_batch);
        self.book.outside_layers();
        self.book.during(Phase::Between);
        self.book.at(Moment::BackwardStart);
        if self.stage.ends.output {
            self.head_backward(sync);
        } else {
            // In the cool-down the buffer before lives until this one comes.
            let before = std::mem::replace(&mut self.received_gradient, 0.0);
            self.book.dies(Slot::PipelineParallel, before);
            self.book.born(Slot::PipelineParallel, stream);
            let sent = std::mem::replace(&mut self.sent, 0.0);
            self.book.dies(Slot::PipelineParallel, sent);
            self.book.during(Phase::Backward);
            self.book.at(Moment::Head);
            if let Some(last) = self.before(self.stops.len()) {
                self.prefetch(last);
            }
            if self.stops.is_empty() {
                self.book.born(Slot::Backward, stream);
            }
        }
        self.layers_backward(sync);
        self.root_backward(sync);
        if self.stage.ends.output {
            let end = &self.tail(sync.fate).end;
            self.book.play(end);
        } else if cools {
            self.received_gradient = stream;
        } else {
            self.book.dies(Slot::PipelineParallel, stream);
        }
        if self.receives() {
            self.input_gradient_sent(micro_batch + 1 == self.layout.micro_batches);
        }
    }

    /// The gradient of the stage's input is sent; what was received is over, but for a loss whose graph is kept.
    fn input_gradient_sent(&mut self, last: bool) {
        let stream = self.stream();
        self.book.rebook(Slot::Backward, Slot::PipelineParallel, stream);
        let before = std::mem::replace(&mut self.sent_gradient, stream);
        self.book.dies(Slot::PipelineParallel, before);
        // The last one received, and those that a finished loss's graph keeps, live to the end of the step.
        self.received_input_over(self.stage.ends.output || last);
    }

    /// A received input's backward is over.
    pub(super) fn received_input_over(&mut self, stays: bool) {
        let stream = self.stream();
        let first = self.stops.iter().find_map(|stop| match stop {
            Stop::Layer { kind, .. } => Some(*kind),
            Stop::Repeat(_) => None,
        });
        // Where the first layer kept it, it died with that.
        let kept = first.is_some_and(|kind| self.kinds[kind].profile(self.any_fate()).keeps_input);
        match (kept, stays) {
            (true, true) => self.book.was_there(Slot::PipelineParallel, stream),
            (false, false) => self.book.dies(Slot::PipelineParallel, stream),
            (true, false) | (false, true) => {}
        }
    }

    /// Reductions in reverse module order.
    pub(super) fn pipeline_end(&mut self) {
        self.book.during(Phase::Reduction);
        self.reduce_stage();
        // All that the pipeline still holds goes with the step.
        let held = self.book.live()[Slot::PipelineParallel];
        self.book.dies(Slot::PipelineParallel, held);
        self.backward_end();
    }

    pub(super) fn reduce_stage(&mut self) {
        if self.layout.fsdp.always_whole {
            return;
        }
        let sync = Sync { fate: GradientFate::Added, reduces: true, added: false };
        self.book.outside_layers();
        if self.layout.own_ends && self.stage.ends.output {
            self.book.at(Moment::RootReduction);
            self.head_whole = self.unit_done(Who::Head, sync);
        }
        let mut before = *self.book.live();
        for at in (0..self.stops.len()).rev() {
            match self.stops[at] {
                Stop::Repeat(times) => self.book.repeat(&before, f64::from(times)),
                Stop::Layer { kind, number } => {
                    before = *self.book.live();
                    self.book.at_layer(Moment::LayerReduction, number);
                    if self.kinds[kind].inner.is_some() {
                        self.unit_done(Who::Inner(kind), sync);
                    }
                    self.unit_done(Who::Layer(kind), sync);
                }
            }
        }
        self.layers_whole = false;
        self.book.outside_layers();
        self.book.at(Moment::RootReduction);
        if self.stage.ends.root.padded > 0.0 {
            self.root_whole = self.unit_done(Who::Root, sync);
        }
    }
}
