//! Nearest spellings and nearest legal values.

/// The candidate one slip away from `word`: an edit distance of 1, or of 2 in a word of eight letters or more.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut candidates = candidates.into_iter();
    nearest_of(word, &mut || candidates.next())
}

/// One piece of code for all kinds of candidates.
fn nearest_of<'a>(word: &str, next: &mut dyn FnMut() -> Option<&'a str>) -> Option<&'a str> {
    let limit = if word.chars().count() >= 8 { 2 } else { 1 };
    let letters = letters(word);
    let mut nearest = None;
    let mut least = limit + 1;
    while let Some(candidate) = next() {
        // A slip changes at most two of the letters that occur; most candidates are out before the table is made.
        let may_be = candidate.len().abs_diff(word.len()) <= 2
            && candidate != word
            && (self::letters(candidate) ^ letters).count_ones() <= 4;
        let distance = if may_be { distance(word, candidate) } else { least };
        if distance < least {
            (nearest, least) = (Some(candidate), distance);
        }
    }
    nearest
}

/// Which letters occur, by their last five bits.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let cell = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
    let to: Vec<char> = to.chars().collect();
    let (mut before, mut above) = (Vec::new(), (0..=to.len()).collect::<Vec<_>>());
    let mut last = None;
    for (at, letter) in from.chars().enumerate() {
        let mut row = vec![at + 1];
        let mut other_last = None;
        for (column, other) in to.iter().copied().enumerate() {
            let replaced = cell(&above, column) + usize::from(letter != other);
            let mut best = replaced.min(cell(&above, column + 1) + 1).min(cell(&row, column) + 1);
            if last == Some(other) && other_last == Some(letter) {
                best = best.min(cell(&before, column.wrapping_sub(1)) + 1);
            }
            row.push(best);
            other_last = Some(other);
        }
        before = std::mem::replace(&mut above, row);
        last = Some(letter);
    }
    cell(&above, to.len())
}

/// The divisors of `total` just below and above `value`.
pub(crate) fn nearest_divisors(total: i64, value: i64) -> Vec<i64> {
    let total = total.unsigned_abs();
    let divides = |candidate: &i64| total.checked_rem(candidate.unsigned_abs()) == Some(0);
    let reach = i64::try_from(total.min(1 << 20)).unwrap_or(1);
    let below = (1..value.clamp(1, reach + 1)).rev().find(divides);
    let above = (value.clamp(0, reach).saturating_add(1)..=reach).find(divides);
    below.into_iter().chain(above).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_one_slip() {
        let keys = ["tp_size", "pp_size", "sequence_parallel"];
        assert_eq!(nearest("tp_sise", keys), Some("tp_size"));
        assert_eq!(nearest("tp_szie", keys), Some("tp_size"));
        assert_eq!(nearest("sequense_paralel", keys), Some("sequence_parallel"));
        assert_eq!(nearest("weight_decay", keys), None);
        assert_eq!(nearest("tp_size", keys), Some("pp_size"));
    }

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "ab", 2),
            ("abc", "acb", 1),
            ("abcd", "badc", 2),
            ("ca", "abc", 3),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!((distance(from, to), distance(to, from)), (expected, expected), "{from} {to}");
        }
    }

    #[test]
    fn divisors_around_a_value() {
        assert_eq!(nearest_divisors(32, 3), [2, 4]);
        assert_eq!(nearest_divisors(4, 8), [4]);
        assert_eq!(nearest_divisors(128, 24), [16, 32]);
        assert!(nearest_divisors(0, 8).is_empty());
        assert_eq!(nearest_divisors(i64::MAX, i64::MAX).len(), 1);
        assert_eq!(nearest_divisors(7, -3), [1]);
    }
}
