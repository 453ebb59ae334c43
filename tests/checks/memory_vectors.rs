//! `memory-vectors.json`: a run and a checkpoint in, its fields and the memory of every stage out (memory-core).

use super::compare::{TOLERANCE, at};
use super::derive::layers;
use super::nodes::node;
use serde_json::{Map, Value, json};
use shardmem::config::derive_with;
use shardmem::config::{Config, Offset, Primary, ranges, reference_fields};
use shardmem::diagnostics::{Checked, Code, Errors};
use shardmem::document::{parse, parse_json};
use shardmem::facts::{ModelChoice, Overrides, read};
use shardmem::memory::{Breakdown, StageMemory, reference};
use shardmem::placement::place;
use shardmem::provenance::KeyPath;
use std::sync::Arc;

/// One case.
pub fn run(case: &Value) -> Result<(), String> {
    let config = config(case)?;
    if let Some(order) = case.get("order") {
        let parts = config.submodules().iter().map(|submodule| submodule.role.name());
        at("order", order, &parts.collect(), 0.0)?;
    }
    let placement = place(&config).map_err(|errors| format!("{:?}", errors.first()))?.value;
    let breakdown = reference::account(&config, &placement);
    warns_of_negative_items(&breakdown)?;
    stages(&case["stages"], &breakdown.value)
}

/// Nothing is clamped; where an item is below zero, the breakdown says so.
pub fn warns_of_negative_items(breakdown: &Checked<Breakdown>) -> Result<(), String> {
    let stages = &breakdown.value.stages;
    let negative = stages.iter().any(|stage| stage.items.iter().any(|item| item.bytes[0].value() < 0.0));
    match (negative, &breakdown.warnings[..]) {
        (false, []) => Ok(()),
        (true, [warning]) if warning.code == Code::ReferenceNegativeBuffer => Ok(()),
        (_, warnings) => Err(format!("items below zero: {negative}, warnings {warnings:?}")),
    }
}

/// Every stage as the golden states it.
pub fn stages(expected: &Value, breakdown: &Breakdown) -> Result<(), String> {
    let expected = expected.as_array().ok_or("no stages expected")?;
    if expected.len() != breakdown.stages.len() {
        return Err(format!("{} stages expected, got {}", expected.len(), breakdown.stages.len()));
    }
    expected.iter().zip(&breakdown.stages).enumerate().try_for_each(|(index, (expected, got))| {
        stage(expected, got).map_err(|difference| format!("stage {index}: {difference}"))
    })
}

fn stage(expected: &Value, got: &StageMemory) -> Result<(), String> {
    sums_to_totals(got)?;
    let written = written(got)?;
    let expected = expected.as_object().ok_or("no fields expected")?;
    for (name, value) in expected {
        match (name.as_str(), value) {
            ("breakdown_mb", Value::Null) => {}
            ("static_mb" | "dynamic_mb" | "peak_mb" | "breakdown_mb" | "layers" | "stage" | "micro", _) => {
                at(name, value, &written[name], 0.0)?;
            }
            _ => at(name, value, &written[name], TOLERANCE)?,
        }
    }
    Ok(())
}

/// Every byte belongs to one item: items sum to the total at each instant.
fn sums_to_totals(stage: &StageMemory) -> Result<(), String> {
    for (at, (instant, total)) in stage.instants.iter().zip(&stage.totals).enumerate() {
        let sum: f64 = stage.items.iter().map(|item| item.bytes[at].value()).sum();
        let size: f64 = stage.items.iter().map(|item| item.bytes[at].value().abs()).sum();
        if (sum - total.value()).abs() > 1e-12 * size {
            return Err(format!("items at {} sum to {sum}, the total is {}", instant.id, total.value()));
        }
    }
    let figures = stage.reference.as_ref().ok_or("no figures of the reference")?;
    let peak = stage.peak_bytes().value();
    if (peak - figures.total).abs() > 1e-12 * peak.abs() {
        return Err(format!("the peak is {peak}, the reference's total {}", figures.total));
    }
    Ok(())
}

