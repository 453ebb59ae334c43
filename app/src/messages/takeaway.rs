//! What Apply, taking away and new runs say: the labels that the first view shows, and the words that come with what they open.

use super::Language;
use crate::state::exports::{Entry, Need, Piece, Way};
use crate::state::new_run::Wrong;
use crate::state::written::Writable;
use shardmem::document::Unapplied;
use shardmem::facts::Unwritten;

/// What stands on the page before anything is opened.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Labels {
    pub take: &'static str,
    pub take_about: &'static str,
    pub apply: &'static str,
    pub apply_about: fn(Writable) -> &'static str,
    /// So many changes stand in no file yet.
    pub preview: fn(usize) -> String,
    pub new_run: &'static str,
    pub empty: &'static str,
    pub empty_begin: &'static str,
}

/// What is said once something was opened or done.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub stage: &'static str,
    pub menu: &'static str,
    pub way: fn(Way) -> &'static str,
    pub entry: fn(Entry) -> [&'static str; 2],
    pub need: fn(Need) -> &'static str,
    pub copied: fn(Piece) -> String,
    pub saved: fn(&str) -> String,
    pub unsaved: &'static str,
    pub without_ranges: &'static str,
    pub without_model: &'static str,
    pub undrawn: &'static str,
    pub by_hand: &'static str,
    pub by_hand_help: &'static str,
    pub close: &'static str,
    pub unwritten: fn(&Unwritten) -> String,
    pub applied: fn(usize) -> String,
    pub gap: &'static str,
    pub ranges_stay: &'static str,
    pub model_stays: &'static str,
    pub pending: &'static str,
    pub pending_none: &'static str,
    pub new_run: &'static str,
    pub model: &'static str,
    pub devices: &'static str,
    pub device: &'static str,
    pub sequence: &'static str,
    pub new_run_help: &'static str,
    pub make: &'static str,
    pub plainly: &'static str,
    pub plainly_help: &'static str,
    pub plainly_not: &'static str,
    pub wrong: fn(Wrong) -> &'static str,
    pub made: &'static str,
    pub made_plainly: &'static str,
}

/// The labels of a language.
pub const fn labels(language: Language) -> &'static Labels {
    match language {
        Language::English => &ENGLISH_LABELS,
        Language::Chinese => &CHINESE_LABELS,
    }
}

/// The words of a language; late.
pub const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH_LABELS: Labels = Labels {
    take: "Export…",
    take_about: "Copy or save the run, its figures, its chart",
    apply: "Apply",
    apply_about: |writable| match writable {
        Writable::Yes => "Write what is set into train.yaml; the figures stay as they are",
        Writable::NothingSet => "Nothing is set: train.yaml says it all",
        Writable::RangesOnly => "Recompute by layers has no place in a train.yaml; copy it as an execution spec",
        Writable::Broken => "The run has an error; once it is mended, what is set can be written",
    },
    preview: |changed| {
        if changed <= 1 { "1 unwritten change".to_owned() } else { format!("{changed} unwritten changes") }
    },
    new_run: "New…",
    empty: "Nothing here yet. Paste a train.yaml, drop one on the page, pick a sample, or begin with a model:",
    empty_begin: "New run",
};

static CHINESE_LABELS: Labels = Labels {
    take: "导出…",
    take_about: "复制或保存配置、数据和图表",
    apply: "写入",
    apply_about: |writable| match writable {
        Writable::Yes => "把当前设置写入 train.yaml，各项数值保持不变",
        Writable::NothingSet => "没有设置任何项：train.yaml 已包含全部内容",
        Writable::RangesOnly => "train.yaml 无法表示按层重计算；可将其复制为执行规格",
        Writable::Broken => "当前配置有错误；改正后即可写入设置",
    },
    preview: |changed| format!("{} 项未写入", changed.max(1)),
    new_run: "新建…",
    empty: "这里还没有内容。可粘贴或拖入 train.yaml，选择示例，或从一个模型开始：",
    empty_begin: "新建配置",
};

