//! Recompute by layers.

use crate::mounted::{Mounted, peak_of};
use shardmem::estimate::Input;
use shardmem_app::state::Sample;
use wasm_bindgen_test::wasm_bindgen_test;

/// The sample with an execution spec beside it, by the core itself.
fn with(exec: &str) -> String {
    peak_of(&Input { exec: Some(exec.into()), ..Input::of(Sample::OPENING.text) })
}

async fn opened() -> Mounted {
    let page = Mounted::opened().await;
    page.click("[data-act=ranges-edit]").await;
    page
}

#[wasm_bindgen_test]
async fn editing_begins_with_what_the_run_recomputes_and_changes_nothing() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.click("[data-act=ranges-edit]").await;
    assert_eq!(page.all("[data-range]").len(), 1);
    assert_eq!(page.value("[data-range='0'] select"), "full");
    assert_eq!(page.value("[data-range='0'] [data-field=count]"), "");
    assert_eq!(page.peak(), before);
    assert!(page.find("[data-control=recompute] select").has_attribute("disabled"));
    page.click("[data-act=ranges-leave]").await;
    assert!(!page.find("[data-control=recompute] select").has_attribute("disabled"));
    assert_eq!(page.peak(), before);
}

#[wasm_bindgen_test]
async fn ranges_are_priced_as_the_execution_spec_states_them() {
    let page = opened().await;
    page.click("[data-act=range-add]").await;
    assert_eq!(page.value("[data-range='0'] [data-field=count]"), "60");
    page.enter("[data-range='0'] [data-field=count]", "20").await;
    page.enter("[data-range='1'] [data-field=first]", "20").await;
    assert_eq!(page.peak(), with("recompute: [{first: 0, count: 20, option: full}, {first: 20}]"));
    page.choose("[data-range='1'] select", "selective").await;
    assert_eq!(page.peak(), with("recompute: [{count: 20, option: full}, {first: 20, option: selective}]"));
    page.choose("[data-range='1'] select", "by-op").await;
    page.click("[data-range='1'] [data-field=attBMM]").await;
    let ops = "{attBMM: recompute, headCast: recompute, dropout: recompute, softmax: recompute, normOp: recompute, \
               gather: recompute, ffAct: recompute, attUp: keep}";
    let spec = format!("recompute: [{{count: 20, option: full}}, {{first: 20, option: selective, ops: {ops}}}]");
    assert_eq!(page.peak(), with(&spec));
}

#[wasm_bindgen_test]
async fn rows_move_go_and_come_back_by_undo() {
    let page = opened().await;
    page.click("[data-act=range-add]").await;
    page.click("[data-range='0'] [data-act=range-down]").await;
    assert_eq!(page.value("[data-range='0'] select"), "none");
    assert_eq!(page.value("[data-range='1'] select"), "full");
    page.click("[data-range='0'] [data-act=range-remove]").await;
    assert_eq!(page.all("[data-range]").len(), 1);
    assert_eq!(page.attribute("[data-testid=undo]", "aria-label"), "Undo: recompute by layers");
    page.click("[data-testid=undo]").await;
    assert_eq!(page.all("[data-range]").len(), 2);
    page.click("[data-range='1'] [data-act=range-remove]").await;
    page.click("[data-range='0'] [data-act=range-remove]").await;
    assert_eq!(page.peak(), with("recompute: []"));
}

#[wasm_bindgen_test]
async fn what_is_wrong_stands_at_its_row_and_the_list_of_findings_leads_there() {
    let page = opened().await;
    let before = page.peak();
    let count = "[data-range='0'] [data-field=count]";
    page.enter(count, "0").await;
    let error = page.text("[data-range='0'] .range-error");
    assert!(error.contains("whole number from 1"), "{error}");
    assert_eq!(page.attribute(count, "aria-invalid"), "true");
    assert!(page.shows("[data-testid=stale]"));
    assert_eq!(page.peak(), before);
    let finding = "[data-testid=diagnostic][data-code=range_count]";
    assert_eq!(page.text(&format!("{finding} .diagnostic-place")), "Range 1");
    page.enter(count, "99").await;
    assert!(page.text("[data-range='0'] .range-error").contains("61 layers"), "{}", page.text(".range-error"));
    page.enter(count, "twelve").await;
    assert_eq!(page.value(count), "twelve");
    page.enter(count, "61").await;
    assert!(!page.shows("[data-testid=stale]"));
    assert_eq!(page.text("[data-range='0'] .range-error"), "");
}
