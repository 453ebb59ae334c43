//! Simplified Chinese.

use super::pictures::chinese_instant;
use super::{Language, LayerCounts, Messages};
use crate::state::Theme;
use crate::state::history::What;
use crate::state::ranges::Mode;
use crate::state::session::Notice;
use shardmem::diagnostics::Severity;
use shardmem::facts::controls::{Control, Disabled, Refusal};
use shardmem::memory::Category;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, grouped, rounded};
use shardmem::report::{Fits, Verdict};
use shardmem::units::Bytes;

/// The table.
pub(super) static CHINESE: Messages = Messages {
    spoken: Language::Chinese,
    unit: "显存单位",
    language: "语言",
    undo: |what| what.map_or_else(|| "没有可撤销的操作".to_owned(), |what| format!("撤销：{}", step(what))),
    redo: |what| what.map_or_else(|| "没有可重做的操作".to_owned(), |what| format!("重做：{}", step(what))),
    notice: |notice| match notice {
        Notice::ConfigTaken => "这是模型的 config.json：已作为本次训练的模型，train.yaml 保持不变。".to_owned(),
        Notice::SettingsLeft(count) => format!("已换成另一份配置：之前的 {count} 项设置不再生效。"),
        Notice::Done(words) | Notice::Told(words) => words.to_string(),
        Notice::PartMissing => "页面的这一部分未能载入。请重试；若页面已更新，请刷新。".to_owned(),
    },
    take_back: "撤销",
    dismiss: "关闭",
    copy_link: "复制链接",
    full_page: "打开完整页面",
    theme: "主题",
    theme_name: |theme| match theme {
        Theme::Auto => "跟随系统",
        Theme::Light => "浅色",
        Theme::Dark => "深色",
    },
    devices: |devices| format!("{} 台设备", grouped(devices as f64)),
    privacy: "您输入的内容不会离开本页",
    version: |version| format!("ShardMem {version}"),

    run: "train.yaml",
    sample: "示例",
    sample_placeholder: "示例",
    sample_title: |model, devices| format!("{model}，{devices} 台设备"),
    open_file: "打开…",
    yaml: "本次训练的 train.yaml",
    tab_indents: "Tab 键缩进；先按 Esc 再按 Tab 离开编辑器",
    tab_leaves: "Tab 键离开编辑器；开始输入后 Tab 键缩进",
    diagnostics: "文件中的问题",
    severity: |severity| match severity {
        Severity::Error => "错误",
        Severity::Warning => "警告",
        Severity::Note => "提示",
    },
    line: |spot| format!("第 {} 行", spot.line),
    way_model: "选择模型",
    way_config: "粘贴其 config.json",

    model: "模型",
    model_picker: "选择模型",
    model_none: "没有名称包含这些词的模型",
    model_found: "文件中指定",
    model_chosen: "由您选择",
    model_config: "来自您的 config.json",
    model_stale: "上次读取的结果",
    model_unknown: "尚不知道模型：请在文件中指定、在此选择，或粘贴其 config.json。",
    model_from_file: "改回文件中的模型",
    config_json: "模型的 config.json",
    config_json_summary: "粘贴 config.json",
    parameters: |count| (super::english::ENGLISH.parameters)(count),

    controls: "布局",
    controls_pinned: |devices| format!("保持 {} 台设备", grouped(devices as f64)),
    pin: "保持设备数",
    reset_all: "还原",
    reset_all_about: "所有控件恢复为文件中的值",
    reset: |before| {
        if before.is_empty() {
            "改回文件：文件中未指定".to_owned()
        } else {
            format!("改回文件中的 {before}")
        }
    },
    group: |name| match name {
        "parallel" => "并行度",
        "batch" => "批次与序列",
        "memory" => "保留什么",
        "device" => "设备",
        _ => "更多设置",
    },
    control,
    control_effect,
    disabled: |disabled| match disabled {
        Disabled::NotInThisSchema(key) => format!("此文件的格式没有 {}", key.last_key().unwrap_or_default()),
        Disabled::DecidedBy(key) => format!("由 {key} 决定"),
        Disabled::DenseModel => "此模型没有专家".to_owned(),
    },
    refusal: |refusal| match refusal {
        Refusal::Disabled(disabled) => (CHINESE.disabled)(disabled),
        Refusal::Kind => "不是此设置的取值".to_owned(),
        Refusal::NotPositive => "至少为 1".to_owned(),
        Refusal::DevicesNotDivided { devices, product } => format!("TP·PP·CP = {product} 不能整除 {devices} 台设备"),
        Refusal::ShardNotDividing { data_parallel } => format!("不能整除数据并行度 {data_parallel}"),
    },
    moved: |moved, devices| {
        let moves: Vec<String> =
            moved.iter().map(|moved| format!("{} {} → {}", control(moved.control), moved.from, moved.to)).collect();
        let moves = moves.join("，");
        match moved {
            [moved] if moved.control == Control::Devices => moves,
            _ => format!("{moves}，以保持 {devices} 台设备"),
        }
    },
    followed: |leader, from| format!("原为 {from}；随{}变化", control(leader)),
    value_and_verdict: |value, verdict| {
        if verdict.is_empty() { value.to_owned() } else { format!("{value}，{verdict}") }
    },
    typed_freely: |control| format!("{control}，自行输入"),

    ranges: "按层重计算",
    ranges_edit: "按层选择…",
    ranges_none: "没有区间：每一层都保留激活值。",
    ranges_add: "添加区间",
    ranges_leave: "改回统一设置",
    ranges_decide: "由下方按层决定",
    range: |range| format!("区间 {range}"),
    range_first: "起始层",
    range_count: "层数",
    range_to_end: "到末层",
    range_mode: "重计算",
    range_mode_name: |mode| match mode {
        Mode::None => "不重计算",
        Mode::Selective => "按规则选择",
        Mode::ByOp => "自选算子",
        Mode::Full => "全部",
    },
    range_ops: "重计算的算子",
    range_up: |range| format!("上移区间 {range}"),
    range_down: |range| format!("下移区间 {range}"),
    range_remove: |range| format!("删除区间 {range}"),

    baseline: "基线",
    baseline_pin: "设为基线",
    baseline_pin_again: "改以当前为基线",
    baseline_swap: "互换",
    baseline_clear: "清除",
    baseline_unread: "基线无法读取",
    baseline_change: |peak, baseline, unit| {
        let change = peak - baseline;
        let gap = amount_with_unit(magnitude(change), unit, Decimals::One);
        let base = amount_with_unit(baseline, unit, Decimals::One);
        if gap == amount_with_unit(Bytes::ZERO, unit, Decimals::One) {
            format!("与基线相同（{base}）")
        } else if change < Bytes::ZERO {
            format!("比基线（{base}）少 {gap}")
        } else {
            format!("比基线（{base}）多 {gap}")
        }
    },
    keys_differ: |count| if count == 0 { "没有不同的键".to_owned() } else { format!("{count} 个键不同") },
    column_change: "变化",

    answer: "每台设备的显存",
    stale: "以下为上次有效的结果；当前配置有错误",
    no_estimate: "尚无估算",
    no_estimate_help: "配置无法读取。问题列在文件下方，点击可跳到对应行。",
    verdict,
    verdict_short,
    verdict_reason,
    stages: "流水线阶段",
    stages_stale: "流水线阶段，上次有效的结果",
    stage: |stage| format!("阶段 {stage}"),
    stage_name: |stage, total, capacity, unit| {
        let headroom = capacity - total;
        let relation = if headroom < Bytes::ZERO { "超出" } else { "剩余" };
        format!(
            "阶段 {stage}：{}，{relation} {}",
            amount_with_unit(total, unit, Decimals::One),
            amount_with_unit(magnitude(headroom), unit, Decimals::One)
        )
    },
    category,
    legend: "柱形的组成",
    legend_notch: "负值，已扣除",
    legend_capacity: "设备",
    breakdown: "所选阶段在峰值时的占用",
    column_part: "部分",
    column_share: "占比",
    total: "峰值",
    percent: |share| (super::english::ENGLISH.percent)(share),
    item,
    certainty_policy: "按所选约定",
    certainty_estimated: "估计值",
    layers,
    layer_letter: |letter| match letter {
        'E' => "词嵌入",
        'O' => "输出层",
        'N' => "保留激活值的层",
        'S' => "部分重计算的层",
        'F' => "全部重计算的层",
        _ => "层",
    },
    in_flight: |chunks| {
        let counts: Vec<String> = chunks.iter().map(|count| rounded(*count, Decimals::Two)).collect();
        match counts.as_slice() {
            [] => "没有在途微批次".to_owned(),
            [one] => format!("{one} 个在途微批次"),
            several => format!("{} 个在途微批次（按块）", several.join(" + ")),
        }
    },
    instants: "各时刻的总量",
    instant: |id| chinese_instant(id).map_or_else(|| id.replace('-', " "), str::to_owned),
    instant_wins: "峰值",
};

