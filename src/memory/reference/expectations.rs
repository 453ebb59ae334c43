//! The numbers that the reference's own unit tests state (spec/reference-expectations.md, by their ids).

use super::activations::{self, Point, Purpose, Slots};
use super::buffers::{self, Gathers};
use super::cases::{ContextAlgorithm, DataLevel};
use super::fields::Layer;
use super::held::{self, Resource};
use super::parameters::{self, Parameters};
use super::policies::Policies;
use super::printed;
use crate::config::{Config, Primary, Strictness, Switches};
use crate::model::{Census, Family};

/// A dense layer of one rank with nothing in it: every divisor 1, every count and width 0.
fn bare() -> Layer<f64> {
    let primary = Primary {
        hidden: 64,
        layers: 1,
        heads: 1,
        kv_heads: 1,
        head_width: 64.0,
        sequence: 1,
        expert_feed_forward: 1,
        ..Primary::default()
    };
    let config = Config::new(primary, Strictness::Strict).expect("derived").value;
    let kind = &Family::Default.kinds()[0];
    let mut bare = Layer::numbers(&config, kind, None, Policies::default());
    let n = &mut bare.n;
    for count in [
        &mut n.attention_matmul,
        &mut n.attention_batched_matmul,
        &mut n.feed_forward_matmul,
        &mut n.softmax,
        &mut n.norm,
        &mut n.gather,
    ] {
        *count = 0.0;
    }
    (n.param_width, n.optimizer_width, n.table_optimizer_width, n.grad_width) = (2.0, 24.0, 8.0, 2.0);
    bare.cases.even_matmuls = true;
    bare
}

fn at(in_flight: f64, sequence: f64) -> Point<f64> {
    Point { in_flight: in_flight.max(1.0), raw: in_flight, sequence }
}

fn triple(dense: f64, routed: f64, shared: f64) -> Parameters<f64> {
    Parameters { attention: dense, norms: 0.0, feed_forward: 0.0, router: 0.0, routed, shared }
}

#[track_caller]
fn is(got: f64, expected: f64) {
    assert!((got - expected).abs() <= 1e-12 * expected.abs(), "expected {expected}, got {got}");
}

/// Shards of parameters, then of gradients: non-expert, routed, shared.
fn sharded(params: [f64; 3], grads: [f64; 3]) -> Layer<f64> {
    let mut l = bare();
    [l.n.param_shard, l.n.routed_shard, l.n.shared_shard] = params;
    [l.n.grad_shard, l.n.routed_grad_shard, l.n.shared_grad_shard] = grads;
    l
}

#[test]
fn p01_to_g04_static_memory_of_layers() {
    let dense = sharded([2.0, 1.0, 1.0], [2.0, 1.0, 1.0]);
    let held = |l: &Layer<f64>, sizes, resource| held::layer(l, &sizes, resource);
    is(held(&dense, triple(350.0, 0.0, 0.0), Resource::Parameters), 350.0);
    is(held(&dense, triple(350.0, 0.0, 0.0), Resource::OptimizerStates), 4200.0);
    is(held(&dense, triple(350.0, 0.0, 0.0), Resource::Gradients), 350.0);
    let mut experts = sharded([2.0, 2.0, 4.0], [2.0, 2.0, 4.0]);
    experts.n.expert = 4.0;
    let sizes = triple(150.0, 400.0, 200.0);
    is(held(&experts, sizes, Resource::Parameters), 350.0);
    is(held(&experts, sizes, Resource::OptimizerStates), 4200.0);
    is(held(&experts, sizes, Resource::Gradients), 350.0);
    is(held(&sharded([1.0; 3], [1.0; 3]), sizes, Resource::Parameters), 1500.0);
    let mut less = sharded([2.0, 2.0, 4.0], [1.0, 1.0, 2.0]);
    less.n.expert = 4.0;
    is(held(&less, sizes, Resource::Gradients), 700.0);
    let mut reduced = sharded([4.0, 1.0, 4.0], [4.0, 1.0, 4.0]);
    reduced.n.expert = 4.0;
    let reduction = held::layer_reduction(&reduced, &sizes);
    is(reduction.whole, 700.0);
    is(reduction.sharded, 175.0);
}

