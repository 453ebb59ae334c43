//! `cargo xtask build`: the page, as it is put on a server.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::console::say;
use crate::steps::Steps;
use crate::tools::{self, Tool, Toolbox};
use crate::{Outcome, pack, process, sizes};

/// Where the page is built.
pub(crate) const DIST: &str = "dist";

/// What the page is built with.
pub(crate) const TOOLS: [Tool; 4] = [Tool::WasmTarget, Tool::Trunk, Tool::WasmBindgen, Tool::WasmOpt];

/// Builds the page and weighs all of its files, the late part apart.
pub(crate) fn build() -> Outcome {
    page()?;
    say("");
    let mut files = sizes::files_below(Path::new(DIST))?;
    files.retain(|file| !sizes::is_late(file));
    sizes::table(&sizes::weigh(Path::new(DIST), &files)?);
    sizes::late(Path::new(DIST))
}

/// Builds the page in two told steps, its tools first.
pub(crate) fn page() -> Outcome {
    let mut steps = Steps::new(2);
    let toolbox = steps.step("tools of the page", || tools::ensure(&TOOLS))?;
    steps.step("page, release", || release(&toolbox))
}

/// Where cargo puts the page's module, below its target folder: target, profile (`index.html` names it) and program.
const LINKED: &str = "wasm32-unknown-unknown/page/shardmem-app.wasm";

/// Builds the page into [`DIST`], small for the wire.
pub(crate) fn release(toolbox: &Toolbox) -> Outcome {
    // Trunk is told to stay offline; what it will need is fetched here, with cargo's own errors.
    process::run(Command::new("cargo").args(["fetch", "--locked"]), process::nothing)?;
    // Trunk reads this variable and takes nothing but true and false.
    let mut trunk = toolbox.command("trunk");
    trunk.args(["build", "--release", "--features", "cut", "--dist", DIST]).env("NO_COLOR", "true");
    process::run(trunk.env("CARGO_ENCODED_RUSTFLAGS", flags()), process::nothing)?;
    pack::pack(toolbox, Path::new(DIST), &target_folder()?.join(LINKED))
}

/// For `CARGO_ENCODED_RUSTFLAGS`: what keeps this machine's folders out of the texts of panics, and the linker's notes of
/// what names what, by which the module is cut.
fn flags() -> String {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let folders =
        registries.into_iter().flatten().filter_map(|entry| entry.ok()?.path().into_os_string().into_string().ok());
    let paths = folders.map(|folder| format!("--remap-path-prefix={folder}=crates"));
    let flags: Vec<String> = paths.chain(["-Clink-arg=--emit-relocs".to_owned()]).collect();
    flags.join("\u{1f}")
}

/// Where cargo builds, as cargo itself says.
pub(crate) fn target_folder() -> Outcome<PathBuf> {
    let said = process::output(Command::new("cargo").args(["metadata", "--no-deps", "--format-version", "1"]));
    let metadata: serde_json::Value = said.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or_default();
    metadata["target_directory"].as_str().map(PathBuf::from).ok_or_else(|| "cargo names no target folder".to_owned())
}
