//! What the policies of the memory models say in every language. The English stands beside the policies; late.

use super::Language;
use shardmem::memory::{Policy, PolicyValue};

/// The words.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub default: &'static str,
    pub reset: &'static str,
    pub tokens: &'static str,
    pub unreadable: &'static str,
    /// A memory model, what it expects of the allocator, and the most.
    pub with_allocator: fn(&str, &str, &str) -> String,
    pub policy: fn(&Policy) -> &'static str,
    pub value: fn(&Policy, &PolicyValue) -> &'static str,
}

/// The table of a language.
pub const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH: Words = Words {
    default: " (default)",
    reset: "Default of",
    tokens: "Tokens at a time",
    unreadable: "write bytes, or a number with its unit: 65.2 GiB, 70 GB, either with allocated or reserved behind it",
    with_allocator: |name, expected, high| {
        format!(" {name} expects {expected} to be taken with the allocator, {high} at most; it judges by these.")
    },
    policy: |policy| policy.meaning,
    value: |_, value| value.meaning,
};

static CHINESE: Words = Words {
    default: "（默认）",
    reset: "恢复默认：",
    tokens: "每次的词元数",
    unreadable: "请写字节数，或带单位的数值：65.2 GiB、70 GB，其后可加 allocated 或 reserved",
    with_allocator: |name, expected, high| format!("{name} 预计连同分配器占用 {expected}，最多 {high}，并以此判断。"),
    policy: |policy| find(policy.id, "").unwrap_or(policy.meaning),
    value: |policy, value| find(policy.id, value.id).unwrap_or(value.meaning),
};

fn find(policy: &str, value: &str) -> Option<&'static str> {
    CHOICES.iter().find(|(known, of, _)| *known == policy && *of == value).map(|(_, _, said)| *said)
}

