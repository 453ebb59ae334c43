//! A report as Markdown: the verdict, a table of the stages, a table of one stage's items.

use super::{Words, further_columns};
use crate::memory::Category;
use crate::report::number::{Decimals, amount, rounded};
use crate::report::{Report, StageReport};
use crate::units::Bytes;

/// The tables, as GitHub and most others draw them; the items are those of the stage at index `selected`.
pub fn markdown(report: &Report, selected: usize, words: Words<'_>) -> String {
    let mut text = format!("**{}**\n\n", escaped(words.heading));
    let categories: Vec<Category> =
        Category::ALL.into_iter().filter(|category| report.stages.iter().any(|stage| has(stage, *category))).collect();
    let mut header = vec![words.stage.to_owned(), "layers".to_owned()];
    header.extend(categories.iter().map(|category| in_unit((words.category)(*category), words)));
    header.push(in_unit("total", words));
    header.extend(further_columns(report).map(|column| in_unit(column.name(), words)));
    header.extend([in_unit(words.capacity, words), "at".to_owned()]);
    table_head(&mut text, &header, &[1, header.len() - 1]);
    for (index, stage) in report.stages.iter().enumerate() {
        let mut cells = vec![stage.stage.to_string(), stage.layers.clone()];
        cells.extend(categories.iter().map(|category| figure(bytes_of(stage, *category), words)));
        let instant = stage.instants.iter().find(|instant| instant.wins).map_or("", |instant| instant.id);
        cells.push(figure(stage.peak, words));
        let further = further_columns(report).map(|column| column.of(report, index));
        cells.extend(further.map(|bytes| bytes.map_or(String::new(), |bytes| figure(bytes, words))));
        cells.extend([figure(report.verdict.capacity, words), instant.to_owned()]);
        row(&mut text, &cells);
    }
    if let Some(stage) = report.stages.get(selected) {
        text.push('\n');
        items(&mut text, stage, words);
    }
    text
}

fn items(text: &mut String, stage: &StageReport, words: Words<'_>) {
    let header = [
        format!("{} {}", words.stage, stage.stage),
        "item".to_owned(),
        in_unit("bytes", words),
        "%".to_owned(),
        "certainty".to_owned(),
    ];
    table_head(text, &header, &[0, 1, 4]);
    for category in &stage.rows {
        for item in &category.items {
            let share = if stage.peak == Bytes::ZERO { 0.0 } else { item.bytes.value() / stage.peak.value() };
            row(
                text,
                &[
                    (words.category)(category.category).to_owned(),
                    item.id.to_owned(),
                    figure(item.bytes, words),
                    rounded(share * 100.0, Decimals::One),
                    item.certainty.name().to_owned(),
                ],
            );
        }
    }
    row(text, &["total".to_owned(), String::new(), figure(stage.peak, words), "100".to_owned(), String::new()]);
}

fn has(stage: &StageReport, category: Category) -> bool {
    stage.rows.iter().any(|row| row.category == category)
}

fn bytes_of(stage: &StageReport, category: Category) -> Bytes {
    stage.rows.iter().find(|row| row.category == category).map_or(Bytes::ZERO, |row| row.bytes)
}

fn figure(bytes: Bytes, words: Words<'_>) -> String {
    amount(bytes, words.unit, Decimals::Two)
}

fn in_unit(name: &str, words: Words<'_>) -> String {
    if name == "bytes" { words.unit.name().to_owned() } else { format!("{name} ({})", words.unit.name()) }
}

/// The header and the line below it: figures to the right, `texts` to the left.
fn table_head(text: &mut String, header: &[String], texts: &[usize]) {
    row(text, header);
    let rule = |column| if texts.contains(&column) { ":--" } else { "--:" };
    let rules: Vec<String> = (0..header.len()).map(|column| rule(column).to_owned()).collect();
    row(text, &rules);
}

fn row(text: &mut String, cells: &[String]) {
    text.push('|');
    for cell in cells {
        text.extend([" ", &escaped(cell), " |"]);
    }
    text.push('\n');
}

/// A text on one line, with nothing in it that Markdown would take for its own.
fn escaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for letter in cell.chars() {
        match letter {
            '\n' | '\r' => text.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '<' | '[' | ']' | '~' | '#' | '&' => text.extend(['\\', letter]),
            _ => text.push(letter),
        }
    }
    text
}
