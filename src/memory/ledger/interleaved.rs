//! A rank of an interleaved pipeline: several stages, each a sharded root of its own (ledger 5b).

use super::book::{Book, Moment, Phase};
use super::schedule::{Action, Interleaved, Kind};
use super::slots::{Amounts, Slot};
use super::stage::{Kind as LayerKind, Layout, Stage};
use super::step::{Stop, Walk, Who};

/// Micro-batches beyond so many rounds repeat what a round in the middle does.
const ROUNDS: usize = 4;

/// Walks all stages of a rank, with so many micro-batches left out in the middle; gives the live set of the whole step, and what is kept after the first loss.
pub(super) fn walk(
    layout: &Layout,
    kinds: &[LayerKind],
    stages: &[Stage],
    schedule: Interleaved,
    rank: usize,
    left_out: f64,
) -> (Book, (f64, f64)) {
    let mut states = Amounts::ZERO;
    for stage in stages {
        states += &stage.states;
    }
    states[Slot::Inputs] = stages[0].states[Slot::Inputs];
    let mut book = Book::new(&states);
    let mut walks: Vec<Walk<'_>> = stages.iter().map(|stage| Walk::new(layout, kinds, stage)).collect();
    let actions = schedule.actions(rank);
    let middle = actions.len() / 2;
    for (at, action) in actions.into_iter().enumerate() {
        if at == middle {
            book.was_there(Slot::PipelineParallel, left_out * waiting(&walks));
        }
        let walk = &mut walks[action.chunk];
        std::mem::swap(&mut walk.book, &mut book);
        walk.act(action);
        std::mem::swap(&mut walk.book, &mut book);
    }
    let walk = &mut walks[0];
    std::mem::swap(&mut walk.book, &mut book);
    let held = walk.book.live()[Slot::PipelineParallel];
    walk.book.dies(Slot::PipelineParallel, held);
    walk.optimizer();
    std::mem::swap(&mut walk.book, &mut book);
    let saved = (walks[0].saved.0, walks.last().map_or(0.0, |walk| walk.saved.1));
    (book, saved)
}

