//! English.

use super::pictures::english_instant;
use super::{Language, LayerCounts, Messages};
use crate::state::Theme;
use crate::state::history::What;
use crate::state::ranges::Mode;
use crate::state::session::Notice;
use shardmem::decimal::fixed;
use shardmem::diagnostics::Severity;
use shardmem::facts::controls::{Control, Disabled, Refusal};
use shardmem::memory::Category;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, grouped, rounded};
use shardmem::report::{Fits, Verdict};
use shardmem::units::Bytes;

/// The table.
pub(super) static ENGLISH: Messages = Messages {
    spoken: Language::English,
    unit: "Unit of memory",
    language: "Language",
    undo: |what| what.map_or_else(|| "Nothing to undo".to_owned(), |what| format!("Undo: {}", step(what))),
    redo: |what| what.map_or_else(|| "Nothing to redo".to_owned(), |what| format!("Redo: {}", step(what))),
    notice: |notice| match notice {
        Notice::ConfigTaken => {
            "That is a model's config.json: it is now the model of this run, and the train.yaml stays as it was."
                .to_owned()
        }
        Notice::SettingsLeft(1) => "Another run: the setting made for the last one is gone.".to_owned(),
        Notice::SettingsLeft(count) => format!("Another run: the {count} settings made for the last one are gone."),
        Notice::Done(words) | Notice::Told(words) => words.to_string(),
        Notice::PartMissing => {
            "This part of the page could not be loaded. Try again; if the page was updated meanwhile, reload it."
                .to_owned()
        }
    },
    take_back: "Undo",
    dismiss: "Dismiss",
    copy_link: "Copy link",
    full_page: "Open the full page",
    theme: "Theme",
    theme_name,
    devices: |devices| {
        if devices == 1 { "1 device".to_owned() } else { format!("{} devices", grouped(devices as f64)) }
    },
    privacy: "Nothing you type leaves this page",
    version: |version| format!("ShardMem {version}"),

    run: "train.yaml",
    sample: "Samples",
    sample_placeholder: "Samples",
    sample_title: |model, devices| format!("{model} on {devices}"),
    open_file: "Open…",
    yaml: "The train.yaml of the run",
    tab_indents: "Tab indents; Escape, then Tab leaves the editor",
    tab_leaves: "Tab leaves the editor; type first to indent with it",
    diagnostics: "Findings in the file",
    severity: |severity| match severity {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
        Severity::Note => "Note",
    },
    line: |spot| format!("line {}", spot.line),
    way_model: "Choose a model",
    way_config: "Paste its config.json",

    model: "Model",
    model_picker: "Choose a model",
    model_none: "No model has these words in its name",
    model_found: "named in the file",
    model_chosen: "chosen by you",
    model_config: "from your config.json",
    model_stale: "as last read",
    model_unknown: "No model is known yet: name one in the file, choose one here, or paste its config.json.",
    model_from_file: "Back to the file's model",
    config_json: "The config.json of the model",
    config_json_summary: "Paste a config.json",
    parameters,

    controls: "Layout",
    controls_pinned: |devices| format!("Keep {} devices", grouped(devices as f64)),
    pin: "Keep the device count",
    reset_all: "Reset",
    reset_all_about: "Gives every control back to the file",
    reset: |before| {
        if before.is_empty() {
            "Back to the file, which states nothing".to_owned()
        } else {
            format!("Back to {before}, as in the file")
        }
    },
    group,
    control,
    control_effect,
    disabled: |disabled| match disabled {
        Disabled::NotInThisSchema(key) => format!("This file's schema has no {}", key.last_key().unwrap_or_default()),
        Disabled::DecidedBy(key) => format!("Decided by {key}"),
        Disabled::DenseModel => "This model has no experts".to_owned(),
    },
    refusal: |refusal| match refusal {
        Refusal::Disabled(disabled) => (ENGLISH.disabled)(disabled),
        Refusal::Kind => "Not a value of this setting".to_owned(),
        Refusal::NotPositive => "At least 1 is needed".to_owned(),
        Refusal::DevicesNotDivided { devices, product } => {
            format!("TP·PP·CP = {product} does not divide {devices} devices")
        }
        Refusal::ShardNotDividing { data_parallel } => format!("Does not divide data parallel {data_parallel}"),
    },
    moved: |moved, devices| {
        let moves: Vec<String> = moved
            .iter()
            .map(|moved| format!("{} {} → {}", short_control(moved.control), moved.from, moved.to))
            .collect();
        let moves = moves.join(", ");
        match moved {
            [moved] if moved.control == Control::Devices => moves,
            _ => format!("{moves} to keep {devices} devices"),
        }
    },
    followed: |leader, from| format!("was {from}; moved along with {}", control(leader)),
    value_and_verdict: |value, verdict| {
        if verdict.is_empty() { value.to_owned() } else { format!("{value}, {verdict}") }
    },
    typed_freely: |control| format!("{control}, typed"),

    ranges: "Recompute by layers",
    ranges_edit: "Choose by layers…",
    ranges_none: "No range: every layer keeps its activations.",
    ranges_add: "Add a range",
    ranges_leave: "Back to one setting for all",
    ranges_decide: "Decided layer by layer, below",
    range: |range| format!("Range {range}"),
    range_first: "from layer",
    range_count: "layers",
    range_to_end: "to the end",
    range_mode: "recompute",
    range_mode_name: |mode| match mode {
        Mode::None => "nothing",
        Mode::Selective => "selected ops",
        Mode::ByOp => "chosen ops",
        Mode::Full => "all",
    },
    range_ops: "Recomputed ops",
    range_up: |range| format!("Move range {range} up"),
    range_down: |range| format!("Move range {range} down"),
    range_remove: |range| format!("Remove range {range}"),

    baseline: "Baseline",
    baseline_pin: "Pin as baseline",
    baseline_pin_again: "Pin this instead",
    baseline_swap: "Swap",
    baseline_clear: "Clear",
    baseline_unread: "The baseline cannot be read",
    baseline_change: |peak, baseline, unit| {
        let change = peak - baseline;
        let gap = amount_with_unit(magnitude(change), unit, Decimals::One);
        let base = amount_with_unit(baseline, unit, Decimals::One);
        if gap == amount_with_unit(Bytes::ZERO, unit, Decimals::One) {
            format!("As much as the baseline ({base})")
        } else if change < Bytes::ZERO {
            format!("{gap} less than the baseline ({base})")
        } else {
            format!("{gap} more than the baseline ({base})")
        }
    },
    keys_differ: |count| match count {
        0 => "No key differs".to_owned(),
        1 => "1 key differs".to_owned(),
        _ => format!("{count} keys differ"),
    },
    column_change: "change",

    answer: "Memory of each device",
    stale: "the last good figures; the run as it stands has an error",
    no_estimate: "No estimate yet",
    no_estimate_help: "The run cannot be read. What is wrong is listed under the file; each finding leads to its line.",
    verdict,
    verdict_short,
    verdict_reason,
    stages: "Pipeline stages",
    stages_stale: "Pipeline stages, last good figures",
    stage: |stage| format!("Stage {stage}"),
    stage_name: |stage, total, capacity, unit| {
        let headroom = capacity - total;
        let relation = if headroom < Bytes::ZERO { "exceeds by" } else { "leaves" };
        format!(
            "Stage {stage}: {}, {relation} {}",
            amount_with_unit(total, unit, Decimals::One),
            amount_with_unit(magnitude(headroom), unit, Decimals::One)
        )
    },
    category: |category| match category {
        Category::Parameters => "Parameters",
        Category::OptimizerStates => "Optimizer states",
        Category::Gradients => "Gradients",
        Category::Activations => "Activations",
        Category::Buffers => "Buffers",
        Category::BackwardWorkingSet => "Backward working set",
        Category::GradientsInFlight => "Gradients in flight",
        Category::Reserve => "Reserve",
    },
    legend: "What the bars are made of",
    legend_notch: "Negative, taken off",
    legend_capacity: "Device",
    breakdown: "What the selected stage holds at its peak",
    column_part: "part",
    column_share: "share",
    total: "Peak",
    percent,
    item,
    certainty_policy: "by a chosen convention",
    certainty_estimated: "estimated",
    layers,
    layer_letter: |letter| match letter {
        'E' => "embedding",
        'O' => "output layer",
        'N' => "layer, activations kept",
        'S' => "layer, recomputed in part",
        'F' => "layer, recomputed in full",
        _ => "layer",
    },
    in_flight,
    instants: "Totals at each instant",
    instant: |id| match id {
        "warmup-end" => "Warm-up ends".to_owned(),
        "backward-end" => "Backward ends".to_owned(),
        other => english_instant(other).map_or_else(|| other.replace('-', " "), str::to_owned),
    },
    instant_wins: "peak",
};

