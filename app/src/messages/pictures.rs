//! The words of the pictures of a run: those that are seen at once, and those that come with the pictures themselves.

use super::Language;
use shardmem::report::InstantTotal;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit};
use shardmem::units::Bytes;

/// What is said before a picture is opened.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Captions {
    pub other_instant: &'static str,
    pub layer_map: &'static str,
    pub stage_table: &'static str,
    pub heat_map: &'static str,
    pub accuracy: &'static str,
    pub copy_table: &'static str,
    pub copied: &'static str,
    pub not_copied: &'static str,
    pub leave_out: &'static str,
    /// A moment, as a sentence names it.
    pub moment: fn(&str) -> String,
    /// The peak's moment, and how far the nearest other one is below.
    pub peak_said: fn(&[InstantTotal], MemoryUnit) -> String,
}

/// What the pictures say.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub stage: &'static str,
    pub layers: &'static str,
    pub in_flight: &'static str,
    pub spare: &'static str,
    pub peak_at: &'static str,
    pub peak: &'static str,
    pub stage_peak: &'static str,
    pub never: &'static str,
    pub nothing_runs: &'static str,
    /// The layers from a number to another.
    pub numbers: fn(i64, i64) -> String,
    pub layer: fn(i64, &str) -> String,
    pub chunk: fn(usize) -> String,
}

/// The captions of a language.
pub const fn captions(language: Language) -> &'static Captions {
    match language {
        Language::English => &ENGLISH_CAPTIONS,
        Language::Chinese => &CHINESE_CAPTIONS,
    }
}

/// The words of a language.
pub const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH_CAPTIONS: Captions = Captions {
    other_instant: "Total at the other instant",
    layer_map: "Layers on stages",
    stage_table: "All stages in figures",
    heat_map: "Stages at every instant",
    accuracy: "How accurate is this?",
    copy_table: "Copy table",
    copied: "Copied",
    not_copied: "The browser does not allow copying",
    leave_out: "Take out of the file",
    moment: |id| match id {
        "warmup-end" => "the end of the warm-up".to_owned(),
        "backward-end" => "the end of the backward".to_owned(),
        "forward-layer" => "a layer's forward".to_owned(),
        "forward-end" => "the end of the forward".to_owned(),
        "backward-start" => "the start of the backward".to_owned(),
        "layer-gather" => "a layer's gather".to_owned(),
        "layer-backward" => "a layer's backward".to_owned(),
        "layer-reduction" => "a layer's reduction".to_owned(),
        other => format!("the {}", other.replace('-', " ")),
    },
    peak_said: |instants, unit| {
        let moment = ENGLISH_CAPTIONS.moment;
        match Said::of(instants, unit) {
            Said::Nothing => String::new(),
            Said::Alone(peak) => format!("Peak at {}", moment(peak)),
            Said::Equal(peak, other) => format!("Peak at {}; just as much at {}", moment(peak), moment(other)),
            Said::Below(peak, other, gap) => format!("Peak at {}; {} is {gap} lower", moment(peak), moment(other)),
            Said::Nearest(peak, other, gap) => {
                format!("Peak at {}; the next highest, {}, is {gap} lower", moment(peak), moment(other))
            }
        }
    },
};

static CHINESE_CAPTIONS: Captions = Captions {
    other_instant: "另一时刻的总量",
    layer_map: "各阶段的层",
    stage_table: "全部阶段的数值",
    heat_map: "各阶段各时刻",
    accuracy: "准确度如何？",
    copy_table: "复制表格",
    copied: "已复制",
    not_copied: "浏览器不允许复制",
    leave_out: "从文件中去掉",
    moment: |id| chinese_instant(id).map_or_else(|| id.replace('-', " "), str::to_owned),
    peak_said: |instants, unit| {
        let moment = CHINESE_CAPTIONS.moment;
        match Said::of(instants, unit) {
            Said::Nothing => String::new(),
            Said::Alone(peak) => format!("峰值在{}时", moment(peak)),
            Said::Equal(peak, other) => format!("峰值在{}时；{}时相同", moment(peak), moment(other)),
            Said::Below(peak, other, gap) => format!("峰值在{}时；{}时低 {gap}", moment(peak), moment(other)),
            Said::Nearest(peak, other, gap) => {
                format!("峰值在{}时；其次是{}时，低 {gap}", moment(peak), moment(other))
            }
        }
    },
};

static ENGLISH: Words = Words {
    stage: "stage",
    layers: "layers",
    in_flight: "micro-batches in flight",
    spare: "to spare",
    peak_at: "peak at",
    peak: "the peak of all",
    stage_peak: "the peak of this stage",
    never: "does not occur",
    nothing_runs: "runs nothing",
    numbers: |low, high| if low == high { format!("layer {low}") } else { format!("layers {low} to {high}") },
    layer: |number, kind| format!("{number}: {kind}"),
    chunk: |chunk| format!("chunk {chunk}"),
};

