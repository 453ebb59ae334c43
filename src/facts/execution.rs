//! An execution spec: a flat mapping of the reference's names, laid over what a train.yaml states (config-spec 8).

use super::capacity::{self, Memory};
use super::{Capacity, Offset, RecomputeLayers, RecomputeRange, ranges};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::document::{self, Document, Node, Value};
use crate::model::nearest::nearest;
use crate::provenance::{KeyPath, Source};
use crate::text::Span;
use std::sync::Arc;

/// What an execution spec states, in its order; a null states nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExecutionSpec(Vec<(Field, Setting)>);

impl ExecutionSpec {
    /// The fields stated.
    pub fn settings(&self) -> &[(Field, Setting)] {
        &self.0
    }

    /// Whether a field is stated.
    pub fn states(&self, field: Field) -> bool {
        self.0.iter().any(|(stated, _)| *stated == field)
    }

    /// The recompute ranges stated; an empty list is a statement.
    pub fn ranges(&self) -> Option<&[RecomputeRange]> {
        self.0.iter().find_map(|(_, setting)| match setting {
            Setting::Ranges(ranges) => Some(&**ranges),
            Setting::Whole(_)
            | Setting::Flag(_)
            | Setting::Text(_)
            | Setting::Number(_)
            | Setting::Layers(_)
            | Setting::Offset(_)
            | Setting::Memory(_) => None,
        })
    }
}

/// The text of an execution spec with these recompute ranges in place of its own; everything else stays as it is. A text
/// that is no execution spec stays so too, for its errors to be told.
pub fn with_ranges(text: &str, ranges: &[RecomputeRange]) -> String {
    let (key, list) = (Field::Recompute.name(), ranges::to_text(ranges));
    let document = match document::parse_from(Source::Execution, text) {
        Ok(document) => document.value,
        Err(errors) if states_nothing(&errors) => return format!("{key}: {list}\n{text}"),
        Err(_) => return text.to_owned(),
    };
    let root = &document.root;
    let (at, put) = match root.value.as_mapping().and_then(|mapping| mapping.entry(key)) {
        // With its key: a list in lines of its own cannot give way to one in brackets.
        Some(entry) => (Span::new(entry.key_span.start, entry.node.span.end), format!("{key}: {list}")),
        None if text[root.span.start..].starts_with('{') => {
            let behind = root.span.start + 1;
            (Span::new(behind, behind), format!("{key}: {list}, "))
        }
        None => (Span::new(root.span.start, root.span.start), format!("{key}: {list}\n")),
    };
    [&text[..at.start], &put, &text[at.end..]].concat()
}

/// Whether a text was refused for holding nothing but blanks and comments.
fn states_nothing(errors: &Errors) -> bool {
    let error = errors.first();
    error.code == Code::RootNotMapping && matches!(error.place, Place::Span(_, span) if span.start == span.end)
}

/// A value of an execution spec, of its field's kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A whole number.
    Whole(i64),
    /// A flag.
    Flag(bool),
    /// A text.
    Text(Arc<str>),
    /// A number.
    Number(f64),
    /// Layers a recompute setting covers.
    Layers(RecomputeLayers),
    /// A pipeline offset.
    Offset(Offset),
    /// Recompute ranges.
    Ranges(Arc<[RecomputeRange]>),
    /// A device's memory.
    Memory(Capacity),
}

/// What a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    WholeFrom(i64),
    Flag,
    Text,
    Positive,
    Layers,
    Offset,
    Ranges,
    Memory,
}

macro_rules! fields {
    ($($field:ident $name:literal $kind:expr;)*) => {
        /// A field of an execution spec; the name is the reference's.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $(#[doc = concat!("`", $name, "`.")] $field,)*
        }

        impl Field {
            /// Every field.
            pub const ALL: &'static [Self] = &[$(Self::$field,)*];

            /// The reference's name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$field => $name,)* }
            }

            const fn kind(self) -> Kind {
                match self { $(Self::$field => $kind,)* }
            }
        }
    };
}

