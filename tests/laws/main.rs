//! The laws that any memory calculator should keep (users' wishes, numbered as they were collected), tried on random runs of
//! every catalogue model. Where a quirk of the reference breaks a law, `quirks` shows the quirk itself.

mod quirks;
mod runs;
mod spellings;
mod states;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use runs::{Layout, category, held, item, layout, near, power, select_model};
use shardmem::memory::Category;

/// The same cases on every run.
fn cases(count: u32) -> ProptestConfig {
    let config = ProptestConfig::with_cases(count);
    ProptestConfig { rng_seed: RngSeed::Fixed(20_261_130), failure_persistence: None, ..config }
}

/// With as many micro-batches as stages; with fewer some buffers fall below zero, which is a quirk.
fn enough(layout: &Layout) -> Layout {
    Layout { micro_batches: layout.micro_batches.max(layout.pp), ..layout.clone() }
}

#[test]
fn every_law_is_tried() {
    let sources =
        [include_str!("main.rs"), include_str!("quirks.rs"), include_str!("spellings.rs"), include_str!("states.rs")];
    for law in 1..=13 {
        let name = format!("fn law_{law}_");
        assert!(sources.iter().any(|source| source.contains(&name)), "law {law}");
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn law_1_a_total_is_the_sum_of_its_components(layout in layout(|_| true)) {
        let ready = layout.priced();
        for (stage, shown) in ready.breakdown.stages.iter().zip(&ready.report.stages) {
            for (instant, total) in stage.totals.iter().enumerate() {
                let sum: f64 = stage.items.iter().map(|item| item.bytes[instant].value()).sum();
                prop_assert!((sum - total.value()).abs() < 0.5, "{sum} {}", total.value());
            }
            let rows: f64 = shown.rows.iter().map(|row| row.bytes.value()).sum();
            prop_assert!((rows - shown.peak.value()).abs() < 0.5);
        }
    }

    /// The named copy: a tied table stands on the first and on the last stage, where these are two.
    #[test]
    fn law_2_stages_hold_the_models_parameters_and_named_copies(model in select_model(|model| model.is_text), pp in 1_i64..20) {
        let parameters = |pp: i64| -> (f64, f64) {
            let ready = Layout { pp, ..Layout::plain(model.id) }.priced();
            let stages = &ready.breakdown.stages;
            let embedding = stages.iter().map(|stage| item(stage, "parameters-embedding", 0)).sum();
            (stages.iter().map(|stage| category(stage, Category::Parameters, 0)).sum(), embedding)
        };
        let pp = pp.min(model.layers);
        let ((one, _), (several, embedding)) = (parameters(1), parameters(pp));
        let copy = if model.is_tied && pp > 1 { embedding } else { 0.0 };
        prop_assert!(near(several, one + copy), "{several} {one} {copy}");
    }

    /// Between two degrees above 1; what happens between 1 and 2 is a quirk.
    #[test]
    fn law_3_twice_the_shard_halves_what_is_sharded_and_nothing_else(
        layout in layout(|model| model.is_text && model.experts <= 1),
        shard in power(4),
    ) {
        let before = Layout { shard: 2 * shard, replicate: 2, ..layout };
        let after = Layout { shard: 4 * shard, replicate: 1, ..before.clone() };
        for (one, two) in before.priced().breakdown.stages.iter().zip(&after.priced().breakdown.stages) {
            for ((id, whole), (_, half)) in held(one).zip(held(two)) {
                prop_assert!(half * 2.0 == whole, "{id}: {whole} {half}");
            }
            for kept in [Category::Activations, Category::Buffers, Category::BackwardWorkingSet, Category::Reserve] {
                for instant in 0..one.instants.len() {
                    prop_assert_eq!(category(one, kept, instant), category(two, kept, instant));
                }
            }
        }
    }

    /// The number of micro-batches stays: with a fixed global batch it would fall, and fewer be in flight.
    #[test]
    fn law_4_replicas_change_nothing_on_a_device(layout in layout(|_| true)) {
        // Where experts had no replica yet, the first one brings their reduction.
        let before = Layout { replicate: 2 * layout.ep * layout.expert_shard, ..layout };
        let after = Layout { replicate: 2 * before.replicate, ..before.clone() };
        prop_assert_eq!(before.priced().breakdown, after.priced().breakdown);
    }

    /// EP trades tokens, it does not remove them: activations stay.
    #[test]
    fn law_5_expert_parallelism_changes_expert_terms_alone(layout in layout(|model| model.experts % 16 == 0), ep in power(2)) {
        const OF_EXPERTS: [&str; 9] = [
            "parameters-routed-experts",
            "optimizer-states-routed-experts",
            "gradients-routed-experts",
            "buffers-expert-parallel",
            "buffers-parameter-gathers",
            "working-set-buffers",
            "gradients-held",
            "gradients-whole-layers",
            // A quirk: see there.
            "buffers-tensor-parallel",
        ];
        let before = Layout { ep, shard: 16, ..enough(&layout) };
        let after = Layout { ep: 2 * ep, ..before.clone() };
        for (one, two) in before.priced().breakdown.stages.iter().zip(&after.priced().breakdown.stages) {
            for item_before in one.items.iter().filter(|item| !OF_EXPERTS.contains(&item.id)) {
                for instant in 0..one.instants.len() {
                    prop_assert_eq!(item(one, item_before.id, instant), item(two, item_before.id, instant), "{}", item_before.id);
                }
            }
        }
    }

    #[test]
    fn law_6_twice_the_micro_batch_doubles_tokens_and_no_weights(layout in layout(|_| true)) {
        let layout = enough(&layout);
        let twice = Layout { micro_batch: 2 * layout.micro_batch, ..layout.clone() };
        for (one, two) in layout.priced().breakdown.stages.iter().zip(&twice.priced().breakdown.stages) {
            prop_assert_eq!(held(one).collect::<Vec<_>>(), held(two).collect::<Vec<_>>());
            for item_before in one.items.iter().filter(|item| item.id.contains("activations")) {
                for instant in 0..one.instants.len() {
                    let (before, after) = (item(one, item_before.id, instant), item(two, item_before.id, instant));
                    prop_assert!(near(before * 2.0, after), "{}: {before} {after}", item_before.id);
                }
            }
            // Buffers hold some of both.
            let (before, after) = (category(one, Category::Buffers, 0), category(two, Category::Buffers, 0));
            prop_assert!(before <= after && after <= 2.0 * before, "{before} {after}");
        }
    }

    #[test]
    fn law_7_recompute_never_raises_what_is_kept(layout in layout(|_| true)) {
        let kept = |recompute: &'static str| -> Vec<f64> {
            let ready = Layout { recompute, ..layout.clone() }.priced();
            ready.breakdown.stages.iter().map(|stage| category(stage, Category::Activations, 0)).collect()
        };
        let (off, selective, full) = (kept("off"), kept("selective"), kept("full"));
        prop_assert!(selective.iter().zip(&off).all(|(less, more)| less <= more), "{selective:?} {off:?}");
        // Sharded tokens are a quirk: a recomputed layer's input is not sharded with them.
        if layout.cp == 1 && (layout.tp == 1 || !layout.sequence_parallel) {
            prop_assert!(full.iter().zip(&selective).all(|(less, more)| less <= more), "{full:?} {selective:?}");
        }
    }

    /// The schedules of one pass forth and one back; `gpipe`, `zero_bubble_v` and chunks are quirks.
    #[test]
    fn law_8_without_a_pipeline_the_schedule_is_irrelevant(layout in layout(|_| true)) {
        let with = |schedule: &'static str| Layout { pp: 1, schedule, ..layout.clone() }.priced().breakdown;
        let plain = with("1f1b");
        prop_assert_eq!(&plain, &with("seqpipe"));
        prop_assert_eq!(&plain, &with("seqsmartvpp"));
    }

    #[test]
    fn law_9_enough_micro_batches_are_as_many_as_stages(layout in layout(|_| true), more in 0_i64..100) {
        // A single micro-batch accumulates nothing, so at PP 1 the second one counts too.
        let enough = Layout { micro_batches: layout.pp.max(2), ..layout };
        let plenty = Layout { micro_batches: enough.micro_batches + more, ..enough.clone() };
        prop_assert_eq!(enough.priced().breakdown, plenty.priced().breakdown);
    }

    /// Of equal layers, at least two a chunk, and with as many micro-batches as stages; the rest are quirks.
    #[test]
    fn law_10_chunks_never_lower_the_first_stages_peak(
        layout in layout(|model| model.is_uniform),
        pick in any::<prop::sample::Index>(),
    ) {
        let layers = runs::models().iter().find(|model| model.id == layout.model).expect("a model").layers;
        let all = (2..9).flat_map(|stages| (2..5).map(move |chunks| (stages, chunks)));
        let even: Vec<(i64, i64)> = all.filter(|(stages, chunks)| layers % (2 * stages * chunks) == 0).collect();
        prop_assume!(!even.is_empty());
        let (pp, chunks) = even[pick.index(even.len())];
        let whole = enough(&Layout { pp, ..layout });
        let interleaved = Layout { chunks, ..whole.clone() };
        let first = |layout: &Layout| layout.priced().breakdown.stages[0].peak_bytes().value();
        let (whole, interleaved) = (first(&whole), first(&interleaved));
        prop_assert!(interleaved >= whole * (1.0 - 1e-12), "{interleaved} {whole}");
    }

    #[test]
    fn law_13_every_figure_is_a_number(layout in layout(|_| true)) {
        let ready = layout.priced();
        for stage in &ready.breakdown.stages {
            let bytes = stage.items.iter().flat_map(|item| item.bytes.iter()).chain(stage.totals.iter());
            for bytes in bytes {
                prop_assert!(bytes.value().is_finite());
                // With fewer micro-batches than stages buffers fall below zero: a quirk.
                prop_assert!(bytes.value() >= 0.0 || layout.micro_batches < layout.pp);
            }
        }
    }
}