/// What a step did, behind `Undo: `.
fn step(what: What) -> String {
    let words = match what {
        What::Text => "typing",
        What::Config => "config.json",
        What::Run => "opening a run",
        What::Link => "opening a link",
        What::Model => "choice of model",
        What::Control(which) => return control(which).to_owned(),
        What::AllControls => "reset",
        What::Devices => "device count kept",
        What::Ranges => "recompute by layers",
        What::Baseline => "baseline",
        What::Applied => "apply",
        What::MemoryModel => "memory model",
        What::Policy => "convention",
        What::Measured => "measured peak",
    };
    words.to_owned()
}

fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::Auto => "Auto",
        Theme::Light => "Light",
        Theme::Dark => "Dark",
    }
}

fn parameters(count: f64) -> String {
    let (scaled, letter) = match count {
        _ if count >= 1e12 => (count / 1e12, "T"),
        _ if count >= 1e9 => (count / 1e9, "B"),
        _ => (count / 1e6, "M"),
    };
    format!("{}\u{a0}{letter}", fixed(scaled, 1))
}

fn group(name: &str) -> &'static str {
    match name {
        "parallel" => "Parallel degrees",
        "batch" => "Batch and sequence",
        "memory" => "What is kept",
        "device" => "Devices",
        _ => "Further settings",
    }
}

