//! Stages at every instant: a cell is what a stage holds at an instant.

use super::{Looks, column, row, table};
use crate::messages::pictures::{Words, captions, words};
use crate::view::{Element, html};
use shardmem::decimal::fixed;
use shardmem::report::number::{Decimals, amount_with_unit, amount_within};
use shardmem::report::{InstantTotal, Report, StageReport};
use shardmem::units::Bytes;

/// The map of a report: a row a stage, a column an instant, in the order in which they come.
pub fn heat_map(report: &Report, looks: Looks) -> Element {
    let (say, words) = (looks.say(), words(looks.language));
    let instants = instants(report);
    let heads = html("tr").child(column(words.stage)).children(instants.iter().map(|id| column((say.instant)(id))));
    let largest = report.stages.iter().flat_map(|stage| &stage.instants).map(|instant| instant.bytes.value());
    let heat = Heat { largest: largest.fold(0.0, f64::max), peak: report.verdict.stage, looks, words };
    let rows = report.stages.iter().map(|stage| {
        let cells = instants.iter().map(|id| heat.cell(stage, stage.instants.iter().find(|instant| instant.id == *id)));
        row(stage.stage, looks).number("data-pick", stage.stage).children(cells)
    });
    let name = captions(looks.language).heat_map;
    table("heat-map", name, heads, rows.collect::<Vec<_>>())
}

/// Every instant that counts for some stage. What one stage lacks stands where the others have it.
fn instants(report: &Report) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for stage in &report.stages {
        let mut place = 0;
        for InstantTotal { id, .. } in &stage.instants {
            let known = all.iter().position(|known| known == id);
            if known.is_none() {
                all.insert(place, id);
            }
            place = known.unwrap_or(place) + 1;
        }
    }
    all
}

/// What the cells of a map are coloured against.
#[derive(Clone, Copy)]
struct Heat {
    largest: f64,
    peak: usize,
    looks: Looks,
    words: &'static Words,
}

impl Heat {
    fn cell(self, stage: &StageReport, instant: Option<&InstantTotal>) -> Element {
        let Some(instant) = instant else {
            let never = html("span").class("hidden-text").text(format!(" {}", self.words.never));
            return html("td")
                .class("never")
                .child(html("span").attribute("aria-hidden", "true").text("–"))
                .child(never);
        };
        let is_peak = instant.wins && stage.stage == self.peak;
        let mark = match (instant.wins, is_peak) {
            (_, true) => ("peak", "◆ ", self.words.peak),
            (true, false) => ("stage-peak", "◇ ", self.words.stage_peak),
            (false, false) => ("", "", ""),
        };
        let (class, sign, spoken) = mark;
        let unit = self.looks.unit;
        let cell = html("td")
            .attribute("class", class)
            .attribute("data-instant", instant.id)
            .exact("data-bytes", instant.bytes.value())
            .attribute("title", amount_with_unit(instant.bytes, unit, Decimals::Two))
            .style("--heat", format!("{}%", fixed(self.share(instant.bytes) * 100.0, 0)))
            .child(html("span").attribute("aria-hidden", "true").text(sign))
            .text(amount_within(instant.bytes, unit, Decimals::One));
        if spoken.is_empty() { cell } else { cell.child(html("span").class("hidden-text").text(format!(" {spoken}"))) }
    }

    /// An amount against the largest; nothing where there is nothing, or less.
    fn share(self, bytes: Bytes) -> f64 {
        let share = bytes.value() / self.largest;
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}