static CHINESE: Words = Words {
    stage: "阶段",
    layers: "层",
    in_flight: "在途微批次",
    spare: "剩余",
    peak_at: "峰值时刻",
    peak: "全部中的峰值",
    stage_peak: "本阶段的峰值",
    never: "不出现",
    nothing_runs: "没有层",
    numbers: |low, high| if low == high { format!("第 {low} 层") } else { format!("第 {low} 至 {high} 层") },
    layer: |number, kind| format!("{number}：{kind}"),
    chunk: |chunk| format!("块 {chunk}"),
};

/// The head of a column of an instant in English, where its id alone says too little.
pub(super) fn english_instant(id: &str) -> Option<&'static str> {
    Some(match id {
        "first-gather" => "First gather",
        "forward-layer" => "Layer forward",
        "forward-end" => "Forward ends",
        "loss" => "Loss",
        "backward-start" => "Backward starts",
        "head" => "Output head",
        "layer-gather" => "Layer gather",
        "layer-backward" => "Layer backward",
        "layer-reduction" => "Layer reduction",
        "embedding" => "Embedding",
        "embedding-cut" => "Embedding cut",
        "root-reduction" => "Root reduction",
        "optimizer-step" => "Optimizer step",
        _ => return None,
    })
}

/// An instant in Chinese.
pub(super) fn chinese_instant(id: &str) -> Option<&'static str> {
    Some(match id {
        "warmup-end" => "预热结束",
        "backward-end" => "反向结束",
        "first-gather" => "首次聚合",
        "forward-layer" => "层前向",
        "forward-end" => "前向结束",
        "loss" => "损失计算",
        "backward-start" => "反向开始",
        "head" => "输出头",
        "layer-gather" => "层聚合",
        "layer-backward" => "层反向",
        "layer-reduction" => "层归约",
        "embedding" => "词嵌入",
        "embedding-cut" => "词嵌入切分",
        "root-reduction" => "根归约",
        "optimizer-step" => "优化器更新",
        _ => return None,
    })
}

/// What is to be said of a stage's instants.
enum Said {
    Nothing,
    /// There is but one.
    Alone(&'static str),
    /// The other reaches the peak as well.
    Equal(&'static str, &'static str),
    /// The other of two is so much lower.
    Below(&'static str, &'static str, String),
    /// The nearest of several is so much lower.
    Nearest(&'static str, &'static str, String),
}

impl Said {
    fn of(instants: &[InstantTotal], unit: MemoryUnit) -> Self {
        let Some(peak) = instants.iter().find(|instant| instant.wins) else { return Self::Nothing };
        let others = instants.iter().filter(|instant| !instant.wins);
        let nearest = others.reduce(|nearest, other| if other.bytes > nearest.bytes { other } else { nearest });
        let Some(other) = nearest else { return Self::Alone(peak.id) };
        let gap = peak.bytes - other.bytes;
        if gap == Bytes::ZERO {
            return Self::Equal(peak.id, other.id);
        }
        // A distance that is there is not written as none.
        let is_small = gap.gib() < 0.05 || gap.gb() < 0.05;
        let gap = amount_with_unit(gap, unit, if is_small { Decimals::Two } else { Decimals::One });
        if instants.len() == 2 { Self::Below(peak.id, other.id, gap) } else { Self::Nearest(peak.id, other.id, gap) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instants(totals: &[(&'static str, f64)], wins: usize) -> Vec<InstantTotal> {
        let total = |(at, (id, gib)): (usize, &(&'static str, f64))| InstantTotal {
            layer: None,
            id,
            bytes: Bytes::new(gib * 1_073_741_824.0),
            wins: at == wins,
        };
        totals.iter().enumerate().map(total).collect()
    }

    fn said(totals: &[(&'static str, f64)], wins: usize) -> [String; 2] {
        let instants = instants(totals, wins);
        Language::ALL.map(|language| (captions(language).peak_said)(&instants, MemoryUnit::Gib))
    }

    #[test]
    fn the_instant_that_won_is_said_with_the_other() {
        assert_eq!(
            said(&[("warmup-end", 60.0), ("backward-end", 63.1)], 1),
            [
                "Peak at the end of the backward; the end of the warm-up is 3.1\u{a0}GiB lower",
                "峰值在反向结束时；预热结束时低 3.1\u{a0}GiB"
            ]
        );
        assert_eq!(
            said(&[("warmup-end", 60.0), ("backward-end", 60.0)], 0),
            [
                "Peak at the end of the warm-up; just as much at the end of the backward",
                "峰值在预热结束时；反向结束时相同"
            ]
        );
        assert!(said(&[("warmup-end", 60.0), ("backward-end", 59.98)], 0)[0].ends_with("is 0.02\u{a0}GiB lower"));
        assert_eq!(said(&[("loss", 1.0)], 0), ["Peak at the loss", "峰值在损失计算时"]);
        assert_eq!(said(&[], 0), ["", ""]);
    }

    #[test]
    fn among_several_the_nearest_is_said() {
        let several = [("first-gather", 10.0), ("layer-backward", 58.0), ("optimizer-step", 25.0)];
        assert_eq!(
            said(&several, 1),
            [
                "Peak at a layer's backward; the next highest, the optimizer step, is 33.0\u{a0}GiB lower",
                "峰值在层反向时；其次是优化器更新时，低 33.0\u{a0}GiB"
            ]
        );
    }
}
