//! The JavaScript API in the browser: what `JSON.stringify` makes of its answers is what the command line prints.
//! `cli/tests/cli.rs` holds the recorded answers of `tests/api/cases.json` against the command on every run.
#![cfg(all(target_arch = "wasm32", feature = "wasm"))]

use js_sys::{JSON, Reflect};
use shardmem::wasm;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

static CASES: &str = include_str!("api/cases.json");
static EXPLAINED: &str = include_str!("api/explain.json");

fn stringify(value: &JsValue) -> String {
    JSON::stringify(value).expect("plain objects").into()
}

fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).expect("an object")
}

#[wasm_bindgen_test]
fn answers_are_the_command_lines_byte_for_byte() {
    let cases: serde_json::Value = serde_json::from_str(CASES).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let yaml = JsValue::from_str(case["yaml"].as_str().expect("text"));
        let options = JSON::parse(&case["options"].to_string()).expect("JSON");
        let answer = wasm::estimate(&yaml, &options).expect("right argument types");
        assert_eq!(stringify(&answer), case["expected"].as_str().expect("text"), "{}", case["name"]);
    }
}

#[wasm_bindgen_test]
fn explanations_are_the_command_lines_byte_for_byte() {
    let cases: serde_json::Value = serde_json::from_str(EXPLAINED).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let argument = |name: &str| JSON::parse(&case[name].to_string()).expect("JSON");
        let [yaml, options, stage, item, instant] = ["yaml", "options", "stage", "item", "instant"].map(argument);
        let answer = wasm::explain(&yaml, &options, &stage, &item, &instant).expect("right argument types");
        assert_eq!(stringify(&answer), case["expected"].as_str().expect("text"), "{}", case["name"]);
    }
}

#[wasm_bindgen_test]
fn only_wrong_types_throw_where_a_figure_is_explained() {
    let unstated = JsValue::UNDEFINED;
    let explain = |stage: &JsValue, item: &JsValue| wasm::explain(&"a: 1".into(), &unstated, stage, item, &unstated);
    for (stage, item) in [
        (JsValue::from_f64(-1.0), "total".into()),
        (JsValue::from_f64(0.5), "total".into()),
        ("0".into(), "total".into()),
        (JsValue::from_f64(0.0), JsValue::UNDEFINED),
    ] {
        let thrown = explain(&stage, &item).expect_err("a wrong type");
        assert!(thrown.is_instance_of::<js_sys::TypeError>(), "{thrown:?}");
    }
    let untold = explain(&JsValue::from_f64(1e9), &"nothing".into()).expect("right argument types");
    assert!(field(&untold, "steps").is_null());
}

#[wasm_bindgen_test]
fn the_recipe_gives_the_references_peak() {
    let cases: serde_json::Value = serde_json::from_str(CASES).expect("JSON");
    let recipe = cases.as_array().expect("a list").iter().find(|case| case["name"] == "recipe").expect("the recipe");
    let yaml = JsValue::from_str(recipe["yaml"].as_str().expect("text"));
    let answer = wasm::estimate(&yaml, &JsValue::UNDEFINED).expect("right argument types");
    let peak = field(&field(&answer, "peak"), "bytes").as_f64();
    // goldens/yamls.json, qwen3_moe_recipe.yaml: the one stage's total.
    assert_eq!(peak, recipe["golden_peak"].as_f64());
}

#[wasm_bindgen_test]
fn plain_objects_and_nulls_cross_the_border() {
    let answer = wasm::estimate(&"[]".into(), &JsValue::NULL).expect("a refusal is an answer");
    assert!(field(&answer, "stages").is_null());
    assert!(!answer.is_instance_of::<js_sys::Map>());
    let first = field(&field(&answer, "diagnostics"), "0");
    assert_eq!(field(&first, "code").as_string().as_deref(), Some("root_not_mapping"));
}

#[wasm_bindgen_test]
fn only_wrong_types_throw() {
    let options = |json: &str| JSON::parse(json).expect("JSON");
    for (yaml, options) in [
        (JsValue::from_f64(1.0), JsValue::UNDEFINED),
        ("a: 1".into(), "devices".into()),
        ("a: 1".into(), options(r#"{"devices": "8"}"#)),
        ("a: 1".into(), options(r#"{"devices": 0}"#)),
        ("a: 1".into(), options(r#"{"devices": 1.5}"#)),
        ("a: 1".into(), options(r#"{"device": 8}"#)),
        ("a: 1".into(), options("[]")),
        ("a: 1".into(), options(r#"{"measured": [1]}"#)),
        ("a: 1".into(), options(r#"{"policies": {"loss": 1}}"#)),
        ("a: 1".into(), options(r#"{"model": "a", "config": "{}"}"#)),
    ] {
        let thrown = wasm::estimate(&yaml, &options).expect_err("a wrong type");
        assert!(thrown.is_instance_of::<js_sys::TypeError>(), "{thrown:?}");
    }
    let unstated = options(r#"{"model": null, "overrides": null, "pin_devices": null}"#);
    assert!(wasm::estimate(&"a: 1".into(), &unstated).is_ok());
    for text in ["", "a: [", "\u{0}", "{{{", "a: 1"] {
        assert!(wasm::estimate(&text.into(), &JsValue::UNDEFINED).is_ok(), "{text}");
    }
}

#[wasm_bindgen_test]
fn models_and_version() {
    let models = js_sys::Array::from(&wasm::models().expect("plain objects"));
    assert!(models.length() > 100);
    assert!(field(&models.get(0), "id").as_string().is_some_and(|id| id.contains('/')));
    assert_eq!(wasm::version(), env!("CARGO_PKG_VERSION"));
}
