//! Tools that come as npm packages, each set in a folder named by its lock file.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::hold;
use crate::console::say;
use crate::{Outcome, process};

const OLDEST_NODE: u32 = 20;

/// Binaryen's `wasm-opt`, compiled to JavaScript: newer than the distributions', and the same everywhere.
pub(super) fn wasm_opt(cache: &Path) -> Outcome<PathBuf> {
    let folder = install(cache, "binaryen", Path::new("xtask"), "node_modules/.bin/wasm-opt")?;
    Ok(folder.join("node_modules/.bin/wasm-opt"))
}

/// The folder in whose `node_modules` playwright-core is.
pub(super) fn playwright(cache: &Path) -> Outcome<PathBuf> {
    install(cache, "playwright-core", Path::new("tests/e2e"), "node_modules/playwright-core/package.json")
}

/// The folder in whose `node_modules` Lighthouse is.
pub(super) fn lighthouse(cache: &Path) -> Outcome<PathBuf> {
    install(cache, "lighthouse", Path::new("tests/lighthouse"), "node_modules/lighthouse/package.json")
}

/// The installed set of the `package-lock.json` in `source`; `proof` is a file that is there when it is complete.
fn install(cache: &Path, name: &str, source: &Path, proof: &str) -> Outcome<PathBuf> {
    node()?;
    let folder = cache.join(format!("{name}-{:016x}", fingerprint(&source.join("package-lock.json"))?));
    if folder.join(proof).exists() {
        return Ok(folder);
    }
    let held = hold(cache, name)?;
    if !folder.join(proof).exists() {
        say(&format!("        {name} is installed by npm, a few seconds"));
        unpack(source, &folder)?;
    }
    drop(held);
    if folder.join(proof).exists() { Ok(folder) } else { Err(format!("npm installed no {name}")) }
}

/// Installs beside the final place and moves there, so that nobody meets a half of it.
fn unpack(source: &Path, folder: &Path) -> Outcome {
    let partial = folder.with_extension("partial");
    let told = |error| format!("cannot prepare {}: {error}", partial.display());
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(told)?;
    }
    fs::create_dir_all(&partial).map_err(told)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(source.join(file), partial.join(file)).map_err(told)?;
    }
    let mut command = Command::new("npm");
    command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&partial);
    process::run(&mut command, process::nothing)?;
    fs::rename(&partial, folder).map_err(told)
}

/// Node, at a version that the packages run on.
fn node() -> Outcome {
    let version = process::output(Command::new("node").arg("--version"));
    let major =
        version.as_deref().and_then(|version| version.trim().strip_prefix('v')?.split('.').next()?.parse().ok());
    let npm = process::output(Command::new("npm").arg("--version"));
    match (major, npm) {
        (Some(OLDEST_NODE..), Some(_)) => Ok(()),
        (Some(OLDEST_NODE..), None) => Err("npm is missing; type: sudo apt-get install npm".to_owned()),
        (Some(found), _) => {
            Err(format!("Node {found} is too old: {OLDEST_NODE} or newer is needed, from https://nodejs.org"))
        }
        (None, _) => Err(format!(
            "Node is missing: {OLDEST_NODE} or newer is needed; type: sudo apt-get install nodejs npm \
             (or take it from https://nodejs.org where that is older)"
        )),
    }
}

fn fingerprint(file: &Path) -> Outcome<u64> {
    let content = fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    Ok(hasher.finish())
}
