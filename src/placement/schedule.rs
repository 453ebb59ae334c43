//! Pipeline schedules, and how many micro-batches a chunk holds at once (memory-core 9).

use crate::diagnostics::Help;
use crate::explain::{Quantity, fields, formulas};

fields! {
    /// The numbers that the in-flight factor of a chunk follows from.
    Warmup;
    /// Pipeline stages.
    stages "p";
    /// Micro-batches a step.
    micro_batches "m";
    /// Parts that a sequence is split into.
    parts "n_s_split";
    /// The stage, from 0.
    stage "i";
}

formulas! {
    /// Micro-batches that a chunk holds when warm-up ends, as the schedule gives them; may be 0 or negative.
    IN_FLIGHT "g" "memory-core 9";
    /// The most micro-batches that a stage could hold.
    BOUND "most-in-flight" "memory-core 9";
}

/// A schedule that the reference prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// One forward, one backward; interleaved where stages hold several chunks.
    OneForwardOneBackward,
    /// 1F1B over parts of a sequence.
    SequencePipe,
    /// As `seqpipe`, under its other name.
    SequenceSmartChunks,
    /// Two chunks a stage, laid out as a V, without bubbles.
    ZeroBubbleV,
    /// All forwards, then all backwards.
    Gpipe,
}

impl Schedule {
    /// Every schedule.
    pub const ALL: [Self; 5] =
        [Self::OneForwardOneBackward, Self::SequencePipe, Self::SequenceSmartChunks, Self::ZeroBubbleV, Self::Gpipe];

    /// The name that a run states.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneForwardOneBackward => "1f1b",
            Self::SequencePipe => "seqpipe",
            Self::SequenceSmartChunks => "seqsmartvpp",
            Self::ZeroBubbleV => "zero_bubble_v",
            Self::Gpipe => "gpipe",
        }
    }

    /// The schedule of a stated name; exactly as written.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|schedule| schedule.name() == name)
    }

    /// Whether a micro-batch runs as parts of its sequence.
    pub const fn splits_sequence(self) -> bool {
        match self {
            Self::SequencePipe | Self::SequenceSmartChunks => true,
            Self::OneForwardOneBackward | Self::ZeroBubbleV | Self::Gpipe => false,
        }
    }

    /// The way on from a name that is none: the schedule it resembles most.
    pub(super) fn nearest(name: &str) -> Help {
        let name = name.to_ascii_lowercase();
        // DualPipe's V-shaped form is what the reference calls zero_bubble_v.
        let alias = if name.contains("dualpipe") { "zero_bubble_v" } else { &name };
        let resembling = Self::ALL.into_iter().min_by_key(|schedule| distance(alias, schedule.name()));
        Help::Nearest(resembling.unwrap_or(Self::OneForwardOneBackward).name().to_owned())
    }
}

