//! `spec.json`: a config.json and a model section in, the settled model spec out (config-spec 5).

use super::compare::same;
use super::findings;
use serde_json::Value;
use shardmem::document::{Mapping, parse_json};
use shardmem::model::{ConfigText, Statement, resolve};
use shardmem::provenance::{KeyPath, Origin, Source, Stated};

/// Checks one case.
pub fn run(case: &Value) -> Result<(), String> {
    let config = match &case["config"] {
        Value::Null => None,
        config => Some(parse_json(&config.to_string()).map_err(|why| format!("{why:?}"))?.value),
    };
    let section = parse_json(&case["model_section"].to_string()).map_err(|why| format!("{why:?}"))?.value;
    let section = section.root.value.as_mapping().cloned().unwrap_or_default();
    let path = path(&section);
    let tokens = case["visual_seq_len"].as_i64().map(|tokens| Stated::new(tokens, Origin::Caller));
    let root = config.as_ref().filter(|_| path.is_some()).map(|document| &document.root);
    let spec = resolve(&Statement {
        keys: &shardmem::facts::dialect::model_keys(),
        path: path.as_ref(),
        config: root.map(|root| ConfigText { root, catalogue_id: None, chosen: false }),
        section: &section,
        overridden: &[],
        visual_tokens: tokens.as_ref(),
    });
    match (spec, case.get("error")) {
        (Ok(spec), None) => {
            findings::warnings(&case["warnings"], &spec.warnings)?;
            same(&case["out"], &Value::Object(spec.value.canonical()), 0.0)
        }
        (Err(errors), Some(error)) => {
            findings::error(error, errors.first())?;
            findings::warnings(&case["warnings"], errors.warnings())
        }
        (Ok(_), Some(error)) => Err(format!("error.code: expected {}, got a spec", error["code"])),
        (Err(errors), None) => Err(format!("expected a spec, got {:?}", errors.first())),
    }
}

fn path(section: &Mapping) -> Option<Stated<std::sync::Arc<str>>> {
    let keys = ["pretrained_model_name_or_path", "config_path"];
    keys.into_iter().find_map(|key| {
        let text = section.get(key)?.value.as_text()?;
        Some(Stated::new(text.into(), Origin::Key(Source::Run, KeyPath::parse("model").key(key))))
    })
}
