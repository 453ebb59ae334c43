//! What would happen, against the whole chain: every figure of a strip, a fix or a limit is `estimate`'s to the last bit, and
//! nothing that fits is left out.

use shardmem::accounting::Accountant;
use shardmem::config::RecomputeOption;
use shardmem::document::{self, Document, Value};
use shardmem::estimate::{Input, Outcome as Estimated, estimate};
use shardmem::facts::controls::{Control, Refusal, Setting};
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use shardmem::provenance::Source;
use shardmem::report::Fits;
use shardmem::units::GIB;
use shardmem::whatif::{Cost, Figure, Fix, Limit, MOST_ESTIMATES, Outcome, Reason, Run, Search, Set, WhatIf};

const DEEPSEEK: &str = include_str!("../data/samples/deepseek-v3-512.yaml");
const QWEN: &str = include_str!("../data/samples/qwen3-30b-a3b-8.yaml");
const LLAMA: &str = include_str!("../data/samples/llama-3.1-8b-8.yaml");
const RECIPE: &str = include_str!("yamls/qwen3_moe_recipe.yaml");
const VISION: &str = include_str!("yamls/qwen3_5_9b_base_vlm.yaml");
const LEGACY: &str = "
model:
  name: deepseek_v3
  config_overrides: {hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 16, num_key_value_heads: 4,
    intermediate_size: 6144, vocab_size: 64000, num_experts: 64, num_experts_per_tok: 8, moe_intermediate_size: 768,
    first_k_dense_replace: 1, mtp_depth: 1}
train:
  accelerator: {dp_shard: 8, tp_degree: 2, pipeline_parallel_degree: 2, expert_parallel_degree: 4}
  micro_batch_size: 1
  optimizer: {type: adamw}
  gradient_checkpointing: {activation_checkpoint: full}
data: {max_seq_len: 4096}
context: {device_num: 64, visual_seq_len: 1024}
";
const SAMPLES: [&str; 3] = [DEEPSEEK, QWEN, LLAMA];

const NONE: &Overrides = &Overrides::none();

