//! What the comparison with measured peaks says. Late: only those read it who open it.

use super::Language;
use shardmem::report::accuracy::{PeakClass, Set};

/// The words.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub about: &'static str,
    pub scatter: &'static str,
    pub measured: &'static str,
    pub predicted: &'static str,
    pub exact: &'static str,
    pub summary: &'static str,
    pub class: &'static str,
    pub classes: &'static str,
    pub all: &'static str,
    pub case: &'static str,
    pub from: &'static str,
    pub cases: &'static str,
    pub count: &'static str,
    pub median: &'static str,
    pub worst: &'static str,
    pub error: &'static str,
    pub not_priced: &'static str,
    pub class_name: fn(PeakClass) -> &'static str,
    pub set_name: fn(Set) -> &'static str,
    /// Why a measurement is not the run's, by the word of the table.
    pub artefact: fn(&str) -> &'static str,
}

/// The table of a language.
pub const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH: Words = Words {
    about: "Each case is one training step whose peak is known: simulated tensor by tensor with PyTorch's own tracker, or \
            measured and published. Both models were asked the same run. fsdp2 follows what PyTorch allocates; sapp_nd is \
            the reference that HyperParallel ranks layouts with.",
    scatter: "Predicted against measured peaks",
    measured: "measured",
    predicted: "predicted",
    exact: "as measured",
    summary: "Errors by what makes up the peak",
    class: "peak in",
    classes: "Cases shown",
    all: "All",
    case: "case",
    from: "source",
    cases: "Every case",
    count: "cases",
    median: "median",
    worst: "worst",
    error: "error",
    not_priced: "not priced",
    class_name: |class| match class {
        PeakClass::Loss => "Loss",
        PeakClass::Root => "Embedding and head",
        PeakClass::Layer => "Layer",
        PeakClass::Optimizer => "Optimizer step",
    },
    set_name: |set| match set {
        Set::Simulated => "simulated",
        Set::Parallel => "simulated, parallel",
        Set::Published => "published",
    },
    artefact: |word| match word {
        "" => "",
        "wrapper" => "the tracker itself holds one gradient more",
        "reserved" => "reserved by the allocator, not allocated",
        _ => "the measurement holds more than the run",
    },
};

static CHINESE: Words = Words {
    about: "每个案例是一个峰值已知的训练步：由 PyTorch 自带的跟踪器逐张量模拟得到，或为公开发表的实测值。两个模型计算同一配置。\
            fsdp2 依照 PyTorch 的实际分配；sapp_nd 是 HyperParallel 用来比较布局的参考模型。",
    scatter: "预测峰值与实测峰值",
    measured: "实测",
    predicted: "预测",
    exact: "与实测相同",
    summary: "按峰值构成统计的误差",
    class: "峰值所在",
    classes: "显示的案例",
    all: "全部",
    case: "案例",
    from: "来源",
    cases: "全部案例",
    count: "案例数",
    median: "中位数",
    worst: "最大",
    error: "误差",
    not_priced: "未计算",
    class_name: |class| match class {
        PeakClass::Loss => "损失",
        PeakClass::Root => "词嵌入与输出层",
        PeakClass::Layer => "层",
        PeakClass::Optimizer => "优化器更新",
    },
    set_name: |set| match set {
        Set::Simulated => "模拟",
        Set::Parallel => "模拟（并行）",
        Set::Published => "公开发表",
    },
    artefact: |word| match word {
        "" => "",
        "wrapper" => "跟踪器自身多持有一份梯度",
        "reserved" => "为分配器保留的显存，而非已分配的",
        _ => "测量值多于运行本身",
    },
};
