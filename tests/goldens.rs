//! Every golden case of `tests/goldens/`, and of the folder that `SHARDMEM_GOLDENS` names, against the core.
//!
//! Prints `FOLDER/NAME: passed/total` for each file and the first differing field of each failing case. A case in
//! `tests/expected_failures.txt` may fail, and must: one that passes has to leave the list.
//! A program of its own, so that its figures are seen on every run.

mod checks;

use checks::{CHECKS, Check, cases, name_of};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, panic};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let expected = expected_failures(&root.join("tests/expected_failures.txt"));
    let mut tally = Tally { expected, ..Tally::default() };
    let own = root.join("tests/goldens");
    for (name, check) in CHECKS {
        match fs::read_to_string(own.join(name)) {
            Ok(text) => tally.file("tests/goldens", name, &text, *check),
            Err(error) => tally.faults.push(format!("tests/goldens/{name}: {error}")),
        }
    }
    tally.report_stale_names();
    if let Some(folder) = env::var_os("SHARDMEM_GOLDENS").filter(|folder| !folder.is_empty()) {
        tally.other_folder(&PathBuf::from(folder));
    }
    tally.finish()
}

/// The cases that may fail: `FILE/CASE`, a tab, the reason.
fn expected_failures(path: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path).expect("tests/expected_failures.txt is readable");
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (name, reason) = line.split_once('\t').unwrap_or_else(|| panic!("no reason beside `{line}`"));
            (name.to_owned(), reason.to_owned())
        })
        .collect()
}

#[derive(Default)]
struct Tally {
    expected: BTreeMap<String, String>,
    seen: Vec<String>,
    faults: Vec<String>,
}

impl Tally {
    fn other_folder(&mut self, folder: &Path) {
        let mut found = 0;
        for (name, check) in CHECKS {
            if let Ok(text) = fs::read_to_string(folder.join(name)) {
                found += 1;
                self.file(&folder.display().to_string(), name, &text, *check);
            }
        }
        if found == 0 {
            self.faults.push(format!("{}: none of the golden files is there", folder.display()));
        }
    }

    fn file(&mut self, folder: &str, name: &str, text: &str, check: Check) {
        let file: Value = match serde_json::from_str(text) {
            Ok(file) => file,
            Err(error) => return self.faults.push(format!("{folder}/{name}: {error}")),
        };
        let cases = cases(&file);
        if cases.is_empty() {
            self.faults.push(format!("{folder}/{name}: no case"));
        }
        let (mut passed, mut lines) = (0, Vec::new());
        for case in cases {
            let key = format!("{}/{}", name.trim_end_matches(".json"), name_of(case));
            match (guarded(check, case), self.expected.get(&key)) {
                (Ok(()), None) => passed += 1,
                (Ok(()), Some(_)) => {
                    passed += 1;
                    lines.push(format!("{key}: passes, take it off tests/expected_failures.txt"));
                }
                (Err(_), Some(_)) => {}
                (Err(difference), None) => lines.push(format!("{key}: {difference}")),
            }
            self.seen.push(key);
        }
        say(&format!("{folder}/{name}: {passed}/{}", cases.len()));
        for line in lines {
            say(&format!("    {line}"));
            self.faults.push(line);
        }
    }

    /// A name that no case of our own folder has says nothing about anything.
    fn report_stale_names(&mut self) {
        for name in self.expected.keys().filter(|name| !self.seen.contains(name)) {
            self.faults.push(format!("{name}: no such case, take it off tests/expected_failures.txt"));
        }
    }

    fn finish(self) -> ExitCode {
        let listed = self.expected.len();
        if listed > 0 {
            say(&format!("{listed} cases are expected to fail (tests/expected_failures.txt)"));
        }
        if self.faults.is_empty() {
            return ExitCode::SUCCESS;
        }
        say(&format!("{} faults:", self.faults.len()));
        for fault in self.faults.iter().take(40) {
            say(&format!("    {fault}"));
        }
        ExitCode::FAILURE
    }
}

/// Runs a check; a panic is a difference like any other.
fn guarded(check: Check, case: &Value) -> Result<(), String> {
    panic::catch_unwind(|| check(case)).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("no message")))
    })
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{line}");
}
