//! Pipeline schedules, and how many micro-batches a chunk holds at once (memory-core 9).

use crate::diagnostics::Help;

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
    pub(super) fn in_flight(self, stage: i64, chunk: i64) -> i64 {
        let bound = self.stages.min(self.micro_batches);
        match self.schedule {
            Schedule::OneForwardOneBackward if self.chunks == 1 => bound.saturating_sub(stage),
            Schedule::OneForwardOneBackward => self.interleaved(bound, stage, chunk),
            Schedule::SequencePipe | Schedule::SequenceSmartChunks => self.sequence_pipe(bound, stage, chunk),
            Schedule::ZeroBubbleV if self.chunks > 2 => 0,
            Schedule::ZeroBubbleV if chunk == 0 => bound.saturating_mul(2).saturating_sub(1 + stage),
            Schedule::ZeroBubbleV => stage,
            Schedule::Gpipe => self.stages,
        }
    }

    fn interleaved(self, bound: i64, stage: i64, chunk: i64) -> i64 {
        let (first, last) = shift_up(bound, bound - stage, bound - stage - 1);
        if self.is_middle(chunk) {
            bound
        } else if chunk == 0 {
            bound + first - i64::from(stage == 0)
        } else {
            last
        }
    }

    fn sequence_pipe(self, bound: i64, stage: i64, chunk: i64) -> i64 {
        let warm = (bound - stage).saturating_add(self.sequence_parts - 1);
        if self.chunks == 1 {
            return warm;
        }
        let waiting = bound - stage - 1;
        let (first, last) = if warm > bound { (waiting + 1, warm - 1) } else { shift_up(bound, warm, waiting) };
        if self.is_middle(chunk) {
            bound
        } else if chunk == 0 {
            bound + first
        } else {
            last
        }
    }

    const fn is_middle(self, chunk: i64) -> bool {
        0 < chunk && chunk < self.chunks - 1
    }
}

/// One micro-batch moves from the first chunk's share to the last chunk's while that one is not full.
fn shift_up(bound: i64, last: i64, waiting: i64) -> (i64, i64) {
    if last < bound { ((waiting - 1).max(0), last + waiting.min(1)) } else { (waiting, last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(schedule: Schedule, stages: i64, chunks: i64, micro_batches: i64, sequence_parts: i64) -> Pipeline {
        Pipeline { schedule, stages, chunks, micro_batches, sequence_parts }
    }

    /// The reference's own expectations (`test_memory_estimation`).
    #[test]
    fn factors_are_the_references() {
        use Schedule::{Gpipe, OneForwardOneBackward as Plain, SequencePipe as Parts, ZeroBubbleV as V};
        assert_eq!(pipeline(Plain, 4, 1, 3, 1).in_flight(1, 0), 2);
        assert_eq!(pipeline(Parts, 4, 1, 3, 2).in_flight(1, 0), 3);
        assert_eq!(pipeline(Plain, 4, 2, 3, 1).in_flight(1, 0), 3);
        assert_eq!(pipeline(Parts, 4, 2, 3, 2).in_flight(1, 0), 4);
        assert_eq!(pipeline(V, 4, 2, 3, 1).in_flight(1, 1), 1);
        assert_eq!(pipeline(Gpipe, 4, 1, 3, 1).in_flight(2, 0), 4);
    }

    #[test]
    fn fewer_micro_batches_than_stages_leave_the_last_stages_below_one() {
        assert_eq!(pipeline(Schedule::OneForwardOneBackward, 4, 1, 1, 1).in_flight(3, 0), -2);
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
