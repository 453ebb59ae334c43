//! Measured activations as a model spec states them: a record for each layer kind, and one for the output layer
//! (memory-core 7.3).

use super::nearest::nearest;
use super::sink::Sink;
use super::stack::{Census, LayerGroup};
use crate::diagnostics::{Code, Diagnostic, Help, Place};
use crate::document::{Mapping, Node, Value};
use crate::provenance::{KeyPath, Origin, Source};

/// The sizes that every record states, bytes a token.
const SIZES: [&str; 4] = ["saved", "saved_tp", "working", "working_tp"];
/// What a record states in pairs, whole or not at all: what is kept under HyperParallel's selective recompute, and the
/// shares of the matmuls that this runs again (of the time model only).
const PAIRS: [[&str; 2]; 2] = [["selective", "selective_tp"], ["selective_attention_mm", "selective_ffn_mm"]];
/// Records by layer kind.
pub(super) type Records = Vec<(&'static str, Census)>;

/// The tokens that the layer was measured at; nothing is computed with them.
const MEASURED_AT: &str = "seq_length";

/// The records of a spec's `activations`, by the kinds of its stack; a record of another kind is unused, and said to be.
/// Nothing where the statement is empty, as the trainer reads it.
pub(super) fn by_kind(groups: &[LayerGroup], node: &Node, origin: &Origin, findings: &mut Sink) -> Records {
    let mut records = Records::new();
    if !node.value.truthy() {
        return records;
    }
    let Some(mapping) = node.value.as_mapping() else {
        findings.add(refusal(Place::of(origin), &node.value));
        return records;
    };
    for entry in &mapping.entries {
        let place = Below::of(origin, &entry.key);
        let Some(record) = record(&entry.node.value, &place, findings) else { continue };
        match groups.iter().find(|group| group.kind.name == &*entry.key) {
            Some(group) => {
                records.push((group.kind.name, record));
            }
            None => findings.add(unused(&entry.key, groups, &place)),
        }
    }
    records
}

/// The record of a spec's `output_activations`.
pub(super) fn of_output(node: &Node, origin: &Origin, findings: &mut Sink) -> Option<Census> {
    if !node.value.truthy() {
        return None;
    }
    record(&node.value, &Below::root(origin), findings)
}

/// Places below a statement.
struct Below(Option<(Source, KeyPath)>);

impl Below {
    fn root(origin: &Origin) -> Self {
        Self(origin.key().map(|(source, path)| (source, path.clone())))
    }

    fn of(origin: &Origin, key: &str) -> Self {
        Self(origin.key().map(|(source, path)| (source, path.key(key))))
    }

    fn here(&self) -> Place {
        self.0.clone().map_or(Place::Whole, |(source, path)| Place::Value(source, path))
    }

    fn key(&self, key: &str) -> Place {
        self.0.as_ref().map_or(Place::Whole, |(source, path)| Place::Key(*source, path.key(key)))
    }

    fn value(&self, key: &str) -> Place {
        self.0.as_ref().map_or(Place::Whole, |(source, path)| Place::Value(*source, path.key(key)))
    }

    fn missing(&self, key: &str) -> Place {
        self.0.as_ref().map_or(Place::Whole, |(source, path)| Place::Missing(*source, path.key(key)))
    }
}

fn refusal(place: Place, got: &Value) -> Diagnostic {
    Diagnostic::new(Code::SpecActivationsForm, place).with(got.written())
}

fn unused(kind: &str, groups: &[LayerGroup], place: &Below) -> Diagnostic {
    let kinds = groups.iter().map(|group| group.kind.name);
    let mut names: Vec<String> = kinds.clone().map(str::to_owned).collect();
    names.dedup();
    let finding = Diagnostic::new(Code::ActivationsUnused, place.here()).with(kind).with(names);
    match nearest(kind, kinds) {
        Some(near) => finding.help(Help::Nearest(near.to_owned())),
        None => finding,
    }
}

/// A record with everything that is wrong with it.
fn record(value: &Value, place: &Below, findings: &mut Sink) -> Option<Census> {
    let Some(mapping) = value.as_mapping() else {
        findings.add(refusal(place.here(), value));
        return None;
    };
    let mut ok = known_keys(mapping, place, findings);
    let mut size = |key: &str, largest: f64| {
        let size = match mapping.get(key) {
            None => Err(Diagnostic::new(Code::SpecActivationsForm, place.missing(key))),
            Some(node) => match node.value.to_number().filter(|size| (0.0..=largest).contains(size)) {
                Some(size) => Ok(size),
                None => Err(refusal(place.value(key), &node.value)),
            },
        };
        size.map_err(|finding| {
            findings.add(finding);
            ok = false;
        })
        .unwrap_or_default()
    };
    let [saved, saved_tensor, working, working_tensor] = SIZES.map(|key| size(key, f64::INFINITY));
    let stated = |key: &&str| mapping.get(key).is_some_and(|node| !node.value.is_null());
    let [selective, _] = PAIRS.map(|pair| {
        let largest = if pair == PAIRS[0] { f64::INFINITY } else { 1.0 };
        pair.iter().any(stated).then(|| (size(pair[0], largest), size(pair[1], largest)))
    });
    if let Some(node) = mapping.get(MEASURED_AT)
        && node.value.to_integer().is_none_or(|tokens| tokens < 1)
    {
        findings.add(refusal(place.value(MEASURED_AT), &node.value));
        ok = false;
    }
    ok.then_some(Census { saved, saved_tensor, working, working_tensor, selective })
}

fn known_keys(mapping: &Mapping, place: &Below, findings: &mut Sink) -> bool {
    let known = || SIZES.into_iter().chain(PAIRS.into_iter().flatten()).chain([MEASURED_AT]);
    let mut ok = true;
    for entry in mapping.entries.iter().filter(|entry| known().all(|name| name != &*entry.key)) {
        let finding = refusal(place.key(&entry.key), &entry.node.value);
        findings.add(match nearest(&entry.key, known()) {
            Some(near) => finding.help(Help::Nearest(near.to_owned())),
            None => finding,
        });
        ok = false;
    }
    ok
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse_value;
    use crate::model::{Family, LayerKind};

    fn read(text: &str) -> (Records, Vec<(&'static str, String)>) {
        let kind: LayerKind = Family::Default.kinds()[0];
        let groups = [LayerGroup { kind, count: 2, mtp: false, census: None }];
        let node = parse_value(text).expect("YAML");
        let mut findings = Sink::new(None);
        let records = by_kind(&groups, &node, &Origin::Key(Source::Run, KeyPath::parse("activations")), &mut findings);
        let found = findings.into_findings().into_all().into_iter();
        let path = |finding: &Diagnostic| finding.place.key_path().map(ToString::to_string).unwrap_or_default();
        let found = found.map(|finding| (finding.code.name(), path(&finding))).collect();
        (records, found)
    }

    #[test]
    fn a_record_is_read_as_python_reads_numbers() {
        let text = "{decoder: {saved: '100', saved_tp: 3e2, working: 150, working_tp: 330.5, seq_length: 4096.9, \
                    selective: 20, selective_tp: 60, selective_attention_mm: null}}";
        let (records, found) = read(text);
        assert_eq!(found, []);
        let expected = Census {
            saved: 100.0,
            saved_tensor: 300.0,
            working: 150.0,
            working_tensor: 330.5,
            selective: Some((20.0, 60.0)),
        };
        assert_eq!(records, [("decoder", expected)]);
        for empty in ["{}", "null", "0", "''", "[]", "false"] {
            assert_eq!(read(empty), (Records::new(), Vec::new()), "{empty}");
        }
    }

    #[test]
    fn everything_wrong_is_said_at_its_place() {
        let form = |path: &str| ("spec_activations_form", format!("activations{path}"));
        let sizes = "saved: 1, saved_tp: 1, working: 1, working_tp: 1";
        let cases = [
            ("5".to_owned(), vec![form("")]),
            ("{decoder: 5}".to_owned(), vec![form(".decoder")]),
            ("{decoder: {saved: 1, saved_tp: -1, working: two}}".to_owned(), {
                vec![form(".decoder.saved_tp"), form(".decoder.working"), form(".decoder.working_tp")]
            }),
            (format!("{{decoder: {{{sizes}, selective: 1}}}}"), vec![form(".decoder.selective_tp")]),
            (format!("{{decoder: {{{sizes}, seq_length: 0}}}}"), vec![form(".decoder.seq_length")]),
            (format!("{{decoder: {{{sizes}, savedtp: 0}}}}"), vec![form(".decoder.savedtp")]),
            (format!("{{decoder: {{{sizes}, selective_attention_mm: 0.5, selective_ffn_mm: 1.5}}}}"), {
                vec![form(".decoder.selective_ffn_mm")]
            }),
            (format!("{{decode: {{{sizes}}}}}"), vec![("activations_unused", "activations.decode".to_owned())]),
        ];
        for (text, expected) in cases {
            let (records, found) = read(&text);
            assert!(records.is_empty(), "{text}");
            assert_eq!(found, expected, "{text}");
        }
    }
}
