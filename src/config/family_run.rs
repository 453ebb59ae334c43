//! Facts of the run: stated ones, else the family's (config-spec 6.2, 10.8).

use super::Primary;
use crate::model::{Family, RunDefaults};

/// What the config's family decides where the run states nothing. A vision tower takes the vision profile's, but for its
/// activation sharding, which is its language model's family's.
pub(super) fn defaults(primary: &Primary) -> RunDefaults {
    let run = primary.family.run_defaults();
    match (primary.family, primary.inherited_family) {
        (Family::Vision, Some(inherited)) => {
            RunDefaults { shard_activations: inherited.run_defaults().shard_activations, ..run }
        }
        _ => run,
    }
}

/// Widths in bytes an element or a parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Widths {
    /// `accumulates_grads`.
    pub(super) accumulates: bool,
    /// `bytes_grad`.
    pub(super) gradient: i64,
    /// `bytes_os`.
    pub(super) optimizer_state: i64,
    /// `bytes_optim`.
    pub(super) optimizer: i64,
    /// `bytes_optim_table`.
    pub(super) table_optimizer: i64,
    /// `bytes_norm`.
    pub(super) norm: i64,
    /// `bytes_dropout`.
    pub(super) dropout: i64,
}

/// Gradients take memory only in a pipeline, unless the run accumulates them without one too.
pub(super) fn widths(primary: &Primary, family: &RunDefaults) -> Widths {
    let accumulates = primary.grad_accumulation.unwrap_or(family.grad_accumulation);
    let gradient = primary.grad_bytes.unwrap_or(family.grad_bytes);
    let state = primary.optimizer_state_bytes.unwrap_or(family.optimizer_state_bytes);
    let states = primary.optimizer_states.unwrap_or(family.optimizer_states);
    let main_copy = primary.main_param_bytes.unwrap_or(family.main_param_bytes);
    Widths {
        accumulates,
        gradient: if primary.pipeline_parallel > 1 || accumulates { gradient } else { 0 },
        optimizer_state: state,
        optimizer: states.saturating_mul(state).saturating_add(main_copy),
        table_optimizer: state.saturating_mul(2).saturating_add(main_copy),
        norm: primary.norm_bytes.unwrap_or(family.norm_bytes),
        dropout: primary.dropout_bytes.unwrap_or(family.dropout_bytes),
    }
}

/// The width of a head: families with latent attention price heads at the value heads' width.
pub(super) fn head_width(primary: &Primary) -> f64 {
    match primary.family.value_head_width() {
        Some(families) => primary.value_head_width.filter(|width| *width != 0).unwrap_or(families) as f64,
        None => primary.head_width,
    }
}
