//! Writing what is set into the text, new runs, and the menu of what can be taken away.

use crate::mounted::{Mounted, drawn, fire, focused, peak_of, settled};
use shardmem::estimate::Input;
use shardmem_app::messages::{Language, tag};
use shardmem_app::state::Sample;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};

const YAML: &str = "[data-testid=yaml]";
const APPLY: &str = "[data-testid=apply]";

#[wasm_bindgen_test]
async fn apply_writes_what_is_set_and_nothing_else() {
    let page = Mounted::opened().await;
    assert_eq!(page.attribute(APPLY, "aria-disabled"), "true");
    assert!(page.attribute(APPLY, "title").contains("Nothing is set"));
    page.click(APPLY).await;
    assert!(page.text("[data-testid=notice]").starts_with("Nothing is set"));
    assert!(!page.shows("[data-testid=notice-undo]"));
    page.slide("ep", 4).await;
    let peak = page.peak();
    let area: HtmlTextAreaElement = page.find(YAML).unchecked_into();
    let place = u32::try_from(Sample::OPENING.text.find("max_seq_len").unwrap()).unwrap();
    area.set_selection_range(place, place + 4).unwrap();
    assert_eq!(page.attribute(APPLY, "aria-disabled"), "false");
    page.click(APPLY).await;
    let written = page.value(YAML);
    assert_eq!(written, Sample::OPENING.text.replace("ep_size: 8 ", "ep_size: 16 "));
    assert_eq!((page.peak(), peak_of(&Input::of(&written))), (peak.clone(), peak.clone()));
    assert!(page.attribute("[data-testid=reset-all]", "class").contains("absent"));
    let carried = u32::try_from(written.find("max_seq_len").unwrap()).unwrap();
    assert_eq!((area.selection_start().unwrap(), area.selection_end().unwrap()), (Some(carried), Some(carried + 4)));
    assert!(page.text("[data-testid=notice]").starts_with("1 key was written into train.yaml."));
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: apply");
    page.click("[data-testid=notice-undo]").await;
    assert_eq!((page.value(YAML).as_str(), page.peak()), (Sample::OPENING.text, peak));
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "16");
    assert!(page.text("[data-testid=preview]").contains('1'));
}

#[wasm_bindgen_test]
async fn a_preview_follows_what_is_set_and_closes_when_nothing_is() {
    let page = Mounted::opened().await;
    page.slide("ep", 4).await;
    page.click("[data-testid=preview]").await;
    let key = "[data-testid=pending] [data-key='accelerator.ep_size']";
    assert_eq!(page.text(key), "accelerator.ep_size: 8 → 16");
    page.slide("pp", 2).await;
    assert!(page.all("[data-testid=pending] [data-key]").len() > 1);
    page.click("[data-testid=reset-all]").await;
    assert!(page.look_for("[data-testid=pending]").is_none());
    page.slide("ep", 4).await;
    assert!(page.look_for("[data-testid=pending]").is_none());
}

#[wasm_bindgen_test]
async fn ranges_of_layers_have_no_place_in_the_text_and_stay() {
    let page = Mounted::opened().await;
    page.click("[data-act=ranges-edit]").await;
    page.click("[data-act=range-add]").await;
    assert_eq!(page.attribute(APPLY, "aria-disabled"), "true");
    assert!(page.attribute(APPLY, "title").contains("execution spec"));
    page.slide("ep", 4).await;
    let peak = page.peak();
    page.click("[data-testid=preview]").await;
    assert!(page.text("[data-testid=pending]").contains("has no place in a train.yaml"));
    page.click(APPLY).await;
    assert_eq!(page.peak(), peak);
    assert_eq!(page.all("[data-range]").len(), 2);
    assert!(page.text("[data-testid=notice]").contains("stays set here"));
    page.click("[data-testid=take]").await;
    assert!(page.shows("[data-take=execution]"));
}

#[wasm_bindgen_test]
async fn a_run_with_an_error_is_not_written() {
    let page = Mounted::opened().await;
    page.slide("ep", 4).await;
    page.type_yaml("model: [").await;
    assert_eq!(page.attribute(APPLY, "aria-disabled"), "true");
    page.click(APPLY).await;
    assert_eq!(page.value(YAML), "model: [");
    page.click("[data-testid=take]").await;
    assert_eq!(page.attribute("[data-take=yaml]", "aria-disabled"), "true");
    assert_eq!(page.text("[data-take=yaml] .take-detail"), "train.yaml cannot be read");
    assert_eq!(page.attribute("[data-take=json]", "aria-disabled"), "false");
}

