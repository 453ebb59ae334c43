//! Makes the built page small for the wire: what stands in `dist` afterwards does the same with two thirds of the bytes that
//! it would otherwise take.
//!
//! The module is cut in two, what the first load needs and what may come later (`cut`), and so are the styles. Names that
//! nobody reads become short, what nothing calls goes, style sheets become one, and the code of the module is taken apart
//! into streams that compress better (`streams`); `app/unpack.js` puts it together again.

mod cut;
mod glue;
mod module;
mod order;
mod streams;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use crate::tools::Toolbox;
use crate::{Outcome, build, process};

/// What `wasm-opt` is told. Nothing stands below address 1024: the stack grows down to there, and would have to be full.
const OPTIMIZED: [&str; 5] = ["-Oz", "--converge", "--low-memory-unused", "--strip-debug", "--strip-producers"];
/// And what it is told once the functions have the names they are sorted by.
const SORTED: [&str; 3] = ["--reorder-functions-by-name", "--strip-debug", "--strip-target-features"];

/// The custom section that holds the module taken apart; `app/boot.js` looks for it.
const PACKED: &str = "packed";

/// How the files of the late part begin.
pub(crate) const LATE: &str = "shardmem-late-";
/// And how its style sheets begin as they come from Trunk.
const LATE_STYLES: &str = "late-";

/// Packs the page that stands in a folder, whose module was linked into this file.
pub(crate) fn pack(toolbox: &Toolbox, folder: &Path, linked: &Path) -> Outcome {
    let page = folder.join("index.html");
    let (html, late_styles) = merge_styles(folder, &read(&page)?)?;
    let stem = stem(folder)?;
    for old in ["_bg.wasm", ".js"].map(|ending| folder.join(format!("{stem}{ending}"))) {
        remove(&old)?;
    }
    let between = build::target_folder()?.join("cut");
    let halves = cut::cut(toolbox, linked, &between)?;
    let script = text::without_comments(&halves.script);
    let shared = halves.late.as_deref().map(cut::imported).transpose()?.unwrap_or_default();
    let (main, glue) = glue::shorten(&halves.main, &script, &shared)?;
    let main = Packed::new(toolbox, &between, &main)?;
    let late = halves.late.map(|late| Packed::new(toolbox, &between, &late)).transpose()?;
    let late = late.map(|late| (format!("{LATE}{:016x}.wasm", hash(&[&late.file])), late));
    let glue = late.iter().fold(glue, |glue, (module, _)| cut::with_late_files(&glue, module, &late_styles));
    let fresh = format!("shardmem-{:016x}", hash(&[&main.file, glue.as_bytes()]));
    write(&folder.join(format!("{fresh}.js")), glue.as_bytes())?;
    for script in ["boot.js", "unpack.js"].map(|name| folder.join(name)) {
        write(&script, text::without_comments(&read(&script)?).as_bytes())?;
    }
    write(&page, html.replace(&stem, &fresh).as_bytes())?;
    let files: Vec<(String, Packed)> = [(format!("{fresh}_bg.wasm"), main)].into_iter().chain(late).collect();
    for (name, module) in &files {
        write(&folder.join(name), &module.file)?;
    }
    check(toolbox, folder, &between, &files)
}

/// A module in its smallest form.
struct Packed {
    /// As it is put on a server.
    file: Vec<u8>,
    /// As the page must put it together.
    whole: Vec<u8>,
}

impl Packed {
    fn new(toolbox: &Toolbox, between: &Path, module: &[u8]) -> Outcome<Self> {
        let file = between.join("packed.wasm");
        write(&file, module)?;
        rewrite(toolbox, &OPTIMIZED, &file)?;
        write(&file, &order::name_by_likeness(&bytes(&file)?)?)?;
        rewrite(toolbox, &SORTED, &file)?;
        let module = bytes(&file)?;
        let packed = module::container(PACKED, &streams::take_apart(&module)?);
        Ok(Self { file: packed, whole: streams::put_together(&module)? })
    }
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

/// One style sheet in the place of several, without the comments, and one that the late part brings with it. Gives the page
/// with a link to the first, and the name of the second.
fn merge_styles(folder: &Path, html: &str) -> Outcome<(String, String)> {
    let is_link = |line: &&str| line.contains(r#"rel="stylesheet""#);
    let links = html.lines().filter(is_link).filter_map(|line| text::attribute(line, "href"));
    let names = links.map(|link| link.trim_start_matches("./"));
    let (late, first): (Vec<&str>, Vec<&str>) = names.partition(|name| name.starts_with(LATE_STYLES));
    let name = merged(folder, &first, "page-")?;
    let link = format!("<link rel=\"stylesheet\" href=\"./{name}\" />");
    let mut lines = Vec::new();
    for line in html.lines() {
        if !is_link(&line) {
            lines.push(line);
        } else if !lines.contains(&&*link) {
            lines.push(&link);
        }
    }
    Ok((lines.join("\n"), merged(folder, &late, LATE)?))
}

/// Puts one style sheet into the place of several, in their order; gives its name.
fn merged(folder: &Path, names: &[&str], stem: &str) -> Outcome<String> {
    let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let styles: String = files.iter().map(|file| read(file)).collect::<Outcome<_>>()?;
    let styles = text::style(&styles);
    let name = format!("{stem}{:016x}.css", hash(&[styles.as_bytes()]));
    files.iter().try_for_each(|file| remove(file))?;
    write(&folder.join(&name), styles.as_bytes())?;
    Ok(name)
}

/// Whether the page's own script puts the modules together as they were meant, and whether the second fits into the first.
fn check(toolbox: &Toolbox, folder: &Path, between: &Path, files: &[(String, Packed)]) -> Outcome {
    const SCRIPT: &str = "
        const { unpack } = await import(process.argv[1]);
        const { readFileSync } = await import('node:fs');
        let [main, imports] = [];
        for (let at = 2; at < process.argv.length; at += 2) {
            const outer = new WebAssembly.Module(readFileSync(process.argv[at]));
            const [packed] = WebAssembly.Module.customSections(outer, 'packed');
            const inner = unpack(new Uint8Array(packed));
            if (!readFileSync(process.argv[at + 1]).equals(inner)) throw new Error('another module came out');
            const module = new WebAssembly.Module(inner);
            imports = {};
            for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => 0;
            const { exports } = new WebAssembly.Instance(module, main ? { __wasm_split: main } : imports);
            main ??= exports;
        }";
    let script = std::path::absolute(folder.join("unpack.js")).map_err(|error| format!("no such path: {error}"))?;
    let mut command = toolbox.command("node");
    command.args(["--input-type=module", "--eval", SCRIPT]).arg(format!("file://{}", script.display()));
    for (name, module) in files {
        let expected = between.join(name);
        write(&expected, &module.whole)?;
        command.arg(folder.join(name)).arg(expected);
    }
    process::run(&mut command, process::nothing)
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

fn remove(file: &Path) -> Outcome {
    fs::remove_file(file).map_err(|error| format!("cannot remove {}: {error}", file.display()))
}
