//! `cargo xtask docs`: writes the documents of `docs/` that are made from the program itself, or sees that they are current.

mod diagnostics;
mod formulas;

use std::fs;

use crate::console::say;
use crate::{Outcome, USAGE, take_flag};

/// Where a document stands, and what makes it.
type Document = (&'static str, fn() -> Outcome<String>);

const DOCUMENTS: [Document; 2] = [("docs/diagnostics.md", diagnostics::render), ("docs/formulas.md", formulas::render)];

/// Writes every document; with `--check` compares.
pub(crate) fn docs(mut arguments: Vec<String>) -> Outcome {
    let check = take_flag(&mut arguments, "--check");
    if !arguments.is_empty() {
        return Err(format!("docs takes --check or nothing\n\n{USAGE}"));
    }
    for (path, render) in DOCUMENTS {
        write(path, &render()?, check, "docs")?;
    }
    Ok(())
}

/// Writes a generated file, or with `check` sees that it is what `cargo xtask COMMAND` would write.
pub(crate) fn write(path: &str, text: &str, check: bool, command: &str) -> Outcome {
    if !check {
        fs::write(path, text).map_err(|error| format!("cannot write {path}: {error}"))?;
        say(&format!("wrote {path}: {} bytes", text.len()));
    } else if fs::read_to_string(path).is_ok_and(|written| written == text) {
        say(&format!("{path} is current"));
    } else {
        return Err(format!("{path} is stale; write it with `cargo xtask {command}`"));
    }
    Ok(())
}
