//! Every model is read and priced, whichever way its config spells itself, and layers of a kind that the reference does
//! not have are named (DESIGN 3.5).

use serde_json::{Value, json};
use shardmem::config::reference_fields;
use shardmem::diagnostics::Severity;
use shardmem::estimate::{Input, ModelChoice, Outcome, Ready, estimate};
use shardmem::model::catalogue;

const RUN: &str = "
accelerator: {tp_size: 1, pp_size: 1}
fsdp_config: {dp_shard_size: 8}
training: {micro_batch_size: 1, micro_batch_num: 4}
dataset: {data_transform: {max_seq_len: 4096}}
optimizer: {_target_: AdamW}
context: {device_num: 8, visual_seq_len: 1024}
";

fn ready(name: &str, model: ModelChoice) -> Box<Ready> {
    match estimate(&Input { model, ..Input::of(RUN) }) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(rejected) => {
            let said: Vec<String> = rejected.errors().map(shardmem::estimate::Found::message).collect();
            panic!("{name}: {said:?}")
        }
    }
}

/// A catalogue model, with what a recipe states over its config.
fn cropped(id: &str, overrides: &str) -> Box<Ready> {
    let model = format!("model: {{pretrained_model_name_or_path: {id}, config_overrides: {{{overrides}}}}}");
    match estimate(&Input::of(&format!("{RUN}{model}\n"))) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(_) => panic!("{id} with {overrides} is refused"),
    }
}

fn pasted(config: &str) -> Box<Ready> {
    ready(config, ModelChoice::Config(config.into()))
}

/// The config of every catalogue entry, as text.
fn configs() -> Vec<(String, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/catalogue.jsonl");
    let lines = std::fs::read_to_string(path).expect("readable");
    let read = lines.lines().skip(1).map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        (line["id"].as_str().expect("an id").to_owned(), line["config"].to_string())
    });
    read.collect()
}

#[test]
fn every_model_is_priced_alike_by_its_id_and_by_its_config() {
    let configs = configs();
    assert_eq!(configs.len(), catalogue::all().len());
    for (id, config) in configs {
        let chosen = ready(&id, ModelChoice::Catalogue(id.as_str().into()));
        let pasted = ready(&id, ModelChoice::Config(config.into()));
        assert_eq!(reference_fields(&chosen.config), reference_fields(&pasted.config), "{id}");
        assert_eq!(chosen.breakdown, pasted.breakdown, "{id}");
        let codes = |ready: &Ready| ready.findings.iter().map(shardmem::estimate::Found::message).collect::<Vec<_>>();
        let of_model = |message: &String| !message.contains("config.json");
        assert_eq!(
            codes(&chosen).into_iter().filter(of_model).collect::<Vec<_>>(),
            codes(&pasted).into_iter().filter(of_model).collect::<Vec<_>>(),
            "{id}"
        );
        assert!(chosen.report.verdict.peak.value() > 0.0, "{id}");
    }
}

/// What a model's layers were priced as in place of what they are.
fn nearest(ready: &Ready) -> Option<String> {
    let found = ready.findings.iter().find(|found| found.diagnostic.code.name() == "layer_kind_nearest")?;
    assert_eq!(found.diagnostic.severity, Severity::Warning);
    Some(found.message().split_once("nearest: ").expect("the layers").1.to_owned())
}

