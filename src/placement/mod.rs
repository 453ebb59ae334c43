//! Which layers run where, with what each recomputes: stages, chunks, and in them runs of equal nodes (memory-core 8).

mod cells;
mod runs;
mod schedule;

pub use runs::Order;
pub use schedule::Schedule;

use crate::config::{Census, Config, LayerKind, Switches};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::explain::{Described, Quantity};
use crate::units::intervals::Intervals;
use schedule::Pipeline;

/// The most chunks, over all stages, that are placed: far above any pipeline, low enough to answer at once.
const MOST_CHUNKS: i64 = 1 << 14;
/// The most layers that are placed.
const MOST_LAYERS: i64 = 1 << 17;

/// Beyond this, whole numbers are not read at all (config-spec 18.5); factors are computed below it without overflow.
const EXACT: i64 = 1 << 53;

/// Where every layer of a model runs. Equal neighbours are one run, so its size follows stages and kinds, not layers.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    pipeline: Pipeline,
    /// Ordered by stage, then chunk, then as the chunk lists them.
    runs: Vec<Run>,
    /// Where each chunk's runs begin, and at last where they end.
    starts: Vec<usize>,
    kinds: Vec<Vec<PlacedKind>>,
    last_kinds: Vec<usize>,
}

/// Equal nodes, one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// What they are.
    pub node: Node,
    /// Index of the submodule they belong to, in walking order; 0 in a language model.
    pub part: usize,
    /// Index of their kind among [`Placement::kinds`] of the part; 0 and without meaning for embedding and output.
    pub kind: usize,
    /// How many; never 0.
    pub count: u32,
}

/// A node of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// The embedding (E).
    Embedding,
    /// The output layer (O).
    Output,
    /// A layer that recomputes nothing (N).
    Plain,
    /// A layer that recomputes what its switches say (S).
    Selective(Switches),
    /// A layer that recomputes everything but its input (F).
    Full,
}

impl Node {
    /// The reference's letter.
    pub const fn letter(self) -> char {
        match self {
            Self::Embedding => 'E',
            Self::Output => 'O',
            Self::Plain => 'N',
            Self::Selective(_) => 'S',
            Self::Full => 'F',
        }
    }

    /// Whether it is a layer, not a table.
    pub const fn is_layer(self) -> bool {
        match self {
            Self::Embedding | Self::Output => false,
            Self::Plain | Self::Selective(_) | Self::Full => true,
        }
    }
}

/// A kind of layer of a part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedKind {
    /// The kind, with the op counts that apply.
    pub kind: LayerKind,
    /// Its measured activations, where the model spec gives them.
    pub census: Option<Census>,
}

/// One pipeline stage.
#[derive(Debug, Clone, Copy)]
pub struct Stage<'a> {
    placement: &'a Placement,
    /// Which, from 0.
    pub index: usize,
}

/// One chunk of a stage.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Its nodes, in order.
    pub runs: &'a [Run],
    /// How many micro-batches it holds at the end of warm-up; the reference's raw factor, which may be 0 or negative.
    pub in_flight: f64,
}

/// Places a model's layers on the stages and chunks of its pipeline.
pub fn place(config: &Config) -> Result<Checked<Placement>, Errors> {
    let mut findings = Findings::new();
    let pipeline = pipeline(config, &mut findings);
    let cells = pipeline.and_then(|pipeline| cells::cells(config, pipeline, &mut findings));
    check_schedule(config, &mut findings);
    let placement = pipeline.zip(cells).map(|(pipeline, cells)| runs::placement(config, pipeline, &cells));
    if let Some(placement) = placement.as_ref().filter(|_| !findings.failed()) {
        findings.add_all(empty_stages(placement));
    }
    findings.finish(placement)
}

