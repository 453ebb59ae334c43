//! `cargo xtask test`: everything that must hold before a change goes in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sizes;
use crate::steps::{Steps, Task, chosen};
use crate::tools::{Tool, Toolbox, WASM_TARGET};
use crate::{Outcome, accuracy, api, build, catalogue, docs, end_to_end, goldens, process};

const CHECKS: [Task<()>; 12] = [
    Task { name: "format", title: "rustfmt", tools: &[], work: format },
    Task { name: "catalogue", title: "catalogue is what was generated", tools: &[], work: catalogue_is_current },
    Task { name: "docs", title: "documents are what was generated", tools: &[], work: docs_are_current },
    Task { name: "lint", title: "clippy, native", tools: &[], work: lint },
    Task { name: "lint-wasm", title: "clippy, wasm32", tools: &[&[Tool::WasmTarget]], work: lint_wasm },
    Task { name: "native", title: "native tests", tools: &[], work: native },
    Task {
        name: "chromium",
        title: "browser tests of core and app, Chromium",
        tools: &[&[Tool::WasmTarget, Tool::WasmBindgen, Tool::Chromium, Tool::Chromedriver]],
        work: chromium,
    },
    Task {
        name: "firefox",
        title: "browser tests of core and app, Firefox",
        tools: &[&[Tool::WasmTarget, Tool::WasmBindgen, Tool::Firefox, Tool::Geckodriver]],
        work: firefox,
    },
    Task { name: "page", title: "page, release", tools: &[&build::TOOLS], work: build::release },
    Task { name: "api", title: "JavaScript API, release", tools: &[&api::TOOLS], work: api::release },
    Task {
        name: "e2e",
        title: "end to end, the built page under a sub-path",
        tools: &[&end_to_end::TOOLS],
        work: drive,
    },
    Task { name: "size", title: "size of the first load", tools: &[], work: size },
];

/// Runs the named checks, or all of them, in their order.
pub(crate) fn test(names: &[String]) -> Outcome {
    let (steps, _) = Steps::work(&chosen(&CHECKS, names)?)?;
    steps.summary();
    Ok(())
}

fn format(_: &Toolbox) -> Outcome {
    process::run(Command::new("cargo").args(["fmt", "--all", "--check"]), process::nothing)
}

fn catalogue_is_current(_: &Toolbox) -> Outcome {
    catalogue::catalogue(vec!["--check".to_owned()])
}

fn docs_are_current(_: &Toolbox) -> Outcome {
    docs::docs(vec!["--check".to_owned()])?;
    accuracy::accuracy(vec!["--check".to_owned()])
}

fn lint(_: &Toolbox) -> Outcome {
    let mut command = Command::new("cargo");
    command.args(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    process::run(&mut command, process::nothing)
}

/// What only exists for the browser: the API, the page, and their tests.
fn lint_wasm(toolbox: &Toolbox) -> Outcome {
    goldens::pack()?;
    let mut command = toolbox.command("cargo");
    command.arg("clippy").args(IN_BROWSER).args(["--lib", "--bins", "--", "-D", "warnings"]);
    process::run(&mut command, process::nothing)
}

fn native(_: &Toolbox) -> Outcome {
    let mut command = Command::new("cargo");
    command.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    process::run(&mut command, closing)
}

/// The packages that run in a browser, and their tests for it: every file or folder `tests/web*`.
const IN_BROWSER: [&str; 10] = [
    "--locked",
    "--target",
    WASM_TARGET,
    "--package",
    "shardmem",
    "--package",
    "shardmem-app",
    "--features",
    "shardmem/wasm",
    "--test=web*",
];

fn chromium(toolbox: &Toolbox) -> Outcome {
    in_browser(toolbox, "CHROMEDRIVER", toolbox.place(Tool::Chromedriver))
}

fn firefox(toolbox: &Toolbox) -> Outcome {
    in_browser(toolbox, "GECKODRIVER", toolbox.place(Tool::Geckodriver))
}

/// The second browser takes the modules that were compiled for the first.
fn in_browser(toolbox: &Toolbox, driver: &str, place: &Path) -> Outcome {
    goldens::pack()?;
    let mut command = toolbox.command("cargo");
    // The runner takes the first driver it is told of.
    for name in ["GECKODRIVER", "CHROMEDRIVER", "SAFARIDRIVER", "MSEDGEDRIVER"] {
        command.env_remove(name).env_remove(format!("{name}_REMOTE"));
    }
    command.env(driver, place);
    // In seconds. The runner's own 20 and 5 are short for two busy cores.
    command.env("WASM_BINDGEN_TEST_TIMEOUT", "300").env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "60");
    process::run(command.arg("test").args(IN_BROWSER), closing)
}

fn drive(toolbox: &Toolbox) -> Outcome {
    process::run(Command::new("cargo").args(["build", "--locked", "--bin", "shardmem"]), process::nothing)?;
    let target = build::target_folder()?;
    let mut command = end_to_end::node(toolbox)?;
    command.args(["--test", "--test-reporter=spec"]).args(end_to_end::tests()?);
    command.env("SHARDMEM_CLI", target.join("debug/shardmem")).env("SHARDMEM_FIRST_LOAD", target.join(FIRST_LOAD));
    process::run(&mut command, closing)
}

/// Where the end-to-end test notes which files the browser asked for: a JSON list of paths in `dist/`.
const FIRST_LOAD: &str = "first-load.json";

fn size(_: &Toolbox) -> Outcome {
    let list = build::target_folder()?.join(FIRST_LOAD);
    let text = fs::read_to_string(&list).map_err(|_| "no first load was seen yet: the check `e2e` comes before")?;
    let names: Vec<String> = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", list.display()))?;
    let folder = Path::new(build::DIST);
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let sum = sizes::table(&sizes::weigh(folder, &files)?);
    sizes::within("the first load", sum, sizes::FIRST_LOAD_BUDGET)?;
    sizes::late(folder)
}

/// The lines in which test runners sum up, and the goldens' own.
fn closing(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.starts_with("Running ") {
        return program(line);
    }
    let starts = ["test result: ", "Doc-tests ", "ℹ tests ", "ℹ pass ", "ℹ fail "];
    (starts.iter().any(|start| line.starts_with(start)) || golden(line)).then(|| line.to_owned())
}

/// `Running src/lib.rs (…/deps/crate-hash)` as `Running src/lib.rs of crate`; nothing for the browsers' runner, which
/// says of itself that it is running.
fn program(line: &str) -> Option<String> {
    let (source, place) = line.split_once(" (")?;
    let file = Path::new(place.trim_end_matches(')')).file_stem()?.to_str()?;
    Some(format!("{source} of {}", file.rsplit_once('-')?.0))
}

/// `FOLDER/NAME: passed/total`.
fn golden(line: &str) -> bool {
    let Some((name, figures)) = line.split_once(": ") else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.contains('/') && figures.split_once('/').is_some_and(|(passed, total)| is_number(passed) && is_number(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_told_from_the_rest() {
        for line in ["test result: ok. 12 passed; 0 failed; 0 ignored", "goldens/derive.json: 608/608"] {
            assert_eq!(closing(line).as_deref(), Some(line));
        }
        let running =
            "     Running unittests src/lib.rs (target/wasm32-unknown-unknown/debug/deps/shardmem_app-1f.wasm)";
        assert_eq!(closing(running).as_deref(), Some("Running unittests src/lib.rs of shardmem_app"));
        for line in [
            "Running headless tests in Chrome on `http://localhost/`",
            "test a_layer_is_placed ... ok",
            "see https://example.org: 1/x",
        ] {
            assert_eq!(closing(line), None);
        }
    }
}
