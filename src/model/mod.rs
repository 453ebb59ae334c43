//! The model: families, layer kinds and stacks, the spec read from a config.json, the catalogue.

pub mod catalogue;
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
mod tower;

pub use family::{AttentionFlavour, Family, FeedForwardFlavour, LayerKind, OpCounts, RunDefaults};
pub use fields::{Dimension, Flag, TowerDimension};
pub(crate) use nearest::nearest_divisors;
pub use resolve::{ConfigText, RUN_KEYS, Statement, resolve};
pub use spec::{ModelSpec, VisionTower, canonical_layers};
pub use stack::{Census, LayerGroup, LinearAttention, Stack};

/// Python's `//`: the quotient rounded down; 0 where the reference would divide by zero.
pub(crate) fn floor_div(dividend: i64, divisor: i64) -> i64 {
    let Some(quotient) = dividend.checked_div(divisor) else { return 0 };
    let remainder = dividend.wrapping_rem(divisor);
    if remainder != 0 && (remainder < 0) != (divisor < 0) { quotient - 1 } else { quotient }
}
