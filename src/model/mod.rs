//! The model: families, layer kinds and stacks, the spec read from a config.json, the catalogue.

pub mod family;
pub mod stack;

pub use family::{AttentionFlavour, Family, FeedForwardFlavour, LayerKind, OpCounts, RunDefaults};
pub use stack::{Census, LayerGroup, LinearAttention, Stack};
