//! The pictures under the answer, the order of the table, and what the copy says.

use crate::mounted::{Mounted, focused};
use shardmem::memory::{Breakdown, Category, Certainty, Instant, Item, StageMemory};
use shardmem::report::number::MemoryUnit;
use shardmem::report::{Reading, Report, present};
use shardmem::units::{Bytes, GIB};
use shardmem_app::browser::patch::live;
use shardmem_app::components::pictures::{Looks, heat_map};
use shardmem_app::messages::Language;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

/// Two stages of a memory model with three instants, that nobody has.
fn toy() -> Report {
    let stage = |stage: usize, gib: [f64; 3], peak: usize| {
        let bytes: Vec<Bytes> = gib.iter().map(|count| Bytes::new(count * GIB)).collect();
        let item = Item {
            id: "shards",
            category: Category::Parameters,
            certainty: Certainty::Exact,
            bytes: bytes.clone().into(),
        };
        let instants = ["first-gather", "layer-backward", "optimizer-step"].map(|id| Instant { id }).to_vec().into();
        StageMemory {
            stage,
            layers: "N".into(),
            instants,
            items: vec![item],
            totals: bytes.into(),
            peak,
            layers_of_instants: Vec::new(),
            band: None,
            reference: None,
        }
    };
    let stages = vec![stage(0, [1.0, 3.0, 2.0], 1), stage(1, [1.0, 1.0, 2.0], 2)];
    let breakdown = Breakdown { memory_model: "toy", stages, peak: 0 };
    present(&breakdown, &[], Bytes::new(64.0 * GIB), Reading::Understood)
}

#[wasm_bindgen_test]
async fn a_heat_map_of_three_instants_stands_in_the_page() {
    use leptos::prelude::*;
    let looks = Looks { selected: 0, unit: MemoryUnit::Gib, language: Language::English };
    let root: web_sys::HtmlElement = document().create_element("section").unwrap().unchecked_into();
    document().body().unwrap().append_child(&root).unwrap();
    let handle = leptos::mount::mount_to(root.clone(), move || {
        let map = live(move || heat_map(&toy(), looks));
        view! { <div node_ref=map></div> }
    });
    crate::mounted::settled().await;
    let cells = root.query_selector_all("td[data-instant]").unwrap();
    assert_eq!(cells.length(), 6);
    let peak = root.query_selector("td.peak").unwrap().unwrap();
    assert_eq!(peak.get_attribute("data-instant").as_deref(), Some("layer-backward"));
    assert_eq!(peak.text_content().as_deref(), Some("◆ 3.0 the peak of all"));
    let style = peak.unchecked_into::<web_sys::HtmlElement>().get_attribute("style").unwrap();
    assert!(style.contains("100%"), "{style}");
    drop(handle);
    root.remove();
}

#[wasm_bindgen_test]
async fn two_instants_are_said_and_marked_on_every_bar() {
    let page = Mounted::opened().await;
    let said = page.text("[data-testid=peak-said]");
    assert!(said.starts_with("Peak at the end of the backward; the end of the warm-up is "), "{said}");
    assert_eq!(page.attribute(".others", "d").matches('M').count(), 16);
    assert!(page.attribute("[data-testid=heat-map]", "hidden").is_empty());
    assert!(!page.shows("[data-testid=heat-map]"));
}

#[wasm_bindgen_test]
async fn heads_sort_the_rows_and_give_the_bars_order_back() {
    let page = Mounted::opened().await;
    let rows = || -> Vec<String> {
        page.all("tbody[data-row]").iter().map(|row| row.get_attribute("data-row").unwrap()).collect()
    };
    let bars = rows();
    let head = "[data-sort=bytes]";
    page.click(head).await;
    assert_eq!(page.attribute("th[aria-sort=descending]", "scope"), "col");
    let falling = rows();
    assert_ne!(falling, bars);
    assert_eq!(falling[0], "optimizer-states");
    page.click(head).await;
    assert_eq!(rows()[falling.len() - 1], "optimizer-states");
    page.click(head).await;
    assert_eq!(rows(), bars);
    assert!(page.look_for("[data-sort=change]").is_none());
    page.click("[data-testid=pin]").await;
    page.click("[data-sort=change]").await;
    assert_eq!(page.attribute("th:has([data-sort=change])", "aria-sort"), "descending");
}

#[wasm_bindgen_test]
async fn layers_on_stages_come_when_they_are_opened_and_pick_a_stage() {
    let page = Mounted::opened().await;
    assert!(page.look_for(".layer-map").is_none());
    page.find("[data-testid=layer-map]").set_attribute("open", "").unwrap();
    for _ in 0..20 {
        crate::mounted::settled().await;
        if page.look_for(".layer-map").is_some() {
            break;
        }
    }
    assert_eq!(page.all(".layer-map tbody tr").len(), 16);
    page.click(".layer-map [data-pick='5']").await;
    assert_eq!(page.text(".stage-detail h2"), "Stage 5");
    page.press(".layer-map [data-pick='5']", "ArrowRight").await;
    assert_eq!(page.text(".stage-detail h2"), "Stage 6");
    assert_eq!(focused("data-pick").as_deref(), Some("6"));
}

#[wasm_bindgen_test]
async fn unknown_keys_are_taken_out_of_the_file_and_come_back_with_undo() {
    let text = include_str!("../../../tests/diagnostics/spec_unknown_key.yaml");
    let page = Mounted::with(text).await;
    page.click("[data-code=spec_unknown_key] [data-way=leave-out]").await;
    let left = text.replace("    hiden_act: silu\n", "").replace("    num_atention_heads: 32\n", "");
    assert_eq!(page.value("[data-testid=yaml]"), left);
    assert!(page.look_for("[data-code=spec_unknown_key]").is_none());
    page.click("[data-testid=undo]").await;
    assert_eq!(page.value("[data-testid=yaml]"), text);
}
