//! The answer in words.

use crate::messages::Messages;
use leptos::prelude::*;
use shardmem::report::Report;
use shardmem::report::number::{Decimals, MemoryUnit, amount, shortest};

/// Does it fit, by how much, where and why: readable from two metres.
pub fn verdict_line(
    report: &Report,
    is_stale: bool,
    unit: MemoryUnit,
    say: &'static Messages,
) -> impl IntoView + use<> {
    let verdict = &report.verdict;
    view! {
        <div class="verdict" data-testid="verdict" data-fits=verdict.fits.id() data-stale=if is_stale { "true" } else { "false" }>
            <p class="verdict-headline" role="status">
                {(say.verdict)(verdict, unit)}
            </p>
            <p class="verdict-reason">
                <strong data-testid="peak" data-bytes=shortest(verdict.peak.value())>
                    {amount(verdict.peak, unit, Decimals::Two)}
                    <span class="unit">{"\u{a0}"} {unit.name()}</span>
                </strong>
                " "
                <span hidden=is_stale>{(say.verdict_reason)(verdict, report.stages.len())}</span>
                // In the place of the reason, so that nothing moves.
                <span class="verdict-stale" role="alert" data-testid="stale" id="stale-note" hidden=!is_stale>
                    {say.stale}
                </span>
            </p>
        </div>
    }
}
