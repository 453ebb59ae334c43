//! The text: typing, findings, jumping, what is wrong.

use crate::mounted::{Mounted, focused, peak_of};
use shardmem::estimate::Input;
use shardmem_app::state::Sample;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlTextAreaElement;

fn sample(from: &str, to: &str) -> String {
    assert!(Sample::OPENING.text.contains(from), "the sample no longer holds {from}");
    Sample::OPENING.text.replace(from, to)
}

#[wasm_bindgen_test]
async fn what_is_typed_is_estimated_at_once() {
    let page = Mounted::opened().await;
    let text = sample("ep_size: 8 ", "ep_size: 16");
    page.type_yaml(&text).await;
    assert_eq!(page.peak(), peak_of(&Input::of(&text)));
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "16");
}

#[wasm_bindgen_test]
async fn a_broken_text_keeps_the_last_good_figures_and_says_so() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.type_yaml("model: [").await;
    assert_eq!(page.peak(), before);
    assert!(page.shows("[data-testid=stale]"));
    assert_eq!(page.attribute("[data-testid=verdict]", "data-stale"), "true");
    assert_eq!(page.attribute("[role=listbox][aria-orientation]", "aria-label"), "Pipeline stages, last good figures");
    assert_eq!(page.attribute("[data-testid=diagnostic]", "data-code"), "yaml_syntax");
    assert_eq!(page.attribute("[data-testid=diagnostic]", "data-severity"), "error");
    page.type_yaml(Sample::OPENING.text).await;
    assert!(!page.shows("[data-testid=stale]"));
    assert_eq!(page.attribute("[data-testid=verdict]", "data-stale"), "false");
}

#[wasm_bindgen_test]
async fn a_page_that_opens_with_a_broken_text_is_not_blank() {
    let page = Mounted::with("model: [").await;
    assert!(page.shows("[data-testid=no-estimate]"));
    assert!(page.shows("[data-testid=diagnostic]"));
    assert!(page.look_for("[data-testid=verdict]").is_none());
    page.type_yaml(Sample::OPENING.text).await;
    assert_eq!(page.all("[data-testid=stage]").len(), 16);
    assert!(!page.attribute("[data-control=tp]", "data-value").is_empty());
}

#[wasm_bindgen_test]
async fn a_finding_jumps_to_its_line_and_selects_it_in_utf16() {
    let page = Mounted::opened().await;
    let text = sample("  tp_size: 1", "  # 并行 😀😀\n  tp_sise: 1");
    page.type_yaml(&text).await;
    let finding = "[data-testid=diagnostic][data-code=key_misspelled]";
    let line = text.lines().position(|line| line.contains("tp_sise")).unwrap() + 1;
    assert_eq!(page.attribute(finding, "data-line"), line.to_string());
    page.click(&format!("{finding} .diagnostic-place")).await;
    let area: HtmlTextAreaElement = page.find("[data-testid=yaml]").unchecked_into();
    let start = area.selection_start().unwrap().unwrap() as usize;
    let end = area.selection_end().unwrap().unwrap() as usize;
    let units: Vec<u16> = text.encode_utf16().collect();
    assert_eq!(String::from_utf16(&units[start..end]).unwrap(), "tp_sise");
    assert_eq!(focused("data-testid").as_deref(), Some("yaml"));
    let marked: Vec<String> =
        page.all(".editor-underline mark").iter().filter_map(|mark| mark.text_content()).collect();
    assert!(marked.contains(&"tp_sise".to_owned()), "{marked:?}");
    let signs: Vec<String> = page.all(".editor-gutter-mark").iter().filter_map(|sign| sign.text_content()).collect();
    assert!(signs.contains(&line.to_string()), "{signs:?}");
}

#[wasm_bindgen_test]
async fn every_line_has_its_number() {
    let page = Mounted::with("model:\n\n  a: 1\n").await;
    assert_eq!(page.text(".editor-numbers"), "1\n2\n3\n4\n");
}

