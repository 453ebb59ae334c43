//! The pictures as values: what they say of a memory model with three instants that nobody has, and of placed runs.

use super::{Looks, heat_map, layer_map, stage_table};
use crate::messages::Language;
use crate::view::{Element, Node};
use shardmem::estimate::{Input, Outcome, Ready, estimate};
use shardmem::memory::{Breakdown, Category, Certainty, Instant, Item, StageMemory};
use shardmem::report::number::MemoryUnit;
use shardmem::report::{Reading, Report, present};
use shardmem::units::{Bytes, GIB};

const LOOKS: Looks = Looks { selected: 1, unit: MemoryUnit::Gib, language: Language::English };

fn memory(
    stage: usize,
    instants: &[&'static str],
    items: &[(&'static str, Category, Vec<f64>)],
    peak: usize,
) -> StageMemory {
    let items: Vec<Item> = items
        .iter()
        .map(|(id, category, gib)| {
            let bytes = gib.iter().map(|count| Bytes::new(count * GIB)).collect();
            Item { id, category: *category, certainty: Certainty::Exact, bytes }
        })
        .collect();
    let totals = (0..instants.len()).map(|at| items.iter().map(|item| item.bytes[at]).sum()).collect();
    let instants = instants.iter().map(|id| Instant { id }).collect::<Vec<_>>().into();
    StageMemory {
        stage,
        layers: "ENNO".to_owned(),
        instants,
        items,
        totals,
        peak,
        layers_of_instants: Vec::new(),
        band: None,
        reference: None,
    }
}

/// Stage 0 peaks in the backward, stage 1, which has an instant more, at the optimizer's step.
fn toy() -> Report {
    let shards = |gib: f64, count: usize| ("shards", Category::Parameters, vec![gib; count]);
    let saved = ("saved-inputs", Category::Activations, vec![0.0, 30.0, 0.0]);
    let step = ("step-buffers", Category::Buffers, vec![0.0, 0.0, 0.0, 20.0]);
    let stages = vec![
        memory(0, &["first-gather", "layer-backward", "optimizer-step"], &[shards(24.0, 3), saved], 1),
        memory(1, &["first-gather", "loss", "layer-backward", "optimizer-step"], &[shards(18.0, 4), step], 3),
    ];
    let breakdown = Breakdown { memory_model: "toy", stages, peak: 0 };
    present(&breakdown, &[vec![2.0], vec![1.0]], Bytes::new(40.0 * GIB), Reading::Understood)
}

/// All elements of a tag, in the order in which they are read.
fn all<'a>(element: &'a Element, tag: &str, found: &mut Vec<&'a Element>) {
    if element.tag == tag {
        found.push(element);
    }
    for child in &element.children {
        if let Node::Element(child) = child {
            all(child, tag, found);
        }
    }
}

fn found<'a>(element: &'a Element, tag: &str) -> Vec<&'a Element> {
    let mut elements = Vec::new();
    all(element, tag, &mut elements);
    elements
}

fn text(element: &Element) -> String {
    element
        .children
        .iter()
        .map(|child| match child {
            Node::Text(text) => text.to_string(),
            Node::Element(child) => text(child),
        })
        .collect()
}

fn attribute(element: &Element, name: &str) -> String {
    let found = element.attributes.iter().find(|attribute| attribute.name == name);
    found.and_then(|attribute| attribute.value.as_ref()).map_or(String::new(), |value| value.text().into_owned())
}

fn texts(elements: &[&Element]) -> Vec<String> {
    elements.iter().map(|element| text(element)).collect()
}

#[test]
fn the_heat_map_has_a_column_for_every_instant_of_any_stage() {
    let map = heat_map(&toy(), LOOKS);
    let heads: Vec<String> = texts(&found(&map, "th"));
    assert_eq!(heads[..5], ["stage", "First gather", "Loss", "Layer backward", "Optimizer step"]);
    let cells = found(&map, "td");
    assert_eq!(
        texts(&cells),
        [
            "24.0",
            "– does not occur",
            "◆ 54.0 the peak of all",
            "24.0",
            "18.0",
            "18.0",
            "18.0",
            "◇ 38.0 the peak of this stage"
        ]
    );
    assert_eq!(attribute(cells[2], "--heat"), "100%");
    assert_eq!(attribute(cells[0], "--heat"), "44%");
    assert_eq!(attribute(cells[2], "data-instant"), "layer-backward");
    assert_eq!(attribute(cells[2], "data-bytes"), "57982058496");
}

