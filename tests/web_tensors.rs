//! The parameter counts again, in the browser: counts stay 64 bits wide where a word has 32.
#![cfg(target_arch = "wasm32")]

use shardmem::model::catalogue;
use shardmem::model::tensors::tensors;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn confirmed_counts_are_met_to_the_last_parameter() {
    let lines = include_str!("parameter_counts.csv").lines().filter(|line| line.ends_with(",both"));
    let mut met = 0;
    for line in lines {
        let [id, total, ..] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let spec = catalogue::spec(id).expect("an entry has a spec");
        let count = tensors(&spec).map(|tensors| tensors.count().total);
        assert_eq!(count, total.parse().ok(), "{id}");
        met += 1;
    }
    assert_eq!(met, 115);
}
