//! The layers of a model in order, as groups of one kind.

use super::LayerKind;
use std::sync::Arc;

/// A run of equal layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerGroup {
    /// The kind, with the op counts that apply (stated ones where the model states them).
    pub kind: LayerKind,
    /// How many.
    pub count: u32,
    /// Whether they are multi-token-prediction layers, which come last.
    pub mtp: bool,
    /// Measured activations of the kind, where the model spec gives them (memory-core 7.3).
    pub census: Option<Census>,
}

/// The layers of a model in model order, body then MTP.
#[derive(Debug, Clone, PartialEq)]
pub struct Stack {
    /// The groups.
    pub groups: Arc<[LayerGroup]>,
    /// The shapes of the linear-attention layers, where the model has some.
    pub linear: Option<LinearAttention>,
}

/// Shapes of a linear-attention layer (memory-core 4.3): widths in elements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinearAttention {
    /// Key heads.
    pub key_heads: i64,
    /// Width of a key head.
    pub key_head_width: i64,
    /// Value heads.
    pub value_heads: i64,
    /// Width of a value head.
    pub value_head_width: i64,
    /// Convolution width.
    pub convolution_width: i64,
}

/// Measured activations of a layer kind or of the output layer, in bytes per token (memory-core 7.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Census {
    /// Kept between the passes, divided by sequence parallelism.
    pub saved: f64,
    /// Kept between the passes, divided by tensor parallelism.
    pub saved_tensor: f64,
    /// Held while the layer works, divided by sequence parallelism.
    pub working: f64,
    /// Held while the layer works, divided by tensor parallelism.
    pub working_tensor: f64,
    /// Kept under HyperParallel's selective recompute, where measured: (sequence, tensor).
    pub selective: Option<(f64, f64)>,
}
