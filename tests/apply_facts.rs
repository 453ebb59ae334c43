//! Overrides written into a run's text give the facts that they give laid over it; whole texts from what is stated.

#[path = "apply/files.rs"]
mod files;
#[path = "document/random.rs"]
mod random;

use files::{BARE, FILES, LEGACY};
use random::Random;
use shardmem::config::{derive, reference_fields};
use shardmem::document::{self, Value};
use shardmem::facts::controls::Control;
use shardmem::facts::{self, EMPTY_RUN, Facts, ModelChoice, Overrides, Unwritten, new_run};
use shardmem::provenance::KeyPath;

fn read(text: &str, overrides: &Overrides) -> Result<Facts, String> {
    let document = document::parse(text).map_err(|errors| format!("{errors:?}"))?.value;
    let read = facts::read(&document, &ModelChoice::Named, overrides, None);
    read.map(|read| read.value).map_err(|errors| format!("{errors:?}"))
}

/// Facts without the one thing that may differ: whether a value was laid over or is written.
fn without_origin(facts: &Result<Facts, String>) -> String {
    format!("{facts:?}").replace("Override(KeyPath(", "Key(Run, KeyPath(")
}

fn derived(facts: &Result<Facts, String>) -> Option<serde_json::Map<String, serde_json::Value>> {
    derive(facts.as_ref().ok()?).ok().map(|config| reference_fields(&config.value))
}

