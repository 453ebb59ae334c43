//! An estimate as a table for reading.

use shardmem::memory::Category;
use shardmem::report::exports::further_columns;
use shardmem::report::messages::{Language, comparison, measurement};
use shardmem::report::number::{Decimals, MemoryUnit, amount, amount_with_unit};
use shardmem::report::{Fits, Report, StageReport, Verdict, json};
use shardmem::units::Bytes;
use std::fmt::Write;

/// The report: a heading, a row per stage, the verdict, and what stands beside it.
pub(crate) fn table(heading: &str, report: &Report) -> String {
    let categories: Vec<Category> =
        Category::ALL.into_iter().filter(|category| report.stages.iter().any(|stage| has(stage, *category))).collect();
    let mut rows = vec![header(&categories, report)];
    rows.extend((0..report.stages.len()).map(|index| row(report, index, &categories)));
    let figures = categories.len() + further_columns(report).count();
    let mut text = format!(
        "{heading}\n\n{}\n{}\n",
        columns(&rows, &words(figures)),
        verdict(&report.verdict, report.stages.len())
    );
    let beside = report.other.as_ref().map(|other| comparison(report, other, MemoryUnit::Gib, Language::English));
    let measured = report.measured.as_ref().map(|measured| measurement(measured, MemoryUnit::Gib, Language::English));
    for line in beside.into_iter().chain(measured) {
        text.extend([&line, "\n"]);
    }
    text
}

/// The catalogue, a line each.
pub(crate) fn models(models: &[json::Model]) -> String {
    let count = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), billions);
    let mut rows = vec![["model", "parameters", "active", "source"].map(str::to_owned).to_vec()];
    rows.extend(models.iter().map(|model| {
        vec![model.id.clone(), count(model.parameters.total), count(model.parameters.active), model.source.clone()]
    }));
    columns(&rows, &[0, 3])
}

/// A parameter count for reading: `30.5 B`.
fn billions(count: f64) -> String {
    format!("{:.1} B", count / 1e9)
}

fn has(stage: &StageReport, category: Category) -> bool {
    stage.rows.iter().any(|row| row.category == category)
}

fn header(categories: &[Category], report: &Report) -> Vec<String> {
    let mut cells = vec!["stage".to_owned(), "layers".to_owned()];
    cells.extend(categories.iter().map(|category| title(*category).to_owned()));
    cells.push("total".to_owned());
    cells.extend(further_columns(report).map(|column| column.name().to_owned()));
    cells.extend(["at", "of", "fits"].map(str::to_owned));
    cells
}

const fn title(category: Category) -> &'static str {
    match category {
        Category::Parameters => "parameters",
        Category::OptimizerStates => "optimizer",
        Category::Gradients => "gradients",
        Category::Activations => "activations",
        Category::Buffers => "buffers",
        Category::BackwardWorkingSet => "backward",
        Category::GradientsInFlight => "in flight",
        Category::Reserve => "reserve",
    }
}

fn row(report: &Report, index: usize, categories: &[Category]) -> Vec<String> {
    let (stage, bar) = (&report.stages[index], &report.chart.bars[index]);
    let mut cells = vec![stage.stage.to_string(), folded(&stage.layers)];
    for category in categories {
        let bytes = stage.rows.iter().find(|row| row.category == *category).map_or(Bytes::ZERO, |row| row.bytes);
        cells.push(gib(bytes));
    }
    let instant = stage.instants.iter().find(|instant| instant.wins);
    let at = instant.map_or(String::new(), |instant| at(instant.id, instant.layer));
    let fits = if bar.exceeds { "no" } else { "yes" };
    cells.push(gib(stage.peak));
    cells.extend(further_columns(report).map(|column| column.of(report, index).map_or(String::new(), gib)));
    cells.extend([at, gib(report.verdict.capacity), fits.to_owned()]);
    cells
}

/// An instant, and the layer that it is of.
fn at(instant: &str, layer: Option<u32>) -> String {
    layer.map_or_else(|| instant.to_owned(), |layer| format!("{instant} {layer}"))
}

fn gib(bytes: Bytes) -> String {
    amount(bytes, MemoryUnit::Gib, Decimals::Two)
}

/// A placement string with its runs counted: `ENNNNO` is `E N×4 O`.
fn folded(layers: &str) -> String {
    let mut text = String::new();
    let mut rest = layers.chars().peekable();
    while let Some(layer) = rest.next() {
        let mut count = 1;
        while rest.next_if_eq(&layer).is_some() {
            count += 1;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push(layer);
        if count > 1 {
            let _ = write!(text, "×{count}");
        }
    }
    text
}

/// The columns that hold words: layers, instant, fits.
const fn words(categories: usize) -> [usize; 3] {
    [1, categories + 3, categories + 5]
}

/// Left-aligned words, right-aligned figures.
fn columns(rows: &[Vec<String>], words: &[usize]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if words.contains(&column) {
                write!(line, "  {cell:<width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn verdict(verdict: &Verdict, stages: usize) -> String {
    let size = |bytes| amount_with_unit(bytes, MemoryUnit::Gib, Decimals::Two);
    let need = format!(
        "stage {} needs {} of {} at {}",
        verdict.stage,
        size(verdict.peak),
        size(verdict.capacity),
        at(verdict.instant, verdict.layer)
    );
    let need = match verdict.band {
        None => need,
        Some(band) => {
            format!("{need}, {} expected with the allocator, {} at most", size(band.expected), size(band.high))
        }
    };
    match verdict.fits {
        Fits::Yes => format!("fits: {need}, {} to spare", size(verdict.headroom)),
        Fits::Tight => {
            format!("fits only as expected, not at the high end: {need}; {} to spare", size(verdict.headroom))
        }
        Fits::No => {
            let over = size(Bytes::ZERO - verdict.headroom);
            format!("does not fit: {need}, {over} too much; {} of {stages} stages exceed", verdict.exceeding_stages)
        }
        Fits::Unknown => format!("cannot say whether it fits, the file was not wholly understood: {need}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_runs_of_layers() {
        assert_eq!(folded("ENNNNFFO"), "E N×4 F×2 O");
        assert_eq!(folded(""), "");
    }

    #[test]
    fn aligns_words_left_and_figures_right() {
        let rows =
            [["stage", "layers", "total", "at", "of", "fits"], ["10", "E N×4", "7.50", "warmup-end", "64.00", "no"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            columns(&rows, &words(0)),
            "  stage  layers  total  at             of  fits\n     10  E N×4    7.50  warmup-end  64.00  no\n"
        );
    }
}
