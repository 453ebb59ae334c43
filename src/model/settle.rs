//! What follows from other fields or from the name (config-spec 5.3, 5.4, 6.4).

use super::fields::{Dimension, Flag};
use super::spec::{Slot, count};
use super::stack::LinearAttention;
use crate::provenance::{Origin, Stated};
use crate::units::integers::floor_div;

/// Shared experts from widths, and a dense width from the others (config-spec 5.3).
pub(super) fn derive_widths(slots: &mut [Slot<i64>]) {
    let count = |slots: &[Slot<i64>], field: Dimension| count(slots, field.index());
    let (expert, shared) = (count(slots, Dimension::ExpertWidth), count(slots, Dimension::SharedWidth));
    if count(slots, Dimension::SharedExperts) == 0 && expert != 0 && shared != 0 {
        let shared = floor_div(shared, expert).max(1);
        slots[Dimension::SharedExperts.index()] =
            Slot::Value(Stated::new(shared, Origin::Rule("config-spec 5.3, shared experts")));
    }
    if count(slots, Dimension::FeedForward) == 0 {
        let from = if shared != 0 { Dimension::SharedWidth } else { Dimension::ExpertWidth };
        if let Slot::Value(stated) = &slots[from.index()] {
            slots[Dimension::FeedForward.index()] =
                Slot::Value(Stated::new(stated.value, Origin::Rule("config-spec 5.3, dense width")));
        }
    }
}

/// What the name decides where nobody states it (config-spec 5.4).
pub(super) fn settle(name: &str, dimensions: &mut [Slot<i64>], flags: &mut [Slot<bool>]) {
    let name = name.to_ascii_lowercase();
    let contains = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let rules = [
        (Flag::QkNorm, contains(&["qwen3"])),
        (Flag::QkvBias, contains(&["qwen2"])),
        (Flag::OutputBias, false),
        (Flag::FeedForwardBias, false),
        (Flag::NormBias, false),
        (Flag::SharedExpertGate, contains(&["qwen2_moe", "qwen3_5", "qwen3_next"])),
    ];
    for (flag, value) in rules {
        let slot = &mut flags[flag.index()];
        if slot.value().is_none() {
            *slot = Slot::Value(Stated::new(value, Origin::Rule("config-spec 5.4")));
        }
    }
    let norms = &mut dimensions[Dimension::LayerNorms.index()];
    if norms.value().is_none() {
        *norms = Slot::Value(Stated::new(2, Origin::Rule("config-spec 5.4")));
    }
}

/// All five linear-attention fields, or the names of those missing.
pub(super) fn linear_fields(dimensions: &[Slot<i64>]) -> Result<LinearAttention, Vec<String>> {
    let missing: Vec<String> = Dimension::LINEAR
        .into_iter()
        .filter(|field| dimensions[field.index()].value().is_none())
        .map(|field| field.name().to_owned())
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let count = |field: Dimension| count(dimensions, field.index());
    Ok(LinearAttention {
        key_heads: count(Dimension::LinearKeyHeads),
        key_head_width: count(Dimension::LinearKeyWidth),
        value_heads: count(Dimension::LinearValueHeads),
        value_head_width: count(Dimension::LinearValueWidth),
        convolution_width: count(Dimension::LinearConvolution),
    })
}