/// Asks a file with controls set and the device count pinned.
fn asked<T>(text: &str, sets: &[Set], ask: impl FnOnce(&WhatIf<'_>) -> T) -> T {
    let document: Document = document::parse(text).expect("YAML").value;
    let choice = ModelChoice::Named;
    let run = Run {
        document: &document,
        choice: &choice,
        devices: None,
        exec: None,
        accountant: Accountant::default(),
        overrides: NONE,
        sets,
        pinned: true,
    };
    ask(&WhatIf::new(run).expect("it is read"))
}

fn set(control: Control, setting: &Setting) -> Set {
    Set { control, setting: setting.clone() }
}

fn number(control: Control, number: i64) -> Set {
    Set { control, setting: Setting::Number(number) }
}

/// The whole chain under overrides; nothing where it refuses. The second part: our own rules find fault.
fn whole(text: &str, overrides: Overrides, exec: Option<&str>) -> Option<(Figure, bool)> {
    let input = Input { overrides, exec: exec.map(Into::into), ..Input::of(text) };
    let Estimated::Ready(ready) = estimate(&input) else { return None };
    let unlawful = [
        "heads_not_divided",
        "kv_heads_not_divided",
        "vocabulary_not_divided",
        "experts_not_divided",
        "sequence_not_divided",
        "shard_not_dividing",
        "shard_times_replicate",
        "expert_degrees_clamped",
    ];
    let is_lawful = ready.findings.iter().all(|found| !unlawful.contains(&found.diagnostic.code.name()));
    let verdict = &ready.report.verdict;
    let (peak, stage, fits, headroom) = (verdict.peak, verdict.stage, verdict.fits, verdict.headroom);
    Some((Figure { peak, stage, fits, headroom }, is_lawful))
}

/// Another overflow of each sample: a smaller device.
fn squeezed(text: &str) -> String {
    text.replace("64GB", "40GB").replace("80GB", "24GB")
}

#[test]
fn every_value_of_every_control_is_the_whole_chains() {
    let sets = [vec![], vec![number(Control::Tp, 2)], vec![number(Control::MicroBatch, 2), number(Control::Ep, 4)]];
    for text in SAMPLES {
        for sets in &sets {
            asked(text, sets, |what_if| check_all(what_if, text, None));
        }
    }
    asked(RECIPE, &sets[1], |what_if| check_all(what_if, RECIPE, None));
    for text in [VISION, LEGACY] {
        asked(text, &[], |what_if| check_all(what_if, text, None));
    }
}

/// An unpinned run with values laid over it before and an execution spec beside it.
#[test]
fn every_value_is_the_whole_chains_over_overrides_and_an_execution_spec() {
    const EXEC: &str = "recompute: [{first: 3, count: 20, option: selective}]\ngrad_bytes: 4\n";
    let (document, exec) = (document::parse(DEEPSEEK), document::parse_from(Source::Execution, EXEC));
    let (document, exec) = (document.expect("YAML").value, exec.expect("YAML").value);
    let exec = facts::execution::read(&exec).expect("a spec").value;
    let overrides = Overrides::none().with("accelerator.tp_size", Value::Integer(4));
    let run = Run {
        document: &document,
        choice: &ModelChoice::Catalogue("deepseek-ai/deepseek-moe-16b-base".into()),
        devices: None,
        exec: Some(&exec),
        accountant: Accountant::default(),
        overrides: &overrides,
        sets: &[number(Control::Pp, 4)],
        pinned: false,
    };
    let what_if = WhatIf::new(run).expect("it is read");
    check_all(&what_if, &DEEPSEEK.replace("deepseek-ai/DeepSeek-V3", "deepseek-ai/deepseek-moe-16b-base"), Some(EXEC));
}

fn check_all(what_if: &WhatIf<'_>, text: &str, exec: Option<&str>) {
    for control in Control::ALL {
        let Ok(strip) = what_if.strip(*control) else { continue };
        assert!(strip.candidates.iter().any(|candidate| candidate.setting == strip.present));
        for candidate in &strip.candidates {
            let overrides = what_if.overrides(&[set(*control, &candidate.setting)]);
            let whole = overrides.and_then(|overrides| whole(text, overrides, exec));
            let about = (control.name(), &candidate.setting);
            assert_eq!(candidate.outcome.figure(), whole.map(|(figure, _)| figure), "{about:?}");
            let runs = matches!(candidate.outcome, Outcome::Runs(_));
            assert_eq!(runs, whole.is_some_and(|(_, is_lawful)| is_lawful), "{about:?}");
        }
    }
}

#[test]
fn a_value_is_of_one_of_three_classes() {
    let class = |control, value| asked(QWEN, &[], |what_if| what_if.value(control, Setting::Number(value)).outcome);
    assert!(matches!(class(Control::Tp, 2), Outcome::Runs(_)));
    let Outcome::PricedOnly(_, reason) = class(Control::Tp, 8) else { panic!("the key/value heads do not divide") };
    assert_eq!(reason.code.name(), "kv_heads_not_divided");
    let refused = Outcome::Refused(Reason::Control(Refusal::DevicesNotDivided { devices: 8, product: 16 }));
    assert_eq!(class(Control::Tp, 16), refused);
    let name = Setting::Name("1F1B".into());
    let Outcome::Refused(Reason::Run(reason)) =
        asked(QWEN, &[], |what_if| what_if.value(Control::Schedule, name).outcome)
    else {
        panic!("no schedule has this name")
    };
    assert_eq!(reason.code.name(), "schedule_unknown");
}

#[test]
fn a_strip_leaves_no_trace_of_where_its_control_stood() {
    let moved_and_back =
        asked(DEEPSEEK, &[number(Control::Tp, 4)], |what_if| what_if.strip(Control::Tp).expect("it moves"));
    let untouched = asked(DEEPSEEK, &[], |what_if| what_if.strip(Control::Tp).expect("it moves"));
    let figures = |strip: &shardmem::whatif::Strip| -> Vec<(Setting, Option<Figure>)> {
        strip.candidates.iter().map(|candidate| (candidate.setting.clone(), candidate.outcome.figure())).collect()
    };
    assert_eq!(figures(&moved_and_back), figures(&untouched));
}

/// The promise of the sample's own comment, and of the issue: DP shard 8, EP 16 or TP 2, one step each.
#[test]
fn the_opening_sample_is_mended_by_one_step() {
    let fixes = asked(DEEPSEEK, &[], |what_if| what_if.fixes(MOST_ESTIMATES));
    let gib = |control: Control, to: i64| {
        let is = |fix: &&Fix| fix.steps[0].control == control && fix.steps[0].to == Setting::Number(to);
        let fix = fixes.singles.iter().find(is).unwrap_or_else(|| panic!("{} {to}", control.name()));
        (fix.figure.peak.value() / GIB * 10.0).round() / 10.0
    };
    assert_eq!(gib(Control::DpShard, 8), 63.9);
    assert_eq!(gib(Control::Ep, 16), 39.0);
    assert_eq!(gib(Control::Tp, 2), 58.6);
    let cheapest = &fixes.singles[0];
    assert_eq!((cheapest.cost, cheapest.steps[0].control), (Cost::Sharding, Control::DpShard));
    assert!(fixes.pairs.is_empty() && fixes.is_complete);
}

/// Exhaustive: what fits and could run is told, and nothing else is; each figure is the whole chain's.
#[test]
fn no_single_step_is_missed_and_none_is_invented() {
    for text in SAMPLES.map(str::to_owned).into_iter().chain(SAMPLES.map(squeezed)) {
        asked(&text, &[], |what_if| {
            let present = whole(&text, Overrides::none(), None).expect("an estimate").0;
            let fixes = what_if.fixes(0);
            let is_sorted = fixes.singles.is_sorted_by_key(|fix| fix.cost);
            assert!(is_sorted && (present.fits == Fits::No || fixes.singles.is_empty()));
            let mut fitting = 0;
            for control in remedies().filter(|control| control.key(what_if.facts()).is_ok()) {
                for setting in control.values(what_if.facts()) {
                    let step = [set(control, &setting)];
                    let is_told = |fix: &&Fix| fix.steps[0].control == control && fix.steps[0].to == setting;
                    let told = fixes.singles.iter().find(is_told);
                    let whole = what_if.overrides(&step).and_then(|overrides| whole(&text, overrides, None));
                    let fits = whole.filter(|(figure, is_lawful)| *is_lawful && figure.fits == Fits::Yes);
                    let fits = fits.filter(|_| present.fits == Fits::No && keeps_batch(what_if, control, &setting));
                    assert_eq!(told.map(|fix| fix.figure), fits.map(|(figure, _)| figure), "{step:?}");
                    fitting += usize::from(fits.is_some());
                }
            }
            assert_eq!(fixes.singles.len(), fitting);
        });
    }
}

/// The controls that may mend an overflow: all but those that change what is trained or on what.
fn remedies() -> impl Iterator<Item = Control> {
    let changes_the_training = [
        Control::DpReplicate,
        Control::Schedule,
        Control::CpAlgorithm,
        Control::MicroBatches,
        Control::GlobalBatch,
        Control::SequenceLength,
        Control::Optimizer,
        Control::MainParams,
        Control::ParamDtype,
        Control::ComputeDtype,
        Control::Device,
        Control::DeviceMemory,
    ];
    Control::ALL.iter().copied().filter(move |control| !changes_the_training.contains(control))
}

fn keeps_batch(what_if: &WhatIf<'_>, control: Control, setting: &Setting) -> bool {
    let run = &what_if.facts().run;
    let Setting::Number(size) = setting else { return true };
    control != Control::MicroBatch || run.global_batch.value % (size * run.data_parallel.value) == 0
}

#[test]
fn pairs_are_sought_where_no_single_step_does() {
    let mut found = 0;
    for (text, memory) in [(DEEPSEEK, "30GB"), (QWEN, "16GB"), (QWEN, "20GB"), (LLAMA, "8GB")] {
        let text = text.replace("64GB", memory).replace("80GB", memory);
        asked(&text, &[], |what_if| {
            let fixes = what_if.fixes(MOST_ESTIMATES);
            assert!(fixes.is_complete, "{} estimates", fixes.estimates);
            assert!(fixes.singles.is_empty() || fixes.pairs.is_empty());
            for fix in &fixes.pairs {
                let steps: Vec<Set> = fix.steps.iter().map(|step| set(step.control, &step.to)).collect();
                let whole = whole(&text, what_if.overrides(&steps).expect("they can be set"), None);
                assert_eq!((steps.len(), whole), (2, Some((fix.figure, true))), "{steps:?}");
                assert_eq!(fix.figure.fits, Fits::Yes);
                found += 1;
            }
            for fix in fixes.pairs.iter().take(2) {
                let [far, near] = [0, 1].map(|at| &fix.steps[at]);
                assert_eq!(
                    distance_by_trying_all(what_if, &text, far.control, near.control),
                    Some(distance(what_if, fix))
                );
            }
            let bounded = what_if.fixes(10);
            assert!(bounded.pairs.is_empty());
            assert_eq!(bounded.is_complete, !fixes.singles.is_empty());
        });
    }
    assert!(found >= 5, "{found}");
}

fn steps_away(values: &[Setting], from: &Setting, to: &Setting) -> usize {
    let at = |wanted| values.iter().position(|value| value == wanted).expect("a value of the control");
    at(from).abs_diff(at(to))
}

/// How many values both controls move, the second on the facts that the first leaves.
fn distance(what_if: &WhatIf<'_>, fix: &Fix) -> usize {
    let [first, second] = [&fix.steps[0], &fix.steps[1]];
    let behind = behind(what_if, first.control, &first.to).expect("it can be set");
    steps_away(&first.control.values(what_if.facts()), &first.from, &first.to)
        + steps_away(&second.control.values(&behind), &second.from, &second.to)
}

fn behind(what_if: &WhatIf<'_>, control: Control, to: &Setting) -> Option<Facts> {
    let overrides = what_if.overrides(&[set(control, to)])?;
    Some(facts::read(what_if.run().document, &ModelChoice::Named, &overrides, None).ok()?.value)
}

/// The same for the nearest of all pairs of values that fit.
fn distance_by_trying_all(what_if: &WhatIf<'_>, text: &str, first: Control, second: Control) -> Option<usize> {
    let (present, values) = (first.setting(what_if.facts()), first.values(what_if.facts()));
    let mut nearest = None;
    for to in values.iter().filter(|to| **to != present) {
        let Some(facts) = behind(what_if, first, to) else { continue };
        let (from, further) = (second.setting(&facts), second.values(&facts));
        for then in further.iter().filter(|then| **then != from) {
            let Some(overrides) = what_if.overrides(&[set(first, to), set(second, then)]) else { continue };
            let fits =
                whole(text, overrides, None).is_some_and(|(figure, is_lawful)| is_lawful && figure.fits == Fits::Yes);
            if fits && keeps_batch(what_if, second, then) {
                let distance = steps_away(&values, &present, to) + steps_away(&further, &from, then);
                nearest = Some(nearest.map_or(distance, |nearest: usize| nearest.min(distance)));
            }
        }
    }
    nearest
}

#[test]
fn the_longest_sequence_fits_and_the_next_does_not() {
    for text in SAMPLES.map(str::to_owned).into_iter().chain(SAMPLES.map(squeezed)) {
        asked(&text, &[], |what_if| {
            let priced = |length: i64| {
                let overrides = what_if.overrides(&[number(Control::SequenceLength, length)]).expect("it can be set");
                whole(&text, overrides, None).expect("an estimate").0
            };
            match what_if.longest_sequence() {
                Some(Limit { value, figure, next, search, .. }) => {
                    assert_eq!(priced(value), figure);
                    assert_eq!((figure.fits, value % 128), (Fits::Yes, 0));
                    let (longer, exceeding) = next.expect("no device holds the longest");
                    assert_eq!((longer, priced(longer)), (value + 128, exceeding));
                    assert_eq!((exceeding.fits, search), (Fits::No, Search::Halving));
                    assert!((1..=64).all(|steps| priced(value + steps * 128).fits == Fits::No));
                }
                None => assert_eq!(priced(128).fits, Fits::No),
            }
        });
    }
}

/// With fewer micro-batches than stages a buffer falls as the sequence grows, so nothing is inferred: all values are tried.
#[test]
fn where_more_may_mean_less_every_value_is_tried() {
    let few = DEEPSEEK.replace("global_batch_size: 1024", "global_batch_size: 64").replace("64GB", "192GB");
    let few = few.replace("mode: full", "mode: selective");
    let limit = asked(&few, &[], |what_if| what_if.longest_sequence().expect("some length fits"));
    assert_eq!(limit.search, Search::Scan);
    assert!(limit.estimates > 1000);
}

#[test]
fn the_largest_micro_batch_is_the_largest_that_fits_and_keeps_the_batch() {
    for text in [QWEN.replace("64GB", "96GB"), LLAMA.to_owned(), DEEPSEEK.replace("64GB", "96GB")] {
        asked(&text, &[], |what_if| {
            let limit = what_if.largest_micro_batch().expect("one sequence fits");
            let run = &what_if.facts().run;
            let most = run.global_batch.value / run.data_parallel.value;
            let fitting = (1..=most).rev().find(|size| {
                let step = number(Control::MicroBatch, *size);
                keeps_batch(what_if, Control::MicroBatch, &step.setting)
                    && whole(&text, what_if.overrides(&[step]).expect("it can be set"), None)
                        .is_some_and(|(figure, _)| figure.fits == Fits::Yes)
            });
            assert_eq!(Some(limit.value), fitting);
        });
    }
    // Where their number does not depend on their size.
    for text in [
        LLAMA.replace("micro_batch_size: 1", "micro_batch_size: 1\n  micro_batch_num: 8"),
        LLAMA.replace("  global_batch_size: 32\n", ""),
    ] {
        let limit = asked(&text, &[], |what_if| what_if.largest_micro_batch().expect("one sequence fits"));
        assert_eq!((limit.search, limit.next.map(|(value, _)| value)), (Search::Halving, Some(limit.value + 1)));
    }
}

#[test]
fn the_fewest_recomputed_layers_fit_and_one_less_does_not() {
    let interleaved = DEEPSEEK
        .replace("pp_size: 16", "pp_size: 4\n  pp_interleave_num: 2")
        .replace("dp_shard_size: 4", "dp_shard_size: 32")
        .replace("deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3.1-70B");
    let mut asked_of = 0;
    for text in [LLAMA.replace("80GB", "40GB"), DEEPSEEK.replace("ep_size: 8 ", "ep_size: 16 "), interleaved] {
        for option in [RecomputeOption::Full, RecomputeOption::Selective] {
            asked(&text, &[], |what_if| {
                let Some(fewest) = what_if.fewest_recomputed(option) else { return };
                asked_of += 1;
                let by_counts = |counts: &[Vec<i64>]| {
                    let (full, selective) = match option {
                        RecomputeOption::Full => (format!("{counts:?}"), "false".to_owned()),
                        _ => ("false".to_owned(), format!("{counts:?}")),
                    };
                    let exec = format!("full_recompute: {full}\nselective_recompute: {selective}\n");
                    whole(&text, Overrides::none(), Some(&exec)).expect("an estimate").0
                };
                let counts: Vec<Vec<i64>> = fewest.counts.iter().map(|row| row.to_vec()).collect();
                assert_eq!(by_counts(&counts), fewest.figure);
                assert_eq!(fewest.figure.fits, Fits::Yes);
                assert_eq!(counts.iter().flatten().sum::<i64>(), i64::from(fewest.layers));
                let option_name = if option == RecomputeOption::Full { "full" } else { "selective" };
                let ranges: Vec<String> = fewest
                    .ranges
                    .as_deref()
                    .expect("no V")
                    .iter()
                    .map(|range| {
                        format!(
                            "{{first: {}, count: {}, option: {option_name}}}",
                            range.first,
                            range.count.expect("closed")
                        )
                    })
                    .collect();
                let exec = format!("recompute: [{}]\n", ranges.join(", "));
                assert_eq!(
                    whole(&text, Overrides::none(), Some(&exec)).expect("an estimate").0,
                    fewest.figure,
                    "{exec}"
                );
                for (chunk, stage) in
                    (0..counts.len()).flat_map(|chunk| (0..counts[0].len()).map(move |stage| (chunk, stage)))
                {
                    if counts[chunk][stage] > 0 {
                        let mut less = counts.clone();
                        less[chunk][stage] -= 1;
                        assert_eq!(by_counts(&less).fits, Fits::No, "one less on stage {stage}, chunk {chunk}");
                    }
                }
            });
        }
    }
    assert!(asked_of >= 4, "{asked_of}");
}