/// What a step did, behind `撤销：`.
fn step(what: What) -> &'static str {
    match what {
        What::Text => "输入",
        What::Config => "config.json",
        What::Run => "打开配置",
        What::Link => "打开链接",
        What::Model => "选择模型",
        What::Control(which) => control(which),
        What::AllControls => "还原",
        What::Devices => "保持设备数",
        What::Ranges => "按层重计算",
        What::Baseline => "基线",
        What::Applied => "写入文件",
        What::MemoryModel => "显存模型",
        What::Policy => "约定",
        What::Measured => "实测峰值",
    }
}

fn control(control: Control) -> &'static str {
    match control {
        Control::DpShard => "DP 分片",
        Control::DpReplicate => "DP 副本",
        Control::Tp => "张量并行",
        Control::Pp => "流水线并行",
        Control::Cp => "上下文并行",
        Control::Ep => "专家并行",
        Control::Etp => "专家张量并行",
        Control::EdpShard => "专家分片",
        Control::SequenceParallel => "序列并行",
        Control::Vpp => "每阶段块数",
        Control::Schedule => "流水线调度",
        Control::CpAlgorithm => "CP 算法",
        Control::LossParallel => "损失并行",
        Control::MicroBatch => "微批次大小",
        Control::MicroBatches => "微批次数",
        Control::GlobalBatch => "全局批次",
        Control::SequenceLength => "序列长度",
        Control::Recompute => "重计算",
        Control::Reshard => "前向后重新分片",
        Control::Optimizer => "优化器",
        Control::MainParams => "fp32 主参数",
        Control::ParamDtype => "参数类型",
        Control::ComputeDtype => "计算类型",
        Control::Device => "设备型号",
        Control::DeviceMemory => "设备显存",
        Control::Devices => "设备数",
    }
}