#[wasm_bindgen_test]
async fn a_file_with_windows_lines_is_read_as_the_textarea_keeps_it() {
    let text = Sample::OPENING.text.replace('\n', "\r\n");
    let page = Mounted::with(&text).await;
    assert_eq!(page.value("[data-testid=yaml]"), Sample::OPENING.text);
    assert_eq!(page.peak(), peak_of(&Input::of(&text)));
}

#[wasm_bindgen_test]
async fn what_stands_in_the_text_reaches_the_page_as_text_only() {
    let page = Mounted::opened().await;
    let hostile = "<img src=x onerror=alert(1)>";
    page.type_yaml(&sample("tp_size: 1", &format!("tp_size: \"{hostile}\""))).await;
    assert!(page.look_for("img").is_none());
    assert!(page.text(".editor-paint").contains(hostile));
    assert!(page.text("[data-testid=diagnostics]").contains("<img"));
}

#[wasm_bindgen_test]
async fn tab_leaves_until_something_is_typed_then_indents_until_escape() {
    let page = Mounted::opened().await;
    let yaml = "[data-testid=yaml]";
    let area: HtmlTextAreaElement = page.find(yaml).unchecked_into();
    area.focus().unwrap();
    page.press(yaml, "Tab").await;
    assert_eq!(area.value(), Sample::OPENING.text);
    page.type_yaml("model:\n").await;
    area.set_selection_range(0, 0).unwrap();
    page.press(yaml, "Tab").await;
    assert_eq!(area.value(), "  model:\n");
    page.press(yaml, "Escape").await;
    page.press(yaml, "Tab").await;
    assert_eq!(area.value(), "  model:\n");
}

#[wasm_bindgen_test]
async fn a_config_in_the_place_of_the_run_goes_where_it_belongs() {
    let page = Mounted::opened().await;
    let before = page.peak();
    let config = r#"{"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256}"#;
    page.type_yaml(config).await;
    assert_eq!(page.value("[data-testid=yaml]"), Sample::OPENING.text);
    assert_eq!(page.value("[data-testid=config-json]"), config);
    assert!(page.text("[data-testid=notice]").contains("config.json"));
    assert_ne!(page.peak(), before);
    page.click("[data-testid=notice-undo]").await;
    assert_eq!(page.peak(), before);
    assert_eq!(page.value("[data-testid=config-json]"), "");
    assert!(page.look_for("[data-testid=notice]").is_none());
}

#[wasm_bindgen_test]
async fn another_run_pasted_over_all_of_it_leaves_the_settings_behind() {
    let page = Mounted::opened().await;
    page.slide("tp", 2).await;
    let set = page.peak();
    let qwen = Sample::by_id("qwen3-30b-a3b-8").unwrap();
    page.paste_over_all("[data-testid=yaml]", qwen.text).await;
    assert_eq!(page.peak(), peak_of(&Input::of(qwen.text)));
    assert!(page.look_for("[data-control].changed").is_none());
    assert!(page.text("[data-testid=notice]").contains("setting"));
    page.click("[data-testid=notice-undo]").await;
    assert_eq!(page.peak(), set);
    assert_eq!(page.value("[data-testid=yaml]"), Sample::OPENING.text);
    // A piece is a piece.
    page.type_yaml(&format!("{}# more\n", Sample::OPENING.text)).await;
    assert_eq!(page.peak(), set);
}

#[wasm_bindgen_test]
async fn another_sample_starts_afresh() {
    let page = Mounted::opened().await;
    page.slide("tp", 2).await;
    page.choose("[data-testid=sample]", "qwen3-30b-a3b-8").await;
    let qwen = Sample::by_id("qwen3-30b-a3b-8").unwrap();
    assert_eq!(page.peak(), peak_of(&Input::of(qwen.text)));
    assert!(page.look_for("[data-control].changed").is_none());
}
