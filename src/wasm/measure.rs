//! What `cargo xtask measure` times in a browser: one estimate, again and again, from one call.

use crate::config::{self, Config, Primary, Strictness};
use crate::document;
use crate::facts::{self, ModelChoice, Overrides};
use crate::memory::reference;
use crate::placement;
use wasm_bindgen::prelude::wasm_bindgen;

/// A run, read.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct Measured(Primary);

#[wasm_bindgen]
impl Measured {
    /// Reads a train.yaml; nothing where it is refused.
    pub fn read(yaml: &str) -> Option<Self> {
        let document = document::parse(yaml).ok()?.value;
        let facts = facts::read(&document, &ModelChoice::Named, &Overrides::none(), None).ok()?.value;
        Some(Self(config::primary(&facts)))
    }

    /// Derives, places and accounts for the run so many times; gives the sum of the peaks, so that each counts.
    pub fn estimates(&self, turns: u32) -> f64 {
        (0..turns).filter_map(|_| self.estimate()).sum()
    }

    fn estimate(&self) -> Option<f64> {
        let config = Config::new(self.0.clone(), Strictness::Clamped).ok()?.value;
        let placement = placement::place(&config).ok()?.value;
        let breakdown = reference::account(&config, &placement).value;
        breakdown.stages.get(breakdown.peak).map(|stage| stage.peak_bytes().value())
    }
}
