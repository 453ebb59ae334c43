//! The layer stack, its op counts and its measured activations (config-spec 6.3, 6.4; memory-core 7.3).

use super::census;
use super::nearest::nearest;
use super::sink::Sink;
use super::stack::{Census, LayerGroup, LinearAttention, Stack};
use super::{AttentionFlavour, Family, LayerKind, OpCounts};
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Mapping, Node, Value};
use crate::provenance::{KeyPath, Origin};

/// What the stack is made from.
pub(super) struct StackInput<'a> {
    pub(super) family: Family,
    /// `num_hidden_layers`.
    pub(super) layers: i64,
    /// `mtp_depth`.
    pub(super) mtp_depth: i64,
    /// `first_k_dense_replace`.
    pub(super) leading_dense: i64,
    /// Stated `ops`.
    pub(super) ops: Option<(&'a Node, &'a Origin)>,
    /// Stated `layers`.
    pub(super) stated: Option<(&'a Node, &'a Origin)>,
    /// `layer_types`.
    pub(super) types: Option<(&'a Value, &'a Origin)>,
    /// Stated `activations`.
    pub(super) activations: Option<(&'a Node, &'a Origin)>,
    /// Stated `output_activations`.
    pub(super) output_activations: Option<(&'a Node, &'a Origin)>,
    /// The five linear-attention fields, or which are missing.
    pub(super) linear: Result<LinearAttention, Vec<String>>,
    /// The section where a missing field could be stated.
    pub(super) overrides: &'a KeyPath,
    /// Where a finding about the model as a whole is shown.
    pub(super) place: Place,
    /// Where the number of layers is stated.
    pub(super) depth: Place,
}

