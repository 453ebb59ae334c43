//! `cargo xtask api`: the JavaScript API for other pages.

use std::fs;
use std::path::Path;

use crate::console::say;
use crate::steps::Steps;
use crate::tools::{self, Tool, Toolbox, WASM_TARGET};
use crate::{Outcome, build, process, sizes};

const FOLDER: &str = "dist/api";
const EXAMPLE: &str = "docs/api-example.html";
const MODULE: &str = "shardmem";

/// What the API is built with.
pub(crate) const TOOLS: [Tool; 3] = [Tool::WasmTarget, Tool::WasmBindgen, Tool::WasmOpt];

/// Builds the API and weighs it.
pub(crate) fn api() -> Outcome {
    let mut steps = Steps::new(2);
    let toolbox = steps.step("tools of the API", || tools::ensure(&TOOLS))?;
    steps.step("JavaScript API, release", || release(&toolbox))?;
    say("");
    sizes::table(&sizes::weigh(Path::new(FOLDER), &sizes::files_below(Path::new(FOLDER))?)?);
    Ok(())
}

/// Builds the API into [`FOLDER`]. It goes after the page, which clears its folder.
pub(crate) fn release(toolbox: &Toolbox) -> Outcome {
    module(toolbox, "wasm", Path::new(FOLDER))?;
    example()
}

/// Builds the core as a module of its own, with a feature, into a folder.
pub(crate) fn module(toolbox: &Toolbox, feature: &str, folder: &Path) -> Outcome {
    let mut cargo = toolbox.command("cargo");
    cargo.args(["rustc", "--locked", "--release", "--target", WASM_TARGET]);
    // Only here is the core a module of its own; as a crate type in its manifest it would be linked for the page too.
    cargo.args(["--package", MODULE, "--lib", "--crate-type", "cdylib", "--features", feature]);
    process::run(&mut cargo, process::nothing)?;

    let built = build::target_folder()?.join(WASM_TARGET).join("release").join(MODULE).with_extension("wasm");
    let mut bindgen = toolbox.command("wasm-bindgen");
    bindgen.args(["--target", "web", "--out-name", MODULE, "--out-dir"]).arg(folder).arg(built);
    process::run(&mut bindgen, process::nothing)?;

    let module = folder.join(format!("{MODULE}_bg.wasm"));
    let mut shrink = toolbox.command("wasm-opt");
    process::run(shrink.arg("-Oz").arg(&module).arg("-o").arg(&module), process::nothing)?;
    // Types of the raw exports; nobody calls those.
    let _ = fs::remove_file(module.with_extension("wasm.d.ts"));
    Ok(())
}

fn example() -> Outcome {
    let told = |error| format!("cannot copy {EXAMPLE}: {error}");
    fs::copy(EXAMPLE, format!("{FOLDER}/example.html")).map(|_| ()).map_err(told)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_readme_shows_the_example_as_it_is() {
        let (readme, example) = (include_str!("../../README.md"), include_str!("../../docs/api-example.html"));
        assert!(readme.contains(&format!("```html\n{example}```\n")));
    }
}