/// What a control divides or decides.
fn control_effect(control: Control) -> &'static str {
    match control {
        Control::DpShard => "把状态切分到各卡",
        Control::DpReplicate => "分片组的份数",
        Control::Tp => "切分注意力与前馈",
        Control::Pp => "把层分到各阶段",
        Control::Cp => "切分序列",
        Control::Ep => "把专家分到各卡",
        Control::Etp => "切分单个专家",
        Control::EdpShard => "切分专家的状态",
        Control::SequenceParallel => "归一化按 TP 切分",
        Control::Vpp => "阶段交错执行",
        Control::Schedule => "前向与反向的顺序",
        Control::CpAlgorithm => "交换键和值的方式",
        Control::LossParallel => "logits 按 TP 切分",
        Control::MicroBatch => "每次前向的序列数",
        Control::MicroBatches => "每步的前向次数",
        Control::GlobalBatch => "每步的序列数",
        Control::SequenceLength => "每条序列的词元数",
        Control::Recompute => "以计算换激活显存",
        Control::Reshard => "释放聚合的参数",
        Control::Optimizer => "每个参数的状态数",
        Control::MainParams => "每个参数的高精度副本",
        Control::ParamDtype => "每个参数的字节数",
        Control::ComputeDtype => "每个激活值的字节数",
        Control::Device => "其显存即图中的线",
        Control::DeviceMemory => "图中的线",
        Control::Devices => "总卡数",
    }
}

fn category(category: Category) -> &'static str {
    match category {
        Category::Parameters => "参数",
        Category::OptimizerStates => "优化器状态",
        Category::Gradients => "梯度",
        Category::Activations => "激活值",
        Category::Buffers => "缓冲区",
        Category::BackwardWorkingSet => "反向工作集",
        Category::GradientsInFlight => "在途梯度",
        Category::Reserve => "预留",
    }
}

/// An item inside its category's row, so the category is not said again.
fn item(id: &str) -> String {
    let whole = match id {
        "working-set-activations" => "当前层的激活值",
        "working-set-buffers" => "当前层的缓冲区",
        "gradients-held" => "保留到反向结束",
        "gradients-whole-layers" => "各层，归约之前",
        "gradients-whole-output" => "输出层，归约之前",
        "activations-attention-qkv" => "注意力：查询、键、值",
        "activations-attention-score" => "注意力：得分",
        "activations-attention-projection" => "注意力：投影",
        "activations-recompute-inputs" => "重计算层的输入",
        "activations-measured" => "实测",
        "buffers-table-gathers" => "聚合的词嵌入与输出表",
        "buffers-parameter-gathers" => "聚合的参数",
        "reserve" => "固定预留",
        _ => "",
    };
    if !whole.is_empty() {
        return whole.to_owned();
    }
    let category = Category::ALL.into_iter().map(Category::id);
    let part =
        category.map(|category| id.strip_prefix(category)?.strip_prefix('-')).find_map(|part| part).unwrap_or(id);
    let known = match part {
        "attention" => "注意力",
        "feed-forward" => "前馈",
        "routed-experts" => "路由专家",
        "shared-experts" => "共享专家",
        "experts" => "专家",
        "router" => "路由器",
        "norm" => "归一化",
        "embedding" => "词嵌入",
        "output" => "输出层",
        "mtp" => "多词元预测",
        "vision" => "视觉塔",
        "tensor-parallel" => "张量并行",
        "context-parallel" => "上下文并行",
        "expert-parallel" => "专家并行",
        _ => "",
    };
    if known.is_empty() { (super::english::ENGLISH.item)(id) } else { known.to_owned() }
}

