//! What an estimate costs: each stage of the chain for Llama-3.1-8B and DeepSeek-V3 on 16 pipeline stages, then the parts
//! that have a budget of their own (DESIGN 6).

use criterion::{Criterion, criterion_group, criterion_main};
use shardmem::accounting::Accountant;
use shardmem::config::{Config, Offset, Primary, Strictness, derive, primary};
use shardmem::document::{Document, parse};
use shardmem::estimate::{Input, Outcome, estimate};
use shardmem::facts::controls::Control;
use shardmem::facts::{Facts, ModelChoice, Overrides, read};
use shardmem::memory::ledger::{self, Inputs, Precision};
use shardmem::memory::reference;
use shardmem::model::tensors::tensors;
use shardmem::model::{Family, LayerGroup, LayerKind, Stack};
use shardmem::placement::place;
use shardmem::whatif::{MOST_ESTIMATES, Run, WhatIf};
use std::hint::black_box;
use std::time::Duration;

/// On 512 devices: TP 1, PP 16, EP 8, DP shard 4, expert shard 2, full recompute.
const DEEPSEEK_V3: &str = include_str!("../data/samples/deepseek-v3-512.yaml");
const LLAMA_8B: &str = include_str!("../data/samples/llama-3.1-8b-8.yaml");

/// The sample on as many pipeline stages as DeepSeek-V3's.
fn llama_on_16_stages() -> String {
    LLAMA_8B.replace("pp_size: 1", "pp_size: 16").replace("device_num: 8", "device_num: 128")
}

/// A real file of 4.6 kB whose list of layer plans, its longest section, goes on until the file has 10 kB.
fn ten_kilobytes() -> String {
    let text = include_str!("../tests/yamls/qwen3_moe_recipe.yaml");
    let (head, rest) = text.split_once("plan_overrides:\n").expect("a list of plans");
    let (plans, tail) = rest.split_once("\nmixed_precision:").expect("another section");
    let plans = format!("{plans}\n");
    let times = (10_000 - head.len() - tail.len()).div_ceil(plans.len());
    format!("{head}plan_overrides:\n{}mixed_precision:{tail}", plans.repeat(times))
}

fn document(text: &str) -> Document {
    parse(text).expect("YAML").value
}

fn facts(document: &Document) -> Facts {
    read(document, &ModelChoice::Named, &Overrides::none(), None).expect("facts").value
}

fn chain(criterion: &mut Criterion) {
    for (name, text) in [("Llama-3.1-8B", &*llama_on_16_stages()), ("DeepSeek-V3", DEEPSEEK_V3)] {
        let mut bench = |verb: &str, turn: &mut dyn FnMut()| {
            criterion.bench_function(&format!("{verb} {name}"), |bench| bench.iter(&mut *turn));
        };
        bench("parse", &mut || drop(black_box(parse(black_box(text)))));
        let document = document(text);
        bench("read", &mut || drop(black_box(facts(black_box(&document)))));
        let facts = facts(&document);
        bench("derive", &mut || drop(black_box(derive(black_box(&facts)))));
        let config = derive(&facts).expect("a config").value;
        bench("account", &mut || {
            black_box(peak(black_box(&config)));
        });
        let input = Input::of(text);
        bench("text to report,", &mut || drop(black_box(estimate(black_box(&input)))));
    }
}

/// Derived primary fields to a placed and priced model: what a slider's frame and a sweep do for each layout.
fn estimates(criterion: &mut Criterion) {
    for (name, layers) in [("estimate DeepSeek-V3, 16 stages", 61), ("estimate 610 layers, 16 stages", 610)] {
        let primary = deepseek_v3(layers);
        criterion.bench_function(name, |bench| {
            bench.iter(|| {
                let config = Config::new(black_box(&primary).clone(), Strictness::Clamped).expect("derived").value;
                peak(&config)
            });
        });
    }
}

fn texts(criterion: &mut Criterion) {
    let input = Input::of(&ten_kilobytes());
    assert!(matches!(estimate(&input), Outcome::Ready(_)), "an estimate is made");
    criterion.bench_function("text to report, 10 KB", |bench| bench.iter(|| estimate(black_box(&input))));
}

/// All that a page asks of the opening sample in idle time.
fn what_if(criterion: &mut Criterion) {
    let (document, choice, overrides) = (document(DEEPSEEK_V3), ModelChoice::Named, Overrides::none());
    let run = Run {
        document: &document,
        choice: &choice,
        devices: None,
        exec: None,
        accountant: Accountant::default(),
        overrides: &overrides,
        sets: &[],
        pinned: true,
    };
    let what_if = WhatIf::new(run).expect("it is read");
    criterion.bench_function("strips of all controls", |bench| {
        bench.iter(|| Control::ALL.iter().filter_map(|control| what_if.strip(*control).ok()).collect::<Vec<_>>());
    });
    criterion.bench_function("fixes", |bench| bench.iter(|| what_if.fixes(MOST_ESTIMATES)));
    criterion.bench_function("longest sequence", |bench| bench.iter(|| what_if.longest_sequence()));
}

fn peak(config: &Config) -> f64 {
    let placement = place(config).expect("placed").value;
    let breakdown = reference::account(config, &placement).value;
    breakdown.stages[breakdown.peak].peak_bytes().value()
}

/// The sample's run with another number of layers.
fn deepseek_v3(layers: u32) -> Primary {
    let group = |kind: LayerKind, count: u32| LayerGroup { kind, count, mtp: false, census: None };
    let kind = |name: &str| *Family::Deepseek.kinds().iter().find(|kind| kind.name == name).expect("a kind");
    let groups = [group(kind("dense"), 3), group(kind("moe"), layers - 3)];
    let extra = i64::from(layers % 16);
    Primary {
        layers: layers.into(),
        stack: Some(Stack { groups: groups.into(), linear: None }),
        offset: Offset::PerStage((0..16).map(|stage| i64::from(stage < extra)).collect()),
        ..primary(&facts(&document(DEEPSEEK_V3)))
    }
}

/// The second memory model: derive, place and walk, with the model's tensors at hand, as a slider's frame or a sweep does.
fn walks(criterion: &mut Criterion) {
    let qwen = include_str!("../data/samples/deepseek-v3-512.yaml")
        .replace("deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-235B-A22B")
        .replace("pp_size: 16", "pp_size: 1");
    for (name, text) in [("ledger DeepSeek-V3, 16 stages", DEEPSEEK_V3), ("ledger Qwen3-235B, one stage", &*qwen)] {
        let facts = facts(&document(text));
        let (primary, tensors) = (primary(&facts), tensors(&facts.model).expect("tensors"));
        criterion.bench_function(name, |bench| {
            bench.iter(|| {
                let config = Config::new(black_box(&primary).clone(), Strictness::Clamped).expect("derived").value;
                let placement = place(&config).expect("placed").value;
                let inputs = Inputs {
                    model: &facts.model,
                    tensors: &tensors,
                    config: &config,
                    placement: &placement,
                    precision: Precision { stored: 4.0, compute: 2.0, reduce: 4.0 },
                    last_of_ring: false,
                };
                let breakdown = ledger::account(inputs, ledger::Policies::default()).expect("walked").value;
                breakdown.stages[breakdown.peak].peak_bytes().value()
            });
        });
    }
}

/// Short enough that all benches take less than a minute.
fn brief() -> Criterion {
    Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1))
}

criterion_group!(name = benches; config = brief(); targets = estimates, walks, texts, chain, what_if);
criterion_main!(benches);
