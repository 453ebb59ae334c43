//! The command as a user runs it: exit status, standard output and standard error.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs the command with a text on standard input.
fn shardmem(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardmem"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    // A command that reads nothing has closed its end.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("readable")).expect("JSON")
}

fn golden(file: &str) -> Value {
    let goldens = read_json(&tests().join("goldens/yamls.json"));
    let cases = goldens["cases"].as_array().expect("cases").clone();
    cases.into_iter().find(|case| case["file"] == file).expect("the case is there")
}

fn yaml(file: &str) -> String {
    golden(file)["yaml"].as_str().expect("text").to_owned()
}

fn json(arguments: &[&str], input: &str) -> Value {
    let output = shardmem(arguments, input);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output.stdout)))
}

#[test]
fn the_recipe_gives_the_references_peak() {
    let case = golden("qwen3_moe_recipe.yaml");
    let answer = json(&["estimate", "-", "--format", "json"], case["yaml"].as_str().expect("text"));
    assert_eq!(answer["peak"]["bytes"].as_f64(), case["stages"][0]["total"].as_f64());
    assert_eq!(answer["stages"][0]["static"], numbers(&case["stages"][0]["static"]));
    assert_eq!(answer["stages"][0]["dynamic"], numbers(&case["stages"][0]["dynamic"]));
    assert_eq!(answer["fits"], true);
    assert_eq!(answer["input_kind"], "automodels");
}

/// Whole numbers as the command prints them: without a fraction.
fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^53")]
            Some(double) if double.fract() == 0.0 => (double as i64).into(),
            _ => value.clone(),
        },
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), numbers(field))).collect(),
        _ => value.clone(),
    }
}

#[test]
fn json_has_every_field_in_its_order() {
    let output = shardmem(&["estimate", "-", "--format", "json"], &yaml("qwen3_moe_recipe.yaml"));
    let text = text(&output.stdout);
    assert!(text.ends_with("}\n") && text.matches('\n').count() == 1);
    let fields = [
        "schema",
        "version",
        "input_kind",
        "memory_model",
        "policies",
        "model",
        "device",
        "overrides",
        "derived",
        "stages",
        "peak",
        "band",
        "capacity",
        "fits",
        "tight",
        "other",
        "measured",
        "diagnostics",
    ];
    let mut from = 0;
    for field in fields {
        let name = format!("\"{field}\":");
        from += text[from..].find(&name).unwrap_or_else(|| panic!("{field} is not in its place"));
    }
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(answer.as_object().expect("a mapping").len(), fields.len());
    assert_eq!(answer["band"], Value::Null);
    assert_eq!(answer["tight"], Value::Null);
    assert_eq!(
        answer["derived"].as_object().expect("a mapping").len(),
        golden("qwen3_moe_recipe.yaml")["out"].as_object().expect("a mapping").len()
    );
}

