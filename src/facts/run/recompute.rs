//! Recompute and the pipeline offset: what is stated per layer, stage or chunk (config-spec 4.8, 4.9).

use super::ModelFacts;
use crate::diagnostics::Code;
use crate::document::{Node, Value};
use crate::facts::dialect::{Fact, RECOMPUTE_MODES};
use crate::facts::reader::{Found, Reader, refused, refused_item};
use crate::facts::{Offset, RecomputeLayers};
use crate::model::Dimension;
use crate::model::nearest::nearest;
use crate::provenance::{Origin, Stated};
use std::sync::Arc;

pub(super) struct Recompute {
    pub(super) mode: Option<Stated<&'static str>>,
    pub(super) full: Stated<RecomputeLayers>,
    pub(super) selective: Stated<RecomputeLayers>,
}

pub(super) fn recompute(reader: &Reader<'_>) -> Recompute {
    let mode = mode(reader);
    let full = reader.stated(Fact::FullOverride).map(|found| recompute_layers(reader, &found));
    let selective = reader.stated(Fact::SelectiveOverride).map(|found| recompute_layers(reader, &found));
    let is = |wanted: &str| mode.clone().map(|mode| RecomputeLayers::All(mode == wanted));
    let overridden = full.is_some() || selective.is_some();
    Recompute {
        full: full.unwrap_or_else(|| is("full")),
        selective: selective.unwrap_or_else(|| is("selective")),
        mode: (!overridden).then_some(mode),
    }
}

fn mode(reader: &Reader<'_>) -> Stated<&'static str> {
    let Some(found) = reader.stated(Fact::RecomputeMode) else {
        return Stated::new("off", Origin::TrainerDefault("config-spec 4.8"));
    };
    let text = match found.value {
        Value::Bool(false) => "off".to_owned(),
        Value::Sequence(_) => "auto".to_owned(),
        value => value.to_text().trim().to_ascii_lowercase(),
    };
    let mode = match &*text {
        "off" | "none" => "off",
        "selective" => "selective",
        "full" => "full",
        "auto" => {
            reader.report(refused(Code::AcModeNotSingle, &found));
            "off"
        }
        _ => {
            reader.report(refused(Code::AcModeUnknown, &found).near(nearest(&text, RECOMPUTE_MODES)));
            "off"
        }
    };
    Stated::new(mode, found.origin)
}

fn recompute_layers(reader: &Reader<'_>, found: &Found<'_>) -> Stated<RecomputeLayers> {
    let layers = match found.value {
        Value::Bool(all) => RecomputeLayers::All(*all),
        Value::Integer(count) => RecomputeLayers::Count(*count),
        Value::Sequence(items) => match rows(reader, found, items) {
            Some(rows) => RecomputeLayers::PerChunk(rows),
            None if !items.is_empty() && items.iter().all(|item| item.value.as_text().is_some()) => {
                RecomputeLayers::Ops(items.iter().filter_map(|item| item.value.as_text()).map(Arc::from).collect())
            }
            None => RecomputeLayers::PerStage(whole_numbers(reader, found, items)),
        },
        value => RecomputeLayers::All(value.truthy()),
    };
    Stated::new(layers, found.origin.clone())
}

/// One row a chunk, if any item is a list.
fn rows(reader: &Reader<'_>, found: &Found<'_>, items: &[Node]) -> Option<Arc<[Arc<[i64]>]>> {
    let row =
        |item: &Node| whole_numbers(reader, found, item.value.as_sequence().unwrap_or(std::slice::from_ref(item)));
    items.iter().any(|item| item.value.as_sequence().is_some()).then(|| items.iter().map(row).collect())
}

fn whole_numbers(reader: &Reader<'_>, found: &Found<'_>, items: &[Node]) -> Arc<[i64]> {
    let read = items.iter().enumerate().map(|(at, Node { value, .. })| {
        value.to_integer().unwrap_or_else(|| {
            reader.report(refused_item(Code::NotInteger, found, at, value));
            0
        })
    });
    read.collect()
}

pub(super) fn offset(reader: &Reader<'_>, model: ModelFacts<'_>, stages: i64, chunks: i64) -> Stated<Offset> {
    let stages = usize::try_from(stages).unwrap_or(1);
    if let Some(found) = reader.stated(Fact::Offset) {
        let scalar = match found.value {
            Value::Sequence(items) => {
                return Stated::new(stated_offset(reader, &found, items), found.origin.clone());
            }
            Value::Bool(flag) => Some(i64::from(*flag)),
            Value::Integer(number) => Some(*number),
            _ => None,
        };
        if let Some(scalar) = scalar {
            let offset = if scalar == 0 { Offset::Scalar(0) } else { Offset::PerStage(vec![scalar; stages].into()) };
            return Stated::new(offset, found.origin);
        }
    }
    let layers = model.count(Dimension::Layers).saturating_add(model.mtp_layers);
    let extra = if chunks > 1 { 0 } else { layers.rem_euclid(i64::try_from(stages).unwrap_or(1)) };
    let extra = usize::try_from(extra).unwrap_or(0);
    let balanced = (0..stages).map(|stage| i64::from(stage < extra)).collect();
    Stated::new(Offset::PerStage(balanced), Origin::TrainerDefault("config-spec 4.9, balanced"))
}

fn stated_offset(reader: &Reader<'_>, found: &Found<'_>, items: &[Node]) -> Offset {
    let per_stage = || Offset::PerStage(whole_numbers(reader, found, items));
    rows(reader, found, items).map_or_else(per_stage, Offset::PerChunk)
}