/// Policy, value (none for what the policy decides), in Chinese.
const CHOICES: &[(&str, &str, &str)] = &[
    ("output-activations-under-cp", "", "CP 下输出层与 MTP 头保留的激活值"),
    ("output-activations-under-cp", "divided", "除以 CP"),
    ("output-activations-under-cp", "whole", "不除以 CP"),
    ("output-buffer-under-cp", "", "输出层与 MTP 头聚合表的切分"),
    ("output-buffer-under-cp", "tensor-and-context", "除以 TP 与 CP"),
    ("output-buffer-under-cp", "parameter", "除以 TP；仅当分片不跨 CP 时再除以 CP，与词嵌入相同"),
    ("layer-buffer-under-cp", "", "一层聚合参数中分片部分的切分"),
    ("layer-buffer-under-cp", "tensor-and-context", "除以 TP 与 CP"),
    ("layer-buffer-under-cp", "parameter", "除以 TP；仅当分片不跨 CP 时再除以 CP"),
    ("output-census-split", "", "TP 何时切分输出层的实测激活值"),
    ("output-census-split", "loss-parallel", "损失在按词表切分的 logits 上计算时"),
    ("output-census-split", "never", "从不"),
    ("recompute-input-under-cp", "", "CP 下完全重计算的层所保留的输入"),
    ("recompute-input-under-cp", "whole", "不除以 CP"),
    ("recompute-input-under-cp", "divided", "除以 CP"),
    ("cm-norms", "", "cm 系列模型层归一化的计数方式"),
    ("cm-norms", "as-others", "与其他系列相同"),
    ("cm-norms", "own", "按其算子计数：每个归一化两个向量，每个注意力投影半个头宽"),
    ("selective", "", "选择性重计算保留什么"),
    ("selective", "hyperparallel", "矩阵乘与注意力的输出及集合通信，与训练器一致"),
    ("selective", "every-2nd-matmul", "每隔一个矩阵乘、注意力与分组 GEMM，与 torchtitan 一致"),
    ("selective", "every-matmul", "每个矩阵乘、注意力与分组 GEMM"),
    ("selective", "every-2nd-layer", "每隔一层全部保留，其余层完全重计算"),
    ("norm", "", "RMS 归一化的计算方式"),
    ("norm", "eager", "逐算子计算，带 fp32 副本"),
    ("norm", "fused", "单个融合算子，保留其输入"),
    ("swiglu", "", "SwiGLU 的计算方式"),
    ("swiglu", "eager", "silu 与乘积，各自保留输出"),
    ("swiglu", "fused", "单个融合算子，保留 gate 与 up"),
    ("qkv", "", "查询、键、值的投影方式"),
    ("qkv", "separate", "三个投影"),
    ("qkv", "fused", "一个投影，因值是其视图而整体保留"),
    ("kv", "", "键和值如何对应更多的查询头"),
    ("kv", "native", "由注意力算子共享"),
    ("kv", "expanded", "为每个查询头复制一份"),
    ("norm-outputs", "", "序列并行下归一化输出保留什么"),
    ("norm-outputs", "gathered", "整个序列，与 DTensor 一致"),
    ("norm-outputs", "shard", "本 rank 的部分，反向时再次聚合，与 Megatron 一致"),
    ("wrap", "", "FSDP 包装哪些模块"),
    ("wrap", "layers+root", "每层一组；词嵌入、最终归一化与输出层为一组"),
    ("wrap", "embedding+layers+head", "词嵌入、每层、最终归一化与输出层"),
    ("loss", "", "损失的计算方式"),
    ("loss", "full-fp32", "对全部 fp32 logits 计算交叉熵"),
    ("loss", "chunked:N", "每次 N 个词元，反向时重新计算 logits"),
    ("loss", "fused", "输出层与损失融合为一个算子，从不持有全部 logits"),
    ("loss", "megatron", "Megatron 的词表切分融合交叉熵"),
    ("loss", "nanotron", "nanotron 的词表切分交叉熵"),
    ("logits-kept", "", "计算损失期间是否仍引用 bf16 logits"),
    ("logits-kept", "false", "转换后即释放"),
    ("logits-kept", "true", "引用到损失计算结束"),
    ("adamw", "", "AdamW 的更新方式"),
    ("adamw", "fused", "单个融合算子"),
    ("adamw", "foreach", "一次处理全部张量，每个参数多一份张量"),
    ("expert-shard-dim", "", "FSDP 切分堆叠专家的哪一维"),
    ("expert-shard-dim", "auto", "专家数少于 rank 数时切第二维，否则切第一维"),
    ("expert-shard-dim", "0", "始终切第一维，并填充"),
    ("state-layout", "", "参数、梯度与优化器状态的存放方式"),
    ("state-layout", "fsdp2", "全部分片"),
    ("state-layout", "zero1", "优化器状态分片，权重与梯度完整，与 Megatron 的分布式优化器一致"),
    ("pipeline-reshard", "", "流水线阶段是否在每次前向后释放聚合的权重"),
    ("pipeline-reshard", "false", "保留到该步结束"),
    ("pipeline-reshard", "true", "释放，下次前向时再次聚合"),
    ("gradient-sync", "", "梯度累积时何时归约（流水线：始终在最后）"),
    ("gradient-sync", "every", "每个微批次之后"),
    ("gradient-sync", "last", "最后一个微批次之后"),
    ("reshard-after-backward", "", "不做归约的反向之后是否释放聚合的权重（流水线：从不）"),
    ("reshard-after-backward", "true", "释放"),
    ("reshard-after-backward", "false", "保留到下一次前向"),
    ("cp-kind", "", "上下文并行如何交换词元"),
    ("cp-kind", "by-algorithm", "依运行的算法：聚合，ulysses_cp 则为 all-to-all"),
    ("cp-kind", "gathered", "每个 rank 持有整个序列的键和值"),
    ("cp-kind", "all-to-all", "以头换词元"),
    ("cp-kind", "ring", "键和值在 rank 之间依次传递"),
];
