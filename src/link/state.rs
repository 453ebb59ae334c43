//! What a link carries.

use crate::facts::Overrides;

/// The memory model that answers where a state names none; version 1 leaves it out.
pub const MEMORY_MODEL: &str = "sapp_nd";

/// The page's state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// What is estimated.
    pub run: Run,
    /// What it is compared with.
    pub baseline: Option<Run>,
    /// What the reader looks at.
    pub selection: Selection,
}

/// Everything that an estimate is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The train.yaml.
    pub text: String,
    /// Which model it is read with.
    pub model: Model,
    /// The catalogue entry whose dimensions answer, if one does: the one chosen, or the one that the text names.
    pub entry: Option<String>,
    /// Controls by name, with what was typed or chosen, in the order of setting.
    pub controls: Vec<(String, String)>,
    /// Values laid over the text besides.
    pub overrides: Overrides,
    /// Whether the device count stays while degrees move.
    pub pinned: bool,
    /// The device count given beside the text.
    pub devices: Option<i64>,
    /// The memory model's name.
    pub memory_model: String,
    /// Its named policies, each with its value.
    pub policies: Vec<(String, String)>,
    /// What the run was seen to need, as it was typed; empty where that is not known.
    pub measured: String,
    /// The execution spec, recompute ranges among it; empty where there is none.
    pub execution: String,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            text: String::new(),
            model: Model::Named,
            entry: None,
            controls: Vec::new(),
            overrides: Overrides::none(),
            pinned: true,
            devices: None,
            memory_model: MEMORY_MODEL.to_owned(),
            policies: Vec::new(),
            measured: String::new(),
            execution: String::new(),
        }
    }
}

/// Where the model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Model {
    /// The text names or states it.
    #[default]
    Named,
    /// A catalogue entry, by id.
    Catalogue(String),
    /// A config.json, as text.
    Config(String),
}

/// What the reader looks at; nothing where the page decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// The stage, from 0.
    pub stage: Option<u32>,
    /// The item or category whose explanation is open, by its id.
    pub item: Option<String>,
    /// The unit of memory, by its name.
    pub unit: Option<String>,
}
