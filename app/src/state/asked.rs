//! The run as it stands, in the form in which the core is asked about it: what would happen, why, and what to take away.

use super::EstimateMemos;
use super::what_if::Typed;
use crate::late;
use shardmem::document;
use shardmem::facts::controls::Control;
use shardmem::facts::execution::{self, ExecutionSpec};
use shardmem::facts::{Overrides, RecomputeRange};
use shardmem::provenance::Source;
use shardmem::whatif::{Run, Set};

impl EstimateMemos {
    /// Asks about the run as it stands, everything the reader set included, and follows it; nothing while a text of it cannot
    /// be read. Controls whose text means nothing, or which are refused, are left out, as the figures leave them out.
    pub fn asked<T>(self, ask: impl FnOnce(Run<'_>) -> T) -> Option<T> {
        let (mut ask, mut answer) = (Some(ask), None);
        self.with_run(&mut |run| answer = ask.take().map(|ask| ask(run)));
        answer
    }

    /// One piece of code for all questions.
    fn with_run(self, ask: &mut dyn FnMut(Run<'_>)) -> Option<()> {
        let sets: Vec<Set> = self.session.sets.with(|sets| sets.iter().filter_map(set).collect());
        let exec = match self.ranges.get() {
            None => None,
            Some(read) => Some((late::here()?.spec)(read.value()?)?),
        };
        let pinned = self.session.pinned.get();
        let accountant = self.accountant()?;
        self.document.with(|document| {
            self.model.with(|model| {
                let (document, choice) = (document.value()?, model.choice.as_ref()?);
                ask(Run {
                    document,
                    choice,
                    devices: None,
                    exec: exec.as_ref(),
                    accountant,
                    overrides: &Overrides::none(),
                    sets: &sets,
                    pinned,
                });
                Some(())
            })
        })
    }
}

fn set(typed: &Typed) -> Option<Set> {
    let Typed { control, text } = typed;
    Control::read(*control, text).map(|setting| Set { control: *control, setting })
}

/// The execution spec that lays recompute ranges over the file. Late: only runs with ranges need it.
pub fn spec(ranges: &[RecomputeRange]) -> Option<ExecutionSpec> {
    let document = document::parse_from(Source::Execution, &execution::with_ranges("", ranges)).ok()?;
    execution::read(&document.value).ok().map(|spec| spec.value)
}
