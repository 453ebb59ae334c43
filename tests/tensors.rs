//! The parameter tensors: counts against two independent ones for every model of the catalogue, the worked cases TC01 to
//! TC09, TC12, TC19 and TC25, and what must hold of any list of tensors.

use shardmem::document::Value;
use shardmem::estimate::{Input, ModelChoice, Outcome, Ready, estimate, parameters};
use shardmem::facts::Overrides;
use shardmem::memory::reference::counted;
use shardmem::model::tensors::{
    Count, FeedForward, LayerRun, Mixer, Part, Role, Split, Sureness, Tensor, Tensors, tensors,
};
use shardmem::model::{ModelSpec, catalogue};
use shardmem::provenance::KeyPath;
use shardmem::report::Cause;
use shardmem::report::messages::{self, Language};

/// Counts of every model, made once from the checkpoint's class and once from its dimensions: id, total, active, and
/// which of the two were made; `both` where they agree to the last parameter.
const COUNTS: &str = include_str!("parameter_counts.csv");

/// The models whose tensors sum to something else than their count, with the difference (ours less the count), in all and
/// for a token, and the reason.
const OTHERWISE: [(&str, Option<[i64; 2]>, &str); 2] = [
    (
        "stepfun-ai/Step-3.7-Flash",
        Some([-1_980_351_232; 2]),
        "counted from class defaults, because the config states no section for the class to read: a vision tower of \
         1 955 848 960, its projection of 4096 × 6144, and two tables of 81 rows fewer than the config's 128 896",
    ),
    ("moonshotai/Kimi-K3", None, "no class and no text gives the shapes of its latent experts and residual blocks"),
];

const LLAMA_3_8B: &str = "meta-llama/Meta-Llama-3-8B";
const QWEN3_4B: &str = "Qwen/Qwen3-4B";
const DEEPSEEK_V3: &str = "deepseek-ai/DeepSeek-V3";
const QWEN3_30B: &str = "Qwen/Qwen3-30B-A3B";

fn spec(id: &str) -> ModelSpec {
    catalogue::spec(id).unwrap_or_else(|| panic!("{id}: no spec"))
}

fn of(id: &str) -> Tensors {
    tensors(&spec(id)).unwrap_or_else(|| panic!("{id}: not counted"))
}

