//! The chart as a picture that stands alone: SVG with its colours and fonts in it, on a light ground.

use super::Words;
use crate::decimal;
use crate::memory::Category;
use crate::report::number::{Decimals, amount, mark, shortest};
use crate::report::{Bar, Chart, Report};
use crate::units::Bytes;
use std::fmt::Write;

const WIDTH: f64 = 960.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
/// The plot's upper and lower edge.
const TOP: f64 = 72.0;
const GROUND: f64 = 392.0;
/// Where the legend begins, and its cells.
const LEGEND: f64 = GROUND + 44.0;
const CELL: (f64, f64) = (220.0, 20.0);
/// The widest a bar's slot gets.
const WIDEST_SLOT: f64 = 104.0;
/// Widest digit of the labels, and the air between two of them.
const DIGIT: f64 = 7.0;
const AIR: f64 = 6.0;
/// Two marks of the scale closer than this would touch.
const MARK: f64 = 14.0;

const INK: &str = "#1a1d21";
const SOFT: &str = "#555c66";
const HAIRLINE: &str = "#dcddd8";
const OVER: &str = "#b0221a";
const DIAGONAL: &str = "M-1 1 1-1M0 6 6 0M5 7 7 5";

/// A category's colour and the lines over it: neighbours in a bar differ in both.
const fn fill(category: Category) -> (&'static str, &'static str) {
    match category {
        Category::Parameters => ("#0f3f82", ""),
        Category::OptimizerStates => ("#5aa3e8", ""),
        Category::Gradients => ("#a9d0f5", "M0 3H6"),
        Category::Activations => ("#f2ab35", DIAGONAL),
        Category::Buffers => ("#7d4aa8", "M1.5 1.5h.01M4.5 4.5h.01"),
        Category::BackwardWorkingSet => ("#cd6ea3", ""),
        Category::GradientsInFlight => ("#227257", "M3 0V6"),
        Category::Reserve => ("#b9b8b0", ""),
    }
}

/// The bars of a report with the device's line and a legend.
pub fn picture(report: &Report, words: Words<'_>) -> String {
    let categories: Vec<Category> =
        Category::ALL.into_iter().filter(|category| occurs(&report.chart, *category)).collect();
    let rows = (categories.len() + 1).div_ceil(4);
    let height = LEGEND + rows as f64 * CELL.1 + 12.0;
    let mut picture = Picture { svg: String::new(), plot: Plot::of(&report.chart) };
    picture.begin(height, report, words);
    picture.fills(&categories);
    picture.text((RIGHT, 28.0), "start", INK, 650, words.heading, 16);
    picture.scale(&report.chart, words);
    for (index, bar) in report.chart.bars.iter().enumerate() {
        picture.bar(index, bar);
    }
    picture.capacity(&report.chart, words);
    picture.labels(report, words);
    picture.legend(&categories, words);
    picture.svg.push_str("</svg>\n");
    picture.svg
}

fn occurs(chart: &Chart, category: Category) -> bool {
    let mut segments = chart.bars.iter().flat_map(|bar| bar.segments.iter().chain(&bar.notches));
    segments.any(|segment| segment.category == category)
}

/// Where bars and amounts stand.
#[derive(Debug, Clone, Copy)]
struct Plot {
    bottom: f64,
    top: f64,
    slot: f64,
    bar: f64,
}

impl Plot {
    fn of(chart: &Chart) -> Self {
        let slot = ((WIDTH - LEFT - RIGHT) / chart.bars.len().max(1) as f64).min(WIDEST_SLOT);
        let bar = (slot - (slot * 0.2).clamp(1.0, 12.0)).max(1.0);
        Self { bottom: chart.bottom.value(), top: chart.top.value(), slot, bar }
    }

    fn x(self, index: usize) -> f64 {
        LEFT + index as f64 * self.slot + (self.slot - self.bar) / 2.0
    }

    fn y(self, bytes: Bytes) -> f64 {
        let share = (bytes.value() - self.bottom) / (self.top - self.bottom);
        GROUND - if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 } * (GROUND - TOP)
    }
}

struct Picture {
    svg: String,
    plot: Plot,
}

impl Picture {
    // Writing to a string cannot fail.
    fn begin(&mut self, height: f64, report: &Report, words: Words<'_>) {
        let totals = report.chart.bars.iter().map(|bar| {
            format!(
                "{} {}: {} {}",
                words.stage,
                bar.stage,
                amount(bar.total, words.unit, Decimals::Two),
                words.unit.name()
            )
        });
        let totals = totals.collect::<Vec<_>>().join("; ");
        let [width, height] = [WIDTH, height].map(shortest);
        let _ = write!(
            self.svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"shardmem-title shardmem-description\" \
             font-family=\"system-ui, 'Noto Sans', 'Noto Sans CJK SC', Arial, sans-serif\" font-size=\"12\">\
             <title id=\"shardmem-title\">{}</title><desc id=\"shardmem-description\">{}</desc>\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>",
            escaped(words.heading),
            escaped(&totals)
        );
    }

    fn fills(&mut self, categories: &[Category]) {
        self.svg.push_str("<defs>");
        for category in categories {
            let (colour, lines) = fill(*category);
            self.pattern(category.id(), colour, lines, "#ffffff\" stroke-opacity=\"0.4");
        }
        self.pattern("notch", "#ffffff", DIAGONAL, SOFT);
        self.svg.push_str("</defs>");
    }