/// Stack, stated op counts, measured activations by kind, and those of the output layer.
pub(super) type Layers = (Stack, Option<Vec<(&'static str, OpCounts)>>, census::Records, Option<Census>);

/// Builds the stack in the order of config-spec 18.3: ops, stack, linear fields.
pub(super) fn build(input: &StackInput<'_>, findings: &mut Sink) -> Option<Layers> {
    let ops = input.ops.and_then(|(node, origin)| stated_ops(input.family, node, origin, findings));
    let groups = groups(input, findings);
    let linear = linear(input, groups.as_deref(), findings);
    let of_stack = groups.as_deref().unwrap_or_default();
    let activations = input.activations.map(|(node, origin)| census::by_kind(of_stack, node, origin, findings));
    let activations = activations.unwrap_or_default();
    let output = input.output_activations.and_then(|(node, origin)| census::of_output(node, origin, findings));
    let groups: Vec<LayerGroup> = groups?
        .into_iter()
        .map(|group| LayerGroup {
            kind: with_counts(group.kind, ops.as_deref()),
            census: activations.iter().find(|(kind, _)| *kind == group.kind.name).map(|(_, record)| *record),
            ..group
        })
        .collect();
    let stack = Stack { groups: groups.into(), linear };
    Some((stack, ops, activations, output))
}

fn with_counts(kind: LayerKind, ops: Option<&[(&'static str, OpCounts)]>) -> LayerKind {
    let stated = ops.into_iter().flatten().find(|(name, _)| *name == kind.name);
    LayerKind { counts: stated.map_or(kind.counts, |(_, counts)| *counts), ..kind }
}

fn kind_of(family: Family, name: &str) -> Option<LayerKind> {
    family.kinds().iter().copied().find(|kind| kind.name == name)
}

fn kind_names(family: Family) -> Vec<String> {
    family.kinds().iter().map(|kind| kind.name.to_owned()).collect()
}

fn stated_ops(
    family: Family,
    node: &Node,
    origin: &Origin,
    findings: &mut Sink,
) -> Option<Vec<(&'static str, OpCounts)>> {
    let Some(mapping) = node.value.as_mapping() else {
        findings.add(Diagnostic::new(Code::SpecOpsForm, Place::of(origin)).with(node.value.written()));
        return None;
    };
    let vectors: Vec<_> = mapping
        .entries
        .iter()
        .map(|entry| (&*entry.key, op_vector(&entry.key, &entry.node, origin, findings)))
        .collect();
    let mut stated: Vec<String> = mapping.entries.iter().map(|entry| entry.key.to_string()).collect();
    stated.sort();
    let mut kinds = kind_names(family);
    kinds.sort();
    if stated != kinds {
        findings.add(Diagnostic::new(Code::SpecOpsKinds, Place::of(origin)).with(stated).with(kinds));
        return None;
    }
    vectors.into_iter().map(|(kind, counts)| Some((kind_of(family, kind)?.name, counts?))).collect()
}

fn op_vector(kind: &str, node: &Node, origin: &Origin, findings: &mut Sink) -> Option<OpCounts> {
    let names: Vec<&str> = OpCounts::new([0; 10]).named().into_iter().map(|(name, _)| name).collect();
    let report = |code| Diagnostic::new(code, key_place(origin, kind, None));
    let Some(mapping) = node.value.as_mapping() else {
        findings.add(report(Code::SpecOpsForm).with(node.value.written()));
        return None;
    };
    let mut unknown: Vec<String> = mapping.entries.iter().map(|entry| entry.key.to_string()).collect();
    unknown.retain(|op| !names.contains(&&**op));
    unknown.sort();
    if !unknown.is_empty() {
        findings.add(report(Code::SpecOpsUnknown).with(kind).with(unknown));
        return None;
    }
    let missing: Vec<String> =
        names.iter().filter(|name| !mapping.contains(name)).map(|name| (*name).to_owned()).collect();
    if !missing.is_empty() {
        findings.add(report(Code::SpecOpsMissing).with(kind).with(missing));
        return None;
    }
    let mut counts = [0; 10];
    for (slot, name) in counts.iter_mut().zip(&names) {
        let value = &mapping.get(name)?.value;
        let Some(count) = whole(value).and_then(|count| u32::try_from(count).ok()) else {
            let finding = Diagnostic::new(Code::SpecNotInteger, key_place(origin, kind, Some(name)));
            findings.add(finding.with(*name).with(value.written()));
            return None;
        };
        *slot = count;
    }
    Some(OpCounts::new(counts))
}

/// A whole number; booleans and fractions are refused, unlike in other integer fields.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(_) | Value::Null => None,
        Value::Float(number) if number.fract() != 0.0 => None,
        other => other.to_integer(),
    }
}

fn group(kind: LayerKind, count: i64, mtp: bool) -> LayerGroup {
    LayerGroup { kind, count: u32::try_from(count).unwrap_or(u32::MAX), mtp, census: None }
}

fn groups(input: &StackInput<'_>, findings: &mut Sink) -> Option<Vec<LayerGroup>> {
    if let Some((node, origin)) = input.stated {
        return stated_groups(input, node, origin, findings);
    }
    let mut body = match input.types {
        Some((value, origin)) => by_types(input, value, origin, findings)?,
        None => None,
    };
    if body.is_none() {
        body = by_family(input, findings);
    }
    let mut groups = body?;
    if input.mtp_depth > 0
        && let Some(last) = groups.last()
    {
        groups.push(group(last.kind, input.mtp_depth, true));
    }
    Some(groups)
}

fn stated_groups(input: &StackInput<'_>, node: &Node, origin: &Origin, findings: &mut Sink) -> Option<Vec<LayerGroup>> {
    let Value::Sequence(items) = &node.value else {
        findings.add(Diagnostic::new(Code::SpecLayersForm, Place::of(origin)).with(node.value.written()));
        return None;
    };
    if items.is_empty() {
        findings.add(Diagnostic::new(Code::SpecLayersForm, Place::of(origin)).with("[]"));
        return None;
    }
    let read: Vec<_> =
        items.iter().enumerate().map(|(at, item)| stated_group(input.family, at, item, origin, findings)).collect();
    let groups: Vec<LayerGroup> = read.into_iter().collect::<Option<_>>()?;
    check_counts(input, &groups, origin, findings).then_some(groups)
}

fn item_place(origin: &Origin, at: usize, key: Option<&str>) -> Place {
    match Place::of(origin) {
        Place::Value(source, path) => {
            let item = path.index(at);
            Place::Value(source, key.map_or(item.clone(), |key| item.key(key)))
        }
        other => other,
    }
}

fn stated_group(family: Family, at: usize, node: &Node, origin: &Origin, findings: &mut Sink) -> Option<LayerGroup> {
    let form = || Diagnostic::new(Code::SpecLayersForm, item_place(origin, at, None)).with(node.value.written());
    let Some(mapping) = node.value.as_mapping() else {
        findings.add(form());
        return None;
    };
    if mapping.entries.iter().any(|entry| !matches!(&*entry.key, "kind" | "count" | "mtp")) {
        findings.add(form());
        return None;
    }
    let (kind, count, mtp) =
        (text(mapping, "kind"), mapping.get("count").and_then(|node| whole(&node.value)), mtp(mapping));
    let (Some(kind), Some(count), Some(mtp)) = (kind, count.filter(|count| *count >= 0), mtp) else {
        findings.add(form());
        return None;
    };
    if count == 0 {
        let place = item_place(origin, at, Some("count"));
        findings.add(Diagnostic::new(Code::SpecLayersZero, place).with(format!("layers[{at}].count")));
        return None;
    }
    let Some(kind) = kind_of(family, kind) else {
        let finding = Diagnostic::new(Code::SpecLayersKind, item_place(origin, at, Some("kind")));
        let near = nearest(kind, family.kinds().iter().map(|kind| kind.name));
        findings.add(finding.with(kind).with(family.name()).with(kind_names(family)).near(near));
        return None;
    };
    Some(group(kind, count, mtp))
}

fn text<'a>(mapping: &'a Mapping, key: &str) -> Option<&'a str> {
    mapping.get(key)?.value.as_text().filter(|text| !text.is_empty())
}

