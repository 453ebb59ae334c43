//! The tools, at pinned versions, in a folder of this project's own inside the user's cache.
//!
//! Every clone shares that folder; tools that the user has installed are neither used nor touched. Browsers come from
//! the system, through apt where it may be used.

mod cargo;
mod npm;
mod system;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, thread};

use crate::Outcome;

/// What the browser runs.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// What a command may need beyond the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    /// The standard library for [`WASM_TARGET`].
    WasmTarget,
    /// Builds the page.
    Trunk,
    /// `wasm-bindgen` and its test runner.
    WasmBindgen,
    /// Shrinks the built module.
    WasmOpt,
    /// Drives browsers in the end-to-end tests.
    Playwright,
    /// Judges the built page.
    Lighthouse,
    /// Drives Firefox in the browser tests.
    Geckodriver,
    /// The browser of the end-to-end tests, and one of the two of the browser tests.
    Chromium,
    /// Drives Chromium in the browser tests.
    Chromedriver,
    /// The other browser of the browser tests.
    Firefox,
}

/// The tools that were asked for, ready to run.
pub(crate) struct Toolbox {
    /// A program, or for [`Tool::Playwright`] and [`Tool::Lighthouse`] the folder that holds `node_modules`.
    places: BTreeMap<Tool, PathBuf>,
    path: OsString,
}

impl Toolbox {
    /// A command that sees the tools before anything else of the same name.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path);
        command
    }

    /// Where a tool that was asked for stands.
    pub(crate) fn place(&self, tool: Tool) -> &Path {
        self.places.get(&tool).expect("a step names every tool it uses")
    }
}

/// Makes the tools ready, installing what is missing: all at once, since each build has a long tail on one core.
pub(crate) fn ensure(tools: &[Tool]) -> Outcome<Toolbox> {
    let cache = &cache()?;
    let tools: &BTreeSet<Tool> = &tools.iter().copied().collect();
    let places: Vec<Outcome<Option<PathBuf>>> = thread::scope(|scope| {
        let running: Vec<_> = tools.iter().map(|&tool| scope.spawn(move || own(cache, tool))).collect();
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("an installation broke off".into())))
            .collect()
    });
    let mut known = BTreeMap::new();
    for (&tool, place) in tools.iter().zip(places) {
        known.extend(place?.map(|place| (tool, place)));
    }
    known.extend(system::browsers(tools)?);
    let path = path_with(&known)?;
    Ok(Toolbox { places: known, path })
}

/// Where a tool stands that this project installs for itself; none for the system's.
fn own(cache: &Path, tool: Tool) -> Outcome<Option<PathBuf>> {
    match tool {
        Tool::WasmTarget => system::wasm_target(),
        Tool::Trunk => cargo::install(cache, &cargo::TRUNK),
        Tool::WasmBindgen => cargo::install(cache, &cargo::wasm_bindgen()?),
        Tool::Geckodriver => cargo::install(cache, &cargo::GECKODRIVER),
        Tool::WasmOpt => npm::wasm_opt(cache),
        Tool::Playwright => npm::playwright(cache),
        Tool::Lighthouse => npm::lighthouse(cache),
        Tool::Chromium | Tool::Chromedriver | Tool::Firefox => return Ok(None),
    }
    .map(Some)
}

/// The folders of the pinned programs, then the PATH as it is.
fn path_with(places: &BTreeMap<Tool, PathBuf>) -> Outcome<OsString> {
    let pinned = [Tool::Trunk, Tool::WasmBindgen, Tool::WasmOpt];
    let own = pinned.iter().filter_map(|tool| places.get(tool)?.parent().map(Path::to_path_buf));
    let old = env::var_os("PATH").unwrap_or_default();
    env::join_paths(own.chain(env::split_paths(&old))).map_err(|error| format!("the PATH cannot be extended: {error}"))
}

/// `shardmem/tools` in the user's cache.
fn cache() -> Outcome<PathBuf> {
    let stated = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = stated.or_else(|| env::home_dir().map(|home| home.join(".cache")));
    let tools = cache.ok_or("there is no home folder to keep tools in: set XDG_CACHE_HOME")?.join("shardmem/tools");
    fs::create_dir_all(&tools).map_err(|error| format!("cannot make {}: {error}", tools.display()))?;
    Ok(tools)
}

/// Holds a name of the cache for this process alone until it is dropped: two clones may need the same tool at once.
fn hold(cache: &Path, name: &str) -> Outcome<File> {
    let place = cache.join(format!("{name}.lock"));
    let told = |error| format!("cannot lock {}: {error}", place.display());
    let file = File::create(&place).map_err(told)?;
    file.lock().map_err(told)?;
    Ok(file)
}
