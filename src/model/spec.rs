//! The model spec: what a config.json and the model section state, settled (config-spec 5).

use super::fields::{Dimension, Flag, TowerDimension};
use super::tensors::Facts;
use super::{Census, Family, OpCounts, Stack};
use crate::provenance::{KeyPath, Origin, Source, Stated};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is known of one field before the spec is checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Slot<T> {
    /// Nobody wrote it.
    #[default]
    Absent,
    /// An override wrote null: unstated, whatever the config says (config-spec 18.5).
    Null(Origin),
    /// A value.
    Value(Stated<T>),
}

impl<T> Slot<T> {
    pub(super) fn value(&self) -> Option<&Stated<T>> {
        match self {
            Self::Value(stated) => Some(stated),
            Self::Absent | Self::Null(_) => None,
        }
    }
}

/// A field's value; 0 when nobody states it.
pub(super) fn count(slots: &[Slot<i64>], at: usize) -> i64 {
    slots[at].value().map_or(0, |stated| stated.value)
}

/// A model, as the reference's model spec holds it: fields with where they come from, family and layer stack settled.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSpec {
    /// The model's name: the config's `model_type`, a stated name, or the path.
    pub name: Stated<Arc<str>>,
    /// The family, inferred from the name unless stated.
    pub family: Stated<Family>,
    pub(super) dimensions: Vec<Slot<i64>>,
    pub(super) flags: Vec<Slot<bool>>,
    /// `ffn_dim_multiplier`.
    pub feed_forward_multiplier: Option<Stated<f64>>,
    /// `torch_dtype`, without a leading `torch.`.
    pub dtype: Option<Stated<Arc<str>>>,
    /// The layers, body then MTP.
    pub stack: Stack,
    /// Stated op counts by layer kind; `None` takes the family's.
    pub ops: Option<Vec<(&'static str, OpCounts)>>,
    /// Measured activations by layer kind, where stated.
    pub activations: Vec<(&'static str, Census)>,
    /// Measured activations of the output layer, where stated.
    pub output_activations: Option<Census>,
    /// The vision tower, where the checkpoint has one.
    pub vision: Option<VisionTower>,
    /// The catalogue entry the dimensions come from, if they do.
    pub catalogue_id: Option<Arc<str>>,
    /// What the config says of shapes beside the dimensions.
    pub(super) facts: Facts,
}

/// A vision tower (config-spec 5.2, 5.4).
#[derive(Debug, Clone, PartialEq)]
pub struct VisionTower {
    /// The model's name with `_vision`, unless stated.
    pub name: Arc<str>,
    pub(super) dimensions: Vec<Slot<i64>>,
    /// Tokens of an image.
    pub tokens: Stated<i64>,
    /// Its layers.
    pub stack: Stack,
}

impl ModelSpec {
    /// A dimension as stated; `None` when nobody states it.
    pub fn dimension(&self, field: Dimension) -> Option<&Stated<i64>> {
        self.dimensions[field.index()].value()
    }

    /// A dimension's value; 0 when nobody states it, as the reference reads it.
    pub fn count(&self, field: Dimension) -> i64 {
        count(&self.dimensions, field.index())
    }

    /// A switch, settled (config-spec 5.4).
    pub fn flag(&self, field: Flag) -> Option<&Stated<bool>> {
        self.flags[field.index()].value()
    }

    /// A switch's value.
    pub fn is(&self, field: Flag) -> Option<bool> {
        self.flag(field).map(|stated| stated.value)
    }

    /// Where the fields stand, for diagnostics about a dimension: its key, if a text states it.
    pub fn place_of(&self, field: Dimension) -> Option<(Source, KeyPath)> {
        self.dimension(field)?.origin.key().map(|(source, path)| (source, path.clone()))
    }

    /// The spec in the reference's form: every canonical field that is not null except `layer_types`, plus arch, layers
    /// and vision (config-spec 18.4).
    pub fn canonical(&self) -> Map<String, Value> {
        let mut out = Map::new();
        out.insert("name".into(), json!(&*self.name.value));
        for field in Dimension::ALL {
            if let Some(stated) = self.dimension(*field) {
                out.insert(field.name().into(), json!(stated.value));
            }
        }
        for field in Flag::ALL {
            if let Some(value) = self.is(*field) {
                out.insert(field.name().into(), json!(value));
            }
        }
        if let Some(multiplier) = &self.feed_forward_multiplier {
            out.insert("ffn_dim_multiplier".into(), json!(multiplier.value));
        }
        if let Some(dtype) = &self.dtype {
            out.insert("torch_dtype".into(), json!(&*dtype.value));
        }
        if let Some(ops) = &self.ops {
            out.insert("ops".into(), canonical_ops(ops));
        }
        out.insert("arch".into(), json!(self.family.value.name()));
        out.insert("layers".into(), canonical_layers(&self.stack));
        if let Some(tower) = &self.vision {
            out.insert("vision".into(), Value::Object(tower.canonical()));
        }
        out
    }
}

impl VisionTower {
    /// A dimension as stated; `None` when nobody states it.
    pub fn dimension(&self, field: TowerDimension) -> Option<&Stated<i64>> {
        self.dimensions[field.index()].value()
    }

    /// A dimension's value, 0 when nobody states it.
    pub fn count(&self, field: TowerDimension) -> i64 {
        count(&self.dimensions, field.index())
    }

    fn canonical(&self) -> Map<String, Value> {
        let mut out = Map::new();
        for field in TowerDimension::ALL {
            if let Some(stated) = self.dimensions[field.index()].value() {
                out.insert(field.name().into(), json!(stated.value));
            }
        }
        out.insert("name".into(), json!(&*self.name));
        out.insert("max_position_embeddings".into(), json!(self.tokens.value));
        out.insert("layers".into(), canonical_layers(&self.stack));
        out
    }
}

/// Op counts by layer kind as the reference writes them.
pub fn canonical_ops(ops: &[(&'static str, OpCounts)]) -> Value {
    let kinds = ops.iter().map(|(kind, counts)| {
        let counts: Map<_, _> = counts.named().into_iter().map(|(op, count)| (op.to_owned(), json!(count))).collect();
        ((*kind).to_owned(), Value::Object(counts))
    });
    Value::Object(kinds.collect())
}

/// A stack as the reference writes it: groups of kind and count, `mtp` only where true.
pub fn canonical_layers(stack: &Stack) -> Value {
    let groups = stack.groups.iter().map(|group| {
        let mut out = json!({ "kind": group.kind.name, "count": group.count });
        if group.mtp {
            out["mtp"] = json!(true);
        }
        out
    });
    Value::Array(groups.collect())
}
