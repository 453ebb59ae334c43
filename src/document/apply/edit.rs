//! One value written into a text: finding its place, and what else must change for the rest to stay.

use super::lines::{column, piece, step};
use super::section::New;
use crate::document::LARGEST_TEXT;
use crate::document::compose::Layout;
use crate::document::line::{Quotes, to_line};
use crate::document::locate;
use crate::document::marks::{Mark, Marks, Token};
use crate::document::node::{Node, Value};
use crate::document::strict::line_end;
use crate::provenance::Segment;
use crate::text::Span;

/// What holds a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// Nothing: it is the whole text.
    Text,
    /// A section on lines of its own, with its keys at this column.
    Lines(usize),
    /// A section in brackets.
    Brackets,
    /// A list.
    List,
}

/// A value's place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its token.
    pub(super) at: usize,
    /// The end of the token before it: its key, or the item before.
    pub(super) before: usize,
    pub(super) holder: Holder,
}

/// What stands between a key and its value.
pub(super) struct Lead<'t> {
    /// Where anchor and tag begin; behind the colon where there are none.
    pub(super) start: usize,
    /// Behind the last of colon, anchor and tag.
    pub(super) end: usize,
    pub(super) anchor: &'t str,
    pub(super) tagged: bool,
}

impl<'t> Lead<'t> {
    /// Takes in the anchor or tag at `at`; gives its end.
    fn add(&mut self, text: &'t str, at: usize) -> usize {
        let rest = piece(text, at, text.len());
        let end = at + rest.find([' ', '\t', '\n', '\r', ',', ']', '}']).unwrap_or(rest.len());
        if self.anchor.is_empty() && !self.tagged {
            self.start = at;
        }
        if rest.starts_with('&') {
            self.anchor = piece(text, at, end);
        } else {
            self.tagged = true;
        }
        self.end = end;
        end
    }
}

/// The edit of one value.
pub(super) struct Editing<'t> {
    pub(super) text: &'t str,
    pub(super) marks: &'t Marks,
    expected: &'t Node,
    /// How texts are quoted where nothing nearer tells: double in a text that is JSON.
    pub(super) quotes: Quotes,
    edits: Vec<(Span, String)>,
    /// By the number of an anchor, whether its value changes here.
    changed: Vec<bool>,
}

impl<'t> Editing<'t> {
    pub(super) fn new(text: &'t str, marks: &'t Marks, expected: &'t Node) -> Self {
        let quotes = match marks.list.get(..2) {
            Some([root, key]) if root.token == Token::Section(Layout::Brackets) => quotes_of(text, key),
            Some(_) | None => Quotes::WhereNeeded,
        };
        Self { text, marks, expected, quotes, edits: Vec::new(), changed: Vec::new() }
    }

    /// The text with the expected value at a path; nothing where its place is in no form that is edited.
    pub(super) fn edited(mut self, root: &Node, path: &[Segment]) -> Option<String> {
        self.find_and_edit(root, path)?;
        // In the order of the text; edits at one place in the order made.
        let mut edits = self.aliases_written_out()?;
        for (span, new) in self.edits {
            let at = edits.partition_point(|(other, _)| other.start <= span.start);
            edits.insert(at, (span, new));
        }
        let mut text = String::with_capacity(self.text.len() + 64);
        let mut copied = 0;
        for (span, new) in &edits {
            text.push_str(self.text.get(copied..span.start)?);
            text.push_str(new);
            copied = span.end;
        }
        text.push_str(self.text.get(copied..)?);
        Some(text)
    }

    pub(super) fn replace(&mut self, span: Span, new: String) {
        self.edits.push((span, new));
    }

    fn change(&mut self, mark: &Mark) {
        // The aliases of what holds something else now; an alias itself only ceases to be one.
        if mark.token != Token::Alias && mark.anchor > 0 {
            self.changed.resize(self.changed.len().max(mark.anchor + 1), false);
            self.changed[mark.anchor] = true;
        }
    }

    pub(super) fn insert(&mut self, at: usize, new: String) {
        self.replace(Span::new(at, at), new);
    }

    pub(super) fn step(&self) -> usize {
        step(self.text, &self.marks.list)
    }

    /// Goes down the path as far as it is written here, and edits where that ends.
    fn find_and_edit(&mut self, root: &Node, path: &[Segment]) -> Option<()> {
        if self.marks.list.is_empty() {
            let (Segment::Key(key), _) = path.split_first()? else { return None };
            self.begin_text(Span::default(), New { key, value: self.expected_at(&path[..1])? });
            return Some(());
        }
        let mut place = Place { at: 0, before: 0, holder: Holder::Text };
        let mut node = root;
        for (depth, segment) in path.iter().enumerate() {
            let mark = &self.marks.list[place.at];
            self.change(mark);
            let new = |editing: &Self| editing.expected_at(&path[..=depth]);
            match (mark.token, segment) {
                (Token::Section(layout), Segment::Key(key)) => {
                    let Some((name, value)) = self.marks.entry(place.at, key) else {
                        self.add_key(place, layout, New { key, value: new(self)? });
                        return Some(());
                    };
                    place = self.value_place(place, layout, name, value);
                }
                (Token::List(_), Segment::Index(index)) => {
                    place = self.item_place(place.at, *index)?;
                }
                (Token::Alias, Segment::Index(_)) => {
                    return self.replace_value(place, self.expected_at(&path[..depth])?);
                }
                (Token::Scalar | Token::Alias, Segment::Key(key)) => {
                    let merged = mark.token == Token::Alias && node.value.as_mapping().is_some();
                    return self.begin_section(place, merged, New { key, value: new(self)? });
                }
                (Token::Section(_) | Token::Scalar, Segment::Index(_)) | (Token::List(_), Segment::Key(_)) => {
                    return None;
                }
            }
            node = locate::step(node, segment)?;
        }
        self.replace_value(place, self.expected_at(path)?)
    }

