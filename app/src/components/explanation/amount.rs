//! Numbers of an explanation for reading.

use shardmem::memory::reference;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, grouped};
use shardmem::report::why::number;
use shardmem::units::Bytes;

/// Smaller amounts would be read as nothing.
const LEAST: f64 = 0.01;
/// From here on not every whole number is a double.
const MOST: f64 = 9_007_199_254_740_992.0;

/// Whether the number of an id is an amount of memory.
pub(super) fn is_bytes(id: &str) -> bool {
    reference::is_bytes(id)
}

/// A number as it stands in lines and formulas: an amount in the reader's unit, everything else in full.
pub(super) fn in_words(id: &str, value: f64, unit: MemoryUnit) -> String {
    let bytes = Bytes::new(value);
    if !is_bytes(id) {
        plain(value)
    } else if unit.of(bytes).abs() >= LEAST || value == 0.0 {
        amount_with_unit(bytes, unit, Decimals::Two)
    } else {
        format!("{}\u{a0}B", plain(value))
    }
}

/// A number in full: digits in groups where it is whole, else to five of them.
pub(super) fn plain(value: f64) -> String {
    if is_whole(value) { grouped(value) } else { number(value) }
}

/// An exact number of bytes.
pub(super) fn whole(value: f64) -> String {
    if is_whole(value) { grouped(value) } else { shardmem::report::number::shortest(value) }
}

fn is_whole(value: f64) -> bool {
    value.abs() < MOST && value.fract() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_a_unit_and_counts_in_full() {
        let unit = MemoryUnit::Gib;
        assert_eq!(in_words("total", 70_693_773_312.0, unit), "65.84\u{a0}GiB");
        assert_eq!(in_words("static.total", 14_336.0, unit), "14\u{202f}336\u{a0}B");
        assert_eq!(in_words("reserve", 0.0, unit), "0.00\u{a0}GiB");
        assert_eq!(in_words("h", 7168.0, unit), "7\u{202f}168");
        assert_eq!(in_words("cap_fact", 1.25, unit), "1.25");
        assert_eq!(whole(-218.5), "-218.5");
    }
}
