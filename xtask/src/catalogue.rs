//! `cargo xtask catalogue`: writes `data/catalogue.jsonl` from a folder of model configs, and checks that it is current.
//!
//! The first line records what the rest was made from: a hash of the source files, of the names kept, of the sources found
//! later, and of the lines below, so that a hand edit or a changed list shows without the source folder.

mod sources;

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::console::say;
use crate::{Outcome, USAGE, take_flag};

const FILE: &str = "data/catalogue.jsonl";

/// Names of a config.json that are kept: what decides shapes. Everything else (tokens, dropout, rope, sampling) goes.
const KEPT: &[&str] = &[
    // What a config is, and its parts.
    "model_type",
    "text_config",
    "vision_config",
    "torch_dtype",
    "dtype",
    // The names that are read as they stand.
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "intermediate_size",
    "vocab_size",
    "max_position_embeddings",
    "num_experts",
    "n_routed_experts",
    "num_local_experts",
    "num_experts_per_tok",
    "n_shared_experts",
    "num_shared_experts",
    "moe_intermediate_size",
    "shared_expert_intermediate_size",
    "first_k_dense_replace",
    "mtp_depth",
    "num_nextn_predict_layers",
    "mtp_num_hidden_layers",
    "multiple_of",
    "ffn_dim_multiplier",
    "kv_lora_rank",
    "q_lora_rank",
    "qk_rope_head_dim",
    "qk_nope_head_dim",
    "v_head_dim",
    "attn_output_gate",
    "tie_word_embeddings",
    "mlp_bias",
    "qkv_bias",
    "attention_bias",
    "o_bias",
    "qk_norm",
    "use_qk_norm",
    "qk_layernorm",
    "layer_types",
    "linear_num_key_heads",
    "linear_key_head_dim",
    "linear_num_value_heads",
    "linear_value_head_dim",
    "linear_conv_kernel_dim",
    // A vision tower's.
    "depth",
    "num_heads",
    "out_hidden_size",
    "patch_size",
    "spatial_merge_size",
    "num_position_embeddings",
    "vt_hidden_size",
    "vt_num_hidden_layers",
    "vt_num_attention_heads",
    "vt_intermediate_size",
    "attention_heads",
    "hidden_dim",
    "text_hidden_size",
    "vision_output_dim",
    "in_channels",
    "num_channels",
    "temporal_patch_size",
    "num_global_layers",
    "in_chans",
    "deepstack_visual_indexes",
    "position_embedding_size",
    "init_pos_emb_height",
    "init_pos_emb_width",
    "merge_kernel_size",
    "mm_hidden_size",
    "image_size",
    "max_num_tiles",
    "supported_aspect_ratios",
    // Names that a class renames.
    "n_embd",
    "n_layer",
    "n_head",
    "n_head_kv",
    "n_inner",
    "n_positions",
    "num_layers",
    "ffn_hidden_size",
    "padded_vocab_size",
    "multi_query_group_num",
    "multi_query",
    "num_kv_heads",
    "new_decoder_architecture",
    "kv_channels",
    "seq_length",
    "model_max_length",
    "attention_head_dim",
    "add_qkv_bias",
    "use_qkv_bias",
    "use_bias",
    "bias",
    "no_bias",
    "linear_num_heads",
    "linear_head_dim",
    "moe_num_experts",
    "moe_k",
    "moe_num_shared_experts",
    "moe_layer_start_index",
    "moe_topk",
    "num_experts_per_token",
    "num_shared_expert",
    "expert_ffn_hidden_size",
    "top_k_experts",
    "num_routed_experts",
    "num_dense_layers",
    "num_mtp_layers",
    "num_mtp_modules",
    "attention_kv_lora_dim",
    "attention_q_lora_dim",
    "attention_qk_dim",
    "attention_qk_rope_dim",
    "attention_v_dim",
    "shared_intermediate_size",
    "share_expert_dim",
    "dense_intermediate_size",
    "intermediate_size_mlp",
    "interleave_moe_layer_step",
    "moe_layer_freq",
    "mlp_layer_types",
    "mlp_only_layers",
    "decoder_sparse_step",
    "layers_block_type",
    "hybrid_override_pattern",
    "cross_attention_layers",
    // Shapes of parts that only some models have.
    "index_n_heads",
    "index_head_dim",
    "indexer_types",
    "o_lora_rank",
    "o_groups",
    "hc_mult",
    "compress_ratios",
    "zero_expert_num",
    "attention_k_eq_v",
    "global_head_dim",
    "num_global_key_value_heads",
    "hybrid_layer_pattern",
    "swa_head_dim",
    "swa_num_attention_heads",
    "swa_num_key_value_heads",
    "swa_v_head_dim",
    "mamba_num_heads",
    "mamba_head_dim",
    "ssm_state_size",
    "n_groups",
    "conv_kernel",
    "moe_latent_size",
    "moe_shared_expert_intermediate_size",
    "attn_type_list",
    "block_configs",
    "attention",
    "ffn",
    "n_heads_in_group",
    "no_op",
    "ffn_mult",
    "lm_head_bias",
    "linear_attn_config",
    "kda_layers",
    "short_conv_kernel_size",
    "routed_expert_hidden_size",
];

/// Reads the arguments: `--from DIR` writes (with `--check` compares), `--check` alone looks at the file by itself.
pub(crate) fn catalogue(mut arguments: Vec<String>) -> Outcome {
    let check = take_flag(&mut arguments, "--check");
    match (arguments.as_slice(), check) {
        ([], true) => check_alone(),
        ([flag, folder], true) if flag == "--from" => {
            check_alone()?;
            if read(Path::new(FILE))? != render(Path::new(folder))? {
                return Err(format!("{FILE} is stale; write it with `cargo xtask catalogue --from {folder}`"));
            }
            say(&format!("{FILE} is what {folder} gives"));
            Ok(())
        }
        ([flag, folder], false) if flag == "--from" => write(&render(Path::new(folder))?),
        _ => Err(format!("catalogue takes --from DIR, --check or both\n\n{USAGE}")),
    }
}

