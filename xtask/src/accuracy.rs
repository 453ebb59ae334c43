//! `cargo xtask accuracy`: both memory models against measured peaks (ledger 7). Writes `docs/accuracy.md` and
//! `data/accuracy.csv`, which the page shows, and fails where the ledger leaves its limits.

#[expect(unreachable_pub, reason = "shared with the tests")]
#[path = "../../tests/checks/ledger_case.rs"]
mod ledger_case;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use ledger_case::{Case as Run, kept_gradient};
use serde_json::Value;
use shardmem::memory::ledger::{self, Moment, Phase, Walked};
use shardmem::memory::reference;
use shardmem::report::accuracy::{Case, Errors, PeakClass, Set};

use crate::console::say;
use crate::{Outcome, USAGE, docs, take_flag};

/// Where the measurements of the project stand.
const TRUTH: &str = "tests/truth";
const DOCUMENT: &str = "docs/accuracy.md";
const TABLE: &str = "data/accuracy.csv";

/// The phases that simulated cases measure, with the columns of the table.
const PHASES: [(&str, Phase); 4] = [
    ("forward", Phase::Forward),
    ("loss", Phase::Loss),
    ("backward", Phase::Backward),
    ("optimizer", Phase::Optimizer),
];

/// A case with everything that was measured of it.
struct Measured {
    case: Case<'static>,
    /// How far each of [`PHASES`] is off; none where it was not measured.
    phases: [Option<f64>; PHASES.len()],
    /// How far the activations kept for backward are off.
    saved: Option<f64>,
}

/// Writes table and document, or with `--check` sees that they are current. With `--truth DIR` only prints.
pub(crate) fn accuracy(mut arguments: Vec<String>) -> Outcome {
    let check = take_flag(&mut arguments, "--check");
    let elsewhere = match arguments.as_slice() {
        [] => None,
        [flag, folder] if flag == "--truth" && !check => Some(PathBuf::from(folder)),
        _ => return Err(format!("accuracy takes --check, --truth DIR or nothing\n\n{USAGE}")),
    };
    let measured = read(elsewhere.as_deref().unwrap_or(Path::new(TRUTH)))?;
    table::print(&measured);
    if elsewhere.is_none() {
        docs::write(DOCUMENT, &table::document(&measured), check, "accuracy")?;
        docs::write(TABLE, &table::csv(&measured), check, "accuracy")?;
    }
    limits(&measured)
}

/// Every case of a folder; sets that it does not have are left out.
fn read(folder: &Path) -> Outcome<Vec<Measured>> {
    let mut measured = Vec::new();
    for set in Set::ALL {
        let path = folder.join(format!("{}.json", set.id()));
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let file: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let cases = [&file, &file["cases"], &file["measured"]].into_iter().find_map(Value::as_array);
        let cases = cases.ok_or_else(|| format!("{} holds no cases", path.display()))?;
        for case in cases.iter().filter(|case| is_whole(set, case)) {
            let name = case["name"].as_str().unwrap_or_default();
            measured.push(measure(set, case).map_err(|error| format!("{name}: {error}"))?);
        }
    }
    if measured.is_empty() { Err(format!("{} holds no measurements", folder.display())) } else { Ok(measured) }
}

/// Of the published rows only those that say everything a run needs.
fn is_whole(set: Set, case: &Value) -> bool {
    set != Set::Published || case["completeness"].as_str().is_some_and(|said| said.starts_with("full"))
}

