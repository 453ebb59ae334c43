//! A whole train.yaml without one: from a model and a number of devices, or plainly from what the present run states.

use super::control_view::text;
use super::estimate::RunRead;
use super::written::overrides;
use super::{ModelSource, Workspace};
use shardmem::document::{self, Document};
use shardmem::facts::controls::Control;
use shardmem::facts::{self, EMPTY_RUN, Facts, ModelChoice, Overrides, devices, new_run};
use shardmem::model::catalogue;
use std::sync::Arc;

/// What a run without a text begins with; all as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The catalogue's id of the model.
    pub model: String,
    /// The device count.
    pub devices: String,
    /// The device's id.
    pub device: String,
    /// Tokens of a sequence.
    pub sequence: String,
}

/// A field of it that means nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// No catalogue has the model.
    Model,
    /// No count of devices.
    Devices,
    /// No device of the table.
    Device,
    /// No count of tokens.
    Sequence,
}

impl Start {
    /// As the present run has it, where it can be read.
    pub fn of(run: &Workspace) -> Self {
        let read = RunRead::of(run);
        let facts = read.reading.facts.value();
        let id = facts.and_then(|facts| facts.model.catalogue_id.as_deref()).and_then(catalogue::find);
        let stated = |control: Control, otherwise: &str| {
            facts.map_or(otherwise.to_owned(), |facts| text(&control.setting(facts)))
        };
        let device = stated(Control::Device, "");
        let device = devices::find(&device).or_else(|| devices::all().first()).map(|device| device.id.clone());
        Self {
            model: id.unwrap_or("meta-llama/Llama-3.1-8B").to_owned(),
            devices: facts.map_or_else(|| "8".to_owned(), |facts| facts.devices().max(1).to_string()),
            device: device.unwrap_or_default(),
            sequence: stated(Control::SequenceLength, "4096"),
        }
    }

    /// Puts something into the field of a name.
    pub fn put(&mut self, field: &str, typed: String) {
        match field {
            "model" => self.model = typed,
            "devices" => self.devices = typed,
            "device" => self.device = typed,
            "sequence" => self.sequence = typed,
            _ => {}
        }
    }

    /// The train.yaml: sharded over all devices, one micro-batch of one sequence each, everything recomputed. Where to go from
    /// there the controls show.
    pub fn text(&self) -> Result<Arc<str>, Wrong> {
        let id = catalogue::entry(&self.model).ok_or(Wrong::Model)?.id;
        let count = whole(&self.devices).ok_or(Wrong::Devices)?;
        devices::find(&self.device).ok_or(Wrong::Device)?;
        whole(&self.sequence).ok_or(Wrong::Sequence)?;
        let steps = [
            (Control::Devices, &*count),
            (Control::Tp, "1"),
            (Control::Pp, "1"),
            (Control::Cp, "1"),
            (Control::Ep, "1"),
            (Control::DpShard, &*count),
            (Control::MicroBatch, "1"),
            (Control::GlobalBatch, &*count),
            (Control::SequenceLength, self.sequence.trim()),
            (Control::Recompute, "full"),
            (Control::Optimizer, "hyper_parallel.components.optim.AdamW"),
            (Control::MainParams, "true"),
            (Control::ParamDtype, "bfloat16"),
            (Control::Device, &*self.device),
        ];
        let Ok(document) = document::parse(EMPTY_RUN) else { return Err(Wrong::Model) };
        let choice = ModelChoice::Catalogue(id.into());
        let overrides = stated(&document.value, &choice, &steps).ok_or(Wrong::Model)?;
        new_run(&document.value, &choice, &overrides).map(Arc::from).map_err(|_| Wrong::Model)
    }
}

/// Controls set one after the other on a run that states nothing; those that the model does not have are left out.
fn stated(document: &Document, choice: &ModelChoice, steps: &[(Control, &str)]) -> Option<Overrides> {
    let read = |overrides: &Overrides| facts::read(document, choice, overrides, None).ok().map(|read| read.value);
    let mut overrides = Overrides::none();
    let mut facts: Facts = read(&overrides)?;
    for (control, value) in steps {
        let change = control.read(value).and_then(|setting| control.set(&setting, &facts, false).ok());
        let Some(change) = change else { continue };
        overrides.extend(change.overrides);
        facts = read(&overrides)?;
    }
    Some(overrides)
}

/// A count as typed, without blanks around it.
fn whole(typed: &str) -> Option<String> {
    let typed = typed.trim();
    typed.parse::<i64>().ok().filter(|count| *count >= 1).map(|count| count.to_string())
}

