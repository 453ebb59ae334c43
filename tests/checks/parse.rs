//! `parse.json`: a train.yaml and the config.json that its path reads in, every field of the configuration out.

use super::compare::same;
use super::findings;
use serde_json::Value;
use shardmem::config::{Config, derive, reference_fields};
use shardmem::diagnostics::{Checked, Errors};
use shardmem::document::{parse, parse_json};
use shardmem::facts::{ModelChoice, Overrides, named_model, read};
use std::sync::Arc;

/// Checks one case.
pub fn run(case: &Value) -> Result<(), String> {
    match (config(case), case.get("error")) {
        (Ok(config), None) => {
            findings::warnings(&case["warnings"], &config.warnings)?;
            same(&case["out"], &Value::Object(reference_fields(&config.value)), 0.0)
        }
        (Err(errors), Some(error)) => {
            findings::error(error, errors.first())?;
            findings::warnings(&case["warnings"], errors.warnings())
        }
        (Ok(_), Some(error)) => Err(format!("error.code: expected {}, got a config", error["code"])),
        (Err(errors), None) => Err(format!("expected a config, got {:?}", errors.first())),
    }
}

/// The configuration of a case.
pub fn config(case: &Value) -> Result<Checked<Config>, Errors> {
    let document = parse(case["yaml"].as_str().unwrap_or_default())?.value;
    // The case's config is what the named path reads; a file that names none reads none.
    let choice = match &case["model"] {
        Value::Null => ModelChoice::Unreadable,
        _ if named_model(&document).is_none() => ModelChoice::Unreadable,
        config => ModelChoice::Config(Arc::new(parse_json(&config.to_string())?.value)),
    };
    let facts = read(&document, &choice, &Overrides::none(), case["devices"].as_i64())?;
    let derived = derive(&facts.value);
    match derived {
        Ok(mut config) => {
            config.warnings.splice(0..0, facts.warnings);
            Ok(config)
        }
        Err(errors) => Err(errors.after(facts.warnings)),
    }
}
