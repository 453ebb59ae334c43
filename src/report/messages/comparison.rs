//! A figure beside others: the other memory model's, and what was measured.

use super::table::Language;
use crate::decimal;
use crate::memory::Category;
use crate::report::measured::{Figure, Measured};
use crate::report::number::{Decimals, MemoryUnit, amount_with_unit, change};
use crate::report::{Fits, Other, Report};

/// What the other memory model says of a report's run, where the two differ most, and when to trust which.
pub fn comparison(report: &Report, other: &Other, unit: MemoryUnit, language: Language) -> String {
    let words = words(language);
    let peak = amount_with_unit(other.peak, unit, Decimals::One);
    let difference = change(other.peak - report.verdict.peak, unit, Decimals::One);
    let mut text = fill(words.says, &[other.memory_model, &peak, &difference]);
    if let Some(band) = other.band {
        text.push_str(&fill(words.up_to, &[&amount_with_unit(band.high, unit, Decimals::One)]));
    }
    text.push_str((words.fits)(other));
    if let Some(gap) = other.gap {
        let bytes = change(gap.bytes, unit, Decimals::One);
        text.push_str(&fill(words.most, &[(words.category)(gap.category), &bytes]));
    }
    text + words.trust
}

/// A measured peak beside its prediction, with the signed error.
pub fn measurement(measured: &Measured, unit: MemoryUnit, language: Language) -> String {
    let words = words(language);
    let [seen, predicted] =
        [measured.bytes, measured.predicted].map(|bytes| amount_with_unit(bytes, unit, Decimals::Two));
    fill(words.measured, &[&seen, (words.figure)(measured.figure), &predicted, &percent(measured.error)])
}

/// A share with its sign, in percents: `+2.9 %`.
fn percent(share: f64) -> String {
    let percents = decimal::fixed(share.abs() * 100.0, 1);
    let is_zero = percents.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    let sign = match (is_zero, share < 0.0) {
        (true, _) => "",
        (false, true) => "\u{2212}",
        (false, false) => "+",
    };
    format!("{sign}{percents}\u{202f}%")
}

/// The words of a language; each `{}` stands for the next value.
struct Words {
    says: &'static str,
    up_to: &'static str,
    fits: fn(&Other) -> &'static str,
    most: &'static str,
    trust: &'static str,
    measured: &'static str,
    category: fn(Category) -> &'static str,
    figure: fn(Figure) -> &'static str,
}

const ENGLISH: Words = Words {
    says: "{} says {} ({})",
    up_to: ", up to {} with the allocator",
    fits: |other| match other.fits {
        Fits::Yes => ", and fits",
        Fits::Tight => ", and fits tightly",
        Fits::No => ", and does not fit",
        Fits::Unknown => "",
    },
    most: "; they differ most in {} ({})",
    trust: ". Trust fsdp2 for whether a PyTorch FSDP2 run fits, sapp_nd for ranking layouts as the reference does.",
    measured: "measured {} {}: predicted {}, {}",
    category: |category| match category {
        Category::Parameters => "parameters",
        Category::OptimizerStates => "optimizer states",
        Category::Gradients => "gradients",
        Category::Activations => "activations",
        Category::Buffers => "buffers",
        Category::BackwardWorkingSet => "the backward's working set",
        Category::GradientsInFlight => "gradients in flight",
        Category::Reserve => "the reserve",
    },
    figure: Figure::id,
};

const CHINESE: Words = Words {
    says: "{} 估算为 {}（{}）",
    up_to: "，计入分配器最多 {}",
    fits: |other| match other.fits {
        Fits::Yes => "，放得下",
        Fits::Tight => "，勉强放得下",
        Fits::No => "，放不下",
        Fits::Unknown => "",
    },
    most: "；差异最大的是{}（{}）",
    trust: "。判断 PyTorch FSDP2 运行能否放下，以 fsdp2 为准；按参考实现比较并行策略，以 sapp_nd 为准。",
    measured: "实测 {}（{}）：预测 {}，误差 {}",
    category: |category| match category {
        Category::Parameters => "参数",
        Category::OptimizerStates => "优化器状态",
        Category::Gradients => "梯度",
        Category::Activations => "激活值",
        Category::Buffers => "缓冲区",
        Category::BackwardWorkingSet => "反向工作集",
        Category::GradientsInFlight => "在途梯度",
        Category::Reserve => "预留",
    },
    figure: |figure| match figure {
        Figure::Allocated => "已分配",
        Figure::Reserved => "已预留",
    },
};