#[wasm_bindgen_test]
async fn the_menu_is_worked_by_keyboard_and_gives_the_focus_back() {
    let page = Mounted::opened().await;
    assert_eq!(page.attribute("[data-testid=take]", "aria-expanded"), "false");
    page.click("[data-testid=take]").await;
    drawn().await;
    assert_eq!(focused("data-take").as_deref(), Some("yaml"));
    assert_eq!(page.attribute("[data-testid=take]", "aria-expanded"), "true");
    for (key, expected) in
        [("ArrowDown", "markdown"), ("ArrowUp", "yaml"), ("ArrowUp", "save-png"), ("Home", "yaml"), ("End", "save-png")]
    {
        let present = focused("data-take").unwrap();
        page.press(&format!("[data-take='{present}']"), key).await;
        drawn().await;
        assert_eq!(focused("data-take").as_deref(), Some(expected), "{key}");
    }
    page.press("[data-take=save-png]", "Escape").await;
    drawn().await;
    assert!(page.look_for("[data-testid=take-menu]").is_none());
    assert_eq!(focused("data-testid").as_deref(), Some("take"));
    page.click("[data-testid=take]").await;
    fire(&page.find(YAML), "pointerdown");
    settled().await;
    assert!(page.look_for("[data-testid=take-menu]").is_none(), "going elsewhere closes it");
}

#[wasm_bindgen_test]
async fn every_entry_is_said_in_both_languages() {
    let page = Mounted::opened().await;
    page.click("[data-testid=take]").await;
    let english: Vec<_> = page.all("[data-take]").iter().map(|entry| entry.text_content().unwrap()).collect();
    page.choose("[data-testid=language]", tag(Language::Chinese)).await;
    page.click("[data-testid=take]").await;
    let chinese: Vec<_> = page.all("[data-take]").iter().map(|entry| entry.text_content().unwrap()).collect();
    assert_eq!(english.len(), 8);
    assert!(english.iter().zip(&chinese).all(|(one, other)| one != other), "{chinese:?}");
    assert!(chinese.iter().all(|entry| entry.chars().any(|letter| ('\u{4e00}'..'\u{9fff}').contains(&letter))));
    page.choose("[data-testid=language]", tag(Language::English)).await;
}

#[wasm_bindgen_test]
async fn an_empty_editor_leads_to_a_new_run() {
    let page = Mounted::with("").await;
    assert!(page.shows(".empty-run"));
    page.click("[data-testid=new-run-empty]").await;
    drawn().await;
    assert_eq!(focused("data-field").as_deref(), Some("model"));
    assert_eq!(page.attribute("[data-testid=new-run-plainly]", "aria-disabled"), "true");
    page.choose("[data-field=model]", "Qwen/Qwen3-30B-A3B").await;
    let devices: HtmlInputElement = page.find("[data-field=devices]").unchecked_into();
    page.enter("[data-field=devices]", "none").await;
    page.click("[data-testid=new-run-make]").await;
    assert_eq!(page.text(".new-run-wrong"), "Devices: a whole number from 1");
    assert_eq!((devices.value().as_str(), page.value(YAML).as_str()), ("none", ""));
    page.enter("[data-field=devices]", "16").await;
    page.press("[data-field=devices]", "Enter").await;
    assert!(page.look_for("[data-testid=new-run-form]").is_none());
    let text = page.value(YAML);
    assert!(text.contains("pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B\n"), "{text}");
    assert_eq!(page.peak(), peak_of(&Input::of(&text)));
    assert_eq!(page.attribute("[data-control=devices]", "data-value"), "16");
    assert!(!page.shows(".empty-run"));
    page.click("[data-testid=notice-undo]").await;
    assert_eq!(page.value(YAML), "");
}

#[wasm_bindgen_test]
async fn the_present_run_is_written_plainly() {
    let page = Mounted::opened().await;
    page.slide("ep", 4).await;
    let peak = page.peak();
    page.click("[data-testid=new-run]").await;
    page.click("[data-testid=new-run-plainly]").await;
    let text = page.value(YAML);
    assert_eq!((page.peak(), peak_of(&Input::of(&text))), (peak.clone(), peak));
    assert!(text.contains("ep_size: 16\n") && !text.contains('#'), "{text}");
    assert!(page.attribute("[data-testid=reset-all]", "class").contains("absent"));
    page.click("[data-testid=undo]").await;
    assert_eq!(page.value(YAML), Sample::OPENING.text);
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "16");
}
