//! Nearest spellings and nearest legal values.

/// The candidate one slip away from `word`: an edit distance of 1, or of 2 in a word of eight letters or more.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = if word.chars().count() >= 8 { 2 } else { 1 };
    let letters = letters(word);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= 2 && *candidate != word)
        // A slip changes at most two of the letters that occur; most candidates are out before the table is made.
        .filter(|candidate| (self::letters(candidate) ^ letters).count_ones() <= 4)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Which letters occur, by their last five bits.
fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |letters, byte| letters | 1 << (byte & 31))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = at;
    }
    for (at, cell) in rows[0].iter_mut().enumerate() {
        *cell = at;
    }
    for row in 1..=from.len() {
        for column in 1..=to.len() {
            let replaced = rows[row - 1][column - 1] + usize::from(from[row - 1] != to[column - 1]);
            let mut best = replaced.min(rows[row - 1][column] + 1).min(rows[row][column - 1] + 1);
            let swapped = row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1];
            if swapped {
                best = best.min(rows[row - 2][column - 2] + 1);
            }
            rows[row][column] = best;
        }
    }
    rows[from.len()][to.len()]
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
    fn divisors_around_a_value() {
        assert_eq!(nearest_divisors(32, 3), [2, 4]);
        assert_eq!(nearest_divisors(4, 8), [4]);
        assert_eq!(nearest_divisors(128, 24), [16, 32]);
        assert!(nearest_divisors(0, 8).is_empty());
        assert_eq!(nearest_divisors(i64::MAX, i64::MAX).len(), 1);
        assert_eq!(nearest_divisors(7, -3), [1]);
    }
}
