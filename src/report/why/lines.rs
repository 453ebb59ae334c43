//! An explanation for reading: a paragraph a formula.

use super::json::{self, Child, Explained, Nodes, Stated, Step};
use crate::explain::Group;
use crate::provenance::Source;
use crate::report::messages::Language;
use crate::report::messages::explained::{self, Words};
use crate::report::number::{Decimals, MemoryUnit, amount_with_unit, shortest};
use crate::units::Bytes;

/// The figure, then each formula: with symbols, with values, its result, and what it reads. `name` is what a text is called.
pub fn lines<'a>(told: &Explained, language: Language, name: &dyn Fn(Source) -> &'a str) -> String {
    let mut writer = Writer { text: String::new(), language, words: explained::words(language), name };
    writer.heading(told);
    for step in told.steps.iter().flatten() {
        writer.paragraph(step);
    }
    writer.text
}

struct Writer<'a, 'n> {
    text: String,
    language: Language,
    words: &'static Words,
    name: &'n dyn Fn(Source) -> &'a str,
}

impl Writer<'_, '_> {
    fn line(&mut self, parts: &[&str]) {
        self.text.extend(parts.iter().copied());
        self.text.push('\n');
    }

    fn heading(&mut self, told: &Explained) {
        let bytes = told.bytes.unwrap_or(f64::NAN);
        let size = amount_with_unit(Bytes::new(bytes), MemoryUnit::Gib, Decimals::Two);
        let stage = told.stage.to_string();
        let heading = self.words.heading.replace("{item}", &told.item).replace("{stage}", &stage);
        let heading = heading.replace("{instant}", told.instant.unwrap_or(self.words.no_instant));
        self.line(&[&heading.replace("{size}", &size).replace("{bytes}", &shortest(bytes))]);
    }

    fn paragraph(&mut self, step: &Step) {
        let about = if step.meaning.is_empty() { "" } else { self.words.colon };
        let reference = self.place(step.reference);
        self.line(&["\n", &step.symbol, about, step.meaning, " [", &reference, "]"]);
        self.line(&["  = ", &step.formula]);
        let result = shortest(step.result);
        if step.values != step.formula {
            self.line(&["  = ", &step.values]);
        }
        if step.values != result {
            self.line(&["  = ", &result]);
        }
        for case in &step.cases {
            self.line(&["  ", self.words.case, self.words.colon, explained::phrase(case, self.language)]);
        }
        let rows: Vec<[String; 3]> = step.children.iter().map(|child| self.row(child)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let (symbols, values) = (width(0), width(1));
        for [symbol, value, about] in &rows {
            let after = " ".repeat(symbols - symbol.chars().count());
            let before = " ".repeat(values - value.chars().count());
            self.line(&["    ", symbol, &after, "  ", &before, value, "  ", about]);
        }
    }

    fn row(&self, child: &Child) -> [String; 3] {
        let mut about = child.meaning.to_owned();
        let mut also = |said: &str| {
            if !about.is_empty() {
                about.push(' ');
            }
            about.push_str(said);
        };
        if !child.groups.is_empty() {
            let groups: Vec<String> = child.groups.iter().map(|nodes| self.nodes(nodes)).collect();
            also(&["(", &groups.join(", "), ")"].concat());
        }
        if let Some(stated) = &child.origin {
            also(&["[", &self.origin(stated), "]"].concat());
        }
        [child.symbol.clone(), shortest(child.value), about]
    }

    fn nodes(&self, nodes: &Nodes) -> String {
        let Nodes { kind, letter, chunk, count } = *nodes;
        match (self.language, letter) {
            (Language::Chinese, _) => explained::nodes(&Group { kind, letter, chunk, count }, self.language),
            (Language::English, 'E' | 'O') => [kind, &of_chunk(chunk)].concat(),
            (Language::English, _) => {
                [&count.to_string(), " × ", kind, " ", &letter.to_string(), &of_chunk(chunk)].concat()
            }
        }
    }

    /// Where a number comes from.
    fn origin(&self, stated: &Stated) -> String {
        let text = stated.text.as_deref().unwrap_or_default();
        let key = stated.key.as_deref().unwrap_or_default();
        let texts = [Source::Run, Source::Model, Source::Execution];
        let file = texts
            .into_iter()
            .find(|source| Some(json::name(*source)) == stated.source)
            .map_or("", |source| (self.name)(source));
        match stated.kind {
            "key" => match (stated.line, stated.column) {
                (Some(line), Some(column)) => {
                    [file, ":", &line.to_string(), ":", &column.to_string(), ": ", key].concat()
                }
                _ => [stated.source.unwrap_or_default(), ": ", key].concat(),
            },
            "override" => ["--set ", key].concat(),
            "trainer-default" => self.words.trainer_default.replace("{}", &self.place(text)),
            "family-default" => self.words.family_default.replace("{}", text),
            "chosen-model" => self.words.chosen_model.replace("{}", text),
            "caller" => "--devices".to_owned(),
            _ => self.place(text),
        }
    }

    /// A section, as the command line writes it in English.
    fn place(&self, place: &str) -> String {
        match self.language {
            Language::English => place.to_owned(),
            Language::Chinese => explained::reference(place, self.language),
        }
    }
}

fn of_chunk(chunk: usize) -> String {
    if chunk > 0 { [" of chunk ", &chunk.to_string()].concat() } else { String::new() }
}
