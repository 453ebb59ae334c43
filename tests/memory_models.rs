//! Which memory model answers, under which policies, and what stands beside its figure.

use shardmem::diagnostics::Severity;
use shardmem::estimate::{Input, Outcome, Ready, compared, estimate};
use shardmem::facts::Overrides;
use shardmem::memory::MemoryModel;
use shardmem::report::Fits;
use shardmem::report::exports::csv;
use shardmem::report::measured::{Figure, MARK, read};

const LLAMA: &str = include_str!("../data/samples/llama-3.1-8b-8.yaml");

fn input(memory_model: &str, policies: &[(&str, &str)]) -> Input {
    let policies = policies.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Input { memory_model: memory_model.into(), policies, ..Input::of(LLAMA) }
}

fn ready(outcome: Outcome) -> Ready {
    match outcome {
        Outcome::Ready(ready) => *ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

fn with(input: Input, overrides: &[(&str, &str)]) -> Input {
    let mut laid = Overrides::none();
    for (path, value) in overrides {
        laid.set_text(path, value).expect("a value");
    }
    Input { overrides: laid, ..input }
}

#[test]
fn the_model_that_is_asked_for_answers_and_the_other_stands_beside() {
    for (name, other) in [("sapp_nd", "fsdp2"), ("fsdp2", "sapp_nd")] {
        let alone = ready(estimate(&input(name, &[])));
        assert_eq!((alone.memory_model.name(), alone.breakdown.memory_model), (name, name));
        assert_eq!(alone.report.other, None);
        let both = ready(compared(&input(name, &[])));
        assert_eq!(both.breakdown, alone.breakdown);
        let beside = both.report.other.expect("the other has a figure");
        let by_itself = ready(estimate(&input(other, &[]))).report;
        assert_eq!(
            (beside.memory_model, beside.peak, beside.fits),
            (other, by_itself.verdict.peak, by_itself.verdict.fits)
        );
        assert_eq!(beside.band, by_itself.verdict.band);
        assert_eq!(beside.stages, by_itself.stages.iter().map(|stage| stage.peak).collect::<Vec<_>>());
    }
}

#[test]
fn the_references_own_figures_are_null_under_the_ledger() {
    let json = ready(estimate(&input("fsdp2", &[]))).json();
    let stages = json.stages.expect("stages");
    assert!(stages.iter().all(|stage| stage.held.is_none() && stage.dynamic.is_none() && stage.printed_mib.is_none()));
    let band = json.band.expect("a band");
    assert!(band.low <= band.expected && band.expected <= band.high);
    assert!(json.tight.is_some() && json.policies.0.iter().any(|(name, value)| name == "norm" && value == "eager"));
    let reference = ready(estimate(&input("sapp_nd", &[]))).json();
    assert_eq!((reference.band, reference.tight, reference.measured), (None, None, None));
}

#[test]
fn policies_of_both_are_taken_and_those_in_force_are_listed() {
    let choices = [("cm-norms", "own"), ("loss", "chunked:2048")];
    let listed = |name: &str| ready(estimate(&input(name, &choices))).json().policies.0;
    let has = |listed: &[(String, serde_json::Value)], name: &str, value: &str| {
        listed.iter().any(|(policy, chosen)| policy == name && chosen == value)
    };
    assert!(has(&listed("sapp_nd"), "cm-norms", "own") && !listed("sapp_nd").iter().any(|(name, _)| name == "loss"));
    assert!(has(&listed("fsdp2"), "loss", "chunked:2048"));
    let wrong = estimate(&input("fsdp2", &[("loss", "chunked:0"), ("norms", "fused")]));
    let codes: Vec<&str> = wrong.findings().iter().map(|found| found.diagnostic.code.name()).collect();
    assert!(codes.ends_with(&["policy_value_unknown", "policy_unknown"]), "{codes:?}");
    assert_eq!(wrong.json().memory_model, "fsdp2");
}

#[test]
fn what_the_reference_prices_and_no_run_can_have_is_an_error_of_the_ledger() {
    for (overrides, code) in [
        (&[("accelerator.tp_size", "16"), ("context.device_num", "64")][..], "kv_heads_not_divided"),
        (
            &[("accelerator.cp_size", "3"), ("context.device_num", "24"), ("accelerator.tp_size", "1")],
            "sequence_not_divided",
        ),
        (&[("fsdp_config.dp_shard_size", "3")], "shard_not_dividing"),
    ] {
        let severity = |outcome: &Outcome| {
            let found = outcome.findings().iter().find(|found| found.diagnostic.code.name() == code);
            found.unwrap_or_else(|| panic!("{code} in {:?}", outcome.findings())).diagnostic.severity
        };
        let reference = compared(&with(input("sapp_nd", &[]), overrides));
        assert_eq!(severity(&reference), Severity::Warning, "{code}");
        assert_eq!(ready(reference).report.other, None, "{code}");
        let ledger = estimate(&with(input("fsdp2", &[]), overrides));
        assert_eq!(severity(&ledger), Severity::Error, "{code}");
        assert!(matches!(ledger, Outcome::Rejected(_)), "{code}");
    }
}

#[test]
fn a_measured_peak_stands_beside_the_prediction() {
    let measured = |text: &str| estimate(&Input { measured: Some(text.into()), ..input("sapp_nd", &[]) });
    let report = ready(measured("31GiB")).report;
    let seen = report.measured.expect("measured");
    assert_eq!(seen.predicted, report.verdict.peak);
    assert!((seen.error - (report.verdict.peak.gib() / 31.0 - 1.0)).abs() < 1e-12);
    let refused = measured("much");
    assert!(refused.findings().iter().any(|found| found.diagnostic.code.name() == "measured_unreadable"));
    assert!(matches!(refused, Outcome::Rejected(_)));
}

#[test]
fn tables_have_the_others_column_where_it_is_known() {
    let both = csv(&ready(compared(&input("sapp_nd", &[]))).report);
    assert!(both.starts_with("stage,layers,instant,category,item,certainty,bytes,fsdp2-peak\r\n"));
    let columns = |line: &str| line.matches(',').count();
    assert!(both.lines().all(|line| columns(line) == 7), "{both}");
    assert!(csv(&ready(estimate(&input("sapp_nd", &[]))).report).lines().all(|line| columns(line) == 6));
}

#[test]
fn an_unknown_model_answers_with_nothing_and_a_name() {
    let outcome = estimate(&input("fsdp3", &[]));
    let Outcome::Rejected(rejected) = &outcome else { panic!("refused") };
    assert_eq!((&*rejected.asked, rejected.memory_model), ("fsdp3", MemoryModel::default()));
    assert_eq!(outcome.json().memory_model, "fsdp3");
}

#[test]
fn the_verdict_of_the_ledger_is_that_of_its_band() {
    let report = |memory: &str| {
        let input = with(input("fsdp2", &[]), &[("context.max_device_memory", memory)]);
        ready(estimate(&input)).report
    };
    assert_eq!(report("900GB").verdict.fits, Fits::Yes);
    let verdict = report("1GB").verdict;
    assert_eq!(verdict.fits, Fits::No);
    let band = verdict.band.expect("a band");
    assert_eq!(verdict.judged, band.expected);
    let between = f64::midpoint(band.expected.value(), band.high.value());
    assert_eq!(report(&format!("{between:.0}B")).verdict.fits, Fits::Tight);
}

#[test]
fn what_the_script_prints_is_read() {
    let (script, document) = (include_str!("../docs/measure.py"), include_str!("../docs/measure.md"));
    assert!(script.contains(&format!("MARK = \"{MARK}\"\n")));
    let printed = document.split("```\n").nth(1).expect("what it prints");
    let amount = read(printed).expect("an amount");
    assert_eq!((amount.bytes.value(), amount.figure), (58_230_243_328.0, Figure::Allocated));
}
