//! Every diagnostic code by example: `tests/diagnostics/CODE.yaml` (or `CODE.VARIANT.yaml`) is given to the command, with
//! the files beside it, and what the command says of it stands in `CODE.txt`. `SHARDMEM_RECORD=1` writes those anew.
//!
//! | beside `NAME.yaml` | means |
//! |---|---|
//! | `NAME.config.json` | `--config NAME.config.json` |
//! | `NAME.exec.yaml` | `--exec NAME.exec.yaml` |
//! | `NAME.arguments` | further arguments, one a line |
//! | `NAME.padding` | so many bytes of comment are put behind the text first |

use shardmem::diagnostics::{Code, Severity};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

/// Every example with what the command says of it.
static SAID: LazyLock<Vec<(String, String)>> =
    LazyLock::new(|| examples().into_iter().map(|example| (example.clone(), run(&example))).collect());

/// Codes that no text raises yet, and why they are there: the goldens of the derivation hold them.
const WITHOUT_EXAMPLE: [(Code, &str); 1] = [(
    Code::ExpertLayout,
    "a train.yaml is clamped (expert_degrees_clamped); a MindFormers file will be refused with it",
)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/diagnostics")
}

/// Every file of the folder, by name.
fn files() -> BTreeSet<String> {
    let entries = fs::read_dir(folder()).expect("the folder of examples");
    entries.map(|entry| entry.expect("a file").file_name().into_string().expect("a plain name")).collect()
}

/// The names of the examples, without `.yaml`.
fn examples() -> Vec<String> {
    let files = files();
    let runs = files.iter().filter(|file| !file.ends_with(".exec.yaml"));
    runs.filter_map(|file| file.strip_suffix(".yaml").map(str::to_owned)).collect()
}

fn code_of(example: &str) -> &str {
    example.split('.').next().unwrap_or(example)
}

#[test]
fn every_example_says_what_is_recorded() {
    let record = std::env::var_os("SHARDMEM_RECORD").is_some();
    let mut faults = Vec::new();
    for (example, said) in SAID.iter() {
        let path = folder().join(format!("{example}.txt"));
        if record {
            fs::write(&path, said).expect("written");
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        if recorded != *said {
            faults.push(format!("{example}: recorded\n{recorded}said\n{said}"));
        }
        if !said.contains(&format!("[{}]: ", code_of(example))) {
            faults.push(format!("{example}: its own code is not in\n{said}"));
        }
    }
    assert!(faults.is_empty(), "SHARDMEM_RECORD=1 records anew:\n{}", faults.join("\n"));
}

#[test]
fn every_code_of_every_severity_has_an_example() {
    let missing = |code: &&Code| {
        let mark = format!("{}[{}]: ", code.severity().name(), code.name());
        !SAID.iter().any(|(example, said)| code_of(example) == code.name() && said.contains(&mark))
    };
    let missing: Vec<&str> = Code::ALL.iter().filter(missing).map(|code| code.name()).collect();
    let allowed = WITHOUT_EXAMPLE.map(|(code, _)| code.name());
    assert_eq!(missing, allowed, "codes without tests/diagnostics/CODE.yaml (left), and those that may be (right)");
}

#[test]
fn every_file_belongs_to_an_example_of_a_code() {
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    let examples = examples();
    for file in files() {
        let owner = [".exec.yaml", ".config.json", ".arguments", ".padding", ".yaml", ".txt"]
            .iter()
            .find_map(|ending| file.strip_suffix(ending))
            .unwrap_or_else(|| panic!("{file} is of no kind that an example has"));
        assert!(examples.iter().any(|example| example == owner), "{file} belongs to no example");
        assert!(codes.contains(code_of(owner)), "{file} names no code");
    }
}

/// What the command says of an example. Its exit status must fit.
fn run(example: &str) -> String {
    let (folder, padded) = match padding(example) {
        None => (folder(), None),
        Some(bytes) => {
            let folder = pad(example, bytes);
            (folder.clone(), Some(folder))
        }
    };
    let output = Command::new(env!("CARGO_BIN_EXE_shardmem"))
        .current_dir(folder)
        .args(arguments(example))
        .output()
        .expect("the command starts");
    if let Some(folder) = padded {
        fs::remove_dir_all(folder).expect("removed");
    }
    check_status(example, &output);
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn check_status(example: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    let refused = said.contains(&format!("{}[", Severity::Error.name()));
    let expected = match (refused, said.starts_with("shardmem: ")) {
        (_, true) => 2,
        (true, false) => 1,
        (false, false) => 0,
    };
    assert_eq!(output.status.code(), Some(expected), "{example}: {said}");
}

fn arguments(example: &str) -> Vec<String> {
    let mut arguments = vec!["estimate".to_owned(), format!("{example}.yaml")];
    for (option, ending) in [("--config", "config.json"), ("--exec", "exec.yaml")] {
        let file = format!("{example}.{ending}");
        if folder().join(&file).exists() {
            arguments.extend([option.to_owned(), file]);
        }
    }
    if let Ok(further) = fs::read_to_string(folder().join(format!("{example}.arguments"))) {
        arguments.extend(further.lines().map(str::to_owned));
    }
    arguments
}

fn padding(example: &str) -> Option<usize> {
    let text = fs::read_to_string(folder().join(format!("{example}.padding"))).ok()?;
    Some(text.trim().parse().expect("a number of bytes"))
}

/// A folder with the example and so many bytes more.
fn pad(example: &str, bytes: usize) -> PathBuf {
    let padded = std::env::temp_dir().join(format!("shardmem-example-{}", std::process::id()));
    fs::create_dir_all(&padded).expect("a temporary folder");
    let name = format!("{example}.yaml");
    let mut text = fs::read_to_string(folder().join(&name)).expect("the example");
    let line = "# the run's log, pasted by mistake\n";
    text.push_str(&line.repeat(bytes.div_ceil(line.len())));
    fs::write(padded.join(name), text).expect("written");
    padded
}
