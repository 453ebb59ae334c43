//! `serde_yaml` as an independent second reader: it must agree wherever YAML 1.1 and 1.2 do, and differ exactly where they
//! do: on the real files and the samples, on every example of a diagnostic, and on what we write.

#[path = "document/random.rs"]
mod random;

use random::Random;
use serde_yaml::Value as Second;
use shardmem::diagnostics::Code;
use shardmem::document::{Node, Value, parse, to_yaml};
use std::fs;
use std::path::Path;

const FILES: &[(&str, &str)] = &[
    ("qwen3_moe_recipe", include_str!("yamls/qwen3_moe_recipe.yaml")),
    ("qwen3_5_9b_base_vlm", include_str!("yamls/qwen3_5_9b_base_vlm.yaml")),
    ("glm5", include_str!("yamls/glm5.yaml")),
    ("mf_pretrain_telechat3_105b_a4b_4k", include_str!("yamls/mf_pretrain_telechat3_105b_a4b_4k.yaml")),
    ("dryrun_ep_explicit", include_str!("yamls/dryrun_ep_explicit.yaml")),
    ("qwen3_vl_pp_mpipe", include_str!("yamls/qwen3_vl_pp_mpipe.yaml")),
];

#[test]
fn both_readers_agree_on_real_files_but_for_the_two_versions_of_yaml() {
    let mut found = Vec::new();
    for (name, text) in FILES {
        let ours = parse(text).expect("a real file is read").value.root;
        let theirs: Second = serde_yaml::from_str(text).expect("the second reader reads it");
        compare(name, &ours, &theirs, &mut found);
    }
    assert_eq!(
        found,
        [
            "qwen3_5_9b_base_vlm.activation_checkpoint.mode: false, they \"off\"",
            "glm5.train.optimizer.max_grad_norm: \"1.0e9\", they 1000000000.0",
            "qwen3_vl_pp_mpipe.train.optimizer.max_grad_norm: \"1.0e9\", they 1000000000.0",
        ]
    );
}

/// Every YAML of the repository: the samples, the real files (those of the goldens too), and the examples of the
/// diagnostics, of which many are no YAML on purpose.
#[test]
fn both_readers_agree_on_every_file_of_the_repository() {
    let (mut read, mut refused) = (0, Vec::new());
    for (name, text) in every_file() {
        let (ours, theirs) = (parse(&text), serde_yaml::from_str::<Second>(&text));
        let ours = match ours {
            Ok(ours) if ours.warnings.iter().any(|warning| warning.code == Code::DuplicateKey) => {
                assert!(theirs.is_err(), "{name}: a repeated key is refused by YAML 1.2");
                continue;
            }
            Ok(ours) => ours.value.root,
            Err(_) => {
                refused.push((name, theirs.is_ok()));
                continue;
            }
        };
        read += 1;
        let theirs = theirs.unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut found = Vec::new();
        compare(&name, &ours, &theirs, &mut found);
        found.retain(|difference| !is_between_the_versions(difference));
        assert_eq!(found, [""; 0]);
    }
    assert!(read > 130, "only {read} files were read");
    refused.sort();
    let refused: Vec<(&str, bool)> = refused.iter().map(|(name, theirs)| (&**name, *theirs)).collect();
    assert_eq!(refused, REFUSED, "(file, whether YAML 1.2 reads it)");
}

/// What is refused as the trainer's loader refuses it, or by our own limits; and whether the second reader reads it all
/// the same: a key or root of another kind is YAML, and so is a tag of Python's.
const REFUSED: [(&str, bool); 7] = [
    ("document_expands", false),
    ("document_too_deep", true),
    ("key_not_text", true),
    ("root_not_mapping", true),
    ("root_not_mapping.empty", true),
    ("yaml_syntax", false),
    ("yaml_syntax.value", true),
];

