//! A memory model as a value: what it is called, how it accounts for a placed run, and what it refuses. Whoever holds one
//! need not name the models, so that the page can bring the second one late.

use crate::config::{self, Config};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Place, Severity};
use crate::facts::{Facts, RunSpec};
use crate::memory::ledger::policies::CpKind;
use crate::memory::ledger::{self, Inputs, Precision};
use crate::memory::{Band, Breakdown, MemoryModel, StageMemory, reference};
use crate::model::tensors::tensors;
use crate::placement::Placement;
use crate::units::Bytes;

/// What a memory model says that a placed run holds.
type Account = fn(MemoryModel, &Facts, &Config, &Placement) -> Result<Checked<Breakdown>, Errors>;

/// A memory model with its policies, ready to account.
#[derive(Debug, Clone, Copy)]
pub struct Accountant {
    memory_model: MemoryModel,
    account: Account,
    judge: fn(Diagnostic) -> Diagnostic,
}

impl Default for Accountant {
    fn default() -> Self {
        Self::reference(reference::Policies::default())
    }
}

impl Accountant {
    /// The reference; names no ledger.
    pub const fn reference(policies: reference::Policies) -> Self {
        let memory_model = MemoryModel::Reference(policies);
        Self { memory_model, account: by_reference, judge: |finding| finding }
    }

    /// The ledger; names no reference.
    pub const fn ledger(policies: ledger::Policies) -> Self {
        Self { memory_model: MemoryModel::Ledger(policies), account: by_ledger, judge: config::refused }
    }

    /// Either.
    pub const fn of(memory_model: MemoryModel) -> Self {
        match memory_model {
            MemoryModel::Reference(policies) => Self::reference(policies),
            MemoryModel::Ledger(policies) => Self::ledger(policies),
        }
    }

    /// Which it is.
    pub const fn memory_model(self) -> MemoryModel {
        self.memory_model
    }

    /// A finding as this memory model judges it: what the reference warns of can be an error of the ledger's (DESIGN 3.5).
    #[must_use]
    pub fn judged(self, finding: Diagnostic) -> Diagnostic {
        (self.judge)(finding)
    }

    /// What keeps a run of this layout from starting, so judged.
    pub fn legality(self, facts: &Facts, config: &Config) -> impl Iterator<Item = Diagnostic> {
        config::legality(facts, config).into_iter().map(self.judge)
    }

    /// Whether it has no figure for this run: a layout that cannot start, experts that the degrees do not hold.
    pub fn refuses(self, facts: &Facts, config: &Config) -> bool {
        let is_error = |finding: Diagnostic| finding.severity == Severity::Error;
        let holds_all = self.memory_model.name() == reference::NAME || config::holds_experts(config);
        !holds_all || self.legality(facts, config).any(is_error)
    }

    /// What each stage holds.
    ///
    /// # Errors
    ///
    /// The ledger's: a model whose tensors nobody wrote down, or a layout that no run can have.
    pub fn account(self, facts: &Facts, config: &Config, placement: &Placement) -> Result<Checked<Breakdown>, Errors> {
        (self.account)(self.memory_model, facts, config, placement)
    }
}

#[expect(clippy::unnecessary_wraps, reason = "of the form of every memory model")]
fn by_reference(
    memory_model: MemoryModel,
    _: &Facts,
    config: &Config,
    placement: &Placement,
) -> Result<Checked<Breakdown>, Errors> {
    let policies = match memory_model {
        MemoryModel::Reference(policies) => policies,
        MemoryModel::Ledger(_) => reference::Policies::default(),
    };
    Ok(reference::account_under(config, placement, policies))
}

fn by_ledger(
    memory_model: MemoryModel,
    facts: &Facts,
    config: &Config,
    placement: &Placement,
) -> Result<Checked<Breakdown>, Errors> {
    let policies = match memory_model {
        MemoryModel::Reference(_) => ledger::Policies::default(),
        MemoryModel::Ledger(policies) => policies,
    };
    let Some(tensors) = tensors(&facts.model) else {
        let place = Place::of(&facts.model.name.origin);
        return Err(Errors::one(Diagnostic::new(Code::ShapesUnknown, place).with(&*facts.model.name.value)));
    };
    let (model, precision) = (&facts.model, precision(&facts.run));
    let inputs = Inputs { model, tensors: &tensors, config, placement, precision, last_of_ring: false };
    let mut checked = banded(inputs, policies)?;
    // The last rank of a ring of context parallelism holds other tensors than the others: the worse of both counts.
    if policies.cp_kind() == CpKind::Ring && config.primary().context_parallel > 1 {
        let last = banded(Inputs { last_of_ring: true, ..inputs }, policies)?;
        let peak = |breakdown: &Breakdown| breakdown.stages.get(breakdown.peak).map(StageMemory::peak_bytes);
        if peak(&last.value) > peak(&checked.value) {
            checked = last;
        }
    }
    Ok(checked)
}

fn banded(inputs: Inputs<'_>, policies: ledger::Policies) -> Result<Checked<Breakdown>, Errors> {
    let mut checked = ledger::account(inputs, policies)?;
    let bands = ledger::bands(inputs, &checked.value, policies);
    for (stage, band) in checked.value.stages.iter_mut().zip(bands) {
        let [low, expected, high] = [band.low, band.expected, band.high].map(Bytes::new);
        stage.band = Some(Band { low, expected, high });
    }
    Ok(checked)
}

/// Bytes an element (ledger 6): gathered as computed with, and reduced alike where nothing else is stated.
pub fn precision(run: &RunSpec) -> Precision {
    let compute = run.param_bytes.value as f64;
    let reduce = run.reduce_bytes.as_ref().map_or(compute, |bytes| bytes.value as f64);
    Precision { stored: run.stored_bytes.value as f64, compute, reduce }
}