/// How many letters must change; a name that holds the other counts as one away.
fn distance(a: &str, b: &str) -> usize {
    if a.contains(b) {
        return usize::from(a != b);
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (column, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

/// What the in-flight factor of a chunk depends on, but for its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) schedule: Schedule,
    pub(super) stages: i64,
    pub(super) chunks: i64,
    pub(super) micro_batches: i64,
    pub(super) sequence_parts: i64,
}

impl Pipeline {
    /// The raw factor g of a stage's chunk. With fewer micro-batches than stages it falls to zero and below.
    pub(super) fn in_flight<V: Quantity>(self, stage: i64, chunk: i64, context: V::Context) -> V {
        let numbers = Warmup {
            stages: self.stages as f64,
            micro_batches: self.micro_batches as f64,
            parts: self.sequence_parts as f64,
            stage: stage as f64,
        };
        let n = numbers.lift::<V>(context);
        let bound = n.stages.smaller(n.micro_batches).named(&BOUND);
        let factor = match self.schedule {
            Schedule::OneForwardOneBackward if self.chunks == 1 => (bound - n.stage).because("1F1B, one chunk a stage"),
            Schedule::OneForwardOneBackward => self.interleaved(bound, n.stage, chunk, context),
            Schedule::SequencePipe | Schedule::SequenceSmartChunks => self.sequence_pipe(bound, n, chunk, context),
            Schedule::ZeroBubbleV if self.chunks > 2 => {
                V::literal(context, 0.0).because("a V of more than two chunks a stage: the reference counts none")
            }
            Schedule::ZeroBubbleV if chunk == 0 => (bound * 2.0 - 1.0 - n.stage).because("the way down of a V"),
            Schedule::ZeroBubbleV => n.stage.because("the way up of a V"),
            Schedule::Gpipe => n.stages.because("all forwards run before the first backward"),
        };
        factor.named(&IN_FLIGHT)
    }

    fn interleaved<V: Quantity>(self, bound: V, stage: V, chunk: i64, context: V::Context) -> V {
        let (first, last) = shift_up(bound, bound - stage, bound - stage - 1.0, context);
        if self.is_middle(chunk) {
            bound.because("1F1B, a middle chunk")
        } else if chunk > 0 {
            last.because("1F1B, the last chunk")
        } else if stage.number() == 0.0 {
            (bound + first - 1.0).because("1F1B, the first chunk of the first stage")
        } else {
            (bound + first).because("1F1B, the first chunk")
        }
    }

    fn sequence_pipe<V: Quantity>(self, bound: V, n: Warmup<V>, chunk: i64, context: V::Context) -> V {
        let warm = bound - n.stage + (n.parts - 1.0);
        if self.chunks == 1 {
            return warm.because("parts of sequences, one chunk a stage");
        }
        let waiting = bound - n.stage - 1.0;
        let (first, last) = if warm.number() > bound.number() {
            (waiting + 1.0, warm - 1.0)
        } else {
            shift_up(bound, warm, waiting, context)
        };
        if self.is_middle(chunk) {
            bound.because("parts of sequences, a middle chunk")
        } else if chunk == 0 {
            (bound + first).because("parts of sequences, the first chunk")
        } else {
            last.because("parts of sequences, the last chunk")
        }
    }

    const fn is_middle(self, chunk: i64) -> bool {
        0 < chunk && chunk < self.chunks - 1
    }
}

/// One micro-batch moves from the first chunk's share to the last chunk's while that one is not full.
fn shift_up<V: Quantity>(bound: V, last: V, waiting: V, context: V::Context) -> (V, V) {
    if last.number() < bound.number() {
        let (none, one) = (V::literal(context, 0.0), V::literal(context, 1.0));
        ((waiting - 1.0).larger(none), last + waiting.smaller(one))
    } else {
        (waiting, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(schedule: Schedule, stages: i64, chunks: i64, micro_batches: i64, sequence_parts: i64) -> Pipeline {
        Pipeline { schedule, stages, chunks, micro_batches, sequence_parts }
    }

    fn factor(pipeline: Pipeline, stage: i64, chunk: i64) -> f64 {
        pipeline.in_flight(stage, chunk, ())
    }

    /// The reference's own expectations (`test_memory_estimation`).
    #[test]
    fn factors_are_the_references() {
        use Schedule::{Gpipe, OneForwardOneBackward as Plain, SequencePipe as Parts, ZeroBubbleV as V};
        assert_eq!(factor(pipeline(Plain, 4, 1, 3, 1), 1, 0), 2.0);
        assert_eq!(factor(pipeline(Parts, 4, 1, 3, 2), 1, 0), 3.0);
        assert_eq!(factor(pipeline(Plain, 4, 2, 3, 1), 1, 0), 3.0);
        assert_eq!(factor(pipeline(Parts, 4, 2, 3, 2), 1, 0), 4.0);
        assert_eq!(factor(pipeline(V, 4, 2, 3, 1), 1, 1), 1.0);
        assert_eq!(factor(pipeline(Gpipe, 4, 1, 3, 1), 2, 0), 4.0);
    }

    #[test]
    fn fewer_micro_batches_than_stages_leave_the_last_stages_below_one() {
        assert_eq!(factor(pipeline(Schedule::OneForwardOneBackward, 4, 1, 1, 1), 3, 0), -2.0);
    }

    #[test]
    fn a_wrong_name_points_at_what_it_resembles() {
        let nearest = |name: &str| match Schedule::nearest(name) {
            Help::Nearest(found) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("interleaved_1f1b"), "1f1b");
        assert_eq!(nearest("1F1B"), "1f1b");
        assert_eq!(nearest("DualPipeV"), "zero_bubble_v");
        assert_eq!(nearest("gpip"), "gpipe");
    }
}
