//! Which layers run on which stage, as the page draws it: the same letters and numbers as the placement's.

use shardmem::estimate::{Input, Outcome, Ready, estimate};
use shardmem::report::layers::{ChunkLayers, StageLayers, layers};

fn run(model: &str, accelerator: &str, training: &str) -> Ready {
    let text = format!(
        "model: {{pretrained_model_name_or_path: {model}}}\naccelerator: {{{accelerator}}}\n\
         training: {{micro_batch_size: 1, micro_batch_num: 8}}\n{training}\ncontext: {{max_device_memory: 64GB}}\n"
    );
    match estimate(&Input::of(&text)) {
        Outcome::Ready(ready) => *ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

fn chunks(stages: &[StageLayers]) -> impl Iterator<Item = &ChunkLayers> {
    stages.iter().flat_map(|stage| &stage.chunks)
}

/// Every layer once, in the letters of the report.
fn check(ready: &Ready) -> Vec<StageLayers> {
    let stages = layers(&ready.placement);
    assert_eq!(stages.len(), ready.report.stages.len());
    let mut numbers = Vec::new();
    for (stage, shown) in stages.iter().zip(&ready.report.stages) {
        let letters: String = stage.chunks.iter().map(ChunkLayers::letters).collect();
        assert_eq!(letters, shown.layers);
        let in_flight: Vec<f64> = stage.chunks.iter().map(|chunk| chunk.in_flight).collect();
        assert_eq!(in_flight, shown.in_flight);
        for span in stage.chunks.iter().flat_map(|chunk| &chunk.spans) {
            numbers.extend(
                span.order.into_iter().flat_map(|order| (0..i64::from(span.count)).map(move |at| order.layer(at))),
            );
        }
    }
    numbers.sort_unstable();
    let layers = ready.config.primary().layers + ready.config.primary().mtp_layers;
    assert_eq!(numbers, (0..layers).collect::<Vec<_>>());
    stages
}

#[test]
fn stages_hold_the_layers_in_model_order() {
    let ready = run("Qwen/Qwen3-8B", "pp_size: 4", "");
    let stages = check(&ready);
    let bounds: Vec<_> = chunks(&stages).map(ChunkLayers::bounds).collect();
    assert_eq!(bounds, [Some((0, 8)), Some((9, 17)), Some((18, 26)), Some((27, 35))]);
}

#[test]
fn chunks_of_an_interleaved_stage_lie_apart() {
    let ready = run("Qwen/Qwen3-8B", "pp_size: 4, pp_interleave_num: 3", "");
    let stages = check(&ready);
    let bounds: Vec<_> = stages[1].chunks.iter().map(ChunkLayers::bounds).collect();
    assert_eq!(bounds, [Some((3, 5)), Some((15, 17)), Some((27, 29))]);
}

#[test]
fn a_v_runs_back_over_the_stages() {
    let ready = run("Qwen/Qwen3-8B", "pp_size: 3, pp_interleave_num: 2, pipeline_scheduler: zero_bubble_v", "");
    let stages = check(&ready);
    let bounds = |stage: usize| stages[stage].chunks.iter().map(ChunkLayers::bounds).collect::<Vec<_>>();
    assert_eq!(bounds(0)[0].map(|(low, _)| low), Some(0));
    assert_eq!(bounds(0)[1].map(|(_, high)| high), Some(35));
}

#[test]
fn many_layers_on_one_stage_and_few_on_many_are_both_told() {
    check(&run("meta-llama/Meta-Llama-3.1-405B", "pp_size: 1", ""));
    check(&run("deepseek-ai/DeepSeek-V3", "pp_size: 16, ep_size: 8", "activation_checkpoint: {mode: full}"));
    check(&run("deepseek-ai/DeepSeek-V3", "pp_size: 61", ""));
}
