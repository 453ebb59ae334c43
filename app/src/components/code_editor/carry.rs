//! Where a caret goes when another text takes the place of the one it stands in.

/// How many lines up a line is sought that both texts have.
const FAR: usize = 64;

/// The place in the new text of a place in the old one, both in UTF-16 code units: the same column of the same line, wherever
/// that line has moved; of a line that is gone, as far below the last one that is not.
pub(super) fn carried(old: &str, new: &str, at: u32) -> u32 {
    let (lines, column) = line_of(old, at);
    let new_lines: Vec<&str> = new.split('\n').collect();
    let line = place_of(&lines, &new_lines).min(new_lines.len() - 1);
    let before: u32 = new_lines[..line].iter().map(|line| units(line) + 1).sum();
    before + column.min(units(new_lines[line]))
}

/// The lines up to the one of a place, and the column in it.
fn line_of(text: &str, at: u32) -> (Vec<&str>, u32) {
    let (mut lines, mut rest) = (Vec::new(), at);
    for line in text.split('\n') {
        lines.push(line);
        let length = units(line);
        if rest <= length {
            return (lines, rest);
        }
        rest -= length + 1;
    }
    (lines, 0)
}

/// Where the last of these lines stands in the new text.
fn place_of(lines: &[&str], new: &[&str]) -> usize {
    let last = lines.len() - 1;
    let known = (0..=last.min(FAR)).find_map(|up| Some(same(lines, last - up, new)? + up));
    known.unwrap_or(last)
}

/// Of equal lines, the one that is as many of them down.
fn same(lines: &[&str], at: usize, new: &[&str]) -> Option<usize> {
    let line = lines[at];
    let above = lines[..at].iter().filter(|other| **other == line).count();
    new.iter().enumerate().filter(|(_, other)| **other == line).map(|(at, _)| at).nth(above)
}

fn units(line: &str) -> u32 {
    u32::try_from(line.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caret_stays_in_its_line_wherever_lines_come_and_change() {
        let old = "a:\n  tp: 2\n  pp: 4\nb:\n  c: 😀1\n";
        let new = "a:\n  tp: 16\n  pp: 4\n  ep: 8\nb:\n  c: 😀1\n";
        let at =
            |text: &str, piece: &str| u32::try_from(text[..text.find(piece).unwrap()].encode_utf16().count()).unwrap();
        for piece in ["a:", ": 4", "b:", "c: ", "1\n"] {
            assert_eq!(carried(old, new, at(old, piece)), at(new, piece), "{piece}");
        }
        // The line that changed: the same column of it.
        assert_eq!(carried(old, new, at(old, " 2\n")), at(new, " 16\n"));
        let end = u32::try_from(old.encode_utf16().count()).unwrap();
        assert_eq!(carried(old, new, end), end + 9);
    }

    #[test]
    fn another_text_keeps_line_and_column_as_far_as_it_has_them() {
        assert_eq!(carried("one\ntwo\nthree", "x", 11), 1);
        assert_eq!(carried("one\ntwo\nthree", "", 11), 0);
        assert_eq!(carried("", "one\ntwo", 0), 0);
        assert_eq!(carried("short", "short", 99), 0);
    }
}