fn run(input: &Input) -> Box<Ready> {
    match estimate(input) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

/// The tensors of a config.json.
fn of_config(config: &str) -> Tensors {
    let text = include_str!("../data/samples/llama-3.1-8b-8.yaml");
    let ready = run(&Input { model: ModelChoice::Config(config.into()), ..Input::of(text) });
    tensors(&ready.facts.model).expect("tensors")
}

/// The only run of a feed-forward among the body's layers.
fn layer(part: &Part, feed_forward: FeedForward) -> &LayerRun {
    part.runs.iter().find(|run| run.feed_forward == feed_forward && !run.prediction).expect("such a layer")
}

/// Parameters of one layer's tensors with these roles.
fn with_roles(run: &LayerRun, roles: &[Role]) -> u64 {
    let chosen = run.tensors.iter().filter(|tensor| roles.contains(&tensor.role));
    chosen.map(Tensor::elements).sum()
}

/// Parameters that a pipeline stage holds: layers `from..to`, the embedding before the first, final norm and head behind
/// the last; a tied table stands on both ends.
fn stage(tensors: &Tensors, from: u64, to: u64) -> u64 {
    let text = &tensors.text;
    let last = text.runs.iter().filter(|run| !run.prediction).map(|run| run.first + run.count).max();
    let of = |head: bool| -> u64 {
        let outside = text.root.iter();
        let chosen = outside.filter(|tensor| matches!(tensor.role, Role::Embedding | Role::Position) != head);
        chosen.map(Tensor::parameters).sum()
    };
    let end = Some(to) == last;
    let copy = if end && from > 0 && is_tied(tensors) { of(false) } else { 0 };
    text.layers(from, to) + if from == 0 { of(false) } else { 0 } + if end { of(true) + copy } else { 0 }
}

fn is_tied(tensors: &Tensors) -> bool {
    !tensors.text.root.iter().any(|tensor| tensor.role == Role::Head)
}

#[test]
#[expect(clippy::print_stdout, reason = "the tally and the reasons are what the test is run for")]
fn every_count_is_met_to_the_last_parameter() {
    let (mut confirmed, mut others) = ([0, 0], [0, 0]);
    for line in COUNTS.lines().skip(1) {
        let [id, total, active, by] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let expected: Option<u64> = total.parse().ok();
        let expected = expected.map(|total| Count { total, active: active.parse().unwrap_or(total) });
        let count = tensors(&spec(id)).map(|tensors| tensors.count());
        let group = if by == "both" { &mut confirmed } else { &mut others };
        assert_eq!(catalogue::entry(id).map(|entry| entry.about().confirmed), Some(by == "both"), "{id}");
        group[1] += 1;
        match OTHERWISE.iter().find(|(known, ..)| *known == id) {
            Some((_, Some(difference), _)) => {
                let (ours, theirs) = (count.expect("a count"), expected.expect("a count"));
                let found = [(ours.total, theirs.total), (ours.active, theirs.active)];
                assert_eq!(found.map(|(a, b)| a.cast_signed() - b.cast_signed()), *difference, "{id}");
            }
            Some((_, None, _)) => assert_eq!((count, expected), (None, None), "{id}"),
            None => {
                assert_eq!(count, expected, "{id}");
                group[0] += 1;
            }
        }
    }
    println!("confirmed {}/{}, others {}/{}", confirmed[0], confirmed[1], others[0], others[1]);
    for (id, difference, reason) in OTHERWISE {
        println!("{id}: {difference:?}: {reason}");
    }
    assert_eq!((confirmed, others), ([115, 115], [56, 58]));
}

#[test]
fn step_is_counted_from_its_config() {
    let (projection, rows, tower) = (4096 * 6144, 81 * 4096, 1_955_848_960);
    assert_eq!(2 * rows - projection - tower, -1_980_351_232_i64);
}

#[test]
fn tc01_grouped_query_attention() {
    let model = of(LLAMA_3_8B);
    let layer = layer(&model.text, FeedForward::Dense);
    assert_eq!(with_roles(layer, &[Role::Query, Role::Key, Role::Value, Role::Output]), 41_943_040);
    assert_eq!(with_roles(layer, &[Role::Gate, Role::Up, Role::Down]), 176_160_768);
    assert_eq!((layer.parameters(), model.count().total), (218_112_000, 8_030_261_248));
}

#[test]
fn tc02_the_head_width_is_not_hidden_over_heads() {
    let model = of(QWEN3_4B);
    assert_eq!(layer(&model.text, FeedForward::Dense).parameters(), 100_930_816);
    assert_eq!(model.count().total, 4_022_468_096);
    let gemma = of_config(
        r#"{"model_type": "gemma3_text", "hidden_size": 640, "num_hidden_layers": 18, "num_attention_heads": 4,
            "num_key_value_heads": 1, "head_dim": 256, "intermediate_size": 2048, "vocab_size": 262144}"#,
    );
    assert_eq!((gemma.count().total, gemma.sureness), (268_098_176, Sureness::Known));
}

#[test]
fn tc03_a_tied_table_stands_on_both_ends_of_a_pipeline() {
    let model = of(QWEN3_4B);
    let stages = [stage(&model, 0, 18), stage(&model, 18, 36)];
    assert_eq!(stages, [2_205_710_848, 2_205_713_408]);
    assert_eq!(stages.iter().sum::<u64>(), model.count().total + 388_956_160);
    assert_eq!(stage(&model, 0, 36), model.count().total);
}

#[test]
fn tc04_biases_and_an_untied_head() {
    let model = of("Qwen/Qwen2.5-72B");
    let layer = layer(&model.text, FeedForward::Dense);
    assert_eq!(with_roles(layer, &[Role::QueryBias, Role::KeyBias, Role::ValueBias]), (64 + 16) * 128);
    assert_eq!((layer.parameters(), model.count().total), (877_684_736, 72_706_203_648));
}

