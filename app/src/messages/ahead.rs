//! What is said of what would happen: beside the controls, and under the verdict.

use super::{Language, Messages};
use crate::state::futures::Question;
use shardmem::facts::controls::Control;
use shardmem::report::Fits;
use shardmem::whatif::Cost;

/// The words.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub on: &'static str,
    pub off: &'static str,
    pub peak: &'static str,
    pub fits: fn(Fits) -> &'static str,
    /// Behind a figure of a run that could not start; the reason follows.
    pub would_not_run: &'static str,
    /// Before the reason for which a value is refused.
    pub refused: &'static str,
    /// Between two facts of a line.
    pub between: &'static str,
    /// Between what is said and the reason for it.
    pub colon: &'static str,
    pub devices: fn(i64) -> String,
    // Under the verdict.
    pub panel: &'static str,
    pub mending: &'static str,
    pub mending_together: &'static str,
    pub searching: &'static str,
    pub nothing_mends: &'static str,
    pub nearest: &'static str,
    pub room: &'static str,
    pub no_room: &'static str,
    pub more: fn(usize) -> String,
    pub fewer: &'static str,
    pub cost: fn(Cost) -> &'static str,
    pub questions: &'static str,
    pub question: fn(Question) -> &'static str,
    pub take: &'static str,
}

/// The table of a language.
pub const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

/// The name of a control where there is little room: degrees by their letters, which every language uses.
pub fn short(control: Control, say: &Messages) -> &'static str {
    LETTERS.iter().find(|(known, _)| *known == control).map_or_else(|| (say.control)(control), |(_, letters)| letters)
}

const LETTERS: [(Control, &str); 5] =
    [(Control::Tp, "TP"), (Control::Pp, "PP"), (Control::Cp, "CP"), (Control::Ep, "EP"), (Control::Etp, "ETP")];

const ENGLISH: Words = Words {
    on: "on",
    off: "off",
    peak: "peak",
    fits: |fits| match fits {
        Fits::Yes => "fits",
        Fits::Tight => "fits tightly",
        Fits::No => "exceeds",
        Fits::Unknown => "not judged",
    },
    would_not_run: "would not run",
    refused: "not possible",
    between: ", ",
    colon: ": ",
    devices: |devices| format!("{devices} devices"),
    panel: "What would make it fit",
    mending: "One step makes it fit",
    mending_together: "No single step makes it fit; two together do",
    searching: "No single step makes it fit. Trying two together…",
    nothing_mends: "No step makes it fit, nor do two together.",
    nearest: "What comes nearest",
    room: "It fits, and has room for one of these",
    no_room: "It fits, and nothing here could grow by a step.",
    more: |count| format!("{count} more"),
    fewer: "Fewer",
    cost: |cost| match cost {
        Cost::Free => "free switch",
        Cost::Sharding => "more sharding",
        Cost::MicroBatch => "smaller passes",
        Cost::Recompute => "more compute",
        Cost::Layout => "another layout",
        Cost::Devices => "more devices",
    },
    questions: "How far can it go?",
    question: |question| match question {
        Question::Sequence => "Longest sequence",
        Question::MicroBatch => "Largest micro-batch",
        Question::Recompute => "Fewest recomputed layers",
    },
    take: "Take it",
};

const CHINESE: Words = Words {
    on: "开",
    off: "关",
    peak: "峰值",
    fits: |fits| match fits {
        Fits::Yes => "放得下",
        Fits::Tight => "勉强放得下",
        Fits::No => "超出",
        Fits::Unknown => "无法判断",
    },
    would_not_run: "无法运行",
    refused: "不可用",
    between: "，",
    colon: "：",
    devices: |devices| format!("{devices} 台设备"),
    panel: "怎样才放得下",
    mending: "改一步即可放下",
    mending_together: "改任何一步都放不下；两步一起可以",
    searching: "改任何一步都放不下，正在尝试两步…",
    nothing_mends: "改一步或两步都放不下。",
    nearest: "最接近的是",
    room: "放得下，还可以选其中一项",
    no_room: "放得下，但没有哪一项还能再增加。",
    more: |count| format!("还有 {count} 项"),
    fewer: "收起",
    cost: |cost| match cost {
        Cost::Free => "仅开关",
        Cost::Sharding => "更多分片",
        Cost::MicroBatch => "更小的批次",
        Cost::Recompute => "更多计算",
        Cost::Layout => "改变布局",
        Cost::Devices => "更多设备",
    },
    questions: "最多能到多少？",
    question: |question| match question {
        Question::Sequence => "最长序列",
        Question::MicroBatch => "最大微批次",
        Question::Recompute => "最少重计算层数",
    },
    take: "采用",
};
