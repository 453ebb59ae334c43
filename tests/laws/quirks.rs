//! Where the reference breaks a law: each quirk by itself, with the reason and its section of memory-core. A quirk that goes
//! fails here, and its law in `main` can be said without the exception.

use crate::runs::{Layout, category, item};
use shardmem::memory::{Category, StageMemory};
use shardmem::model::catalogue;
use shardmem::model::tensors::tensors;

const DENSE: Layout = Layout::plain("meta-llama/Llama-3.1-8B");
const EXPERTS: Layout = Layout::plain("Qwen/Qwen3-30B-A3B");
const SHARED_EXPERTS: Layout = Layout::plain("Qwen/Qwen1.5-MoE-A2.7B");

fn stages(layout: &Layout) -> Vec<StageMemory> {
    layout.priced().breakdown.stages
}

fn first(layout: &Layout) -> StageMemory {
    stages(layout).swap_remove(0)
}

/// Law 1. The categories that the reference prints leave out recomputed inputs, tables and the reserve (section 12), so
/// they do not add up to its own dynamic figure. Our items do.
#[test]
fn law_1_printed_categories_do_not_add_up() {
    let stage = first(&Layout { recompute: "full", shard: 8, ..DENSE });
    let printed = stage.reference.expect("the reference's figures").printed;
    let of = |wanted: &str| printed.iter().find(|(name, _)| *name == wanted).map_or(0.0, |(_, mib)| *mib);
    let parts: f64 = ["Attn", "FFn", "Norm", "AllGather Comm", "All2All Comm"].map(of).iter().sum();
    assert!(parts > 0.0 && parts < of("Dynamic") - 1024.0, "{printed:?}");
}

/// Law 2. The output layer is counted with a bias that no such model has, one parameter for each entry of the vocabulary,
/// and without the norm before it (section 5).
#[test]
fn law_2_the_output_has_a_bias_and_no_norm() {
    let counted = category(&first(&DENSE), Category::Parameters, 0) / 2.0;
    let model = catalogue::spec(DENSE.model).as_ref().and_then(tensors).expect("its tensors");
    let (vocabulary, hidden) = (128_256.0, 4096.0);
    assert_eq!(counted - model.count().total as f64, vocabulary - hidden);
}

/// Law 3. A shard of 1 is no optimizer sharding at all: nothing is gathered, and nothing is reduced whole (section 14). So the
/// first step brings buffers and gradients in flight.
#[test]
fn law_3_the_first_shard_brings_buffers() {
    let (one, two) = (first(&Layout { replicate: 2, ..DENSE }), first(&Layout { shard: 2, ..DENSE }));
    for appears in ["buffers-table-gathers", "gradients-whole-layers", "gradients-whole-output"] {
        let at = usize::from(appears.starts_with("gradients"));
        assert_eq!(item(&one, appears, at), 0.0, "{appears}");
        assert!(item(&two, appears, at) > 0.0, "{appears}");
    }
}

/// Law 3. Shared experts are divided by the greatest common divisor of experts and shard (config-spec 10.3): with 60
/// experts a shard of 8 divides them by 4 alone.
#[test]
fn law_3_shared_experts_are_sharded_by_a_common_divisor() {
    let shared = |shard: i64| item(&first(&Layout { shard, ..SHARED_EXPERTS }), "parameters-shared-experts", 0);
    assert_eq!(shared(2) / shared(4), 2.0);
    assert_eq!(shared(4) / shared(8), 1.0);
}

/// Laws 5 and 6. The TP buffer of an expert layer is of the size of its weights, all experts of the rank included (section
/// 7.6): it falls with EP, which has nothing to do with TP, and does not grow with the tokens that TP gathers.
#[test]
fn law_5_and_6_the_tp_buffer_of_an_expert_layer_is_its_weights() {
    let layout = Layout { tp: 2, shard: 16, ep: 2, ..EXPERTS };
    let buffer = |layout: &Layout| item(&first(layout), "buffers-tensor-parallel", 0);
    assert!(buffer(&Layout { ep: 4, ..layout.clone() }) < buffer(&layout));
    assert_eq!(buffer(&Layout { micro_batch: 2, ..layout.clone() }), buffer(&layout));
}

