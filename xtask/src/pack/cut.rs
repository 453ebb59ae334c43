//! Cuts the linked module in two: what the first load needs, and the late part, which only `app/src/late.rs` reaches.
//!
//! The cut knows from the linker's own notes what names what, function tables and data included. Both halves keep their
//! places in one memory and one table, so that a call between them is a call through the table, and nothing is copied.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use wasm_split_cli_support as split;

use super::module::{self, Reader, kind};
use super::{bytes, read};
use crate::tools::Toolbox;
use crate::{Outcome, process};

/// What brings the late part, for the script; it names the files [`LATE_MODULE`] and [`LATE_STYLES`].
const BRINGS: &str = include_str!("../../../app/late.js");
const LATE_MODULE: &str = "./late.wasm";
const LATE_STYLES: &str = "./late.css";

/// The script that the main half takes [`BRINGS`] from: none of that name is written.
const LINK: &str = "./late.js";
/// The name that `wasm-bindgen` gives its files.
const STEM: &str = "page";

/// The module in two, and the script of the main half.
pub(super) struct Halves {
    pub(super) main: Vec<u8>,
    pub(super) script: String,
    /// None where nothing asks for the late part.
    pub(super) late: Option<Vec<u8>>,
}

/// Cuts a linked module, with a folder for what is between.
pub(super) fn cut(toolbox: &Toolbox, linked: &Path, folder: &Path) -> Outcome<Halves> {
    let linked = bytes(linked)?;
    let main = folder.join("main.wasm");
    let late = transform(&linked, folder, &main)?;
    let mut command = toolbox.command("wasm-bindgen");
    // The late part needs the table, which otherwise is nobody's business.
    command.args(["--target", "web", "--no-typescript", "--keep-lld-exports", "--out-name", STEM]).arg("--out-dir");
    process::run(command.arg(folder).arg(&main), process::nothing)?;
    let script = read(&folder.join(format!("{STEM}.js")))?;
    let main = bytes(&folder.join(format!("{STEM}_bg.wasm")))?;
    let script = if late.is_some() { with_loader(&script)? } else { script };
    Ok(Halves { main, script, late: late.map(|late| bytes(&late)).transpose()? })
}

/// The script, with the files of the late part under the names that they have now.
pub(super) fn with_late_files(script: &str, module: &str, styles: &str) -> String {
    let script = script.replace(LATE_MODULE, &format!("./{module}"));
    script.replace(LATE_STYLES, &format!("./{styles}"))
}

/// What a half takes from the other.
pub(super) fn imported(half: &[u8]) -> Outcome<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for section in module::sections(half)?.iter().filter(|section| section.kind == kind::IMPORTS) {
        let mut reader = Reader::new(&section.content);
        for _ in 0..reader.number()? {
            reader.text()?;
            names.insert(reader.text()?.to_owned());
            reader.span(module::import_type)?;
        }
    }
    Ok(names)
}

/// Writes the main half, and says where the late one stands.
fn transform(linked: &[u8], folder: &Path, main: &Path) -> Outcome<Option<PathBuf>> {
    let _ = fs::remove_dir_all(folder);
    let mut options = split::Options::new(linked);
    options.output_dir = folder;
    options.main_out_path = main;
    options.link_name = LINK;
    let halves = split::transform(options).map_err(|error| format!("the module cannot be cut: {error:#}"))?;
    match halves.split_modules.len() {
        0 | 1 => Ok(halves.split_modules.into_iter().next()),
        parts => Err(format!("the module was cut into {parts} late parts; one was expected")),
    }
}

/// The script with [`BRINGS`] in the place of the import that stands for it.
fn with_loader(script: &str) -> Outcome<String> {
    let told = || format!("the script takes the late part from nowhere: it has no import of {LINK}");
    let is_import = |line: &&str| line.starts_with("import * as ") && line.contains(LINK);
    let line = script.lines().find(is_import).ok_or_else(told)?;
    let name = line.split_whitespace().nth(3).ok_or_else(told)?;
    Ok(script.replacen(line, &BRINGS.replace("LATE", name), 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_import_becomes_what_brings_the_late_part() {
        let script = "import * as import1 from \"./late.js\"\nlet wasm;\nconst imports = { \"./late.js\": import1 };\n";
        let script = with_late_files(&with_loader(script).unwrap(), "part-1.wasm", "part-2.css");
        assert!(script.contains("const import1 = {"), "{script}");
        for name in ["part-1.wasm", "part-2.css"] {
            assert!(script.contains(&format!("new URL(\"./{name}\", import.meta.url)")), "{script}");
        }
        assert!(script.ends_with("let wasm;\nconst imports = { \"./late.js\": import1 };\n"), "{script}");
        assert!(!script.contains("import * as"), "{script}");
        assert!(with_loader("let wasm;\n").is_err());
    }

    #[test]
    fn a_half_says_what_it_takes() {
        let mut content = vec![1];
        module::push_text(&mut content, "__wasm_split");
        module::push_text(&mut content, "memory");
        content.extend([2, 0, 1]);
        let half = module::whole(&[module::Section { kind: kind::IMPORTS, content }]);
        assert_eq!(imported(&half), Ok(BTreeSet::from(["memory".to_owned()])));
        assert_eq!(imported(&module::whole(&[])), Ok(BTreeSet::new()));
    }
}
