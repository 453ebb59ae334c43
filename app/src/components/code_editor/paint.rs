//! What is painted under the textarea's text: the text in colour, and wavy lines under what is wrong.

use crate::view::{Element, html};
use shardmem::diagnostics::Severity;

/// Lines painted before and after the first visible one.
const BEFORE: usize = 40;
const AFTER: usize = 160;

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

/// The painted lines near the first visible one, by its index.
pub(super) fn paint(text: &str, marks: &[Mark], visible: usize, syntax: Syntax) -> Element {
    // In steps, so that scrolling repaints rarely.
    let first = (visible / BEFORE * BEFORE).saturating_sub(BEFORE);
    let window = text.split('\n').enumerate().skip(first).take(BEFORE + AFTER);
    let is_near = |mark: &&Mark| (first..first + BEFORE + AFTER).contains(&(mark.line as usize).saturating_sub(1));
    let underlines = marks.iter().filter(is_near).filter_map(|mark| Underline::new(text, *mark)).map(underline);
    let lines = html("div").children(window.map(|(index, line)| painted_line(index, line, syntax)));
    html("div").child(lines).child(html("div").children(underlines))
}

fn painted_line(index: usize, line: &str, syntax: Syntax) -> Element {
    let pieces = pieces(line, syntax).into_iter();
    let pieces = pieces.map(|(role, piece)| html("span").class(role.class()).text(piece.to_owned()));
    html("div").class("editor-line").style("top", line_top(index)).children(pieces)
}

fn underline(underline: Underline) -> Element {
    let marked = html("mark").attribute("data-severity", underline.severity.name()).text(underline.marked);
    html("div")
        .class("editor-line editor-underline")
        .style("top", line_top(underline.index))
        .child(html("span").text(underline.before))
        .child(marked)
}

/// Where a line begins.
pub(super) fn line_top(index: usize) -> String {
    format!("calc(var(--line) * {index})")
}

/// A wavy line: the text before it (not seen, it keeps the distance) and the text above it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Underline {
    index: usize,
    before: String,
    marked: String,
    severity: Severity,
}

impl Underline {
    fn new(text: &str, mark: Mark) -> Option<Self> {
        let index = (mark.line as usize).saturating_sub(1);
        let line = text.split('\n').nth(index)?;
        let column = (mark.column as usize).saturating_sub(1);
        let before = line.chars().take(column).collect();
        let mut marked: String = line.chars().skip(column).take(mark.length as usize).collect();
        if marked.is_empty() {
            // Something is missing at the end of the line: there is still something to see.
            marked.push('\u{a0}');
        }
        Some(Self { index, before, marked, severity: mark.severity })
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
        let underline = Underline::new("ab: ", mark).expect("the line exists");
        assert_eq!((underline.before.as_str(), underline.marked.as_str()), ("ab: ", "\u{a0}"));
        assert_eq!(Underline::new("a", Mark { line: 9, ..mark }), None);
    }
}