/// A note where stages run nothing: which, how many stages there are, how many layers.
fn empty_stages(placement: &Placement) -> Option<Diagnostic> {
    let empty: Intervals = placement.stages().filter(|stage| stage.nodes() == 0).map(|stage| stage.index).collect();
    if empty.is_empty() {
        return None;
    }
    let layers = placement.runs.iter().filter(|run| run.node.is_layer()).map(|run| i64::from(run.count)).sum::<i64>();
    let finding = Diagnostic::new(Code::StagesEmpty, Place::Whole).with(empty.to_string());
    Some(finding.with(placement.pipeline.stages).with(layers))
}

fn pipeline(config: &Config, findings: &mut Findings) -> Option<Pipeline> {
    let primary = config.primary();
    let (stages, chunks) = (primary.pipeline_parallel, primary.chunks);
    let all = stages.saturating_mul(chunks);
    if stages < 1 || chunks < 1 || all > MOST_CHUNKS {
        findings.add(Diagnostic::new(Code::LayoutTooLarge, Place::Whole).with(all).with(MOST_CHUNKS));
        return None;
    }
    Some(Pipeline {
        schedule: Schedule::by_name(&primary.schedule).unwrap_or(Schedule::OneForwardOneBackward),
        stages,
        chunks,
        micro_batches: primary.micro_batches.clamp(-EXACT, EXACT),
        sequence_parts: primary.sequence_parts.clamp(-EXACT, EXACT),
    })
}

/// The reference fails at the first in-flight factor, after the layers are placed.
fn check_schedule(config: &Config, findings: &mut Findings) {
    let name = &*config.primary().schedule;
    if Schedule::by_name(name).is_none() {
        let unknown = Diagnostic::new(Code::ScheduleUnknown, Place::Whole).with(name);
        findings.add(unknown.help(Schedule::nearest(name)));
    }
}

/// The formulas of the in-flight factor.
pub(crate) const fn formulas() -> &'static [Described] {
    schedule::FORMULAS
}

/// The symbols of these formulas with their meanings.
pub(crate) const fn symbols() -> &'static [(&'static str, &'static str)] {
    schedule::Warmup::<()>::MEANINGS
}

impl Placement {
    /// The stages, in order; at least one.
    pub fn stages(&self) -> impl ExactSizeIterator<Item = Stage<'_>> {
        (0..self.stage_count()).map(|index| Stage { placement: self, index })
    }

    /// The schedule.
    pub const fn schedule(&self) -> Schedule {
        self.pipeline.schedule
    }

    /// The distinct kinds of layer of a part.
    pub fn kinds(&self, part: usize) -> &[PlacedKind] {
        &self.kinds[part]
    }

    /// How many parts the model has: one, or those of a multimodal model.
    pub fn parts(&self) -> usize {
        self.kinds.len()
    }

    /// The kind of the part's last layer in walking order.
    pub fn last_kind(&self, part: usize) -> usize {
        self.last_kinds[part]
    }

    /// Where the layers of each chunk stand in model order, by stage, then chunk. Parts of a multimodal model are counted
    /// each on its own.
    pub fn order(&self, part: usize) -> Vec<Order> {
        let counts = self.starts.windows(2).map(|ends| {
            let runs = self.runs[ends[0]..ends[1]].iter();
            runs.filter(|run| run.part == part && run.node.is_layer()).map(|run| i64::from(run.count)).sum()
        });
        runs::order(counts, self.pipeline)
    }

    fn stage_count(&self) -> usize {
        (self.starts.len() - 1) / self.chunk_count()
    }

    fn chunk_count(&self) -> usize {
        usize::try_from(self.pipeline.chunks).expect("the chunks were counted when they were placed")
    }
}

