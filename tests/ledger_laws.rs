//! Laws of any memory model (asks, section 2), over random layouts, and live sets that were worked out by hand (ledger 5).

mod checks;

use checks::ledger_case::Case;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use shardmem::memory::ledger::slots::{Amounts, Slot, Tracked};
use shardmem::memory::ledger::{self, Moment, Walked};

/// A model's dimensions, as the measurements' cases write them.
fn model(name: &str) -> Value {
    match name {
        "qwen3-32b" => json!({"id": "Qwen/Qwen3-32B", "hidden": 5120, "ffn": 25600, "layers": 64, "heads": 64,
            "kv_heads": 8, "head_dim": 128, "vocab": 151_936}),
        "mixtral" => json!({"id": "mistralai/Mixtral-8x7B-v0.1", "hidden": 4096, "ffn": 14336, "layers": 32,
            "heads": 32, "kv_heads": 8, "head_dim": 128, "vocab": 32000, "experts": 8, "topk": 2, "moe_ffn": 14336}),
        _ => json!({"id": "meta-llama/Llama-3.1-8B", "hidden": 4096, "ffn": 14336, "layers": 32, "heads": 32,
            "kv_heads": 8, "head_dim": 128, "vocab": 128_256}),
    }
}

/// A layout, small enough to be changed in one place.
#[derive(Debug, Clone)]
struct Layout {
    model: &'static str,
    recompute: &'static str,
    shard: u64,
    replicate: u64,
    tensor: u64,
    pipeline: u64,
    chunks: u64,
    micro_batch: u64,
    micro_batches: u64,
    sequence: u64,
}

impl Layout {
    const fn of(model: &'static str, recompute: &'static str) -> Self {
        Self {
            model,
            recompute,
            shard: 8,
            replicate: 1,
            tensor: 1,
            pipeline: 1,
            chunks: 1,
            micro_batch: 1,
            micro_batches: 1,
            sequence: 4096,
        }
    }

    fn case(&self) -> Value {
        let float = json!({"param": "fp32", "compute": "bf16", "reduce": "fp32"});
        json!({
            "name": "law", "model": model(self.model), "seq": self.sequence, "micro_batch": self.micro_batch,
            "micro_batches": self.micro_batches, "recompute": self.recompute, "dtypes": float,
            "pp_virtual": self.chunks,
            "optimizer": {"implementation": "fused"}, "fsdp": {"wrap": "layers", "reshard_after_forward": true},
            "parallel": {"dp_shard": self.shard, "dp_replicate": self.replicate, "tp": self.tensor,
                "sp": self.tensor > 1, "loss_parallel": self.tensor > 1, "cp": 1, "pp": self.pipeline, "ep": 1},
        })
    }

    fn walked(&self) -> Vec<Walked> {
        let case = Case::of(&self.case()).expect("read");
        ledger::walk(case.inputs(), case.policies).expect("walked")
    }

    fn peaks(&self) -> Vec<f64> {
        self.walked().iter().map(|walked| walked.peak_point().total).collect()
    }

    /// States of a rank: what is there at the first instant.
    fn states(&self) -> f64 {
        let first = self.walked()[0].worst[0].1.live;
        first.tracked(Tracked::ShardedParam) + first.tracked(Tracked::OptState)
    }
}

fn layouts() -> impl Strategy<Value = Layout> {
    let models = prop::sample::select(vec!["llama", "mixtral", "qwen3-32b"]);
    let modes = prop::sample::select(vec!["none", "full", "selective_op_every_2nd_mm", "selective_op"]);
    let shard = prop::sample::select(vec![2_u64, 4, 8, 16]);
    let tensor = prop::sample::select(vec![1_u64, 2, 4]);
    let counts = (1_u64..3, 1_u64..4, prop::sample::select(vec![1024_u64, 4096, 8192]));
    (models, modes, shard, tensor, counts).prop_map(|(model, recompute, shard, tensor, (batch, batches, sequence))| {
        Layout { shard, tensor, micro_batch: batch, micro_batches: batches, sequence, ..Layout::of(model, recompute) }
    })
}

/// Runs a law on the same sample of layouts every time.
fn law(check: impl Fn(&Layout)) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new_with_rng(config, rng).run(&layouts(), |layout| {
        check(&layout);
        Ok(())
    });
    run.expect("the law holds");
}

fn equal(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(b.abs()), "{a} and {b} differ");
}

