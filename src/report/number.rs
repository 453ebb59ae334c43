//! Numbers as text: one function for JSON, command line and page (DESIGN 3.1), and the display of memory amounts.

use crate::decimal;
use crate::units::Bytes;

/// No-break space: a figure and its unit stay on one line.
const NO_BREAK_SPACE: char = '\u{a0}';
/// The minus of display text; JSON and everything that is read back uses the hyphen.
const MINUS: char = '\u{2212}';

/// The shortest decimal that reads back to the same double, without exponent. Both zeros are `0`; what is no number (it
/// cannot stand in JSON) is `null`.
pub fn shortest(value: f64) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    // No sign on the negative zero: JavaScript prints it as 0 too.
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", decimal::shortest(value).plain())
}

/// The unit memory is shown in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MemoryUnit {
    /// Binary gigabytes, 2^30 bytes.
    #[default]
    Gib,
    /// Decimal gigabytes, 10^9 bytes.
    Gb,
}

impl MemoryUnit {
    /// `GiB` or `GB`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gib => "GiB",
            Self::Gb => "GB",
        }
    }

    /// An amount in this unit.
    pub fn of(self, bytes: Bytes) -> f64 {
        match self {
            Self::Gib => bytes.gib(),
            Self::Gb => bytes.gb(),
        }
    }
}

/// How many digits stand behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Decimals {
    /// None: scale marks.
    Zero,
    /// One: verdicts and bars.
    #[default]
    One,
    /// Two: tables.
    Two,
}

impl Decimals {
    const fn count(self) -> u32 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// An amount for reading, without its unit: `65.8`, `−0.4`; a true minus, and no minus on what rounds to zero.
pub fn amount(bytes: Bytes, unit: MemoryUnit, decimals: Decimals) -> String {
    let text = decimal::fixed(unit.of(bytes), decimals.count());
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0') => format!("{MINUS}{digits}"),
        Some(digits) => digits.to_owned(),
        None => text,
    }
}

/// What has more digits before the point than this is written with an exponent where room is scarce.
const LARGEST_WRITTEN_OUT: f64 = 99_999.0;

/// An amount for reading in a place with little room: [`amount`], or `1.2e9` where that would be long.
pub fn amount_within(bytes: Bytes, unit: MemoryUnit, decimals: Decimals) -> String {
    let count = unit.of(bytes);
    if count.abs() <= LARGEST_WRITTEN_OUT { amount(bytes, unit, decimals) } else { scientific(count) }
}

/// A large number by its first two figures and its power of ten.
fn scientific(count: f64) -> String {
    let (mut mantissa, mut power) = (count, 0_u32);
    // What rounds to ten of one power is one of the next. Nothing else ends where there is no end.
    while mantissa.abs() >= 9.95 && power < 400 {
        mantissa /= 10.0;
        power += 1;
    }
    read(format!("{}e{power}", decimal::fixed(mantissa, 1)))
}

/// An amount for reading with its unit, on one line: `65.8 GiB`.
pub fn amount_with_unit(bytes: Bytes, unit: MemoryUnit, decimals: Decimals) -> String {
    format!("{}{NO_BREAK_SPACE}{}", amount(bytes, unit, decimals), unit.name())
}

/// A change for reading: always with its sign, `+0.4`, `−1.2`; no sign on what rounds to zero.
pub fn change(bytes: Bytes, unit: MemoryUnit, decimals: Decimals) -> String {
    let text = amount(bytes, unit, decimals);
    let is_zero = text.bytes().all(|byte| byte == b'0' || byte == b'.');
    if is_zero || text.starts_with(MINUS) { text } else { format!("+{text}") }
}

/// A number for reading, with at most so many digits behind the point: `64`, `38.7`; a true minus.
pub fn rounded(count: f64, decimals: Decimals) -> String {
    let scale = match decimals {
        Decimals::Zero => 1.0,
        Decimals::One => 10.0,
        Decimals::Two => 100.0,
    };
    read(shortest((count * scale).round() / scale))
}

/// A scale mark (`16`, `0.5`, `0.25`): from 1 on at most one decimal, since GB turns the round steps of GiB into long
/// fractions; below, as many digits as its step needs.
pub fn mark(bytes: Bytes, unit: MemoryUnit) -> String {
    let count = unit.of(bytes);
    if count.abs() > LARGEST_WRITTEN_OUT {
        return scientific(count);
    }
    // What a step of tenths leaves in the last digits of a double is no part of the mark.
    let count = (count * 1e10).round() / 1e10;
    if count.abs() >= 1.0 || (count - (count * 10.0).round() / 10.0).abs() < 1e-9 {
        rounded(count, Decimals::One)
    } else {
        read(shortest(count))
    }
}