#[test]
fn tc05_three_feed_forward_matrices() {
    let model = of_config(
        r#"{"model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64,
            "num_key_value_heads": 64, "intermediate_size": 24576, "vocab_size": 152064}"#,
    );
    assert_eq!(model.count().total, 72_287_920_128);
}

#[test]
fn tc06_experts_in_all_and_for_a_token() {
    let model = of(QWEN3_30B);
    let layer = layer(&model.text, FeedForward::Experts);
    assert_eq!(with_roles(layer, &[Role::ExpertsUp, Role::ExpertsDown]), 603_979_776);
    assert_eq!(with_roles(layer, &[Role::Router]), 262_144);
    assert_eq!(layer.parameters(), 623_120_640);
    assert_eq!(model.count(), Count { total: 30_532_122_624, active: 3_353_032_704 });
    assert_eq!(of("mistralai/Mixtral-8x7B-v0.1").count().total, 46_702_792_704);
    assert_eq!(of("Qwen/Qwen3-235B-A22B").count().total, 235_093_634_560);
}

#[test]
fn tc07_leading_dense_layers() {
    let model = of(DEEPSEEK_V3);
    let [dense, experts] = [FeedForward::Dense, FeedForward::Experts].map(|kind| layer(&model.text, kind));
    assert_eq!((dense.first, dense.count, dense.parameters()), (0, 3, 583_483_392));
    assert_eq!((experts.first, experts.count, experts.parameters()), (3, 58, 11_507_286_016));
    assert_eq!(model.count().total, 671_026_404_352);
    let biases = 58 * with_roles(experts, &[Role::CorrectionBuffer]);
    assert_eq!(model.count().total + biases, 671_026_419_200);
}

#[test]
fn tc08_shared_experts() {
    let model = of("deepseek-ai/DeepSeek-V2-Lite");
    let experts = layer(&model.text, FeedForward::Experts);
    let shared = with_roles(experts, &[Role::SharedGate, Role::SharedUp, Role::SharedDown]);
    assert_eq!((experts.count * shared, model.count().total), (449_839_104, 15_706_484_224));
    let split = experts.tensors.iter().find(|tensor| tensor.role == Role::SharedUp).map(|tensor| tensor.split);
    assert_eq!(split, Some(Split::Rows));
}

#[test]
fn tc09_latent_attention() {
    let model = of(DEEPSEEK_V3);
    let attention =
        [Role::QueryDown, Role::QueryDownNorm, Role::QueryUp, Role::KvDown, Role::KvDownNorm, Role::KvUp, Role::Output];
    let layer = layer(&model.text, FeedForward::Dense);
    let shapes: Vec<_> = layer.tensors.iter().take(7).map(|tensor| (tensor.role, tensor.shape().to_vec())).collect();
    let expected: [&[u64]; 7] =
        [&[1536, 7168], &[1536], &[24576, 1536], &[576, 7168], &[512], &[32768, 512], &[7168, 16384]];
    assert_eq!(shapes, attention.into_iter().zip(expected.map(<[_]>::to_vec)).collect::<Vec<_>>());
    assert_eq!(with_roles(layer, &attention), 187_107_328);
    let on_rank = layer.tensors.iter().filter(|tensor| attention.contains(&tensor.role));
    assert_eq!(on_rank.map(|tensor| tensor.elements_on_rank(8)).sum::<u64>(), 36_636_672);
}

