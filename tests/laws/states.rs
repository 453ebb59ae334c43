//! Laws 12 and 13: text and controls reach the same state, and nothing is taken silently.

use crate::cases;
use crate::runs::{layout, ready};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use shardmem::config::derive;
use shardmem::document::{self, Document, Entry, Mapping, Node, Value};
use shardmem::estimate::{Input, Outcome, estimate};
use shardmem::facts::controls::{Control, Setting};
use shardmem::facts::{Facts, ModelChoice, Overrides, RunSpec, read};
use shardmem::provenance::{KeyPath, Origin, Segment, Source};
use shardmem::text::Span;

const SAMPLES: [&str; 3] = [
    include_str!("../../data/samples/deepseek-v3-512.yaml"),
    include_str!("../../data/samples/qwen3-30b-a3b-8.yaml"),
    include_str!("../../data/samples/llama-3.1-8b-8.yaml"),
];

fn parsed(text: &str) -> Document {
    document::parse(text).expect("YAML").value
}

fn facts(document: &Document, overrides: &Overrides) -> Facts {
    read(document, &ModelChoice::Named, overrides, None).expect("facts").value
}

/// The tree with a value put at a path, sections made where there are none.
fn put(mapping: &mut Mapping, path: &[Segment], value: &Value) {
    let [Segment::Key(key), rest @ ..] = path else { panic!("a path of keys") };
    let node = |value| Node { value, span: Span::default() };
    if !mapping.contains(key) {
        let empty = node(Value::Mapping(Mapping::default()));
        mapping.entries.push(Entry { key: key.clone(), key_span: Span::default(), node: empty });
    }
    let entry = mapping.entries.iter_mut().find(|entry| entry.key == *key).expect("it stands there");
    match (rest, &mut entry.node.value) {
        ([], stands) => *stands = value.clone(),
        (rest, Value::Mapping(inner)) => put(inner, rest, value),
        (_, other) => panic!("{other:?} is no section"),
    }
}

/// The text as someone would edit it to say what overrides say.
fn edited(document: &Document, overrides: &Overrides) -> String {
    let mut root = document.root.value.as_mapping().expect("a section").clone();
    for (path, value) in overrides.iter() {
        put(&mut root, path.segments(), value);
    }
    document::to_yaml(&Value::Mapping(root))
}

/// The values alone, without their places.
fn values(document: &Document) -> String {
    document.root.value.to_text()
}