fn control(control: Control) -> &'static str {
    match control {
        Control::DpShard => "DP shard",
        Control::DpReplicate => "DP replicate",
        Control::Tp => "Tensor parallel",
        Control::Pp => "Pipeline parallel",
        Control::Cp => "Context parallel",
        Control::Ep => "Expert parallel",
        Control::Etp => "Expert tensor",
        Control::EdpShard => "Expert shard",
        Control::SequenceParallel => "Sequence parallel",
        Control::Vpp => "Chunks a stage",
        Control::Schedule => "Schedule",
        Control::CpAlgorithm => "CP algorithm",
        Control::LossParallel => "Loss parallel",
        Control::MicroBatch => "Micro-batch",
        Control::MicroBatches => "Micro-batches",
        Control::GlobalBatch => "Global batch",
        Control::SequenceLength => "Sequence length",
        Control::Recompute => "Recompute",
        Control::Reshard => "Reshard after forward",
        Control::Optimizer => "Optimizer",
        Control::MainParams => "fp32 main parameters",
        Control::ParamDtype => "Parameter type",
        Control::ComputeDtype => "Compute type",
        Control::Device => "Device",
        Control::DeviceMemory => "Device memory",
        Control::Devices => "Devices",
    }
}

/// What a control divides or decides.
fn control_effect(control: Control) -> &'static str {
    match control {
        Control::DpShard => "splits states over ranks",
        Control::DpReplicate => "repeats the shards",
        Control::Tp => "splits attention and feed-forward",
        Control::Pp => "splits layers into stages",
        Control::Cp => "splits the sequence",
        Control::Ep => "spreads experts over ranks",
        Control::Etp => "splits each expert",
        Control::EdpShard => "splits an expert's states",
        Control::SequenceParallel => "splits norms over TP",
        Control::Vpp => "interleaves stages",
        Control::Schedule => "orders forward and backward",
        Control::CpAlgorithm => "exchanges keys and values",
        Control::LossParallel => "keeps logits split over TP",
        Control::MicroBatch => "sequences a pass",
        Control::MicroBatches => "passes a step",
        Control::GlobalBatch => "sequences a step",
        Control::SequenceLength => "tokens a sequence",
        Control::Recompute => "activations against compute",
        Control::Reshard => "frees gathered parameters",
        Control::Optimizer => "states a parameter",
        Control::MainParams => "a wide copy of each parameter",
        Control::ParamDtype => "bytes a parameter",
        Control::ComputeDtype => "bytes an activation",
        Control::Device => "its memory is the line",
        Control::DeviceMemory => "the line in the chart",
        Control::Devices => "all ranks",
    }
}

/// A control in a note.
fn short_control(moved: Control) -> &'static str {
    if moved == Control::DpReplicate { "replicate" } else { control(moved) }
}

/// An item inside its category's row, so the category is not said again.
fn item(id: &str) -> String {
    let known = match id {
        "working-set-activations" => "Activations of the layer under way",
        "working-set-buffers" => "Buffers of the layer under way",
        "gradients-held" => "Held until the backward ends",
        "gradients-whole-layers" => "Layers, before they are reduced",
        "gradients-whole-output" => "Output layer, before it is reduced",
        "activations-attention-qkv" => "Attention: queries, keys, values",
        "activations-attention-score" => "Attention: scores",
        "activations-attention-projection" => "Attention: projection",
        "activations-recompute-inputs" => "Inputs of recomputed layers",
        "activations-measured" => "As measured",
        "buffers-table-gathers" => "Gathered embedding and output tables",
        "buffers-parameter-gathers" => "Gathered parameters",
        "reserve" => "Fixed reserve",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let category = Category::ALL.into_iter().map(Category::id);
    let part =
        category.map(|category| id.strip_prefix(category)?.strip_prefix('-')).find_map(|part| part).unwrap_or(id);
    match part {
        "norm" => "Norms".to_owned(),
        "output" => "Output layer".to_owned(),
        "mtp" => "Multi-token prediction".to_owned(),
        "feed-forward" => "Feed-forward".to_owned(),
        other => sentence_case(&other.replace('-', " ")),
    }
}

fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| [first.to_ascii_uppercase()].into_iter().chain(letters).collect())
}

