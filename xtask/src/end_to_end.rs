//! What the Node scripts of `tests/e2e` need: the built page, served, and word of where everything is.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::server::{self, Site};
use crate::tools::{Tool, Toolbox};
use crate::{Outcome, build, sizes};

/// What every script runs on.
pub(crate) const TOOLS: [Tool; 2] = [Tool::Chromium, Tool::Playwright];

const FOLDER: &str = "tests/e2e";

/// The sub-path under which the built page is driven: nobody hosts it at the root of a domain.
const BASE: &str = "/internal/tools/shardmem/";

/// A `node` that is told of a server, which lives as long as this process, and of the browser.
pub(crate) fn node(toolbox: &Toolbox) -> Outcome<Command> {
    let site = Site::new(build::DIST, BASE);
    let listener = server::listen(0)?;
    let mut command = toolbox.command("node");
    command.env("SHARDMEM_URL", server::address(&listener, &site)?);
    command.env("SHARDMEM_CHROMIUM", toolbox.place(Tool::Chromium));
    command.env("SHARDMEM_PLAYWRIGHT", toolbox.place(Tool::Playwright));
    server::start(listener, site);
    Ok(command)
}

/// A script that is no test, by its name.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

/// Every test: the files `*.test.mjs`.
pub(crate) fn tests() -> Outcome<Vec<PathBuf>> {
    let mut files = sizes::files_below(Path::new(FOLDER))?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    if files.is_empty() { Err(format!("there is no test in {FOLDER}")) } else { Ok(files) }
}
