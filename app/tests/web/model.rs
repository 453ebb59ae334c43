//! The model: found, picked, pasted.

use crate::mounted::{Mounted, peak_of};
use shardmem::estimate::{Input, ModelChoice};
use shardmem_app::state::Sample;
use wasm_bindgen_test::wasm_bindgen_test;

const CONFIG: &str = r#"{
  "model_type": "llama",
  "hidden_size": 2048,
  "num_hidden_layers": 16,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "intermediate_size": 8192,
  "vocab_size": 128256
}"#;

fn with(model: ModelChoice) -> Input {
    Input { model, ..Input::of(Sample::OPENING.text) }
}

#[wasm_bindgen_test]
async fn the_model_named_in_the_file_is_found() {
    let page = Mounted::opened().await;
    let found = page.text("[data-testid=model-found]");
    assert!(found.starts_with("deepseek-ai/DeepSeek-V3, named in the file"), "{found}");
    assert!(found.contains("active; the reference counts") && found.contains("bias of the output table"), "{found}");
    assert_eq!(page.value("[data-testid=model]"), "deepseek-ai/DeepSeek-V3");
}

#[wasm_bindgen_test]
async fn a_model_is_picked_by_typing_and_given_back() {
    let page = Mounted::opened().await;
    let before = page.peak();
    let picker = "[data-testid=model]";
    page.enter(picker, "qwen3 235b a22b").await;
    assert_eq!(page.attribute(picker, "aria-expanded"), "true");
    let options = page.all("[role=option][id^=model-option]");
    assert!(options.len() > 1, "{} models", options.len());
    page.press(picker, "ArrowDown").await;
    assert_eq!(page.attribute(picker, "aria-activedescendant"), "model-option-1");
    page.press(picker, "ArrowUp").await;
    page.press(picker, "Enter").await;
    assert_eq!(page.attribute(picker, "aria-expanded"), "false");
    let id = page.value(picker);
    assert!(id.starts_with("Qwen/Qwen3-235B-A22B"), "{id}");
    assert_eq!(page.peak(), peak_of(&with(ModelChoice::Catalogue(id.into()))));
    assert!(page.text("[data-testid=model-found]").contains("chosen by you"));
    page.click("[data-testid=model-from-file]").await;
    assert_eq!(page.peak(), before);
}

#[wasm_bindgen_test]
async fn escape_leaves_the_model_as_it_was() {
    let page = Mounted::opened().await;
    let picker = "[data-testid=model]";
    page.enter(picker, "llama").await;
    page.press(picker, "Escape").await;
    assert_eq!(page.value(picker), "deepseek-ai/DeepSeek-V3");
    assert_eq!(page.attribute(picker, "aria-expanded"), "false");
}

#[wasm_bindgen_test]
async fn a_pasted_config_counts_and_a_broken_one_is_stale() {
    let page = Mounted::opened().await;
    let before = page.peak();
    page.type_into("[data-testid=config-json]", CONFIG).await;
    let pasted = peak_of(&with(ModelChoice::Config(CONFIG.into())));
    assert_eq!(page.peak(), pasted);
    let found = page.text("[data-testid=model-found]");
    assert!(found.contains("from your config.json"), "{found}");
    assert!(!found.contains("DeepSeek") && !found.contains("671"), "the file's model is not the one in use: {found}");
    page.type_into("[data-testid=config-json]", &CONFIG.replace("2048,", "2048")).await;
    assert!(page.shows("[data-testid=stale]"));
    assert!(page.text("[data-testid=model-found]").contains("as last read"));
    assert_eq!(page.peak(), pasted);
    assert_eq!(page.attribute("[data-testid=diagnostic][data-severity=error]", "data-code"), "json_syntax");
    page.type_into("[data-testid=config-json]", "").await;
    assert_eq!(page.peak(), before);
}

#[wasm_bindgen_test]
async fn a_model_nobody_knows_is_refused_with_a_way_on() {
    let page = Mounted::opened().await;
    let text = Sample::OPENING.text.replace("deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3-Base-of-ours");
    page.type_yaml(&text).await;
    assert!(page.shows("[data-testid=stale]"));
    let error = "[data-testid=diagnostic][data-severity=error]";
    assert_eq!(page.attribute(error, "data-code"), "hf_config_unresolved");
    let found = page.text("[data-testid=model-found]");
    assert!(found.starts_with("deepseek-ai/DeepSeek-V3, as last read"), "{found}");
}

#[wasm_bindgen_test]
async fn the_dimensions_that_a_finding_proposes_are_taken_in_one_action() {
    let page = Mounted::opened().await;
    page.type_yaml(&Sample::OPENING.text.replace("deepseek-ai/DeepSeek-V3", "moonshotai/Kimi-K2.6")).await;
    assert!(page.shows("[data-testid=stale]"));
    page.click("[data-way=adopt]").await;
    assert!(!page.shows("[data-testid=stale]"));
    let id = "moonshotai/Kimi-K2.6";
    assert_eq!(page.peak(), peak_of(&with(ModelChoice::Catalogue(id.into()))));
    let found = page.text("[data-testid=model-found]");
    assert!(found.starts_with(&format!("{id}, chosen by you")), "{found}");
}
