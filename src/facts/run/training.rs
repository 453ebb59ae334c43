//! Optimizer, clipping, precision, experts, sequence length (config-spec 4.5 to 4.7, 4.10, 4.11).

use super::{Late, ModelFacts};
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::facts::dialect::{Fact, Section};
use crate::facts::reader::{Reader, refused};
use crate::facts::{Schema, width};
use crate::model::Dimension;
use crate::provenance::{Origin, Source, Stated};
use std::sync::Arc;

pub(super) fn clips_gradients(reader: &Reader<'_>) -> Stated<bool> {
    match reader.truthy(Fact::MaxGradNorm) {
        Some(found) => reader.to_number(&found, 0.0).map(|norm| norm > 0.0),
        None => Stated::new(false, Origin::TrainerDefault("config-spec 4.5")),
    }
}

pub(super) fn cp_algorithm(reader: &Reader<'_>, context_parallel: i64) -> Stated<Arc<str>> {
    if let Some(found) = reader.truthy(Fact::CpAlgorithm) {
        return Stated::new(found.value.to_text().into(), found.origin);
    }
    if context_parallel > 1 {
        let path = reader.first_key(Fact::CpAlgorithm);
        let finding = Diagnostic::new(Code::CpAlgoDefault, Place::Missing(Source::Run, path.clone()));
        reader.report(finding.help(Help::State(path)));
    }
    Stated::new("colossalai_cp".into(), Origin::TrainerDefault("config-spec 4.2"))
}

pub(super) fn optimizer(reader: &Reader<'_>) -> (Stated<Arc<str>>, Stated<i64>) {
    let stated = reader.truthy(Fact::OptimizerName);
    let name: Stated<Arc<str>> = if let Some(found) = stated {
        Stated::new(found.value.to_text().into(), found.origin)
    } else {
        let place = Place::Missing(Source::Run, reader.section(Section::Optimizer));
        reader.report(Diagnostic::new(Code::OptimizerUnstated, place).with("adamw"));
        Stated::new("adamw".into(), Origin::TrainerDefault("config-spec 4.5"))
    };
    let states = name.clone().map(|name| if name.to_ascii_lowercase().contains("muon") { 1 } else { 2 });
    (name, states)
}

/// Dtypes by name.
pub(super) struct Widths {
    pub(super) stored: Stated<Arc<str>>,
    pub(super) param: Stated<Arc<str>>,
    pub(super) compute: Stated<Arc<str>>,
    pub(super) softmax: Stated<Arc<str>>,
    /// Read by the ledger alone (ledger 6).
    pub(super) reduce: Option<Stated<Arc<str>>>,
}

pub(super) fn bytes(dtype: &Stated<Arc<str>>) -> Stated<i64> {
    dtype.clone().map(|name| width::of_dtype(&name))
}

pub(super) fn widths(reader: &Reader<'_>, model: ModelFacts<'_>) -> Widths {
    let text =
        |fact| reader.truthy(fact).map(|found| Stated::new(Arc::<str>::from(found.value.to_text()), found.origin));
    let stated = |fact| text(fact).filter(|dtype| &*dtype.value != "auto");
    let legacy = |fact| if reader.schema == Schema::Legacy { text(fact) } else { None };
    let spec = model.dtype();
    let of_model = |fact| {
        let default = || Stated::new("bfloat16".into(), Origin::TrainerDefault("config-spec 4.6"));
        stated(Fact::TorchDtype).or_else(|| legacy(fact)).or_else(|| spec.clone()).unwrap_or_else(default)
    };
    warn_of_dtypes(reader, spec.is_some());
    let stored = text(Fact::InitDtype).unwrap_or_else(|| of_model(Fact::LegacyParamDtype));
    let gathered = text(Fact::ParamDtype).or_else(|| text(Fact::InitDtype));
    let param = gathered.clone().unwrap_or_else(|| of_model(Fact::LegacyParamDtype));
    let compute = gathered.unwrap_or_else(|| of_model(Fact::LegacyComputeDtype));
    let softmax = match reader.present(Fact::SoftmaxDtype) {
        Some(found) => Stated::new(found.value.to_text().into(), found.origin),
        None => Stated::new("float32".into(), Origin::TrainerDefault("config-spec 4.6")),
    };
    Widths { stored, param, compute, softmax, reduce: text(Fact::ReduceDtype) }
}

fn warn_of_dtypes(reader: &Reader<'_>, spec_states: bool) {
    let states = |fact| reader.truthy(fact).is_some_and(|found| found.value.as_text() != Some("auto"));
    let legacy = reader.schema == Schema::Legacy && states(Fact::LegacyParamDtype);
    let init = reader.truthy(Fact::InitDtype).is_some();
    if !states(Fact::TorchDtype) && !legacy && !init && !spec_states {
        let path = reader.first_key(Fact::TorchDtype);
        let finding = Diagnostic::new(Code::DtypeUnstated, Place::Missing(Source::Run, path.clone()));
        reader.report(finding.help(Help::State(path)));
    }
    if reader.schema == Schema::Legacy {
        return;
    }
    for fact in [Fact::LegacyParamDtype, Fact::LegacyComputeDtype] {
        if let Some(found) = reader.truthy(fact) {
            let key = fact.keys()[0].1;
            reader.report(Diagnostic::new(Code::UnreadPrecisionKey, found.place()).with(key));
        }
    }
}

pub(super) fn experts(reader: &Reader<'_>, model: ModelFacts<'_>) -> (Stated<bool>, Stated<f64>) {
    let dense = Origin::Rule("config-spec 4.7, a dense model");
    if !model.experts() {
        return (Stated::new(false, dense.clone()), Stated::new(1.0, dense));
    }
    let grouped = reader.flag_by_presence(Fact::GroupedMatmul, true, "config-spec 4.7");
    let capacity = match reader.present(Fact::Capacity).filter(|found| !found.value.is_null()) {
        Some(found) => reader.to_number(&found, 1.0).map(|factor| if factor > 1.0 { factor } else { 1.0 }),
        None => Stated::new(1.0, Origin::TrainerDefault("config-spec 4.7")),
    };
    (grouped, capacity)
}

pub(super) fn sequence(reader: &Reader<'_>, model: ModelFacts<'_>) -> (Stated<i64>, bool) {
    let limit = match model.spec.and_then(|spec| spec.dimension(Dimension::ContextLimit)) {
        Some(limit) if limit.value != 0 => limit.clone(),
        _ => reader.integer(Fact::SequenceFallback, 0, "config-spec 4.10"),
    };
    let limit = if limit.value == 0 { Stated::new(4096, Origin::TrainerDefault("config-spec 4.10")) } else { limit };
    let stated = reader.integer(Fact::SequenceLength, 0, "config-spec 4.10");
    if stated.value != 0 {
        return (stated, true);
    }
    let path = reader.first_key(Fact::SequenceLength);
    let finding = Diagnostic::new(Code::SeqLenUnstated, Place::Missing(Source::Run, path.clone()));
    reader.report(finding.with(limit.value).help(Help::State(path)));
    (limit, false)
}

pub(super) fn moe_dispatch(reader: &Reader<'_>) -> (Option<Stated<f64>>, Late) {
    let Some(found) = reader.stated(Fact::MoeDispatch) else { return (None, Vec::new()) };
    let Some(cost) = found.value.to_number() else {
        return (None, vec![refused(Code::NotNumber, &found)]);
    };
    let late = if cost < 0.0 { vec![refused(Code::MoeDispatchNegative, &found)] } else { Vec::new() };
    (Some(Stated::new(cost, found.origin)), late)
}
