//! Tools that cargo builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::hold;
use crate::console::say;
use crate::{Outcome, process};

/// A package of programs at one version.
pub(super) struct Package {
    name: &'static str,
    version: &'static str,
    programs: &'static [&'static str],
    /// Level of optimization: what it costs to build against what it costs to run.
    level: &'static str,
    options: &'static [&'static str],
    /// How long it takes on two cores, to be told before it starts.
    minutes: &'static str,
}

/// The last version that the oldest compiler we build with takes (`rust-version`). It downloads nothing here, so it needs no TLS.
pub(super) const TRUNK: Package = Package {
    name: "trunk",
    version: "0.21.14",
    programs: &["trunk"],
    level: "0",
    options: &["--no-default-features"],
    minutes: "3 to 8",
};

pub(super) const GECKODRIVER: Package = Package {
    name: "geckodriver",
    version: "0.37.1",
    programs: &["geckodriver"],
    level: "1",
    options: &[],
    minutes: "1 to 2",
};

/// Command and crate must be of one version, so the lock file decides. It reads large modules: worth optimizing.
pub(super) fn wasm_bindgen() -> Outcome<Package> {
    Ok(Package {
        name: "wasm-bindgen-cli",
        version: locked("wasm-bindgen").ok_or("Cargo.lock names no wasm-bindgen")?,
        programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
        level: "1",
        options: &[],
        minutes: "2 to 3",
    })
}

/// The first program of the package, built if it is not there at this version.
pub(super) fn install(cache: &Path, package: &Package) -> Outcome<PathBuf> {
    let Package { name, version, .. } = package;
    let root = cache.join(format!("{name}-{version}"));
    let first = root.join("bin").join(package.programs[0]);
    if is_ready(&root, package) {
        return Ok(first);
    }
    let _held = hold(cache, &format!("{name}-{version}"))?;
    if !is_ready(&root, package) {
        say(&format!(
            "        {name} {version} is built once for all clones, {} minutes on two cores",
            package.minutes
        ));
        build(cache, &root, package)?;
    }
    if is_ready(&root, package) { Ok(first) } else { Err(format!("{} does not run", first.display())) }
}

fn build(cache: &Path, root: &Path, package: &Package) -> Outcome {
    let Package { name, version, .. } = package;
    let target = cache.join(format!("{name}-{version}.build"));
    let mut command = Command::new("cargo");
    command.args(["install", "--locked", "--force", name, "--version", version]).args(package.options);
    command.arg("--root").arg(root).arg("--target-dir").arg(&target);
    // The published profiles are made for distribution and take many times as long.
    command.envs([
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
        ("CARGO_PROFILE_RELEASE_OPT_LEVEL", package.level),
        ("CARGO_PROFILE_RELEASE_PANIC", "unwind"),
        ("CARGO_PROFILE_RELEASE_STRIP", "debuginfo"),
    ]);
    let built = process::run(&mut command, process::nothing);
    // The by-products take 1 to 2 GB; a folder that stays behind harms nobody.
    let _ = fs::remove_dir_all(&target);
    built
}

/// True where every program runs and names the version.
fn is_ready(root: &Path, package: &Package) -> bool {
    package.programs.iter().all(|program| {
        let said =
            process::output(Command::new(root.join("bin").join(program)).arg("--version").env_remove("NO_COLOR"));
        said.is_some_and(|said| said.split_whitespace().any(|word| word == package.version))
    })
}

/// The version of a crate in the workspace's lock file, as it was when xtask was compiled.
fn locked(name: &str) -> Option<&'static str> {
    let lock = include_str!("../../../Cargo.lock");
    let entry = lock.split("[[package]]").find(|entry| entry.contains(&format!("\nname = \"{name}\"\n")))?;
    entry.split_once("\nversion = \"")?.1.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_decides_on_wasm_bindgen() {
        let version = locked("wasm-bindgen").unwrap();
        assert!(version.starts_with("0.2."), "{version}");
        assert_eq!(locked("no-such-crate"), None);
    }
}
