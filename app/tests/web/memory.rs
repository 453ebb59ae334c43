//! The two memory models: the switch, policies, the other one's figure, and what was measured.

use crate::mounted::{Mounted, drawn, peak_of};
use shardmem::estimate::Input;
use shardmem_app::messages::{Language, tag};
use shardmem_app::state::Sample;
use wasm_bindgen_test::wasm_bindgen_test;

const OTHER: &str = "[data-testid=other-model]";
const FSDP2: &str = "[data-testid=memory-model] input[value=fsdp2]";
const REFERENCE: &str = "[data-testid=memory-model] input[value=sapp_nd]";

/// A sample of one stage, small enough to be walked at once.
const SAMPLE: &str = "llama-3.1-8b-8";

async fn opened() -> Mounted {
    let page = Mounted::opened().await;
    page.choose("[data-testid=sample]", SAMPLE).await;
    page
}

/// The other model is asked once things have come to rest.
async fn rested(page: &Mounted) {
    for _ in 0..300 {
        if page.attribute(OTHER, "data-current") == "true" {
            return;
        }
        drawn().await;
    }
    panic!("the other memory model was not asked");
}

fn input(memory_model: &str, policies: &[(&str, &str)]) -> Input {
    let policies = policies.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let text = Sample::by_id(SAMPLE).unwrap().text;
    Input { memory_model: memory_model.into(), policies, ..Input::of(text) }
}

#[wasm_bindgen_test]
async fn the_switch_answers_by_the_other_model_and_is_a_step() {
    let page = opened().await;
    assert_eq!(page.peak(), peak_of(&input("sapp_nd", &[])));
    rested(&page).await;
    assert_eq!(page.attribute(OTHER, "data-bytes"), peak_of(&input("fsdp2", &[])));
    let said = page.text(OTHER);
    assert!(said.starts_with("fsdp2 says ") && said.contains("Trust "), "{said}");
    page.click(FSDP2).await;
    assert_eq!(page.peak(), peak_of(&input("fsdp2", &[])));
    assert!(page.text(".top-run").ends_with("fsdp2"));
    rested(&page).await;
    assert_eq!(page.attribute(OTHER, "data-bytes"), peak_of(&input("sapp_nd", &[])));
    let said = page.text(OTHER);
    assert!(said.starts_with("sapp_nd says ") && said.contains("fsdp2 expects "), "{said}");
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: memory model");
    page.click("[data-testid=undo]").await;
    assert_eq!(page.peak(), peak_of(&input("sapp_nd", &[])));
    page.click(FSDP2).await;
    page.click(REFERENCE).await;
    assert_eq!(page.peak(), peak_of(&input("sapp_nd", &[])));
}

#[wasm_bindgen_test]
async fn the_table_has_a_column_of_the_other_model() {
    let page = opened().await;
    rested(&page).await;
    assert_eq!(page.text(".breakdown thead .breakdown-other"), "fsdp2");
    let cells = page.all(".breakdown tbody tr:first-child .breakdown-other, .breakdown tfoot .breakdown-other");
    assert!(cells.len() > 3);
    assert!(cells.iter().all(|cell| !cell.text_content().unwrap_or_default().is_empty()));
    page.click(FSDP2).await;
    rested(&page).await;
    assert_eq!(page.text(".breakdown thead .breakdown-other"), "sapp_nd");
}

#[wasm_bindgen_test]
async fn policies_are_controls_with_their_defaults() {
    let page = opened().await;
    page.click(FSDP2).await;
    page.click("[data-testid=policies] summary").await;
    drawn().await;
    assert_eq!(page.all("[data-policy]").len(), 16);
    assert_eq!(page.attribute("[data-policy-row=loss]", "data-value"), "full-fp32");
    assert!(page.text("[data-policy=loss] option").contains("(default)"));
    page.choose("[data-policy=loss]", "chunked:N").await;
    assert_eq!(page.peak(), peak_of(&input("fsdp2", &[("loss", "chunked:4096")])));
    let field = "[data-policy-number=loss]";
    page.enter_and_leave(field, "1024").await;
    assert_eq!(page.peak(), peak_of(&input("fsdp2", &[("loss", "chunked:1024")])));
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: convention");
    page.click("[data-policy-reset=loss]").await;
    assert_eq!(page.peak(), peak_of(&input("fsdp2", &[])));
    assert_eq!(page.attribute("[data-policy-row=loss]", "data-value"), "full-fp32");
}

#[wasm_bindgen_test]
async fn a_measured_peak_stands_beside_the_prediction() {
    let page = opened().await;
    let field = "[data-testid=measured]";
    page.enter_and_leave(field, "40 GiB").await;
    let said = page.text("[data-testid=measured-error]");
    assert!(said.contains("measured 40.00\u{a0}GiB allocated") && said.ends_with('%'), "{said}");
    page.enter_and_leave(field, "forty").await;
    assert_eq!(page.attribute(field, "aria-invalid"), "true");
    assert!(page.text("[data-testid=measured-error]").contains("65.2 GiB"));
    page.click("[data-testid=undo]").await;
    assert!(page.text("[data-testid=measured-error]").contains("measured 40.00"));
}

#[wasm_bindgen_test]
async fn all_of_it_is_said_in_chinese_too() {
    let page = opened().await;
    page.choose("[data-testid=language]", tag(Language::Chinese)).await;
    page.click("[data-testid=policies] summary").await;
    drawn().await;
    rested(&page).await;
    assert!(page.text(OTHER).contains("估算为"));
    for row in page.all("[data-policy-row] p") {
        assert!(!row.text_content().unwrap().is_ascii());
    }
    page.choose("[data-testid=language]", tag(Language::English)).await;
}
