//! A case of the ledger's goldens or measurements as a run: train.yaml, config.json, policies (ledger 6).

use serde_json::{Value, json};
use shardmem::accounting::precision;
use shardmem::config::{self, Config};
use shardmem::document::parse;
use shardmem::facts::{self, Facts, ModelChoice, Overrides};
use shardmem::memory::ledger::policies::Policies;
use shardmem::memory::ledger::{self, Inputs, Walked};
use shardmem::model::tensors::{Tensors, tensors};
use shardmem::placement::{self, Placement};

/// A case read by the same chain that a run takes.
pub struct Case {
    pub facts: Facts,
    pub tensors: Tensors,
    pub config: Config,
    pub placement: Placement,
    pub policies: Policies,
    pub last_of_ring: bool,
}

impl Case {
    /// Reads a case.
    pub fn of(case: &Value) -> Result<Self, String> {
        let yaml = parse(&train_yaml(case)).map_err(|error| format!("train.yaml: {error:?}"))?.value;
        let model = parse(&config_json(&case["model"]).to_string()).map_err(|error| format!("config: {error:?}"))?;
        let choice = ModelChoice::Config(model.value.into());
        let facts = facts::read(&yaml, &choice, &Overrides::none(), None).map_err(|errors| format!("{errors:?}"))?;
        let facts = facts.value;
        let config = config::derive(&facts).map_err(|errors| format!("{errors:?}"))?.value;
        let placement = placement::place(&config).map_err(|errors| format!("{errors:?}"))?.value;
        let tensors = tensors(&facts.model).ok_or("no tensors")?;
        let policies = Policies::chosen(&policies(case)).map_err(|errors| format!("{errors:?}"))?.value;
        let last_of_ring = case["cp_rank"].as_u64().is_some_and(|rank| rank + 1 == number(&case["parallel"], "cp", 1));
        Ok(Self { facts, tensors, config, placement, policies, last_of_ring })
    }

    /// What the ledger reads.
    pub fn inputs(&self) -> Inputs<'_> {
        Inputs {
            model: &self.facts.model,
            tensors: &self.tensors,
            config: &self.config,
            placement: &self.placement,
            precision: precision(&self.facts.run),
            last_of_ring: self.last_of_ring,
        }
    }

    /// Walks the stage that the case measured.
    pub fn walked(&self, case: &Value) -> Result<Walked, String> {
        let stage = usize::try_from(case["pp_stage"].as_u64().unwrap_or(0)).unwrap_or(0);
        let mut walked = ledger::walk(self.inputs(), self.policies).map_err(|errors| format!("{errors:?}"))?;
        if stage >= walked.len() {
            return Err(format!("there is no stage {stage}"));
        }
        Ok(walked.swap_remove(stage))
    }
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

fn number(case: &Value, key: &str, default: u64) -> u64 {
    case[key].as_u64().unwrap_or(default)
}

fn dtype(name: &str) -> &'static str {
    if name == "fp32" { "float32" } else { "bfloat16" }
}

/// Sequences a micro-batch; a published row may say it in words, with the tokens first.
fn micro_batch(case: &Value) -> u64 {
    case["micro_batch"].as_u64().unwrap_or_else(|| {
        let tokens: String = text(case, "micro_batch").chars().take_while(|letter| *letter != ' ').collect();
        let tokens: u64 = tokens.replace(',', "").parse().unwrap_or(0);
        tokens / number(case, "seq", 1)
    })
}

fn micro_batches(case: &Value) -> u64 {
    case["micro_batches"].as_u64().unwrap_or_else(|| number(case, "microbatches_per_step", 1))
}

/// nanotron's split: a stage closes once its cost reaches an even share (ledger 7).
fn layers_of_stages(case: &Value) -> Option<Vec<u64>> {
    let stages = number(&case["parallel"], "pp", 1);
    if !text(case, "name").starts_with("nanotron") || stages == 1 {
        return None;
    }
    let model = &case["model"];
    let of = |key: &str| number(model, key, 0);
    let layer = 4 * of("hidden") * of("heads") * of("head_dim") + 3 * of("hidden") * of("ffn");
    let all = of("layers") * layer + of("vocab") * of("hidden");
    let (mut counts, mut sum) = (vec![0], 0);
    for _ in 0..of("layers") {
        if sum * stages >= all && (counts.len() as u64) < stages {
            counts.push(0);
            sum = 0;
        }
        *counts.last_mut()? += 1;
        sum += layer;
    }
    counts.resize(usize::try_from(stages).ok()?, 0);
    Some(counts)
}