#[test]
fn n02b_a_router_counts_with_the_dense_part() {
    let mut sizes = triple(100.0, 300.0, 100.0);
    (sizes.norms, sizes.router) = (50.0, 4096.0 * 8.0);
    is(sizes.dense(), 32_918.0);
}

#[test]
fn r01_to_s02_expert_parameters() {
    let experts = |count: f64, hidden: f64, width: f64, etp: f64| {
        let mut l = bare();
        l.cases.experts = true;
        l.n.feed_forward_matmul = 1.0;
        (l.n.experts, l.n.hidden, l.n.expert_feed_forward, l.n.expert_width_shard) = (count, hidden, width, etp);
        (l.n.shared_experts, l.n.feed_forward) = (1.0, 18_432.0);
        parameters::parameters(&l)
    };
    is(experts(8.0, 4096.0, 2048.0, 1.0).routed, 67_125_248.0);
    is(experts(256.0, 7168.0, 2048.0, 4.0).routed, 939_655_168.0);
    is(experts(8.0, 7168.0, 2048.0, 1.0).shared, 14_682_112.0);
    is(experts(8.0, 4096.0, 14_336.0, 4.0).shared, 58_734_592.0);
}

#[test]
fn f01_f02_a_recomputed_layer_keeps_its_input() {
    let mut l = bare();
    (l.n.compute_width, l.n.batch, l.n.hidden) = (2.0, 4.0, 4096.0);
    is(activations::recomputed_layer(&l, at(3.0, 1024.0)), 100_663_296.0);
    l.n.input_shard = 2.0;
    is(activations::recomputed_layer(&l, at(3.0, 1024.0)), 50_331_648.0);
}

fn measured(census: Census, change: impl Fn(&mut Layer<f64>), selective: Option<Switches>, purpose: Purpose) -> f64 {
    let mut l = bare();
    l.cases.census = Some(census);
    (l.n.batch, l.n.tensor, l.n.sequence_shards, l.n.compute_width) = (2.0, 2.0, 2.0, 2.0);
    (l.n.kv_heads, l.n.head_width) = (2.0, 64.0);
    change(&mut l);
    activations::layer(&l, selective, at(3.0, 4096.0), purpose).total()
}

#[test]
fn a_census_stands_in_the_place_of_the_slots() {
    let record = Census { saved: 100.0, saved_tensor: 300.0, working: 150.0, working_tensor: 330.0, selective: None };
    let kept = Purpose::BetweenPasses;
    is(measured(record, |_| {}, None, kept), 4_915_200.0);
    is(measured(record, |l| l.n.sequence_shards = 1.0, None, kept), 6_144_000.0);
    is(measured(record, |l| l.n.context = 2.0, None, kept), 2_457_600.0);
    is(measured(record, |_| {}, None, Purpose::WorkingRecomputed), 5_898_240.0);
    is(measured(record, |_| {}, None, Purpose::WorkingKept), 983_040.0);
    let small = Census { working: 50.0, working_tensor: 100.0, ..record };
    is(measured(small, |_| {}, None, Purpose::WorkingKept), 0.0);
    let ring = |l: &mut Layer<f64>| (l.n.context, l.cases.gathers_kv) = (2.0, true);
    is(measured(record, ring, None, kept), 5_603_328.0);
    let selective = Census { selective: Some((20.0, 60.0)), ..record };
    is(measured(selective, |_| {}, Some(Switches::HYPER_SELECTIVE), kept), 983_040.0);
    is(measured(selective, |_| {}, Some(Switches::HYPER_SELECTIVE), Purpose::WorkingKept), 4_915_200.0);
    is(measured(selective, ring, Some(Switches::HYPER_SELECTIVE), kept), 491_520.0);
}

