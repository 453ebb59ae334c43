//! `shardmem explain` as a user runs it.

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs the command with a text on standard input.
fn shardmem(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardmem"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sample() -> String {
    let path = repository().join("data/samples/deepseek-v3-512.yaml");
    fs::read_to_string(path).expect("readable")
}

fn explained(arguments: &[&str]) -> Value {
    let mut all = vec!["explain", "-", "--format", "json"];
    all.extend(arguments);
    let output = shardmem(&all, &sample());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn step<'a>(explained: &'a Value, id: &str) -> &'a Value {
    let steps = explained["steps"].as_array().expect("steps");
    steps.iter().find(|step| step["id"] == id).unwrap_or_else(|| panic!("no step {id}"))
}

fn child<'a>(step: &'a Value, symbol: &str) -> &'a Value {
    let children = step["children"].as_array().expect("children");
    children.iter().find(|child| child["symbol"] == symbol).unwrap_or_else(|| panic!("no child {symbol}"))
}

/// By hand: 3 dense layers and 1 of experts on stage 0, 187,107,328 attention parameters each, 2 bytes, over 4 ranks.
#[test]
fn an_item_is_explained_down_to_the_lines_of_the_file() {
    let answer = explained(&["--item", "parameters-attention", "--stage", "0"]);
    assert_eq!(answer["bytes"], 374_214_656);
    let first = &answer["steps"][0];
    assert_eq!(first["formula"], "4·latent_attention_parameters·bytes_p/shard_p_os_non_exp_partial");
    assert_eq!(first["values"], "4·187107328·2/4");
    let attention = child(first, "latent_attention_parameters");
    let nodes = |kind, count| json!({"kind": kind, "letter": "F", "chunk": 0, "count": count});
    assert_eq!(attention["groups"], json!([nodes("dense", 3), nodes("moe", 1)]));
    let at = usize::try_from(attention["step"].as_u64().expect("a step")).expect("an index");
    assert_eq!(answer["steps"][at]["result"], 187_107_328);

    let line = |key: &str| 1 + sample().lines().position(|line| line.contains(key)).expect("a line of the sample");
    let origin = &child(first, "bytes_p")["origin"];
    assert_eq!((&origin["kind"], &origin["key"]), (&json!("key"), &json!("model.torch_dtype")));
    assert_eq!(origin["line"], line("torch_dtype"));
    let shard = child(step(&answer, "sharding-ranks"), "os_max_shard");
    assert_eq!(shard["origin"]["key"], "fsdp_config.dp_shard_size");
    assert_eq!(shard["origin"]["line"], line("dp_shard_size"));
    let heads = &child(step(&answer, "latent-attention-parameters"), "a")["origin"];
    assert_eq!((&heads["source"], &heads["key"]), (&json!("config.json"), &json!("num_attention_heads")));
    let ops = &child(step(&answer, "latent-attention-parameters"), "n_attMM")["origin"];
    assert_eq!((&ops["kind"], &ops["text"]), (&json!("family-default"), &json!("deepseek")));
}

#[test]
fn overrides_and_execution_specs_are_origins() {
    let answer = explained(&["--item", "parameters-attention", "--set", "accelerator.tp_size=2"]);
    let origin = &child(step(&answer, "shard-p-os-non-exp-partial"), "t")["origin"];
    assert_eq!((&origin["kind"], &origin["key"]), (&json!("override"), &json!("accelerator.tp_size")));

    let spec = std::env::temp_dir().join(format!("shardmem-explain-{}.yaml", std::process::id()));
    fs::write(&spec, "tp: 4\nnorm_bytes: 2\n").expect("written");
    let answer = explained(&["--item", "working-set-activations", "--exec", spec.to_str().expect("UTF-8")]);
    let origin = |id, symbol| child(step(&answer, id), symbol)["origin"].clone();
    assert_eq!(origin("qkv", "t")["source"], "execution spec");
    assert_eq!(origin("qkv", "t")["line"], 1);
    assert_eq!(origin("norm", "bytes_norm")["key"], "norm_bytes");
    fs::remove_file(&spec).expect("removed");
}

#[test]
fn the_peak_is_what_is_explained_where_nothing_is_asked() {
    let estimate = shardmem(&["estimate", "-", "--format", "json"], &sample());
    let estimate: Value = serde_json::from_slice(&estimate.stdout).expect("JSON");
    let answer = explained(&[]);
    assert_eq!((&answer["bytes"], &answer["stage"]), (&estimate["peak"]["bytes"], &estimate["peak"]["stage"]));
    assert_eq!(answer["instant"], estimate["stages"][1]["peak_instant"]);
    let table = shardmem(&["explain", "-"], &sample());
    let table = text(&table.stdout);
    assert!(table.starts_with("total of stage 1 at backward-end: 65.84\u{a0}GiB, 70693773312 bytes\n"), "{table}");
    assert!(table.contains("\n  = min(p, m)\n  = min(16, "), "{table}");
    assert!(table.contains("[-:19:12: accelerator.ep_size]"), "{table}");
}

#[test]
fn what_cannot_be_explained_is_wrong_usage_or_a_refusal() {
    for (arguments, said) in [
        (&["--item", "parameter"][..], "--item: expected one of parameters-embedding, "),
        (&["--stage", "16"], "--stage: expected one of 16 stages, counted from 0"),
        (&["--instant", "loss"], "--instant: expected warmup-end or backward-end here"),
    ] {
        let output = shardmem(&[&["explain", "-"], arguments].concat(), &sample());
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()));
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
    let refused = shardmem(&["explain", "-", "--format", "json"], "model: [");
    assert_eq!(refused.status.code(), Some(1));
    let refused: Value = serde_json::from_slice(&refused.stdout).expect("JSON");
    assert_eq!((&refused["steps"], &refused["diagnostics"][0]["code"]), (&Value::Null, &json!("yaml_syntax")));
}

/// `tests/api/explain.json` holds the command's answers, which the browser tests hold the JavaScript API against.
/// `SHARDMEM_RECORD=1` writes them anew.
#[test]
fn recorded_answers_are_the_commands() {
    let path = repository().join("tests/api/explain.json");
    let mut cases: Value = serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
    let record = std::env::var_os("SHARDMEM_RECORD").is_some();
    for case in cases.as_array_mut().expect("a list") {
        let options = [("--stage", "stage"), ("--item", "item"), ("--instant", "instant")];
        let options = options.map(|(option, name)| match &case[name] {
            Value::Null => vec![],
            Value::String(text) => vec![option.to_owned(), text.clone()],
            number => vec![option.to_owned(), number.to_string()],
        });
        let arguments = case["arguments"].as_array().expect("a list").iter();
        let arguments = arguments.map(|argument| argument.as_str().expect("text").to_owned());
        let arguments: Vec<String> = options.concat().into_iter().chain(arguments).collect();
        let mut all = vec!["explain", "-", "--format", "json"];
        all.extend(arguments.iter().map(String::as_str));
        let output = shardmem(&all, case["yaml"].as_str().expect("text"));
        let said = text(&output.stdout);
        if record {
            case["expected"] = said.trim_end().into();
        } else {
            assert_eq!(said.trim_end(), case["expected"], "{}: SHARDMEM_RECORD=1 records anew", case["name"]);
        }
    }
    if record {
        fs::write(path, serde_json::to_string_pretty(&cases).expect("JSON") + "\n").expect("written");
    }
}