fn measure(set: Set, case: &Value) -> Outcome<Measured> {
    let run = Run::of(case)?;
    let name: &'static str = case["name"].as_str().unwrap_or_default().replace(',', ";").leak();
    let reference = reference::account(&run.config, &run.placement).value;
    if set == Set::Published {
        let breakdown = ledger::account(run.inputs(), run.policies).map_err(|errors| format!("{errors:?}"))?.value;
        let bands = ledger::bands(run.inputs(), &breakdown, run.policies);
        // nanotron's figure is its first stage's (ledger 7).
        let stage = if name.starts_with("nanotron") { 0 } else { breakdown.peak };
        let (memory, band) = (&breakdown.stages[stage], bands[stage]);
        let is_reserved = case["metric"].as_str().is_some_and(|metric| metric.contains("reserved"));
        let measured = case["measured_bytes"].as_f64().ok_or("no measured bytes")?;
        let case = Case {
            set,
            name,
            class: class(memory.instants[memory.peak].id),
            measured,
            ledger: if is_reserved { band.expected } else { memory.peak_bytes().value() },
            reference: reference.stages.get(stage).map(|stage| stage.peak_bytes().value()),
            band: Some((band.low, band.high)),
            artefact: if is_reserved { "reserved" } else { "" },
        };
        return Ok(Measured { case, phases: [None; PHASES.len()], saved: None });
    }
    let walked = run.walked(case)?;
    let bytes = &case["bytes"];
    let stage = case["pp_stage"].as_u64().and_then(|stage| usize::try_from(stage).ok()).unwrap_or(0);
    let error = |expected: &Value, got: f64| expected.as_f64().map(|expected| got / expected - 1.0);
    let phases = PHASES.map(|(phase, at)| error(&bytes["phase_peaks"][phase]["total"], walked.phases[at as usize]));
    Ok(Measured {
        case: Case {
            set,
            name,
            class: class(moment(&walked).id()),
            measured: bytes["peak"].as_f64().ok_or("no measured peak")?,
            ledger: walked.peak_point().total,
            reference: reference.stages.get(stage).map(|stage| stage.peak_bytes().value()),
            band: None,
            artefact: if kept_gradient(name) { "wrapper" } else { "" },
        },
        phases,
        saved: error(&bytes["saved_activations_end_of_forward_incl_logits"], walked.saved_end_of_forward),
    })
}

fn moment(walked: &Walked) -> Moment {
    walked.worst[walked.peak()].0
}

/// What makes up a peak at an instant.
fn class(instant: &str) -> PeakClass {
    match instant {
        "loss" | "backward-start" | "forward-end" => PeakClass::Loss,
        "head" | "embedding" | "embedding-cut" | "root-reduction" => PeakClass::Root,
        "optimizer-step" => PeakClass::Optimizer,
        _ => PeakClass::Layer,
    }
}

/// The limits of ledger 7, printed; an error where one is left.
fn limits(measured: &[Measured]) -> Outcome {
    let of = |set: Set| measured.iter().filter(move |measured| measured.case.set == set);
    let peaks = |set: Set| Errors::of(of(set).map(|measured| measured.case.ledger_error()));
    let clean = |set: Set| {
        let met = of(set).filter(|measured| measured.case.artefact.is_empty());
        Errors::of(met.map(|measured| measured.case.ledger_error()))
    };
    let saved = |set: Set| Errors::of(of(set).filter_map(|measured| measured.saved));
    let mut rows: Vec<(&str, f64, f64)> = Vec::new();
    if let (Some(peaks), Some(saved)) = (peaks(Set::Simulated), saved(Set::Simulated)) {
        rows.extend([
            ("simulated: saved activations, worst", saved.worst, 1e-4),
            ("simulated: peak, median", peaks.median, 1e-4),
            ("simulated: peak, 95 of 100", peaks.most, 1e-3),
            ("simulated: peak, worst", peaks.worst, 1e-2),
        ]);
    }
    if let (Some(peaks), Some(saved)) = (clean(Set::Parallel), saved(Set::Parallel)) {
        rows.extend([
            ("parallel: saved activations, worst", saved.worst, 2e-4),
            ("parallel: peak, worst without the tracker's artefacts", peaks.worst, 1e-4),
        ]);
    }
    let out = of(Set::Published).filter(|measured| {
        measured.case.band.is_none_or(|(low, high)| !(low..=high).contains(&measured.case.measured))
    });
    if peaks(Set::Published).is_some() {
        rows.push(("published: rows outside of the band", out.count() as f64, 0.0));
    }
    let mut left = 0;
    for (what, got, limit) in rows {
        let verdict = if got <= limit { "met" } else { "LEFT" };
        left += usize::from(got > limit);
        say(&format!("{what}: {}, limit {}: {verdict}", table::exactly(got), table::exactly(limit)));
    }
    if left == 0 { Ok(()) } else { Err(format!("{left} limits are left")) }
}