fn written(stage: &StageMemory) -> Result<Value, String> {
    let figures = stage.reference.as_ref().ok_or("no figures of the reference")?;
    let printed: Map<String, Value> =
        figures.printed.iter().skip(2).map(|(name, mib)| ((*name).to_owned(), json!(mib))).collect();
    let (held, dynamic) = (figures.printed[0].1, figures.printed[1].1);
    Ok(json!({
        "stage": stage.stage,
        "layers": stage.layers,
        "static": {
            "params": figures.params, "optimizer": figures.optimizer, "gradients": figures.gradients,
            "total": figures.static_total,
        },
        "dynamic": {
            "activations": figures.activations, "comm": figures.comm, "bwd_overhead": figures.bwd_overhead,
            "warmup_peak": figures.warmup_peak,
            "backward_end": {
                "kept": figures.backward_end.kept, "held_grads": figures.backward_end.held_grads,
                "working": figures.backward_end.working, "root_grad": figures.backward_end.root_grad,
                "total": figures.backward_end.total,
            },
            "safety_buffer": figures.safety_buffer, "total": figures.dynamic_total, "peak_point": figures.peak_point,
        },
        "total": figures.total,
        "static_mb": held, "dynamic_mb": dynamic, "peak_mb": held + dynamic,
        "breakdown_mb": printed,
        "micro": figures.micro,
    }))
}

/// The case's run and checkpoint, read as a user's files are, with what the case sets afterwards.
pub fn config(case: &Value) -> Result<Config, String> {
    let refused = |errors: Errors| format!("refused: {:?}", errors.first());
    let document = parse(&case["train"].to_string()).map_err(refused)?.value;
    let choice = match &case["checkpoint"] {
        Value::Null => ModelChoice::Unreadable,
        checkpoint => ModelChoice::Config(Arc::new(parse_json(&checkpoint.to_string()).map_err(refused)?.value)),
    };
    let facts = read(&document, &choice, &Overrides::none(), None).map_err(refused)?.value;
    let changes = &case["set_after_derive"];
    let config = derive_with(&facts, |primary| changed(primary, changes)).map_err(refused)?.value;
    let config = match &changes["sel_rec"] {
        Value::Null => config,
        // Set after the derivation, which saw no selective layers.
        counts => config.with_selective_layers(layers(counts)),
    };
    let read = reference_fields(&config);
    let parts = read.get("mm_ccfgs").filter(|parts| parts.is_object());
    let got = parts.map_or_else(|| Value::from(read.clone()), Clone::clone);
    fields("fields", &case["fields"], &got)?;
    Ok(config)
}

/// The fields that a golden names and a config writes are equal.
fn fields(path: &str, expected: &Value, got: &Value) -> Result<(), String> {
    for (name, expected) in expected.as_object().ok_or("no fields")? {
        let path = format!("{path}.{name}");
        match got.get(name) {
            // Ranges are written with what they recompute, goldens repeat what was stated.
            _ if name == "recompute_ranges" => {}
            Some(part) if name == "vision" || name == "text" => fields(&path, expected, part)?,
            Some(got) => at(&path, expected, got, 0.0)?,
            None => {}
        }
    }
    Ok(())
}

/// What a case sets on the config; derived fields by the primary ones they follow from.
fn changed(mut primary: Primary, changes: &Value) -> Primary {
    for (name, value) in changes.as_object().into_iter().flatten() {
        match name.as_str() {
            "sel_rec" => {}
            "n_s_split" => primary.sequence_parts = value.as_i64().expect("a count"),
            "recompute_ranges" => {
                let ranges = ranges::parse(&node(value), &KeyPath::root()).expect("ranges of a golden");
                primary.recompute_ranges = Some(ranges.value);
            }
            "full_rec" => primary.full_recompute = layers(value),
            "offset" => primary.offset = offset(value),
            "freeze" => primary.frozen = flag(value),
            "defers_grads" => primary.deferred_grad_accumulation = Some(flag(value)),
            "overlaps_grad_reduce" => primary.overlapped_grad_reduce = Some(flag(value)),
            "is_mtp_in_offset" => primary.mtp_in_offset = flag(value),
            "is_shard_mtp_param" => primary.shard_mtp = flag(value),
            "norm_bias" => primary.norm_bias = Some(flag(value)),
            "qkv_bias" => primary.qkv_bias = Some(flag(value)),
            "mlp_bias" => primary.feed_forward_bias = Some(flag(value)),
            "keeps_param_casts" => primary.param_casts = Some(flag(value)),
            "config_format" => primary.json_format = value == "json",
            "bytes_grad" => primary.grad_bytes = value.as_i64(),
            "emb_out_in_offset" => primary.embedding_output_in_offset = flag(value),
            other => panic!("a case sets {other}, which this check does not know"),
        }
    }
    primary
}

fn flag(value: &Value) -> bool {
    value.as_bool().expect("a switch")
}

fn offset(stated: &Value) -> Offset {
    match stated {
        Value::Null => Offset::Unstated,
        Value::Array(items) if items.iter().all(Value::is_i64) => {
            Offset::PerStage(items.iter().filter_map(Value::as_i64).collect())
        }
        Value::Array(rows) => Offset::PerChunk(
            rows.iter().map(|row| row.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()).collect(),
        ),
        other => Offset::Scalar(other.as_i64().unwrap_or(0)),
    }
}
