//! The controls: overrides on the text.

use crate::mounted::{Mounted, peak_of, settled};
use shardmem::document;
use shardmem::estimate::Input;
use shardmem::facts::controls::Control;
use shardmem::facts::{self, ModelChoice, Overrides};
use shardmem_app::state::Sample;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

/// The sample with a control set by the core itself.
fn with(control: Control, value: &str, pinned: bool) -> Input {
    let document = document::parse(Sample::OPENING.text).unwrap().value;
    let facts = facts::read(&document, &ModelChoice::Named, &Overrides::none(), None).unwrap().value;
    let change = control.set(&control.read(value).unwrap(), &facts, pinned).unwrap();
    Input { overrides: change.overrides, ..Input::of(Sample::OPENING.text) }
}

#[wasm_bindgen_test]
async fn every_control_of_the_design_is_there_under_its_name() {
    let page = Mounted::opened().await;
    for control in Control::ALL {
        let selector = format!("[data-control='{}']", control.name());
        assert_eq!(page.all(&selector).len(), 1, "{selector}");
        assert!(!page.attribute(&selector, "data-value").is_empty(), "{selector}");
        assert!(!page.text(&format!("{selector} label")).is_empty(), "{selector}");
        let has = |input: &str| page.look_for(&format!("{selector} {input}")).is_some();
        let is_slider = has("input[type=range]") && has("input[type=number]");
        assert!(is_slider || has("select") || has("input[type=checkbox]"), "{selector}");
    }
}

#[wasm_bindgen_test]
async fn a_slider_steps_over_the_values_and_the_figures_follow() {
    let page = Mounted::opened().await;
    page.slide("tp", 1).await;
    assert_eq!(page.attribute("[data-control=tp]", "data-value"), "2");
    assert_eq!(page.value("[data-control=tp] input[type=number]"), "2");
    assert_eq!(page.peak(), peak_of(&with(Control::Tp, "2", true)));
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
    let said = page.attribute("[data-control=tp] input[type=range]", "aria-valuetext");
    assert_eq!(said, "2, fits with 5.4\u{a0}GiB to spare");
    assert_eq!(page.text("[data-control=tp] .control-note"), "replicate 8 → 4 to keep 512 devices");
    assert_eq!(page.attribute("[data-control=dp-replicate]", "data-value"), "4");
}

#[wasm_bindgen_test]
async fn a_slider_pushed_there_and_back_leaves_no_trace() {
    let page = Mounted::opened().await;
    let before = page.peak();
    for step in [1, 3, 5, 2, 0] {
        page.slide("tp", step).await;
    }
    assert_eq!(page.peak(), before);
    assert!(page.look_for("[data-control].changed").is_none());
    assert_eq!(page.attribute("[data-control=dp-shard]", "data-value"), "4");
}

#[wasm_bindgen_test]
async fn without_the_pin_the_file_decides() {
    let page = Mounted::opened().await;
    page.click("[data-testid=pin-devices]").await;
    page.slide("dp-shard", 3).await;
    assert_eq!(page.peak(), peak_of(&with(Control::DpShard, "8", false)));
}

#[wasm_bindgen_test]
async fn the_box_takes_arrows_as_steps() {
    let page = Mounted::opened().await;
    page.press("[data-control=ep] input[type=number]", "ArrowUp").await;
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "16");
    page.press("[data-control=ep] input[type=number]", "ArrowDown").await;
    assert_eq!(page.attribute("[data-control=ep]", "data-value"), "8");
}

#[wasm_bindgen_test]
async fn what_is_refused_stays_in_the_box_and_is_marked() {
    let page = Mounted::opened().await;
    let before = page.peak();
    let number = "[data-control=tp] input[type=number]";
    page.enter(number, "3").await;
    assert_eq!(page.value(number), "3");
    assert_eq!(page.attribute(number, "aria-invalid"), "true");
    assert_eq!(page.text("[data-control=tp] .control-note"), "TP·PP·CP = 48 does not divide 512 devices");
    assert!(page.shows("[data-testid=stale]"));
    assert_eq!(page.peak(), before);
    page.click("[data-control=tp] .control-reset").await;
    assert_eq!(page.value(number), "1");
    assert_eq!(page.attribute(number, "aria-invalid"), "false");
    assert!(!page.shows("[data-testid=stale]"));
}

#[wasm_bindgen_test]
async fn an_empty_box_is_marked_and_the_last_value_counts_on() {
    let page = Mounted::opened().await;
    let number = "[data-control=tp] input[type=number]";
    page.enter(number, "2").await;
    let before = page.peak();
    page.enter(number, "").await;
    assert_eq!(page.attribute(number, "aria-invalid"), "true");
    assert_eq!(page.peak(), before);
}