/// Policies of the code that a published row ran (ledger 6, 7).
fn policies_of_code(name: &str, chosen: &mut Vec<(&'static str, String)>) {
    let named: &[(&'static str, &str)] = if name.starts_with("tt_") {
        &[("norm", "fused"), ("wrap", "embedding+layers+head")]
    } else if name.starts_with("simumax") {
        &[
            ("state-layout", "zero1"),
            ("norm", "fused"),
            ("swiglu", "fused"),
            ("qkv", "fused"),
            ("norm-outputs", "shard"),
            ("loss", "megatron"),
            ("cp-kind", "all-to-all"),
        ]
    } else if name.starts_with("nanotron") {
        &[("state-layout", "zero1"), ("norm", "fused"), ("qkv", "fused"), ("loss", "nanotron")]
    } else {
        &[]
    };
    chosen.extend(named.iter().map(|(policy, value)| (*policy, (*value).to_owned())));
}

/// The train.yaml of a case.
pub fn train_yaml(case: &Value) -> String {
    let parallel = &case["parallel"];
    let degree = |key: &str| number(parallel, key, 1);
    let (shard, context, expert) = (degree("dp_shard"), degree("cp"), degree("ep"));
    let mode = match text(case, "recompute") {
        "" => "off",
        none if none.starts_with("none") => "off",
        "full" => "full",
        _ => "selective",
    };
    let devices = case["world"].as_u64().or_else(|| parallel["world"].as_u64());
    let devices = devices.unwrap_or_else(|| shard * degree("dp_replicate") * degree("tp") * degree("pp"));
    let mut yaml = json!({
        "model": { "config_path": "config.json", "torch_dtype": "bfloat16" },
        "model_init_dtype": dtype(text(&case["dtypes"], "param")),
        "dataset": { "data_transform": { "max_seq_len": case["seq"] } },
        "training": {
            "micro_batch_size": micro_batch(case),
            "micro_batch_num": micro_batches(case),
            "global_batch_size": micro_batch(case) * micro_batches(case) * shard,
        },
        "accelerator": {
            "tp_size": degree("tp"),
            "cp_size": context,
            "pp_size": degree("pp"),
            "pp_interleave_num": number(case, "pp_virtual", 1),
            "ep_size": expert,
            "sequence_parallel": parallel["sp"].as_bool().unwrap_or(false),
            "loss_parallel": parallel["loss_parallel"].as_bool().unwrap_or(false),
        },
        "fsdp_config": {
            "dp_shard_size": shard,
            "edp_shard_size": (shard / expert).max(1),
            "reshard_after_forward": case["fsdp"]["reshard_after_forward"].as_bool().unwrap_or(true),
            "mix_precision": {
                "param_dtype": dtype(text(&case["dtypes"], "compute")),
                "reduce_dtype": dtype(text(&case["dtypes"], "reduce")),
            },
        },
        "optimizer": { "type": "AdamW" },
        "activation_checkpoint": { "mode": mode },
        "context": { "device_num": devices },
    });
    if let Some(counts) = layers_of_stages(case) {
        let even = number(&case["model"], "layers", 0) / degree("pp");
        let offsets: Vec<i64> = counts.iter().map(|count| count.cast_signed() - even.cast_signed()).collect();
        yaml["model"]["offset"] = json!(offsets);
    }
    yaml.to_string()
}

/// The policies of a case, by name.
pub fn policies(case: &Value) -> Vec<(String, String)> {
    let mut chosen: Vec<(&str, String)> = Vec::new();
    match text(case, "recompute") {
        // torchtitan's per-operator policy keeps every second matmul.
        "selective_op" if text(case, "name").starts_with("tt_") => {
            chosen.push(("selective", "every-2nd-matmul".into()));
        }
        "selective_op_every_2nd_mm" => chosen.push(("selective", "every-2nd-matmul".into())),
        "selective_op" => chosen.push(("selective", "every-matmul".into())),
        "selective_every_2nd_layer" => chosen.push(("selective", "every-2nd-layer".into())),
        _ => {}
    }
    let fsdp = &case["fsdp"];
    if text(fsdp, "wrap").starts_with("embedding") {
        chosen.push(("wrap", "embedding+layers+head".into()));
    }
    if text(case, "experts").contains("dim 0 (padded") {
        chosen.push(("expert-shard-dim", "0".into()));
    }
    if text(&case["optimizer"], "implementation") == "foreach" {
        chosen.push(("adamw", "foreach".into()));
    }
    for (key, policy) in [("fused_norm", "norm"), ("fused_swiglu", "swiglu")] {
        if case[key].as_bool() == Some(true) {
            chosen.push((policy, "fused".into()));
        }
    }
    if text(case, "gradient_sync") == "last" {
        chosen.push(("gradient-sync", "last".into()));
    }
    if fsdp["reshard_after_backward"].as_bool() == Some(false) {
        chosen.push(("reshard-after-backward", "false".into()));
    }
    if number(&case["parallel"], "pp", 1) > 1 && fsdp["reshard_after_forward"].as_bool() != Some(false) {
        chosen.push(("pipeline-reshard", "true".into()));
    }
    match text(case, "cp_kind") {
        kind if kind.starts_with("all-gather") => chosen.push(("cp-kind", "gathered".into())),
        kind if kind.starts_with("all-to-all") => chosen.push(("cp-kind", "all-to-all".into())),
        kind if kind.starts_with("ring") => chosen.push(("cp-kind", "ring".into())),
        _ => {}
    }
    policies_of_code(text(case, "name"), &mut chosen);
    if let Some(chunk) = text(case, "loss").strip_prefix("chunk") {
        chosen.push(("loss", format!("chunked:{chunk}")));
    }
    chosen.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The config.json of a case's model: its class by what it has.
pub fn config_json(model: &Value) -> Value {
    let id = text(model, "id").to_ascii_lowercase();
    let experts = number(model, "experts", 0);
    let class = if id.contains("deepseek") {
        "deepseek_v3"
    } else if id.contains("glm") {
        "glm4_moe"
    } else if id.contains("mixtral") {
        "mixtral"
    } else if id.contains("qwen3") {
        if experts > 0 { "qwen3_moe" } else { "qwen3" }
    } else if id.contains("qwen2") {
        "qwen2"
    } else {
        "llama"
    };
    let mut config = json!({
        "model_type": class,
        "hidden_size": model["hidden"],
        "intermediate_size": model["ffn"],
        "num_hidden_layers": model["layers"],
        "num_attention_heads": model["heads"],
        "num_key_value_heads": model["kv_heads"],
        "vocab_size": model["vocab"],
        "tie_word_embeddings": model["tied"].as_bool().unwrap_or(false),
        "torch_dtype": "bfloat16",
    });
    let mut set = |key: &str, value: Value| config[key] = value;
    if class != "deepseek_v3" {
        set("head_dim", model["head_dim"].clone());
    }
    if experts > 0 {
        match class {
            "mixtral" => {
                set("num_local_experts", model["experts"].clone());
                set("intermediate_size", model["moe_ffn"].clone());
            }
            "qwen3_moe" => set("num_experts", model["experts"].clone()),
            _ => set("n_routed_experts", model["experts"].clone()),
        }
        set("num_experts_per_tok", model["topk"].clone());
        if class != "mixtral" {
            set("moe_intermediate_size", model["moe_ffn"].clone());
        }
    }
    if let Some(shared) = model["shared_ffn"].as_u64() {
        let width = number(model, "moe_ffn", 1).max(1);
        set("n_shared_experts", json!(shared / width));
        set("first_k_dense_replace", json!(number(model, "dense_layers", 0)));
    }
    if class == "deepseek_v3" {
        let key = |new: &str, old: &str| model.get(new).or_else(|| model.get(old)).cloned().unwrap_or_default();
        set("q_lora_rank", model["q_lora"].clone());
        set("kv_lora_rank", model["kv_lora"].clone());
        set("qk_nope_head_dim", key("qk_nope", "qk_head"));
        set("qk_rope_head_dim", model["qk_rope"].clone());
        set("v_head_dim", key("v_head_dim", "v_head"));
    }
    if class == "glm4_moe" {
        set("attention_bias", json!(true));
        set("use_qk_norm", json!(false));
        set("partial_rotary_factor", json!(0.5));
    }
    config
}

/// The tracker's wrapper keeps a unit's last gradient until its reduction is over (ledger 7, artefact 1): it shows where
/// the output of a reduction is the peak, in a whole rank and in whole fp32 gradients.
const KEPT_GRADIENT: [&str; 5] = [
    "llama3.1-8b_dp1_tp1_mb1_s4096_full_fp32",
    "llama3.1-8b_dp1_tp1_mb1_s4096_selop2_fp32",
    "llama3.1-8b_dp1_tp1_mb1_s4096_full_fp32_foreach",
    "acc_llama3.1-8b_L6_dp1_mb1x3_s2048_full_fp32_synclast",
    "pp_llama3.1-8b_L32_dp8_pp4_st3_mb1x8_s4096_selop2_fp32_wrapEH_zero2",
];

/// Whether artefact 1 shows in a case.
pub fn kept_gradient(name: &str) -> bool {
    KEPT_GRADIENT.contains(&name)
}