fn magnitude(bytes: Bytes) -> Bytes {
    Bytes::new(bytes.value().abs())
}

fn verdict(verdict: &Verdict, unit: MemoryUnit) -> String {
    let gap = amount_with_unit(magnitude(verdict.headroom), unit, Decimals::One);
    let capacity = format!("{}\u{a0}{}", rounded(unit.of(verdict.capacity), Decimals::One), unit.name());
    match verdict.fits {
        Fits::Yes => format!("Fits {capacity} with {gap} to spare"),
        Fits::Tight => format!("Fits {capacity} tightly: {gap} to spare"),
        Fits::No => format!("Exceeds {capacity} by {gap}"),
        Fits::Unknown => format!("Would need {}", amount_with_unit(verdict.peak, unit, Decimals::One)),
    }
}

fn verdict_short(verdict: &Verdict, unit: MemoryUnit) -> String {
    let gap = amount_with_unit(magnitude(verdict.headroom), unit, Decimals::One);
    match verdict.fits {
        Fits::Yes => format!("fits with {gap} to spare"),
        Fits::Tight => format!("fits tightly, {gap} to spare"),
        Fits::No => format!("exceeds by {gap}"),
        Fits::Unknown => String::new(),
    }
}

/// The rest of the sentence that begins with the peak.
fn verdict_reason(verdict: &Verdict, stages: usize) -> String {
    let place = if stages > 1 { format!("on stage {}", verdict.stage) } else { "on every device".to_owned() };
    let when = match verdict.instant {
        "warmup-end" => ", when the warm-up ends".to_owned(),
        "backward-end" => ", when the backward ends".to_owned(),
        "" => String::new(),
        other => format!(", at {}", other.replace('-', " ")),
    };
    let (category, share) = verdict.largest;
    let largest = (ENGLISH.category)(category).to_ascii_lowercase();
    let exceeding = match (verdict.fits, stages, verdict.exceeding_stages) {
        (Fits::No, 2.., 1) => " One stage exceeds.".to_owned(),
        (Fits::No, 2.., count) if count == stages => " Every stage exceeds.".to_owned(),
        (Fits::No, 2.., count) => format!(" {count} of {stages} stages exceed."),
        _ => String::new(),
    };
    format!("{place}{when}; {} of it is {largest}.{exceeding}", percent(share))
}

/// A share in whole percents; a share that is there is never 0 %.
fn percent(share: f64) -> String {
    let percents = share * 100.0;
    if percents != 0.0 && percents.abs() < 0.5 {
        return "<1\u{202f}%".to_owned();
    }
    format!("{}\u{202f}%", fixed(percents, 0)).replace('-', "\u{2212}")
}

fn layers(counts: LayerCounts) -> String {
    let layers = counts.layers();
    let number = if layers == 1 { "1 layer".to_owned() } else { format!("{layers} layers") };
    let recompute = match (counts.selective, counts.full) {
        (0, 0) => "nothing recomputed".to_owned(),
        (0, full) if full == layers => "all recomputed".to_owned(),
        (selective, 0) if selective == layers => "all recomputed in part".to_owned(),
        (0, full) => format!("{full} recomputed"),
        (selective, 0) => format!("{selective} recomputed in part"),
        (selective, full) => format!("{full} recomputed, {selective} in part"),
    };
    let ends = match (counts.embedding, counts.output) {
        (true, true) => "embedding, output, ",
        (true, false) => "embedding, ",
        (false, true) => "output, ",
        (false, false) => "",
    };
    format!("{ends}{number}, {recompute}")
}

fn in_flight(chunks: &[f64]) -> String {
    // Negative where there are fewer micro-batches than stages.
    let text = |count: &f64| rounded(*count, Decimals::Two);
    let counts: Vec<String> = chunks.iter().map(text).collect();
    match counts.as_slice() {
        [] => "no micro-batch in flight".to_owned(),
        [one] if one == "1" => "1 micro-batch in flight".to_owned(),
        [one] => format!("{one} micro-batches in flight"),
        several => format!("{} micro-batches in flight, by chunk", several.join(" + ")),
    }
}

#[cfg(test)]
mod tests;