#[test]
fn a_census_does_not_cover_other_switches() {
    let record =
        Census { saved: 1.0, saved_tensor: 1.0, working: 1.0, working_tensor: 1.0, selective: Some((1.0, 1.0)) };
    let mut l = bare();
    l.cases.census = Some(record);
    let other = Switches { attention_up: false, ..Switches::HYPER_SELECTIVE };
    is(activations::layer(&l, Some(other), at(1.0, 1.0), Purpose::BetweenPasses).measured, 0.0);
}

#[test]
fn scores_follow_the_softmax_switch_in_a_selective_layer_only() {
    let mut l = bare();
    (l.n.flash_sequence, l.n.heads, l.n.softmax) = (4.0, 2.0, 1.0);
    (l.n.softmax_width, l.n.dropout_width, l.n.compute_width) = (4.0, 1.0, 2.0);
    let score = |selective| activations::layer(&l, selective, at(1.0, 4.0), Purpose::BetweenPasses).score;
    is(score(None), 224.0);
    let off = Switches { softmax: false, ..Switches::ALL_KEPT };
    is(score(Some(Switches::ALL_KEPT)) - score(Some(off)), 128.0);
}

#[test]
fn qkv_is_divided_by_context_parallelism_but_for_gathered_keys_and_values() {
    let qkv = |context: f64, kv_shards: f64| {
        let mut l = bare();
        (l.n.hidden, l.n.heads, l.n.kv_heads, l.n.head_width) = (128.0, 4.0, 2.0, 32.0);
        (l.n.attention_matmul, l.n.attention_batched_matmul, l.n.compute_width) = (4.0, 2.0, 2.0);
        (l.n.context, l.n.kv_shards) = (context, kv_shards);
        activations::layer(&l, None, at(1.0, 64.0), Purpose::BetweenPasses).qkv
    };
    is(qkv(1.0, 1.0), 40_960.0);
    is(qkv(4.0, 1.0), 22_528.0);
    is(qkv(4.0, 4.0), 10_240.0);
}

#[test]
fn qk_norms_cost_parameters_and_activations() {
    let layer = |norms: f64, keeps: Option<Switches>| {
        let mut l = bare();
        (l.n.hidden, l.n.heads, l.n.kv_heads, l.n.head_width, l.n.norm) = (64.0, 4.0, 2.0, 32.0, 2.0);
        (l.n.norm_width, l.n.qk_norms) = (4.0, norms);
        let kept: Slots<f64> = activations::layer(&l, keeps, at(1.0, 8.0), Purpose::BetweenPasses);
        (parameters::parameters(&l).norms, kept.norm)
    };
    is(layer(1.0, None).0 - layer(0.0, None).0, 64.0);
    is(layer(1.0, None).1 - layer(0.0, None).1, 6144.0);
    is(layer(1.0, Some(Switches::HYPER_SELECTIVE)).1, 0.0);
}

#[test]
fn output_and_mtp_activations() {
    let mut l = bare();
    (l.n.hidden, l.n.vocabulary, l.n.norm_width, l.n.compute_width) = (1024.0, 32_000.0, 4.0, 2.0);
    let kept = Purpose::BetweenPasses;
    is(activations::output(&l, at(2.0, 4096.0), kept), 557_842_432.0);
    l.n.mtp = 1.0;
    let embedding = activations::embedding(&l, at(2.0, 4096.0));
    is(activations::mtp(&l, at(2.0, 4096.0), kept) - embedding, 50_331_648.0 + 557_842_432.0);
    l.n.context = 4.0;
    is(activations::output(&l, at(2.0, 4096.0), kept), 139_460_608.0);
}

