//! How many parameters models have. It is counted when asked for, from every tensor, and comes late: the figures need none of
//! it.

use super::EstimateMemos;
use crate::late;
use crate::messages::{self, Language};
use shardmem::config;
use shardmem::estimate;
use shardmem::facts::Facts;
use shardmem::model::catalogue;
use shardmem::placement;
use shardmem::report::messages as told;

impl EstimateMemos {
    /// The model's parameters beside those that the reference counts, in words; nothing until the late part is here.
    pub fn parameter_note(self, language: Language) -> Option<String> {
        let late = late::here()?;
        self.reading.with(|reading| (late.parameter_note)(&reading.last.as_ref()?.facts.value, language))
    }
}

/// Nothing where no run of the model can be placed: the findings say why.
pub fn note(facts: &Facts, language: Language) -> Option<String> {
    let config = config::derive(facts).ok()?.value;
    let placement = placement::place(&config).ok()?.value;
    Some(told::parameter_note(&estimate::parameter_note(facts, &config, &placement)?, language))
}

/// How many a catalogue model has, for reading; nothing for an id that the catalogue does not have.
pub fn of_model(id: &str) -> String {
    let total = catalogue::spec(id).and_then(|spec| estimate::parameters(&spec).total);
    total.map_or(String::new(), messages::of(Language::default()).parameters)
}
