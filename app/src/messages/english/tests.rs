use super::*;

fn gib(count: f64) -> Bytes {
    Bytes::new(count * 1_073_741_824.0)
}

fn sample(fits: Fits, peak: f64) -> Verdict {
    Verdict {
        fits,
        stage: 1,
        instant: "backward-end",
        layer: None,
        peak: gib(peak),
        band: None,
        judged: gib(peak),
        capacity: gib(64.0),
        headroom: gib(64.0 - peak),
        largest: (Category::OptimizerStates, 0.518),
        exceeding_stages: 9,
    }
}

#[test]
fn the_verdict_is_said_in_words() {
    let gib = MemoryUnit::Gib;
    assert_eq!(verdict(&sample(Fits::No, 65.84), gib), "Exceeds 64\u{a0}GiB by 1.8\u{a0}GiB");
    assert_eq!(verdict(&sample(Fits::Yes, 58.7), gib), "Fits 64\u{a0}GiB with 5.3\u{a0}GiB to spare");
    assert_eq!(verdict(&sample(Fits::No, 65.84), MemoryUnit::Gb), "Exceeds 68.7\u{a0}GB by 2.0\u{a0}GB");
    assert_eq!(
        verdict_reason(&sample(Fits::No, 65.84), 16),
        "on stage 1, when the backward ends; 52\u{202f}% of it is optimizer states. 9 of 16 stages exceed."
    );
    assert_eq!(
        verdict_reason(&sample(Fits::Yes, 58.7), 1),
        "on every device, when the backward ends; 52\u{202f}% of it is optimizer states."
    );
}

#[test]
fn items_are_said_without_their_category() {
    assert_eq!(item("optimizer-states-routed-experts"), "Routed experts");
    assert_eq!(item("gradients-whole-output"), "Output layer, before it is reduced");
    assert_eq!(item("buffers-tensor-parallel"), "Tensor parallel");
    assert_eq!(item("parameters-norm"), "Norms");
    assert_eq!(item("unheard-of"), "Unheard of");
}

#[test]
fn layers_are_said_in_words() {
    assert_eq!(layers(LayerCounts::of("FFFF")), "4 layers, all recomputed");
    assert_eq!(layers(LayerCounts::of("ENNF")), "embedding, 3 layers, 1 recomputed");
    assert_eq!(layers(LayerCounts::of("NO")), "output, 1 layer, nothing recomputed");
    assert_eq!(in_flight(&[-28.0]), "\u{2212}28 micro-batches in flight");
    assert_eq!(in_flight(&[15.0]), "15 micro-batches in flight");
    assert_eq!(in_flight(&[11.0, 4.0]), "11 + 4 micro-batches in flight, by chunk");
    assert_eq!(percent(0.001), "<1\u{202f}%");
}