/// Laws 1 and 13: items sum to the total at every instant; none is negative or no number.
#[test]
fn totals_are_sums_of_items() {
    law(|layout| {
        for walked in layout.walked() {
            for (_, worst) in &walked.worst {
                equal(worst.total, worst.live.total());
                assert!(Slot::ALL.iter().all(|slot| worst.live[*slot] > -0.5), "{worst:?}");
            }
        }
    });
}

/// Laws 3 and 4: the shard halves states, up to rounding up; replicas change none.
#[test]
fn shards_halve_states_and_replicas_change_none() {
    law(|layout| {
        let twice = Layout { shard: 2 * layout.shard, ..layout.clone() };
        let ratio = layout.states() / twice.states();
        assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
        let replicated = Layout { replicate: 2, ..layout.clone() };
        equal(layout.states(), replicated.states());
        // fp32 storage and reduction: nothing is held for replicas either.
        equal(layout.peaks()[0], replicated.peaks()[0]);
    });
}

/// Law 6: every token term doubles with the micro batch, and no weight term. The rotary tables follow the sequence alone.
#[test]
fn the_micro_batch_doubles_token_terms() {
    law(|layout| {
        let saved = |layout: &Layout| layout.walked()[0].saved_end_of_forward - 512.0 * layout.sequence as f64;
        let twice = Layout { micro_batch: 2 * layout.micro_batch, ..layout.clone() };
        equal(2.0 * saved(layout), saved(&twice));
        equal(layout.states(), twice.states());
    });
}

/// Law 7: recompute never keeps more.
#[test]
fn recompute_keeps_no_more() {
    law(|layout| {
        let kept = |recompute| Layout { recompute, ..layout.clone() }.walked()[0].saved_after_loss;
        let (none, full) = (kept("none"), kept("full"));
        let (second, every) = (kept("selective_op_every_2nd_mm"), kept("selective_op"));
        assert!(full <= second && second <= every && every <= none, "{full} {second} {every} {none}");
    });
}

/// Law 9, and TC17: with as many micro-batches as stages a stage's forwards in flight no longer grow. What the last stage
/// keeps of finished losses does: one received input each (ledger 5b).
#[test]
fn more_micro_batches_than_stages_change_no_stage_but_the_last() {
    for (model, recompute) in [("llama", "none"), ("llama", "full"), ("mixtral", "full")] {
        let layout = |micro_batches| Layout { pipeline: 4, micro_batches, ..Layout::of(model, recompute) };
        let inputs = |micro_batches: f64| 16.0 * 4096.0 * micro_batches;
        let (eight, more) = (layout(8).peaks(), layout(64).peaks());
        for stage in 0..3 {
            equal(eight[stage] - inputs(8.0), more[stage] - inputs(64.0));
        }
        assert!(more[3] >= eight[3]);
    }
}

/// Law 8: without a pipeline chunks and split mean nothing.
#[test]
fn micro_batches_beyond_the_second_change_nothing_without_a_pipeline() {
    let peak = |micro_batches| {
        let peaks = Layout { micro_batches, ..Layout::of("llama", "full") }.peaks();
        peaks[0] - 16.0 * 4096.0 * micro_batches as f64
    };
    equal(peak(2), peak(64));
}

/// Law 10 says that chunks never lower rank 0's peak below 1F1B's. It holds for what is kept in flight (TC18), not for
/// peaks: under full recompute an interleaved rank gathers at most three of its stages, and reduces each once it is done,
/// while a 1F1B stage keeps all its weights and whole gradients to the end of the step.
#[test]
fn chunks_may_lower_a_peak() {
    let layout = |chunks| Layout { pipeline: 2, chunks, micro_batches: 4, ..Layout::of("llama", "full") };
    let (one, four) = (layout(1).peaks()[0], layout(4).peaks()[0]);
    let kept = |chunks| Layout { recompute: "none", ..layout(chunks) }.walked()[0].peak_point().live;
    let activations = |live: &Amounts| live.tracked(Tracked::Activation);
    assert!(activations(&kept(4)) > activations(&kept(1)));
    assert!(four < one, "1F1B {one}, interleaved {four}");
}

fn at(walked: &Walked, moment: Moment) -> (f64, Amounts, Option<u32>) {
    let found = walked.worst.iter().find(|(at, _)| *at == moment).expect("it comes");
    (found.1.total, found.1.live, found.1.layer)
}

