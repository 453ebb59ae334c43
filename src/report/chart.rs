//! Geometry of the stacked bars: what lies between which bytes. Heights in pixels are the view's affair.

use super::view::{Bar, Chart, Segment, Tick};
use crate::memory::{Breakdown, Category, StageMemory};
use crate::units::{Bytes, GIB};

/// Upper bound on the steps that the figures span; the scale is at most two longer.
const MOST_STEPS: u8 = 8;
/// The finest step, a binary megabyte, in GiB.
const FINEST_STEP: f64 = 1.0 / 1024.0;

/// The bars of all stages, each at its own peak instant, on one scale that begins at zero and holds every bar, the
/// capacity line and some air above both.
pub(super) fn chart(breakdown: &Breakdown, capacity: Bytes) -> Chart {
    let bars: Vec<Bar> = breakdown.stages.iter().map(|stage| bar(stage, capacity)).collect();
    let highest = bars.iter().map(|bar| highest_point(bar).value()).fold(finite(capacity.value()), f64::max);
    let lowest = bars.iter().map(|bar| finite(bar.total.value())).fold(0.0, f64::min);
    let step = step_in_gib((highest - lowest) / GIB) * GIB;
    // A quarter of a step of air, so that neither a bar nor the line touches the edge.
    let top = ((highest / step + 0.25).ceil() * step).max(step);
    let bottom = (lowest / step).floor() * step;
    Chart { top: Bytes::new(top), bottom: Bytes::new(bottom), ticks: ticks(bottom, top, step), capacity, bars }
}

/// The end of the stack of positive categories, from which the notches hang, or that of the band.
fn highest_point(bar: &Bar) -> Bytes {
    let end = bar.segments.last().map_or(0.0, |segment| finite(segment.to.value()));
    let band = bar.band.map_or(0.0, |band| finite(band.high.value()));
    Bytes::new(end.max(finite(bar.total.value())).max(band))
}

/// The power of two that divides a range into at most eight steps.
fn step_in_gib(range: f64) -> f64 {
    let mut step = FINEST_STEP;
    while range / step > f64::from(MOST_STEPS) {
        step *= 2.0;
    }
    step
}

fn ticks(bottom: f64, top: f64, step: f64) -> Vec<Tick> {
    let mut ticks = Vec::new();
    let mut at = bottom;
    while at <= top && ticks.len() <= usize::from(MOST_STEPS) + 2 {
        ticks.push(Tick { bytes: Bytes::new(at) });
        at += step;
    }
    ticks
}

fn bar(stage: &StageMemory, capacity: Bytes) -> Bar {
    let mut segments = Vec::new();
    let mut end = Bytes::ZERO;
    for (category, bytes) in parts(stage, Sign::Positive) {
        segments.push(Segment { category, from: end, to: end + bytes, bytes });
        end = end + bytes;
    }
    let mut notches = Vec::new();
    for (category, bytes) in parts(stage, Sign::Negative) {
        notches.push(Segment { category, from: end + bytes, to: end, bytes });
        end = end + bytes;
    }
    let total = stage.peak_bytes();
    let exceeds = !within(expected(stage), capacity);
    Bar { stage: stage.stage, total, band: stage.band, exceeds, segments, notches, other: other(stage) }
}

/// The total at the other of two instants. Among more, one mark would say nothing.
fn other(stage: &StageMemory) -> Option<Bytes> {
    match &*stage.totals {
        [first, second] => Some(if stage.peak == 0 { *second } else { *first }),
        _ => None,
    }
}

/// What a device is expected to need for a stage: its peak, or what the memory model expects of the allocator.
pub fn expected(stage: &StageMemory) -> Bytes {
    stage.band.map_or(stage.peak_bytes(), |band| band.expected)
}

/// `sapp_nd`: the total, its reserve included, is at most the capacity (DESIGN 3.6). What is no number does not fit.
pub fn within(total: Bytes, capacity: Bytes) -> bool {
    total <= capacity
}

#[derive(Clone, Copy)]
enum Sign {
    Positive,
    Negative,
}

/// The sum of the items of one sign in each category that has some, from the ground up.
fn parts(stage: &StageMemory, sign: Sign) -> impl Iterator<Item = (Category, Bytes)> {
    Category::ALL.into_iter().filter_map(move |category| {
        let bytes: Bytes = stage
            .items
            .iter()
            .filter(|item| item.category == category)
            .map(|item| item.bytes[stage.peak])
            .filter(|bytes| match sign {
                Sign::Positive => *bytes > Bytes::ZERO,
                Sign::Negative => *bytes < Bytes::ZERO,
            })
            .sum();
        (bytes != Bytes::ZERO).then_some((category, bytes))
    })
}