#[test]
fn latent_attention_parameters() {
    let attention = |query_latent: f64, nope: f64| {
        let mut l = bare();
        (l.n.hidden, l.n.heads, l.n.kv_heads, l.n.head_width) = (7168.0, 128.0, 128.0, 128.0);
        (l.n.rotary, l.n.query_latent, l.n.kv_latent, l.n.nope_width) = (64.0, query_latent, 512.0, nope);
        (l.cases.latent, l.cases.query_latent, l.n.attention_matmul) = (true, query_latent > 0.0, 4.0);
        parameters::parameters(&l).attention
    };
    is(attention(1536.0, 128.0), 187_107_328.0);
    is(attention(0.0, 128.0), 314_507_776.0);
    is(attention(1536.0, 192.0), 203_884_544.0);
}

#[test]
fn the_embedding_is_held_unless_the_output_holds_it() {
    let held = |tied: bool, pipelined: bool| {
        let mut l = bare();
        (l.n.vocabulary, l.n.embedding_shard) = (1000.0, 4.0);
        (l.cases.tied, l.cases.pipelined) = (tied, pipelined);
        [Resource::Parameters, Resource::Gradients, Resource::OptimizerStates].map(|part| held::embedding(&l, part))
    };
    assert_eq!(held(true, false), [0.0; 3]);
    for (tied, pipelined) in [(true, true), (false, false), (false, true)] {
        assert_eq!(held(tied, pipelined), [32_000.0, 32_000.0, 128_000.0]);
    }
    let mut l = bare();
    (l.n.batch, l.n.tensor, l.n.tensor_on) = (2.0, 4.0, 1.0);
    is(buffers::embedding(&l, at(1.0, 8.0), Gathers::BetweenPasses).tensor, 768.0);
}

/// Of the buffers' table: s 1024, b 4, h 4096, hff 14336, bytes 2, 8 experts, 2 chosen, ep 4.
fn buffering() -> Layer<f64> {
    let mut l = bare();
    (l.n.batch, l.n.hidden, l.n.feed_forward, l.n.compute_width) = (4.0, 4096.0, 14_336.0, 2.0);
    (l.n.gather, l.n.attention_matmul, l.n.feed_forward_matmul) = (2.0, 2.0, 1.0);
    (l.n.experts, l.n.chosen_experts, l.n.expert, l.n.expert_on) = (8.0, 2.0, 4.0, 1.0);
    (l.cases.dispatches, l.cases.data_level, l.cases.expert_data_level) = (true, DataLevel::Off, DataLevel::Off);
    l
}

#[test]
fn d01_to_d05_data_parallel_buffers() {
    let mut l = buffering();
    l.n.tensor = 2.0;
    l.cases.data_level = DataLevel::Optimizer;
    is(buffers::whole_layer_data(&l, &triple(150.0, 0.0, 0.0)), 150.0);
    l.cases.data_level = DataLevel::Gradients;
    is(buffers::whole_layer_data(&l, &triple(150.0, 0.0, 0.0)), 75.0);
    let mut l = buffering();
    l.cases.expert_data_level = DataLevel::Optimizer;
    is(buffers::whole_layer_data(&l, &triple(150.0, 400.0, 200.0)), 300.0);
    is(buffers::whole_layer_data(&l, &triple(150.0, 0.0, 0.0)), 0.0);
    l.cases.expert_data_level = DataLevel::Gradients;
    is(buffers::whole_layer_data(&l, &triple(150.0, 400.0, 200.0)), 150.0);
}

fn expert_buffer(raw: f64, sequence: f64, change: impl Fn(&mut Layer<f64>)) -> f64 {
    let mut l = buffering();
    change(&mut l);
    let none = triple(0.0, 0.0, 0.0);
    buffers::layer(&l, &none, None, at(raw, sequence), Gathers::BetweenPasses).expert
}

