//! One stage's items as rows of text, for a spreadsheet: ids and exact bytes.

use crate::memory::Category;
use crate::report::number::shortest;
use crate::report::{ItemRow, StageReport};
use crate::units::Bytes;

/// A category with its items, in the order in which they are wanted.
pub type Line<'a> = (Category, Vec<&'a ItemRow>);

/// A head, a row an item, and the total. Compared with a baseline each row has the bytes before and the change as well; what
/// the baseline does not have was nothing.
pub fn stage_rows(stage: &StageReport, lines: &[Line<'_>], baseline: Option<&StageReport>) -> Vec<Vec<String>> {
    let mut rows = vec![head(baseline.is_some())];
    let number = stage.stage.to_string();
    for (category, items) in lines {
        for item in items {
            let names =
                [number.clone(), category.id().to_owned(), item.id.to_owned(), item.certainty.name().to_owned()];
            let before = baseline.map(|baseline| item_bytes(baseline, item.id));
            rows.push(names.into_iter().chain(figures(item.bytes, before)).collect());
        }
    }
    let names = [number, "total".to_owned(), String::new(), String::new()];
    let before = baseline.map(|baseline| baseline.peak);
    rows.push(names.into_iter().chain(figures(stage.peak, before)).collect());
    rows
}

fn head(is_compared: bool) -> Vec<String> {
    let compared = if is_compared { &["baseline", "change"][..] } else { &[] };
    ["stage", "category", "item", "certainty", "bytes"].iter().chain(compared).map(|name| (*name).to_owned()).collect()
}

fn figures(now: Bytes, before: Option<Bytes>) -> impl Iterator<Item = String> {
    let compared = before.map(|before| [before, now - before]).into_iter().flatten();
    [now].into_iter().chain(compared).map(|bytes| shortest(bytes.value()))
}

fn item_bytes(stage: &StageReport, id: &str) -> Bytes {
    let mut items = stage.rows.iter().flat_map(|row| &row.items);
    items.find(|item| item.id == id).map_or(Bytes::ZERO, |item| item.bytes)
}

/// Rows with tabs between their cells. No cell of ours holds a tab or a line feed.
pub fn to_tsv(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join("\t") + "\n").collect()
}

/// Rows as a table that a document takes. No cell of ours holds markup.
pub fn to_html(rows: &[Vec<String>]) -> String {
    let mut text = "<table>".to_owned();
    for (at, row) in rows.iter().enumerate() {
        let (start, end) = if at == 0 { ("<th>", "</th>") } else { ("<td>", "</td>") };
        text.push_str("<tr>");
        for cell in row {
            text.extend([start, cell, end]);
        }
        text.push_str("</tr>");
    }
    text + "</table>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Certainty;
    use crate::report::Row;

    fn stage(bytes: f64) -> StageReport {
        let item = ItemRow { id: "parameters-norm", bytes: Bytes::new(bytes), certainty: Certainty::Exact };
        let row = Row { category: Category::Parameters, bytes: item.bytes, share: 1.0, items: vec![item] };
        let peak = row.bytes;
        StageReport {
            stage: 3,
            layers: String::new(),
            peak,
            instants: Vec::new(),
            in_flight: Vec::new(),
            rows: vec![row],
        }
    }

    fn lines(stage: &StageReport) -> Vec<Line<'_>> {
        stage.rows.iter().map(|row| (row.category, row.items.iter().collect())).collect()
    }

    #[test]
    fn rows_hold_ids_and_exact_bytes() {
        let stage = stage(70_693_773_312.5);
        let rows = stage_rows(&stage, &lines(&stage), None);
        assert_eq!(
            to_tsv(&rows),
            "stage\tcategory\titem\tcertainty\tbytes\n\
             3\tparameters\tparameters-norm\texact\t70693773312.5\n3\ttotal\t\t\t70693773312.5\n"
        );
        assert!(to_html(&rows).starts_with("<table><tr><th>stage</th>"));
        assert_eq!(to_html(&rows).matches("<tr>").count(), 3);
    }

    #[test]
    fn compared_rows_hold_the_bytes_before_and_the_change() {
        let (now, before) = (stage(10.0), stage(12.0));
        let rows = stage_rows(&now, &lines(&now), Some(&before));
        assert_eq!(rows[0].len(), 7);
        assert_eq!(rows[1][4..], ["10", "12", "-2"]);
        let nothing = StageReport { rows: Vec::new(), peak: Bytes::ZERO, ..before };
        assert_eq!(stage_rows(&now, &lines(&now), Some(&nothing))[1][4..], ["10", "0", "10"]);
    }
}
