//! `cargo xtask measure`: everything that has a budget in DESIGN section 6, timed on a quiet machine.

mod lighthouse;

use std::fs;
use std::path::Path;
use std::process::Command;

use lighthouse::Judged;

use crate::console::say;
use crate::server::{self, Site};
use crate::steps::{Steps, Task, chosen};
use crate::tools::Toolbox;
use crate::{Outcome, api, build, end_to_end, process};

const ROUNDS: usize = 5;

const PARTS: [Task<Measures>; 3] = [
    Task { name: "native", title: "core, native", tools: &[], work: native },
    Task { name: "page", title: "page, Chromium", tools: &[&build::TOOLS, &end_to_end::TOOLS], work: page },
    Task { name: "lighthouse", title: "page, Lighthouse", tools: &[&build::TOOLS, &lighthouse::TOOLS], work: scores },
];

/// What a part found.
#[derive(Default)]
struct Measures {
    figures: Vec<Figure>,
    scores: Vec<Judged>,
}

/// A budget: for the median, and for the 99th percentile; in seconds.
#[derive(Clone)]
struct Budget {
    median: f64,
    high: f64,
}

/// Where no own limit is stated for the 99th percentile it is twice the median's.
const fn within(median: f64) -> Budget {
    Budget { median, high: 2.0 * median }
}

/// What is timed in a program of its own: the name it gives its samples, what it is, the budget.
type Timed = (&'static str, &'static str, Budget);

const NATIVE: [Timed; 3] = [
    ("estimate DeepSeek-V3, 16 stages", "one estimate, native: DeepSeek-V3, PP 16", within(10e-6)),
    ("estimate 610 layers, 16 stages", "the same with 610 layers, against twice the row above", within(f64::NAN)),
    ("text to report, 10 KB", "text → report, 10 KB YAML, native", within(300e-6)),
];

const PAGE: [Timed; 3] = [
    ("estimate", "the same estimate in Chromium's wasm", within(20e-6)),
    ("slider", "slider to verdict, bars and table", Budget { median: 2e-3, high: 8e-3 }),
    ("load", "first load to usable", within(0.5)),
];

/// The samples of one timed thing, by round, in seconds.
#[derive(Clone)]
struct Figure {
    title: &'static str,
    rounds: Vec<Vec<f64>>,
    budget: Budget,
}

/// Times the named parts, or all, and fails where one is over its budget.
pub(crate) fn measure(names: &[String]) -> Outcome {
    let (_, parts) = Steps::work(&chosen(&PARTS, names)?)?;
    let (figures, scores): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.figures, part.scores)).unzip();
    let verdicts = [judge(&figures.concat()), lighthouse::judge(&scores.concat())];
    let failures: Vec<String> = verdicts.into_iter().filter_map(Result::err).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n       ")) }
}

fn scores(toolbox: &Toolbox) -> Outcome<Measures> {
    Ok(Measures { scores: lighthouse::run(toolbox)?, ..Measures::default() })
}

/// Prints every figure, then fails if one is over.
fn judge(figures: &[Figure]) -> Outcome {
    if figures.is_empty() {
        return Ok(());
    }
    let width = figures.iter().map(|figure| figure.title.chars().count()).max().unwrap_or(0);
    say(&format!("\n  {:<width$}  {:>9}  {:>9}  {:>9}  {:>9}", "of five rounds", "median", "worst", "99 %", "budget"));
    let mut over = Vec::new();
    for figure in figures {
        let cells = [figure.median(), figure.worst(), figure.high(), figure.budget.median].map(time);
        let note = if figure.is_over() { "  OVER" } else { "" };
        say(&format!(
            "  {:<width$}  {:>9}  {:>9}  {:>9}  {:>9}{note}",
            figure.title, cells[0], cells[1], cells[2], cells[3]
        ));
        over.extend(figure.is_over().then_some(figure.title));
    }
    if over.is_empty() { Ok(()) } else { Err(format!("over budget: {}", over.join("; "))) }
}

impl Figure {
    /// The middle one of the rounds' medians.
    fn median(&self) -> f64 {
        quantile(self.medians(), 0.5)
    }

    /// The slowest round's median.
    fn worst(&self) -> f64 {
        quantile(self.medians(), 1.0)
    }

    /// The 99th percentile of all samples.
    fn high(&self) -> f64 {
        quantile(self.rounds.concat(), 0.99)
    }

    fn medians(&self) -> Vec<f64> {
        self.rounds.iter().map(|round| quantile(round.clone(), 0.5)).collect()
    }

    fn is_over(&self) -> bool {
        // A figure without samples is NaN, and within no budget.
        let is_within = self.median() <= self.budget.median && self.high() <= self.budget.high;
        !is_within
    }
}