fn mtp(mapping: &Mapping) -> Option<bool> {
    match mapping.get("mtp").map(|node| &node.value) {
        None => Some(false),
        Some(Value::Bool(flag)) => Some(*flag),
        Some(_) => None,
    }
}

fn check_counts(input: &StackInput<'_>, groups: &[LayerGroup], origin: &Origin, findings: &mut Sink) -> bool {
    let first_mtp = groups.iter().position(|group| group.mtp).unwrap_or(groups.len());
    if let Some(at) = (first_mtp..groups.len()).find(|at| !groups[*at].mtp) {
        let finding = Diagnostic::new(Code::SpecLayersOrder, item_place(origin, at, None));
        findings.add(finding.with(format!("layers[{at}]")));
        return false;
    }
    let sum =
        |mtp: bool| groups.iter().filter(|group| group.mtp == mtp).map(|group| i64::from(group.count)).sum::<i64>();
    let mut ok = true;
    let sums =
        [(Code::SpecLayersBodyCount, sum(false), input.layers), (Code::SpecLayersMtpCount, sum(true), input.mtp_depth)];
    for (code, listed, declared) in sums {
        if listed != declared {
            findings.add(Diagnostic::new(code, Place::of(origin)).with(listed).with(declared));
            ok = false;
        }
    }
    ok
}

