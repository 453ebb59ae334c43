//! `derive.json`: primary fields in, derived fields out (config-spec 10).

use serde_json::Value;
use shardmem::config::{Config, Primary, RecomputeLayers, Strictness, ranges, reference_fields};
use shardmem::model::Family;
use shardmem::provenance::KeyPath;

use super::compare::at;
use super::findings;
use super::nodes::node;

/// One case.
pub fn run(case: &Value) -> Result<(), String> {
    let strict = case["strict"] == Value::Bool(true);
    let strictness = if strict { Strictness::Strict } else { Strictness::Clamped };
    let derived = Config::new(primary(&case["in"]), strictness);
    let warnings = match &derived {
        Ok(checked) => &checked.warnings[..],
        Err(errors) => errors.warnings(),
    };
    same("warnings", &case["warnings"], &warnings.iter().map(findings::written).collect())?;
    match (derived, case.get("error")) {
        (Ok(checked), None) => compare(&case["out"], &checked.value),
        (Err(errors), Some(error)) => findings::error(error, errors.first()),
        (Ok(_), Some(error)) => Err(format!("expected {}, got a config", error["code"])),
        (Err(errors), None) => Err(format!("expected a config, got {:?}", errors.first())),
    }
}

fn compare(expected: &Value, config: &Config) -> Result<(), String> {
    let mut fields = reference_fields(config);
    fields.insert("optimizer_ranks".into(), config.optimizer_ranks().into());
    fields.insert("param_cp".into(), config.param_context_shard().into());
    fields.insert("expert_dp_ranks".into(), config.expert_reduction_ranks().into());
    fields.insert("runs_hyper_selective".into(), config.runs_hyper_selective().into());
    let expected = expected.as_object().ok_or("no fields expected")?;
    expected.iter().try_for_each(|(name, value)| same(name, value, fields.get(name).unwrap_or(&Value::Null)))
}

fn same(name: &str, expected: &Value, got: &Value) -> Result<(), String> {
    at(name, expected, got, 0.0)
}

/// The primary fields of a case; what it does not name is the default.
pub fn primary(stated: &Value) -> Primary {
    let int = |name: &str| stated[name].as_i64();
    let flag = |name: &str| stated[name].as_bool();
    let text = |name: &str| stated[name].as_str();
    let family = |name: &str| text(name).map(|name| Family::by_name(name).unwrap_or(Family::Default));
    let base = Primary::default();
    Primary {
        model_name: text("model_name").unwrap_or_default().into(),
        family: family("arch").unwrap_or(Family::Default),
        inherited_family: family("inherited_arch"),
        multimodal: flag("multimodal").unwrap_or(false),
        data_parallel: int("d").unwrap_or(1),
        tensor_parallel: int("t").unwrap_or(1),
        pipeline_parallel: int("p").unwrap_or(1),
        context_parallel: int("cp").unwrap_or(1),
        expert_parallel: int("ep").unwrap_or(1),
        expert_tensor_parallel: int("etp").unwrap_or(0),
        sequence_parallel: flag("sequence_parallel").unwrap_or(false),
        experts: int("n_exp").unwrap_or(1),
        expert_feed_forward: int("hff_exp").unwrap_or(0),
        optimizer_parallel: flag("has_op").unwrap_or(false),
        optimizer_shard: int("os_max_shard").unwrap_or(0),
        shard_spans_cp: flag("shard_spans_cp").unwrap_or(false),
        expert_shard: int("expert_shard"),
        expert_shard_group: flag("expert_shard_group"),
        grad_shard_as_params: flag("grad_shard_as_params").unwrap_or(false),
        grad_shard: flag("has_grad_shard").unwrap_or(false),
        param_casts: flag("param_casts"),
        vocabulary_data_parallel: flag("vocab_emb_dp").unwrap_or(false),
        embedding_sharded: flag("emb_dp_sharded").unwrap_or(false),
        layers: int("n_lay").unwrap_or(0),
        mtp_layers: int("n_mtp").unwrap_or(0),
        recompute_ranges: (!stated["recompute_ranges"].is_null()).then(|| {
            ranges::parse(&node(&stated["recompute_ranges"]), &KeyPath::root()).expect("ranges of a golden").value
        }),
        selective_recompute: layers(&stated["sel_rec"]),
        selective_comm_recompute: flag("sel_comm_rec"),
        selective_rule: text("sel_rec_rule").unwrap_or_default().into(),
        flash_attention: flag("has_fa").unwrap_or(false),
        sequence: int("s").unwrap_or(0),
        heads: int("a").unwrap_or(0),
        qk_norm: flag("qk_norm").unwrap_or(false),
        grad_accumulation: flag("grad_accumulation"),
        grad_bytes: int("grad_bytes"),
        optimizer_state_bytes: int("optimizer_state_bytes"),
        optimizer_states: int("optimizer_states"),
        main_param_bytes: int("main_param_bytes"),
        norm_bytes: int("norm_bytes"),
        dropout_bytes: int("dropout_bytes"),
        reshard_params: flag("reshard_params"),
        deferred_grad_accumulation: flag("deferred_grad_accumulation"),
        overlapped_grad_reduce: flag("overlapped_grad_reduce"),
        shard_activations: flag("shard_activations"),
        recompute_slice_activation: flag("recompute_slice_activation").unwrap_or(false),
        loss_parallel: flag("loss_parallel"),
        head_width: stated["dh"].as_f64().unwrap_or(0.0),
        value_head_width: int("v_head_dim"),
        ..base
    }
}

/// Layers a recompute setting covers, as a golden writes them.
pub fn layers(stated: &Value) -> RecomputeLayers {
    match stated {
        Value::Array(items) if items.iter().all(Value::is_i64) => {
            RecomputeLayers::PerStage(items.iter().filter_map(Value::as_i64).collect())
        }
        Value::Array(chunks) => RecomputeLayers::PerChunk(chunks.iter().map(integers).collect()),
        Value::Number(count) => RecomputeLayers::Count(count.as_i64().unwrap_or(0)),
        other => RecomputeLayers::All(other.as_bool().unwrap_or(false)),
    }
}

fn integers(list: &Value) -> std::sync::Arc<[i64]> {
    list.as_array().map(|items| items.iter().filter_map(Value::as_i64).collect()).unwrap_or_default()
}