/// The smallest sample that at least `share` of all do not exceed; NaN where there is none.
fn quantile(mut samples: Vec<f64>, share: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    let behind = samples.iter().enumerate().find(|(index, _)| (index + 1) as f64 >= share * samples.len() as f64);
    behind.map_or(f64::NAN, |(_, sample)| *sample)
}

fn time(seconds: f64) -> String {
    match seconds {
        ..1e-3 => format!("{:.1} µs", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

/// The benches of the core, a run each round.
fn native(_: &Toolbox) -> Outcome<Measures> {
    let samples = build::target_folder()?.join("criterion");
    let wanted = format!("^({})$", NATIVE.map(|(name, ..)| name).join("|"));
    let mut figures = empty(NATIVE);
    for _ in 0..ROUNDS {
        let mut command = Command::new("cargo");
        command.args(["bench", "--locked", "--package", "shardmem", "--bench", "estimate", "--"]);
        command.args(["--noplot", "--warm-up-time", "0.5", "--measurement-time", "2", &wanted]);
        process::run(&mut command, process::nothing)?;
        for ((name, ..), figure) in NATIVE.iter().zip(&mut figures) {
            figure.rounds.push(criterion(&samples.join(name).join("new/sample.json"))?);
        }
    }
    // Time may grow with stages and kinds of layers, not with layers.
    figures[1].budget = within(2.0 * figures[0].median());
    Ok(Measures { figures, ..Measures::default() })
}

/// Seconds for one turn, by sample, as the bench noted them.
fn criterion(file: &Path) -> Outcome<Vec<f64>> {
    let noted = json(file)?;
    let numbers = |key: &str| -> Vec<f64> {
        noted[key].as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect()
    };
    Ok(numbers("times").iter().zip(numbers("iters")).map(|(nanoseconds, turns)| nanoseconds / turns / 1e9).collect())
}

/// The built page, in rounds of fresh profiles; the script notes milliseconds, by round, under each name.
fn page(toolbox: &Toolbox) -> Outcome<Measures> {
    build::release(toolbox)?;
    let notes = build::target_folder()?.join("measures.json");
    let mut command = end_to_end::node(toolbox)?;
    command.env("SHARDMEM_MEASURED", core(toolbox)?);
    command.arg(end_to_end::script("measure.mjs"));
    command.env("SHARDMEM_MEASURES", &notes).env("SHARDMEM_ROUNDS", ROUNDS.to_string());
    process::run(&mut command, process::nothing)?;
    let noted = json(&notes)?;
    let mut figures = empty(PAGE);
    for ((name, ..), figure) in PAGE.iter().zip(&mut figures) {
        for round in noted[name].as_array().into_iter().flatten() {
            let milliseconds = round.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64);
            figure.rounds.push(milliseconds.map(|milliseconds| milliseconds / 1e3).collect());
        }
    }
    Ok(Measures { figures, ..Measures::default() })
}

/// Builds the core with what only measures it, at the level it has outside the page, and serves it; gives the address.
fn core(toolbox: &Toolbox) -> Outcome<String> {
    let folder = build::target_folder()?.join("measured");
    api::module(toolbox, "measure", &folder)?;
    let page = folder.join("index.html");
    fs::write(&page, "<!doctype html>").map_err(|error| format!("cannot write {}: {error}", page.display()))?;
    let site = Site::new(folder, "/");
    let listener = server::listen(0)?;
    let address = server::address(&listener, &site)?;
    server::start(listener, site);
    Ok(address)
}

fn empty<const N: usize>(timed: [Timed; N]) -> Vec<Figure> {
    timed.into_iter().map(|(_, title, budget)| Figure { title, rounds: Vec::new(), budget }).collect()
}

fn json(file: &Path) -> Outcome<serde_json::Value> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_over_by_its_median_or_by_its_tail() {
        let figure = |rounds: &[&[f64]]| Figure {
            title: "",
            rounds: rounds.iter().map(|round| round.to_vec()).collect(),
            budget: within(2.0),
        };
        let calm = figure(&[&[1.0, 2.0, 3.0], &[1.0, 1.0, 1.0], &[3.0, 3.0, 3.0]]);
        assert_eq!((calm.median(), calm.worst(), calm.high()), (2.0, 3.0, 3.0));
        assert!(!calm.is_over());
        assert!(figure(&[&[2.1]]).is_over());
        assert!(figure(&[&[1.0, 1.0, 4.1]]).is_over());
    }

    #[test]
    fn a_figure_without_samples_is_over() {
        assert!(Figure { title: "", rounds: Vec::new(), budget: within(1.0) }.is_over());
    }

    #[test]
    fn times_are_shown_in_the_unit_that_fits() {
        assert_eq!([9.96e-6, 2e-3, 1.5].map(time), ["10.0 µs", "2.0 ms", "1.50 s"]);
    }
}