fields! {
    DataParallel "dp" Kind::WholeFrom(1);
    TensorParallel "tp" Kind::WholeFrom(1);
    PipelineParallel "pp" Kind::WholeFrom(1);
    Chunks "vpp" Kind::WholeFrom(1);
    ContextParallel "cp" Kind::WholeFrom(1);
    ExpertParallel "ep" Kind::WholeFrom(1);
    ExpertTensorParallel "etp" Kind::WholeFrom(0);
    SequenceParallel "sequence_parallel" Kind::Flag;
    ShardActivations "shard_activations" Kind::Flag;
    LossParallel "loss_parallel" Kind::Flag;
    MicroBatch "micro_batch_size" Kind::WholeFrom(1);
    MicroBatches "micro_batch_num" Kind::WholeFrom(1);
    GlobalBatch "global_batch_size" Kind::WholeFrom(1);
    OptimizerParallel "optimizer_parallel" Kind::Flag;
    GradShard "grad_shard" Kind::Flag;
    GradShardAsParams "grad_shard_as_params" Kind::Flag;
    ShardSpansCp "shard_spans_cp" Kind::Flag;
    OptimizerShard "optimizer_shard" Kind::WholeFrom(1);
    ExpertShard "expert_shard" Kind::WholeFrom(1);
    ExpertShardGroup "expert_shard_group" Kind::Flag;
    GradAccumulation "grad_accumulation" Kind::Flag;
    DeferredGradAccumulation "deferred_grad_accumulation" Kind::Flag;
    OverlappedGradReduce "overlapped_grad_reduce" Kind::Flag;
    ReshardParams "reshard_params" Kind::Flag;
    ParamCasts "param_casts" Kind::Flag;
    Schedule "pp_schedule" Kind::Text;
    Offset "offset" Kind::Offset;
    Partition "pp_partition" Kind::Offset;
    SequenceParts "seq_split" Kind::WholeFrom(1);
    Sequence "seq_length" Kind::WholeFrom(1);
    MtpInOffset "mtp_in_offset" Kind::Flag;
    EmbeddingOutputInOffset "emb_out_in_offset" Kind::Flag;
    FullRecompute "full_recompute" Kind::Layers;
    SelectiveRecompute "selective_recompute" Kind::Layers;
    SelectiveCommRecompute "selective_comm_recompute" Kind::Layers;
    SelectiveRule "selective_rule" Kind::Text;
    RecomputeSliceActivation "recompute_slice_activation" Kind::Flag;
    Recompute "recompute" Kind::Ranges;
    ParamBytes "param_bytes" Kind::WholeFrom(0);
    ComputeBytes "compute_bytes" Kind::WholeFrom(0);
    SoftmaxBytes "softmax_bytes" Kind::WholeFrom(0);
    GradBytes "grad_bytes" Kind::WholeFrom(0);
    OptimizerStateBytes "optimizer_state_bytes" Kind::WholeFrom(0);
    MainParamBytes "main_param_bytes" Kind::WholeFrom(0);
    NormBytes "norm_bytes" Kind::WholeFrom(0);
    DropoutBytes "dropout_bytes" Kind::WholeFrom(0);
    OptimizerStates "optimizer_states" Kind::WholeFrom(1);
    FlashAttention "flash_attention" Kind::Flag;
    GradClip "grad_clip" Kind::Flag;
    GroupedGemm "grouped_gemm" Kind::Flag;
    VocabularyDataParallel "vocab_emb_dp" Kind::Flag;
    EmbeddingSharded "emb_dp_sharded" Kind::Flag;
    TieEmbeddings "tie_embeddings" Kind::Flag;
    ShardMtpParam "shard_mtp_param" Kind::Flag;
    Frozen "frozen" Kind::Flag;
    CpAlgorithm "cp_algo" Kind::Text;
    Optimizer "optimizer" Kind::Text;
    CapacityFactor "capacity_factor" Kind::Positive;
    DeviceMemory "device_memory" Kind::Memory;
}

/// Reads an execution spec, or says everything that is wrong with it.
pub fn read(document: &Document) -> Result<Checked<ExecutionSpec>, Errors> {
    let mut findings = Findings::new();
    let mut settings = Vec::new();
    for entry in document.root.value.as_mapping().into_iter().flat_map(|mapping| &mapping.entries) {
        let path = KeyPath::root().key(&entry.key);
        match Field::ALL.iter().find(|field| field.name() == &*entry.key) {
            Some(field) => settings.extend(setting(*field, &entry.node, &path, &mut findings).map(|set| (*field, set))),
            None => findings.add(unknown(&entry.key, path)),
        }
    }
    findings.finish(Some(ExecutionSpec(settings)))
}