/// Run-length groups of `layer_types`; `Some(None)` where the family's own rule applies instead.
#[expect(clippy::option_option, reason = "an error, no statement, and a stack are three different answers")]
fn by_types(
    input: &StackInput<'_>,
    value: &Value,
    origin: &Origin,
    findings: &mut Sink,
) -> Option<Option<Vec<LayerGroup>>> {
    let names: Option<Vec<&str>> = match value {
        Value::Sequence(items) => items.iter().map(|item| item.value.as_text()).collect(),
        _ => None,
    };
    let Some(names) = names else {
        findings.add(Diagnostic::new(Code::SpecLayerTypesForm, Place::of(origin)).with(value.written()));
        return None;
    };
    if names.is_empty() || input.layers <= 0 {
        return Some(None);
    }
    let layers = usize::try_from(input.layers).unwrap_or(usize::MAX);
    let Some(names) = names.get(..layers) else {
        let finding = Diagnostic::new(Code::SpecLayerTypesShort, Place::of(origin));
        findings.add(finding.with(i64::try_from(names.len()).unwrap_or(i64::MAX)).with(input.layers));
        return None;
    };
    let kinds: Option<Vec<LayerKind>> = names.iter().map(|name| kind_of(input.family, name)).collect();
    let Some(kinds) = kinds else {
        warn_of_types(input, names, origin, findings);
        return Some(None);
    };
    let mut groups: Vec<LayerGroup> = Vec::new();
    for kind in kinds {
        match groups.last_mut().filter(|group| group.kind == kind) {
            Some(group) => group.count += 1,
            None => groups.push(group(kind, 1, false)),
        }
    }
    Some(Some(groups))
}

fn warn_of_types(input: &StackInput<'_>, names: &[&str], origin: &Origin, findings: &mut Sink) {
    let mut unknown: Vec<String> =
        names.iter().filter(|name| kind_of(input.family, name).is_none()).map(|name| (*name).to_owned()).collect();
    unknown.sort();
    unknown.dedup();
    let used = input.family.kinds()[0].name;
    let place = match Place::of(origin) {
        Place::Whole => input.place.clone(),
        place => place,
    };
    findings.add(Diagnostic::new(Code::LayerTypesUnknown, place).with(unknown).with(input.family.name()).with(used));
}

/// The stack where nobody states one (config-spec 6.4, rule 2).
fn by_family(input: &StackInput<'_>, findings: &mut Sink) -> Option<Vec<LayerGroup>> {
    let layers = input.layers.max(0);
    let kind = |name| kind_of(input.family, name);
    let parts = if let (Some(dense), Some(experts)) = (kind("dense"), kind("moe")) {
        let leading = input.leading_dense.clamp(0, layers);
        vec![(dense, leading), (experts, layers - leading)]
    } else if let (Some(encoder), Some(decoder)) = (kind("encoder"), kind("decoder")) {
        if layers % 2 != 0 {
            findings.add(Diagnostic::new(Code::SpecEncoderDecoderOdd, input.depth.clone()).with(layers));
            return None;
        }
        vec![(encoder, layers / 2), (decoder, layers / 2)]
    } else {
        vec![(input.family.kinds()[0], layers)]
    };
    Some(parts.into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| group(kind, count, false)).collect())
}

fn linear(input: &StackInput<'_>, groups: Option<&[LayerGroup]>, findings: &mut Sink) -> Option<LinearAttention> {
    let missing = match &input.linear {
        Ok(linear) => return Some(*linear),
        Err(missing) => missing,
    };
    let has_kind = input.family.kinds().iter().any(|kind| kind.attention == AttentionFlavour::Linear);
    let used = groups.into_iter().flatten().any(|group| group.kind.attention == AttentionFlavour::Linear);
    let code = match (missing.len(), used) {
        (5, false) => return None,
        (5, true) => Code::SpecLinearUnstated,
        _ => Code::SpecLinearMissing,
    };
    let finding = Diagnostic::new(code, input.place.clone()).with(missing.clone());
    let state = Help::State(input.overrides.key(&missing[0]));
    findings.add(if has_kind { finding.help(state) } else { finding });
    None
}

/// The place of a key of a section that stands at `origin`, or of a key inside that.
fn key_place(origin: &Origin, key: &str, inner: Option<&str>) -> Place {
    match Place::of(origin) {
        Place::Value(source, path) => {
            let path = path.key(key);
            Place::Value(source, inner.map_or(path.clone(), |inner| path.key(inner)))
        }
        other => other,
    }
}