/// Zero for what is no number, so that a scale always exists.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Certainty, Instant, Item};

    fn gib(count: f64) -> Bytes {
        Bytes::new(count * GIB)
    }

    fn stage(index: usize, items: &[(&'static str, Category, f64)]) -> StageMemory {
        let total = items.iter().map(|(_, _, count)| gib(*count)).sum();
        StageMemory {
            stage: index,
            layers: "N".to_owned(),
            instants: vec![Instant { id: "warmup-end" }].into(),
            items: items
                .iter()
                .map(|(id, category, count)| Item {
                    id,
                    category: *category,
                    certainty: Certainty::Exact,
                    bytes: vec![gib(*count)].into(),
                })
                .collect(),
            totals: vec![total].into(),
            peak: 0,
            layers_of_instants: Vec::new(),
            band: None,
            reference: None,
        }
    }

    fn of(stages: Vec<StageMemory>, capacity: f64) -> Chart {
        chart(&Breakdown { memory_model: "toy", stages, peak: 0 }, gib(capacity))
    }

    fn marks(chart: &Chart) -> Vec<f64> {
        chart.ticks.iter().map(|tick| tick.bytes.gib()).collect()
    }

    #[test]
    fn stacks_categories_from_zero_and_marks_the_scale() {
        let chart = of(
            vec![stage(
                0,
                &[
                    ("experts", Category::Parameters, 10.0),
                    ("states", Category::OptimizerStates, 20.0),
                    ("attention", Category::Parameters, 5.0),
                ],
            )],
            64.0,
        );
        let ends: Vec<(Category, f64, f64)> =
            chart.bars[0].segments.iter().map(|part| (part.category, part.from.gib(), part.to.gib())).collect();
        assert_eq!(ends, [(Category::Parameters, 0.0, 15.0), (Category::OptimizerStates, 15.0, 35.0)]);
        assert!(!chart.bars[0].exceeds);
        assert_eq!(marks(&chart), [0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 56.0, 64.0, 72.0]);
        assert_eq!(chart.top, gib(72.0));
    }

    #[test]
    fn negative_items_hang_as_notches_so_that_the_bar_ends_at_the_total() {
        let chart = of(
            vec![stage(
                0,
                &[
                    ("parameters", Category::Parameters, 30.0),
                    ("gathers", Category::Buffers, 4.0),
                    ("dispatch", Category::Buffers, -10.0),
                    ("working", Category::BackwardWorkingSet, -2.0),
                ],
            )],
            64.0,
        );
        let bar = &chart.bars[0];
        assert_eq!(bar.segments.last().map(|part| part.to), Some(gib(34.0)));
        let notches: Vec<(f64, f64, f64)> =
            bar.notches.iter().map(|part| (part.from.gib(), part.to.gib(), part.bytes.gib())).collect();
        assert_eq!(notches, [(24.0, 34.0, -10.0), (22.0, 24.0, -2.0)]);
        assert_eq!(bar.notches.last().map(|part| part.from), Some(bar.total));
    }

    #[test]
    fn a_negative_total_lowers_the_ground_of_the_scale() {
        let chart = of(vec![stage(0, &[("dispatch", Category::Buffers, -203.0)])], 64.0);
        assert_eq!(chart.bottom, gib(-256.0));
        assert!(chart.top >= gib(64.0));
        assert!(marks(&chart).contains(&0.0));
    }

    #[test]
    fn holds_one_stage_sixty_four_nothing_and_nine_hundred_gib() {
        let many = of((0..64).map(|index| stage(index, &[("parameters", Category::Parameters, 1.0)])).collect(), 64.0);
        assert_eq!(many.bars.len(), 64);
        let empty = of(vec![stage(0, &[])], 0.0);
        assert!(empty.top > Bytes::ZERO && empty.bars[0].segments.is_empty());
        let large = of(vec![stage(0, &[("activations", Category::Activations, 900.0)])], 64.0);
        assert_eq!(marks(&large), [0.0, 128.0, 256.0, 384.0, 512.0, 640.0, 768.0, 896.0, 1024.0]);
        assert!(large.bars[0].exceeds);
        let small = of(vec![stage(0, &[("parameters", Category::Parameters, 0.1)])], 0.0);
        assert_eq!(marks(&small).len(), 8);
        assert!(of(Vec::new(), 64.0).bars.is_empty());
        let unknown = of(vec![stage(0, &[("parameters", Category::Parameters, f64::NAN)])], f64::INFINITY);
        assert!(unknown.top > Bytes::ZERO && unknown.bars[0].exceeds);
        assert!(of(vec![stage(0, &[("parameters", Category::Parameters, 1e290)])], 64.0).ticks.len() < 20);
    }
}
