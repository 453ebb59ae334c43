//! Where a finding about the whole layout is to be mended. Derivation and placement know numbers, not where they stand.

use crate::diagnostics::{Code, Place};
use crate::facts::execution::{ExecutionSpec, Field};
use crate::facts::{Facts, RunSpec};
use crate::provenance::{KeyPath, Origin, Source};

/// A value that a finding turns on: its field of an execution spec, and where the run has it from.
type Turns = (Code, Field, fn(&RunSpec) -> &Origin);

/// The values that a code's finding turns on, the first that is stated being shown.
const TURNS_ON: [Turns; 14] = [
    (Code::ExpertLayout, Field::ExpertParallel, |run| &run.expert_parallel.origin),
    (Code::ExpertDegreesClamped, Field::ExpertParallel, |run| &run.expert_parallel.origin),
    (Code::ExpertDegreesClamped, Field::ExpertTensorParallel, |run| &run.expert_tensor_parallel.origin),
    (Code::LayersNotPlaced, Field::Offset, |run| &run.offset.origin),
    (Code::LayersNotPlaced, Field::PipelineParallel, |run| &run.pipeline_parallel.origin),
    (Code::LayoutTooLarge, Field::Chunks, |run| &run.chunks.origin),
    (Code::LayoutTooLarge, Field::PipelineParallel, |run| &run.pipeline_parallel.origin),
    (Code::StageListShort, Field::FullRecompute, |run| &run.full_recompute.origin),
    (Code::StageListShort, Field::SelectiveRecompute, |run| &run.selective_recompute.origin),
    (Code::ScheduleUnknown, Field::Schedule, |run| &run.schedule.origin),
    (Code::StagesEmpty, Field::PipelineParallel, |run| &run.pipeline_parallel.origin),
    (Code::ReferenceNegativeBuffer, Field::MicroBatches, |run| &run.micro_batches.origin),
    (Code::ReferenceNegativeBuffer, Field::GlobalBatch, |run| &run.global_batch.origin),
    (Code::ReferenceNegativeBuffer, Field::PipelineParallel, |run| &run.pipeline_parallel.origin),
];

/// The place of what a code's finding turns on: in the execution spec where that states it, else in the run's texts; the
/// whole input where nothing states it, and for codes that come with a place.
pub fn culprit(code: Code, facts: &Facts, spec: Option<&ExecutionSpec>) -> Place {
    let candidates = TURNS_ON.iter().filter(|(of, ..)| *of == code);
    let mut places = candidates.map(|(_, field, origin)| {
        if spec.is_some_and(|spec| spec.states(*field)) {
            Place::Value(Source::Execution, KeyPath::root().key(field.name()))
        } else {
            Place::of(origin(&facts.run))
        }
    });
    places.find(|place| *place != Place::Whole).unwrap_or_default()
}