    fn pattern(&mut self, id: &str, colour: &str, lines: &str, stroke: &str) {
        let _ = write!(
            self.svg,
            "<pattern id=\"shardmem-{id}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"6\" height=\"6\" fill=\"{colour}\"/>\
             <path d=\"{lines}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.25\" stroke-linecap=\"square\"/></pattern>"
        );
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: &str, colour: &str, weight: u16, text: &str, size: u8) {
        let _ = write!(
            self.svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"{colour}\" font-weight=\"{weight}\" font-size=\"{size}\" \
             stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{}</text>",
            tenths(x),
            tenths(y),
            escaped(text)
        );
    }

    fn line(&mut self, y: f64, from: f64, style: &str) {
        let _ = write!(
            self.svg,
            "<path d=\"M{} {}H{}\" fill=\"none\" {style}/>",
            tenths(from),
            tenths(y),
            tenths(WIDTH - RIGHT)
        );
    }

    fn rectangle(&mut self, x: f64, (upper, lower): (f64, f64), width: f64, fill: &str) {
        // A hairline of ground stays free between two pieces.
        let height = lower - upper;
        let height = if height > 3.0 { height - 1.0 } else { height };
        let _ = write!(
            self.svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#shardmem-{fill})\"/>",
            tenths(x),
            tenths(upper),
            tenths(width),
            tenths(height)
        );
    }

    fn scale(&mut self, chart: &Chart, words: Words<'_>) {
        let capacity = self.plot.y(chart.capacity);
        self.text((LEFT - 8.0, TOP - 14.0), "end", SOFT, 400, words.unit.name(), 12);
        for tick in &chart.ticks {
            let y = self.plot.y(tick.bytes);
            self.line(y, LEFT, &format!("stroke=\"{HAIRLINE}\""));
            if (y - capacity).abs() >= MARK {
                self.text((LEFT - 8.0, y + 4.0), "end", SOFT, 400, &mark(tick.bytes, words.unit), 12);
            }
        }
    }

    fn capacity(&mut self, chart: &Chart, words: Words<'_>) {
        let y = self.plot.y(chart.capacity);
        self.line(y, LEFT - 4.0, &format!("stroke=\"{OVER}\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\""));
        self.text((LEFT - 8.0, y + 4.0), "end", OVER, 650, &mark(chart.capacity, words.unit), 12);
    }

    fn bar(&mut self, index: usize, bar: &Bar) {
        let (x, width) = (self.plot.x(index), self.plot.bar);
        for segment in &bar.segments {
            self.rectangle(x, (self.plot.y(segment.to), self.plot.y(segment.from)), width, segment.category.id());
        }
        if let (Some(first), Some(last)) = (bar.notches.first(), bar.notches.last()) {
            self.rectangle(x, (self.plot.y(first.to), self.plot.y(last.from)), width, "notch");
        }
    }

    /// Totals and numbers, as many as there is room for: the peak's always.
    fn labels(&mut self, report: &Report, words: Words<'_>) {
        let totals: Vec<String> =
            report.chart.bars.iter().map(|bar| amount(bar.total, words.unit, Decimals::One)).collect();
        let longest = totals.iter().map(|total| total.chars().count()).max().unwrap_or(0) as f64 * DIGIT + AIR;
        let peak = report.chart.bars.iter().position(|bar| bar.stage == report.verdict.stage).unwrap_or(0);
        let far = |one: usize, other: usize| one.abs_diff(other) as f64 * self.plot.slot >= longest;
        let mut written: Vec<usize> = Vec::new();
        for index in 0..totals.len() {
            let free = written.last().is_none_or(|last| far(index, *last));
            if index == peak || free && far(index, peak) {
                written.push(index);
            }
        }
        for index in written {
            let bar = &report.chart.bars[index];
            let x = self.plot.x(index) + self.plot.bar / 2.0;
            let (colour, weight) = if bar.exceeds { (OVER, 650) } else { (SOFT, 400) };
            self.text((x, self.plot.y(bar.total) - 6.0), "middle", colour, weight, &totals[index], 12);
            self.text((x, GROUND + 18.0), "middle", SOFT, 400, &bar.stage.to_string(), 12);
        }
    }

    fn legend(&mut self, categories: &[Category], words: Words<'_>) {
        for (index, category) in categories.iter().enumerate() {
            let (x, y) = cell(index);
            self.rectangle(x, (y - 10.0, y + 2.0), 12.0, category.id());
            self.text((x + 18.0, y), "start", INK, 400, (words.category)(*category), 12);
        }
        let (x, y) = cell(categories.len());
        let _ = write!(
            self.svg,
            "<path d=\"M{} {}h12\" fill=\"none\" stroke=\"{OVER}\" stroke-width=\"1.5\" stroke-dasharray=\"5 4\"/>",
            tenths(x),
            tenths(y - 4.0)
        );
        self.text((x + 18.0, y), "start", INK, 400, words.capacity, 12);
    }
}

/// A coordinate, to a tenth.
fn tenths(coordinate: f64) -> String {
    decimal::fixed(coordinate, 1)
}

/// Four cells a row.
fn cell(index: usize) -> (f64, f64) {
    (LEFT + (index % 4) as f64 * CELL.0, LEGEND + (index / 4) as f64 * CELL.1)
}

/// Text inside XML: without what XML takes for its own, and without what it cannot hold.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            _ => escaped.push(letter),
        }
    }
    escaped
}
