//! What is said of how far one can go. Late: only those hear it who ask.

use super::Language;
use shardmem::report::number::grouped;

/// The words.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub sequence: fn(i64) -> String,
    pub micro_batch: fn(i64) -> String,
    pub fits_with: fn(&str, &str) -> String,
    pub next_needs: fn(&str, &str) -> String,
    pub largest_tried: &'static str,
    pub as_it_stands: &'static str,
    pub no_sequence: &'static str,
    pub no_micro_batch: &'static str,
    pub layers: fn(u32, bool) -> String,
    pub no_layer: &'static str,
    pub one_less: &'static str,
    pub no_layers: &'static str,
    pub several_parts: &'static str,
    pub not_ranges: &'static str,
}

/// The table of a language.
pub const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

const ENGLISH: Words = Words {
    sequence: |length| format!("{} tokens", grouped(length as f64)),
    micro_batch: |size| if size == 1 { "1 sequence a pass".to_owned() } else { format!("{size} sequences a pass") },
    fits_with: |what, peak| format!("{what}: {peak}."),
    next_needs: |what, peak| format!(" {what} would need {peak}."),
    largest_tried: " Nothing larger was tried.",
    as_it_stands: " That is what it has.",
    no_sequence: "No length fits: even without a sequence to speak of the run exceeds its device.",
    no_micro_batch: "No size fits: even one sequence a pass exceeds the device.",
    layers: |layers, in_full| {
        let what = if layers == 1 { "1 layer recomputed".to_owned() } else { format!("{layers} layers recomputed") };
        format!("{what} {}", if in_full { "in full" } else { "in part" })
    },
    no_layer: "No layer recomputed",
    one_less: " With one less a stage exceeds.",
    no_layers: "No choice of layers fits: a stage exceeds even with all of its layers recomputed.",
    several_parts: "This model has several parts that share one setting, so layers cannot be chosen one by one.",
    not_ranges: " This schedule runs back over its stages, so that these layers cannot be set from here.",
};

const CHINESE: Words = Words {
    sequence: |length| format!("{} 个词元", grouped(length as f64)),
    micro_batch: |size| format!("每次前向 {size} 条序列"),
    fits_with: |what, peak| format!("{what}：{peak}。"),
    next_needs: |what, peak| format!("{what}则需要 {peak}。"),
    largest_tried: "更大的值没有尝试。",
    as_it_stands: "当前即为此值。",
    no_sequence: "任何长度都放不下：序列再短，也超出设备显存。",
    no_micro_batch: "任何大小都放不下：每次前向一条序列也超出设备显存。",
    layers: |layers, in_full| format!("{}重计算 {layers} 层", if in_full { "全部" } else { "部分" }),
    no_layer: "无需重计算任何层",
    one_less: "再少一层，就有阶段超出。",
    no_layers: "无论选哪些层都放不下：即使全部重计算，仍有阶段超出。",
    several_parts: "该模型由多个部分组成，共用一个设置，无法逐层选择。",
    not_ranges: "该调度会折返经过各阶段，无法在此设置这些层。",
};
