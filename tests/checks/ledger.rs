//! `ledger.json`: a model and a layout in; peak, phase, phase peaks, composition and saved activations of the ledger out.

use super::ledger_case::Case;
use serde_json::Value;
use shardmem::memory::ledger::slots::{Amounts, Tracked};
use shardmem::memory::ledger::{Phase, Walked};

/// The tolerance of the file, relative.
const TOLERANCE: f64 = 1e-6;

/// Checks one case.
pub fn run(case: &Value) -> Result<(), String> {
    let walked = Case::of(case)?.walked(case)?;
    let out = &case["out"];
    near("out.peak", &out["peak"], walked.peak_point().total, TOLERANCE)?;
    for (name, phase) in PHASES {
        if let Some(expected) = out["phase_peaks"].get(name) {
            near(&format!("out.phase_peaks.{name}"), expected, walked.phases[phase as usize], TOLERANCE)?;
        }
    }
    let phase = peak_phase(&walked);
    if out["phase"].as_str() != Some(phase) {
        return Err(format!("out.phase: expected {}, got {phase}", out["phase"]));
    }
    let live = &walked.peak_point().live;
    for (name, expected) in out["by_category"].as_object().ok_or("the case has no composition")? {
        let category = tracked(name).ok_or_else(|| format!("out.by_category.{name}: no such category"))?;
        near(&format!("out.by_category.{name}"), expected, live.tracked(category), TOLERANCE)?;
    }
    unnamed_categories(&out["by_category"], live)?;
    near("out.saved_end_of_forward", &out["saved_end_of_forward"], walked.saved_end_of_forward, TOLERANCE)?;
    near("out.saved_after_loss", &out["saved_after_loss"], walked.saved_after_loss, TOLERANCE)
}

/// Phases by the names of goldens and measurements.
pub const PHASES: [(&str, Phase); 6] = [
    ("forward", Phase::Forward),
    ("loss", Phase::Loss),
    ("backward", Phase::Backward),
    ("reduction", Phase::Reduction),
    ("between", Phase::Between),
    ("optimizer", Phase::Optimizer),
];

/// The phase that the peak lies in; on ties the first.
pub fn peak_phase(walked: &Walked) -> &'static str {
    let mut found = PHASES[0];
    for phase in PHASES {
        if walked.phases[phase.1 as usize] > walked.phases[found.1 as usize] {
            found = phase;
        }
    }
    found.0
}

/// A category by its name in the goldens.
fn tracked(name: &str) -> Option<Tracked> {
    CATEGORIES.into_iter().find(|category| format!("{category:?}") == name)
}

const CATEGORIES: [Tracked; 12] = [
    Tracked::ShardedParam,
    Tracked::OptState,
    Tracked::Inputs,
    Tracked::ShardedGrad,
    Tracked::UnshardedGrad,
    Tracked::Activation,
    Tracked::Recomputed,
    Tracked::Temp,
    Tracked::Gathered,
    Tracked::AllGather,
    Tracked::ReduceScatter,
    Tracked::OptimizerTemp,
];

/// What the case does not name is not there.
fn unnamed_categories(named: &Value, live: &Amounts) -> Result<(), String> {
    for category in CATEGORIES {
        let bytes = live.tracked(category);
        if named.get(format!("{category:?}")).is_none() && bytes > TOLERANCE * live.total() {
            return Err(format!("out.by_category: expected no {category:?}, got {bytes}"));
        }
    }
    Ok(())
}

/// Whether a number is within a relative tolerance of the expected one.
pub fn near(path: &str, expected: &Value, got: f64, tolerance: f64) -> Result<(), String> {
    let expected = expected.as_f64().ok_or_else(|| format!("{path}: expected {expected}"))?;
    let close = (got - expected).abs() <= tolerance * expected.abs();
    if close { Ok(()) } else { Err(format!("{path}: expected {expected}, got {got} ({:+e})", got / expected - 1.0)) }
}