#[test]
fn tc12_what_tensor_parallelism_does_not_split() {
    let layer_of = |id: &str| of(id).text.runs.swap_remove(0);
    let on_rank = |run: &LayerRun| run.tensors.iter().map(|tensor| tensor.elements_on_rank(8)).sum::<u64>();
    assert_eq!(on_rank(&layer_of(LLAMA_3_8B)), 27_271_168);
    let whole = |id: &str| -> Vec<Role> {
        let tensors = layer_of(id).tensors;
        tensors.iter().filter(|tensor| tensor.split == Split::Whole).map(|tensor| tensor.role).collect()
    };
    let experts = [Role::QueryNorm, Role::KeyNorm, Role::Router, Role::ExpertsUp, Role::ExpertsDown];
    assert_eq!(whole(QWEN3_30B), [&experts[..], &[Role::LayerNorm; 2]].concat());
    let biases = [Role::OutputBias, Role::DownBias, Role::LayerNorm, Role::LayerNormBias];
    assert_eq!(whole("bigcode/starcoder2-7b"), [&biases[..], &biases[2..]].concat());
}

#[test]
fn tc19_an_uneven_pipeline() {
    let model = of(LLAMA_3_8B);
    let split = |ends: [u64; 5]| -> Vec<u64> { ends.windows(2).map(|pair| stage(&model, pair[0], pair[1])).collect() };
    assert_eq!(split([0, 8, 16, 24, 32]), [2_270_232_576, 1_744_896_000, 1_744_896_000, 2_270_236_672]);
    assert_eq!(split([0, 7, 16, 25, 32]), [2_052_120_576, 1_963_008_000, 1_963_008_000, 2_052_124_672]);
}

#[test]
fn tc25_multi_token_prediction() {
    let model = of(DEEPSEEK_V3);
    let run = model.text.runs.last().expect("layers");
    assert_eq!((run.prediction, run.first, run.count), (true, 61, 1));
    assert_eq!(with_roles(run, &[Role::MtpProjection]), 102_760_448);
    assert_eq!(with_roles(run, &[Role::MtpNorm]), 21_504);
    assert_eq!(run.parameters(), 11_610_067_968);
    assert_eq!(with_roles(run, &[Role::CorrectionBuffer]), 256);
}

#[test]
fn layers_follow_each_other_and_every_shape_is_one() {
    for entry in catalogue::all() {
        let Some(tensors) = tensors(&spec(entry.id)) else { continue };
        assert_eq!(tensors.sureness, Sureness::Known, "{}", entry.id);
        for part in tensors.parts() {
            let mut next = 0;
            for run in &part.runs {
                assert_eq!((run.first, run.count > 0), (next, true), "{}", entry.id);
                next += run.count;
            }
            let layers = part.runs.iter().flat_map(|run| run.tensors.iter());
            for tensor in layers.chain(&part.root) {
                let (shape, whole) = (tensor.shape(), tensor.elements_on_rank(1));
                assert_eq!((shape.iter().product::<u64>(), whole), (tensor.elements(), whole), "{}", entry.id);
                assert!((1..=3).contains(&shape.len()) && whole > 0, "{}: {tensor:?}", entry.id);
                assert!(shape.len() < 3 || tensor.role.is_stacked(), "{}: {tensor:?}", entry.id);
            }
        }
    }
}

#[test]
fn stages_sum_to_the_model_and_its_named_copies() {
    for entry in catalogue::all() {
        let Some(tensors) = tensors(&spec(entry.id)) else { continue };
        let body = tensors.text.runs.iter().filter(|run| !run.prediction).map(|run| run.count).sum::<u64>();
        let whole = tensors.count().total - tensors.in_tower();
        for stages in [1, 2, 3, 5] {
            let end = |at: u64| body * at / stages;
            let sum: u64 = (0..stages).map(|at| stage(&tensors, end(at), end(at + 1))).sum();
            let copy =
                tensors.text.root.iter().filter(|tensor| matches!(tensor.role, Role::Embedding | Role::Position));
            let copies = if stages > 1 && is_tied(&tensors) { copy.map(Tensor::elements).sum() } else { 0 };
            assert_eq!(sum, whole + copies, "{} in {stages}", entry.id);
        }
    }
}

