//! Figures that open their explanation.

use crate::mounted::{Mounted, drawn, focused, settled};
use shardmem_app::messages::{Language, tag};
use wasm_bindgen_test::wasm_bindgen_test;

const PANE: &str = "[data-testid=explain]";

async fn opened(page: &Mounted, figure: &str) {
    page.click(figure).await;
    drawn().await;
}

#[wasm_bindgen_test]
async fn every_figure_opens_to_an_explanation_of_its_own_bytes() {
    let page = Mounted::opened().await;
    assert!(page.look_for(PANE).is_none());
    opened(&page, "[data-testid=peak] button").await;
    assert_eq!(page.attribute(PANE, "data-bytes"), page.peak());
    assert_eq!((page.attribute(PANE, "data-item"), page.attribute(PANE, "data-stage")), ("total".into(), "1".into()));
    for category in 1..=8 {
        page.click(&format!("tbody:nth-of-type({category}) .breakdown-open")).await;
    }
    let items = page.all("[data-testid=item]");
    assert!(items.len() > 10);
    for item in items {
        let (id, bytes) = (item.get_attribute("data-item").unwrap(), item.get_attribute("data-bytes").unwrap());
        opened(&page, &format!("[data-testid=item] [data-explain={id}]")).await;
        assert_eq!(page.attribute(PANE, "data-bytes"), bytes, "{id}");
        assert_eq!(page.attribute(PANE, "data-item"), id);
    }
}

#[wasm_bindgen_test]
async fn a_bar_is_selected_and_explained_and_the_instants_can_be_changed() {
    let page = Mounted::opened().await;
    opened(&page, ".stage-total[data-of='5']").await;
    assert_eq!(page.text(".stage-detail h2"), "Stage 5");
    assert_eq!(page.attribute(PANE, "data-stage"), "5");
    assert_eq!(page.attribute(PANE, "data-bytes"), page.attribute("[data-testid=stage][data-stage='5']", "data-bytes"));
    let peak = page.attribute(PANE, "data-bytes");
    assert_eq!(page.all("[data-explain-instant]").len(), 2);
    page.click("[data-explain-instant][aria-pressed=false]").await;
    assert_ne!(page.attribute(PANE, "data-bytes"), peak);
    // A click inside picks no stage.
    opened(&page, "[data-testid=peak] button").await;
    page.click(".explain-meaning").await;
    assert_eq!(page.text(".stage-detail h2"), "Stage 5");
    assert_eq!(page.attribute(PANE, "data-stage"), "1");
}

#[wasm_bindgen_test]
async fn rows_unfold_and_symbols_are_gone_into_and_back() {
    let page = Mounted::opened().await;
    opened(&page, "[data-testid=peak] button").await;
    let fold = "[data-explain-fold='static.total']";
    page.click(fold).await;
    assert_eq!(page.attribute(fold, "aria-expanded"), "true");
    assert!(page.text(".explain-inner .explain-groups").contains("4 equal layers"));
    page.press(fold, "ArrowLeft").await;
    assert_eq!(page.attribute(fold, "aria-expanded"), "false");
    page.press(fold, "ArrowRight").await;
    assert_eq!(page.attribute(fold, "aria-expanded"), "true");
    page.click("[data-explain-go='static.total>layer_parameters_held']").await;
    drawn().await;
    assert_eq!(page.all(".explain-way li").len(), 4);
    assert_eq!(page.text(".explain-way h2"), "layer parameters held");
    assert_eq!(leptos::prelude::document().active_element().unwrap().tag_name(), "H2");
    page.click(".explain-back").await;
    assert_eq!(page.text(".explain-way h2"), "Peak");
}

#[wasm_bindgen_test]
async fn the_explanation_follows_a_slider_and_marks_what_changed() {
    let page = Mounted::opened().await;
    opened(&page, "[data-testid=peak] button").await;
    assert!(page.look_for(".explain-was").is_none());
    // The reader looks for a while before a slider moves.
    let later = js_sys::Promise::new(&mut |resolve, _| {
        leptos::prelude::window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 800).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(later).await.unwrap();
    page.slide("tp", 1).await;
    settled().await;
    assert_eq!(page.attribute(PANE, "data-bytes"), page.peak());
    assert_eq!(page.text(".explain-result .explain-was"), "was 65.84\u{a0}GiB");
    page.type_yaml("model: [").await;
    settled().await;
    assert!(page.text(PANE).contains("has an error"));
}

#[wasm_bindgen_test]
async fn escape_closes_and_the_focus_goes_back_and_another_language_keeps_it_open() {
    let page = Mounted::opened().await;
    opened(&page, "[data-testid=peak] button").await;
    page.choose("[data-testid=language]", tag(Language::Chinese)).await;
    settled().await;
    assert!(page.text(PANE).contains("始终持有"), "{}", page.text(PANE));
    page.choose("[data-testid=language]", tag(Language::English)).await;
    settled().await;
    page.press(".explain-way h2", "Escape").await;
    drawn().await;
    assert!(page.look_for(PANE).is_none());
    assert_eq!(focused("data-explain").as_deref(), Some("total"));
}
