//! The answer: verdict, bars, table.

use crate::mounted::{Mounted, focus, focused, peak_of};
use shardmem::estimate::Input;
use shardmem_app::state::Sample;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn opens_with_a_run_that_exceeds_and_says_so_in_words() {
    let page = Mounted::opened().await;
    assert_eq!(page.peak(), peak_of(&Input::of(Sample::OPENING.text)));
    assert_eq!(page.peak(), "70693773312");
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "false");
    assert_eq!(page.text(".verdict-headline"), "Exceeds 64\u{a0}GiB by 1.8\u{a0}GiB");
    assert!(page.text(".verdict-reason").contains("9 of 16 stages exceed"), "{}", page.text(".verdict-reason"));
    assert_eq!(page.all("[data-testid=stage]").len(), 16);
    assert!(!page.shows("[data-testid=stale]"));
}

#[wasm_bindgen_test]
async fn the_stage_of_the_peak_is_selected_and_its_items_sum_to_its_bar() {
    let page = Mounted::opened().await;
    let selected = "[data-testid=stage][aria-selected=true]";
    assert_eq!(page.attribute(selected, "data-stage"), "1");
    assert_eq!(page.attribute(selected, "data-bytes"), page.peak());
    let sum: f64 = page.all("[data-testid=item]").iter().map(bytes).sum();
    let peak: f64 = page.peak().parse().unwrap();
    assert!((sum - peak).abs() <= peak * 1e-12, "{sum} instead of {peak}");
}

fn bytes(item: &web_sys::Element) -> f64 {
    item.get_attribute("data-bytes").unwrap().parse().unwrap()
}

#[wasm_bindgen_test]
async fn a_click_and_the_arrows_select_a_stage() {
    let page = Mounted::opened().await;
    page.click("[data-testid=stage][data-stage='5']").await;
    assert_eq!(page.attribute("[data-testid=stage][aria-selected=true]", "data-stage"), "5");
    assert_eq!(page.text(".stage-detail h2"), "Stage 5");
    focus(&page.find("[data-stage='5']"));
    page.press("[data-stage='5']", "ArrowRight").await;
    assert_eq!(focused("data-stage").as_deref(), Some("6"));
    assert_eq!(page.attribute("[data-stage='6']", "tabindex"), "0");
    page.press("[data-stage='6']", "End").await;
    assert_eq!(focused("data-stage").as_deref(), Some("15"));
    page.press("[data-stage='15']", "ArrowRight").await;
    assert_eq!(focused("data-stage").as_deref(), Some("15"));
    assert_eq!(page.text(".stage-detail h2"), "Stage 15");
}

#[wasm_bindgen_test]
async fn a_picked_stage_stays_while_sliders_move_and_stays_inside() {
    let page = Mounted::opened().await;
    page.click("[data-testid=stage][data-stage='12']").await;
    page.slide("tp", 1).await;
    assert_eq!(page.text(".stage-detail h2"), "Stage 12");
    page.enter("[data-control=pp] input[type=number]", "8").await;
    assert_eq!(page.all("[data-testid=stage]").len(), 8);
    assert_eq!(page.text(".stage-detail h2"), "Stage 7");
}

#[wasm_bindgen_test]
async fn a_category_opens_to_its_items() {
    let page = Mounted::opened().await;
    let item = "[data-testid=item][data-item=optimizer-states-routed-experts]";
    assert!(!page.shows(item));
    page.click("tbody:nth-of-type(2) .breakdown-open").await;
    assert!(page.shows(item));
    assert_eq!(page.attribute("tbody:nth-of-type(2) .breakdown-open", "aria-expanded"), "true");
    assert!(page.text(item).contains("Routed experts"));
}

#[wasm_bindgen_test]
async fn the_unit_changes_what_is_read_not_what_is_stated() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.click("[data-testid=unit] input[value=GB]").await;
    assert_eq!(page.text(".verdict-headline"), "Exceeds 68.7\u{a0}GB by 2.0\u{a0}GB");
    assert_eq!(page.peak(), before);
    page.click("[data-testid=unit] input[value=GiB]").await;
    assert_eq!(page.text(".verdict-headline"), "Exceeds 64\u{a0}GiB by 1.8\u{a0}GiB");
}

#[wasm_bindgen_test]
async fn the_theme_stands_on_the_root() {
    let page = Mounted::opened().await;
    let root = leptos::prelude::document().document_element().unwrap();
    page.choose("[data-testid=theme]", "dark").await;
    assert_eq!(root.get_attribute("data-theme").as_deref(), Some("dark"));
    page.choose("[data-testid=theme]", "auto").await;
    assert_eq!(root.get_attribute("data-theme").as_deref(), Some("auto"));
}

#[wasm_bindgen_test]
async fn every_bar_has_a_name_and_only_the_selected_one_a_tab_stop() {
    let page = Mounted::opened().await;
    let stops = page.all("[data-testid=stage][tabindex='0']");
    assert_eq!(stops.len(), 1);
    let name = page.attribute("[data-stage='1']", "aria-label");
    assert_eq!(name, "Stage 1: 65.8\u{a0}GiB, exceeds by 1.8\u{a0}GiB");
}
