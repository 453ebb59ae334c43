//! The vision tower (config-spec 5.2, 5.4, 5.5).

use super::Family;
use super::fields::TowerDimension;
use super::layers::{self, StackInput};
use super::resolve::Keys;
use super::sink::Sink;
use super::spec::{Slot, VisionTower, count};
use super::spelling;
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Mapping, Node, Value};
use crate::provenance::{Origin, Stated};
use crate::units::integers::floor_div;
use std::sync::Arc;

/// What the tower is made from.
pub(super) struct TowerInput<'a> {
    pub(super) node: &'a Node,
    pub(super) origin: Origin,
    pub(super) model_name: &'a str,
    pub(super) visual_tokens: Option<&'a Stated<i64>>,
    pub(super) keys: &'a Keys,
    /// Whether the class-renamed spellings are read too. Not for a model that the file itself names: the reference
    /// refuses that file, and the user can choose the model instead.
    pub(super) renamed: bool,
    pub(super) catalogue_id: Option<Arc<str>>,
}

/// Reads and checks a tower; checked even where it is not priced.
pub(super) fn build(input: &TowerInput<'_>, findings: &mut Sink) -> Option<VisionTower> {
    let Some(mapping) = input.node.value.as_mapping() else {
        findings.add(Diagnostic::new(Code::VisionInvalid, Place::of(&input.origin)).with(input.node.value.written()));
        return None;
    };
    let fields = read(input, mapping, findings);
    let tokens = tokens(input, &fields, findings);
    check(input, &fields, findings)?;
    let stack = stack(input, mapping, &fields, findings)?;
    let name = match mapping.get("name").map(|node| &node.value) {
        Some(Value::Text(name)) => name.clone(),
        _ => format!("{}_vision", input.model_name).into(),
    };
    Some(VisionTower { name, dimensions: fields, tokens, stack })
}

fn field_origin(origin: &Origin, key: &str) -> Origin {
    match origin {
        Origin::Key(source, path) => Origin::Key(*source, path.key(key)),
        other => other.clone(),
    }
}

fn read(input: &TowerInput<'_>, mapping: &Mapping, findings: &mut Sink) -> Vec<Slot<i64>> {
    let mut slots = Vec::new();
    for field in TowerDimension::ALL {
        let spellings = field.spellings().iter().copied();
        let renamed = spelling::TOWER.iter().filter(|(name, _)| input.renamed && *name == field.name());
        let spellings = spellings.chain(renamed.map(|(_, spelling)| *spelling));
        let found =
            spellings.filter_map(|key| Some((key, &mapping.get(key)?.value))).find(|(_, value)| **value != Value::Null);
        slots.push(match found {
            None => Slot::Absent,
            Some((key, value)) => integer(*field, value, field_origin(&input.origin, key), findings),
        });
    }
    slots
}

fn integer(field: TowerDimension, value: &Value, origin: Origin, findings: &mut Sink) -> Slot<i64> {
    if let Some(number) = value.to_integer() {
        return Slot::Value(Stated::new(number, origin));
    }
    let finding = Diagnostic::new(Code::SpecNotInteger, Place::of(&origin));
    findings.add(finding.with(format!("vision.{}", field.name())).with(value.written()));
    Slot::Value(Stated::new(1, origin))
}

/// Tokens of an image: stated, else the position grid's over the merge, else 1024 and a warning (config-spec 5.4).
fn tokens(input: &TowerInput<'_>, fields: &[Slot<i64>], findings: &mut Sink) -> Stated<i64> {
    const DEFAULT: i64 = 1024;
    let count = |field: TowerDimension| count(fields, field.index());
    if let Some(stated) = input.visual_tokens.filter(|stated| stated.value != 0) {
        return stated.clone();
    }
    if count(TowerDimension::Grid) != 0 {
        let merge = count(TowerDimension::Merge).max(1);
        let tokens = floor_div(count(TowerDimension::Grid), merge.saturating_mul(merge)).max(1);
        return Stated::new(tokens, Origin::Rule("config-spec 5.4, vision tokens"));
    }
    let help = Help::State(input.keys.visual_tokens.clone());
    findings.add(Diagnostic::new(Code::VisionGridMissing, Place::of(&input.origin)).with(DEFAULT).help(help));
    Stated::new(DEFAULT, Origin::TrainerDefault("config-spec 5.4, vision tokens"))
}

fn check(input: &TowerInput<'_>, fields: &[Slot<i64>], findings: &mut Sink) -> Option<()> {
    let missing: Vec<String> = TowerDimension::REQUIRED
        .into_iter()
        .filter(|field| fields[field.index()].value().is_none())
        .map(|field| field.name().to_owned())
        .collect();
    if !missing.is_empty() {
        let finding = Diagnostic::new(Code::VisionMissing, Place::of(&input.origin)).with(missing);
        findings.add(match &input.catalogue_id {
            Some(id) => finding.help(Help::UseDimensionsOf(id.to_string())),
            None => finding,
        });
        return None;
    }
    let mut ok = Some(());
    for field in TowerDimension::REQUIRED {
        let Some(stated) = fields[field.index()].value() else { continue };
        if stated.value <= 0 {
            let finding = Diagnostic::new(Code::SpecRequiredNonpositive, Place::of(&stated.origin));
            findings.add(finding.with(format!("vision.{}", field.name())).with(stated.value));
            ok = None;
        }
    }
    ok
}

fn stack(input: &TowerInput<'_>, mapping: &Mapping, fields: &[Slot<i64>], findings: &mut Sink) -> Option<super::Stack> {
    // `layers` is a name of the spec, not of a checkpoint's vision_config.
    let stated = mapping.get("layers").filter(|node| matches!(node.value, Value::Sequence(_)));
    let layers = StackInput {
        family: Family::Vision,
        layers: count(fields, TowerDimension::Layers.index()),
        mtp_depth: 0,
        leading_dense: 0,
        ops: None,
        stated: stated.map(|node| (node, &input.origin)),
        types: None,
        activations: None,
        output_activations: None,
        linear: Err(vec![String::new(); 5]),
        overrides: &input.keys.overrides,
        place: Place::of(&input.origin),
        depth: Place::of(&input.origin),
    };
    layers::build(&layers, findings).map(|(stack, ..)| stack)
}
