//! The goldens again, in the browser: the same checks on the same files, packed by `cargo xtask`.
#![cfg(target_arch = "wasm32")]

mod checks;

use checks::{CHECKS, cases, name_of};
use std::collections::BTreeSet;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// A deflate stream of files: name's length (u32, little endian), name, content's length, content.
static PACK: &[u8] = include_bytes!(env!("SHARDMEM_GOLDEN_PACK"));

#[wasm_bindgen_test]
fn derive() {
    run("derive.json");
}

#[wasm_bindgen_test]
fn parse() {
    run("parse.json");
}

#[wasm_bindgen_test]
fn spec() {
    run("spec.json");
}

#[wasm_bindgen_test]
fn ranges() {
    run("ranges.json");
}

#[wasm_bindgen_test]
fn memory_vectors() {
    run("memory-vectors.json");
}

#[wasm_bindgen_test]
fn peaks() {
    run("peaks.json");
}

#[wasm_bindgen_test]
fn catalogue() {
    run("catalogue.json");
}

#[wasm_bindgen_test]
fn yamls() {
    run("yamls.json");
}

#[wasm_bindgen_test]
fn ledger() {
    run("ledger.json");
}

#[wasm_bindgen_test]
fn no_file_is_left_out() {
    assert_eq!(CHECKS.len(), 9, "a test of this file for each golden file");
}

fn run(file: &str) {
    let (_, check) = CHECKS.iter().find(|(name, _)| *name == file).expect("the file has a check");
    let golden = serde_json::from_str(&content(file)).expect("goldens are JSON");
    let expected: BTreeSet<&str> = include_str!("expected_failures.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t').map(|(name, _)| name))
        .collect();
    let (mut passed, mut faults) = (0, Vec::new());
    for case in cases(&golden) {
        let key = format!("{}/{}", file.trim_end_matches(".json"), name_of(case));
        match check(case) {
            Ok(()) => passed += 1,
            Err(_) if expected.contains(&*key) => {}
            Err(difference) => faults.push(format!("{key}: {difference}")),
        }
    }
    console_log!("tests/goldens/{file}: {passed}/{}", cases(&golden).len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn content(file: &str) -> String {
    let row = miniz_oxide::inflate::decompress_to_vec(PACK).expect("the pack is a deflate stream");
    let mut rest = &row[..];
    while !rest.is_empty() {
        let name = take(&mut rest);
        let content = take(&mut rest);
        if name == file.as_bytes() {
            return String::from_utf8(content.to_vec()).expect("goldens are UTF-8");
        }
    }
    panic!("{file} is not in the pack");
}

fn take<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let (length, behind) = rest.split_at(4);
    let length = u32::from_le_bytes(length.try_into().expect("four bytes"));
    let (part, behind) = behind.split_at(usize::try_from(length).expect("a length fits"));
    *rest = behind;
    part
}
