//! What is painted under the textarea's text: the text in colour, and wavy lines under what is wrong.

use super::extent::{LONG, line_top};
use crate::view::{Element, html};
use shardmem::diagnostics::Severity;

/// Lines before and behind the first visible one that are made along with it.
const BEFORE: usize = 40;
pub(super) const AFTER: usize = 200;
/// Columns of a long line, likewise.
const LEFT: usize = 200;
const RIGHT: usize = 1_000;

/// Where painting begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Corner {
    /// The first line, from 0.
    pub(super) line: usize,
    /// The first column of a long line, from 0.
    pub(super) column: usize,
}

impl Corner {
    /// A little before what is seen first; in steps, so that scrolling repaints rarely.
    pub(super) fn near(line: usize, column: usize) -> Self {
        let step = |place: usize, step: usize| (place / step * step).saturating_sub(step);
        Self { line: step(line, BEFORE), column: step(column, LEFT) }
    }
}

/// Characters on a line that are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// How many characters.
    pub length: u32,
    /// How much it matters.
    pub severity: Severity,
}

/// How a text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// Keys and comments of YAML.
    Yaml,
    /// Names of JSON.
    Json,
}

/// What a piece of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Plain,
    Key,
    Comment,
}

impl Role {
    const fn class(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Key => "code-key",
            Self::Comment => "code-comment",
        }
    }
}

/// The lines behind a corner, painted.
pub(super) fn paint(text: &str, marks: &[Mark], seen: Corner, syntax: Syntax) -> Element {
    let lines: Vec<&str> = text.split('\n').skip(seen.line).take(AFTER).collect();
    let underlines = marks.iter().filter_map(|mark| {
        let index = (mark.line as usize).checked_sub(seen.line + 1)?;
        lines.get(index).map(|line| underline(&Underline::new(line, *mark)))
    });
    let underlines: Vec<Element> = underlines.collect();
    let lines = lines.into_iter().enumerate().map(|(at, line)| painted_line(seen.line + at, line, seen, syntax));
    html("div").child(html("div").children(lines)).child(html("div").children(underlines))
}

fn painted_line(index: usize, line: &str, seen: Corner, syntax: Syntax) -> Element {
    let long = window(line, seen.column);
    let pieces = match long {
        Some(part) => vec![(Role::Plain, part)],
        None => pieces(line, syntax),
    };
    let left = long.map_or(0, |_| seen.column.min(line.len()));
    let pieces = pieces.into_iter().map(|(role, piece)| html("span").class(role.class()).text(piece.to_owned()));
    let line = html("div").class("editor-line").style("top", line_top(index)).style("left", column_left(left));
    line.children(pieces)
}

/// Of a long line the columns that are painted; wide letters are left to the textarea.
fn window(line: &str, column: usize) -> Option<&str> {
    (line.len() > LONG).then(|| {
        let end = (column + RIGHT).min(line.len());
        if line.is_ascii() { line.get(column.min(end)..end).unwrap_or_default() } else { "" }
    })
}

fn column_left(column: usize) -> String {
    format!("{column}ch")
}

fn underline(underline: &Underline) -> Element {
    let marked = html("mark").attribute("data-severity", underline.severity.name()).text(underline.marked.clone());
    html("div")
        .class("editor-line editor-underline")
        .style("top", line_top(underline.index))
        .style("left", column_left(underline.left))
        .child(html("span").text(underline.before.clone()))
        .child(marked)
}

/// A wavy line: the columns and the text before it (not seen, it keeps the distance) and the text above it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Underline {
    index: usize,
    left: usize,
    before: String,
    marked: String,
    severity: Severity,
}

impl Underline {
    fn new(line: &str, mark: Mark) -> Self {
        let index = (mark.line as usize).saturating_sub(1);
        let column = (mark.column as usize).saturating_sub(1);
        let is_long = line.len() > LONG;
        let before = if is_long { String::new() } else { line.chars().take(column).collect() };
        let mut marked: String = line.chars().skip(column).take((mark.length as usize).min(LONG)).collect();
        if marked.is_empty() {
            // Something is missing at the end of the line: there is still something to see.
            marked.push('\u{a0}');
        }
        Self { index, left: if is_long { column } else { 0 }, before, marked, severity: mark.severity }
    }
}

/// A line cut into pieces of one role each.
fn pieces(line: &str, syntax: Syntax) -> Vec<(Role, &str)> {
    match syntax {
        Syntax::Yaml => yaml_pieces(line),
        Syntax::Json => json_pieces(line),
    }
}

