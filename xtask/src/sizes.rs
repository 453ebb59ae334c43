//! What the page weighs on the wire.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::console::say;
use crate::{Outcome, pack};

/// Everything that the first load requests, brotli (DESIGN section 6).
pub(crate) const FIRST_LOAD_BUDGET: usize = 300_000;

/// What comes when it is first asked for: a limit of ours, raised from 150,000 when the second memory model came into it.
pub(crate) const LATE_BUDGET: usize = 200_000;

const QUALITY: u32 = 11;
const WINDOW: u32 = 22;

/// One file as the server keeps it and as a compressing server sends it, in bytes.
pub(crate) struct Weight {
    name: String,
    raw: usize,
    brotli: usize,
}

/// Weighs `files`, which lie in `folder`.
pub(crate) fn weigh(folder: &Path, files: &[PathBuf]) -> Outcome<Vec<Weight>> {
    files.iter().map(|file| weigh_one(folder, file)).collect()
}

/// Prints one row a file and the sum, and returns the sum of the compressed sizes.
pub(crate) fn table(weights: &[Weight]) -> usize {
    let width = weights.iter().map(|weight| weight.name.len()).max().unwrap_or(0).max(6);
    say(&format!("        {:<width$}  {:>11}  {:>11}", "bytes", "raw", "brotli"));
    for weight in weights {
        say(&format!("        {:<width$}  {:>11}  {:>11}", weight.name, grouped(weight.raw), grouped(weight.brotli)));
    }
    let (raw, brotli) = weights.iter().fold((0, 0), |sum, weight| (sum.0 + weight.raw, sum.1 + weight.brotli));
    say(&format!("        {:<width$}  {:>11}  {:>11}", "in all", grouped(raw), grouped(brotli)));
    brotli
}

/// Weighs the late part in a built page, and says what it weighs, where there is one.
pub(crate) fn late(folder: &Path) -> Outcome {
    let files: Vec<PathBuf> = files_below(folder)?.into_iter().filter(|file| is_late(file)).collect();
    if files.is_empty() {
        return Ok(());
    }
    say("");
    within("the late part", table(&weigh(folder, &files)?), LATE_BUDGET)
}

/// Whether a file belongs to the late part.
pub(crate) fn is_late(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(pack::LATE))
}

/// Says how much of a budget is taken; an error where it is more.
pub(crate) fn within(what: &str, taken: usize, budget: usize) -> Outcome {
    say(&format!("        {what}: {} of {} bytes", grouped(taken), grouped(budget)));
    match taken.checked_sub(budget) {
        None | Some(0) => Ok(()),
        Some(more) => Err(format!("{what} takes {} bytes over its budget of {}", grouped(more), grouped(budget))),
    }
}

/// The files of a folder and its sub-folders, by name.
pub(crate) fn files_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))? {
        let path = entry.map_err(|error| format!("cannot list {}: {error}", folder.display()))?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for group in digits.as_bytes()[first..].chunks(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.extend(group.iter().map(|digit| char::from(*digit)));
    }
    text
}

fn weigh_one(folder: &Path, file: &Path) -> Outcome<Weight> {
    let content = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
    let brotli = compressed(&content).map_err(|error| format!("cannot compress {name}: {error}"))?;
    Ok(Weight { name, raw: content.len(), brotli: brotli.len() })
}

/// As a compressing server sends it.
pub(crate) fn compressed(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = brotli::CompressorWriter::new(Vec::new(), 4096, QUALITY, WINDOW);
    writer.write_all(content)?;
    Ok(writer.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        let shown: Vec<String> = [0, 12, 999, 1000, 300_000, 1_234_567].map(grouped).into();
        assert_eq!(shown, ["0", "12", "999", "1,000", "300,000", "1,234,567"]);
    }

    #[test]
    fn a_budget_may_be_taken_to_the_end() {
        assert!(within("it", 3, 3).is_ok());
        assert_eq!(within("it", 1_004, 3), Err("it takes 1,001 bytes over its budget of 3".to_owned()));
    }

    #[test]
    fn the_late_part_is_told_by_its_name() {
        assert!(is_late(Path::new("dist/shardmem-late-0.wasm")));
        assert!(!is_late(Path::new("dist/shardmem-0_bg.wasm")));
    }

    #[test]
    fn brotli_shrinks_what_repeats() {
        assert!(compressed(&[b'a'; 10_000]).unwrap().len() < 50);
    }
}
