//! How near both models come, as text.

use std::fmt::Write;

use shardmem::report::accuracy::{Case, Errors, HEADS, PeakClass, Set};
use shardmem::units::GIB;

use super::{Measured, PHASES};
use crate::console::say;

const INTRODUCTION: &str = "\
# How accurate the two memory models are

Made by `cargo xtask accuracy`; `cargo xtask accuracy --truth DIR` holds both models against other measurements of the same form.

Every case is one training step whose peak is known. **Simulated** cases were recorded tensor by tensor with PyTorch's own memory
tracker on fake tensors: whole models under FSDP2 and tensor parallelism (`tests/truth/simulated.json`), and runs with accumulation,
pipeline, expert and context parallelism (`tests/truth/parallel.json`). **Published** ones were measured by others on real devices
(`tests/truth/published.json`; those rows that say everything a run needs). Both models price the same train.yaml.

`fsdp2` is the ledger: it walks a step and counts the tensors that are alive. `sapp_nd` is the reference, a cost model for ranking
layouts. For published rows the ledger's figure is what it expects to be reserved where the row says reserved, else the allocated
peak; all of them lie inside its band. The foreign codes behind these rows are described by policies that were settled by asking
which known behaviour explains them, so they show that the band is wide enough, not that the walk is exact.

Marked cases are not the run's own: *wrapper*: the tracker's wrapper of the gradient reduction keeps a unit's last gradient alive
until the reduction is over, which shows where a reduction's output is the peak; removing it removes exactly that. *reserved*: what
an allocator took, not what tensors needed.
";

/// The table that the page shows.
pub(super) fn csv(measured: &[Measured]) -> String {
    let mut text = format!("{HEADS}\n");
    let whole = |bytes: Option<f64>| bytes.map_or(String::new(), |bytes| format!("{bytes:.0}"));
    for Measured { case, .. } in measured {
        let (low, high) = (case.band.map(|band| band.0), case.band.map(|band| band.1));
        let figures = [Some(case.measured), Some(case.ledger), case.reference, low, high].map(whole).join(",");
        let _ = writeln!(text, "{},{},{},{figures},{}", case.set.id(), case.name, case.class.id(), case.artefact);
    }
    text
}

/// `docs/accuracy.md`.
pub(super) fn document(measured: &[Measured]) -> String {
    let mut text = format!("{INTRODUCTION}\n## Errors of the peak\n\n");
    summary(measured, &mut text);
    for set in Set::ALL {
        let _ = writeln!(text, "\n## Every case, {}\n", set.id());
        every_case(set, measured, &mut text);
    }
    text
}

/// The summary, on the terminal.
pub(super) fn print(measured: &[Measured]) {
    let mut text = String::new();
    summary(measured, &mut text);
    text.lines().for_each(say);
}

fn summary(measured: &[Measured], text: &mut String) {
    text.push_str(
        "| cases | peak in | count | fsdp2 median | 95 of 100 | worst | sapp_nd median | 95 of 100 | worst |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for set in Set::ALL {
        let classes = PeakClass::ALL.map(Some).into_iter().chain([None]);
        for class in classes {
            let cases: Vec<&Case<'_>> = measured
                .iter()
                .map(|measured| &measured.case)
                .filter(|case| case.set == set && class.is_none_or(|class| case.class == class))
                .collect();
            let errors = Errors::of(cases.iter().map(|case| case.ledger_error()));
            let Some(errors) = errors else { continue };
            let name = class.map_or("all", PeakClass::id);
            let reference = Errors::of(cases.iter().filter_map(|case| case.reference_error()));
            let cells = |errors: Errors| [errors.median, errors.most, errors.worst].map(share).join(" | ");
            let reference = reference.map_or_else(|| " | | ".to_owned(), cells);
            let _ = writeln!(text, "| {} | {name} | {} | {} | {reference} |", set.id(), errors.count, cells(errors));
        }
    }
}

fn every_case(set: Set, measured: &[Measured], text: &mut String) {
    let is_published = set == Set::Published;
    text.push_str("| case | peak in | measured GiB | fsdp2 GiB | error | sapp_nd GiB | error |");
    if is_published {
        text.push_str(" band GiB |");
    } else {
        text.push_str(" saved |");
        for (phase, _) in PHASES {
            let _ = write!(text, " {phase} |");
        }
    }
    text.push_str(" note |\n");
    let columns = if is_published { 9 } else { 9 + PHASES.len() };
    let _ = writeln!(text, "|{}", "---|".repeat(columns));
    for Measured { case, phases, saved } in measured.iter().filter(|measured| measured.case.set == set) {
        let reference = case.reference.map_or(String::new(), gib);
        let reference_error = case.reference_error().map_or(String::new(), signed);
        let figures = [gib(case.measured), gib(case.ledger), signed(case.ledger_error()), reference, reference_error];
        let _ = write!(text, "| {} | {} | {} |", case.name, case.class.id(), figures.join(" | "));
        if let Some((low, high)) = case.band {
            let _ = write!(text, " {} to {} |", gib(low), gib(high));
        } else {
            for error in [saved].into_iter().chain(phases) {
                let _ = write!(text, " {} |", error.map_or(String::new(), signed));
            }
        }
        let _ = writeln!(text, " {} |", case.artefact);
    }
}

fn gib(bytes: f64) -> String {
    format!("{:.2}", bytes / GIB)
}

/// A share with the digits that tell something.
fn share(error: f64) -> String {
    match error.abs() * 100.0 {
        percent if percent >= 1.0 => format!("{percent:.1} %"),
        percent if percent >= 0.005 => format!("{percent:.2} %"),
        percent if percent >= 0.000_05 => format!("{percent:.4} %"),
        _ => "0 %".to_owned(),
    }
}

fn signed(error: f64) -> String {
    let text = share(error);
    match error {
        _ if text == "0 %" => text,
        error if error < 0.0 => format!("−{text}"),
        _ => format!("+{text}"),
    }
}

/// A limit or what is held against it: a share of one, in percents.
pub(super) fn exactly(value: f64) -> String {
    if value >= 1.0 { format!("{value}") } else { format!("{:.6} %", value * 100.0) }
}
