//! A memory model nobody has: three instants, other categories. Report, chart and JSON do not know which they show
//! (DESIGN 2.3).

use shardmem::memory::{Band, Breakdown, Category, Certainty, Instant, Item, StageMemory};
use shardmem::report::exports::{Column, further_columns};
use shardmem::report::measured::{Measured, read};
use shardmem::report::{Fits, Other, Reading, Report, json, present};
use shardmem::units::{Bytes, GIB};

const INSTANTS: [&str; 3] = ["first-gather", "layer-backward", "optimizer-step"];

fn item(id: &'static str, category: Category, certainty: Certainty, gib: [f64; 3]) -> Item {
    Item { id, category, certainty, bytes: gib.map(|count| Bytes::new(count * GIB)).into_iter().collect() }
}

fn stage(index: usize, items: Vec<Item>, peak: usize) -> StageMemory {
    let totals = (0..3).map(|instant| items.iter().map(|item| item.bytes[instant]).sum()).collect();
    StageMemory {
        stage: index,
        layers: "ENNO".to_owned(),
        instants: INSTANTS.map(|id| Instant { id }).to_vec().into(),
        items,
        totals,
        peak,
        layers_of_instants: Vec::new(),
        band: None,
        reference: None,
    }
}

/// Stage 0 peaks in the backward, stage 1 at the optimizer's step.
fn toy() -> Breakdown {
    let first = vec![
        item("shards", Category::Parameters, Certainty::Exact, [8.0, 8.0, 8.0]),
        item("states", Category::OptimizerStates, Certainty::Exact, [16.0, 16.0, 16.0]),
        item("saved-inputs", Category::Activations, Certainty::Policy, [0.0, 30.0, 0.0]),
        item("layer-gradients", Category::GradientsInFlight, Certainty::Estimated, [0.0, 4.0, 1.0]),
    ];
    let second = vec![
        item("shards", Category::Parameters, Certainty::Exact, [6.0, 6.0, 6.0]),
        item("states", Category::OptimizerStates, Certainty::Exact, [12.0, 12.0, 12.0]),
        item("step-buffers", Category::Buffers, Certainty::Policy, [0.0, 0.0, 20.0]),
    ];
    Breakdown { memory_model: "toy", stages: vec![stage(0, first, 1), stage(1, second, 2)], peak: 0 }
}

#[test]
fn the_report_shows_the_instant_that_won_on_each_stage() {
    let report = present(&toy(), &[vec![2.0], vec![1.0]], Bytes::new(64.0 * GIB), Reading::Understood);
    assert_eq!(report.memory_model, "toy");
    assert_eq!(report.verdict.fits, Fits::Yes);
    assert_eq!((report.verdict.stage, report.verdict.instant), (0, "layer-backward"));
    assert_eq!(report.verdict.peak.gib(), 58.0);
    assert_eq!(report.verdict.headroom.gib(), 6.0);
    assert_eq!(report.verdict.largest, (Category::Activations, 30.0 / 58.0));
    let won: Vec<&str> = report
        .stages
        .iter()
        .flat_map(|stage| stage.instants.iter().filter(|instant| instant.wins).map(|instant| instant.id))
        .collect();
    assert_eq!(won, ["layer-backward", "optimizer-step"]);
    assert_eq!(report.stages[0].in_flight, [2.0]);
}

#[test]
fn rows_and_bars_hold_every_byte_of_the_peak() {
    let report = present(&toy(), &[], Bytes::new(40.0 * GIB), Reading::Understood);
    assert_eq!((report.verdict.fits, report.verdict.exceeding_stages), (Fits::No, 1));
    for (stage, bar) in report.stages.iter().zip(&report.chart.bars) {
        let rows: f64 = stage.rows.iter().map(|row| row.bytes.gib()).sum();
        let items: f64 = stage.rows.iter().flat_map(|row| &row.items).map(|item| item.bytes.gib()).sum();
        let shares: f64 = stage.rows.iter().map(|row| row.share).sum();
        assert_eq!(rows, stage.peak.gib());
        assert_eq!(items, stage.peak.gib());
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!(bar.segments.last().map(|segment| segment.to), Some(stage.peak));
        assert_eq!(bar.total, stage.peak);
    }
    assert_eq!(report.chart.bars.iter().map(|bar| bar.exceeds).collect::<Vec<_>>(), [true, false]);
}

/// Stage 0 needs 58 GiB and a device shows 60 to 66; stage 1 needs 38 and shows 39 to 42.
fn banded() -> Breakdown {
    let mut toy = toy();
    let gib = |count: f64| Bytes::new(count * GIB);
    for (stage, [low, expected, high]) in toy.stages.iter_mut().zip([[58.0, 60.0, 66.0], [38.0, 39.0, 42.0]]) {
        stage.band = Some(Band { low: gib(low), expected: gib(expected), high: gib(high) });
        stage.layers_of_instants = vec![None, Some(7), None];
    }
    toy
}

