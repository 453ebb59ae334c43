//! Predicted against measured, both on logarithmic scales: what lies on the diagonal is predicted as it was measured.

use crate::messages::accuracy::Words;
use crate::view::{Element, html, svg};
use shardmem::decimal::fixed;
use shardmem::report::accuracy::Case;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, mark};
use shardmem::units::{Bytes, GIB};

/// The picture, in units of its own: the field is square, so that the diagonal is one.
const FIELD: f64 = 320.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 8.0;
const BELOW: f64 = 36.0;
/// Half of a mark.
const MARK: f64 = 3.0;

/// A scale in powers of two of a GiB, the same in both directions.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// Whole powers around all peaks; of one GiB where there are none.
    fn of(cases: &[Case<'_>]) -> Self {
        let peaks = cases.iter().flat_map(|case| [Some(case.measured), Some(case.ledger), case.reference]);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for peak in peaks.flatten().filter(|peak| *peak > 0.0) {
            let power = (peak / GIB).log2();
            (low, high) = (low.min(power.floor()), high.max(power.ceil()));
        }
        if low > high { Self { low: 0.0, high: 1.0 } } else { Self { low, high: high.max(low + 1.0) } }
    }

    /// How far along the field an amount lies, from 0 on.
    fn along(&self, bytes: f64) -> f64 {
        ((bytes / GIB).log2() - self.low) / (self.high - self.low) * FIELD
    }

    fn x(&self, bytes: f64) -> f64 {
        LEFT + self.along(bytes)
    }

    fn y(&self, bytes: f64) -> f64 {
        TOP + FIELD - self.along(bytes)
    }

    /// Where marks of the scale stand: not nearer than a label is wide.
    fn marks(&self) -> impl Iterator<Item = f64> {
        let step = if self.high - self.low > 9.0 { 2.0 } else { 1.0 };
        let powers = std::iter::successors(Some(self.low), move |power| Some(power + step));
        powers.take_while(|power| *power <= self.high).map(|power| power.exp2() * GIB)
    }
}

/// The picture and its legend. What it shows stands in the table below it.
pub(super) fn scatter(cases: &[Case<'_>], unit: MemoryUnit, words: &Words) -> Element {
    let scale = Scale::of(cases);
    let marks = scale.marks().flat_map(|bytes| {
        let (x, y) = (scale.x(bytes), scale.y(bytes));
        let label = mark(Bytes::new(bytes), unit);
        [
            line((x, TOP), (x, TOP + FIELD)),
            line((LEFT, y), (LEFT + FIELD, y)),
            text((x, TOP + FIELD + 14.0), "middle", label.clone()),
            text((LEFT - 6.0, y + 4.0), "end", label),
        ]
    });
    let (low, high) = ((LEFT, TOP + FIELD), (LEFT + FIELD, TOP));
    let names = [
        text((LEFT + FIELD / 2.0, TOP + FIELD + 30.0), "middle", [words.measured, ", ", unit.name()].concat()),
        text((LEFT + 6.0, TOP + 12.0), "start", [words.predicted, ", ", unit.name()].concat()),
    ];
    // The reference first: the ledger's marks lie over it.
    let reference = cases.iter().filter_map(|case| Some((case, case.reference?)));
    let crosses = reference.filter(|(_, bytes)| *bytes > 0.0).map(|(case, bytes)| {
        let (x, y) = (scale.x(case.measured), scale.y(bytes));
        let [left, right, top, bottom] = [x - MARK, x + MARK, y - MARK, y + MARK].map(short);
        let path = ["M", &left, " ", &top, "L", &right, " ", &bottom, "M", &left, " ", &bottom, "L", &right, " ", &top];
        told(svg("path").attribute("d", path.concat()), "sapp_nd", case, bytes, unit)
    });
    let rings = cases.iter().map(|case| {
        let ring = svg("circle")
            .attribute("cx", short(scale.x(case.measured)))
            .attribute("cy", short(scale.y(case.ledger)))
            .attribute("r", short(MARK));
        told(ring, "fsdp2", case, case.ledger, unit)
    });
    let picture = svg("svg")
        .class("scatter")
        .attribute("viewBox", ["0 0 ", &short(LEFT + FIELD + 16.0), " ", &short(TOP + FIELD + BELOW)].concat())
        .attribute("role", "img")
        .attribute("aria-label", words.scatter)
        .child(svg("g").class("scatter-scale").children(marks))
        .child(line(low, high).attribute("class", "scatter-exact"))
        .children(names)
        .child(svg("g").class("scatter-reference").children(crosses))
        .child(svg("g").class("scatter-ledger").children(rings));
    let entry = |class: &'static str, sign: &'static str, text: &'static str| {
        html("li").child(html("span").class(class).attribute("aria-hidden", "true").text(sign)).text(text)
    };
    let legend = html("ul").class("scatter-legend").children([
        entry("scatter-ring", "○", "fsdp2"),
        entry("scatter-cross", "×", "sapp_nd"),
        entry("scatter-line", "╱", words.exact),
    ]);
    html("div").class("scatter-frame").child(picture).child(legend)
}

/// A mark that says what it is where it is pointed at.
fn told(mark: Element, model: &'static str, case: &Case<'_>, bytes: f64, unit: MemoryUnit) -> Element {
    let [predicted, measured] =
        [bytes, case.measured].map(|bytes| amount_with_unit(Bytes::new(bytes), unit, Decimals::Two));
    mark.child(svg("title").text([case.name, ": ", model, " ", &predicted, " / ", &measured].concat()))
}

fn line(from: (f64, f64), to: (f64, f64)) -> Element {
    svg("line")
        .attribute("x1", short(from.0))
        .attribute("y1", short(from.1))
        .attribute("x2", short(to.0))
        .attribute("y2", short(to.1))
}

fn text(at: (f64, f64), anchor: &'static str, said: String) -> Element {
    svg("text").attribute("x", short(at.0)).attribute("y", short(at.1)).attribute("text-anchor", anchor).text(said)
}

fn short(length: f64) -> String {
    fixed(length, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_every_peak_and_a_diagonal() {
        assert_eq!(Scale::of(&[]).marks().count(), 2);
        let scale = Scale { low: -1.0, high: 6.0 };
        assert!((scale.along(0.5 * GIB)).abs() < 1e-9 && (scale.along(64.0 * GIB) - FIELD).abs() < 1e-9);
        assert!((scale.x(8.0 * GIB) - LEFT - (TOP + FIELD - scale.y(8.0 * GIB))).abs() < 1e-9);
        assert_eq!(scale.marks().count(), 8);
        assert_eq!(Scale { low: -4.0, high: 9.0 }.marks().count(), 7);
    }
}