fn unknown(key: &str, path: KeyPath) -> Diagnostic {
    let finding = Diagnostic::new(Code::ExecUnknownKey, Place::Key(Source::Execution, path)).with(key);
    finding.near(nearest(key, Field::ALL.iter().map(|field| field.name())))
}

/// The value of a field; nothing for a null, and for what is reported.
fn setting(field: Field, node: &Node, path: &KeyPath, findings: &mut Findings) -> Option<Setting> {
    if node.value == Value::Null {
        return None;
    }
    if field.kind() == Kind::Ranges {
        return findings.take(ranges::parse(node, path)).map(Setting::Ranges);
    }
    let read = of_kind(field.kind(), &node.value);
    if read.is_none() {
        let finding = Diagnostic::new(Code::ExecKind, Place::Value(Source::Execution, path.clone()));
        findings.add(finding.with(field.name()).with(expected(field.kind())).with(node.value.written()));
    }
    read
}

fn of_kind(kind: Kind, value: &Value) -> Option<Setting> {
    match (kind, value) {
        (Kind::WholeFrom(least), Value::Integer(number)) => (*number >= least).then_some(Setting::Whole(*number)),
        (Kind::Flag, Value::Bool(flag)) => Some(Setting::Flag(*flag)),
        (Kind::Text, Value::Text(text)) => Some(Setting::Text(text.clone())),
        (Kind::Positive, Value::Integer(number)) => (*number > 0).then_some(Setting::Number(*number as f64)),
        (Kind::Positive, Value::Float(number)) => {
            (*number > 0.0 && number.is_finite()).then_some(Setting::Number(*number))
        }
        (Kind::Memory, Value::Text(text)) => capacity::parse(text).map(|memory| match memory {
            Memory::Known(capacity) | Memory::UnitUnknown(capacity) => Setting::Memory(capacity),
        }),
        (Kind::Layers, value) => layers(value).map(Setting::Layers),
        (Kind::Offset, value) => offset(value).map(Setting::Offset),
        (Kind::WholeFrom(_) | Kind::Flag | Kind::Text | Kind::Positive | Kind::Memory | Kind::Ranges, _) => None,
    }
}

fn expected(kind: Kind) -> String {
    match kind {
        Kind::WholeFrom(least) => format!("a whole number from {least}"),
        Kind::Flag => "true or false".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Positive => "a number above 0".to_owned(),
        Kind::Layers => "true, false, a count or a list of counts".to_owned(),
        Kind::Offset => "a number or a list of numbers".to_owned(),
        Kind::Ranges => "a list of ranges".to_owned(),
        Kind::Memory => "a memory size such as 64GB".to_owned(),
    }
}

fn layers(value: &Value) -> Option<RecomputeLayers> {
    match value {
        Value::Bool(all) => Some(RecomputeLayers::All(*all)),
        Value::Integer(count) => Some(RecomputeLayers::Count(*count)),
        Value::Sequence(items) => match (numbers(items), rows(items)) {
            (Some(counts), _) => Some(RecomputeLayers::PerStage(counts)),
            (None, Some(rows)) => Some(RecomputeLayers::PerChunk(rows)),
            (None, None) => items
                .iter()
                .map(|item| item.value.as_text().map(Arc::from))
                .collect::<Option<_>>()
                .map(RecomputeLayers::Ops),
        },
        Value::Null | Value::WideInteger(_) | Value::Float(_) | Value::Text(_) | Value::Date(_) | Value::Mapping(_) => {
            None
        }
    }
}