#[test]
fn tied_models_have_no_head() {
    let tied = ["Qwen/Qwen3-4B", "google/gemma-2-9b", "bigcode/starcoder2-7b", "CohereForAI/aya-23-8B"];
    let untied = ["Qwen/Qwen3-8B", LLAMA_3_8B, DEEPSEEK_V3];
    assert!(tied.iter().all(|id| is_tied(&of(id))));
    assert!(untied.iter().all(|id| !is_tied(&of(id))));
}

#[test]
fn hybrid_stacks_alternate() {
    let runs = |id: &str| -> Vec<(Mixer, FeedForward, u64)> {
        of(id).text.runs.iter().take(3).map(|run| (run.mixer, run.feed_forward, run.count)).collect()
    };
    let experts = FeedForward::Experts;
    assert_eq!(
        runs("Qwen/Qwen3-Next-80B-A3B-Instruct"),
        [(Mixer::Delta, experts, 3), (Mixer::Attention, experts, 1), (Mixer::Delta, experts, 3)]
    );
    assert_eq!(
        runs("moonshotai/Kimi-Linear-48B-A3B-Instruct"),
        [(Mixer::KimiDelta, FeedForward::Dense, 1), (Mixer::KimiDelta, experts, 3), (Mixer::Latent, experts, 1)]
    );
    assert_eq!(
        runs("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
        [
            (Mixer::StateSpace, FeedForward::None, 1),
            (Mixer::None, experts, 1),
            (Mixer::StateSpace, FeedForward::None, 1)
        ]
    );
    assert_eq!(runs("meituan-longcat/LongCat-Flash-Chat"), [(Mixer::Latent, FeedForward::DenseAndExperts, 28)]);
}

#[test]
fn an_unknown_type_is_counted_by_what_it_states_and_says_so() {
    let config = |more: &str| {
        of_config(&format!(
            r#"{{"model_type": "marvin", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
                 "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 100 {more}}}"#
        ))
    };
    let layer = 64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 96 + 2 * 64;
    let plain = config("");
    assert_eq!((plain.count().total, plain.sureness), (2 * layer + 2 * 6400 + 64, Sureness::Inferred));
    assert_eq!(config(r#", "tie_word_embeddings": true"#).count().total, plain.count().total - 6400);
    assert_eq!(config(r#", "qk_norm": true"#).count().total, plain.count().total + 2 * 2 * 16);
    let biases = 64 + 2 * 32 + 64;
    assert_eq!(config(r#", "attention_bias": true"#).count().total, plain.count().total + 2 * biases);
}

#[test]
fn a_model_of_the_run_alone_is_counted() {
    let text = include_str!("../data/samples/llama-3.1-8b-8.yaml").replace(
        "pretrained_model_name_or_path: meta-llama/Llama-3.1-8B",
        "config_overrides: {hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2, \
         intermediate_size: 96, vocab_size: 100, qkv_bias: true, layer_norms: 4}",
    );
    let ready = run(&Input::of(&text));
    let layer = 64 * 64 * 2 + 64 * 32 * 2 + 3 * 64 * 96 + 4 * 64 + 64 + 2 * 32;
    assert_eq!(parameters(&ready.facts.model).total, Some(f64::from(2 * layer + 2 * 6400 + 64)));
    assert!(messages::parameter_note(&ready.parameter_note().expect("a note"), Language::English).contains("inferred"));
}

#[test]
fn what_the_run_states_wins_over_the_class() {
    let text = include_str!("../data/samples/llama-3.1-8b-8.yaml");
    let set = |key: &str, value: Value| {
        let mut overrides = Overrides::none();
        overrides.set(KeyPath::parse(&format!("model.config_overrides.{key}")), value);
        run(&Input { overrides, ..Input::of(text) }).model().parameters.total.expect("a count")
    };
    let (layer, table) = (218_112_000.0, 128_256.0 * 4096.0);
    assert_eq!(set("num_hidden_layers", Value::Integer(2)), 2.0 * layer + 2.0 * table + 4096.0);
    assert_eq!(set("tie_word_embeddings", Value::Bool(true)), 32.0 * layer + table + 4096.0);
    assert_eq!(set("qkv_bias", Value::Bool(true)), 8_030_261_248.0 + 32.0 * (4096.0 + 2048.0));
}

#[test]
fn shapes_beyond_any_machine_are_counted_without_a_fault() {
    let huge = i64::from(u32::MAX) * 4096;
    let model = of_config(&format!(
        r#"{{"model_type": "deepseek_v3", "hidden_size": {huge}, "num_hidden_layers": 3, "num_attention_heads": {huge},
             "intermediate_size": {huge}, "vocab_size": {huge}, "n_routed_experts": {huge}, "layer_norms": {huge},
             "moe_intermediate_size": {huge}, "kv_lora_rank": {huge}, "num_experts_per_tok": {huge}}}"#
    ));
    assert_eq!(model.count().total, u64::MAX);
}

/// Every sample and readable YAML with a note.
fn noted() -> Vec<Box<Ready>> {
    let texts = [
        include_str!("../data/samples/deepseek-v3-512.yaml"),
        include_str!("../data/samples/llama-3.1-8b-8.yaml"),
        include_str!("../data/samples/qwen3-30b-a3b-8.yaml"),
        include_str!("yamls/qwen3_5_9b_base_vlm.yaml"),
    ];
    let mut notes: Vec<_> = texts.map(|text| run(&Input::of(text))).into();
    for id in [
        "Qwen/Qwen3-4B",
        "google/gemma-2-9b",
        "Qwen/Qwen3.5-35B-A3B",
        "openai-community/gpt2",
        "baidu/ERNIE-4.5-21B-A3B-PT",
    ] {
        notes.push(run(&Input { model: ModelChoice::Catalogue(id.into()), ..Input::of(texts[1]) }));
    }
    notes
}

#[test]
fn differences_sum_to_the_difference() {
    for ready in noted() {
        let note = ready.parameter_note().expect("a note");
        let sum: f64 = note.differences.iter().map(|difference| difference.parameters).sum();
        assert_eq!(sum, note.reference - note.count.total as f64, "{}", ready.model().id);
        assert_eq!(Some(note.count.total as f64), ready.model().parameters.total);
    }
}

#[test]
fn the_reference_always_counts_a_bias_of_the_output_table() {
    let ready = run(&Input::of(include_str!("../data/samples/deepseek-v3-512.yaml")));
    let note = ready.parameter_note().expect("a note");
    let found: Vec<_> = note.differences.iter().map(|difference| (difference.cause, difference.parameters)).collect();
    assert_eq!(found, [(Cause::OutputBias, 129_280.0), (Cause::Norms, -7168.0)]);
    let said = messages::parameter_note(&note, Language::English).replace('\u{a0}', " ");
    assert_eq!(
        said,
        "671.0 B parameters, 37.6 B active; the reference counts 122.1 k more: bias of the output table +129.3 k, norms \
         −7.2 k"
    );
}

/// On one device nothing is sharded, so what the reference holds is what it counts.
#[test]
fn the_reference_counts_what_it_holds_on_one_device() {
    let text = include_str!("../data/samples/llama-3.1-8b-8.yaml");
    let text = text.replace("tp_size: 2", "tp_size: 1").replace("dp_shard_size: 4", "dp_shard_size: 1");
    let text = text.replace("device_num: 8", "device_num: 1");
    let ids = [LLAMA_3_8B, QWEN3_4B, QWEN3_30B, DEEPSEEK_V3, "Qwen/Qwen3.5-35B-A3B", "openpangu/openPangu-Embedded-7B"];
    for id in ids {
        let ready = run(&Input { model: ModelChoice::Catalogue(id.into()), ..Input::of(&text) });
        let figures = ready.breakdown.stages[0].reference.as_ref().expect("the reference's figures");
        let held = figures.params / ready.config.primary().param_bytes as f64;
        let counted = counted::count(&ready.config, &ready.placement).total();
        assert!((held / counted - 1.0).abs() < 1e-12, "{id}: {held} {counted}");
    }
}
