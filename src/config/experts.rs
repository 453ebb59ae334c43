//! The degrees an expert layer runs with (config-spec 10.2).

use super::{Primary, Strictness};
use crate::diagnostics::{Code, Diagnostic, Findings, Place};
use crate::facts::ExpertMesh;
use crate::units::integers::{at_least_one, floor_div, product};

/// The derived part of an expert layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExpertDegrees {
    /// `t_exp`.
    pub(super) tensor: i64,
    /// `d_exp`.
    pub(super) data: i64,
    /// `edp_group`.
    pub(super) group: i64,
    /// `n_dispatch`.
    pub(super) dispatches: i64,
}

/// Derives the degrees; an impossible layout is refused, or raised to one in `primary` and the result.
pub(super) fn expert_degrees(primary: &mut Primary, strictness: Strictness, findings: &mut Findings) -> ExpertDegrees {
    let mut degrees = stated_degrees(primary);
    let impossible = degrees.group < 1 || degrees.tensor < 1 || primary.expert_feed_forward < 1 || primary.experts < 1;
    if impossible {
        findings.add(match strictness {
            Strictness::Strict => refusal(primary, degrees),
            Strictness::Clamped => clamping(primary),
        });
        degrees.group = at_least_one(degrees.group);
        degrees.tensor = at_least_one(degrees.tensor);
        primary.expert_feed_forward = at_least_one(primary.expert_feed_forward);
        primary.experts = at_least_one(primary.experts);
    }
    degrees
}

fn stated_degrees(primary: &Primary) -> ExpertDegrees {
    let Primary {
        data_parallel: d,
        tensor_parallel: t,
        context_parallel: cp,
        expert_parallel: ep,
        expert_tensor_parallel: etp,
        ..
    } = *primary;
    let ranks = product([d, t, cp]);
    let (tensor, data) = if etp > 1 {
        (etp, floor_div(floor_div(ranks, etp), ep))
    } else if d >= ep {
        (shared_with_attention(primary), floor_div(d, ep))
    } else {
        (shared_with_attention(primary), floor_div(product([d, t]), ep))
    };
    let mesh = ExpertMesh {
        data_parallel: d,
        tensor_parallel: t,
        context_parallel: cp,
        expert_parallel: ep,
        expert_tensor_parallel: etp,
    };
    let group = mesh.group();
    ExpertDegrees { tensor, data: at_least_one(data), group, dispatches: i64::from(primary.experts > 1) }
}

/// An expert is split over TP as attention is, unless EP needs those ranks. The comparison leaves CP out on purpose, as
/// the reference does.
fn shared_with_attention(primary: &Primary) -> i64 {
    let Primary { data_parallel: d, tensor_parallel: t, expert_parallel: ep, .. } = *primary;
    if product([t, ep]) > product([d, t]) { 1 } else { t }
}

fn refusal(primary: &Primary, degrees: ExpertDegrees) -> Diagnostic {
    [
        degrees.group,
        degrees.tensor,
        primary.expert_feed_forward,
        primary.experts,
        primary.data_parallel,
        primary.tensor_parallel,
        primary.expert_parallel,
        primary.context_parallel,
    ]
    .into_iter()
    .fold(Diagnostic::new(Code::ExpertLayout, Place::Whole), Diagnostic::with)
}

fn clamping(primary: &Primary) -> Diagnostic {
    [
        primary.data_parallel,
        primary.tensor_parallel,
        primary.expert_parallel,
        primary.expert_tensor_parallel,
        primary.experts,
    ]
    .into_iter()
    .fold(Diagnostic::new(Code::ExpertDegreesClamped, Place::Whole), Diagnostic::with)
}