fn magnitude(bytes: Bytes) -> Bytes {
    Bytes::new(bytes.value().abs())
}

fn verdict(verdict: &Verdict, unit: MemoryUnit) -> String {
    let gap = amount_with_unit(magnitude(verdict.headroom), unit, Decimals::One);
    let capacity = format!("{}\u{a0}{}", rounded(unit.of(verdict.capacity), Decimals::One), unit.name());
    match verdict.fits {
        Fits::Yes => format!("{capacity} 放得下，剩余 {gap}"),
        Fits::Tight => format!("{capacity} 勉强放得下，剩余 {gap}"),
        Fits::No => format!("超出 {capacity} 上限 {gap}"),
        Fits::Unknown => format!("需要 {}", amount_with_unit(verdict.peak, unit, Decimals::One)),
    }
}

fn verdict_short(verdict: &Verdict, unit: MemoryUnit) -> String {
    let gap = amount_with_unit(magnitude(verdict.headroom), unit, Decimals::One);
    match verdict.fits {
        Fits::Yes => format!("放得下，剩余 {gap}"),
        Fits::Tight => format!("勉强放得下，剩余 {gap}"),
        Fits::No => format!("超出 {gap}"),
        Fits::Unknown => String::new(),
    }
}

/// The rest of the sentence that begins with the peak.
fn verdict_reason(verdict: &Verdict, stages: usize) -> String {
    let place = if stages > 1 { format!("出现在阶段 {}", verdict.stage) } else { "每台设备".to_owned() };
    let when = match verdict.instant {
        "" => String::new(),
        instant => format!("，{}时", (CHINESE.instant)(instant)),
    };
    let (largest, share) = verdict.largest;
    let exceeding = match (verdict.fits, stages, verdict.exceeding_stages) {
        (Fits::No, 2.., count) if count == stages => "所有阶段都超出。".to_owned(),
        (Fits::No, 2.., count) => format!("{stages} 个阶段中有 {count} 个超出。"),
        _ => String::new(),
    };
    format!("{place}{when}；其中 {} 是{}。{exceeding}", (CHINESE.percent)(share), category(largest))
}

fn layers(counts: LayerCounts) -> String {
    let layers = counts.layers();
    let recompute = match (counts.selective, counts.full) {
        (0, 0) => "不重计算".to_owned(),
        (0, full) if full == layers => "全部重计算".to_owned(),
        (selective, 0) if selective == layers => "均部分重计算".to_owned(),
        (0, full) => format!("{full} 层重计算"),
        (selective, 0) => format!("{selective} 层部分重计算"),
        (selective, full) => format!("{full} 层全部、{selective} 层部分重计算"),
    };
    let ends = match (counts.embedding, counts.output) {
        (true, true) => "词嵌入、输出层、",
        (true, false) => "词嵌入、",
        (false, true) => "输出层、",
        (false, false) => "",
    };
    format!("{ends}{layers} 层，{recompute}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_is_said_in_words_and_the_numbers_stay() {
        let gib = |count: f64| Bytes::new(count * 1_073_741_824.0);
        let sample = Verdict {
            fits: Fits::No,
            stage: 1,
            instant: "backward-end",
            layer: None,
            peak: gib(65.84),
            capacity: gib(64.0),
            band: None,
            judged: gib(65.84),
            headroom: gib(-1.84),
            largest: (Category::OptimizerStates, 0.518),
            exceeding_stages: 9,
        };
        assert_eq!(verdict(&sample, MemoryUnit::Gib), "超出 64\u{a0}GiB 上限 1.8\u{a0}GiB");
        assert_eq!(
            verdict_reason(&sample, 16),
            "出现在阶段 1，反向结束时；其中 52\u{202f}% 是优化器状态。16 个阶段中有 9 个超出。"
        );
    }
}
