//! The flow goes one way (DESIGN 2): reads the imports of `src/` and fails on an edge that the table does not allow.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every module with what it may import. Each stands after what it imports, so the table itself cannot hold a cycle.
const TABLE: &[(&str, &[&str])] = &[
    ("decimal", &[]),
    ("units", &[]),
    ("text", &[]),
    ("provenance", &[]),
    ("diagnostics", &["text", "provenance"]),
    ("explain", &["units", "provenance"]),
    ("document", &["decimal", "text", "provenance", "diagnostics"]),
    ("model", &["units", "provenance", "diagnostics", "document"]),
    ("facts", &["decimal", "units", "text", "provenance", "diagnostics", "explain", "document", "model"]),
    // Families and stacks are types of the model; `facts` hands them on, so naming them adds no direction.
    ("config", &["units", "provenance", "diagnostics", "explain", "model", "facts"]),
    ("placement", &["units", "diagnostics", "explain", "config"]),
    ("memory", &["units", "diagnostics", "explain", "model", "config", "placement"]),
    // The two memory models as values that are handed on.
    ("accounting", &["units", "diagnostics", "model", "facts", "config", "placement", "memory"]),
    (
        "report",
        &[
            "decimal",
            "units",
            "provenance",
            "diagnostics",
            "explain",
            "model",
            "facts",
            "config",
            "placement",
            "memory",
        ],
    ),
    ("sweep", &["units", "facts", "config", "placement", "memory"]),
    // A state is written and read as a tree of values.
    ("link", &["text", "document", "facts"]),
    // The chain of all stages, and the JavaScript skin over it.
    ("estimate", ALL_STAGES),
    // The same chain for many values, without its report.
    (
        "whatif",
        &[
            "units",
            "provenance",
            "diagnostics",
            "document",
            "facts",
            "config",
            "placement",
            "memory",
            "accounting",
            "report",
        ],
    ),
    ("wasm", ALL),
];

const ALL: &[&str] = &[
    "decimal",
    "units",
    "text",
    "provenance",
    "diagnostics",
    "explain",
    "document",
    "model",
    "facts",
    "config",
    "placement",
    "memory",
    "accounting",
    "report",
    "sweep",
    "link",
    "estimate",
    "whatif",
];
/// All up to the report.
const ALL_STAGES: &[&str] = ALL.split_at(ALL.len() - 4).0;

#[test]
fn imports_follow_the_table() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    for file in rust_files(&sources) {
        let path = file.strip_prefix(&sources).expect("files lie below src").to_owned();
        let module = module_of(&path);
        if module == "lib" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("sources are readable");
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == module) else {
            faults.push(format!("{}: the table has no module `{module}`", path.display()));
            continue;
        };
        for target in imports(&text, depth(&path)) {
            if target != module && is_module(&target) && !allowed.contains(&&*target) {
                faults.push(format!("{}: `{module}` may not import `{target}`", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "edges outside the table of DESIGN 2:\n{}", faults.join("\n"));
}

#[test]
fn the_table_holds_no_cycle() {
    for (at, (module, allowed)) in TABLE.iter().enumerate() {
        let before: Vec<&str> = TABLE[..at].iter().map(|(name, _)| *name).collect();
        for target in *allowed {
            assert!(before.contains(target), "`{module}` stands before `{target}`, which it may import");
        }
    }
}

#[test]
fn imports_are_found_in_every_spelling() {
    let text = "#[cfg(test)]\nmod cases;\nuse crate::model::{Family};\nuse crate::{config::Config, memory};\nfn f() { crate::report::present() }\n\
                use super::super::document::Node;\nuse super::inner;\n// crate::sweep\n#[cfg(test)]\nmod tests { use crate::link; }";
    let found: Vec<String> = imports(text, 2).into_iter().collect();
    assert_eq!(found, ["config", "document", "memory", "model", "report"]);
}

fn is_module(name: &str) -> bool {
    TABLE.iter().any(|(module, _)| *module == name)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("src is readable") {
        let path = entry.expect("src is readable").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The top module a file belongs to: `config/derive.rs` and `config.rs` are `config`.
fn module_of(path: &Path) -> String {
    let first = path.components().next().expect("a file has a name").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// How many `super::` lead from a file to the crate's root.
fn depth(path: &Path) -> usize {
    let is_index = path.file_name().is_some_and(|name| name == "mod.rs");
    path.components().count() - usize::from(is_index)
}

/// The first path steps below the crate's root that a source names, outside comments and tests.
fn imports(text: &str, depth: usize) -> BTreeSet<String> {
    let code: String = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let root_by_super = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for root in ["crate::", root_by_super.as_str()] {
        for (at, _) in code.match_indices(root) {
            if code[..at].ends_with("::") || code[..at].ends_with(|before: char| before.is_alphanumeric()) {
                continue;
            }
            found.extend(first_steps(&code[at + root.len()..]));
        }
    }
    found
}

/// `model::Family` gives `model`; `{config::Config, memory}` gives both.
fn first_steps(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else { return vec![identifier(path)] };
    let mut steps = Vec::new();
    let (mut nesting, mut step) = (0, String::new());
    for character in group.chars() {
        match character {
            '}' if nesting == 0 => break,
            '{' => nesting += 1,
            '}' => nesting -= 1,
            ',' if nesting == 0 => steps.push(identifier(std::mem::take(&mut step).trim())),
            _ if nesting == 0 => step.push(character),
            _ => {}
        }
    }
    steps.push(identifier(step.trim()));
    steps.retain(|step| !step.is_empty());
    steps
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}