fn write(text: &str) -> Outcome {
    fs::write(FILE, text).map_err(|error| format!("cannot write {FILE}: {error}"))?;
    say(&format!("wrote {FILE}: {} models, {} bytes", text.lines().count() - 1, text.len()));
    Ok(())
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn parse(path: &Path) -> Outcome<(Value, String)> {
    let text = read(path)?;
    let value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok((value, text))
}

/// The file belongs to this program and nobody edited it.
fn check_alone() -> Outcome {
    let text = read(Path::new(FILE))?;
    let (first, body) = text.split_once('\n').ok_or_else(|| format!("{FILE} has no first line"))?;
    let first: Value = serde_json::from_str(first).map_err(|error| format!("{FILE}:1: {error}"))?;
    if first["lines"] != json!(hash([body])) {
        return Err(format!("{FILE} was edited by hand; write it with `cargo xtask catalogue --from DIR`"));
    }
    if first["names"] != json!(hash(KEPT.iter().copied())) {
        return Err(format!(
            "the names kept have changed since {FILE} was written: `cargo xtask catalogue --from DIR`"
        ));
    }
    if first["found"] != json!(hash(sources::texts())) {
        return Err(format!(
            "the sources found have changed since {FILE} was written: `cargo xtask catalogue --from DIR`"
        ));
    }
    body.lines().try_for_each(|line| {
        let line: Value = serde_json::from_str(line).map_err(|error| format!("{FILE}: {error}"))?;
        sources::followable(&line["id"].to_string(), line["source"].as_str().unwrap_or_default())
    })
}

fn render(folder: &Path) -> Outcome<String> {
    let (index, index_text) = parse(&folder.join("index.json"))?;
    let entries = index.as_array().ok_or("index.json is no list")?;
    sources::all_used(&entries.iter().filter_map(|entry| entry["id"].as_str()))?;
    let mut texts = vec![index_text];
    let mut body = String::new();
    for entry in entries {
        let file = entry["file"].as_str().ok_or("an entry of index.json names no file")?;
        let (model, text) = parse(&folder.join(file))?;
        texts.push(text);
        body.push_str(&line(entry, &model)?);
        body.push('\n');
    }
    let first = json!({
        "entries": entries.len(),
        "source": hash(texts.iter().map(String::as_str)),
        "names": hash(KEPT.iter().copied()),
        "found": hash(sources::texts()),
        "lines": hash([body.as_str()]),
    });
    Ok(format!("{first}\n{body}"))
}

/// One model. Two independent counts that agree to the last parameter confirm its size; the size itself is the sum of the
/// tensors that its config describes, and stands in no line.
fn line(entry: &Value, model: &Value) -> Outcome<String> {
    let confirmed = entry["counted_by"] == "class = formula";
    let config = kept(&model["config"]);
    let id = model["id"].as_str().ok_or("a model has no id")?;
    let source = json!(sources::of(id, model["source"].as_str().unwrap_or_default())?);
    // Written out, so that the id comes first: the reader finds an entry without parsing the others.
    Ok(format!(r#"{{"id":{},"source":{source},"confirmed":{confirmed},"config":{config}}}"#, model["id"]))
}

fn kept(config: &Value) -> Value {
    let Some(config) = config.as_object() else { return Value::Null };
    let mut out = Map::new();
    for (name, value) in config {
        if !KEPT.contains(&name.as_str()) {
            continue;
        }
        let value = match value {
            Value::Object(_) => kept(value),
            Value::Array(items) if items.iter().all(Value::is_object) => items.iter().map(kept).collect(),
            _ => value.clone(),
        };
        // An explicit null decides something only for the parts; elsewhere it is the same as nothing.
        if !value.is_null() || name.ends_with("_config") || name == "q_lora_rank" {
            out.insert(name.clone(), value);
        }
    }
    Value::Object(out)
}

/// FNV-1a, 64 bits, over the texts with an end mark behind each.
fn hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in texts.into_iter().flat_map(|text| text.bytes().chain([0])) {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{state:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_what_decides_shapes() {
        let entry = json!({"total": 7, "counted_by": "class = formula"});
        let config = json!({
            "hidden_size": 8,
            "rope_theta": 1e4,
            "head_dim": null,
            "q_lora_rank": null,
            "vision_config": null,
            "text_config": {"vocab_size": 9, "bos_token_id": 1},
            "block_configs": [{"ffn": {"ffn_mult": 2.5, "sparsify": null}, "other": 1}],
        });
        let model = json!({"id": "a/b", "source": "somewhere", "config": config});
        let expected = r#"{"id":"a/b","source":"somewhere","confirmed":true,"config":"#.to_owned()
            + r#"{"block_configs":[{"ffn":{"ffn_mult":2.5}}],"hidden_size":8,"q_lora_rank":null,"text_config":{"vocab_size":9},"vision_config":null}}"#;
        assert_eq!(line(&entry, &model), Ok(expected));
    }

    #[test]
    fn a_line_without_a_source_to_follow_is_refused() {
        let model = json!({"id": "a/b", "source": "public source file, index id 1", "config": {}});
        assert!(line(&json!({}), &model).is_err());
    }

    #[test]
    fn the_end_of_each_text_counts() {
        assert_eq!(hash(["ab", "c"]), hash(["ab", "c"]));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
    }
}