#[test]
fn diagnostics_go_to_standard_error_with_file_line_and_column() {
    let folder = std::env::temp_dir().join(format!("shardmem-cli-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("train.yaml");
    let lines = "model:\n  config_overrides:\n    hidden_sise: 8\n";
    fs::write(&file, lines).expect("written");
    let name = file.to_str().expect("UTF-8").to_owned();
    let output = shardmem(&["estimate", &name], "");
    assert_eq!(status(&output), 1);
    assert_eq!(text(&output.stdout), "");
    let said = text(&output.stderr);
    let first = said.lines().next().expect("a line");
    assert!(first.starts_with(&format!("{name}:3:5: error[spec_unknown_key]: ")), "{first}");
    assert!(first.contains("hidden_sise") && first.contains("did you mean `hidden_size`?"), "{first}");

    fs::write(&file, b"model: a\n  \xff").expect("written");
    let output = shardmem(&["estimate", &name], "");
    assert_eq!(status(&output), 1);
    assert_eq!(text(&output.stderr), format!("{name}:2:3: error[yaml_syntax]: expected UTF-8 text, got other bytes\n"));

    let config = folder.join("config.json");
    fs::write(&config, "{\"hidden_size\": }").expect("written");
    let output = shardmem(&["estimate", "-", "--config", config.to_str().expect("UTF-8")], "model: {name: a}\n");
    assert_eq!(status(&output), 1);
    let said = text(&output.stderr);
    assert!(said.contains("config.json:1:") && said.contains("error[json_syntax]"), "{said}");
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn an_execution_spec_is_laid_over_the_file() {
    let folder = std::env::temp_dir().join(format!("shardmem-exec-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let spec = folder.join("spec.yaml");
    let name = spec.to_str().expect("UTF-8").to_owned();
    let recipe = yaml("qwen3_moe_recipe.yaml");
    fs::write(&spec, "tp: 2\nrecompute:\n  - {first: 0, count: 4, option: full}\n").expect("written");
    let answer = json(&["estimate", "-", "--format", "json", "--exec", &name], &recipe);
    assert_eq!(answer["derived"]["t"], 2);
    assert_eq!(answer["stages"][0]["layers"], format!("EFFFF{}O", "N".repeat(44)));

    fs::write(&spec, "tp: 2\nppp: 3\ncp: 0\n").expect("written");
    let output = shardmem(&["estimate", "-", "--exec", &name], &recipe);
    assert_eq!(status(&output), 1);
    let said = text(&output.stderr);
    assert!(said.contains(&format!("{name}:2:1: error[exec_unknown_key]: ")), "{said}");
    assert!(
        said.contains(&format!(
            "{name}:3:5: error[exec_kind]: expected `cp` of the execution spec to be a whole number from 1, got `0`"
        )),
        "{said}"
    );
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_refusal_has_a_json_form() {
    let output = shardmem(&["estimate", "-", "--format", "json"], "[]");
    assert_eq!(status(&output), 1);
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for field in ["input_kind", "model", "device", "derived", "stages", "peak", "band", "capacity", "fits", "tight"] {
        assert_eq!(answer[field], Value::Null, "{field}");
    }
    assert_eq!(answer["diagnostics"][0]["code"], "root_not_mapping");
    assert_eq!(answer["diagnostics"][0]["severity"], "error");
}

#[test]
fn wrong_usage_is_said_and_ends_with_two() {
    for arguments in [
        &["estimate"][..],
        &["estimate", "-", "--tp", "4"],
        &["estimate", "-", "--set", "tp"],
        &["estimate", "-", "--set", "a.b=["],
        &["estimate", "no/such/file.yaml"],
        &["estimate", "-", "--memory-model", "fsdp3"],
        &["estimate", "-", "--policy", "none=such"],
        &["frobnicate"],
        &[],
    ] {
        let output = shardmem(arguments, "a: 1");
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with("shardmem: "), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn check_ends_with_three_when_it_does_not_fit() {
    let recipe = yaml("qwen3_moe_recipe.yaml");
    let fits = shardmem(&["estimate", "-", "--check"], &recipe);
    assert_eq!(status(&fits), 0);
    let small = ["estimate", "-", "--check", "--set", "context.max_device_memory=16GB"];
    let exceeds = shardmem(&small, &recipe);
    assert_eq!(status(&exceeds), 3);
    assert!(text(&exceeds.stdout).contains("does not fit: stage 0 needs"));
    assert_eq!(status(&shardmem(&small[..2], &recipe)), 0);
}

#[test]
fn overrides_are_laid_over_the_text_and_listed() {
    let recipe = yaml("qwen3_moe_recipe.yaml");
    let answer = json(&["estimate", "-", "--format", "json", "--set", "accelerator.tp_size=4"], &recipe);
    assert_eq!(answer["derived"]["t"], 4);
    assert_eq!(answer["overrides"], serde_json::json!({"accelerator.tp_size": 4}));
    let plain = json(&["estimate", "-", "--format", "json"], &recipe);
    assert_eq!(plain["overrides"], serde_json::json!({}));
    assert_ne!(answer["peak"], plain["peak"]);
}

#[test]
fn pinned_devices_make_data_parallel_give_way() {
    let recipe = yaml("qwen3_moe_recipe.yaml");
    let pinned = |options: &[&str]| {
        let mut arguments = vec!["estimate", "-", "--format", "json", "--pin-devices"];
        arguments.extend(options);
        json(&arguments, &recipe)
    };
    let devices = |answer: &Value| {
        ["d", "t", "p", "cp"].iter().filter_map(|name| answer["derived"][name].as_i64()).product::<i64>()
    };
    let answer = pinned(&["--set", "accelerator.tp_size=4"]);
    assert_eq!(devices(&answer), 8);
    assert_eq!(answer["overrides"], serde_json::json!({"accelerator.tp_size": 4, "fsdp_config.dp_shard_size": 2}));
    // What followed, stated with what was asked for, changes nothing more: the page's overrides give the page's figure.
    let both = ["--set", "accelerator.tp_size=4", "--set", "fsdp_config.dp_shard_size=2"];
    assert_eq!(pinned(&both), answer);
    // A shard of 4 on 64 devices leaves replicate the rest.
    let answer = pinned(&["--devices", "64", "--set", "accelerator.tp_size=4"]);
    assert_eq!(devices(&answer), 64);
    for (degree, code) in [("3", "device_num_indivisible"), ("8", "kv_heads_not_divided")] {
        let answer = pinned(&["--set", &format!("accelerator.tp_size={degree}")]);
        let diagnostics = answer["diagnostics"].as_array().expect("a list");
        assert!(diagnostics.iter().any(|found| found["code"] == code), "{code}: {diagnostics:?}");
    }
}

#[test]
fn the_table_is_for_reading_and_yaml_says_what_json_says() {
    let recipe = yaml("qwen3_moe_recipe.yaml");
    let table = text(&shardmem(&["estimate", "-"], &recipe).stdout);
    for part in ["Qwen/Qwen3-30B-A3B", "parameters", "optimizer", "total", "E F×48 O", "28.24", "fits: stage 0 needs"]
    {
        assert!(table.contains(part), "{part} is not in:\n{table}");
    }
    let yaml = text(&shardmem(&["estimate", "-", "--format", "yaml"], &recipe).stdout);
    assert!(yaml.starts_with("schema: 1\n"), "{yaml}");
    assert!(yaml.contains("\npeak:\n  stage: 0\n  bytes: 30326350208"), "{yaml}");
}

#[test]
fn models_lists_the_catalogue() {
    let models = json(&["models", "--format", "json"], "");
    let models = models.as_array().expect("a list");
    let entry = models.iter().find(|model| model["id"] == "Qwen/Qwen3-30B-A3B").expect("in the catalogue");
    assert!(entry["parameters"]["total"].as_f64().is_some_and(|count| count > 3e10), "{entry}");
    assert!(entry["source"].is_string());
    let table = text(&shardmem(&["models"], "").stdout);
    assert_eq!(table.lines().count(), models.len() + 1);
}

#[test]
fn help_and_version() {
    let help = shardmem(&["--help"], "");
    assert_eq!(status(&help), 0);
    assert!(text(&help.stdout).contains("--pin-devices"));
    assert_eq!(text(&shardmem(&["--version"], "").stdout), format!("shardmem {}\n", env!("CARGO_PKG_VERSION")));
}

/// `tests/api/cases.json` holds the command's answers, which the browser tests hold the JavaScript API against.
/// `SHARDMEM_RECORD=1` writes them anew.
#[test]
fn recorded_answers_are_the_commands() {
    let path = tests().join("api/cases.json");
    let mut cases = read_json(&path);
    let recipe = golden("qwen3_moe_recipe.yaml");
    assert_eq!(
        cases[0]["golden_peak"], recipe["stages"][0]["total"],
        "the browsers hold the page to the reference's figure"
    );
    assert_eq!(cases[0]["yaml"], recipe["yaml"]);
    let record = std::env::var_os("SHARDMEM_RECORD").is_some();
    for case in cases.as_array_mut().expect("a list") {
        let arguments: Vec<String> = case["arguments"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|argument| argument.as_str().expect("text").to_owned())
            .collect();
        let mut all = vec!["estimate", "-", "--format", "json"];
        all.extend(arguments.iter().map(String::as_str));
        let output = shardmem(&all, case["yaml"].as_str().expect("text"));
        let said = text(&output.stdout);
        if record {
            case["expected"] = said.trim_end().into();
        } else {
            let recorded = case["expected"].as_str().expect("text");
            let place = first_difference(recorded, said.trim_end());
            assert_eq!(place, None, "{}: recorded, printed (SHARDMEM_RECORD=1 records anew)", case["name"]);
        }
    }
    if record {
        let written = serde_json::to_string_pretty(&cases).expect("JSON") + "\n";
        fs::write(path, written).expect("written");
    }
}

/// The surroundings of the first difference.
fn first_difference(recorded: &str, printed: &str) -> Option<(String, String)> {
    let at = recorded.chars().zip(printed.chars()).take_while(|(recorded, printed)| recorded == printed).count();
    let around = |text: &str| text.chars().skip(at.saturating_sub(60)).take(120).collect();
    (recorded != printed).then(|| (around(recorded), around(printed)))
}