#[test]
fn layers_without_a_kind_are_named_with_what_they_are_priced_as() {
    let of = |id: &str| nearest(&ready(id, ModelChoice::Catalogue(id.into())));
    let is = |id: &str, layers: &str| assert_eq!(of(id).as_deref(), Some(layers), "{id}");
    is(
        "moonshotai/Kimi-Linear-48B-A3B-Instruct",
        "linear_attention+dense 0 → decoder; linear_attention 1-3, 5-7, 9-11, 13-15, 17-19, 21-23, 25-26 → decoder",
    );
    is(
        "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
        "mamba_only 0, 2, 4, 7, 9, 11, 14, 16, 18, 21, 23, 25, 28, 30, 32, 35, 37, 39, 41, 44, 46, 48, 50 → decoder; \
         moe_only 1, 3, 6, 8, 10, 13, 15, 17, 20, 22, 24, 27, 29, 31, 34, 36, 38, 40, 43, 45, 47, 49, 51 → decoder; \
         full_attention_only 5, 12, 19, 26, 33, 42 → decoder",
    );
    is(
        "Qwen/Qwen3-Next-80B-A3B-Instruct",
        "linear_attention 0-2, 4-6, 8-10, 12-14, 16-18, 20-22, 24-26, 28-30, 32-34, 36-38, 40-42, 44-46 → decoder",
    );
    is("meituan-longcat/LongCat-Flash-Chat", "shortcut_moe 0-27 → decoder");
    is(
        "google/gemma-4-26B-A4B",
        "sliding_attention+dense+moe 0-4, 6-10, 12-16, 18-22, 24-28 → decoder; dense+moe 5, 11, 17, 23, 29 → decoder",
    );
    is(
        "XiaomiMiMo/MiMo-V2-Flash",
        "dense 0 → decoder; sliding_attention 1-4, 6-10, 12-16, 18-22, 24-28, 30-34, 36-40, 42-46 → decoder",
    );
    is(
        "meta-llama/Llama-3.2-90B-Vision-Instruct",
        "cross_attention 3, 8, 13, 18, 23, 28, 33, 38, 43, 48, 53, 58, 63, 68, 73, 78, 83, 88, 93, 98 → decoder",
    );
    is("openai/gpt-oss-20b", "sliding_attention 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 → decoder");
    is("deepseek-ai/DeepSeek-V4-Flash", "sliding_attention 0-1 → moe; compressed_attention 2-42 → moe");
    is("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "dense_only 6-7, 11, 42-51, 53-70 → decoder");
    is("zai-org/GLM-4.5-Air", "dense 0 → decoder");
    assert!(of("moonshotai/Kimi-K3").is_some_and(|layers| layers.starts_with("linear_attention+dense 0 → decoder; ")));
    for id in
        ["deepseek-ai/DeepSeek-V3", "Qwen/Qwen3.5-35B-A3B", "meta-llama/Llama-3.1-8B", "mistralai/Mixtral-8x7B-v0.1"]
    {
        assert_eq!(of(id), None, "{id}");
    }
}

#[test]
fn what_a_recipe_states_over_a_config_is_no_odd_kind() {
    let of = |id: &str, overrides: &str| nearest(&cropped(id, overrides));
    let deepseek = "deepseek-ai/DeepSeek-V3";
    assert_eq!(of(deepseek, "num_hidden_layers: 4, first_k_dense_replace: 1"), None);
    assert_eq!(of("Qwen/Qwen3-8B", "num_experts: 8, moe_intermediate_size: 512"), None);
    assert_eq!(of("Qwen/Qwen3-30B-A3B", "num_experts: 1"), None);
    let hybrid = "num_hidden_layers: 2, layer_types: [full_attention, linear_attention]";
    assert_eq!(of("Qwen/Qwen3.5-27B", hybrid), None);
    let windows = "num_hidden_layers: 2, layer_types: [full_attention, sliding_attention]";
    let found = cropped("google/gemma-3-27b-it", windows);
    assert_eq!(nearest(&found).as_deref(), Some("sliding_attention 1 → decoder"));
    let odd = found.findings.iter().find(|found| found.diagnostic.code.name() == "layer_kind_nearest");
    let place = odd.and_then(|found| found.diagnostic.place.key_path());
    assert_eq!(place.map(ToString::to_string).as_deref(), Some("model.config_overrides.layer_types"));
    assert_eq!(of("zai-org/GLM-4.5-Air", "first_k_dense_replace: 2").as_deref(), Some("dense 0-1 → decoder"));
}

/// Layers, hidden, heads, key/value heads, feed-forward, vocabulary, experts, chosen, expert width, tied.
fn dimensions(config: &str) -> Value {
    let fields = reference_fields(&pasted(config).config);
    let names = ["n_lay", "h", "a", "n_kv", "hff", "v", "n_exp", "n_chosen_exp", "hff_exp", "tie_emb_out"];
    names.iter().map(|name| fields[*name].clone()).collect()
}

#[test]
fn configs_are_read_by_the_names_of_their_class() {
    let is = |config: &str, expected: Value| assert_eq!(dimensions(config), expected, "{config}");
    is(
        r#"{"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 256, 100, 1, 1, 256, true]),
    );
    is(
        r#"{"model_type": "gptj", "n_embd": 64, "n_layer": 2, "n_head": 4, "n_inner": null, "vocab_size": 100,
            "tie_word_embeddings": false}"#,
        json!([2, 64, 4, 4, 256, 100, 1, 1, 256, false]),
    );
    is(
        r#"{"model_type": "gpt_bigcode", "n_embd": 64, "n_layer": 2, "n_head": 4, "multi_query": true, "n_inner": 200,
            "vocab_size": 100}"#,
        json!([2, 64, 4, 1, 200, 100, 1, 1, 200, true]),
    );
    is(
        r#"{"model_type": "chatglm", "hidden_size": 64, "num_layers": 2, "num_attention_heads": 4, "ffn_hidden_size": 96,
            "multi_query_attention": true, "multi_query_group_num": 2, "padded_vocab_size": 100, "kv_channels": 16,
            "seq_length": 32, "add_qkv_bias": true}"#,
        json!([2, 64, 4, 2, 96, 100, 1, 1, 96, false]),
    );
    is(
        r#"{"model_type": "bloom", "hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 256, 100, 1, 1, 256, true]),
    );
    is(
        r#"{"model_type": "gpt_neo", "hidden_size": 64, "num_layers": 2, "num_heads": 4, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 256, 100, 1, 1, 256, true]),
    );
    is(
        r#"{"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 32, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 256, 100, 1, 1, 256, true]),
    );
    is(
        r#"{"model_type": "dbrx", "d_model": 64, "n_layers": 2, "n_heads": 4, "vocab_size": 100,
            "attn_config": {"kv_n_heads": 2},
            "ffn_config": {"ffn_hidden_size": 96, "moe_num_experts": 8, "moe_top_k": 2}}"#,
        json!([2, 64, 4, 2, 96, 100, 8, 2, 96, false]),
    );
    is(
        r#"{"model_type": "t5", "d_model": 64, "num_layers": 2, "num_heads": 4, "d_ff": 128, "d_kv": 16, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 128, 100, 1, 1, 128, false]),
    );
    is(
        r#"{"model_type": "xglm", "d_model": 64, "num_layers": 2, "attention_heads": 4, "ffn_dim": 128, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 128, 100, 1, 1, 128, false]),
    );
    is(
        r#"{"model_type": "longcat_flash", "hidden_size": 64, "num_layers": 2, "num_attention_heads": 4,
            "ffn_hidden_size": 128, "expert_ffn_hidden_size": 32, "n_routed_experts": 8, "moe_topk": 2, "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 128, 100, 8, 2, 32, false]),
    );
    is(
        r#"{"model_type": "hunyuan", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "intermediate_size": 128, "num_experts": 8, "moe_intermediate_size": [32, 32], "moe_topk": [2, 2],
            "num_shared_expert": [1, 1], "vocab_size": 100}"#,
        json!([2, 64, 4, 4, 128, 100, 8, 2, 32, false]),
    );
    is(
        r#"{"model_type": "nemotron_h", "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
            "intermediate_size": 128, "layers_block_type": ["mamba", "attention", "mlp"], "vocab_size": 100}"#,
        json!([3, 64, 4, 2, 128, 100, 1, 1, 128, false]),
    );
}

