//! What users wrote, as it may stand in a sentence: on one line, short, with nothing in it that is not seen.

use std::fmt::Write;

/// A text of more letters is shown by its beginning and its end.
const LONGEST: usize = 72;
/// Letters of the beginning: most of what is left, because the end of a path or a number says which it is.
const BEGINNING: usize = 40;
/// Letters of the end.
const END: usize = LONGEST - BEGINNING - 1;

/// The text in quotes of a kind that YAML does not have.
pub(super) fn quoted(text: &str) -> String {
    format!("`{}`", shown(text))
}

/// The whole text, what cannot be seen written out.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_visible(&mut out, text);
    out
}

/// The text shortened in its middle, what cannot be seen written out.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4 * LONGEST));
    let end_of_start = text.char_indices().nth(BEGINNING).map(|(at, _)| at);
    let start_of_end = text.char_indices().rev().nth(END - 1).map(|(at, _)| at);
    // Only where the two parts leave something out between them.
    let cut = end_of_start
        .zip(start_of_end)
        .filter(|(start, end)| start < end && text[*start..*end].chars().nth(1).is_some());
    match cut {
        Some((start, end)) => {
            push_visible(&mut out, &text[..start]);
            out.push('…');
            push_visible(&mut out, &text[end..]);
        }
        None => push_visible(&mut out, text),
    }
    out
}

fn push_visible(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            _ if is_unseen(letter) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(letter));
            }
            _ => out.push(letter),
        }
    }
}

/// Controls, line separators, and what turns the direction of a text or joins letters unseen.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_their_beginning_and_their_end() {
        let path = format!("/data/{}/Qwen3-30B-A3B", "x".repeat(1 << 20));
        let short = shown(&path);
        assert_eq!(short.chars().count(), LONGEST);
        assert!(short.starts_with("/data/xxx") && short.ends_with("x/Qwen3-30B-A3B"), "{short}");
        for letters in [LONGEST - 1, LONGEST] {
            assert_eq!(shown(&"文".repeat(letters)).chars().filter(|letter| *letter == '文').count(), letters);
        }
        assert_eq!(shown(&"文".repeat(LONGEST + 1)).chars().count(), LONGEST);
    }

    #[test]
    fn nothing_unseen_is_left() {
        assert_eq!(quoted("a\u{202e}b\n\tc\u{0}\u{85}\u{200d}"), "`a\\u{202e}b\\n\\tc\\u{0}\\u{85}\\u{200d}`");
        let hostile: String = (0..0xffff).filter_map(char::from_u32).filter(|letter| is_unseen(*letter)).collect();
        assert!(shown(&hostile).chars().all(|letter| !is_unseen(letter)));
        assert!(shown(&hostile).len() < 10 * LONGEST);
    }
}
