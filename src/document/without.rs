//! Keys taken out of a text with their values: what is not theirs stays as it is, byte for byte.

use super::apply::same;
use super::node::{Entry, Node};
use crate::provenance::{KeyPath, Segment};
use crate::text::Span;

/// The text without these keys; none where the text would then mean something else (its section would be empty, an anchor
/// would be missing), or one of them is not there.
pub fn without(text: &str, keys: &[KeyPath]) -> Option<String> {
    let document = super::parse(text).ok()?.value;
    let mut expected = document.root.clone();
    let mut spans = Vec::new();
    for key in keys {
        spans.push(room(text, entry(&document.root, key)?));
        take_out(&mut expected, key.segments())?;
    }
    spans.sort_unstable_by_key(|span| std::cmp::Reverse(span.start));
    let mut rest = text.to_owned();
    for span in spans {
        rest.get(span.start..span.end)?;
        rest.replace_range(span.start..span.end, "");
    }
    let read = super::parse(&rest).ok()?.value;
    same(&read.root.value, &expected.value).then_some(rest)
}

fn entry<'a>(root: &'a Node, key: &KeyPath) -> Option<&'a Entry> {
    let (last, section) = key.segments().split_last()?;
    let section = section.iter().try_fold(root, super::locate::step)?;
    match last {
        Segment::Key(name) => section.value.as_mapping()?.entry(name),
        Segment::Index(_) => None,
    }
}

fn take_out(node: &mut Node, path: &[Segment]) -> Option<()> {
    let (Segment::Key(name), below) = path.split_first()? else { return None };
    let super::Value::Mapping(mapping) = &mut node.value else { return None };
    if below.is_empty() {
        mapping.entries.retain(|entry| entry.key != *name);
        return Some(());
    }
    take_out(&mut mapping.entries.iter_mut().find(|entry| entry.key == *name)?.node, below)
}

/// What goes with a key: its lines, where it has lines of its own; else itself and a comma.
fn room(text: &str, entry: &Entry) -> Span {
    let (start, end) = (entry.key_span.start, entry.node.span.end.max(entry.key_span.end));
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = after.find('\n').map_or(after.len(), |at| at + 1);
    let behind = after[..line].trim_start_matches(':').trim();
    if before[line_start..].trim().is_empty() && (behind.is_empty() || behind.starts_with('#')) {
        return Span::new(line_start, end + line);
    }
    let spaces = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    if let Some(rest) = after.trim_start_matches([' ', '\t']).strip_prefix(',') {
        return Span::new(start, text.len() - rest.len() + spaces(rest));
    }
    let kept = before.trim_end_matches([' ', '\t']);
    Span::new(kept.strip_suffix(',').map_or(start, str::len), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str, keys: &[&str]) -> Option<String> {
        without(text, &keys.iter().map(|key| KeyPath::parse(key)).collect::<Vec<_>>())
    }

    #[test]
    fn lines_go_with_their_keys_and_nothing_else() {
        let text = "model:\n  name: a # kept\n  config_overrides:\n    hidden: 8\n    foo: 1  # gone\n    bar:\n      - 2\n      - 3\n    # kept\n    last: 4\n";
        assert_eq!(
            left(text, &["model.config_overrides.foo", "model.config_overrides.bar"]).as_deref(),
            Some("model:\n  name: a # kept\n  config_overrides:\n    hidden: 8\n    # kept\n    last: 4\n")
        );
        assert_eq!(left("a: 1\nb:\n", &["b"]).as_deref(), Some("a: 1\n"));
        assert_eq!(left("a: 1\nb: 2", &["b"]).as_deref(), Some("a: 1\n"));
    }

    #[test]
    fn sections_in_brackets_keep_their_commas_right() {
        let text = "m: {a: 1, b: 2, c: 3}\n";
        assert_eq!(left(text, &["m.a"]).as_deref(), Some("m: {b: 2, c: 3}\n"));
        assert_eq!(left(text, &["m.b"]).as_deref(), Some("m: {a: 1, c: 3}\n"));
        assert_eq!(left(text, &["m.c"]).as_deref(), Some("m: {a: 1, b: 2}\n"));
    }

    #[test]
    fn what_would_mean_something_else_is_left_alone() {
        assert_eq!(left("m:\n  a: 1\n", &["m.a"]), None, "an empty section is none");
        assert_eq!(left("a: &x 1\nb: *x\n", &["a"]), None);
        assert_eq!(left("a: 1\n", &["b"]), None);
        assert_eq!(left("a: [1]\n", &["a[0]"]), None);
    }
}