static ENGLISH: Words = Words {
    stage: "stage",
    menu: "Copy or save",
    way: |way| match way {
        Way::Copy => "Copy",
        Way::Save | Way::SavePng => "Save as a file",
    },
    entry: |entry| match (entry.piece, entry.way) {
        (Piece::Yaml, Way::Copy) => ["YAML", "train.yaml with what is set written in"],
        (Piece::Yaml, Way::Save | Way::SavePng) => ["train.yaml", "with what is set written in"],
        (Piece::Execution, _) => ["Execution spec", "recompute by layers, for --exec"],
        (Piece::Markdown, _) => ["Markdown", "verdict and tables"],
        (Piece::Json, _) => ["JSON", "every figure, as the command prints it"],
        (Piece::Csv, _) => ["CSV", "a line per stage and item"],
        (Piece::Command, _) => ["Command line", "the same estimate of the file as it stands"],
        (Piece::Picture, Way::SavePng) => ["Chart as PNG", "1920 pixels wide"],
        (Piece::Picture, Way::Copy | Way::Save) => ["Chart as SVG", "sharp at any size"],
    },
    need: |need| match need {
        Need::Text => "train.yaml cannot be read",
        Need::Ranges => "no recompute by layers is set",
        Need::Figures => "no figures: the run has an error",
        Need::Controls => "a control stands at what the run refuses: set it otherwise, or reset it",
    },
    copied: |piece| {
        let what = match piece {
            Piece::Yaml => "train.yaml",
            Piece::Execution => "the execution spec",
            Piece::Markdown => "Markdown",
            Piece::Json => "JSON",
            Piece::Csv => "CSV",
            Piece::Command => "the command line",
            Piece::Picture => "the chart",
        };
        format!("Copied {what}.")
    },
    saved: |name| format!("Saved as {name}."),
    unsaved: "The browser did not save the file.",
    without_ranges: "Recompute by layers is not in it; copy the execution spec too.",
    without_model: "The model chosen here is not in it.",
    undrawn: "The browser cannot draw the chart as PNG; SVG works everywhere.",
    by_hand: "Copy by hand",
    by_hand_help: "The browser did not let the page use the clipboard. The text is selected: press Ctrl+C or ⌘C.",
    close: "Close",
    unwritten: |why| {
        let why = match why {
            Unwritten::Text(Unapplied::Unreadable(_)) => "train.yaml cannot be read".to_owned(),
            Unwritten::Text(Unapplied::NotASection(key)) => {
                format!("{key} would lie inside a list or a single value, not in a section")
            }
            Unwritten::Text(Unapplied::NoSuchItem(key)) => format!("the list has no item {key}"),
            Unwritten::Text(Unapplied::Contradicted(key)) => format!("{key} contradicts another value that is set"),
            Unwritten::Text(Unapplied::Form(key)) => {
                format!("{key} is written in a form that is not edited here; change it by hand")
            }
            Unwritten::Text(Unapplied::TooLarge) => "the text would get too long to be read".to_owned(),
            Unwritten::Reading(key) => format!("with {key} in it, the file would be read as another kind of run"),
        };
        format!("Nothing was written: {why}.")
    },
    applied: |keys| match keys {
        1 => "1 key was written into train.yaml.".to_owned(),
        _ => format!("{keys} keys were written into train.yaml."),
    },
    gap: " ",
    ranges_stay: "Recompute by layers has no place in a train.yaml. It stays set here; take it along as an execution spec \
                  (Export…).",
    model_stays: "The model chosen here is not written either; it stays chosen.",
    pending: "What would be written",
    pending_none: "No key of train.yaml would change.",
    new_run: "New run",
    model: "Model",
    devices: "Devices",
    device: "Device",
    sequence: "Sequence length",
    new_run_help: "Sharded over all devices, one sequence a micro-batch, everything recomputed, AdamW. Go on from there \
                   with the controls.",
    make: "Write train.yaml",
    plainly: "Rewrite this run",
    plainly_help: "Or write the present run anew: what it states with everything set, without comments and keys that nobody \
                   reads.",
    plainly_not: "The present text cannot be read",
    wrong: |wrong| match wrong {
        Wrong::Model => "Choose a model",
        Wrong::Devices => "Devices: a whole number from 1",
        Wrong::Device => "Choose a device",
        Wrong::Sequence => "Sequence length: a whole number from 1",
    },
    made: "A new run took the place of the last one.",
    made_plainly: "The run was written anew.",
};

