//! All stages in figures: what the bars show.

use super::{Looks, column, row, table};
use crate::messages::pictures::{captions, words};
use crate::view::{Element, html};
use shardmem::memory::Category;
use shardmem::report::number::{Decimals, amount_within};
use shardmem::report::{Report, StageReport};
use shardmem::units::Bytes;

/// A row a stage: its categories, its peak, what is left of the device, and the instant of the peak.
pub fn stage_table(report: &Report, looks: Looks) -> Element {
    let (say, words) = (looks.say(), words(looks.language));
    let occurs = |category: &Category| report.stages.iter().any(|stage| holds(stage, *category).is_some());
    let categories: Vec<Category> = Category::ALL.into_iter().filter(occurs).collect();
    let heads = html("tr")
        .child(column(words.stage))
        .children(categories.iter().map(|category| column((say.category)(*category))))
        .children([say.total, words.spare, words.peak_at].map(column));
    let figure = |bytes: Bytes| html("td").text(amount_within(bytes, looks.unit, Decimals::Two));
    let rows = report.stages.iter().map(|stage| {
        let parts = categories.iter().map(|category| figure(holds(stage, *category).unwrap_or(Bytes::ZERO)));
        let headroom = report.verdict.capacity - stage.peak;
        let over = if headroom < Bytes::ZERO { "over" } else { "" };
        let instant = stage.instants.iter().find(|instant| instant.wins);
        row(stage.stage, looks)
            .children(parts)
            .child(figure(stage.peak).attribute("class", "total"))
            .child(figure(headroom).attribute("class", over))
            .child(html("td").text(instant.map_or(String::new(), |instant| (say.instant)(instant.id))))
    });
    table("stage-table", captions(looks.language).stage_table, heads, rows.collect::<Vec<_>>())
}

fn holds(stage: &StageReport, category: Category) -> Option<Bytes> {
    stage.rows.iter().find(|row| row.category == category).map(|row| row.bytes)
}