    fn expected_at(&self, path: &[Segment]) -> Option<&'t Value> {
        path.iter().try_fold(self.expected, locate::step).map(|node| &node.value)
    }

    fn value_place(&self, section: Place, layout: Layout, name: usize, value: usize) -> Place {
        let holder = match layout {
            Layout::Block => Holder::Lines(self.column_of(section.at)),
            Layout::Brackets => Holder::Brackets,
        };
        Place { at: value, before: self.marks.list[name].span.end, holder }
    }

    fn item_place(&self, list: usize, index: usize) -> Option<Place> {
        let mut items = self.marks.inside(list).skip(index.saturating_sub(1));
        let start = self.marks.list[list].span.start;
        let before = if index == 0 { start } else { self.marks.list[items.next()?].span.end };
        Some(Place { at: items.next()?, before, holder: Holder::List })
    }

    pub(super) fn column_of(&self, mark: usize) -> usize {
        column(self.text, self.marks.list[mark].span.start)
    }

    /// Puts a value in the place of another.
    fn replace_value(&mut self, place: Place, value: &Value) -> Option<()> {
        let mark = &self.marks.list[place.at];
        for held in &self.marks.list[place.at..mark.next] {
            self.change(held);
        }
        let quotes = if mark.token == Token::Scalar { quotes_of(self.text, mark) } else { self.quotes };
        let quotes = if quotes == Quotes::WhereNeeded { self.quotes } else { quotes };
        self.put(place, &to_line(value, quotes))
    }

    /// Puts a line in the place of a value, behind its anchor; a tag, which would ask for another kind of value, goes.
    pub(super) fn put(&mut self, place: Place, line: &str) -> Option<()> {
        let lead = self.lead(place)?;
        let Mark { token, span, .. } = self.marks.list[place.at];
        let mut new = line.to_owned();
        if self.text.as_bytes().get(span.end) == Some(&b'#') {
            new.push(' ');
        }
        if lead.tagged {
            self.replace(Span::new(lead.start, lead.end), joined(lead.anchor, &new));
            self.drop_value(place, &lead);
        } else if span.start == span.end {
            self.insert(lead.end, [" ", &new].concat());
        } else if matches!(token, Token::List(Layout::Block) | Token::Section(Layout::Block))
            && line_end(self.text.as_bytes(), lead.end) < span.start
        {
            self.insert(lead.end, [" ", &new].concat());
            self.drop_value(place, &lead);
        } else {
            self.replace(span, new);
        }
        Some(())
    }

    /// Takes the bytes of a value away, up to its anchor, tag or colon; a comment behind those stays.
    pub(super) fn drop_value(&mut self, place: Place, lead: &Lead<'_>) {
        let span = self.marks.list[place.at].span;
        if span.start == span.end {
            return;
        }
        let line = line_end(self.text.as_bytes(), lead.end);
        self.replace(Span::new(if line < span.start { line } else { lead.end }, span.end), String::new());
    }

    /// Finds colon, anchor and tag before a value; nothing where what should lead to it is missing.
    pub(super) fn lead(&self, place: Place) -> Option<Lead<'t>> {
        let bytes = self.text.as_bytes();
        let value = self.marks.list[place.at].span;
        let absent = value.start == value.end;
        let limit = if absent { line_end(bytes, place.before).max(value.start) } else { value.start };
        let signs: &[u8] = match place.holder {
            // The whole text is never a value that is put in another's place.
            Holder::Text => return None,
            Holder::Lines(_) | Holder::Brackets => b":",
            Holder::List => b"-,[",
        };
        let mut lead = None;
        let mut at = place.before;
        while at < limit {
            match (bytes[at], &mut lead) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => at += 1,
                (b'#', _) => at = line_end(bytes, at),
                (sign, None) if signs.contains(&sign) => {
                    at += 1;
                    lead = Some(Lead { start: at, end: at, anchor: "", tagged: false });
                }
                (b'&' | b'!', Some(lead)) => at = lead.add(self.text, at),
                _ => break,
            }
        }
        lead
    }

    /// What aliases stand for whose anchor holds something else now.
    fn aliases_written_out(&self) -> Option<Vec<(Span, String)>> {
        let mut length = 0;
        let mut written = Vec::new();
        for alias in self.marks.list.iter().filter(|mark| mark.token == Token::Alias) {
            let inside = |(span, _): &(Span, String)| span.start <= alias.span.start && alias.span.end <= span.end;
            if self.changed.get(alias.anchor) != Some(&true) || self.edits.iter().any(inside) {
                continue;
            }
            let new = to_line(self.marks.anchored(alias.anchor)?, self.quotes);
            length += new.len();
            written.push((alias.span, new));
            // The text is too large now, whatever else follows.
            if length > LARGEST_TEXT {
                break;
            }
        }
        Some(written)
    }
}

/// An anchor and what it stands before.
pub(super) fn joined(anchor: &str, value: &str) -> String {
    if anchor.is_empty() { value.to_owned() } else { [anchor, " ", value].concat() }
}

/// The quotes that a scalar stands in.
pub(super) fn quotes_of(text: &str, mark: &Mark) -> Quotes {
    match text.as_bytes().get(mark.span.start) {
        Some(b'"') if mark.token == Token::Scalar => Quotes::Double,
        Some(b'\'') if mark.token == Token::Scalar => Quotes::Single,
        Some(_) | None => Quotes::WhereNeeded,
    }
}
