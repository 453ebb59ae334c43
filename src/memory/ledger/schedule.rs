//! The actions of a rank of an interleaved 1F1B pipeline, as torch orders them (ledger 5b; asks TC18).

/// What a rank does with one of its stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// All units of the stage are gathered.
    Unshard,
    /// All are freed.
    Reshard,
    /// A forward.
    Forward,
    /// A backward.
    Backward,
    /// The buffer of a forward's input is there.
    ReceiveForward,
    /// The buffer of a backward's gradient is there.
    ReceiveBackward,
    /// Gradients are reduced.
    Reduce,
}

/// One action: what, with which of the rank's stages (by place on the rank), for which micro-batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Action {
    /// What is done.
    pub kind: Kind,
    /// Which of the rank's stages, from 0.
    pub chunk: usize,
    /// Which micro-batch; 0 where none is meant.
    pub micro_batch: u32,
}

/// How many stages stay gathered.
const ACTIVE: usize = 3;

/// Ranks, stages a rank, micro-batches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interleaved {
    /// Ranks of the pipeline.
    pub ranks: usize,
    /// Stages a rank.
    pub chunks: usize,
    /// Micro-batches of a step.
    pub micro_batches: usize,
}

impl Interleaved {
    /// Micro-batches that a stage runs before the rank turns to the next: as many as ranks, where that divides.
    fn round(self) -> usize {
        let most = (self.micro_batches / self.ranks).max(1);
        let rounds = (1..=most).rev().find(|rounds| self.micro_batches.is_multiple_of(*rounds)).unwrap_or(1);
        self.micro_batches / rounds
    }

    /// Forwards before the first backward.
    fn warm_up(self, rank: usize) -> usize {
        let warm = (self.chunks - 1) * self.round() + 2 * (self.ranks - 1 - rank);
        warm.min(self.chunks * self.micro_batches)
    }

    /// Forwards and backwards in their order.
    fn computes(self, rank: usize) -> Vec<Action> {
        let (warm, all, round) = (self.warm_up(rank), self.chunks * self.micro_batches, self.round());
        let mut next = vec![[0_u32; 2]; self.chunks];
        let mut actions = Vec::with_capacity(2 * all);
        let mut act = |kind: Kind, step: usize| {
            let place = (step / round) % self.chunks;
            let (chunk, way) = if kind == Kind::Forward { (place, 0) } else { (self.chunks - 1 - place, 1) };
            let micro_batch = next[chunk][way];
            next[chunk][way] += 1;
            actions.push(Action { kind, chunk, micro_batch });
        };
        for step in 0..all + warm {
            if step < all {
                act(Kind::Forward, step);
            }
            if step >= warm {
                act(Kind::Backward, step - warm);
            }
        }
        actions
    }

    /// The same with gathers, reductions and what frees them.
    fn sharded(self, rank: usize) -> Vec<Action> {
        let computes = self.computes(rank);
        let mut active: Vec<usize> = Vec::with_capacity(ACTIVE + 1);
        let mut actions = Vec::with_capacity(computes.len() * 2);
        let of = |kind, chunk| Action { kind, chunk, micro_batch: 0 };
        for (at, compute) in computes.iter().enumerate() {
            let wanted = next_chunks(&computes[at..], self.chunks);
            active.retain(|chunk| {
                let stays = wanted.contains(chunk);
                if !stays {
                    actions.push(of(Kind::Reshard, *chunk));
                }
                stays
            });
            for chunk in wanted {
                if !active.contains(&chunk) {
                    active.push(chunk);
                    actions.push(of(Kind::Unshard, chunk));
                }
            }
            actions.push(*compute);
            let last = usize::try_from(compute.micro_batch).is_ok_and(|at| at + 1 == self.micro_batches);
            if compute.kind == Kind::Backward && last {
                actions.push(of(Kind::Reduce, compute.chunk));
            }
        }
        actions.extend(active.into_iter().map(|chunk| of(Kind::Reshard, chunk)));
        actions
    }

