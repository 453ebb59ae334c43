//! The future: cells on the tracks, what would make the run fit, and how far one can go.

use crate::mounted::{Mounted, peak_of, settled};
use shardmem::estimate::Input;
use shardmem_app::state::Sample;
use wasm_bindgen_test::wasm_bindgen_test;

/// Waits until what is known is of the run as it stands.
async fn known(page: &Mounted) {
    for _ in 0..2_000 {
        if page.attribute("[data-testid=fixes]", "data-current") == "true" {
            settled().await;
            return;
        }
        settled().await;
    }
    panic!("nothing is known of the run");
}

fn cells(page: &Mounted, control: &str) -> Vec<String> {
    let cells = page.all(&format!("[data-control='{control}'] .control-step"));
    cells.iter().map(|cell| cell.get_attribute("data-cell").unwrap_or_default()).collect()
}

#[wasm_bindgen_test]
async fn a_cell_says_what_its_value_will_do() {
    let page = Mounted::opened().await;
    known(&page).await;
    let before = cells(&page, "ep");
    assert!(before.contains(&"fits".to_owned()) && before.contains(&"exceeds".to_owned()), "{before:?}");
    for (at, cell) in before.iter().enumerate() {
        page.slide("ep", at).await;
        let fits = page.attribute("[data-testid=verdict]", "data-fits");
        match cell.as_str() {
            "fits" => assert_eq!(fits, "true", "{at}"),
            "exceeds" => assert_eq!(fits, "false", "{at}"),
            _ => {}
        }
    }
    // Only what the other values are told of the control itself stays the same wherever it stands.
    known(&page).await;
    assert_eq!(cells(&page, "ep"), before);
}

#[wasm_bindgen_test]
async fn what_was_known_is_marked_while_the_run_changes() {
    let page = Mounted::opened().await;
    known(&page).await;
    page.drag("ep", 4).await;
    assert_eq!(page.attribute("[data-testid=fixes]", "data-current"), "false");
    let first = page.all("[data-testid=fix]").first().cloned().expect("what was known stays");
    assert_eq!(first.get_attribute("aria-disabled").as_deref(), Some("true"));
    let before = page.peak();
    page.click("[data-testid=fix]").await;
    assert_eq!(page.peak(), before, "what mends another run is not taken");
    page.release("ep").await;
    known(&page).await;
    assert!(page.look_for("[data-testid=fix]").is_none());
    assert!(page.look_for("[data-testid=room]").is_some());
}

#[wasm_bindgen_test]
async fn a_fix_is_one_step_and_needs_what_it_says() {
    let page = Mounted::opened().await;
    known(&page).await;
    let before = page.peak();
    for fix in ["dp-shard", "ep", "tp"] {
        let selector = format!("[data-testid=fix][data-moves='{fix}']");
        let promised = page.attribute(&selector, "data-bytes");
        page.click(&selector).await;
        assert_eq!(page.peak(), promised, "{fix}");
        assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
        page.click("[data-testid=undo]").await;
        assert_eq!(page.peak(), before);
        known(&page).await;
    }
}

#[wasm_bindgen_test]
async fn a_slider_goes_past_what_is_refused() {
    let page = Mounted::opened().await;
    known(&page).await;
    let refused = cells(&page, "pp").iter().position(|cell| cell == "refused").expect("61 stages on 512 devices");
    let value = |page: &Mounted| page.attribute("[data-control=pp]", "data-value");
    let before = value(&page);
    page.slide("pp", refused).await;
    let reached =
        cells(&page, "pp")[page.value("[data-control=pp] input[type=range]").parse::<usize>().unwrap()].clone();
    assert_ne!(reached, "refused", "{before} → {}", value(&page));
    assert_ne!(page.attribute("[data-testid=verdict]", "data-stale"), "true");
}

#[wasm_bindgen_test]
async fn a_question_has_an_answer_that_can_be_taken() {
    let page = Mounted::with(&Sample::OPENING.text.replace("ep_size: 8 ", "ep_size: 16 ")).await;
    known(&page).await;
    page.click("[data-testid=limit-sequence]").await;
    let said = page.text("[data-testid=limit-answer]");
    assert!(said.contains("tokens") && said.contains("would need"), "{said}");
    page.click("[data-testid=limit-take]").await;
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
    known(&page).await;
    assert!(page.text("[data-testid=limit-answer]").contains("That is what it has"));
    page.click("[data-testid=limit-recompute]").await;
    page.click("[data-testid=limit-take]").await;
    assert_eq!(page.attribute("[data-testid=verdict]", "data-fits"), "true");
    page.click("[data-testid=undo]").await;
    page.click("[data-testid=undo]").await;
    let text = Sample::OPENING.text.replace("ep_size: 8 ", "ep_size: 16 ");
    assert_eq!(page.peak(), peak_of(&Input::of(&text)));
}