#[test]
fn a_row_picks_its_stage_and_only_the_selected_one_is_a_stop() {
    for picture in [heat_map(&toy(), LOOKS), stage_table(&toy(), LOOKS)] {
        let buttons = found(&picture, "button");
        let said: Vec<[String; 3]> = buttons
            .iter()
            .map(|button| ["data-pick", "tabindex", "aria-label"].map(|name| attribute(button, name)))
            .collect();
        assert_eq!(said, [["0", "-1", "Stage 0"], ["1", "0", "Stage 1"]].map(|row| row.map(str::to_owned)));
    }
}

#[test]
fn all_stages_are_told_in_figures() {
    let table = stage_table(&toy(), LOOKS);
    let heads = texts(&found(&table, "th"));
    assert_eq!(heads[..7], ["stage", "Parameters", "Activations", "Buffers", "Peak", "to spare", "peak at"]);
    let cells = texts(&found(&table, "td"));
    assert_eq!(cells[..6], ["24.00", "30.00", "0.00", "54.00", "\u{2212}14.00", "Layer backward"]);
}

#[test]
fn both_languages_speak() {
    let map = heat_map(&toy(), Looks { language: Language::Chinese, ..LOOKS });
    assert_eq!(texts(&found(&map, "th"))[..3], ["阶段", "首次聚合", "损失计算"]);
    assert_eq!(texts(&found(&map, "caption")), ["各阶段各时刻"]);
}

fn run(model: &str, accelerator: &str, rest: &str) -> Ready {
    let text = format!(
        "model: {{pretrained_model_name_or_path: {model}}}\naccelerator: {{{accelerator}}}\n\
         training: {{micro_batch_size: 1, micro_batch_num: 8}}\n{rest}\ncontext: {{max_device_memory: 64GB}}\n"
    );
    match estimate(&Input::of(&text)) {
        Outcome::Ready(ready) => *ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

fn cells(element: &Element) -> Vec<&Element> {
    let mut cells = found(element, "span");
    cells.retain(|span| attribute(span, "class") == "layer-cell");
    cells
}

#[test]
fn the_layer_map_draws_every_layer_and_says_it() {
    let ready = run("deepseek-ai/DeepSeek-V3", "pp_size: 16, ep_size: 8", "activation_checkpoint: {mode: full}");
    let map = layer_map(&ready.placement, LOOKS);
    // The legend explains the three letters that occur.
    let layers = usize::try_from(ready.config.primary().layers + ready.config.primary().mtp_layers).expect("a count");
    assert_eq!(cells(&map).len(), 3 + layers + 2);
    let pictures: Vec<&Element> =
        found(&map, "span").into_iter().filter(|span| attribute(span, "role") == "img").collect();
    assert_eq!(pictures.len(), 16);
    assert_eq!(attribute(pictures[0], "aria-label"), "embedding, 4 layers, all recomputed");
    let numbers: Vec<&Element> =
        found(&map, "span").into_iter().filter(|span| attribute(span, "class") == "layer-numbers").collect();
    assert_eq!(text(numbers[1]), "layers 4 to 7");
    assert_eq!(attribute(cells(&map)[4], "title"), "0: layer, recomputed in full");
}

#[test]
fn chunks_have_their_own_lines_and_many_layers_share_cells() {
    let interleaved = run("Qwen/Qwen3-8B", "pp_size: 4, pp_interleave_num: 3", "");
    let map = layer_map(&interleaved.placement, LOOKS);
    let lines: Vec<&Element> =
        found(&map, "div").into_iter().filter(|line| attribute(line, "class") == "layer-chunk").collect();
    assert_eq!(lines.len(), 12);
    assert!(text(lines[4]).starts_with("chunk 1 · layers 15 to 17"), "{}", text(lines[4]));
    let one = run("meta-llama/Meta-Llama-3.1-405B", "pp_size: 1", "");
    assert_eq!(cells(&layer_map(&one.placement, LOOKS)).len(), 3 + 126 + 2);
}
