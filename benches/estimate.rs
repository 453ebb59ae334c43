//! What one estimate costs: derive, place and account with all items (DESIGN 6).

use criterion::{Criterion, criterion_group, criterion_main};
use shardmem::config::{Config, Offset, Primary, RecomputeLayers, Strictness};
use shardmem::memory::reference;
use shardmem::model::{Family, LayerGroup, LayerKind, Stack};
use shardmem::placement::place;
use std::hint::black_box;

fn kind(family: Family, name: &str) -> LayerKind {
    *family.kinds().iter().find(|kind| kind.name == name).expect("a kind of the family")
}

fn group(kind: LayerKind, count: u32) -> LayerGroup {
    LayerGroup { kind, count, mtp: false, census: None }
}

/// DeepSeek-V3 on 512 devices: TP 1, PP 16, EP 8, DP shard 4, expert shard 2, full recompute.
fn deepseek_v3(layers: u32) -> Primary {
    let groups = [group(kind(Family::Deepseek, "dense"), 3), group(kind(Family::Deepseek, "moe"), layers - 3)];
    let extra = i64::from(layers % 16);
    Primary {
        model_name: "deepseek_v3".into(),
        family: Family::Deepseek,
        hidden: 7168,
        layers: layers.into(),
        heads: 128,
        kv_heads: 128,
        value_head_width: Some(128),
        nope_head_width: Some(128),
        kv_latent: 512,
        query_latent: 1536,
        rotary_width: 64,
        feed_forward: 18_432,
        expert_feed_forward: 2048,
        vocabulary: 129_280,
        layer_norms: Some(2),
        experts: 256,
        chosen_experts: 8,
        shared_experts: 1,
        leading_dense: 3,
        stack: Some(Stack { groups: groups.into(), linear: None }),
        data_parallel: 32,
        pipeline_parallel: 16,
        expert_parallel: 8,
        expert_tensor_parallel: 1,
        micro_batches: 32,
        optimizer_parallel: true,
        optimizer_shard: 4,
        expert_shard: Some(2),
        offset: Offset::PerStage((0..16).map(|stage| i64::from(stage < extra)).collect()),
        full_recompute: RecomputeLayers::All(true),
        grouped_matmul: true,
        optimizer_state_bytes: Some(4),
        main_param_bytes: Some(4),
        ..Primary::default()
    }
}

fn llama_8b() -> Primary {
    Primary {
        model_name: "llama".into(),
        hidden: 4096,
        layers: 32,
        heads: 32,
        kv_heads: 8,
        head_width: 128.0,
        feed_forward: 14_336,
        expert_feed_forward: 14_336,
        vocabulary: 128_256,
        layer_norms: Some(2),
        stack: Some(Stack { groups: [group(kind(Family::Default, "decoder"), 32)].into(), linear: None }),
        data_parallel: 8,
        micro_batches: 4,
        optimizer_parallel: true,
        optimizer_shard: 8,
        ..Primary::default()
    }
}

fn estimate(primary: &Primary) -> f64 {
    let config = Config::new(primary.clone(), Strictness::Clamped).expect("derived").value;
    let placement = place(&config).expect("placed").value;
    let breakdown = reference::account(&config, &placement).value;
    breakdown.stages[breakdown.peak].peak_bytes().value()
}

fn stages(criterion: &mut Criterion) {
    let primary = deepseek_v3(61);
    let config = Config::new(primary.clone(), Strictness::Clamped).expect("derived").value;
    let placement = place(&config).expect("placed").value;
    criterion.bench_function("derive", |bench| {
        bench.iter(|| Config::new(black_box(&primary).clone(), Strictness::Clamped));
    });
    criterion.bench_function("place", |bench| bench.iter(|| place(black_box(&config))));
    criterion.bench_function("account", |bench| {
        bench.iter(|| reference::account(black_box(&config), black_box(&placement)));
    });
}

fn estimates(criterion: &mut Criterion) {
    for (name, primary) in [
        ("estimate DeepSeek-V3, 16 stages", deepseek_v3(61)),
        ("estimate 610 layers, 16 stages", deepseek_v3(610)),
        ("estimate Llama-3.1-8B, one stage", llama_8b()),
    ] {
        criterion.bench_function(name, |bench| bench.iter(|| estimate(black_box(&primary))));
    }
}

criterion_group!(benches, estimates, stages);
criterion_main!(benches);
