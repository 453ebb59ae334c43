//! The answer in words.

use crate::components::figure::figure;
use crate::messages::Messages;
use crate::view::{Element, html};
use shardmem::report::Report;
use shardmem::report::number::{Decimals, MemoryUnit, amount};

/// Does it fit, by how much, where and why: readable from two metres.
pub fn verdict_line(report: &Report, is_stale: bool, unit: MemoryUnit, say: &Messages) -> Element {
    let verdict = &report.verdict;
    let peak = html("strong").attribute("data-testid", "peak").exact("data-bytes", verdict.peak.value()).child(
        figure("total", amount(verdict.peak, unit, Decimals::Two))
            .attribute("data-whose", "peak")
            .child(html("span").class("unit").text(format!("\u{a0}{}", unit.name()))),
    );
    let reason = html("span").flag("hidden", is_stale).text((say.verdict_reason)(verdict, report.stages.len()));
    // In the place of the reason, so that nothing moves.
    let stale =
        html("span").class("verdict-stale").attribute("data-testid", "stale").flag("hidden", !is_stale).text(say.stale);
    html("div")
        .class("verdict")
        .attribute("data-testid", "verdict")
        .attribute("data-fits", verdict.fits.id())
        .state("data-stale", is_stale)
        .child(html("p").class("verdict-headline").text((say.verdict)(verdict, unit)))
        .child(html("p").class("verdict-reason").child(peak).text(" ").child(reason).child(stale))
}

/// What stands there before the first estimate.
pub fn nothing_yet(say: &Messages) -> Element {
    html("div")
        .class("nothing-yet")
        .attribute("data-testid", "no-estimate")
        .child(html("h2").text(say.no_estimate))
        .child(html("p").text(say.no_estimate_help))
}