/// A random value of a random control, set on what the sets before leave.
fn set_one(document: &Document, overrides: &mut Overrides, control: Index, value: Index, pinned: bool) {
    let before = facts(document, overrides);
    let open: Vec<Control> = Control::ALL.iter().copied().filter(|control| control.key(&before).is_ok()).collect();
    let control = open[control.index(open.len())];
    let values: Vec<Setting> = control.values(&before);
    if let Ok(change) = control.set(&values[value.index(values.len())], &before, pinned) {
        let mut with = overrides.clone();
        with.extend(change.overrides);
        // A count that the degrees do not divide is refused as in the text; the control stays where it was.
        if read(document, &ModelChoice::Named, &with, None).is_ok() {
            *overrides = with;
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn law_12_text_and_controls_reach_the_same_state(
        text in select(SAMPLES.to_vec()),
        moves in prop::collection::vec(any::<(Index, Index)>(), 1..5),
        pinned in any::<bool>(),
    ) {
        let document = parsed(text);
        let mut overrides = Overrides::none();
        for (control, value) in moves {
            set_one(&document, &mut overrides, control, value, pinned);
        }
        let text = edited(&document, &overrides);
        let by_text = parsed(&text);
        let (slid, written) = (facts(&document, &overrides), facts(&by_text, &Overrides::none()));
        prop_assert_eq!(derive(&slid).map(|config| config.value), derive(&written).map(|config| config.value), "{}", text);
        for control in Control::ALL {
            prop_assert_eq!(control.setting(&slid), control.setting(&written), "{}", control.name());
        }
        // And once more: what was written reads back as it was.
        prop_assert_eq!(values(&by_text), values(&parsed(&edited(&by_text, &Overrides::none()))));
    }

    #[test]
    fn law_12_a_layout_reads_back(layout in layout(|_| true)) {
        let document = parsed(&layout.text());
        let again = parsed(&document::to_yaml(&document.root.value));
        prop_assert_eq!(values(&document), values(&again));
        prop_assert_eq!(facts(&document, &Overrides::none()), facts(&again, &Overrides::none()));
    }

    /// A key one slip away from one that is read is warned about, by its name.
    #[test]
    fn law_13_a_slip_in_a_key_is_reported(text in select(SAMPLES.to_vec()), key in select(KEYS.to_vec()), at in any::<Index>()) {
        prop_assume!(text.contains(&format!("{key}:")));
        let slip = at.index(key.len());
        let misspelled = format!("{}{}", &key[..slip], &key[slip + 1..]);
        let outcome = estimate(&Input::of(&text.replace(&format!("{key}:"), &format!("{misspelled}:"))));
        let named = outcome.findings().iter().any(|found| {
            found.diagnostic.code.name() == "key_misspelled" && found.message().contains(&misspelled)
        });
        prop_assert!(named, "{misspelled}: {:?}", outcome.findings());
    }

    #[test]
    fn law_13_an_unknown_model_is_an_error(name in "[a-z]{3,8}/[A-Za-z]{3,8}-[0-9]{1,3}[bB]") {
        let text = SAMPLES[1].replace("Qwen/Qwen3-30B-A3B", &name);
        let Outcome::Rejected(rejected) = estimate(&Input::of(&text)) else {
            return Err(TestCaseError::fail("it has a figure"));
        };
        prop_assert!(rejected.errors().any(|error| error.diagnostic.code.name() == "hf_config_unresolved"));
    }

    /// What the text does not state names the rule that it follows; what it states names a key that stands there.
    #[test]
    fn law_13_no_default_is_silent(text in select(SAMPLES.to_vec()), gone in any::<Index>()) {
        let mut document = parsed(text);
        let paths: Vec<KeyPath> = document.paths().filter(|path| !path.to_string().starts_with("model")).collect();
        remove(&mut document.root.value, paths[gone.index(paths.len())].segments());
        let document = parsed(&document::to_yaml(&document.root.value));
        let facts = facts(&document, &Overrides::none());
        for origin in origins(&facts.run) {
            match origin {
                Origin::Key(Source::Run, path) => prop_assert!(document.get(path).is_some(), "{path}"),
                Origin::Key(Source::Model, _) | Origin::ChosenModel(_) | Origin::Constant(_) => {}
                Origin::TrainerDefault(rule) | Origin::FamilyDefault(rule) | Origin::Rule(rule) => {
                    prop_assert!(!rule.is_empty());
                }
                Origin::Key(Source::Execution, _) | Origin::Override(_) | Origin::Caller => {
                    prop_assert!(false, "nobody said so: {origin:?}");
                }
            }
        }
        let input = Input::of(&document::to_yaml(&document.root.value));
        prop_assert!(ready(&input).is_some());
    }
}

/// Keys of the samples that are read.
const KEYS: [&str; 14] = [
    "tp_size",
    "pp_size",
    "cp_size",
    "ep_size",
    "sequence_parallel",
    "dp_shard_size",
    "edp_shard_size",
    "fp32_main_params",
    "global_batch_size",
    "micro_batch_size",
    "max_grad_norm",
    "max_seq_len",
    "device_num",
    "max_device_memory",
];

fn remove(value: &mut Value, path: &[Segment]) {
    let (Value::Mapping(mapping), [Segment::Key(key), rest @ ..]) = (value, path) else { return };
    if rest.is_empty() {
        mapping.entries.retain(|entry| entry.key != *key);
    } else if let Some(entry) = mapping.entries.iter_mut().find(|entry| entry.key == *key) {
        remove(&mut entry.node.value, rest);
    }
}

/// Where every fact of a run comes from.
fn origins(run: &RunSpec) -> Vec<&Origin> {
    macro_rules! origins {
        ($($fact:ident)*) => { vec![$(&run.$fact.origin),*] };
    }
    let mut origins = origins!(
        dp_shard dp_replicate tensor_parallel pipeline_parallel context_parallel expert_parallel expert_tensor_parallel
        data_parallel chunks schedule sequence_parallel optimizer_parallel optimizer_shard grad_shard reshard_params
        loss_parallel micro_batch micro_batches global_batch clips_gradients cp_algorithm optimizer optimizer_states
        main_params stored_dtype stored_bytes full_recompute selective_recompute recompute_slice param_bytes
        compute_dtype compute_bytes softmax_bytes grouped_matmul capacity_factor offset sequence device_memory
    );
    origins.extend(run.devices.as_ref().map(|devices| &devices.origin));
    origins.extend(run.expert_shard.as_ref().map(|shard| &shard.origin));
    origins.extend(run.expert_shard_group.as_ref().map(|group| &group.origin));
    origins.extend(run.mode.as_ref().map(|mode| &mode.origin));
    origins
}