fn yaml_pieces(line: &str) -> Vec<(Role, &str)> {
    let (code, comment) = line.split_at(comment_start(line));
    let lead = code.len() - code.trim_start_matches([' ', '-']).len();
    let (lead, rest) = code.split_at(lead);
    let key = rest
        .find(": ")
        .or_else(|| rest.trim_end().strip_suffix(':').map(str::len))
        .filter(|end| is_plain_key(&rest[..*end]));
    let (key, value) = rest.split_at(key.unwrap_or(0));
    [(Role::Plain, lead), (Role::Key, key), (Role::Plain, value), (Role::Comment, comment)]
        .into_iter()
        .filter(|(_, piece)| !piece.is_empty())
        .collect()
}

fn is_plain_key(key: &str) -> bool {
    !key.is_empty() && !key.contains(['{', '[', '"', '\'', '#'])
}

/// Where a comment begins: at a `#` at the start or after a space, outside quotes.
fn comment_start(line: &str) -> usize {
    let mut quote = None;
    let mut previous = ' ';
    for (at, character) in line.char_indices() {
        match (quote, character) {
            (None, '#') if previous.is_whitespace() => return at,
            (None, '"' | '\'') if !previous.is_ascii_alphanumeric() => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None | Some(_), _) => {}
        }
        previous = character;
    }
    line.len()
}

fn json_pieces(line: &str) -> Vec<(Role, &str)> {
    let lead = line.len() - line.trim_start().len();
    let (lead, rest) = line.split_at(lead);
    let end = rest.starts_with('"').then(|| rest.find("\":").map(|at| at + 1)).flatten().unwrap_or(0);
    let (key, value) = rest.split_at(end);
    [(Role::Plain, lead), (Role::Key, key), (Role::Plain, value)]
        .into_iter()
        .filter(|(_, piece)| !piece.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(line: &str) -> Vec<(Role, &str)> {
        yaml_pieces(line).into_iter().filter(|(role, _)| *role != Role::Plain).collect()
    }

    #[test]
    fn keys_and_comments_are_found() {
        assert_eq!(roles("  tp_size: 8  # 并行"), [(Role::Key, "tp_size"), (Role::Comment, "# 并行")]);
        assert_eq!(roles("model:"), [(Role::Key, "model")]);
        assert_eq!(roles("- match: \"#no\""), [(Role::Key, "match")]);
        assert_eq!(roles("a: it's # so"), [(Role::Key, "a"), (Role::Comment, "# so")]);
        assert_eq!(roles("{a: 1}"), []);
        assert_eq!(roles("http://x"), []);
        assert_eq!(roles(""), []);
    }

    #[test]
    fn pieces_are_the_whole_line() {
        for line in ["  tp_size: 8  # 并行", "- - a: b", "\"x\": 'y' # z", "   ", "a: \"b # c\" # d"] {
            let whole: String = yaml_pieces(line).into_iter().map(|(_, piece)| piece).collect();
            assert_eq!(whole, line);
            let whole: String = json_pieces(line).into_iter().map(|(_, piece)| piece).collect();
            assert_eq!(whole, line);
        }
    }

    #[test]
    fn an_underline_past_the_end_is_still_seen() {
        let mark = Mark { line: 1, column: 5, length: 3, severity: Severity::Error };
        let underline = Underline::new("ab: ", mark);
        assert_eq!((underline.before.as_str(), underline.marked.as_str()), ("ab: ", "\u{a0}"));
    }

    #[test]
    fn of_a_long_line_only_what_is_seen_is_painted() {
        let line: String = (0..100_000).map(|at| char::from(b'a' + u8::try_from(at % 26).expect("small"))).collect();
        let part = window(&line, 50_000).expect("it is long");
        assert_eq!((part.len(), part), (RIGHT, &line[50_000..50_000 + RIGHT]));
        assert_eq!(window(&line, 1 << 20), Some(""));
        assert_eq!(window(&line[..10], 0), None);
        assert_eq!(window(&"并".repeat(LONG), 5), Some(""));
        let mark = Mark { line: 1, column: 60_001, length: 3, severity: Severity::Error };
        let underline = Underline::new(&line, mark);
        assert_eq!(
            (underline.left, underline.before.as_str(), &*underline.marked),
            (60_000, "", &line[60_000..60_003])
        );
        let view = paint(&line, &[mark], Corner { line: 0, column: 50_000 }, Syntax::Json);
        assert!(format!("{view:?}").len() < 20_000);
    }

    #[test]
    fn painting_begins_before_what_is_seen_and_in_steps() {
        assert_eq!(Corner::near(0, 0), Corner::default());
        assert_eq!(Corner::near(39, 199), Corner::default());
        assert_eq!(Corner::near(85, 450), Corner { line: 40, column: 200 });
    }
}