const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

fn fill(template: &str, values: &[&str]) -> String {
    let mut text = String::new();
    let mut values = values.iter();
    for (at, piece) in template.split("{}").enumerate() {
        if at > 0 {
            text.push_str(values.next().copied().unwrap_or_default());
        }
        text.push_str(piece);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Band, Breakdown, Certainty, Instant, Item, StageMemory};
    use crate::report::measured::Amount;
    use crate::report::{Reading, present};
    use crate::units::{Bytes, GIB};

    fn gib(count: f64) -> Bytes {
        Bytes::new(count * GIB)
    }

    fn breakdown(memory_model: &'static str, activations: f64, band: Option<Band>) -> Breakdown {
        let item = |id, category, count| Item { id, category, certainty: Certainty::Exact, bytes: [gib(count)].into() };
        let stage = StageMemory {
            stage: 0,
            layers: String::new(),
            instants: vec![Instant { id: "layer-backward" }].into(),
            items: vec![
                item("parameters", Category::Parameters, 10.0),
                item("activations", Category::Activations, activations),
            ],
            totals: [gib(10.0 + activations)].into(),
            peak: 0,
            layers_of_instants: vec![Some(3)],
            band,
            reference: None,
        };
        Breakdown { memory_model, stages: vec![stage], peak: 0 }
    }

    #[test]
    fn both_figures_and_when_to_trust_which() {
        let (shown, capacity) = (breakdown("sapp_nd", 20.0, None), gib(64.0));
        let band = Band { low: gib(58.0), expected: gib(61.0), high: gib(67.3) };
        let other = breakdown("fsdp2", 48.0, Some(band));
        let report = present(&shown, &[], capacity, Reading::Understood);
        let beside = |other: &Breakdown| Other::new(&shown, other, capacity, Reading::Understood);
        assert_eq!(
            comparison(&report, &beside(&other), MemoryUnit::Gib, Language::English),
            ("fsdp2 says 58.0\u{a0}GiB (+28.0), up to 67.3\u{a0}GiB with the allocator, and fits tightly; they differ \
                 most in activations (+28.0). Trust fsdp2 for whether a PyTorch FSDP2 run fits, sapp_nd for ranking \
                 layouts as the reference does.")
        );
        let chinese = comparison(&report, &beside(&other), MemoryUnit::Gib, Language::Chinese);
        assert!(chinese.starts_with("fsdp2 估算为 58.0\u{a0}GiB（+28.0），"), "{chinese}");
        let same = breakdown("sapp_nd", 20.0, None);
        let said = comparison(&report, &beside(&same), MemoryUnit::Gib, Language::English);
        assert!(said.starts_with("sapp_nd says 30.0\u{a0}GiB (0.0), and fits. Trust"), "{said}");
    }

    #[test]
    fn a_measurement_says_how_far_off_the_prediction_is() {
        let amount = Amount { bytes: gib(64.0), figure: Figure::Allocated };
        let said = |predicted, language| measurement(&Measured::new(amount, gib(predicted)), MemoryUnit::Gib, language);
        assert_eq!(
            said(65.84, Language::English),
            "measured 64.00\u{a0}GiB allocated: predicted 65.84\u{a0}GiB, +2.9\u{202f}%"
        );
        assert!(said(60.0, Language::English).ends_with(", \u{2212}6.2\u{202f}%"));
        assert!(said(64.0, Language::English).ends_with(", 0.0\u{202f}%"));
        assert_eq!(
            said(65.84, Language::Chinese),
            "实测 64.00\u{a0}GiB（已分配）：预测 65.84\u{a0}GiB，误差 +2.9\u{202f}%"
        );
    }
}