#[wasm_bindgen_test]
async fn choices_and_switches_are_overrides_too() {
    let page = Mounted::opened().await;
    page.choose("[data-control=recompute] select", "off").await;
    assert_eq!(page.peak(), peak_of(&with(Control::Recompute, "off", true)));
    page.click("[data-testid=reset-all]").await;
    page.click("[data-control=fp32-main-params] input").await;
    assert_eq!(page.attribute("[data-control=fp32-main-params]", "data-value"), "false");
    assert_eq!(page.peak(), peak_of(&with(Control::MainParams, "false", true)));
}

#[wasm_bindgen_test]
async fn changes_are_marked_and_taken_back_one_by_one_or_all() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.slide("ep", 4).await;
    page.slide("micro-batch", 1).await;
    assert_eq!(page.all("[data-control].changed").len(), 2);
    page.click("[data-control=ep] .control-reset").await;
    assert_eq!(page.all("[data-control].changed").len(), 1);
    page.click("[data-testid=reset-all]").await;
    assert_eq!(page.peak(), before);
    assert!(page.find("[data-testid=reset-all]").class_list().contains("absent"));
}

#[wasm_bindgen_test]
async fn experts_of_a_dense_model_cannot_be_moved_and_the_page_says_why() {
    let page = Mounted::opened().await;
    page.choose("[data-testid=sample]", "llama-3.1-8b-8").await;
    assert!(page.find("[data-control=ep] input[type=range]").has_attribute("disabled"));
    assert_eq!(page.text("[data-control=ep] .control-note"), "This model has no experts");
    assert_eq!(page.all("[data-testid=stage]").len(), 1);
}

#[wasm_bindgen_test]
async fn device_memory_is_chosen_or_typed_freely() {
    let page = Mounted::opened().await;
    let typed = "[data-control=device-memory] .control-typed";
    page.enter(typed, "72GB").await;
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
    assert!(page.text(".verdict-headline").contains("72"), "{}", page.text(".verdict-headline"));
    assert_eq!(page.value(typed), "72GB");
    for text in ["8", "80", "80G", "80GB"] {
        page.enter(typed, text).await;
        assert_eq!(page.value(typed), text);
    }
    assert_eq!(page.value("[data-control=device-memory] select"), "80GB");
    page.enter(typed, "much").await;
    assert_eq!(page.value(typed), "much");
    assert_eq!(page.attribute(typed, "aria-invalid"), "true");
    assert!(page.shows("[data-testid=stale]"));
    page.choose("[data-control=device-memory] select", "64GB").await;
    assert!(!page.shows("[data-testid=stale]"));
}

#[wasm_bindgen_test]
async fn typed_digits_stay_while_the_run_cannot_be_read() {
    let page = Mounted::opened().await;
    let devices = "[data-control=devices] input[type=number]";
    for text in ["", "1", "10", "102", "1024"] {
        page.enter(devices, text).await;
        assert_eq!(page.value(devices), text);
    }
    assert_eq!(page.attribute("[data-control=devices]", "data-value"), "1024");
    let experts = "[data-control=ep] input[type=number]";
    page.enter(experts, "").await;
    page.enter(experts, "9999999999").await;
    assert_eq!(page.value(experts), "9999999999");
}

#[wasm_bindgen_test]
async fn while_the_text_is_broken_controls_show_what_is_set() {
    let page = Mounted::opened().await;
    page.type_yaml("model: [").await;
    let number = "[data-control=tp] input[type=number]";
    page.enter(number, "16").await;
    page.choose("[data-control=recompute] select", "off").await;
    assert_eq!(page.value(number), "16");
    assert_eq!(page.value("[data-control=recompute] select"), "off");
    assert!(page.shows("[data-testid=stale]"));
    assert_eq!(page.attribute("[data-control=tp] input[type=range]", "aria-valuetext"), "16");
}

#[wasm_bindgen_test]
async fn a_reason_is_read_also_where_the_control_has_the_focus() {
    let page = Mounted::opened().await;
    let number = "[data-control=tp] input[type=number]";
    page.find(number).unchecked_into::<HtmlElement>().focus().unwrap();
    settled().await;
    for (text, start) in [("3", "TP·PP·CP"), ("2.5", "Not a value"), ("", "Not a value")] {
        page.enter(number, text).await;
        let note = page.text("[data-control=tp] .control-note");
        assert!(note.starts_with(start), "{text:?}: {note}");
        let said = page.attribute("[data-control=tp] input[type=range]", "aria-valuetext");
        assert!(said.ends_with(&note) && said.starts_with(text), "{said}");
    }
}
