//! The baseline: outlines, changes, keys.

use crate::mounted::Mounted;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn a_pinned_baseline_stands_behind_the_bars_and_beside_the_figures() {
    let page = Mounted::opened().await;
    let before: f64 = page.peak().parse().unwrap();
    page.click("[data-testid=pin]").await;
    assert_eq!(page.text("[data-testid=change]"), "As much as the baseline (65.8\u{a0}GiB)");
    page.slide("ep", 4).await;
    let after: f64 = page.peak().parse().unwrap();
    assert!(after < before);
    assert_eq!(page.attribute("[data-testid=change]", "data-bytes").parse::<f64>().unwrap(), after - before);
    assert_eq!(page.attribute(".ghosts", "d").matches('M').count(), 16);
    let changes: Vec<_> =
        page.all("tbody .breakdown-change").into_iter().filter_map(|cell| cell.text_content()).collect();
    assert!(changes.iter().any(|change| change.starts_with('\u{2212}')), "{changes:?}");
    assert!(page.attribute("[data-stage='1']", "aria-label").contains("than the baseline"));
}

#[wasm_bindgen_test]
async fn the_keys_that_differ_are_listed_old_and_new() {
    let page = Mounted::opened().await;
    page.click("[data-testid=pin]").await;
    assert_eq!(page.text(".compare-keys summary"), "No key differs");
    page.slide("ep", 4).await;
    let key = "[data-key='accelerator.ep_size']";
    assert_eq!(page.text(key), "accelerator.ep_size: 8 → 16");
    assert_eq!(page.attribute(key, "data-change"), "changed");
    let text = page.value("[data-testid=yaml]").replace("  max_grad_norm: 1.0\n", "  seed: 7\n");
    page.type_yaml(&text).await;
    assert_eq!(page.text("[data-change=removed]"), "−training.max_grad_norm: 1.0");
    assert_eq!(page.text("[data-change=added]"), "+training.seed: 7");
    assert_eq!(page.text(".compare-keys summary"), "3 keys differ");
    page.type_yaml("model: [").await;
    assert_eq!(page.text(".compare-keys summary"), "3 keys differ", "a broken text says nothing of its keys");
}

#[wasm_bindgen_test]
async fn the_baseline_is_swapped_cleared_and_undone() {
    let page = Mounted::opened().await;
    let before = page.peak();
    assert!(!page.shows("[data-testid=swap]"));
    page.click("[data-testid=pin]").await;
    page.slide("ep", 4).await;
    let after = page.peak();
    page.click("[data-testid=swap]").await;
    assert_eq!(page.peak(), before);
    assert_eq!(page.text("[data-key='accelerator.ep_size']"), "accelerator.ep_size: 16 → 8");
    page.click("[data-testid=undo]").await;
    assert_eq!(page.peak(), after);
    page.click("[data-testid=clear-baseline]").await;
    assert!(page.look_for("[data-testid=change]").is_none());
    assert!(page.look_for(".breakdown-change").is_none());
    page.click("[data-testid=undo]").await;
    assert!(page.look_for("[data-testid=change]").is_some());
}

#[wasm_bindgen_test]
async fn a_run_with_an_error_cannot_be_pinned() {
    let page = Mounted::opened().await;
    page.type_yaml("model: [").await;
    assert_eq!(page.attribute("[data-testid=pin]", "aria-disabled"), "true");
    page.click("[data-testid=pin]").await;
    assert!(page.look_for("[data-testid=change]").is_none());
}