/// The present run written plainly: what it states with everything set, without comments and without what nobody reads.
/// Nothing where its text cannot be read. Ranges of layers stay set, and a model stays chosen where its name alone would not
/// give it back.
pub fn plainly(run: &Workspace) -> Option<Workspace> {
    let read = RunRead::of(run);
    let document = read.document.value()?;
    let choice = match &run.model {
        ModelSource::File => ModelChoice::Named,
        ModelSource::Catalogue(id) => ModelChoice::Catalogue(id.clone()),
        ModelSource::Config => ModelChoice::Config(Arc::new(document::parse_json(&run.config).ok()?.value)),
    };
    let text = new_run(document, &choice, &overrides(run)).ok()?;
    let mut plain = run.clone();
    plain.take_written(text.into());
    if matches!(run.model, ModelSource::Catalogue(_)) {
        let named = Workspace { model: ModelSource::File, ..plain.clone() };
        if RunRead::of(&named).outcome.shown == read.outcome.shown {
            return Some(named);
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Sample, Shown, ranges};
    use shardmem::diagnostics::Code;

    fn shown(run: &Workspace) -> Option<Shown> {
        RunRead::of(run).outcome.shown
    }

    #[test]
    fn every_model_of_the_catalogue_begins_a_run_that_prices() {
        let start = Start::of(&Workspace::of(""));
        assert_eq!((&*start.devices, &*start.sequence), ("8", "4096"));
        for entry in catalogue::all() {
            let text = Start { model: entry.id.to_owned(), ..start.clone() }.text().expect("a text");
            let read = RunRead::of(&Workspace::of(&text));
            // What the reference refuses of the model itself no layout mends.
            let findings: Vec<_> = read.reading.facts.findings().chain(&read.outcome.findings).collect();
            let is_refused = findings.iter().any(|finding| finding.code == Code::VisionMissing);
            assert!(read.outcome.shown.is_some() || is_refused, "{}: {findings:?}", entry.id);
        }
    }

    #[test]
    fn it_begins_as_the_present_run_stands() {
        let start = Start::of(&Workspace::of(Sample::OPENING.text));
        let expected = ["deepseek-ai/DeepSeek-V3", "512", "ascend-910b-64gb", "4096"];
        assert_eq!([&*start.model, &*start.devices, &*start.device, &*start.sequence], expected);
        let text = start.text().expect("a text");
        let read = RunRead::of(&Workspace::of(&text));
        assert_eq!(read.reading.facts.value().map(Facts::devices), Some(512));
        assert!(text.contains("  ep_size: 1\n") && text.contains("  dp_shard_size: 512\n"), "{text}");
        assert!(text.contains("  max_device_memory: 64GB\n"), "{text}");
    }

    #[test]
    fn what_means_nothing_is_said() {
        let start = Start::of(&Workspace::of(""));
        let with = |field: &str, typed: &str| {
            let mut start = start.clone();
            start.put(field, typed.to_owned());
            start.text()
        };
        assert_eq!(with("model", "nobody/nothing"), Err(Wrong::Model));
        assert_eq!(with("device", "?"), Err(Wrong::Device));
        for typed in ["", "0", "-8", "8.5", "many"] {
            assert_eq!((with("devices", typed), with("sequence", typed)), (Err(Wrong::Devices), Err(Wrong::Sequence)));
        }
        assert!(with("devices", " 64 ").is_ok_and(|text| text.contains("device_num: 64\n")));
    }

    #[test]
    fn written_plainly_a_run_keeps_its_figures() {
        for sample in Sample::ALL {
            let mut run = Workspace::of(sample.text);
            run.set(Control::MicroBatch, "2");
            for model in [ModelSource::File, ModelSource::Catalogue("deepseek-ai/DeepSeek-V2".into())] {
                run.model = model;
                let plain = plainly(&run).expect("it can be read");
                assert_eq!(shown(&plain), shown(&run), "{}", sample.id);
                assert_eq!((plain.changed(), &plain.model), (0, &ModelSource::File));
                assert!(!plain.text.contains('#'));
            }
        }
        assert_eq!(plainly(&Workspace::of("")), None);
        assert_eq!(plainly(&Workspace::of("model: [")), None);
    }

    #[test]
    fn ranges_and_a_pasted_config_stay() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.ranges = Some(ranges::of_config(&crate::state::outcome::config_of(&run)));
        let plain = plainly(&run).expect("it can be read");
        assert_eq!((shown(&plain), &plain.ranges), (shown(&run), &run.ranges));
        run.ranges = None;
        run.paste_config(CONFIG);
        let plain = plainly(&run).expect("it can be read");
        assert_eq!((shown(&plain), &plain.model), (shown(&run), &ModelSource::Config));
        assert!(shown(&run).is_some());
    }

    const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "head_dim": 64}"#;
}
