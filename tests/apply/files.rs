//! Runs of all kinds.

pub(crate) const FILES: &[(&str, &str)] = &[
    ("deepseek-v3-512", include_str!("../../data/samples/deepseek-v3-512.yaml")),
    ("qwen3-30b-a3b-8", include_str!("../../data/samples/qwen3-30b-a3b-8.yaml")),
    ("llama-3.1-8b-8", include_str!("../../data/samples/llama-3.1-8b-8.yaml")),
    ("qwen3_moe_recipe", include_str!("../yamls/qwen3_moe_recipe.yaml")),
    ("qwen3_5_9b_base_vlm", include_str!("../yamls/qwen3_5_9b_base_vlm.yaml")),
    ("glm5", include_str!("../yamls/glm5.yaml")),
    ("dryrun_ep_explicit", include_str!("../yamls/dryrun_ep_explicit.yaml")),
    ("qwen3_vl_pp_mpipe", include_str!("../yamls/qwen3_vl_pp_mpipe.yaml")),
    ("anchored", ANCHORED),
    ("legacy", LEGACY),
    ("bare", BARE),
];

/// Everything that shares values with something else.
const ANCHORED: &str = "\
defaults: &defaults
  micro_batch_size: &micro 2
  global_batch_size: 64

training:
  <<: *defaults
  max_grad_norm: 1.0

accelerator: &layout {tp_size: &two 2, pp_size: *two, ep_size: 4,
  # context parallel is off
  cp_size: 1,}
model: {pretrained_model_name_or_path: \"Qwen/Qwen3-30B-A3B\", torch_dtype: 'bfloat16'}
fsdp_config: # shard
  dp_shard_size: 8   # of 32
    # and edp_shard_size?
optimizer: ~
dataset: {data_transform: {max_seq_len: &sequence 4096}}
tokenizer: {length: *sequence}
eval: *layout
";

pub(crate) const LEGACY: &str = "\
model:
    name: qwen3_moe
    config_overrides: {hidden_size: 2048, num_hidden_layers: 16, num_attention_heads: 16, num_key_value_heads: 4,
        intermediate_size: 6144, vocab_size: 64000, num_experts: 64, num_experts_per_tok: 8, moe_intermediate_size: 768}
train:
    accelerator: {dp_shard: 8, tp_degree: 2, pipeline_parallel_degree: 2}
    micro_batch_size: 1

    optimizer: {type: adamw}
    gradient_checkpointing: {activation_checkpoint: full}
# tokens
data: {max_seq_len: 4096}
";

pub(crate) const BARE: &str = "model: {pretrained_model_name_or_path: deepseek-ai/DeepSeek-V3}\r\n# nothing else\r\n";
