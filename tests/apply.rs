//! Apply: values written into a text by the smallest edit.

#[path = "apply/cases.rs"]
mod cases;
#[path = "apply/files.rs"]
mod files;
#[path = "document/random.rs"]
mod random;

use cases::CASES;
use files::FILES;
use random::Random;
use shardmem::document::{self, Document, Entry, Mapping, Node, Quotes, Unapplied, Value, apply, to_line, to_sections};
use shardmem::provenance::{KeyPath, Segment};
use shardmem::text::Span;

fn setting(line: &str) -> (KeyPath, Value) {
    let (path, value) = line.split_once('=').expect("path=value");
    (KeyPath::parse(path), document::parse_value(value).expect("a value").value)
}

fn applied(text: &str, settings: &[&str]) -> Result<String, Unapplied> {
    let settings: Vec<(KeyPath, Value)> = settings.iter().map(|line| setting(line)).collect();
    apply(text, settings.iter().map(|(path, value)| (path, value)))
}

#[test]
fn each_case_changes_what_it_must_and_nothing_else() {
    let mut wrong = Vec::new();
    for (text, settings, wanted) in CASES {
        let got = applied(text, settings);
        if got.as_deref() != Ok(*wanted) {
            wrong.push(format!("{text:?} with {settings:?}\n     got {got:?}\n  wanted {wanted:?}"));
            continue;
        }
        let again = applied(wanted, settings);
        if again.as_deref() != Ok(*wanted) {
            wrong.push(format!("{wanted:?} with {settings:?} again\n     got {again:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

impl Random {
    fn tree(&mut self, depth: usize) -> Value {
        let node = |value| Node { value, span: Span::default() };
        match self.below(if depth < 4 { 8 } else { 6 }) {
            0..=5 => document::parse_value(VALUES[self.below(VALUES.len())]).expect("a value").value,
            6 => Value::Sequence((0..self.below(4)).map(|_| node(self.tree(depth + 1))).collect()),
            _ => self.section(depth),
        }
    }

    fn section(&mut self, depth: usize) -> Value {
        const KEYS: &[&str] = &["a", "off", "010", "a: b", "it's", "", "中", "- x", "<<", "a\nb", "{", "null"];
        let mut mapping = Mapping::default();
        for _ in 0..self.below(5) {
            let key: std::sync::Arc<str> = KEYS[self.below(KEYS.len())].into();
            if !mapping.contains(&key) {
                let node = Node { value: self.tree(depth + 1), span: Span::default() };
                mapping.entries.push(Entry { key, key_span: Span::default(), node });
            }
        }
        Value::Mapping(mapping)
    }
}

#[test]
fn what_is_written_on_lines_is_read_back() {
    let mut random = Random::new(23);
    for _ in 0..2_000 {
        let tree = random.tree(0);
        for quotes in [Quotes::WhereNeeded, Quotes::Single, Quotes::Double] {
            let line = to_line(&tree, quotes);
            assert!(!line.contains(['\n', '\r']), "{line}");
            let read = document::parse_value(&line).unwrap_or_else(|errors| panic!("{line}: {errors:?}"));
            assert_eq!(shown(&read.value), shown(&tree), "{line}");
        }
        let section = random.section(0);
        let text = to_sections(section.as_mapping().expect("a section"));
        // The other writer knows no dates: serde has none.
        let second = if shown(&section).contains("Date(") { String::new() } else { document::to_yaml(&section) };
        for text in [text, second].iter().filter(|text| !text.is_empty()) {
            let read = document::parse(text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
            assert_eq!(shown(&read.value.root.value), shown(&section), "{text}");
        }
    }
    let json =
        document::parse_value("[1, -2.5, true, null, 'a\"\\', \"\\0\\u2028\\x7f\\U0001f600\", {a: [], 'b c': {}}]");
    let line = to_line(&json.expect("a value").value, Quotes::Double);
    let read: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(read, serde_json::json!([1, -2.5, true, null, "a\"\\", "\0\u{2028}\u{7f}😀", {"a": [], "b c": {}}]));
}

#[test]
fn what_cannot_be_written_says_why() {
    let path = KeyPath::parse;
    let refused = |text, settings| applied(text, settings).expect_err("it cannot be written");
    assert!(matches!(refused("a: [1", &["a=1"]), Unapplied::Unreadable(_)));
    assert_eq!(refused("a: [1]", &["a.b=1"]), Unapplied::NotASection(path("a.b")));
    assert_eq!(refused("- 1", &["a=1"]), Unapplied::NotASection(path("a")));
    assert_eq!(refused("a: [1]", &["a[1]=1"]), Unapplied::NoSuchItem(path("a[1]")));
    assert_eq!(refused("a: 1", &["b[0]=1"]), Unapplied::NoSuchItem(path("b[0]")));
    assert_eq!(refused("a: 1", &["b=1", "b.c=1"]), Unapplied::Contradicted(path("b")));
    assert_eq!(refused("? a\n", &["a=1"]), Unapplied::Form(path("a")));
    let long = format!("a: {}", "x".repeat(document::LARGEST_TEXT - 3));
    assert_eq!(refused(&long, &["b=1"]), Unapplied::TooLarge);
    let shared = format!("a: &x '{}'\nl: [{}]\n", "x".repeat(1000), "*x, ".repeat(5000));
    assert_eq!(refused(&shared, &["a=1"]), Unapplied::TooLarge);
}

/// The tree with a value laid over it, by another road than `apply` takes; nothing where it leads through a list.
fn laid(value: &Value, path: &[Segment], new: &Value) -> Option<Value> {
    let Some((segment, rest)) = path.split_first() else { return Some(new.clone()) };
    let node = |value| Node { value, span: Span::default() };
    match (segment, value) {
        (Segment::Index(index), Value::Sequence(items)) => {
            let mut items = items.clone();
            let item = items.get_mut(*index)?;
            *item = node(laid(&item.value, rest, new)?);
            Some(Value::Sequence(items))
        }
        (Segment::Index(_), _) | (Segment::Key(_), Value::Sequence(_)) => None,
        (Segment::Key(key), _) => {
            let mut entries = value.as_mapping().map_or(Vec::new(), |mapping| mapping.entries.clone());
            let old =
                entries.iter().find(|entry| entry.key == *key).map_or(Value::Null, |entry| entry.node.value.clone());
            entries.retain(|entry| entry.key != *key);
            let node = node(laid(&old, rest, new)?);
            entries.push(Entry { key: key.clone(), key_span: Span::default(), node });
            Some(Value::Mapping(Mapping { entries }))
        }
    }
}

/// A value with the keys of sections in order and nothing of its places.
fn shown(value: &Value) -> String {
    match value {
        Value::Mapping(mapping) => {
            let mut entries: Vec<String> =
                mapping.entries.iter().map(|entry| format!("{:?}: {}", entry.key, shown(&entry.node.value))).collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Sequence(items) => format!("{:?}", items.iter().map(|item| shown(&item.value)).collect::<Vec<_>>()),
        Value::Null
        | Value::Bool(_)
        | Value::Integer(_)
        | Value::WideInteger(_)
        | Value::Float(_)
        | Value::Text(_)
        | Value::Date(_) => format!("{value:?}"),
    }
}

/// Values of every kind, and texts that would be read as something else.
const VALUES: &[&str] = &[
    "8",
    "-1",
    "0",
    "true",
    "false",
    "null",
    "1.5",
    "1.0e-6",
    "1.0e+300",
    ".inf",
    ".nan",
    "-0.0",
    "99999999999999999999",
    "full",
    "'off'",
    "'yes'",
    "'010'",
    "'1e-6'",
    "'null'",
    "''",
    "'a: b'",
    "'a #b'",
    "'- a'",
    "'it''s'",
    "'\"'",
    "\"a\\nb\"",
    "\"\\t\\0\\x85\\u2028\"",
    "'{a}'",
    "'[1, 2]'",
    "'*a'",
    "'&a'",
    "'!a'",
    "'% a'",
    "'@a'",
    "'?'",
    "'x?'",
    "'...'",
    "'---'",
    "'a:'",
    "' a '",
    "路径/模型",
    "'😀: x'",
    "54GB",
    "1f1b",
    "hyper_parallel.components.optim.AdamW",
    "2025-01-01",
    "2025-01-01 10:00:00",
    "[0, 1, -1]",
    "[[1, 0], [0, 1]]",
    "[]",
    "{}",
    "{a: 1, 'off': [x, {b: null}]}",
    "[a, 'b, c', 'd]']",
];

impl Random {
    /// A path of a document, of a key beside one, or below one.
    fn path(&mut self, document: &Document) -> KeyPath {
        let mut paths = vec![KeyPath::root().key("new")];
        collect(&document.root, &KeyPath::root(), &mut paths);
        let path = paths.swap_remove(self.below(paths.len()));
        match self.below(6) {
            0 => path.key("added"),
            1 => path.parent().key("it's new"),
            2 => path.key("deep").key("er"),
            _ => path,
        }
    }
}

fn collect(node: &Node, path: &KeyPath, paths: &mut Vec<KeyPath>) {
    for entry in node.value.as_mapping().into_iter().flat_map(|mapping| &mapping.entries) {
        paths.push(path.key(&entry.key));
        collect(&entry.node, &path.key(&entry.key), paths);
    }
    for (index, item) in node.value.as_sequence().unwrap_or_default().iter().enumerate() {
        paths.push(path.index(index));
        collect(item, &path.index(index), paths);
    }
}

/// Texts of all kinds that can be read.
fn texts() -> Vec<String> {
    let cases = CASES.iter().flat_map(|(text, _, wanted)| [*text, *wanted]).map(str::to_owned);
    let files = FILES.iter().map(|(_, text)| (*text).to_owned());
    let documents: serde_json::Value = serde_json::from_str(include_str!("document/documents.json")).expect("JSON");
    let documents = documents.as_array().expect("a list").iter().filter_map(|case| case[0].as_str()).map(str::to_owned);
    let all = files.clone().chain(files.clone()).chain(files).chain(cases).chain(documents);
    all.filter(|text| document::parse(text).is_ok()).collect()
}

#[test]
fn any_value_is_written_anywhere_and_nothing_else_changes() {
    let mut random = Random::new(41);
    let (mut written, mut unwritable) = (0, 0);
    for _ in 0..2 {
        for text in texts() {
            let before = document::parse(&text).expect("it is read").value;
            let path = random.path(&before);
            let value = document::parse_value(VALUES[random.below(VALUES.len())]).expect("a value").value;
            let Some(expected) = laid(&before.root.value, path.segments(), &value) else { continue };
            match apply(&text, [(&path, &value)]) {
                Ok(new) => {
                    written += 1;
                    let after =
                        document::parse(&new).unwrap_or_else(|errors| panic!("{text:?} {path}: {new:?} {errors:?}"));
                    assert_eq!(shown(&after.value.root.value), shown(&expected), "{text:?} {path}");
                    assert_eq!(apply(&new, [(&path, &value)]).as_deref(), Ok(&*new), "{text:?} {path}");
                    check_lines(&text, &new, &before, &path);
                }
                Err(Unapplied::Form(_)) => unwritable += 1,
                Err(error) => panic!("{text:?} {path}={value:?}: {error:?}"),
            }
        }
    }
    assert!(written > 800 && unwritable * 50 < written, "{unwritable} of {written}");
}

/// Pieces that change what a text is.
const PIECES: &[&str] = &[
    "\u{85}", "\u{2028}", "\u{feff}", "\t", "\r", "\r\n", "\n", " ", "  ", "#", " # c", "&x ", "*x", "<<: *x",
    "!!str ", "? ", ": ", "- ", "{", "}", "[", "]", ",", "|", "|+\n", ">-\n", "'", "\"", "...", "---\n", "中", "😀",
    "~", "a",
];

#[test]
fn a_mangled_text_is_written_right_or_not_at_all() {
    let mut random = Random::new(8);
    let (mut written, mut refused) = (0, 0);
    for _ in 0..10 {
        for mut text in texts().into_iter().filter(|text| text.len() < 300) {
            for _ in 0..=random.below(3) {
                let mut at = random.below(text.len() + 1);
                while !text.is_char_boundary(at) {
                    at -= 1;
                }
                text.insert_str(at, PIECES[random.below(PIECES.len())]);
            }
            let Ok(before) = document::parse(&text).map(|read| read.value) else { continue };
            let path = random.path(&before);
            let value = document::parse_value(VALUES[random.below(VALUES.len())]).expect("a value").value;
            match apply(&text, [(&path, &value)]) {
                Ok(new) => {
                    let expected = laid(&before.root.value, path.segments(), &value).expect("a section");
                    let after = document::parse(&new).expect("it is read").value;
                    assert_eq!(shown(&after.root.value), shown(&expected), "{text:?} {path}");
                    written += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(written > 1000 && refused * 10 < written, "{refused} and {written}");
}

/// The lines that differ are those of the value, or of the section that it came into.
fn check_lines(old: &str, new: &str, document: &Document, path: &KeyPath) {
    if old.contains(['&', '*']) {
        return;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let same = |(one, other): &(&&str, &&str)| one == other;
    let above = old_lines.iter().zip(&new_lines).take_while(same).count();
    let room = old_lines.len().min(new_lines.len()) - above;
    let below = old_lines.iter().rev().zip(new_lines.iter().rev()).take_while(same).count().min(room);
    let changed = above..old_lines.len() - below;
    let mut nearest = path.clone();
    while document.get(&nearest).is_none() {
        nearest = nearest.parent();
    }
    let node = document.get(&nearest).expect("the root at least");
    let line = |at: usize| document.lines.position(at).line as usize;
    let key = document.entry(&nearest).map_or(node.span.start, |entry| entry.key_span.start);
    let (first, last) = (line(key) - 1, line(node.span.end));
    // What is put behind a last line that has no line break changes that line's end.
    let last = if old_lines.len() == last + 1 { last + 1 } else { last };
    assert!(
        changed.is_empty() || first <= changed.start && changed.end <= last,
        "{path}: lines {changed:?} of {old:?}, but the place is {first}..{last}: {new:?}"
    );
    // A key that comes in takes no line away but the one that a bracket or a null stands on.
    assert!(
        nearest == *path || changed.len() <= 2 || !matches!(node.value, Value::Mapping(_)),
        "{path}: {old:?} {new:?}"
    );
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive(if text.contains('\n') { '\n' } else { '\r' }).collect()
}