#[test]
fn a_control_written_down_gives_the_facts_that_it_gives_laid_over() {
    let mut checked = 0;
    for (name, text) in FILES {
        // Some real files are refused.
        let Ok(before) = read(text, &Overrides::none()) else { continue };
        for control in Control::ALL.iter().filter(|control| control.key(&before).is_ok()) {
            for setting in control.values(&before) {
                let Ok(change) = control.set(&setting, &before, true) else { continue };
                let over = read(text, &change.overrides);
                let new = facts::apply(text, &change.overrides);
                let new = new.unwrap_or_else(|error| panic!("{name} {} {setting:?}: {error:?}", control.name()));
                let written = read(&new, &Overrides::none());
                assert_eq!(without_origin(&written), without_origin(&over), "{name} {} {setting:?}", control.name());
                assert_eq!(derived(&written), derived(&over), "{name} {} {setting:?}", control.name());
                let schema = written.as_ref().map(|facts| (facts.schema, facts.input_kind));
                assert_eq!(schema, Ok((before.schema, before.input_kind)), "{name} {}", control.name());
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn many_controls_at_once_are_written_too() {
    let mut random = Random::new(7);
    for (name, text) in FILES {
        for _ in 0..10 {
            let overrides = some_overrides(text, &mut random, 8);
            let new = facts::apply(text, &overrides).unwrap_or_else(|error| panic!("{name} {overrides:?}: {error:?}"));
            let (over, written) = (read(text, &overrides), read(&new, &Overrides::none()));
            assert_eq!(without_origin(&written), without_origin(&over), "{name} {overrides:?}");
            assert_eq!(facts::apply(&new, &overrides).as_deref(), Ok(&*new), "{name} {overrides:?}");
            let comments = |text: &str| -> Vec<String> {
                text.lines().filter(|line| line.trim_start().starts_with('#')).map(str::to_owned).collect()
            };
            assert_eq!(comments(text), comments(&new), "{name}");
        }
    }
}

fn some_overrides(text: &str, random: &mut Random, count: usize) -> Overrides {
    let mut overrides = Overrides::none();
    for _ in 0..count {
        let Ok(facts) = read(text, &overrides) else { break };
        let control = Control::ALL[random.below(Control::ALL.len())];
        let values = control.values(&facts);
        if values.is_empty() {
            continue;
        }
        if let Ok(change) = control.set(&values[random.below(values.len())], &facts, random.below(2) == 0) {
            overrides.extend(change.overrides);
        }
    }
    overrides
}

#[test]
fn what_would_change_how_the_file_is_read_is_not_written() {
    let with = |path: &str, value: &str| Overrides::none().with(path, Value::Text(value.into()));
    let refused =
        |text: &str, overrides: &Overrides| facts::apply(text, overrides).expect_err("it changes the reading");
    for (text, path) in [
        (LEGACY, "accelerator.tp_size"),
        (LEGACY, "training.micro_batch_size"),
        (LEGACY, "fsdp_config.dp_shard_size"),
        (LEGACY, "model.pretrained_model_name_or_path"),
        (BARE, "parallel_config.data_parallel"),
        (BARE, "train.accelerator.tp_degree"),
    ] {
        assert_eq!(refused(text, &with(path, "x")), Unwritten::Reading(KeyPath::parse(path)), "{path}");
    }
    assert!(facts::apply(LEGACY, &with("train.accelerator.tp_degree", "4")).is_ok());
    assert!(facts::apply("", &with("accelerator.tp_size", "4")).is_ok());
}

#[test]
fn a_new_run_of_a_sample_is_the_sample_without_its_comments() {
    for (name, text) in &FILES[..3] {
        let document = document::parse(text).expect("YAML").value;
        let new = new_run(&document, &ModelChoice::Named, &Overrides::none()).expect("a text");
        let bare = |line: &str| line.split('#').next().unwrap_or_default().trim_end().to_owned();
        let wanted: Vec<String> = text.lines().filter(|line| !line.starts_with('#')).map(bare).collect();
        assert_eq!(new.trim_end(), wanted.join("\n").trim(), "{name}");
    }
}

#[test]
fn a_new_run_reads_back_to_the_same_derived_fields() {
    let mut random = Random::new(3);
    for (name, text) in FILES {
        let document = document::parse(text).expect("YAML").value;
        for round in 0..10 {
            let overrides = some_overrides(text, &mut random, round);
            let (over, new) = (read(text, &overrides), new_run(&document, &ModelChoice::Named, &overrides));
            let new = new.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            let back = read(&new, &Overrides::none());
            assert_eq!(derived(&back), derived(&over), "{name} {overrides:?}\n{new}");
            assert!(derived(&back).is_some() || over.is_err() || derived(&over).is_none(), "{name}");
            let again = new_run(&document::parse(&new).expect("YAML").value, &ModelChoice::Named, &Overrides::none());
            assert_eq!(again.as_deref(), Ok(&*new), "{name}");
        }
    }
}

#[test]
fn a_run_without_a_text_is_written_from_model_and_controls() {
    let document = document::parse(EMPTY_RUN).expect("YAML").value;
    for entry in shardmem::model::catalogue::all() {
        let choice = ModelChoice::Catalogue(entry.id.into());
        let read = |overrides: &Overrides| facts::read(&document, &choice, overrides, None).map(|read| read.value);
        let Ok(mut facts) = read(&Overrides::none()) else { panic!("{}", entry.id) };
        let mut overrides = Overrides::none();
        for (control, text) in [
            (Control::Tp, "2"),
            (Control::Pp, "2"),
            (Control::DpShard, "4"),
            (Control::MicroBatch, "1"),
            (Control::GlobalBatch, "64"),
            (Control::SequenceLength, "4096"),
            (Control::Recompute, "off"),
            (Control::DeviceMemory, "64GB"),
        ] {
            let setting = control.read(text).expect("a setting");
            overrides.extend(control.set(&setting, &facts, false).expect("a change").overrides);
            facts = read(&overrides).expect("facts");
        }
        let new = new_run(&document, &choice, &overrides).expect("a text");
        let named = self::read(&new, &Overrides::none());
        if let Ok(named) = &named {
            assert_eq!(derived(&Ok(named.clone())), derived(&Ok(facts)), "{}\n{new}", entry.id);
        }
        if entry.id == "deepseek-ai/DeepSeek-V3" {
            assert_eq!(new, NEW_RUN);
        }
    }
}

const NEW_RUN: &str = "\
model:
  pretrained_model_name_or_path: deepseek-ai/DeepSeek-V3

training:
  micro_batch_size: 1
  global_batch_size: 64

accelerator:
  tp_size: 2
  pp_size: 2

fsdp_config:
  dp_shard_size: 4

activation_checkpoint:
  mode: 'off'

dataset:
  data_transform:
    max_seq_len: 4096

context:
  max_device_memory: 64GB
";
