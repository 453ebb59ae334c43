//! What a stage runs: its layers, what is recomputed, how many micro-batches are in flight, and which instant won.

use crate::components::figure::figure;
use crate::messages::pictures::captions;
use crate::messages::{LayerCounts, Messages};
use crate::view::{Element, html};
use shardmem::report::number::{Decimals, MemoryUnit, amount, change};
use shardmem::report::{InstantTotal, StageReport};
use shardmem::units::Bytes;

/// So many instants stand beside the table.
const FEW_INSTANTS: usize = 2;
/// Longer strips are shown as runs of equal layers.
const MOST_CELLS: usize = 20;

/// A run of equal letters of the placement string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    letter: char,
    count: usize,
}

/// What a stage is, beside its table.
pub fn stage_facts(stage: &StageReport, unit: MemoryUnit, say: &Messages) -> Element {
    html("div").child(layers(stage, say)).child(instants(stage, unit, say))
}

fn layers(stage: &StageReport, say: &Messages) -> Element {
    let cells = runs(&stage.layers).into_iter().map(|run| {
        let text = if run.count > 1 { format!("{} × {}", run.count, run.letter) } else { run.letter.to_string() };
        html("li")
            .class("layer-cell")
            .attribute("data-layer", run.letter.to_string())
            .attribute("title", (say.layer_letter)(run.letter))
            .text(text)
    });
    let words = format!("{} · {}", (say.layers)(LayerCounts::of(&stage.layers)), (say.in_flight)(&stage.in_flight));
    html("div")
        .class("layers")
        .child(html("p").text(words))
        .child(html("ol").class("layer-cells").attribute("aria-hidden", "true").children(cells))
}

/// Short strips letter by letter, long ones as runs.
fn runs(layers: &str) -> Vec<Run> {
    let singly = layers.chars().count() <= MOST_CELLS;
    let mut runs: Vec<Run> = Vec::new();
    for letter in layers.chars() {
        match runs.last_mut() {
            Some(run) if run.letter == letter && !singly => run.count += 1,
            _ => runs.push(Run { letter, count: 1 }),
        }
    }
    runs
}

/// Which instant won, and the total at each: the largest is the peak, the others say how far they are below. More than two
/// stand in a picture of their own.
fn instants(stage: &StageReport, unit: MemoryUnit, say: &Messages) -> Element {
    let said = (captions(say.spoken).peak_said)(&stage.instants, unit);
    let few = stage.instants.iter().filter(|_| stage.instants.len() <= FEW_INSTANTS);
    let lines = few.map(|instant| instant_line(*instant, stage.peak, unit, say));
    let list = html("dl").class("instants").attribute("aria-label", say.instants).children(lines);
    html("div").child(html("p").class("peak-said").attribute("data-testid", "peak-said").text(said)).child(list)
}

fn instant_line(instant: InstantTotal, peak: Bytes, unit: MemoryUnit, say: &Messages) -> Element {
    let distance =
        if instant.wins { say.instant_wins.to_owned() } else { change(instant.bytes - peak, unit, Decimals::Two) };
    html("div")
        .class(if instant.wins { "instant wins" } else { "instant" })
        .child(html("dt").text((say.instant)(instant.id)))
        .child(
            html("dd")
                .child(figure("total", amount(instant.bytes, unit, Decimals::Two)).attribute("data-at", instant.id)),
        )
        .child(html("dd").text(distance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strips_become_runs() {
        assert_eq!(runs("ENF").len(), 3);
        let long = format!("E{}{}O", "N".repeat(30), "F".repeat(31));
        let runs: Vec<(char, usize)> = runs(&long).into_iter().map(|run| (run.letter, run.count)).collect();
        assert_eq!(runs, [('E', 1), ('N', 30), ('F', 31), ('O', 1)]);
    }
}
