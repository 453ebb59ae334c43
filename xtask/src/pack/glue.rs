//! The names between the module and its script: wasm-bindgen's are long, end in hashes, and stand in both files.

use std::collections::{BTreeMap, BTreeSet};

use super::module::{self, Reader, kind, push_number, push_text};
use super::text::words;
use crate::Outcome;

/// How wasm-bindgen names the script in the module's imports.
const SCRIPT: &str = "_bg.js";

/// The module and its script with short names, without the classes that nobody outside uses and the exports that neither
/// the script nor `shared`, what another module takes, names.
pub(super) fn shorten(module: &[u8], script: &str, shared: &BTreeSet<String>) -> Outcome<(Vec<u8>, String)> {
    let script = without_classes(script);
    let used: BTreeSet<&str> = words(&script).chain(shared.iter().map(String::as_str)).collect();
    let mut names = Names::default();
    let mut sections = module::sections(module)?;
    for section in &mut sections {
        match section.kind {
            kind::IMPORTS => section.content = imports(&section.content, &mut names)?,
            kind::EXPORTS => section.content = exports(&section.content, &used, &mut names)?,
            _ => {}
        }
    }
    let renamed: String = words(&script).map(|word| names.0.get(word).map_or(word, String::as_str)).collect();
    let from = script_names(&script);
    let renamed = from.iter().fold(renamed, |script, name| script.replace(name.as_str(), "w"));
    Ok((module::whole(&sections), renamed))
}

/// New names, by the old ones.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    /// The short form of a name that wasm-bindgen made; those that people wrote stay.
    fn short(&mut self, name: &str) -> String {
        if !name.contains("__wb") && !name.contains("wasm_bindgen__") {
            return name.to_owned();
        }
        let next = format!("w{:x}", self.0.len());
        self.0.entry(name.to_owned()).or_insert(next).clone()
    }
}

fn imports(content: &[u8], names: &mut Names) -> Outcome<Vec<u8>> {
    let mut reader = Reader::new(content);
    let count = reader.number()?;
    let mut written = Vec::new();
    push_number(&mut written, count);
    for _ in 0..count {
        let (from, name) = (reader.text()?, reader.text()?);
        push_text(&mut written, if from.ends_with(SCRIPT) { "w" } else { from });
        push_text(&mut written, &names.short(name));
        written.extend_from_slice(reader.span(module::import_type)?);
    }
    Ok(written)
}

fn exports(content: &[u8], used: &BTreeSet<&str>, names: &mut Names) -> Outcome<Vec<u8>> {
    let mut reader = Reader::new(content);
    let mut kept = Vec::new();
    for _ in 0..reader.number()? {
        let name = reader.text()?;
        let what = reader.span(|reader| reader.byte().and_then(|_| reader.number()).map(drop))?;
        if used.contains(name) {
            kept.push((names.short(name), what));
        }
    }
    let mut written = Vec::new();
    push_number(&mut written, kept.len());
    for (name, what) in kept {
        push_text(&mut written, &name);
        written.extend_from_slice(what);
    }
    Ok(written)
}

/// Without the exported classes that nothing else in the script names: those of a library that the page does not use.
fn without_classes(script: &str) -> String {
    let mut script = script.to_owned();
    let classes: Vec<String> = script
        .lines()
        .filter_map(|line| line.strip_prefix("export class ")?.strip_suffix(" {").map(str::to_owned))
        .collect();
    for class in classes {
        let finalization = format!("const {class}Finalization ");
        let is_of_class = |block: &str| {
            block.starts_with(&format!("export class {class} "))
                || block.starts_with(&finalization)
                || block.starts_with(&format!("if (Symbol.dispose) {class}."))
        };
        let rest: Vec<&str> = blocks(&script).into_iter().filter(|block| !is_of_class(block)).collect();
        let rest = rest.concat();
        if !words(&rest).any(|word| word == class) {
            script = rest;
        }
    }
    script
}

/// The statements of a script whose inner lines lost their indentation: a line belongs to the one before while a bracket is
/// open.
fn blocks(script: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut end, mut open) = (0, 0, 0_i64);
    for line in script.split_inclusive('\n') {
        end += line.len();
        open += line.bytes().fold(0, |open, byte| match byte {
            b'{' | b'(' | b'[' => open + 1,
            b'}' | b')' | b']' => open - 1,
            _ => open,
        });
        // wasm-bindgen breaks one statement before a `?`.
        let goes_on = script[end..].starts_with('?') || script[end..].starts_with(':');
        if open <= 0 && !goes_on {
            blocks.push(&script[start..end]);
            (start, open) = (end, 0);
        }
    }
    blocks.push(&script[start..]);
    blocks
}

/// The names under which the script gives itself to the module.
fn script_names(script: &str) -> BTreeSet<String> {
    script.split('"').filter(|text| text.starts_with("./") && text.ends_with(SCRIPT)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::super::module::Section;
    use super::*;

    const GLUE: &str = "export class Unused {\nfree() {\nwasm.__wbg_unused_free(0);\n}\n}\nif (Symbol.dispose) Unused.prototype.x = 1;\n\
        const UnusedFinalization = (typeof F === 'undefined')\n? { a: () => {} }\n: new F(ptr => wasm.__wbg_unused_free(ptr, 1));\n\
        function imports() {\nreturn {\n__wbg_call_1234: function(a) { wasm.__wbindgen_malloc(a); },\n\"./x_bg.js\": 1,\n};\n}\n";

    fn module() -> Vec<u8> {
        let mut imports = vec![1];
        push_text(&mut imports, "./x_bg.js");
        push_text(&mut imports, "__wbg_call_1234");
        imports.extend([0, 0]);
        let mut exports = vec![3];
        for name in ["__wbg_unused_free", "__wbindgen_malloc", "memory"] {
            push_text(&mut exports, name);
            exports.extend([0, 0]);
        }
        let section = |kind, content| Section { kind, content };
        module::whole(&[section(kind::IMPORTS, imports), section(kind::EXPORTS, exports)])
    }

    #[test]
    fn names_become_short_on_both_sides_and_unused_ones_go() {
        let script = format!("{GLUE}wasm.memory;\n");
        let (module, script) = shorten(&module(), &script, &BTreeSet::new()).unwrap();
        assert_eq!(
            script,
            "function imports() {\nreturn {\nw0: function(a) { wasm.w1(a); },\n\"w\": 1,\n};\n}\nwasm.memory;\n"
        );
        let sections = module::sections(&module).unwrap();
        assert_eq!(sections[0].content, b"\x01\x01w\x02w0\0\0");
        assert_eq!(sections[1].content, b"\x02\x02w1\0\0\x06memory\0\0");
    }

    #[test]
    fn a_class_that_is_named_stays() {
        let script = format!("{GLUE}new Unused();\n");
        assert_eq!(without_classes(&script), script);
    }
}