/// Name and text of every file that is meant as YAML.
fn every_file() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["data/samples", "tests/yamls", "tests/diagnostics"] {
        for entry in fs::read_dir(root.join(folder)).expect("the folder is there") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name").to_owned();
                files.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    let golden = fs::read_to_string(root.join("tests/goldens/yamls.json")).expect("the golden");
    let golden: serde_json::Value = serde_json::from_str(&golden).expect("JSON");
    for case in golden.as_array().or_else(|| golden["cases"].as_array()).expect("cases") {
        let text = |field: &str| case[field].as_str().expect("a text").to_owned();
        files.push((text("file"), text("yaml")));
    }
    files
}

/// Whether a difference is one of the two versions: a word that is a boolean in one, an exponent without point or sign
/// that is a number in the other.
fn is_between_the_versions(difference: &str) -> bool {
    let Some((ours, theirs)) = difference.split_once(": ").and_then(|(_, values)| values.split_once(", they ")) else {
        return false;
    };
    let word = theirs.trim_matches('"').to_ascii_lowercase();
    let boolean = match ours {
        "true" => ["yes", "on"].contains(&&*word),
        "false" => ["no", "off"].contains(&&*word),
        _ => false,
    };
    let text = ours.trim_matches('"');
    let number = ours.starts_with('"') && text.contains(['e', 'E']) && text.parse::<f64>().ok() == theirs.parse().ok();
    boolean || number
}

/// The rows of the table in docs/architecture.md.
#[test]
fn the_two_versions_of_yaml_differ_as_documented() {
    let mut found = Vec::new();
    for scalar in ["off", "1e-6", "010", "1_000", "1:30", "2025-01-01", "0o10", "true", "0x10", "~", "1.5"] {
        let text = format!("a: {scalar}\n");
        let ours = parse(&text).expect("it is read").value.root;
        let theirs: Second = serde_yaml::from_str(&text).expect("the second reader reads it");
        compare(scalar, &ours, &theirs, &mut found);
    }
    assert_eq!(
        found,
        [
            "off.a: false, they \"off\"",
            "1e-6.a: \"1e-6\", they 1e-6",
            "010.a: 8, they \"010\"",
            "1_000.a: 1000, they \"1_000\"",
            "1:30.a: 90, they \"1:30\"",
            "2025-01-01.a: 2025-01-01, they \"2025-01-01\"",
            "0o10.a: \"0o10\", they 8",
        ]
    );
    let merge = "a: &a {x: 1}\nb: {<<: *a}\n";
    let ours = parse(merge).expect("it is read").value.root;
    let theirs: Second = serde_yaml::from_str(merge).expect("the second reader reads it");
    assert!(ours.value.as_mapping().and_then(|root| root.get("b")?.value.as_mapping()?.get("x")).is_some());
    assert!(theirs["b"].get("x").is_none() && theirs["b"].get("<<").is_some());
    assert_eq!(parse("a: 1\na: 2\n").map(|document| document.warnings.len()), Ok(1));
    assert!(serde_yaml::from_str::<Second>("a: 1\na: 2\n").is_err());
}

#[test]
fn what_is_written_both_readers_read_back() {
    let mut random = Random::new(7);
    for _ in 0..400 {
        let value = random.tree(0);
        let text = to_yaml(&serde_json::json!({ "value": value }));
        let ours = parse(&text).unwrap_or_else(|errors| panic!("{errors:?} in {text}")).value.root;
        let theirs: Second = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
        let mut found = Vec::new();
        compare("", &ours, &theirs, &mut found);
        assert_eq!(found, [""; 0], "{text}");
        let ours = &ours.value.as_mapping().expect("written as a section").entries[0].node;
        assert!(same(ours, &value), "{value} became {text}");
    }
}

