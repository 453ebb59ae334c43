//! Two languages, one state.

use crate::mounted::Mounted;
use shardmem_app::messages::{Language, tag};
use wasm_bindgen_test::wasm_bindgen_test;

async fn speaks(page: &Mounted, language: Language) {
    page.choose("[data-testid=language]", tag(language)).await;
}

fn lang() -> String {
    leptos::prelude::document().document_element().unwrap().get_attribute("lang").unwrap_or_default()
}

#[wasm_bindgen_test]
async fn another_language_keeps_the_run_and_its_numbers() {
    let page = Mounted::opened().await;
    page.slide("tp", 1).await;
    page.click("[data-testid=stage][data-stage='3']").await;
    page.click("[data-testid=pin]").await;
    let (peak, text) = (page.peak(), page.value("[data-testid=yaml]"));
    speaks(&page, Language::Chinese).await;
    assert_eq!(lang(), "zh-CN");
    assert_eq!((page.peak(), page.value("[data-testid=yaml]")), (peak.clone(), text.clone()));
    assert_eq!(page.text(".verdict-headline"), "64\u{a0}GiB 放得下，剩余 5.4\u{a0}GiB");
    assert_eq!(page.text(".stage-detail h2"), "阶段 3");
    assert_eq!(page.text("[data-testid=change]"), "与基线相同（58.6\u{a0}GiB）");
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "撤销：基线");
    assert!(page.text("[data-testid=diagnostic]").contains("层"), "{}", page.text("[data-testid=diagnostic]"));
    page.slide("tp", 0).await;
    assert_ne!(page.peak(), peak);
    speaks(&page, Language::English).await;
    assert_eq!(lang(), "en");
    assert_eq!(page.value("[data-testid=yaml]"), text);
}

/// Words of English that Chinese keeps: names of keys, files and units.
const KEPT: [&str; 41] = [
    "ShardMem",
    "train.yaml",
    "config.json",
    "GiB",
    "GB",
    "English",
    "TP",
    "PP",
    "CP",
    "EP",
    "DP",
    "fp32",
    "logits",
    "token",
    "Esc",
    "Tab",
    "K",
    "M",
    "E",
    "N",
    "F",
    "O",
    "S",
    "B",
    "T",
    "sapp_nd",
    "fsdp2",
    "DeepSeek",
    "V3",
    "on",
    "Qwen3",
    "Llama",
    "AdamW",
    "bfloat16",
    "A3B",
    "30B",
    "8B",
    "x",
    "ui",
    "px",
    "id",
];

#[wasm_bindgen_test]
async fn nothing_is_left_in_english() {
    let page = Mounted::opened().await;
    speaks(&page, Language::Chinese).await;
    page.click("[data-testid=pin]").await;
    let said = [
        ".top",
        ".heading",
        ".pin",
        ".verdict",
        ".compare",
        ".legend",
        ".breakdown",
        ".foot",
        ".instants",
        ".layers > p",
        ".control-label",
    ];
    for selector in said {
        for element in page.all(selector) {
            let text = element.text_content().unwrap_or_default();
            let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.' && letter != '_');
            let english: Vec<&str> = words
                .filter(|word| word.len() > 3 && word.chars().any(|letter| letter.is_ascii_lowercase()))
                .filter(|word| !KEPT.iter().any(|kept| word.contains(kept)))
                .filter(|word| !word.contains("seek"))
                .collect();
            assert!(english.is_empty(), "{selector}: {english:?} in {text}");
        }
    }
    speaks(&page, Language::English).await;
}
