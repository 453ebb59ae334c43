//! An explanation for reading: a paragraph a formula.

use shardmem::provenance::Source;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, shortest};
use shardmem::report::why::json::{self, Child, Explained, Nodes, Stated, Step};
use shardmem::units::Bytes;
use std::fmt::Write;

/// The figure, then each formula: with symbols, with values, its result, and what it reads. `name` is what a text is called.
pub(crate) fn table<'a>(explained: &Explained, name: &dyn Fn(Source) -> &'a str) -> String {
    let bytes = explained.bytes.unwrap_or(f64::NAN);
    let size = amount_with_unit(Bytes::new(bytes), MemoryUnit::Gib, Decimals::Two);
    let (stage, instant) = (explained.stage, explained.instant.unwrap_or("no instant"));
    let mut text = format!("{} of stage {stage} at {instant}: {size}, {} bytes\n", explained.item, shortest(bytes));
    for step in explained.steps.iter().flatten() {
        paragraph(step, name, &mut text);
    }
    text
}

fn paragraph<'a>(step: &Step, name: &dyn Fn(Source) -> &'a str, text: &mut String) {
    let about = if step.meaning.is_empty() { String::new() } else { format!(": {}", step.meaning) };
    let _ = writeln!(text, "\n{}{about} [{}]", step.symbol, step.reference);
    let _ = writeln!(text, "  = {}", step.formula);
    let result = shortest(step.result);
    if step.values != step.formula {
        let _ = writeln!(text, "  = {}", step.values);
    }
    if step.values != result {
        let _ = writeln!(text, "  = {result}");
    }
    for case in &step.cases {
        let _ = writeln!(text, "  case: {case}");
    }
    let rows: Vec<[String; 3]> = step.children.iter().map(|child| row(child, name)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (symbols, values) = (width(0), width(1));
    for [symbol, value, about] in &rows {
        let _ = writeln!(text, "    {symbol:<symbols$}  {value:>values$}  {about}");
    }
}

fn row<'a>(child: &Child, name: &dyn Fn(Source) -> &'a str) -> [String; 3] {
    let mut about = child.meaning.to_owned();
    let mut also = |said: &str| {
        if !about.is_empty() {
            about.push(' ');
        }
        about.push_str(said);
    };
    if !child.groups.is_empty() {
        let groups: Vec<String> = child.groups.iter().map(nodes).collect();
        also(&format!("({})", groups.join(", ")));
    }
    if let Some(stated) = &child.origin {
        also(&format!("[{}]", origin(stated, name)));
    }
    [child.symbol.clone(), shortest(child.value), about]
}

fn nodes(nodes: &Nodes) -> String {
    let Nodes { kind, letter, chunk, count } = nodes;
    let chunk = if *chunk > 0 { format!(" of chunk {chunk}") } else { String::new() };
    match letter {
        'E' | 'O' => format!("{kind}{chunk}"),
        _ => format!("{count} × {kind} {letter}{chunk}"),
    }
}

/// Where a number comes from.
fn origin<'a>(stated: &Stated, name: &dyn Fn(Source) -> &'a str) -> String {
    let text = stated.text.as_deref().unwrap_or_default();
    let key = stated.key.as_deref().unwrap_or_default();
    let texts = [Source::Run, Source::Model, Source::Execution];
    let file = texts.into_iter().find(|source| Some(json::name(*source)) == stated.source).map_or("", name);
    match stated.kind {
        "key" => match (stated.line, stated.column) {
            (Some(line), Some(column)) => format!("{file}:{line}:{column}: {key}"),
            _ => format!("{}: {key}", stated.source.unwrap_or_default()),
        },
        "override" => format!("--set {key}"),
        "trainer-default" => format!("the trainer's default, {text}"),
        "family-default" => format!("of the family {text}"),
        "chosen-model" => format!("of the chosen model {text}"),
        "caller" => "--devices".to_owned(),
        _ => text.to_owned(),
    }
}
