//! States of all kinds, each the content of a golden link.

use shardmem::document::parse_value;
use shardmem::facts::Overrides;
use shardmem::link::{Model, Run, Selection, State};
use shardmem::provenance::KeyPath;

pub(crate) const DEEPSEEK: &str = include_str!("../../data/samples/deepseek-v3-512.yaml");
pub(crate) const QWEN: &str = include_str!("../../data/samples/qwen3-30b-a3b-8.yaml");
const RECIPE: &str = include_str!("../yamls/qwen3_moe_recipe.yaml");

const CHINESE: &str = "\
# 预训练：512 卡，流水线十六级
model:
  pretrained_model_name_or_path: /数据/模型/DeepSeek-V3   # 本地权重
training: {global_batch_size: 1024, micro_batch_size: 1}
accelerator:
  tp_size: 1   # 张量并行
  pp_size: 16  # 流水线并行
";

/// What JSON must escape, and what looks as if it were escaped.
const ODD: &str =
    "\u{feff}a: \"tab\\t\"\r\nb: 'back\\\\slash \\n'\r\n# \u{1f600} \u{2028} \t \u{0} \u{7f}\r\nc: |\n  \\u4e2d\n";

const CONFIG: &str =
    "{\n  \"architectures\": [\"LlamaForCausalLM\"],\n  \"hidden_size\": 64,\n  \"num_hidden_layers\": 4\n}\n";

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn overrides(settings: &[(&str, &str)]) -> Overrides {
    let value = |text: &str| parse_value(text).expect("a value").value;
    settings.iter().map(|(path, text)| (KeyPath::parse(path), value(text))).collect()
}

fn run(text: &str) -> Run {
    Run { text: text.to_owned(), ..Run::default() }
}

fn state(run: Run) -> State {
    State { run, ..State::default() }
}

fn compared(run: Run, baseline: Run) -> State {
    State { run, baseline: Some(baseline), ..State::default() }
}

/// Every state, with the name of its file.
pub(crate) fn states() -> Vec<(&'static str, State)> {
    let entry = |id: &str| Some(id.to_owned());
    let steps = pairs(&[("tp", "2"), ("recompute", "selective"), ("device", "ascend-910b")]);
    vec![
        ("01-opening", state(run(DEEPSEEK))),
        ("02-controls", state(Run { controls: steps.clone(), ..run(DEEPSEEK) })),
        ("03-unpinned", state(Run { pinned: false, controls: pairs(&[("pp", "8")]), ..run(QWEN) })),
        ("04-chinese", state(run(CHINESE))),
        (
            "05-overrides",
            state(Run {
                overrides: overrides(&[
                    ("accelerator.tp_size", "4"),
                    ("accelerator.pp_size", "-99999999999999999999"),
                    ("training.max_grad_norm", "1.5"),
                    ("training.lr", ".inf"),
                    ("training.micro_batch_num", "null"),
                    ("accelerator.sequence_parallel", "true"),
                    ("activation_checkpoint.mode", "'off'"),
                    ("context.max_device_memory", "64GB"),
                    ("context.started", "2025-01-01"),
                    ("model.config_overrides.offset", "[[1, 0, -1], [0, 0, 0]]"),
                    ("model.config_overrides.vision", "{hidden_size: 64, name: \"it's: \\n\"}"),
                    ("model.layers[0].kind", "路径"),
                ]),
                ..run(DEEPSEEK)
            }),
        ),
        (
            "06-chosen-model",
            state(Run {
                model: Model::Catalogue("Qwen/Qwen3-8B".to_owned()),
                entry: entry("Qwen/Qwen3-8B"),
                ..run(QWEN)
            }),
        ),
        ("07-named-model", state(Run { entry: entry("deepseek-ai/DeepSeek-V3"), ..run(CHINESE) })),
        ("08-config-json", state(Run { model: Model::Config(CONFIG.to_owned()), ..run("model: {}\n") })),
        ("09-baseline-text", {
            let longer = RECIPE.replacen("tp_size", "tp_size: 2 # 并行\n  old_tp_size", 1);
            compared(run(&longer), run(RECIPE))
        }),
        (
            "10-baseline-controls",
            compared(
                Run { controls: steps.clone(), pinned: false, ..run(DEEPSEEK) },
                Run { controls: pairs(&[("tp", "2")]), ..run(DEEPSEEK) },
            ),
        ),
        ("11-baseline-sample", compared(run(&DEEPSEEK.replace("pp_size: 16", "pp_size: 8")), run(DEEPSEEK))),
        (
            "12-baseline-model",
            compared(
                Run { model: Model::Catalogue("Qwen/Qwen3-8B".to_owned()), entry: entry("Qwen/Qwen3-8B"), ..run(QWEN) },
                Run { model: Model::Config(CONFIG.to_owned()), devices: Some(64), ..run(QWEN) },
            ),
        ),
        (
            "13-second-model",
            state(Run {
                memory_model: "fsdp2".to_owned(),
                policies: pairs(&[("allocator", "expandable"), ("logits", "fp32")]),
                devices: Some(256),
                execution: "recompute: [{first: 0, last: 3, option: full}]\npp_schedule: gpipe\n".to_owned(),
                ..run(DEEPSEEK)
            }),
        ),
        (
            "14-selection",
            State {
                selection: Selection { stage: Some(15), item: entry("activations"), unit: entry("GB") },
                ..state(run(DEEPSEEK))
            },
        ),
        ("15-odd-characters", state(run(ODD))),
        ("16-empty", state(run(""))),
        ("17-real-file", state(Run { controls: steps, ..run(RECIPE) })),
        (
            "18-measured",
            compared(
                Run {
                    memory_model: "fsdp2".to_owned(),
                    policies: pairs(&[("loss", "chunked:2048"), ("norm", "fused"), ("cm-norms", "own")]),
                    measured: "65.2GiB reserved".to_owned(),
                    ..run(QWEN)
                },
                Run { measured: "70036500480".to_owned(), ..run(QWEN) },
            ),
        ),
    ]
}
