//! Reading whole files: what a file is, what is said about its keys, and how models and overrides are taken (DESIGN 3.5).

use serde_json::Value;
use shardmem::diagnostics::{Code, Diagnostic, Errors, Help, Severity};
use shardmem::document::{self, Document};
use shardmem::facts::{Facts, InputKind, ModelChoice, Overrides, Schema, read};
use shardmem::model::{Dimension, catalogue};
use shardmem::provenance::{KeyPath, Origin, Source};

fn document(text: &str) -> Document {
    document::parse(text).expect("YAML").value
}

fn try_facts(text: &str, choice: &ModelChoice, overrides: &Overrides) -> Result<(Facts, Vec<Diagnostic>), Errors> {
    read(&document(text), choice, overrides, None).map(|checked| (checked.value, checked.warnings))
}

fn facts(text: &str) -> (Facts, Vec<Diagnostic>) {
    try_facts(text, &ModelChoice::Named, &Overrides::none()).expect("facts")
}

fn golden(name: &str) -> Vec<Value> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(name);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("readable")).expect("JSON");
    file["cases"].as_array().cloned().expect("cases")
}

const RUN: &str = "
model: {pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B, torch_dtype: bfloat16}
training: {global_batch_size: 8, micro_batch_size: 1}
accelerator: {tp_size: 2, ep_size: 1}
fsdp_config: {dp_shard_size: 4}
dataset: {data_transform: {max_seq_len: 4096}}
optimizer: {_target_: hyper_parallel.components.optim.AdamW}
context: {device_num: 8}
";

fn keyed(warnings: &[Diagnostic]) -> Vec<(&'static str, String, Option<Help>)> {
    let about_keys = [Code::KeyMisspelled, Code::KeyMisplaced, Code::KeysUnreadMore, Code::KeyWithoutModel];
    let found = warnings.iter().filter(|warning| about_keys.contains(&warning.code));
    found
        .map(|warning| {
            let path = warning.place.key_path().map(ToString::to_string).unwrap_or_default();
            (warning.code.name(), path, warning.help.clone())
        })
        .collect()
}

