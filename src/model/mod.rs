//! The model: families, layer kinds and stacks, the spec read from a config.json, the catalogue.

pub mod catalogue;
mod census;
mod composition;
mod explicit;
pub mod family;
pub mod fields;
mod layers;
pub(crate) mod nearest;
mod resolve;
mod settle;
mod sink;
mod spec;
mod spelling;
pub mod stack;
pub mod tensors;
mod tower;

pub use family::{AttentionFlavour, Family, FeedForwardFlavour, LayerKind, OpCounts, RunDefaults};
pub use fields::{Dimension, Flag, TowerDimension};
pub(crate) use nearest::nearest_divisors;
pub use resolve::{ConfigText, Keys, Statement, resolve};
pub use spec::{ModelSpec, VisionTower, canonical_layers, canonical_ops};
pub use stack::{Census, LayerGroup, LinearAttention, Stack};