#[test]
fn e01_to_e07_expert_parallel_buffers() {
    is(expert_buffer(1.0, 1024.0, |_| {}), 100_663_296.0);
    is(expert_buffer(1.0, 4096.0, |l| (l.n.chosen_experts, l.n.batch, l.n.hidden) = (8.0, 1.0, 7168.0)), 704_643_072.0);
    is(
        expert_buffer(3.0, 512.0, |l| {
            (l.n.chosen_experts, l.n.batch, l.n.hidden) = (4.0, 2.0, 2048.0);
            (l.n.context, l.n.tensor, l.n.expert) = (2.0, 2.0, 8.0);
        }),
        44_040_192.0,
    );
    is(expert_buffer(1.0, 1024.0, |l| l.cases.dispatches = false), 0.0);
    is(expert_buffer(1.0, 1024.0, |l| l.n.expert_on = 0.5), 50_331_648.0);
    is(expert_buffer(1.0, 1024.0, |l| (l.cases.measured_load, l.n.largest_load) = (true, 5500.0)), 67_584_000.0);
}

#[test]
fn t01_to_t05_tensor_parallel_buffers() {
    let tensor = |raw: f64, change: &dyn Fn(&mut Layer<f64>)| {
        let mut l = buffering();
        l.n.tensor_on = 1.0;
        change(&mut l);
        let none = triple(0.0, 0.0, 0.0);
        buffers::layer(&l, &none, None, at(raw, 1024.0), Gathers::BetweenPasses).tensor
    };
    let without_feed_forward = |l: &mut Layer<f64>| l.n.feed_forward = 0.0;
    is(tensor(2.0, &|l| l.n.hidden = 0.0), 58_720_256.0);
    is(tensor(1.0, &without_feed_forward), 8_388_608.0);
    is(tensor(1.0, &|l| (l.n.feed_forward, l.n.context) = (0.0, 2.0)), 4_194_304.0);
    is(tensor(1.0, &|l| (l.cases.experts, l.n.feed_forward_matmul) = (true, 0.0)), 33_554_432.0);
    let experts = |l: &mut Layer<f64>| {
        (l.cases.experts, l.n.attention_matmul, l.n.expert) = (true, 0.0, 2.0);
        (l.n.expert_feed_forward, l.n.shared_experts) = (2048.0, 1.0);
    };
    is(tensor(1.0, &experts), 41_943_040.0);
}

fn context_buffer(algorithm: ContextAlgorithm, pipelined: bool, selective: Option<Switches>) -> [f64; 2] {
    let buffer = |attention: f64, feed_forward: f64| {
        let mut l = buffering();
        (l.n.context_on, l.cases.context_algorithm, l.cases.pipelined) = (1.0, algorithm, pipelined);
        (l.n.attention_matmul, l.n.feed_forward_matmul) = (attention, feed_forward);
        let none = triple(0.0, 0.0, 0.0);
        buffers::layer(&l, &none, selective, at(1.0, 1024.0), Gathers::BetweenPasses).context
    };
    [buffer(2.0, 0.0), buffer(0.0, 1.0)]
}

#[test]
fn c01_to_ce03_context_parallel_buffers() {
    use ContextAlgorithm::{Ring, Ulysses, Unknown};
    assert_eq!(context_buffer(Ring, false, None), [100_663_296.0, 117_440_512.0]);
    assert_eq!(context_buffer(Ulysses, false, None), [67_108_864.0, 117_440_512.0]);
    assert_eq!(context_buffer(Ring, true, None)[0], 33_554_432.0);
    assert_eq!(context_buffer(Ulysses, true, None)[0], 33_554_432.0);
    assert_eq!(context_buffer(Unknown, false, None), [0.0, 0.0]);
    let recomputed = Some(Switches { gather: false, ..Switches::ALL_KEPT });
    assert_eq!(context_buffer(Ring, false, recomputed), context_buffer(Ring, true, recomputed));
}

#[test]
fn cb01_to_cb03_the_printed_context_buffer() {
    let printed = |context: f64| {
        let mut l = buffering();
        (l.n.sequence, l.n.heads, l.n.kv_heads, l.n.head_width) = (1024.0, 32.0, 32.0, 128.0);
        l.n.context = context;
        printed::context_parallel(&l, 8.0)[3].1
    };
    is(printed(1.0), 0.0);
    is(printed(4.0), 50_331_648.0 / 1_048_576.0);
    is(printed(16.0), 62_914_560.0 / 1_048_576.0);
}
