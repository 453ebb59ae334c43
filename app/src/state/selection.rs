//! What the reader looks at.

use super::EstimateMemos;
use leptos::prelude::*;

/// Which stage the reader picked.
///
/// Until one is picked the peak's stage is shown, and follows the peak. A picked stage stays, held inside the stages there are.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    picked: RwSignal<Option<usize>>,
    stage: Memo<usize>,
}

impl Selection {
    /// Nothing picked.
    pub fn following(estimate: EstimateMemos) -> Self {
        let picked = RwSignal::new(None::<usize>);
        let stage = Memo::new(move |_| {
            let picked = picked.get();
            let held = estimate.with_report(|report, _| {
                let last = report.stages.len().saturating_sub(1);
                picked.map_or(report.verdict.stage, |stage| stage.min(last))
            });
            held.unwrap_or(0)
        });
        Self { picked, stage }
    }

    /// The stage to show.
    pub fn stage(self) -> usize {
        self.stage.get()
    }

    /// Picks a stage.
    pub fn pick(self, stage: usize) {
        self.picked.set(Some(stage));
    }

    /// Back to the stage of the peak; for another run.
    pub fn follow(self) {
        self.picked.set(None);
    }
}
