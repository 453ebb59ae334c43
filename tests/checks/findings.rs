//! Comparing findings with a golden's `warnings` and `error` (config-spec 18).

use super::compare::same;
use serde_json::{Value, json};
use shardmem::diagnostics::{Argument, Diagnostic};

/// The warnings of config-spec 13, which the goldens hold; ours besides them are not compared.
const REFERENCE_WARNINGS: [&str; 13] = [
    "family_default",
    "layer_types_unknown",
    "hf_config_unresolved",
    "vision_grid_missing",
    "mtp_unpriced",
    "device_num_unstated",
    "cp_algo_default",
    "optimizer_unstated",
    "dtype_unstated",
    "unread_precision_key",
    "seq_len_unstated",
    "expert_degrees_clamped",
    "no_census",
];

/// Compares code and arguments, in order.
pub fn warnings(expected: &Value, got: &[Diagnostic]) -> Result<(), String> {
    let got = got.iter().filter(|warning| REFERENCE_WARNINGS.contains(&warning.code.name()));
    same(expected, &got.map(written).collect(), 0.0).map_err(|why| format!("warnings{why}"))
}

/// A finding as a golden writes it.
pub fn written(finding: &Diagnostic) -> Value {
    let arguments: Vec<Value> = finding.arguments.iter().map(argument).collect();
    json!({ "code": finding.code.name(), "args": arguments })
}

fn argument(argument: &Argument) -> Value {
    match argument {
        Argument::Integer(number) => json!(number),
        Argument::Number(number) => json!(number),
        Argument::Text(text) => json!(text),
        Argument::List(texts) => json!(texts),
    }
}

/// Compares the first error's code.
pub fn error(expected: &Value, got: &Diagnostic) -> Result<(), String> {
    let (expected, got) = (&expected["code"], got.code.name());
    if expected == got { Ok(()) } else { Err(format!("error.code: expected {expected}, got {got}")) }
}
