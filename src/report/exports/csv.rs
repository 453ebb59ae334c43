//! A report as CSV (RFC 4180): a line per stage and item, at the stage's own peak.

use crate::report::Report;
use crate::report::number::shortest;

const HEADER: [&str; 7] = ["stage", "layers", "instant", "category", "item", "certainty", "bytes"];

/// The lines, each ended by CR LF; the bytes of a stage's lines sum to its peak. Where the report has the other memory model's
/// figure, each line ends with what that one says of the whole stage.
pub fn csv(report: &Report) -> String {
    let mut text = String::new();
    let other = report.other.as_ref();
    let mut header = HEADER.map(str::to_owned).to_vec();
    header.extend(other.map(|other| format!("{}-peak", other.memory_model)));
    line(&mut text, &header);
    for stage in &report.stages {
        let beside =
            other.map(|other| other.stages.get(stage.stage).map_or(String::new(), |peak| shortest(peak.value())));
        let instant = stage.instants.iter().find(|instant| instant.wins).map_or("", |instant| instant.id);
        for row in &stage.rows {
            for item in &row.items {
                let texts = [instant, row.category.id(), item.id, item.certainty.name()].map(cell);
                let [instant, category, name, certainty] = texts;
                let (number, bytes) = (stage.stage.to_string(), shortest(item.bytes.value()));
                let mut cells = vec![number, cell(&stage.layers), instant, category, name, certainty, bytes];
                cells.extend(beside.clone());
                line(&mut text, &cells);
            }
        }
    }
    text
}

fn line(text: &mut String, cells: &[String]) {
    text.push_str(&cells.join(","));
    text.push_str("\r\n");
}

/// A text as a cell. One that a spreadsheet would take for a formula gets an apostrophe, which shows it as text.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\r', '\n', '\'']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formula() {
        for (text, written) in [
            ("ENNF", "ENNF"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\r\nb", "\"a\r\nb\""),
            ("=1+1", "\"'=1+1\""),
            ("-x", "\"'-x\""),
            ("@x", "\"'@x\""),
            ("\tx", "\"'\tx\""),
            ("a-b", "a-b"),
        ] {
            assert_eq!(cell(text), written);
        }
    }
}