impl<'a> Stage<'a> {
    /// The stage's chunks, in order; at least one.
    pub fn chunks(self) -> impl ExactSizeIterator<Item = Chunk<'a>> {
        (0..self.placement.chunk_count()).map(move |chunk| self.chunk(chunk))
    }

    /// One chunk.
    ///
    /// # Panics
    /// Where a stage has no such chunk.
    pub fn chunk(self, chunk: usize) -> Chunk<'a> {
        let Placement { pipeline, runs, starts, .. } = self.placement;
        let cell = self.index * self.placement.chunk_count() + chunk;
        let in_flight = pipeline.in_flight(index(self.index), index(chunk), ());
        Chunk { runs: &runs[starts[cell]..starts[cell + 1]], in_flight }
    }

    /// The factor of a chunk, as the schedule's rule makes it.
    pub(crate) fn in_flight<V: Quantity>(self, chunk: usize, context: V::Context) -> V {
        self.placement.pipeline.in_flight(index(self.index), index(chunk), context)
    }

    /// All nodes of the stage, chunk after chunk.
    pub fn runs(self) -> &'a [Run] {
        let chunks = self.placement.chunk_count();
        let starts = &self.placement.starts;
        &self.placement.runs[starts[self.index * chunks]..starts[(self.index + 1) * chunks]]
    }

    /// How many nodes the stage runs.
    pub fn nodes(self) -> usize {
        self.runs().iter().map(|run| run.count as usize).sum()
    }

    /// A letter per node, chunk after chunk.
    pub fn letters(self) -> String {
        let mut letters = String::with_capacity(self.nodes());
        for run in self.runs() {
            letters.extend(std::iter::repeat_n(run.node.letter(), run.count as usize));
        }
        letters
    }
}

