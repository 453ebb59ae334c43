//! Recompute ranges as an execution spec states them (config-spec 8.1, 18.2).

use super::{RecomputeOption, RecomputeRange, Switches};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Place};
use crate::document::{Mapping, Node, Value};
use crate::model::nearest::nearest;
use crate::provenance::{KeyPath, Source};
use std::sync::Arc;

/// Reads a list of ranges that stands at `path` of an execution spec. Every item is checked, then the list as a whole.
pub fn parse(node: &Node, path: &KeyPath) -> Result<Checked<Arc<[RecomputeRange]>>, Errors> {
    let mut findings = Findings::new();
    let Value::Sequence(items) = &node.value else {
        findings.add(finding(Code::RangeForm, path.clone()).with(node.value.written()));
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

fn refuse(code: Code, path: KeyPath, got: &Node) -> Errors {
    Errors::one(finding(code, path).with(got.value.written()))
}

/// A value that is none of the texts it may be.
fn refuse_word(code: Code, path: KeyPath, got: &Node, words: &[&'static str]) -> Errors {
    let near = got.value.as_text().and_then(|text| nearest(text, words.iter().copied()));
    Errors::one(finding(code, path).with(got.value.written()).near(near))
}

/// A key that is none of those it may be.
fn refuse_key(code: Code, path: &KeyPath, key: &str, keys: &[&'static str]) -> Errors {
    let finding = Diagnostic::new(code, Place::Key(Source::Execution, path.key(key))).with(key);
    Errors::one(finding.near(nearest(key, keys.iter().copied())))
}

fn range(node: &Node, path: &KeyPath) -> Result<RecomputeRange, Errors> {
    let Value::Mapping(fields) = &node.value else {
        return Err(refuse(Code::RangeForm, path.clone(), node));
    };
    let known = ["first", "count", "option", "ops"];
    if let Some(unknown) = fields.entries.iter().find(|entry| !known.contains(&&*entry.key)) {
        return Err(refuse_key(Code::RangeUnknownKey, path, &unknown.key, &known));
    }
    let ops = stated_ops(fields, path)?;
    let first = match fields.get("first") {
        None => 0,
        Some(node) => whole(node, 0).ok_or_else(|| refuse(Code::RangeFirst, path.key("first"), node))?,
    };
    let count = match fields.get("count") {
        None | Some(Node { value: Value::Null, .. }) => None,
        Some(node) => Some(whole(node, 1).ok_or_else(|| refuse(Code::RangeCount, path.key("count"), node))?),
    };
    let option = option(fields, path)?;
    let switches = ops.map(|ops| switches(ops, option, &path.key("ops"))).transpose()?;
    Ok(RecomputeRange { first, count, option, switches })
}

fn stated_ops<'a>(fields: &'a Mapping, path: &KeyPath) -> Result<Option<&'a Mapping>, Errors> {
    match fields.get("ops") {
        None | Some(Node { value: Value::Null, .. }) => Ok(None),
        Some(Node { value: Value::Mapping(ops), .. }) => Ok(Some(ops)),
        Some(other) => Err(refuse(Code::RangeOpsForm, path.key("ops"), other)),
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
        _ => Err(refuse_word(Code::RangeOption, path.key("option"), node, &["none", "full", "selective"])),
    }
}

/// The switches that stated ops make; an op that is not named keeps its activation.
fn switches(ops: &Mapping, option: RecomputeOption, path: &KeyPath) -> Result<Switches, Errors> {
    if option != RecomputeOption::Selective {
        return Err(Errors::one(finding(Code::RangeOpsNotSelective, path.clone())));
    }
    let mut switches = Switches::ALL_KEPT;
    if let Some(unknown) = ops.entries.iter().find(|entry| switches.by_name(&entry.key).is_none()) {
        return Err(refuse_key(Code::RangeOpsUnknown, path, &unknown.key, &Switches::NAMES));
    }
    for entry in &ops.entries {
        let keeps = match &entry.node.value {
            Value::Text(state) if &**state == "keep" => true,
            Value::Text(state) if &**state == "recompute" => false,
            _ => {
                let path = path.key(&entry.key);
                return Err(refuse_word(Code::RangeOpState, path, &entry.node, &["keep", "recompute"]));
            }
        };
        if let Some(switch) = switches.by_name(&entry.key) {
            *switch = keeps;
        }
    }
    Ok(switches)
}

/// Ranges as the list that [`parse`] reads back alike, on one line of YAML.
pub fn to_text(ranges: &[RecomputeRange]) -> String {
    let items: Vec<String> = ranges.iter().map(item).collect();
    format!("[{}]", items.join(", "))
}

fn item(range: &RecomputeRange) -> String {
    let mut fields = vec![format!("first: {}", range.first)];
    fields.extend(range.count.map(|count| format!("count: {count}")));
    fields.push(format!("option: {}", range.option.name()));
    fields.extend(range.switches.map(|switches| {
        // An op that is not named keeps its activation.
        let recomputed = switches.named().into_iter().filter(|(_, keeps)| !keeps);
        let ops: Vec<String> = recomputed.map(|(op, _)| format!("{op}: recompute")).collect();
        format!("ops: {{{}}}", ops.join(", "))
    }));
    format!("{{{}}}", fields.join(", "))
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