/// The names of the hub's own config, not of the class that Transformers has now.
const KIMI_LINEAR: &str = r#"{"model_type": "kimi_linear", "hidden_size": 64, "num_hidden_layers": 4,
    "num_attention_heads": 4, "intermediate_size": 128, "moe_intermediate_size": 32, "num_experts": 8,
    "num_experts_per_token": 2, "num_shared_experts": 1, "first_k_dense_replace": 1, "vocab_size": 100,
    "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16, "model_max_length": 128,
    "linear_attn_config": {"kda_layers": [1, 2, 3], "full_attn_layers": [4], "num_heads": 4, "head_dim": 16,
    "short_conv_kernel_size": 4}}"#;

#[test]
fn a_section_of_linear_attention_is_read() {
    assert_eq!(dimensions(KIMI_LINEAR), json!([4, 64, 4, 4, 128, 100, 8, 2, 32, false]));
    let layers = "linear_attention+dense 0 → decoder; linear_attention 1-2 → decoder";
    assert_eq!(nearest(&pasted(KIMI_LINEAR)).as_deref(), Some(layers));
}

#[test]
fn lists_that_differ_are_priced_by_the_widest_layer() {
    let config = r#"{"model_type": "hunyuan", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": [128, 96, 96], "vocab_size": 100}"#;
    assert_eq!(dimensions(config), json!([3, 64, 4, 4, 128, 100, 1, 1, 128, false]));
    assert_eq!(nearest(&pasted(config)).as_deref(), Some("intermediate_size=96 1-2 → 128"));
}

