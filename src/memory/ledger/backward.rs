//! The backward of a step: the loss's, the head's, layer by layer, the embedding's, and reductions between (ledger 5).

use super::book::{Moment, Phase};
use super::fsdp::Reducing;
use super::layer::GradientFate;
use super::slots::Slot;
use super::step::{EXPERTS_FORWARD, Stop, Sync, Walk, Who};

impl Walk<'_> {
    pub(super) fn backward(&mut self, sync: Sync) {
        self.head_backward(sync);
        self.layers_backward(sync);
        self.root_backward(sync);
        self.backward_end();
        let end = &self.tail(sync.fate).end;
        self.book.play(end);
    }

    /// The unit used just before a layer in the forward, where it has to be gathered again.
    pub(super) fn before(&self, at: usize) -> Option<Who> {
        let earlier = self.stops[..at].iter().rev().find_map(|stop| match stop {
            Stop::Layer { kind, .. } => Some(Who::Layer(*kind)),
            Stop::Repeat(_) => None,
        });
        match earlier {
            Some(layer) => (!self.layers_whole).then_some(layer),
            None => (self.layout.own_ends && self.stage.ends.embedding && !self.root_whole).then_some(Who::Root),
        }
    }

    pub(super) fn head_backward(&mut self, sync: Sync) {
        let tail = self.tail(sync.fate);
        self.book.outside_layers();
        self.book.during(Phase::Backward);
        self.book.at(Moment::BackwardStart);
        self.book.play(&tail.start);
        self.book.at(Moment::Head);
        if let Some(last) = self.before(self.stops.len()) {
            self.prefetch(last);
        }
        self.book.play(&tail.backward);
        if self.layout.own_ends {
            self.book.at(Moment::RootReduction);
            self.head_whole = self.unit_done(Who::Head, sync);
        }
    }

    pub(super) fn layers_backward(&mut self, sync: Sync) {
        let mut before = *self.book.live();
        for at in (0..self.stops.len()).rev() {
            match self.stops[at] {
                Stop::Repeat(times) => self.book.repeat(&before, f64::from(times)),
                Stop::Layer { kind, number } => {
                    before = *self.book.live();
                    self.layer_backward(at, kind, number, sync);
                }
            }
        }
        self.layers_whole = self.layers_whole_after(sync);
    }

    /// Whether the layers' weights are whole after a backward.
    fn layers_whole_after(&self, sync: Sync) -> bool {
        !sync.reduces && !self.layout.reshard_backward
    }

    fn layer_backward(&mut self, at: usize, kind: usize, number: u32, sync: Sync) {
        self.book.at_layer(Moment::LayerGather, number);
        let has_inner = self.kinds[kind].inner.is_some();
        let next = self.before(at);
        if !self.layers_whole {
            let ahead = if has_inner { Some(Who::Inner(kind)) } else { next };
            self.gather_backward(Who::Layer(kind), ahead);
        }
        self.book.at_layer(Moment::LayerBackward, number);
        let profile = self.kinds[kind].profile(sync.fate);
        let outside = at + 1 == self.stops.len() && self.layout.pipeline && !self.stage.ends.output;
        let pieces = if outside { &profile.outside } else { &profile.backward };
        // Where the forward runs again, so does that of the experts.
        let again = has_inner && pieces.len() > EXPERTS_FORWARD + 2;
        let experts = if again { EXPERTS_FORWARD + 2 } else { EXPERTS_FORWARD };
        for (at, piece) in pieces.iter().enumerate() {
            let runs_again = again && at == EXPERTS_FORWARD;
            if runs_again && !self.layers_whole {
                self.inner_again(kind);
            }
            if has_inner && at == experts && !self.layers_whole {
                self.inner_backward(kind, again, next);
            }
            self.book.play(piece);
            if runs_again {
                self.pending_dies();
            }
            if has_inner && at == experts {
                self.unit_done(Who::Inner(kind), sync);
            }
        }
        self.book.at_layer(Moment::LayerReduction, number);
        self.unit_done(Who::Layer(kind), sync);
    }

    /// The experts' forward runs again: their flat buffer, gathered ahead, lives until it returns.
    fn inner_again(&mut self, kind: usize) {
        let (fsdp, who) = (self.layout.fsdp, Who::Inner(kind));
        let unit = self.unit(who);
        if self.prefetched != Some(who) {
            fsdp.gather(&mut self.book, unit);
        }
        self.prefetched = None;
        fsdp.copy_out(&mut self.book, unit);
        self.pending = Some(who);
    }

    /// The experts' backward begins.
    fn inner_backward(&mut self, kind: usize, whole: bool, next: Option<Who>) {
        if !whole {
            return self.gather_backward(Who::Inner(kind), next);
        }
        if let Some(next) = next {
            self.prefetch(next);
        }
    }

    /// A unit's backward is over: it is reduced, or only freed. Gives whether its weights stay whole.
    pub(super) fn unit_done(&mut self, who: Who, sync: Sync) -> bool {
        let (fsdp, unit) = (self.layout.fsdp, self.unit(who));
        if !sync.reduces {
            if self.layout.reshard_backward {
                fsdp.reshard(&mut self.book, unit);
            }
            return !self.layout.reshard_backward;
        }
        self.book.look();
        fsdp.sum_replicated(&mut self.book, unit);
        if who == Who::Root {
            self.cut_embedding(sync);
        }
        fsdp.reshard(&mut self.book, unit);
        if let Some(before) = self.reduced.take() {
            let input = self.unit(before);
            fsdp.input_dies(&mut self.book, input);
        }
        let whole = self.layout.sync_last && sync.fate == GradientFate::Added;
        let tables = matches!(who, Who::Root | Who::Head);
        fsdp.reduce(&mut self.book, unit, Reducing { whole, added: sync.added, tables });
        self.reduced = Some(who);
        false
    }

    /// R2: an embedding gradient of full height becomes the rank's rows.
    fn cut_embedding(&mut self, sync: Sync) {
        let tables = &self.layout.tables;
        if !self.layout.rules.tensor_parallel || !self.stage.ends.embedding {
            return;
        }
        self.book.at(Moment::EmbeddingCut);
        let whole = self.layout.sync_last && sync.fate == GradientFate::Added;
        let (slot, bytes) =
            if whole { (Slot::WholeGradients, self.layout.fsdp.reduce) } else { (Slot::TableGradients, 2.0) };
        self.book.born(slot, bytes * self.stage.ends.embedding_rows);
        self.book.dies(slot, bytes * tables.embedding.value);
        self.book.at(Moment::RootReduction);
    }

    pub(super) fn root_backward(&mut self, sync: Sync) {
        self.book.outside_layers();
        if self.stage.ends.embedding {
            self.book.at(Moment::Embedding);
            if self.layout.own_ends && !self.root_whole {
                self.gather_backward(Who::Root, None);
            }
            let found = self.stage.embeddings.iter().find(|(of, _)| *of == sync.fate);
            self.book.play(&found.expect("the embedding was walked for every fate").1);
        }
        self.book.dies(Slot::Embedding, self.layout.rotary);
        if self.stage.ends.tied {
            self.tables_are_summed(sync.fate);
        }
        self.book.at(Moment::RootReduction);
        if self.stage.ends.root.padded > 0.0 {
            self.root_whole = self.unit_done(Who::Root, sync);
        }
    }

    /// The head's gradient waited for the embedding's: both are there, and become one.
    fn tables_are_summed(&mut self, fate: GradientFate) {
        let table = self.layout.tables.head.value;
        match fate {
            GradientFate::Waits => self.book.dies(Slot::TableGradients, 2.0 * table),
            GradientFate::Cast => self.book.dies(Slot::WholeGradients, self.layout.fsdp.reduce * table),
            GradientFate::Added => {}
        }
    }

    /// What reductions held to the end of a backward dies.
    pub(super) fn backward_end(&mut self) {
        if let Some(before) = self.reduced.take() {
            let input = self.unit(before);
            self.layout.fsdp.input_dies(&mut self.book, input);
        }
        let held = self.book.live()[Slot::ReduceOutput];
        self.book.dies(Slot::ReduceOutput, held);
    }
}