/// Law 7. The input that a recomputed layer keeps is divided neither by CP nor, in most families, by TP (section 7.2); what
/// it would keep otherwise is. So with many ranks full recompute keeps more than selective does.
#[test]
fn law_7_a_recomputed_input_is_not_sharded() {
    let kept = |recompute, cp| {
        let layout = Layout { recompute, cp, shard: 8, ..DENSE };
        item(&first(&layout), "activations-recompute-inputs", 0)
    };
    assert_eq!(kept("full", 1), kept("full", 16));
    let all = |recompute| category(&first(&Layout { recompute, cp: 32, shard: 8, ..DENSE }), Category::Activations, 0);
    assert!(all("full") > all("selective"));
}

/// Law 8. `gpipe` has no backward overhead (section 10.1), so even a single stage needs less under it.
#[test]
fn law_8_gpipe_has_no_working_set() {
    let working = |schedule| category(&first(&Layout { schedule, ..DENSE }), Category::BackwardWorkingSet, 0);
    assert!(working("1f1b") > 0.0);
    assert_eq!(working("gpipe"), 0.0);
}

/// Law 8. `zero_bubble_v` takes all nodes of a chunk at once for its overhead (section 10.1), so even a single stage needs
/// more under it.
#[test]
fn law_8_zero_bubble_v_works_on_a_whole_chunk() {
    let peak = |schedule| first(&Layout { schedule, chunks: 2, ..DENSE }).peak_bytes();
    assert!(peak("zero_bubble_v") > peak("1f1b"));
}

/// Law 8. On a single stage the first of several chunks holds `B + x - 1` = 0 micro-batches (section 9). Activations take
/// at least one, buffers do not: cut into chunks, the stage loses the expert buffers of its first chunk.
#[test]
fn law_8_the_first_chunk_of_a_single_stage_has_no_expert_buffers() {
    let buffers = |chunks| item(&first(&Layout { chunks, ep: 8, shard: 8, ..EXPERTS }), "buffers-expert-parallel", 0);
    assert_eq!(buffers(2) * 2.0, buffers(1));
}

/// Law 9. A single micro-batch has nothing to add up, so the second set of gradients at the end of the backward is there from
/// the second on, also where one stage holds one micro-batch at a time (section 10.2).
#[test]
fn law_9_the_second_micro_batch_brings_the_held_gradients() {
    let held = |micro_batches| item(&first(&Layout { micro_batches, shard: 8, ..DENSE }), "gradients-held", 1);
    assert_eq!(held(1), 0.0);
    assert!(held(2) > 0.0);
}

/// Law 10. With fewer micro-batches than two the first chunk's factor is 0 (section 9), so that chunks do lower the first
/// stage's peak: by the expert buffers of that chunk.
#[test]
fn law_10_with_one_micro_batch_chunks_lower_the_peak() {
    let layout = Layout { pp: 2, ep: 8, shard: 8, micro_batches: 1, ..EXPERTS };
    let peak = |chunks| first(&Layout { chunks, ..layout.clone() }).peak_bytes();
    assert!(peak(2) < peak(1));
}

/// Law 10. The backward end takes the first two layers of the first chunk (section 10.2). A chunk of one layer has but one
/// whole gradient on its way, so that chunks do lower the first stage's peak where that end decides.
#[test]
fn law_10_a_chunk_of_one_layer_ends_its_backward_with_one_gradient() {
    let layout = Layout { pp: 8, cp: 2, shard: 2, sequence: 512, micro_batches: 8, reshard: false, ..DENSE };
    let whole = |chunks| {
        let stage = first(&Layout { chunks, ..layout.clone() });
        (item(&stage, "gradients-whole-layers", 1), stage.peak_bytes())
    };
    let ((two_layers, peak), (one_layer, lower)) = (whole(1), whole(4));
    assert_eq!(two_layers, 2.0 * one_layer);
    assert!(lower < peak);
}

/// Law 13. With fewer micro-batches than stages the late stages hold `B - i` below zero of them (section 9). Activations
/// take at least one, expert buffers do not, and fall below zero.
#[test]
fn law_13_late_stages_have_negative_buffers() {
    let layout = Layout { pp: 4, ep: 8, shard: 8, micro_batches: 1, ..EXPERTS };
    let buffers: Vec<f64> = stages(&layout).iter().map(|stage| item(stage, "buffers-expert-parallel", 0)).collect();
    assert!(buffers[0] > 0.0 && buffers[1] == 0.0 && buffers[3] < buffers[2] && buffers[2] < 0.0, "{buffers:?}");
    let codes: Vec<&str> = layout.priced().findings.iter().map(|found| found.diagnostic.code.name()).collect();
    assert!(codes.contains(&"reference_negative_buffer"), "{codes:?}");
}