#[test]
fn mixtral_peaks_at_gate_ups_backward() {
    let walked = Layout { shard: 64, ..Layout::of("mixtral", "full") }.walked().swap_remove(0);
    let (total, live, layer) = at(&walked, Moment::LayerBackward);
    assert_eq!((total, layer), (27_756_822_272.0, Some(1)));
    assert_eq!(live[Slot::OptimizerStates], 5_838_766_592.0);
    assert_eq!(live.tracked(Tracked::ShardedParam), 2_919_383_296.0);
    assert_eq!(live[Slot::Gradients], 2_721_561_600.0);
    assert_eq!(live[Slot::ReduceInput], 5_805_998_080.0);
    assert_eq!(live[Slot::Gathered], 2_902_999_040.0 + 524_296_192.0);
    assert_eq!(live[Slot::AllGather], 2_902_999_040.0);
    assert_eq!(live[Slot::LayerGradients], 1_879_048_192.0 + 939_524_096.0);
}

#[test]
fn qwen3_32b_peaks_at_the_products_backward() {
    let walked = Layout { shard: 64, ..Layout::of("qwen3-32b", "full") }.walked().swap_remove(0);
    let (total, live, layer) = at(&walked, Moment::LayerBackward);
    assert_eq!((total, layer), (19_663_899_216.0, Some(62)));
    assert_eq!(live[Slot::OptimizerStates], 4_095_265_408.0);
    assert_eq!(live[Slot::Gradients], 30_474_896.0);
    assert_eq!(live[Slot::ReduceInput], 1_950_393_344.0);
    assert_eq!(live[Slot::Gathered], 975_196_672.0 + 3_111_659_520.0);
    assert_eq!(live[Slot::AllGather], 975_196_672.0);
    assert_eq!(live[Slot::LayerGradients], 262_144_000.0);
    assert_eq!(live[Slot::Backward], 209_715_200.0 + 419_430_400.0 + 41_943_040.0);
}

#[test]
fn llama_under_tensor_parallelism_peaks_at_the_cut() {
    let walked = Layout { tensor: 8, ..Layout::of("llama", "full") }.walked().swap_remove(0);
    let (total, live, _) = at(&walked, Moment::EmbeddingCut);
    assert_eq!(walked.peak_point().total, total);
    assert_eq!(total, 3_627_538_432.0);
    assert_eq!(live[Slot::OptimizerStates], 1_004_015_616.0);
    assert_eq!(live[Slot::Gradients], 436_338_688.0);
    assert_eq!(live[Slot::Gathered], 262_676_480.0);
    assert_eq!(live[Slot::ReduceInput], 109_084_672.0);
    let norm = 8192.0;
    assert_eq!(live[Slot::TableGradients], 1_050_673_152.0 + 131_334_144.0 + 131_334_144.0 + norm);
}

/// TC15: in a layer's forward two units are whole at once, each as flat buffer and as weights; without resharding all stay.
#[test]
fn gathers_hold_two_units() {
    let walked = Layout::of("llama", "full").walked().swap_remove(0);
    let (_, live, _) = at(&walked, Moment::ForwardLayer);
    assert_eq!(live[Slot::Gathered] - 2_101_354_496.0 + live[Slot::AllGather], 872_448_000.0);
}

/// TC22: bf16 logits and their fp32 softmax.
#[test]
fn logits_are_priced_whole_and_over_tensor_parallelism() {
    let logits = |tensor| {
        let walked = Layout { tensor, sequence: 8192, ..Layout::of("llama", "full") }.walked().swap_remove(0);
        walked.saved_after_loss - walked.saved_end_of_forward
    };
    // After the loss 4 bytes a logit instead of 2.
    assert_eq!(logits(1), 2.0 * 128_256.0 * 8192.0);
    assert_eq!(logits(8), 2.0 * 128_256.0 * 8192.0 / 8.0);
}

/// Rounds of an interleaved schedule that are left out leave behind what walked ones do.
#[test]
fn interleaved_rounds_that_are_left_out_are_counted() {
    let peak = |micro_batches| {
        let layout = Layout { pipeline: 2, chunks: 2, micro_batches, ..Layout::of("llama", "full") };
        let inputs = 16.0 * 4096.0 * micro_batches as f64;
        layout.peaks().into_iter().map(|peak| peak - inputs).collect::<Vec<_>>()
    };
    let (walked, one_more, many) = (peak(8), peak(12), peak(28));
    for rank in 0..2 {
        let round = (one_more[rank] - walked[rank]) / 4.0;
        assert!(round >= 0.0);
        equal(many[rank], walked[rank] + 20.0 * round);
    }
}
