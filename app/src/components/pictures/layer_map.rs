//! Which layers run on which stage, what they recompute, and how many micro-batches are in flight.

use super::{Looks, column, row, table};
use crate::messages::LayerCounts;
use crate::messages::pictures::{Words, captions, words};
use crate::view::{Element, html};
use shardmem::placement::Placement;
use shardmem::report::layers::{ChunkLayers, Span, StageLayers, layers};
use shardmem::report::number::{Decimals, rounded};

/// Up to so many nodes a chunk each has its own cell; in longer ones equal neighbours share one.
const MOST_CELLS: usize = 160;
/// Up to so many stages are drawn; nobody reads a picture of more.
const MOST_STAGES: usize = 1024;
/// The letters, in the order in which they are explained.
const LETTERS: [char; 5] = ['E', 'N', 'S', 'F', 'O'];

/// The map of a placed run.
pub fn layer_map(placement: &Placement, looks: Looks) -> Element {
    map(&layers(placement), looks)
}

/// The map of what each stage runs.
pub(super) fn map(stages: &[StageLayers], looks: Looks) -> Element {
    let words = words(looks.language);
    let heads = html("tr").child(column(words.stage)).child(column(words.layers)).child(column(words.in_flight));
    let rows = stages.iter().take(MOST_STAGES).map(|stage| {
        let several = stage.chunks.len() > 1;
        let number = |at: usize| several.then_some(at);
        let chunks = stage.chunks.iter().enumerate().map(|(at, chunk)| chunk_line(chunk, number(at), looks, words));
        let in_flight: Vec<String> = stage.chunks.iter().map(|chunk| rounded(chunk.in_flight, Decimals::Two)).collect();
        row(stage.stage, looks)
            .child(html("td").children(chunks))
            .child(html("td").class("in-flight").text(in_flight.join(" + ")))
    });
    let map = table("layer-map", captions(looks.language).layer_map, heads, rows.collect::<Vec<_>>());
    html("div").child(legend(stages, looks)).child(map)
}

/// What the letters that occur mean.
fn legend(stages: &[StageLayers], looks: Looks) -> Element {
    let spans = || stages.iter().flat_map(|stage| &stage.chunks).flat_map(|chunk| &chunk.spans);
    let occurring = LETTERS.into_iter().filter(|letter| spans().any(|span| span.letter == *letter));
    let meanings = occurring.map(|letter| {
        html("li").child(cell("span", letter, letter.to_string())).text(" ").text((looks.say().layer_letter)(letter))
    });
    html("ul").class("layer-legend").children(meanings)
}

fn chunk_line(chunk: &ChunkLayers, number: Option<usize>, looks: Looks, words: &Words) -> Element {
    let letters = chunk.letters();
    let counts = LayerCounts::of(&letters);
    let bounds = chunk.bounds().map(|(low, high)| (words.numbers)(low, high));
    let chunk_name = number.map(|number| (words.chunk)(number));
    let visible: Vec<String> = chunk_name.into_iter().chain(bounds).collect();
    let visible = visible.join(" · ");
    let said = if letters.is_empty() { words.nothing_runs.to_owned() } else { (looks.say().layers)(counts) };
    let cells = html("span").class("layer-cells").attribute("role", "img").attribute("aria-label", said);
    let cells = if letters.is_empty() { cells.text("–") } else { cells.children(cells_of(chunk, looks, words)) };
    html("div").class("layer-chunk").child(html("span").class("layer-numbers").text(visible)).child(cells)
}

fn cells_of(chunk: &ChunkLayers, looks: Looks, words: &Words) -> Vec<Element> {
    let nodes: usize = chunk.spans.iter().map(|span| span.count as usize).sum();
    if nodes > MOST_CELLS {
        let text = |span: &Span| match span.count {
            1 => span.letter.to_string(),
            count => format!("{count} × {}", span.letter),
        };
        return chunk.spans.iter().map(|span| cell("span", span.letter, text(span))).collect();
    }
    let single = |span: &Span| {
        let span = *span;
        let kind = (looks.say().layer_letter)(span.letter);
        (0..i64::from(span.count)).map(move |at| {
            let title = span.order.map_or_else(|| kind.to_owned(), |order| (words.layer)(order.layer(at), kind));
            cell("span", span.letter, span.letter.to_string()).attribute("title", title)
        })
    };
    chunk.spans.iter().flat_map(single).collect()
}

/// A cell as the strip of the selected stage has it: letter, outline and pattern say what is kept.
fn cell(tag: &'static str, letter: char, text: String) -> Element {
    html(tag).class("layer-cell").attribute("data-layer", letter.to_string()).text(text)
}