#[test]
fn a_slip_gives_exactly_one_warning() {
    let (facts, warnings) = facts(&RUN.replace("tp_size", "tp_sise"));
    assert_eq!(facts.run.tensor_parallel.value, 1);
    let expected = ("key_misspelled", "accelerator.tp_sise".to_owned(), Some(Help::Nearest("tp_size".into())));
    assert_eq!(keyed(&warnings), [expected]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(self::facts(RUN).1, []);
}

#[test]
fn keys_in_the_wrong_section_name_the_right_one() {
    let belongs = |path: &str| Some(Help::BelongsTo(KeyPath::parse(path)));
    let cases = [
        ("tp_size: 2,", "tp_size: 2, dp_shard_size: 4,", "accelerator.dp_shard_size", "fsdp_config.dp_shard_size"),
        ("micro_batch_size: 1}", "micro_batch_size: 1, ep_size: 8}", "training.ep_size", "accelerator.ep_size"),
        ("{device_num: 8}", "{device_num: 8}\nmax_seq_len: 9", "max_seq_len", "dataset.data_transform.max_seq_len"),
        (
            "{device_num: 8}",
            "{device_num: 8}\ntrain: {accelerator: {tp_degree: 8}}",
            "train.accelerator",
            "accelerator",
        ),
    ];
    for (from, to, at, home) in cases {
        let (_, warnings) = facts(&RUN.replace(from, to));
        assert_eq!(keyed(&warnings), [("key_misplaced", at.to_owned(), belongs(home))], "{to}");
    }
    let (_, warnings) = facts(&RUN.replace("fsdp_config", "fsdp_confg"));
    assert_eq!(keyed(&warnings)[0].0, "key_misspelled");
}

#[test]
fn the_keys_of_a_template_are_read_where_it_is_merged() {
    let template = "common: &common {tp_size: 2, loss_parallel: true}\n";
    for accelerator in ["{<<: *common, ep_size: 1}", "*common"] {
        let run = RUN.replace("{tp_size: 2, ep_size: 1}", accelerator);
        let (read, warnings) = facts(&format!("{template}{run}"));
        assert_eq!(keyed(&warnings), [], "{accelerator}");
        assert_eq!(read.run.tensor_parallel.value, 2, "{accelerator}");
    }
    let (_, warnings) = facts(&format!("{template}{RUN}"));
    let places: Vec<_> = keyed(&warnings).into_iter().map(|(code, at, _)| (code, at)).collect();
    assert_eq!(places, [("key_misplaced", "common.tp_size".to_owned())]);
}

#[test]
fn at_most_five_keys_are_shown_and_the_rest_counted() {
    let slips = "tp_sise: 1, pp_sise: 1, cp_sise: 1, ep_sise: 1, dp_replicat: 1, loss_paralel: 1, pp_interleave_nun: 1";
    let (_, warnings) = facts(&RUN.replace("tp_size: 2, ep_size: 1", slips));
    let found = keyed(&warnings);
    assert_eq!(found.iter().filter(|(code, ..)| *code == "key_misspelled").count(), 5);
    let more = warnings.iter().find(|warning| warning.code == Code::KeysUnreadMore).expect("a count");
    assert_eq!(more.arguments, [2_i64.into()]);
}

#[test]
fn keys_that_matter_all_the_same_get_one_note_each() {
    let text =
        RUN.replace("dp_shard_size: 4", "dp_shard_size: 4, forward_prefetch_depth: 2, backward_prefetch_depth: 0");
    let (_, warnings) = facts(&format!("{text}activation_swap: full\n"));
    let notes: Vec<_> = warnings.iter().filter(|warning| warning.severity == Severity::Note).collect();
    let paths: Vec<_> = notes.iter().filter_map(|note| note.place.key_path()).map(ToString::to_string).collect();
    assert_eq!(paths, ["fsdp_config.forward_prefetch_depth", "activation_swap"]);
    assert_eq!(facts(&format!("{RUN}activation_swap: none\n")).1, []);
}

#[test]
fn real_files_open_with_at_most_three_warnings() {
    for case in golden("yamls.json").iter().filter(|case| case.get("error").is_none()) {
        let (_, warnings) = facts(case["yaml"].as_str().expect("a text"));
        let shown: Vec<_> = warnings.iter().filter(|warning| warning.severity == Severity::Warning).collect();
        assert!(shown.len() <= 3, "{}: {shown:?}", case["file"]);
    }
}

#[test]
fn files_of_other_vocabularies_are_recognised_and_refused() {
    let expected = [("mindformers.json", Code::InputMindformers), ("search.json", Code::InputSearch)];
    for (name, code) in expected {
        let mut files = 0;
        for case in golden(name) {
            let Some(text) = case["yaml"].as_str().or_else(|| case["search_yaml"].as_str()) else { continue };
            let Ok(document) = document::parse(text) else { continue };
            let refused = read(&document.value, &ModelChoice::Named, &Overrides::none(), None).expect_err("a refusal");
            assert_eq!(refused.first().code, code, "{}", case["name"]);
            files += 1;
        }
        assert!(files > 0, "{name} holds no file");
    }
}

#[test]
fn a_fragment_is_priced_with_a_model_that_the_user_chose() {
    let fragment = "accelerator: {tp_size: 2}\nfsdp_config: {dp_shard_size: 4}\n";
    let refused = try_facts(fragment, &ModelChoice::Named, &Overrides::none()).expect_err("no model");
    assert_eq!(refused.first().code, Code::ModelUnstated);
    let chosen = ModelChoice::Catalogue("Qwen/Qwen3-8B".into());
    let (facts, warnings) = try_facts(fragment, &chosen, &Overrides::none()).expect("facts");
    assert_eq!((facts.input_kind, facts.schema), (InputKind::Fragment, Schema::AutoModels));
    assert!(warnings.iter().any(|warning| warning.code == Code::Fragment));
    let origin = facts.model.dimension(Dimension::HiddenSize).map(|stated| stated.origin.clone());
    assert_eq!(origin, Some(Origin::ChosenModel("Qwen/Qwen3-8B".into())));
}

#[test]
fn a_near_name_is_an_error_with_one_way_on() {
    let text = RUN.replace("Qwen3-30B-A3B", "Qwen3-30B-A3B-Instruct-2507");
    let refused = try_facts(&text, &ModelChoice::Named, &Overrides::none()).expect_err("an unknown name");
    assert_eq!(refused.first().code, Code::HfConfigUnresolved);
    assert_eq!(refused.first().help, Some(Help::UseDimensionsOf("Qwen/Qwen3-30B-A3B".into())));
    let chosen = ModelChoice::Catalogue("Qwen/Qwen3-30B-A3B".into());
    assert!(try_facts(&text, &chosen, &Overrides::none()).is_ok());
    let unknown = ModelChoice::Catalogue("Qwen/Qwen3-30B-A3".into());
    let refused = try_facts(&text, &unknown, &Overrides::none()).expect_err("an unknown id");
    assert_eq!(refused.first().code, Code::ModelUnknown);
    assert_eq!(refused.first().help, Some(Help::Nearest("Qwen/Qwen3-30B-A3B".into())));
}

#[test]
fn overrides_reach_the_model_and_are_its_origin() {
    let path = "model.config_overrides.num_hidden_layers";
    let overrides = Overrides::none().with(path, document::Value::Integer(4));
    let (facts, warnings) = try_facts(RUN, &ModelChoice::Named, &overrides).expect("facts");
    assert_eq!(warnings, []);
    let layers = facts.model.dimension(Dimension::Layers).cloned().expect("layers");
    assert_eq!((layers.value, layers.origin), (4, Origin::Override(KeyPath::parse(path))));
    let direct = Overrides::none().with("model.num_experts", document::Value::Integer(16));
    assert_eq!(try_facts(RUN, &ModelChoice::Named, &direct).expect("facts").0.model.count(Dimension::Experts), 16);
}

#[test]
fn an_override_never_changes_the_schema_or_the_section_read() {
    let legacy = "model: {name: qwen3, config_overrides: {hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 2, \
                  vocab_size: 8, intermediate_size: 9}}\ntrain: {accelerator: {tp_degree: 2}}\n";
    let overrides = Overrides::none()
        .with("accelerator.tp_size", document::Value::Integer(8))
        .with("model.pretrained_model_name_or_path", document::Value::Text("Qwen/Qwen3-8B".into()));
    let (facts, warnings) = try_facts(legacy, &ModelChoice::Unreadable, &overrides).expect("facts");
    assert_eq!((facts.schema, facts.run.tensor_parallel.value), (Schema::Legacy, 2));
    let unread: Vec<_> = warnings.iter().filter(|warning| warning.code == Code::OverrideUnread).collect();
    assert_eq!(unread.len(), 1, "{warnings:?}");
}

#[test]
fn all_errors_are_told_at_once_in_order() {
    let text = RUN.replace("tp_size: 2", "tp_size: two").replace("device_num: 8", "max_device_memory: lots");
    let text = text.replace("torch_dtype: bfloat16", "config_overrides: {hidden_size: 0, num_hidden_layers: none}");
    let refused = try_facts(&text, &ModelChoice::Named, &Overrides::none()).expect_err("errors");
    let codes: Vec<_> = refused.errors().iter().map(|error| error.code.name()).collect();
    assert_eq!(codes, ["spec_not_integer", "spec_required_nonpositive", "not_integer", "memory_format"]);
}

#[test]
fn origins_name_the_key_that_was_read() {
    let (facts, _) = facts(RUN);
    let origin = |path: &str| Origin::Key(Source::Run, KeyPath::parse(path));
    assert_eq!(facts.run.tensor_parallel.origin, origin("accelerator.tp_size"));
    assert_eq!(facts.run.dp_shard.origin, origin("fsdp_config.dp_shard_size"));
    assert!(matches!(facts.run.pipeline_parallel.origin, Origin::TrainerDefault(_)));
    assert!(matches!(facts.run.data_parallel.origin, Origin::Rule(_)));
}

#[test]
fn no_degree_is_too_large_for_the_page() {
    for (from, to) in [("tp_size: 2", "pp_size: 9000000000"), ("tp_size: 2", "tp_size: 1e400")] {
        assert!(try_facts(&RUN.replace(from, to), &ModelChoice::Named, &Overrides::none()).is_err(), "{to}");
    }
    let overrides = Overrides::none().with("model.num_hidden_layers", document::Value::Integer(1 << 40));
    let refused = try_facts(RUN, &ModelChoice::Named, &overrides).expect_err("too deep");
    assert_eq!(refused.first().code, Code::DegreeTooLarge);
}

#[test]
fn every_catalogue_model_is_found_by_its_id() {
    for entry in catalogue::all() {
        assert_eq!(catalogue::find(entry.id), Some(entry.id));
    }
}