/// What a micro-batch leaves behind to the end of the step: sent gradients of inputs, and the input that a finished loss
/// keeps (ledger 5b).
fn waiting(walks: &[Walk<'_>]) -> f64 {
    let received = walks.iter().filter(|walk| !walk.stage.ends.embedding);
    received.map(|walk| walk.stream() * if walk.stage.ends.output { 2.0 } else { 1.0 }).sum()
}

/// As many micro-batches as are walked: whole rounds at the beginning and the end, those between left out.
pub(super) fn walked(schedule: Interleaved) -> Interleaved {
    let most = ROUNDS * schedule.ranks;
    if schedule.micro_batches <= most + schedule.ranks || !schedule.micro_batches.is_multiple_of(schedule.ranks) {
        return schedule;
    }
    Interleaved { micro_batches: most, ..schedule }
}

impl Walk<'_> {
    fn act(&mut self, action: Action) {
        let stream = self.stream();
        self.book.outside_layers();
        match action.kind {
            Kind::Unshard => self.unshard(),
            Kind::Reshard => self.reshard_all(),
            Kind::Forward => {
                self.copy_out_all();
                self.interleaved_forward(action.micro_batch == 0);
            }
            Kind::Backward => {
                self.copy_out_all();
                self.interleaved_backward(action.micro_batch);
            }
            Kind::ReceiveForward | Kind::ReceiveBackward => {
                self.book.during(Phase::Between);
                self.book.at(Moment::FirstGather);
                self.book.born(Slot::PipelineParallel, stream);
            }
            Kind::Reduce => {
                self.book.during(Phase::Between);
                self.reduce_stage();
                self.backward_end();
            }
        }
    }

    /// The stage's units, in module order.
    fn units(&self) -> Vec<(Who, f64)> {
        let mut units = vec![(Who::Root, 1.0)];
        for at in 0..self.stops.len() {
            match self.stops[at] {
                Stop::Layer { kind, .. } => {
                    units.push((Who::Layer(kind), 1.0));
                    if self.kinds[kind].inner.is_some() {
                        units.push((Who::Inner(kind), 1.0));
                    }
                }
                Stop::Repeat(times) => {
                    if let Some(Stop::Layer { kind, .. }) = at.checked_sub(1).map(|before| self.stops[before]) {
                        units.push((Who::Layer(kind), f64::from(times)));
                        if self.kinds[kind].inner.is_some() {
                            units.push((Who::Inner(kind), f64::from(times)));
                        }
                    }
                }
            }
        }
        if self.layout.own_ends && self.stage.ends.output {
            units.push((Who::Head, 1.0));
        }
        units
    }

    fn is_whole(&self, who: Who) -> bool {
        match who {
            Who::Root => self.root_whole,
            Who::Head => self.head_whole,
            Who::Layer(_) | Who::Inner(_) => self.layers_whole,
        }
    }

    fn unshard(&mut self) {
        self.book.during(Phase::Between);
        self.book.at(Moment::FirstGather);
        for (who, times) in self.units() {
            if !self.is_whole(who) {
                let before = *self.book.live();
                let unit = self.unit(who);
                self.layout.fsdp.gather(&mut self.book, unit);
                self.book.repeat(&before, times - 1.0);
            }
        }
        self.book.look();
        self.gathered_ahead = true;
    }

    /// When the stage first computes, everything that was gathered is copied out.
    fn copy_out_all(&mut self) {
        if !std::mem::take(&mut self.gathered_ahead) {
            return;
        }
        self.book.during(Phase::Between);
        self.book.at(Moment::FirstGather);
        for (who, times) in self.units() {
            if !self.is_whole(who) {
                let before = *self.book.live();
                let (fsdp, unit) = (self.layout.fsdp, self.unit(who));
                fsdp.copy_out(&mut self.book, unit);
                fsdp.gathered_dies(&mut self.book, unit);
                self.book.repeat(&before, times - 1.0);
            }
        }
        (self.root_whole, self.head_whole, self.layers_whole) = (true, true, true);
    }

    fn reshard_all(&mut self) {
        for (who, times) in self.units() {
            if self.is_whole(who) {
                let before = *self.book.live();
                let unit = self.unit(who);
                self.layout.fsdp.reshard(&mut self.book, unit);
                self.book.repeat(&before, times - 1.0);
            }
        }
        (self.root_whole, self.head_whole, self.layers_whole) = (false, false, false);
    }

    fn interleaved_forward(&mut self, measured: bool) {
        self.book.during(Phase::Forward);
        self.book.at(Moment::FirstGather);
        self.root_forward();
        self.book.born(Slot::Embedding, self.layout.rotary);
        let received = !self.stage.ends.embedding;
        let beside = self.layers_forward(if received { Slot::PipelineParallel } else { Slot::Embedding });
        if beside && !received {
            let stream = self.stream();
            self.book.dies(Slot::Embedding, stream);
        }
        self.head_gather();
        if self.stage.ends.output {
            self.head_forward(measured);
        } else {
            // Sent: it lives until the backward of the same micro-batch is over.
            self.output_sent(measured);
        }
    }

    fn interleaved_backward(&mut self, micro_batch: u32) {
        let stream = self.stream();
        let sync = self.layout.sync_of(micro_batch);
        if self.stage.ends.output {
            self.head_backward(sync);
        } else {
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
        } else {
            // The received gradient, and the output that was sent.
            self.book.dies(Slot::PipelineParallel, 2.0 * stream);
        }
        if !self.stage.ends.embedding {
            self.book.rebook(Slot::Backward, Slot::PipelineParallel, stream);
            self.received_input_over(self.stage.ends.output);
        }
    }
}