fn index(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Offset, Primary, RecomputeLayers, RecomputeOption, RecomputeRange, Strictness};
    use crate::model::{Family, LayerGroup, Stack};

    fn config(layers: u32, change: impl FnOnce(&mut Primary)) -> Config {
        let kinds = Family::Deepseek.kinds();
        let groups = [(kinds[1], 3.min(layers)), (kinds[0], layers - 3.min(layers))];
        let groups = groups.map(|(kind, count)| LayerGroup { kind, count, mtp: false, census: None });
        let mut primary = Primary {
            family: Family::Deepseek,
            layers: layers.into(),
            stack: Some(Stack { groups: groups.into(), linear: None }),
            hidden: 8,
            expert_feed_forward: 8,
            ..Primary::default()
        };
        change(&mut primary);
        Config::new(primary, Strictness::Strict).expect("derived").value
    }

    fn letters(config: &Config) -> Vec<String> {
        place(config).expect("placed").value.stages().map(Stage::letters).collect()
    }

    fn range(first: i64, count: Option<i64>, option: RecomputeOption) -> RecomputeRange {
        RecomputeRange { first, count, option, switches: None }
    }

    /// The reference's own expectation (`test_layer_order`).
    #[test]
    fn ranges_name_layers_in_model_order() {
        let ranges = [range(1, Some(2), RecomputeOption::Full), range(4, None, RecomputeOption::Selective)];
        let ranged = config(6, |primary| primary.recompute_ranges = Some(ranges.into()));
        assert_eq!(letters(&ranged), ["ENFFNSSO"]);
    }

    #[test]
    fn an_empty_list_of_ranges_recomputes_nothing() {
        let empty = config(4, |primary| {
            primary.recompute_ranges = Some([].into());
            primary.full_recompute = RecomputeLayers::All(true);
        });
        assert_eq!(letters(&empty), ["ENNNNO"]);
    }

    /// Model order turns around in a V: stage 1 of the second chunks runs before stage 0 (`test_layer_order`).
    #[test]
    fn a_v_runs_back_over_the_stages() {
        let v = config(8, |primary| {
            (primary.pipeline_parallel, primary.chunks, primary.schedule) = (2, 2, "zero_bubble_v".into());
            primary.recompute_ranges = Some([range(4, Some(3), RecomputeOption::Full)].into());
        });
        // Layers 4 and 5 lie on stage 1, the last first; layers 6 and 7 on stage 0.
        assert_eq!(letters(&v), ["ENNNF", "NNFFO"]);
        let kinds = |stage: usize| -> Vec<(usize, u32)> {
            let placement = place(&v).expect("placed").value;
            let stage = placement.stages().nth(stage).expect("a stage");
            stage.runs().iter().filter(|run| run.node.is_layer()).map(|run| (run.kind, run.count)).collect()
        };
        let order = place(&v).expect("placed").value.order(0);
        let layers: Vec<(i64, bool)> = order.iter().map(|order| (order.first, order.backwards)).collect();
        assert_eq!(layers, [(0, false), (7, true), (2, false), (5, true)]);
        assert_eq!(kinds(0), [(0, 2), (1, 1), (1, 1)]);
        assert_eq!(kinds(1), [(0, 1), (1, 1), (1, 2)]);
    }

    #[test]
    fn ten_times_the_layers_are_no_more_runs() {
        let runs = |layers: u32| {
            let extra = i64::from(layers % 16);
            let config = config(layers, |primary| {
                primary.pipeline_parallel = 16;
                primary.offset = Offset::PerStage((0..16).map(|stage| i64::from(stage < extra)).collect());
                primary.full_recompute = RecomputeLayers::All(true);
            });
            place(&config).expect("placed").value.runs.len()
        };
        assert_eq!(runs(61), runs(610));
    }

    fn refusals(config: &Config) -> Vec<Code> {
        place(config).expect_err("refused").errors().iter().map(|error| error.code).collect()
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let wrong = config(5, |primary| {
            (primary.pipeline_parallel, primary.schedule) = (2, "1F1B".into());
        });
        assert_eq!(refusals(&wrong), [Code::LayersNotPlaced, Code::ScheduleUnknown]);
        let short = config(4, |primary| {
            primary.pipeline_parallel = 2;
            primary.full_recompute = RecomputeLayers::PerStage([1].into());
        });
        assert_eq!(refusals(&short), [Code::StageListShort]);
        let offset = config(4, |primary| primary.offset = Offset::Scalar(1));
        assert_eq!(refusals(&offset), [Code::LayersNotPlaced]);
        let huge = config(4, |primary| primary.pipeline_parallel = i64::MAX);
        assert_eq!(refusals(&huge), [Code::LayoutTooLarge]);
    }

    #[test]
    fn stages_that_run_nothing_are_named() {
        let deep = config(5, |primary| {
            primary.pipeline_parallel = 8;
            primary.offset = Offset::PerStage((0..8).map(|stage| i64::from(stage < 5)).collect());
        });
        let notes = place(&deep).expect("placed").warnings;
        assert_eq!(notes.iter().map(|note| note.code).collect::<Vec<_>>(), [Code::StagesEmpty]);
        assert_eq!(notes[0].arguments, ["5-7".into(), 8_i64.into(), 5_i64.into()]);
        assert_eq!(place(&config(8, |primary| primary.pipeline_parallel = 8)).expect("placed").warnings, []);
    }

    #[test]
    fn embedding_and_output_take_the_places_of_layers_where_they_count_as_such() {
        let counted = config(6, |primary| {
            (primary.pipeline_parallel, primary.embedding_output_in_offset) = (2, true);
            primary.full_recompute = RecomputeLayers::PerStage([2, 4].into());
        });
        assert_eq!(letters(&counted), ["EFNN", "FFFO"]);
    }

    #[test]
    fn mtp_layers_outside_the_offset_follow_the_last_layer() {
        let kinds = Family::Deepseek.kinds();
        let with_mtp = config(4, |primary| {
            primary.mtp_layers = 1;
            primary.full_recompute = RecomputeLayers::All(true);
            let group = LayerGroup { kind: kinds[0], count: 5, mtp: false, census: None };
            primary.stack = Some(Stack { groups: [group].into(), linear: None });
        });
        assert_eq!(letters(&with_mtp), ["EFFFFFO"]);
    }
}
