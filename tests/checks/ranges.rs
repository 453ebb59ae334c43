//! `ranges.json`: recompute ranges in, the same ones normalised out (config-spec 8.1, 18.2).

use super::compare::at;
use super::nodes::node;
use serde_json::{Value, json};
use shardmem::config::{RecomputeOption, RecomputeRange, ranges};
use shardmem::provenance::KeyPath;

/// One case.
pub fn run(case: &Value) -> Result<(), String> {
    let parsed = ranges::parse(&node(&case["in"]), &KeyPath::parse("recompute"));
    match (parsed, case.get("error")) {
        (Ok(checked), None) => {
            let expected: Value = case["out"].as_array().ok_or("no ranges expected")?.iter().map(without_ops).collect();
            at("out", &expected, &checked.value.iter().map(written).collect(), 0.0)
        }
        (Err(errors), Some(error)) => at("error", &error["code"], &errors.first().code.name().into(), 0.0),
        (Ok(_), Some(error)) => Err(format!("expected {}, got ranges", error["code"])),
        (Err(errors), None) => Err(format!("expected ranges, got {:?}", errors.first())),
    }
}

/// The stated ops of a range are its input; what they mean is in its switches.
fn without_ops(range: &Value) -> Value {
    let mut range = range.clone();
    if let Some(fields) = range.as_object_mut() {
        fields.remove("ops");
    }
    range
}

fn written(range: &RecomputeRange) -> Value {
    let option = match range.option {
        RecomputeOption::None => "none",
        RecomputeOption::Full => "full",
        RecomputeOption::Selective => "selective",
    };
    let switches = range.switches.map(|switches| {
        let named = switches.named().into_iter().map(|(op, keeps)| (op.to_owned(), json!(u8::from(keeps))));
        Value::from(named.collect::<serde_json::Map<_, _>>())
    });
    let mut fields = json!({"first": range.first, "option": option, "switches": switches});
    if let Some(count) = range.count {
        fields["count"] = count.into();
    }
    fields
}
