//! Recompute ranges as an execution spec states them (config-spec 8.1, 18.2).

use super::{RecomputeOption, RecomputeRange, Switches};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::document::{Mapping, Node, Value};
use crate::provenance::{KeyPath, Source};
use std::sync::Arc;

/// Reads a list of ranges that stands at `path` of an execution spec. Every item is checked, then the list as a whole.
pub fn parse(node: &Node, path: &KeyPath) -> Result<Checked<Arc<[RecomputeRange]>>, Errors> {
    let mut findings = Findings::new();
    let Value::Sequence(items) = &node.value else {
        findings.add(finding(Code::RangeForm, path.clone()).with(spelling(node)));
        return findings.finish(None);
    };
    let mut ranges = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        ranges.extend(findings.take(range(item, &path.index(at)).map(Checked::clean)));
    }
    if !findings.failed() {
        check_order(&ranges, path, &mut findings);
    }
    findings.finish(Some(ranges.into()))
}

fn finding(code: Code, path: KeyPath) -> Diagnostic {
    Diagnostic::new(code, Place::Value(Source::Execution, path))
}

fn refuse(code: Code, path: KeyPath, got: impl Into<String>) -> Errors {
    Errors::one(finding(code, path).with(got.into()))
}

fn range(node: &Node, path: &KeyPath) -> Result<RecomputeRange, Errors> {
    let Value::Mapping(fields) = &node.value else {
        return Err(refuse(Code::RangeForm, path.clone(), spelling(node)));
    };
    let known = ["first", "count", "option", "ops"];
    if let Some(unknown) = fields.entries.iter().find(|entry| !known.contains(&&*entry.key)) {
        let place = Place::Key(Source::Execution, path.key(&unknown.key));
        return Err(Errors::one(Diagnostic::new(Code::RangeUnknownKey, place).with(&*unknown.key)));
    }
    let ops = stated_ops(fields, path)?;
    let first = match fields.get("first") {
        None => 0,
        Some(node) => whole(node, 0).ok_or_else(|| refuse(Code::RangeFirst, path.key("first"), spelling(node)))?,
    };
    let count = match fields.get("count") {
        None | Some(Node { value: Value::Null, .. }) => None,
        Some(node) => Some(whole(node, 1).ok_or_else(|| refuse(Code::RangeCount, path.key("count"), spelling(node)))?),
    };
    let option = option(fields, path)?;
    let switches = ops.map(|ops| switches(ops, option, &path.key("ops"))).transpose()?;
    Ok(RecomputeRange { first, count, option, switches })
}

fn stated_ops<'a>(fields: &'a Mapping, path: &KeyPath) -> Result<Option<&'a Mapping>, Errors> {
    match fields.get("ops") {
        None | Some(Node { value: Value::Null, .. }) => Ok(None),
        Some(Node { value: Value::Mapping(ops), .. }) => Ok(Some(ops)),
        Some(other) => Err(refuse(Code::RangeOpsForm, path.key("ops"), spelling(other))),
    }
}

/// Booleans, fractions and texts are no whole numbers here.
fn whole(node: &Node, least: i64) -> Option<i64> {
    match node.value {
        Value::Integer(number) => Some(number).filter(|number| *number >= least),
        _ => None,
    }
}

fn option(fields: &Mapping, path: &KeyPath) -> Result<RecomputeOption, Errors> {
    let Some(node) = fields.get("option") else { return Ok(RecomputeOption::None) };
    match &node.value {
        Value::Text(text) if &**text == "none" => Ok(RecomputeOption::None),
        Value::Text(text) if &**text == "full" => Ok(RecomputeOption::Full),
        Value::Text(text) if &**text == "selective" => Ok(RecomputeOption::Selective),
        _ => Err(refuse(Code::RangeOption, path.key("option"), spelling(node))),
    }
}

/// The switches that stated ops make; an op that is not named keeps its activation.
fn switches(ops: &Mapping, option: RecomputeOption, path: &KeyPath) -> Result<Switches, Errors> {
    if option != RecomputeOption::Selective {
        return Err(Errors::one(finding(Code::RangeOpsNotSelective, path.clone())));
    }
    let mut switches = Switches::ALL_KEPT;
    if let Some(unknown) = ops.entries.iter().find(|entry| switches.by_name(&entry.key).is_none()) {
        let place = Place::Key(Source::Execution, path.key(&unknown.key));
        return Err(Errors::one(Diagnostic::new(Code::RangeOpsUnknown, place).with(&*unknown.key)));
    }
    for entry in &ops.entries {
        let keeps = match &entry.node.value {
            Value::Text(state) if &**state == "keep" => true,
            Value::Text(state) if &**state == "recompute" => false,
            _ => return Err(refuse(Code::RangeOpState, path.key(&entry.key), spelling(&entry.node))),
        };
        if let Some(switch) = switches.by_name(&entry.key) {
            *switch = keeps;
        }
    }
    Ok(switches)
}

/// Ranges stand in order and are disjoint; only the last may be open.
fn check_order(ranges: &[RecomputeRange], path: &KeyPath, findings: &mut Findings) {
    let mut end = 0;
    for (at, range) in ranges.iter().enumerate() {
        if range.first < end {
            findings.add(finding(Code::RangesOverlap, path.index(at)).with(range.first).with(end));
        }
        match range.count {
            None if at + 1 < ranges.len() => findings.add(finding(Code::RangesOpenNotLast, path.index(at))),
            None => {}
            Some(count) => end = range.first.saturating_add(count),
        }
    }
}

/// What was written, for the message.
fn spelling(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Float(value) => format!("{value:?}"),
        Value::WideInteger(text) | Value::Text(text) | Value::Date(text) => (**text).to_owned(),
        Value::Sequence(_) => "a list".to_owned(),
        Value::Mapping(_) => "a section".to_owned(),
    }
}
