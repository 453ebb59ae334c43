//! The run as it stands, in the form in which the core is asked about it: what would happen, why, and what to take away.

use super::EstimateMemos;
use super::what_if::Typed;
use shardmem::document;
use shardmem::facts::controls::Control;
use shardmem::facts::execution::{self, ExecutionSpec};
use shardmem::facts::{Overrides, RecomputeRange};
use shardmem::memory::reference::Policies;
use shardmem::provenance::Source;
use shardmem::whatif::{Run, Set};

impl EstimateMemos {
    /// Asks about the run as it stands, everything the reader set included, and follows it; nothing while a text of it cannot
    /// be read. Controls whose text means nothing, or which are refused, are left out, as the figures leave them out.
    pub fn asked<T>(self, ask: impl FnOnce(Run<'_>) -> T) -> Option<T> {
        let sets: Vec<Set> = self.session.sets.with(|sets| sets.iter().filter_map(set).collect());
        let exec = match self.ranges.get() {
            None => None,
            Some(read) => Some(spec(read.value()?)?),
        };
        let pinned = self.session.pinned.get();
        self.document.with(|document| {
            self.model.with(|model| {
                let (document, choice) = (document.value()?, model.choice.as_ref()?);
                let run = Run {
                    document,
                    choice,
                    devices: None,
                    exec: exec.as_ref(),
                    policies: Policies::default(),
                    overrides: &Overrides::none(),
                    sets: &sets,
                    pinned,
                };
                Some(ask(run))
            })
        })
    }
}

fn set(typed: &Typed) -> Option<Set> {
    let Typed { control, text } = typed;
    Control::read(*control, text).map(|setting| Set { control: *control, setting })
}

/// The execution spec that lays recompute ranges over the file.
pub(super) fn spec(ranges: &[RecomputeRange]) -> Option<ExecutionSpec> {
    let document = document::parse_from(Source::Execution, &execution::with_ranges("", ranges)).ok()?;
    execution::read(&document.value).ok().map(|spec| spec.value)
}
