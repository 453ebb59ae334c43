//! What holds for every chart: no label lies on another, every label stands inside the picture, and the end of a bar is its
//! total.

use super::{Drawing, Room, Size};
use crate::memory::{Breakdown, Category, Certainty, Instant, Item, StageMemory};
use crate::report::number::MemoryUnit;
use crate::report::{Chart, Reading, present};
use crate::units::{Bytes, GIB};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const INSTANTS: [Instant; 2] = [Instant { id: "warmup-end" }, Instant { id: "backward-end" }];
/// The lowest chart of the page's style, at 200 % zoom on a small screen.
const LOWEST: f64 = 200.0;

fn cases() -> ProptestConfig {
    let config = ProptestConfig::with_cases(150);
    ProptestConfig { rng_seed: RngSeed::Fixed(20_261_130), failure_persistence: None, max_shrink_iters: 300, ..config }
}

/// GiB from nothing to what no device will ever hold, some below zero.
fn amount() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..80.0,
        2 => Just(0.0),
        1 => 0.0..0.01,
        1 => 80.0..1200.0,
        1 => -250.0..0.0,
        1 => 1e3..1e9,
        1 => Just(1e290),
    ]
}

fn stage() -> impl Strategy<Value = Vec<(usize, [f64; 2])>> {
    prop::collection::vec((0..Category::ALL.len(), [amount(), amount()]), 0..9)
}

fn chart() -> impl Strategy<Value = Chart> {
    let count = prop_oneof![4 => 1_usize..=64, 2 => 1_usize..=4, 1 => 65_usize..=512];
    let stages = count.prop_flat_map(|count| {
        let equal = stage().prop_map(move |stage| vec![stage; count]);
        prop_oneof![prop::collection::vec(stage(), count), equal]
    });
    let capacity = prop_oneof![Just(0.0), Just(64.0), 0.001..2000.0, Just(1e12)];
    (stages, capacity).prop_map(|(stages, capacity)| {
        let stages = stages.into_iter().enumerate().map(|(index, items)| memory(index, &items)).collect();
        let breakdown = Breakdown { memory_model: "toy", stages, peak: 0 };
        present(&breakdown, &[], Bytes::new(capacity * GIB), Reading::Understood).chart
    })
}

fn memory(stage: usize, items: &[(usize, [f64; 2])]) -> StageMemory {
    let items: Vec<Item> = items
        .iter()
        .map(|(at, gib)| Item {
            id: "item",
            category: Category::ALL[*at],
            certainty: Certainty::Exact,
            bytes: gib.map(|count| Bytes::new(count * GIB)).into(),
        })
        .collect();
    let totals = [0, 1].map(|instant| items.iter().map(|item| item.bytes[instant]).sum::<Bytes>());
    let peak = usize::from(totals[1] > totals[0]);
    let instants = INSTANTS.to_vec().into();
    StageMemory {
        stage,
        layers: String::new(),
        instants,
        items,
        totals: totals.into(),
        peak,
        layers_of_instants: Vec::new(),
        band: None,
        reference: None,
    }
}

fn room() -> impl Strategy<Value = Room> {
    let unit = prop_oneof![Just(MemoryUnit::Gib), Just(MemoryUnit::Gb)];
    let category = prop_oneof![Just(Category::id as fn(Category) -> &'static str), Just(chinese as _)];
    (320.0..2560.0, LOWEST..700.0, 0_usize..600, 0_usize..600, unit, category).prop_map(
        |(width, height, peak, selected, unit, category)| Room {
            size: Size { width, height },
            peak,
            selected,
            unit,
            category,
        },
    )
}

fn chinese(_: Category) -> &'static str {
    "反向工作集的占用"
}

/// With the stages that there are.
fn held(room: Room, chart: &Chart) -> Room {
    let count = chart.bars.len();
    Room { peak: room.peak % count, selected: room.selected % count, ..room }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_label_lies_on_another_and_all_are_inside(chart in chart(), behind in prop::option::of(chart()), room in room()) {
        let room = held(room, &chart);
        let drawing = Drawing::new(&chart, behind.as_ref(), room);
        let texts = drawing.texts();
        for (at, text) in texts.iter().enumerate() {
            let (right, foot) = (text.x + text.width, text.y + text.height);
            prop_assert!(text.x >= -0.01 && right <= room.size.width + 0.01, "{text:?} of {room:?}");
            prop_assert!(text.y >= -0.01 && foot <= room.size.height + 0.01, "{text:?} of {room:?}");
            for other in &texts[..at] {
                prop_assert!(!text.overlaps(other), "{text:?} lies on {other:?} in {room:?}");
            }
        }
        prop_assert!(drawing.stages[room.selected].is_written);
    }

    #[test]
    fn bars_stand_inside_the_picture_and_end_at_their_totals(chart in chart(), room in room()) {
        let room = held(room, &chart);
        let drawing = Drawing::new(&chart, None, room);
        let frame = drawing.frame;
        for (index, stage) in drawing.stages.iter().enumerate() {
            let (left, right) = (frame.bar_x(index), frame.bar_x(index) + frame.bar());
            prop_assert!(left >= frame.left && right <= room.size.width + 0.01);
            prop_assert!(stage.y <= frame.ground() && stage.y >= 0.0);
        }
        for bar in &chart.bars {
            let end = bar.notches.last().map(|notch| notch.from);
            let end = end.or_else(|| bar.segments.last().map(|segment| segment.to)).unwrap_or(Bytes::ZERO);
            let size: f64 = bar.segments.iter().chain(&bar.notches).map(|part| part.bytes.value().abs()).sum();
            prop_assert!((end.value() - bar.total.value()).abs() <= size * 1e-12, "{end:?} is not {:?}", bar.total);
        }
        for (_, path) in &drawing.pieces {
            prop_assert_eq!(path.matches('M').count(), chart.bars.len());
        }
        prop_assert_eq!(drawing.others.matches('M').count(), chart.bars.len());
    }
}
