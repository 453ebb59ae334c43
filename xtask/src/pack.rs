//! Makes the built page small for the wire: what stands in `dist` afterwards does the same with two thirds of the bytes that
//! it would otherwise take.
//!
//! Names that nobody reads become short, what nothing calls goes, style sheets become one, and the code of the module is
//! taken apart into streams that compress better (`streams`); `app/unpack.js` puts it together again.

mod glue;
mod module;
mod order;
mod streams;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use crate::tools::Toolbox;
use crate::{Outcome, process};

/// What `wasm-opt` is told. Nothing stands below address 1024: the stack grows down to there, and would have to be full.
const OPTIMIZED: [&str; 4] = ["-Oz", "--low-memory-unused", "--strip-debug", "--strip-producers"];
/// And what it is told once the functions have the names they are sorted by.
const SORTED: [&str; 3] = ["--reorder-functions-by-name", "--strip-debug", "--strip-target-features"];

/// The custom section that holds the module taken apart; `app/boot.js` looks for it.
const PACKED: &str = "packed";

/// Packs the page that stands in a folder.
pub(crate) fn pack(toolbox: &Toolbox, folder: &Path) -> Outcome {
    let page = folder.join("index.html");
    let html = merge_styles(folder, &read(&page)?)?;
    let stem = stem(folder)?;
    let (module, script) = (folder.join(format!("{stem}_bg.wasm")), folder.join(format!("{stem}.js")));
    let (shortened, glue) = glue::shorten(&bytes(&module)?, &text::without_comments(&read(&script)?))?;
    write(&module, &shortened)?;
    rewrite(toolbox, &OPTIMIZED, &module)?;
    write(&module, &order::name_by_likeness(&bytes(&module)?)?)?;
    rewrite(toolbox, &SORTED, &module)?;
    let whole = bytes(&module)?;
    let packed = module::container(PACKED, &streams::take_apart(&whole)?);
    let fresh = format!("shardmem-{:016x}", hash(&[&packed, glue.as_bytes()]));
    write(&folder.join(format!("{fresh}_bg.wasm")), &packed)?;
    write(&folder.join(format!("{fresh}.js")), glue.as_bytes())?;
    for old in [&module, &script] {
        fs::remove_file(old).map_err(|error| format!("cannot remove {}: {error}", old.display()))?;
    }
    for script in ["boot.js", "unpack.js"].map(|name| folder.join(name)) {
        write(&script, text::without_comments(&read(&script)?).as_bytes())?;
    }
    write(&page, html.replace(&stem, &fresh).as_bytes())?;
    check(toolbox, folder, &fresh, &streams::put_together(&whole)?)
}

/// The name that Trunk gave to the module and its script, without their endings.
fn stem(folder: &Path) -> Outcome<String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let names = listed.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let stems: Vec<String> = names.filter_map(|name| name.strip_suffix("_bg.wasm").map(str::to_owned)).collect();
    match <[String; 1]>::try_from(stems) {
        Ok([stem]) => Ok(stem),
        Err(stems) => Err(format!("{} modules stand in {}; one was expected", stems.len(), folder.display())),
    }
}

fn rewrite(toolbox: &Toolbox, how: &[&str], module: &Path) -> Outcome {
    process::run(toolbox.command("wasm-opt").args(how).arg(module).arg("-o").arg(module), process::nothing)
}

/// One style sheet in the place of several, without the comments; links keep their order.
fn merge_styles(folder: &Path, html: &str) -> Outcome<String> {
    let is_link = |line: &&str| line.contains(r#"rel="stylesheet""#);
    let files = html.lines().filter(is_link).filter_map(|line| text::attribute(line, "href"));
    let files: Vec<PathBuf> = files.map(|link| folder.join(link.trim_start_matches("./"))).collect();
    let styles: String = files.iter().map(|file| read(file)).collect::<Outcome<_>>()?;
    let styles = text::without_comments(&styles);
    let name = format!("page-{:016x}.css", hash(&[styles.as_bytes()]));
    for file in &files {
        fs::remove_file(file).map_err(|error| format!("cannot remove {}: {error}", file.display()))?;
    }
    write(&folder.join(&name), styles.as_bytes())?;
    let link = format!("<link rel=\"stylesheet\" href=\"./{name}\" />");
    let mut lines = Vec::new();
    for line in html.lines() {
        if !is_link(&line) {
            lines.push(line);
        } else if !lines.contains(&&*link) {
            lines.push(&link);
        }
    }
    Ok(lines.join("\n"))
}

/// Whether the page's own script puts the module together as it was meant.
fn check(toolbox: &Toolbox, folder: &Path, stem: &str, expected: &[u8]) -> Outcome {
    const SCRIPT: &str = "
        const { unpack } = await import(process.argv[1]);
        const { readFileSync } = await import('node:fs');
        const outer = new WebAssembly.Module(readFileSync(process.argv[2]));
        const [packed] = WebAssembly.Module.customSections(outer, 'packed');
        const inner = unpack(new Uint8Array(packed));
        if (!readFileSync(process.argv[3]).equals(inner)) throw new Error('another module came out');
        if (!WebAssembly.validate(inner)) throw new Error('no valid module came out');";
    let script = std::path::absolute(folder.join("unpack.js")).map_err(|error| format!("no such path: {error}"))?;
    let expected_file = folder.join("expected.tmp");
    write(&expected_file, expected)?;
    let mut command = toolbox.command("node");
    command.args(["--input-type=module", "--eval", SCRIPT]).arg(format!("file://{}", script.display()));
    command.arg(folder.join(format!("{stem}_bg.wasm"))).arg(&expected_file);
    let checked = process::run(&mut command, process::nothing);
    fs::remove_file(&expected_file).map_err(|error| format!("cannot remove {}: {error}", expected_file.display()))?;
    checked
}

/// FNV-1a, 64 bits: a name for what stands in a file.
fn hash(parts: &[&[u8]]) -> u64 {
    let add = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    parts.iter().copied().flatten().fold(0xcbf2_9ce4_8422_2325, add)
}

fn read(file: &Path) -> Outcome<String> {
    fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn bytes(file: &Path) -> Outcome<Vec<u8>> {
    fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn write(file: &Path, content: &[u8]) -> Outcome {
    fs::write(file, content).map_err(|error| format!("cannot write {}: {error}", file.display()))
}