/// Adds a line for every scalar that is read otherwise.
fn compare(path: &str, ours: &Node, theirs: &Second, found: &mut Vec<String>) {
    match (&ours.value, theirs) {
        (Value::Mapping(ours), Second::Mapping(theirs)) => {
            assert_eq!(ours.entries.len(), theirs.len(), "{path}");
            for (entry, (key, value)) in ours.entries.iter().zip(theirs) {
                assert_eq!(Some(&*entry.key), key.as_str(), "{path}");
                compare(&format!("{path}.{}", entry.key), &entry.node, value, found);
            }
        }
        (Value::Sequence(ours), Second::Sequence(theirs)) => {
            assert_eq!(ours.len(), theirs.len(), "{path}");
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                compare(&format!("{path}[{index}]"), ours, theirs, found);
            }
        }
        (Value::Null, Second::Null) => {}
        (Value::Bool(ours), Second::Bool(theirs)) if ours == theirs => {}
        (Value::Integer(ours), Second::Number(theirs)) if theirs.as_i64() == Some(*ours) => {}
        (Value::Float(ours), Second::Number(theirs)) if theirs.is_f64() && theirs.as_f64() == Some(*ours) => {}
        (Value::Text(ours), Second::String(theirs)) if **ours == **theirs => {}
        (ours, theirs) => {
            let ours = match ours {
                Value::Text(text) => format!("{text:?}"),
                Value::Bool(flag) => flag.to_string(),
                other => other.to_text(),
            };
            let theirs = match theirs {
                Second::String(text) => format!("{text:?}"),
                Second::Number(number) if number.is_f64() => format!("{:?}", number.as_f64().unwrap_or_default()),
                other => serde_yaml::to_string(other).unwrap_or_default().trim_end().to_owned(),
            };
            found.push(format!("{path}: {ours}, they {theirs}"));
        }
    }
}

fn same(ours: &Node, value: &serde_json::Value) -> bool {
    match (&ours.value, value) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(value)) => ours == value,
        (Value::Integer(ours), serde_json::Value::Number(value)) => value.as_i64() == Some(*ours),
        (Value::Float(ours), serde_json::Value::Number(value)) => value.is_f64() && value.as_f64() == Some(*ours),
        (Value::Text(ours), serde_json::Value::String(value)) => **ours == **value,
        (Value::Sequence(ours), serde_json::Value::Array(value)) => {
            ours.len() == value.len() && ours.iter().zip(value).all(|(ours, value)| same(ours, value))
        }
        (Value::Mapping(ours), serde_json::Value::Object(value)) => {
            let found = |key: &str, node| value.get(key).is_some_and(|value| same(node, value));
            ours.entries.len() == value.len() && ours.entries.iter().all(|entry| found(&entry.key, &entry.node))
        }
        _ => false,
    }
}

/// Texts on which the two versions of YAML differ, or that need quotes or a block.
const TEXTS: &[&str] = &[
    "off",
    "yes",
    "On",
    "y",
    "~",
    "null",
    "010",
    "0o10",
    "0x10",
    "1_000",
    "1:30",
    "-1:30.5",
    "1e3",
    "1.0e+3",
    ".5",
    ".inf",
    "=",
    "<<",
    "-",
    "?",
    ":",
    "2025-01-01",
    "2025-02-30",
    "",
    " ",
    "a b",
    "a: b",
    "a #b",
    "#",
    "- a",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a",
    "[",
    "{a: 1}",
    "'",
    "\"",
    "it's",
    "a\\b",
    "a\nb",
    "a\n",
    "\na",
    "a\n\n",
    "  a\n b",
    "a\tb",
    "\t",
    "中文",
    "😀",
    "\u{feff}",
    "\u{7f}",
    "\u{0}",
    "---",
    "...",
    "a:",
    ":a",
    "x?",
    "1",
    "1.5",
    "-0",
    "true",
    "word word",
];

impl Random {
    fn tree(&mut self, depth: usize) -> serde_json::Value {
        match self.below(if depth < 4 { 10 } else { 7 }) {
            0..=3 => TEXTS[self.below(TEXTS.len())].into(),
            4 => [0, 1, -5, i64::MAX, i64::MIN, 4096][self.below(6)].into(),
            5 => [0.1, 1.0, -0.0, 1e16, 1e21, 1.5e300, 1e-7, 2.5e-310][self.below(8)].into(),
            6 => [true.into(), false.into(), serde_json::Value::Null][self.below(3)].clone(),
            7 => (0..self.below(4)).map(|_| self.tree(depth + 1)).collect(),
            _ => (0..self.below(4))
                .map(|_| (TEXTS[self.below(TEXTS.len())].to_owned(), self.tree(depth + 1)))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}