#[test]
fn plain_names_outrank_those_of_a_class() {
    let config = r#"{"model_type": "ernie4_5_moe", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 128, "moe_num_experts": 8, "moe_k": 2, "moe_layer_start_index": 1, "vocab_size": 100}"#;
    assert_eq!(dimensions(config), json!([3, 64, 4, 4, 128, 100, 1, 1, 128, false]));
    let ready = pasted(config);
    assert_eq!(nearest(&ready).as_deref(), Some("moe 1-2 → decoder"));
    let note = ready.findings.iter().find(|found| found.diagnostic.code.name() == "key_without_model");
    assert!(note.is_some_and(|note| note.message().contains("moe_num_experts")));
}

#[test]
fn towers_are_read_by_the_names_of_their_class() {
    let text = r#""text_config": {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 100}"#;
    let towers = [
        r#"{"vt_hidden_size": 32, "vt_num_hidden_layers": 3, "vt_num_attention_heads": 2, "vt_intermediate_size": 48}"#,
        r#"{"hidden_dim": 32, "depth": 3, "num_heads": 2, "intermediate_size": 48}"#,
        r#"{"hidden_size": 32, "num_hidden_layers": 3, "attention_heads": 2, "intermediate_size": 48}"#,
        r#"{"width": 32, "layers": 3, "heads": 2, "mlp_dim": 48}"#,
    ];
    for tower in towers {
        let ready = pasted(&format!(r#"{{"model_type": "some_vl", {text}, "vision_config": {tower}}}"#));
        let fields = reference_fields(&ready.config);
        let vision = &fields["mm_ccfgs"]["vision"];
        let got: Vec<_> = ["h", "n_lay", "a", "hff"].iter().map(|name| vision[*name].clone()).collect();
        assert_eq!(got, [32, 3, 2, 48], "{tower}");
    }
}

#[test]
fn a_hostile_config_is_answered_at_once() {
    let names: Vec<String> = (0..60_000).map(|at| format!("\"k{at}\"")).collect();
    let numbers: Vec<String> = (0..60_000).map(|at| (at * 2).to_string()).collect();
    let config = format!(
        r#"{{"hidden_size": 64, "num_hidden_layers": 60000, "num_attention_heads": 4, "vocab_size": 100,
            "intermediate_size": 128, "num_experts": 8, "layer_types": [{}], "mlp_only_layers": [{}]}}"#,
        names.join(","),
        numbers.join(",")
    );
    let layers = nearest(&pasted(&config)).expect("a warning");
    assert!(layers.len() < 10_000, "{} bytes of layers", layers.len());
}