/// With the minus of display text.
fn read(number: String) -> String {
    match number.strip_prefix('-') {
        Some(digits) => format!("{MINUS}{digits}"),
        None => number,
    }
}

/// A number of parameters for reading: `30.5 B`, `151.9 k`, `512`; kept on one line, with a true minus.
pub fn parameters(count: f64) -> String {
    const STEPS: [(f64, &str); 4] = [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")];
    // What rounds to a thousand of one step is one of the next.
    match STEPS.into_iter().find(|(step, _)| count.abs() >= 0.999_95 * step) {
        Some((step, letter)) => read(format!("{}{NO_BREAK_SPACE}{letter}", decimal::fixed(count / step, 1))),
        None => rounded(count, Decimals::Zero),
    }
}

/// A whole number in groups of three, kept on one line: `131 072`.
pub fn grouped(count: f64) -> String {
    let digits = decimal::fixed(count.abs(), 0);
    let mut text = String::new();
    if count < 0.0 {
        text.push(MINUS);
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::GIB;

    #[test]
    fn the_shortest_decimal_reads_back_and_has_no_exponent() {
        let values = [
            0.1,
            1.0 / 3.0,
            1e21,
            1.5e300,
            5e-324,
            1e-7,
            70_700_298_240.0,
            9_007_199_254_740_993.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            -218_000_000_000.5,
        ];
        for value in values {
            let text = shortest(value);
            assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(value.to_bits()), "{text}");
            assert!(!text.contains(['e', 'E']), "{text}");
        }
        assert_eq!(shortest(1.0), "1");
        assert_eq!(shortest(0.30), "0.3");
        assert_eq!(shortest(-0.0), "0");
        assert_eq!(shortest(1e21), "1000000000000000000000");
        assert_eq!(shortest(f64::NAN), "null");
        assert_eq!(shortest(f64::NEG_INFINITY), "null");
    }

    #[test]
    fn parameters_read_well() {
        let texts = [30_532_122_624.0, 129_280.0, -7168.0, 512.0, 999_960.0, 0.0].map(parameters);
        let expected = ["30.5\u{a0}B", "129.3\u{a0}k", "\u{2212}7.2\u{a0}k", "512", "1.0\u{a0}M", "0"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn amounts_read_well() {
        let gib = |count: f64| Bytes::new(count * GIB);
        assert_eq!(amount_with_unit(gib(65.84), MemoryUnit::Gib, Decimals::One), "65.8\u{a0}GiB");
        assert_eq!(amount(gib(-218.0), MemoryUnit::Gb, Decimals::Two), "\u{2212}234.08");
        assert_eq!(amount(gib(-0.01), MemoryUnit::Gib, Decimals::One), "0.0");
        assert_eq!(change(gib(0.5), MemoryUnit::Gib, Decimals::One), "+0.5");
        assert_eq!(change(gib(-0.5), MemoryUnit::Gib, Decimals::One), "\u{2212}0.5");
        assert_eq!(change(gib(0.01), MemoryUnit::Gib, Decimals::One), "0.0");
        assert_eq!(mark(gib(16.0), MemoryUnit::Gib), "16");
        assert_eq!(mark(gib(1.0), MemoryUnit::Gb), "1.1");
        assert_eq!(rounded(-1.005, Decimals::One), "\u{2212}1");
        assert_eq!(mark(gib(-0.25), MemoryUnit::Gib), "\u{2212}0.25");
        assert_eq!(mark(Bytes::new(150_000_000.000_000_03), MemoryUnit::Gb), "0.15");
        assert_eq!(mark(Bytes::new(GIB / 1024.0), MemoryUnit::Gib), "0.0009765625");
        assert_eq!(mark(gib(1e12), MemoryUnit::Gib), "1.0e12");
        assert_eq!(amount_within(gib(99_999.0), MemoryUnit::Gib, Decimals::One), "99999.0");
        assert_eq!(amount_within(gib(-123_456.0), MemoryUnit::Gib, Decimals::One), "\u{2212}1.2e5");
        assert_eq!(amount_within(gib(999_999.0), MemoryUnit::Gib, Decimals::One), "1.0e6");
        assert_eq!(amount_within(gib(1e290), MemoryUnit::Gib, Decimals::One), "1.0e290");
        assert_eq!(grouped(1_311_072.0), "1\u{202f}311\u{202f}072");
        assert_eq!(grouped(-12.0), "\u{2212}12");
    }
}
