//! Runs to start from, and the models to choose from.

use crate::components::model_picker::Choice;
use crate::late;
use shardmem::model::catalogue;

/// A run of our own.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Its stable name.
    pub id: &'static str,
    /// The model, by the name that people use.
    pub model: &'static str,
    /// On how many devices.
    pub devices: i64,
    /// Its train.yaml.
    pub text: &'static str,
}

impl Sample {
    /// The run that the page opens with.
    pub const OPENING: Self = Self {
        id: "deepseek-v3-512",
        model: "DeepSeek-V3",
        devices: 512,
        text: include_str!("../../../data/samples/deepseek-v3-512.yaml"),
    };

    /// Every sample, its text apart: id, model, devices. Texts but the first come late.
    pub const NAMES: [(&'static str, &'static str, i64); 3] = [
        (Self::OPENING.id, Self::OPENING.model, Self::OPENING.devices),
        ("qwen3-30b-a3b-8", "Qwen3-30B-A3B", 8),
        ("llama-3.1-8b-8", "Llama-3.1-8B", 8),
    ];

    /// Every sample.
    pub const ALL: [Self; 3] = [
        Self::OPENING,
        Self {
            id: Self::NAMES[1].0,
            model: Self::NAMES[1].1,
            devices: Self::NAMES[1].2,
            text: include_str!("../../../data/samples/qwen3-30b-a3b-8.yaml"),
        },
        Self {
            id: Self::NAMES[2].0,
            model: Self::NAMES[2].1,
            devices: Self::NAMES[2].2,
            text: include_str!("../../../data/samples/llama-3.1-8b-8.yaml"),
        },
    ];

    /// What its texts were in earlier versions of the page, by id: links name a sample and the hash of its text, and those
    /// that are out in the world go on to open what they meant. Whoever changes a sample puts its old text here.
    const EARLIER: [(&'static str, &'static str); 0] = [];

    /// Every text that a link may name, by id; earlier texts behind the present ones.
    pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
        Self::ALL.into_iter().map(|sample| (sample.id, sample.text)).chain(Self::EARLIER)
    }

    /// The sample of a name.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sample| sample.id == id)
    }
}

/// The models of the catalogue, with their size; read when asked for, since that takes longer than an estimate.
pub fn catalogue_choices() -> Vec<Choice> {
    let late = late::here();
    let choice = |entry: &catalogue::Entry| Choice {
        id: entry.id.into(),
        detail: late.map_or(String::new(), |late| (late.parameters_of)(entry.id)),
    };
    catalogue::all().iter().map(choice).collect()
}
