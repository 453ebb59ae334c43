//! What recomputed layers keep (config-spec 10.7).

use super::{Primary, RecomputeOption, RecomputeRange, Switches};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::model::nearest::nearest;
use crate::provenance::{KeyPath, Source};
use std::sync::Arc;

/// Selective layers of one range, with their switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectiveRun {
    /// First layer in model order, from 0.
    pub first: i64,
    /// How many layers.
    pub count: i64,
    /// What they keep.
    pub switches: Switches,
}

impl Switches {
    /// HyperParallel's own policy: outputs of matmul and attention kernels are kept, everything else recomputed.
    pub const HYPER_SELECTIVE: Self = Self {
        attention_batched_matmul: true,
        head_cast: false,
        dropout: false,
        softmax: false,
        norm: false,
        gather: false,
        feed_forward_activation: false,
        attention_up: true,
    };
}

/// Refuses ranges that reach past the model's last layer, whatever their option.
pub(super) fn check_ranges(primary: &Primary, findings: &mut Findings) {
    let layers = primary.layers.saturating_add(primary.mtp_layers);
    for (at, range) in primary.recompute_ranges.iter().flat_map(|ranges| ranges.iter()).enumerate() {
        let reach = range.count.filter(|count| *count != 0).unwrap_or(1);
        let last = range.first.saturating_add(reach).saturating_sub(1);
        if last >= layers {
            let place = Place::Value(Source::Execution, KeyPath::parse("recompute").index(at));
            findings.add(Diagnostic::new(Code::RecomputeRangePastEnd, place).with(last).with(layers));
        }
    }
}

/// The run's one setting (or the first), and each selective layer's own where there are several.
pub(super) fn switches(
    primary: &Primary,
    sequence_shards: i64,
    findings: &mut Findings,
) -> (Switches, Option<Arc<[SelectiveRun]>>) {
    let selective =
        || primary.recompute_ranges.iter().flat_map(|ranges| ranges.iter()).filter(|range| is_selective(range));
    let run_selective = match primary.recompute_ranges {
        None => primary.selective_recompute.truthy(),
        Some(_) => selective().next().is_some(),
    };
    let rule = rule_switches(primary, run_selective, sequence_shards, findings);
    let own = |range: &RecomputeRange| range.switches.unwrap_or(rule);
    let Some(first) = selective().next().map(own) else { return (rule, None) };
    let settings = distinct(selective().map(own));
    if settings < 2 {
        return (first, None);
    }
    if primary.multimodal {
        let place = Place::Value(Source::Execution, KeyPath::parse("recompute"));
        findings.add(Diagnostic::new(Code::MultimodalSelectiveSettings, place).with(settings));
    }
    (first, Some(selective().map(|range| selective_run(primary, range, own(range))).collect()))
}

const fn is_selective(range: &RecomputeRange) -> bool {
    match range.option {
        RecomputeOption::Selective => true,
        RecomputeOption::None | RecomputeOption::Full => false,
    }
}

fn selective_run(primary: &Primary, range: &RecomputeRange, switches: Switches) -> SelectiveRun {
    let layers = primary.layers.saturating_add(primary.mtp_layers);
    let left = layers.saturating_sub(range.first).max(0);
    SelectiveRun { first: range.first, count: range.count.map_or(left, |count| count.clamp(0, left)), switches }
}

fn distinct(settings: impl Iterator<Item = Switches>) -> i64 {
    let mut seen = Vec::new();
    for setting in settings {
        if !seen.contains(&setting) {
            seen.push(setting);
        }
    }
    i64::try_from(seen.len()).unwrap_or(i64::MAX)
}

fn rule_switches(primary: &Primary, selective: bool, sequence_shards: i64, findings: &mut Findings) -> Switches {
    match &*primary.selective_rule {
        "hyperparallel" if selective => Switches::HYPER_SELECTIVE,
        "hyperparallel" => Switches::ALL_KEPT,
        "mindformers" => mindformers(primary, selective, sequence_shards),
        unknown => {
            let place = Place::Value(Source::Execution, KeyPath::parse("selective_rule"));
            let near = nearest(unknown, ["hyperparallel", "mindformers"]);
            findings.add(Diagnostic::new(Code::SelectiveRuleUnknown, place).with(unknown).near(near));
            Switches::ALL_KEPT
        }
    }
}

/// What MindFormers' selective recompute keeps depends on flash attention and sequence parallelism. The gather switch
/// follows `sel_comm_rec` alone, selective or not.
fn mindformers(primary: &Primary, selective: bool, sequence_shards: i64) -> Switches {
    let flash = primary.flash_attention;
    let sequence_parallel = sequence_shards > 1;
    Switches {
        attention_batched_matmul: !selective || flash || !sequence_parallel,
        head_cast: !selective || !flash,
        softmax: !selective || flash,
        norm: !selective || !sequence_parallel,
        gather: primary.selective_comm_recompute != Some(true) || !sequence_parallel,
        feed_forward_activation: !selective || !sequence_parallel,
        ..Switches::ALL_KEPT
    }
}
