//! The words about links. Late.

use shardmem::link::Broken;
use shardmem::report::messages::Language;

/// What is said of links.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub link: &'static str,
    pub copied: &'static str,
    pub by_hand: &'static str,
    pub too_long: &'static str,
    pub save: &'static str,
    pub close: &'static str,
    pub dismiss: &'static str,
    pub own_is_kept: &'static str,
    pub show_own: &'static str,
    pub stay: &'static str,
    pub other_is_kept: &'static str,
    pub show_other: &'static str,
    pub forget: &'static str,
    pub other_tab: &'static str,
    pub sample_changed: &'static str,
    pub model_changed: fn(&str) -> String,
    pub model_gone: fn(&str) -> String,
    pub written: &'static str,
    pub left_out: fn(&str) -> String,
    pub broken_link: &'static str,
    pub broken_file: &'static str,
    pub broken: fn(&Broken) -> String,
}

/// The words of a language.
pub const fn of(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH: Words = Words {
    link: "Link to this state",
    copied: "Link copied",
    by_hand: "The browser does not let the page copy. The link is selected: copy it with Ctrl+C, or Cmd+C on a Mac.",
    too_long: "This run is too long for a link. Save it as a file: dropped on this page, or opened with Open..., it shows \
               the same.",
    save: "Save the file",
    close: "Close",
    dismiss: "Dismiss",
    own_is_kept: "You opened a link. Your own run is kept.",
    show_own: "Back to my run",
    stay: "Stay here",
    other_is_kept: "What you last changed in an opened link, or in another tab, is kept too.",
    show_other: "Show it",
    forget: "Forget it",
    other_tab: "Another tab has changed your run too. That one is found again when you return; this one is kept beside it.",
    sample_changed: "The sample behind this link has changed since. Its present text is shown, so figures may differ.",
    model_changed: |id| format!("The dimensions of {id} have changed in the catalogue since, so figures may differ."),
    model_gone: |id| format!("The catalogue no longer has {id}: choose its model again, or paste its config.json."),
    written: "Values that lay over the file are now written into it.",
    left_out: |name| format!("This page has no place for {name}. It is left out, so figures may differ."),
    broken_link: "This link cannot be opened, so the run shown is not the one it means.",
    broken_file: "This file cannot be opened; nothing has changed.",
    broken: |broken| match broken {
        Broken::Foreign => "It is not from ShardMem, or a part of it is missing.".to_owned(),
        Broken::Version(version) => {
            format!("It is of version {version}, which this page does not know. Reload for the newest page.")
        }
        Broken::Damaged => "It was cut or changed on its way: copy all of it once more.".to_owned(),
        Broken::TooLarge => "It holds more than a run can be.".to_owned(),
        Broken::SampleGone(id) => format!("It names the sample {id}, which this page does not have."),
        Broken::Field(name) => format!("Its field \"{name}\" does not hold what it should."),
    },
};

static CHINESE: Words = Words {
    link: "当前状态的链接",
    copied: "链接已复制",
    by_hand: "浏览器不允许本页写入剪贴板。链接已选中，请按 Ctrl+C（Mac 上为 Cmd+C）复制。",
    too_long: "这份配置太长，放不进链接。请保存为文件：拖到本页或通过“打开…”即可恢复同样的状态。",
    save: "保存文件",
    close: "关闭",
    dismiss: "关闭",
    own_is_kept: "您打开了一个链接，您自己的配置仍然保留。",
    show_own: "回到我的配置",
    stay: "留在这里",
    other_is_kept: "您上次在打开的链接或另一个标签页中的修改也已保留。",
    show_other: "查看",
    forget: "删除",
    other_tab: "另一个标签页也修改了您的配置：再次访问时看到的是那一份，本页的这一份另外保留。",
    sample_changed: "此链接所用的示例后来有改动；现显示新的内容，数值可能不同。",
    model_changed: |id| format!("目录中 {id} 的维度后来有改动，数值可能不同。"),
    model_gone: |id| format!("目录中已没有 {id}：请重新选择模型，或粘贴它的 config.json。"),
    written: "叠加在文件之上的值已写入文件。",
    left_out: |name| format!("本页无法容纳 {name}，已略去，数值可能不同。"),
    broken_link: "无法打开此链接，因此显示的不是链接所指的配置。",
    broken_file: "无法打开此文件；未作任何改动。",
    broken: |broken| match broken {
        Broken::Foreign => "它不是 ShardMem 的链接或文件，或缺少一部分。".to_owned(),
        Broken::Version(version) => format!("它的版本是 {version}，本页不认识。请刷新以获取最新页面。"),
        Broken::Damaged => "它在传递中被截断或改动：请重新完整复制。".to_owned(),
        Broken::TooLarge => "它的内容超出了一份配置的上限。".to_owned(),
        Broken::SampleGone(id) => format!("它引用了示例 {id}，而本页没有这个示例。"),
        Broken::Field(name) => format!("它的字段“{name}”内容不正确。"),
    },
};