static CHINESE: Words = Words {
    stage: "阶段",
    menu: "复制或保存",
    way: |way| match way {
        Way::Copy => "复制",
        Way::Save | Way::SavePng => "保存为文件",
    },
    entry: |entry| match (entry.piece, entry.way) {
        (Piece::Yaml, Way::Copy) => ["YAML", "已写入当前设置的 train.yaml"],
        (Piece::Yaml, Way::Save | Way::SavePng) => ["train.yaml", "已写入当前设置"],
        (Piece::Execution, _) => ["执行规格", "按层重计算，用于 --exec"],
        (Piece::Markdown, _) => ["Markdown", "结论与表格"],
        (Piece::Json, _) => ["JSON", "全部数值，与命令行输出一致"],
        (Piece::Csv, _) => ["CSV", "每个阶段的每一项占一行"],
        (Piece::Command, _) => ["命令行", "对现有文件作同样的估算"],
        (Piece::Picture, Way::SavePng) => ["图表 PNG", "宽 1920 像素"],
        (Piece::Picture, Way::Copy | Way::Save) => ["图表 SVG", "任意缩放都清晰"],
    },
    need: |need| match need {
        Need::Text => "无法读取 train.yaml",
        Need::Ranges => "没有设置按层重计算",
        Need::Figures => "没有数值：当前配置有错误",
        Need::Controls => "有控件的取值不被接受：请改设或还原",
    },
    copied: |piece| {
        let what = match piece {
            Piece::Yaml => " train.yaml",
            Piece::Execution => "执行规格",
            Piece::Markdown => " Markdown",
            Piece::Json => " JSON",
            Piece::Csv => " CSV",
            Piece::Command => "命令行",
            Piece::Picture => "图表",
        };
        format!("已复制{what}。")
    },
    saved: |name| format!("已保存为 {name}。"),
    unsaved: "浏览器未能保存文件。",
    without_ranges: "其中不含按层重计算；请同时复制执行规格。",
    without_model: "其中不含在此选择的模型。",
    undrawn: "浏览器无法将图表绘制为 PNG；SVG 在任何浏览器中都可用。",
    by_hand: "手动复制",
    by_hand_help: "浏览器不允许本页使用剪贴板。文本已选中：请按 Ctrl+C 或 ⌘C。",
    close: "关闭",
    unwritten: |why| {
        let why = match why {
            Unwritten::Text(Unapplied::Unreadable(_)) => "无法读取 train.yaml".to_owned(),
            Unwritten::Text(Unapplied::NotASection(key)) => format!("{key} 将位于列表或单个值之内，而不是在某一节之中"),
            Unwritten::Text(Unapplied::NoSuchItem(key)) => format!("列表中没有 {key} 这一项"),
            Unwritten::Text(Unapplied::Contradicted(key)) => format!("{key} 与另一项设置矛盾"),
            Unwritten::Text(Unapplied::Form(key)) => format!("{key} 的写法无法在此编辑，请手动修改"),
            Unwritten::Text(Unapplied::TooLarge) => "文本会过长而无法读取".to_owned(),
            Unwritten::Reading(key) => format!("写入 {key} 后，文件会被当作另一类配置读取"),
        };
        format!("未写入任何内容：{why}。")
    },
    applied: |keys| format!("已将 {keys} 个键写入 train.yaml。"),
    gap: "",
    ranges_stay: "train.yaml 无法表示按层重计算。该设置保留在本页；可通过“导出…”以执行规格带走。",
    model_stays: "在此选择的模型也不会写入，仍保持选中。",
    pending: "将写入的内容",
    pending_none: "train.yaml 中没有键会改变。",
    new_run: "新建配置",
    model: "模型",
    devices: "设备数",
    device: "设备",
    sequence: "序列长度",
    new_run_help: "在所有设备上分片，每个微批次一条序列，全部重计算，AdamW。之后可用各项设置继续调整。",
    make: "写出 train.yaml",
    plainly: "重写当前配置",
    plainly_help: "也可将当前配置及全部设置重新写出，不含注释和无人读取的键。",
    plainly_not: "无法读取当前文本",
    wrong: |wrong| match wrong {
        Wrong::Model => "请选择模型",
        Wrong::Devices => "设备数：不小于 1 的整数",
        Wrong::Device => "请选择设备",
        Wrong::Sequence => "序列长度：不小于 1 的整数",
    },
    made: "新配置已取代之前的配置。",
    made_plainly: "配置已重新写出。",
};