fn offset(value: &Value) -> Option<Offset> {
    match value {
        Value::Integer(layers) => Some(Offset::Scalar(*layers)),
        Value::Sequence(items) => numbers(items).map(Offset::PerStage).or_else(|| rows(items).map(Offset::PerChunk)),
        Value::Null
        | Value::Bool(_)
        | Value::WideInteger(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Date(_)
        | Value::Mapping(_) => None,
    }
}

fn numbers(items: &[Node]) -> Option<Arc<[i64]>> {
    items.iter().map(|item| if let Value::Integer(number) = item.value { Some(number) } else { None }).collect()
}

fn rows(items: &[Node]) -> Option<Arc<[Arc<[i64]>]>> {
    items.iter().map(|item| numbers(item.value.as_sequence()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Help;
    use crate::document::parse_from;
    use crate::facts::{RecomputeOption, Switches};

    fn read_text(text: &str) -> Result<Checked<ExecutionSpec>, Errors> {
        read(&parse_from(Source::Execution, text).expect("YAML").value)
    }

    #[test]
    fn every_kind_is_read_and_null_states_nothing() {
        let spec = read_text(
            "tp: 2\nsequence_parallel: true\npp_schedule: gpipe\ncapacity_factor: 1.5\nfull_recompute: [1, 2]\noffset: [[0, 1], [1, 0]]\n\
             recompute: [{first: 0, option: full}]\ndevice_memory: 96GB\nselective_rule: mindformers\ndp: null\n",
        )
        .expect("right")
        .value;
        assert_eq!(spec.settings().len(), 9);
        assert!(!spec.states(Field::DataParallel));
        assert!(spec.settings().contains(&(Field::TensorParallel, Setting::Whole(2))));
        assert!(
            spec.settings()
                .contains(&(Field::FullRecompute, Setting::Layers(RecomputeLayers::PerStage([1, 2].into()))))
        );
    }

    fn every_range() -> Vec<Vec<RecomputeRange>> {
        let hyper = Switches { softmax: false, norm: false, ..Switches::ALL_KEPT };
        let range = |first, count, option, switches| RecomputeRange { first, count, option, switches };
        let selective = RecomputeOption::Selective;
        vec![
            vec![],
            vec![range(0, None, RecomputeOption::Full, None)],
            vec![
                range(0, Some(3), RecomputeOption::Full, None),
                range(3, Some(1), selective, Some(hyper)),
                range(4, Some(2), selective, None),
                range(6, Some(2), RecomputeOption::None, None),
                range(9, None, selective, Some(Switches::ALL_KEPT)),
            ],
        ]
    }

    #[test]
    fn ranges_are_written_as_they_are_read() {
        let texts = [
            "",
            "# nothing yet\n",
            "tp: 2\n",
            "tp: 2\nrecompute: [{first: 1}]\npp: 4\n",
            "recompute:\n- first: 0\n  count: 2\n- {first: 2, option: full}\ntp: 2",
            "tp: 2\nrecompute:\n",
            "tp: 2\nrecompute: ~  # none\n",
            "{tp: 2}",
            "{tp: 2, recompute: [{option: full}], pp: 4}",
            "--- # a\ntp: 2\n...\n",
        ];
        for text in texts {
            for ranges in every_range() {
                let written = with_ranges(text, &ranges);
                let spec = read_text(&written).unwrap_or_else(|why| panic!("{written}: {why:?}"));
                assert_eq!(spec.warnings, [], "{written}");
                assert_eq!(spec.value.ranges(), Some(&*ranges), "{written}");
                let others = |spec: &ExecutionSpec| {
                    let others = spec.settings().iter().filter(|(field, _)| *field != Field::Recompute);
                    others.cloned().collect::<Vec<_>>()
                };
                let before = parse_from(Source::Execution, text).and_then(|document| read(&document.value));
                let before = before.map(|spec| others(&spec.value)).unwrap_or_default();
                assert_eq!(others(&spec.value), before, "{written}");
            }
        }
        for text in ["tp: [", "- a", "5"] {
            assert_eq!(with_ranges(text, &[]), text);
        }
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let text = "tpp: 2\npp: 0\ncp: true\nep: 1.0\nfrozen: yes please\nselective_rule: 1\ndevice_memory: much\nrecompute: 1\n";
        let errors = read_text(text).expect_err("wrong");
        let codes: Vec<&str> = errors.errors().iter().map(|error| error.code.name()).collect();
        assert_eq!(
            codes,
            [
                "exec_unknown_key",
                "exec_kind",
                "exec_kind",
                "exec_kind",
                "exec_kind",
                "exec_kind",
                "exec_kind",
                "range_form"
            ]
        );
        assert_eq!(errors.first().help, Some(Help::Nearest("tp".to_owned())));
    }

    #[test]
    fn names_are_the_references_and_distinct() {
        let names: std::collections::BTreeSet<_> = Field::ALL.iter().map(|field| field.name()).collect();
        assert_eq!(names.len(), Field::ALL.len());
    }
}
