//! What the reader looks at.

use super::{EstimateMemos, Session};
use crate::reactive::Derived;

/// Which stage the reader picked.
///
/// Until one is picked the peak's stage is shown, and follows the peak. A picked stage stays, held inside the stages there are.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    session: Session,
    stage: Derived<usize>,
}

impl Selection {
    /// The stage picked in a session, of those that an estimate has.
    pub fn of(session: Session, estimate: EstimateMemos) -> Self {
        let stage = Derived::new(move |_| {
            let picked = session.stage.get();
            let held = estimate.with_report(|report, _| {
                let last = report.stages.len().saturating_sub(1);
                picked.map_or(report.verdict.stage, |stage| stage.min(last))
            });
            held.unwrap_or(0)
        });
        Self { session, stage }
    }

    /// The stage to show.
    pub fn stage(self) -> usize {
        self.stage.get()
    }

    /// Picks a stage.
    pub fn pick(self, stage: usize) {
        self.session.pick(Some(stage));
    }
}
