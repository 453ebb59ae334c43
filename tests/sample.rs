//! The figures that README, DESIGN 5 and the opening sample's own heading state about the opening sample.

use shardmem::document::Value;
use shardmem::estimate::{Input, Outcome, Ready, estimate};
use shardmem::facts::Overrides;
use shardmem::provenance::KeyPath;
use shardmem::report::Fits;

fn sample(step: Option<(&str, i64)>) -> Box<Ready> {
    let mut overrides = Overrides::none();
    if let Some((key, value)) = step {
        overrides.set(KeyPath::parse(key), Value::Integer(value));
    }
    let text = include_str!("../data/samples/deepseek-v3-512.yaml");
    match estimate(&Input { overrides, pin_devices: true, ..Input::of(text) }) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

/// A peak in GiB, as it is shown.
fn peak(ready: &Ready) -> String {
    format!("{:.1}", ready.report.verdict.peak.gib())
}

#[test]
fn nine_of_sixteen_stages_exceed_and_one_step_mends_it() {
    let opening = sample(None);
    let verdict = &opening.report.verdict;
    assert_eq!((verdict.stage, peak(&opening).as_str()), (1, "65.8"));
    assert_eq!((verdict.fits, verdict.exceeding_stages, opening.report.stages.len()), (Fits::No, 9, 16));
    for (key, value, expected) in [
        ("accelerator.ep_size", 16, "39.0"),
        ("accelerator.tp_size", 2, "58.6"),
        ("fsdp_config.dp_shard_size", 8, "63.9"),
    ] {
        let mended = sample(Some((key, value)));
        assert_eq!((peak(&mended).as_str(), mended.report.verdict.fits), (expected, Fits::Yes), "{key}");
    }
}

/// The README's number by hand: four mixture-of-experts layers of DeepSeek-V3 in bfloat16, sharded 4, 8 × 2 and 4 ways.
#[test]
fn the_parameters_of_stage_1_are_those_worked_out_by_hand() {
    let dense = 187_107_328.0 + 2.0 * 7168.0 + 256.0 * 7168.0;
    let expert = 3.0 * 7168.0 * 2048.0;
    let layer = dense * 2.0 / 4.0 + 256.0 * expert / 8.0 * 2.0 / 2.0 + expert * 2.0 / 4.0;
    assert_eq!(layer, 1_525_784_576.0);
    assert_eq!(sample(None).report.stages[1].rows[0].bytes.value(), 4.0 * layer);
}
