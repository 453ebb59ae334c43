//! Which layers run where, with what each recomputes: stages, chunks, and in them runs of equal nodes (memory-core 8).

mod cells;
mod runs;
mod schedule;

pub use schedule::Schedule;

use crate::config::{Census, Config, LayerKind, Switches};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
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
    findings.finish(placement)
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
        let factor = pipeline.in_flight(index(self.index), index(chunk));
        Chunk { runs: &runs[starts[cell]..starts[cell + 1]], in_flight: factor as f64 }
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