#[test]
fn a_band_fits_tightly_where_only_the_expected_figure_does() {
    let report = |capacity: f64| present(&banded(), &[], Bytes::new(capacity * GIB), Reading::Understood);
    let said = |report: &Report| {
        let verdict = &report.verdict;
        (verdict.fits, verdict.headroom.gib(), verdict.exceeding_stages, json::tight(verdict))
    };
    assert_eq!(said(&report(66.0)), (Fits::Yes, 0.0, 0, Some(false)));
    assert_eq!(said(&report(64.0)), (Fits::Tight, 4.0, 0, Some(true)));
    assert_eq!(said(&report(59.0)), (Fits::No, -1.0, 1, Some(false)));
    assert_eq!(said(&report(38.5)), (Fits::No, -21.5, 2, Some(false)));
    let partial = present(&banded(), &[], Bytes::new(64.0 * GIB), Reading::Partial);
    assert_eq!((partial.verdict.fits, json::tight(&partial.verdict)), (Fits::Unknown, None));
    let tight = report(64.0);
    assert_eq!((tight.verdict.instant, tight.verdict.layer), ("layer-backward", Some(7)));
    assert_eq!(tight.verdict.peak.gib(), 58.0);
    assert!(tight.chart.top.gib() > 66.0 && tight.chart.bars.iter().all(|bar| !bar.exceeds));
    assert!(report(59.0).chart.bars[0].exceeds);
    assert_eq!(json::tight(&present(&toy(), &[], Bytes::new(64.0 * GIB), Reading::Understood).verdict), None);
}

#[test]
fn another_models_figure_stands_beside() {
    let (shown, other, capacity) = (toy(), banded(), Bytes::new(64.0 * GIB));
    let mut report = present(&shown, &[], capacity, Reading::Understood);
    assert_eq!(further_columns(&report).count(), 0);
    report.other = Some(Other::new(&shown, &other, capacity, Reading::Understood));
    let beside = report.other.as_ref().expect("a figure");
    assert_eq!((beside.fits, beside.stage, beside.peak.gib(), beside.gap), (Fits::Tight, 0, 58.0, None));
    let columns: Vec<Column> = further_columns(&report).collect();
    assert_eq!(columns, [Column::Other("toy")]);
    assert_eq!(columns[0].of(&report, 1), Some(report.stages[1].peak));
    let banded = present(&other, &[], capacity, Reading::Understood);
    assert_eq!(further_columns(&banded).collect::<Vec<_>>(), [Column::Expected, Column::High]);
    assert_eq!(Column::High.of(&banded, 1).map(Bytes::gib), Some(42.0));
}

#[test]
fn a_measured_peak_is_held_against_the_figure_of_its_kind() {
    let report = present(&banded(), &[], Bytes::new(64.0 * GIB), Reading::Understood);
    let predicted = |text: &str| {
        let measured = Measured::beside(read(text).expect("an amount"), &report.verdict);
        (measured.predicted.gib(), (measured.error * 1000.0).round())
    };
    assert_eq!(predicted("50GiB"), (58.0, 160.0));
    assert_eq!(predicted("64GiB reserved"), (60.0, -63.0));
}

#[test]
fn a_file_that_was_not_understood_gets_no_verdict() {
    let report = present(&toy(), &[], Bytes::new(64.0 * GIB), Reading::Partial);
    assert_eq!(report.verdict.fits, Fits::Unknown);
    assert_eq!(json::fits(report.verdict.fits), None);
}

#[test]
fn json_names_the_instants_and_leaves_the_references_figures_null() {
    let text = json::to_string(&json::stages(&toy())[1]);
    assert_eq!(
        text,
        concat!(
            r#"{"stage":1,"layers":"ENNO","static":null,"dynamic":null,"total":40802189312,"peak_instant":"optimizer-step","peak_layer":null,"items":["#,
            r#"{"id":"shards","category":"parameters","provenance":"exact","bytes":{"first-gather":6442450944,"layer-backward":6442450944,"optimizer-step":6442450944}},"#,
            r#"{"id":"states","category":"optimizer-states","provenance":"exact","bytes":{"first-gather":12884901888,"layer-backward":12884901888,"optimizer-step":12884901888}},"#,
            r#"{"id":"step-buffers","category":"buffers","provenance":"policy","bytes":{"first-gather":0,"layer-backward":0,"optimizer-step":21474836480}}],"#,
            r#""printed_mib":null}"#
        )
    );
}
