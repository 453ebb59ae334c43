//! What comes with the system: the compiler's target and the browsers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Tool, WASM_TARGET};
use crate::console::say;
use crate::{Outcome, process};

/// The standard library of the target, added by rustup where it is missing.
pub(super) fn wasm_target() -> Outcome<PathBuf> {
    let place = || {
        let said = process::output(Command::new("rustc").args(["--print", "target-libdir", "--target", WASM_TARGET]))?;
        Some(PathBuf::from(said.trim())).filter(|folder| folder.is_dir())
    };
    if let Some(folder) = place() {
        return Ok(folder);
    }
    say(&format!("        {WASM_TARGET} is added by rustup"));
    let added = process::run(Command::new("rustup").args(["target", "add", WASM_TARGET]), process::nothing);
    let typed = format!("the target {WASM_TARGET} is missing; type: rustup target add {WASM_TARGET}");
    added.map_err(|failure| format!("{failure}\n{typed}"))?;
    place().ok_or(typed)
}

/// A browser or its driver.
struct Program {
    tool: Tool,
    /// Under which names it may stand on the PATH.
    names: &'static [&'static str],
    debian: &'static str,
    ubuntu: &'static str,
}

const PROGRAMS: [Program; 3] = [
    Program {
        tool: Tool::Chromium,
        names: &["chromium", "chromium-browser", "google-chrome"],
        debian: "chromium",
        ubuntu: "chromium-browser",
    },
    Program {
        tool: Tool::Chromedriver,
        names: &["chromedriver", "chromium.chromedriver"],
        debian: "chromium-driver",
        ubuntu: "chromium-chromedriver",
    },
    Program { tool: Tool::Firefox, names: &["firefox-esr", "firefox"], debian: "firefox-esr", ubuntu: "firefox" },
];

/// The asked ones of the browsers and drivers, installed by apt where they are missing and that is possible.
pub(super) fn browsers(tools: &BTreeSet<Tool>) -> Outcome<BTreeMap<Tool, PathBuf>> {
    let asked: Vec<&Program> = PROGRAMS.iter().filter(|program| tools.contains(&program.tool)).collect();
    let missing: Vec<&Program> =
        asked.iter().copied().filter(|program| process::find(program.names).is_none()).collect();
    if !missing.is_empty() {
        apt(&missing)?;
    }
    let mut places = BTreeMap::new();
    for program in asked {
        let place = process::find(program.names).ok_or_else(|| by_hand(&[program]))?;
        places.insert(program.tool, place);
    }
    if let (Some(browser), Some(driver)) = (places.get(&Tool::Chromium), places.get(&Tool::Chromedriver)) {
        same_major(browser, driver)?;
    }
    Ok(places)
}

fn apt(missing: &[&Program]) -> Outcome {
    let Some(prefix) = rights() else {
        return Err(by_hand(missing));
    };
    let packages = packages(missing);
    say(&format!("        apt installs {}", packages.join(", ")));
    let told = |failure| format!("{failure}\n{}", by_hand(missing));
    let run = |arguments: &[&str]| {
        let words: Vec<&str> =
            prefix.iter().copied().chain(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]).collect();
        process::run(Command::new(words[0]).args(&words[1..]).args(arguments), process::nothing)
    };
    run(&["update"]).map_err(told)?;
    let mut install = vec!["install", "--yes", "--no-install-recommends"];
    install.extend(&packages);
    run(&install).map_err(told)
}

/// What to put before a command that installs: nothing for root, sudo where it asks no password; else it cannot be.
fn rights() -> Option<&'static [&'static str]> {
    process::find(&["apt-get"])?;
    if process::output(Command::new("id").arg("-u"))?.trim() == "0" {
        return Some(&[]);
    }
    process::output(Command::new("sudo").args(["-n", "true"])).map(|_| ["sudo", "-n"].as_slice())
}

fn by_hand(missing: &[&Program]) -> String {
    let packages = packages(missing).join(" ");
    format!("a browser or its driver is missing; type: sudo apt-get install --no-install-recommends {packages}")
}

fn packages(programs: &[&Program]) -> Vec<&'static str> {
    let ubuntu = fs::read_to_string("/etc/os-release").is_ok_and(|text| text.lines().any(|line| line == "ID=ubuntu"));
    programs.iter().map(|program| if ubuntu { program.ubuntu } else { program.debian }).collect()
}

/// A driver only talks to the browser of its own major version.
fn same_major(browser: &Path, driver: &Path) -> Outcome {
    let (ours, theirs) = (version(browser), version(driver));
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if ours.as_deref().and_then(major) == theirs.as_deref().and_then(major) {
        return Ok(());
    }
    Err(format!(
        "{} is version {}, {} is version {}: both must have the same first number; install both from one source",
        browser.display(),
        ours.as_deref().unwrap_or("unknown"),
        driver.display(),
        theirs.as_deref().unwrap_or("unknown"),
    ))
}

/// The first word of `--version` that starts with a digit.
fn version(program: &Path) -> Option<String> {
    let said = process::output(Command::new(program).arg("--version"))?;
    said.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit())).map(str::to_owned)
}
