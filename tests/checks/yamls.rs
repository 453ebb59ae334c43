//! `yamls.json`: real train.yamls, read and priced from the text alone; the model is found in the catalogue by its name.

use super::compare::{at, same};
use super::{memory_vectors, peaks};
use serde_json::Value;
use shardmem::config::reference_fields;

/// Checks one case: the model found, the first error's code, or every field and every stage.
pub fn run(case: &Value) -> Result<(), String> {
    let Some(ready) = peaks::ready(case)? else { return Ok(()) };
    at("catalogue", &case["catalogue"], &ready.facts.model.catalogue_id.as_deref().into(), 0.0)?;
    same(&case["out"], &Value::Object(reference_fields(&ready.config)), 0.0)?;
    memory_vectors::stages(&case["stages"], &ready.breakdown)
}