    /// All that a rank does. Receives are posted when the sender computes, all ranks taking turns.
    pub(super) fn actions(self, rank: usize) -> Vec<Action> {
        let todo: Vec<Vec<Action>> = (0..self.ranks).map(|rank| self.sharded(rank)).collect();
        let mut done: Vec<Vec<Action>> = todo.iter().map(|actions| Vec::with_capacity(actions.len() * 2)).collect();
        let mut at = vec![0_usize; self.ranks];
        let slots = self.chunks * self.micro_batches;
        // Whether a forward's input, or a backward's gradient, has come.
        let mut come = vec![[false; 2]; self.ranks * slots];
        loop {
            let mut progress = false;
            for rank in 0..self.ranks {
                let Some(action) = todo[rank].get(at[rank]).copied() else { continue };
                let micro_batch = action.micro_batch as usize;
                let slot = |rank: usize, chunk: usize| rank * slots + chunk * self.micro_batches + micro_batch;
                let first = rank == 0 && action.chunk == 0;
                let last = rank + 1 == self.ranks && action.chunk + 1 == self.chunks;
                let ready = match action.kind {
                    Kind::Forward => first || come[slot(rank, action.chunk)][0],
                    Kind::Backward => last || come[slot(rank, action.chunk)][1],
                    _ => true,
                };
                if !ready {
                    continue;
                }
                progress = true;
                at[rank] += 1;
                done[rank].push(action);
                let (to, kind, way) = match action.kind {
                    Kind::Forward if !last => (self.after(rank, action.chunk), Kind::ReceiveForward, 0),
                    Kind::Backward if !first => (self.before(rank, action.chunk), Kind::ReceiveBackward, 1),
                    _ => continue,
                };
                come[slot(to.0, to.1)][way] = true;
                done[to.0].push(Action { kind, chunk: to.1, micro_batch: action.micro_batch });
            }
            if !progress {
                break;
            }
        }
        done.swap_remove(rank)
    }

    const fn after(self, rank: usize, chunk: usize) -> (usize, usize) {
        if rank + 1 == self.ranks { (0, chunk + 1) } else { (rank + 1, chunk) }
    }

    const fn before(self, rank: usize, chunk: usize) -> (usize, usize) {
        if rank == 0 { (self.ranks - 1, chunk - 1) } else { (rank - 1, chunk) }
    }
}

/// The next stages that compute, each once.
fn next_chunks(actions: &[Action], chunks: usize) -> Vec<usize> {
    let most = ACTIVE.min(chunks);
    let mut next = Vec::with_capacity(most);
    for action in actions {
        if !next.contains(&action.chunk) {
            next.push(action.chunk);
            if next.len() == most {
                break;
            }
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chunks that a rank holds at most, from its order (asks TC18).
    fn most_held(ranks: usize, chunks: usize, micro_batches: usize) -> Vec<i32> {
        let schedule = Interleaved { ranks, chunks, micro_batches };
        let held = |rank| {
            let steps =
                schedule.computes(rank).into_iter().map(|action| if action.kind == Kind::Forward { 1 } else { -1 });
            let mut held = 0;
            steps
                .map(|step| {
                    held += step;
                    held
                })
                .max()
        };
        (0..ranks).filter_map(held).collect()
    }

    #[test]
    fn chunks_held_follow_the_closed_form() {
        assert_eq!(most_held(4, 2, 8), [11, 9, 7, 5]);
        assert_eq!(most_held(4, 2, 4), [8, 8, 7, 5]);
        assert_eq!(most_held(8, 4, 32), [39, 37, 35, 33, 31, 29, 27, 25]);
    }

    #[test]
    fn every_micro_batch_runs_once_each_way_and_what_comes_is_received_before() {
        for (ranks, chunks, micro_batches) in [(2, 2, 4), (4, 2, 8), (2, 4, 4), (3, 2, 7)] {
            let schedule = Interleaved { ranks, chunks, micro_batches };
            for rank in 0..ranks {
                let actions = schedule.actions(rank);
                let count = |kind| actions.iter().filter(|action| action.kind == kind).count();
                assert_eq!(count(Kind::Forward), chunks * micro_batches);
                assert_eq!(count(Kind::Backward), chunks * micro_batches);
                assert_eq!(count(Kind::Reduce), chunks);
                assert_eq!(count(Kind::Unshard), count(Kind::Reshard));
            }
        }
    }
}
