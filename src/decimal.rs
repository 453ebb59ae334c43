//! Doubles and their decimal digits, exactly, both ways.
//!
//! The standard library does the same, faster, with tables and code that would weigh 24 kB of the page; here it is a few
//! lines over whole numbers of any length. The tests hold both against each other.

mod natural;

pub use natural::Natural;

use std::cmp::Ordering;

/// The least power of two of a double.
const LEAST_EXPONENT: i32 = -1074;
/// The bits of a double's fraction.
const FRACTION_BITS: i32 = 52;
/// No more digits than these, and whether anything follows them, decide between two doubles.
const DECIDING_DIGITS: usize = 800;
/// Up to here a power of ten is a double exactly.
const EXACT_POWER: u32 = 22;

/// Digits without leading or trailing zeros, and the power of ten of the first: `[1, 2]` at 3 is 1200. Zero has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digits {
    /// From the largest, each 0 to 9.
    pub digits: Vec<u8>,
    /// The power of ten of the first.
    pub exponent: i32,
}

/// The double nearest to a decimal number, the even one of two: `12`, `-1.5`, `.5`, `1e-5`, `inf`, `nan`. Nothing where the
/// text is none.
pub fn read(text: &str) -> Option<f64> {
    let (sign, magnitude) = match text.as_bytes() {
        [b'-', ..] => (-1.0, &text[1..]),
        [b'+', ..] => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    let special = |names: [&str; 2]| names.iter().any(|name| magnitude.eq_ignore_ascii_case(name));
    if special(["inf", "infinity"]) {
        Some(sign * f64::INFINITY)
    } else if special(["nan", "nan"]) {
        Some(f64::NAN)
    } else {
        Some(sign * nearest(&split(magnitude)?))
    }
}

/// The fewest digits that read back to the same double, those nearest to it; of two equally near, the even one. The sign is
/// left out, and what is not finite has no digits.
pub fn shortest(value: f64) -> Digits {
    let (fraction, exponent) = parts(value);
    if fraction == 0 || !value.is_finite() {
        return Digits { digits: Vec::new(), exponent: 0 };
    }
    Generation::of(fraction, exponent).run(fraction % 2 == 0)
}

/// With so many digits behind the point (at most three), correctly rounded, halves to even; without an exponent.
pub fn fixed(value: f64, decimals: u32) -> String {
    let mut text = String::new();
    push_fixed(&mut text, value, decimals);
    text
}

/// [`fixed`], at the end of a text.
pub fn push_fixed(text: &mut String, value: f64, decimals: u32) {
    debug_assert!(decimals <= 3, "a fraction of 53 bits times the power of ten must fit into 64 bits");
    if !value.is_finite() {
        return text.push_str(value_name(value));
    }
    if value.is_sign_negative() {
        text.push('-');
    }
    let (fraction, exponent) = parts(value);
    let scaled = fraction * 10_u64.pow(decimals);
    let digits = match u32::try_from(exponent) {
        Ok(exponent) => Natural::from(scaled).times_power_of_two(exponent).decimal(),
        Err(_) => shifted_to_even(scaled, exponent.unsigned_abs()).to_string(),
    };
    let decimals = decimals as usize;
    // At least one digit stands before the point.
    let padding = (decimals + 1).saturating_sub(digits.len());
    let whole = digits.len() + padding - decimals;
    for (at, digit) in std::iter::repeat_n('0', padding).chain(digits.chars()).enumerate() {
        if at == whole {
            text.push('.');
        }
        text.push(digit);
    }
}

impl Digits {
    /// As a number without an exponent: `0.05`, `1200`.
    pub fn plain(&self) -> String {
        let least = self.exponent + 1 - i32::try_from(self.digits.len()).unwrap_or(i32::MAX);
        let mut text = String::new();
        for power in (least.min(0)..=self.exponent.max(0)).rev() {
            if power == -1 {
                text.push('.');
            }
            let digit = usize::try_from(self.exponent - power).ok().and_then(|at| self.digits.get(at));
            text.push(char::from(b'0' + digit.copied().unwrap_or(0)));
        }
        text
    }
}

/// How what is not finite is written.
fn value_name(value: f64) -> &'static str {
    match (value.is_nan(), value > 0.0) {
        (true, _) => "NaN",
        (false, true) => "inf",
        (false, false) => "-inf",
    }
}

/// A finite magnitude as a whole number times a power of two.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    match i32::try_from((bits >> FRACTION_BITS) & 0x7ff).unwrap_or(0) {
        0 => (fraction, LEAST_EXPONENT),
        biased => (fraction | (1 << FRACTION_BITS), biased - 1 + LEAST_EXPONENT),
    }
}

/// Divides by a power of two, halves to even.
fn shifted_to_even(number: u64, bits: u32) -> u64 {
    let Some(half) = 1_u64.checked_shl(bits - 1) else { return 0 };
    let whole = number.checked_shr(bits).unwrap_or(0);
    let rest = number & (half | (half - 1));
    match rest.cmp(&half) {
        Ordering::Less => whole,
        Ordering::Equal => whole + whole % 2,
        Ordering::Greater => whole + 1,
    }
}

/// A decimal number: the digits that decide, times a power of ten.
struct Decimal {
    digits: String,
    exponent: i64,
}

/// The parts of digits, a fraction and an exponent; nothing where the text has another form.
fn split(text: &str) -> Option<Decimal> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, written_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let mut exponent = exponent - length(fraction);
    digits.drain(..digits.len() - digits.trim_start_matches('0').len());
    if digits.len() > DECIDING_DIGITS {
        exponent += length(&digits[DECIDING_DIGITS..]) - 1;
        let is_exact = digits[DECIDING_DIGITS..].bytes().all(|digit| digit == b'0');
        digits.truncate(DECIDING_DIGITS);
        digits.push(if is_exact { '0' } else { '1' });
    }
    Some(Decimal { digits, exponent })
}

/// An exponent; beyond what matters it is only large.
fn written_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Longer than every text that can hold digits to outweigh it.
    let size = digits.parse().unwrap_or(i64::MAX).min(1 << 40);
    Some(if text.starts_with('-') { -size } else { size })
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// The double nearest to a decimal number from 0.
fn nearest(decimal: &Decimal) -> f64 {
    let magnitude = length(&decimal.digits) + decimal.exponent;
    if decimal.digits.is_empty() || magnitude < -330 {
        return 0.0;
    }
    if magnitude > 310 {
        return f64::INFINITY;
    }
    // Between these bounds the exponent is small: there are at most so many digits.
    let exponent = i32::try_from(decimal.exponent).unwrap_or(0);
    let power = exponent.unsigned_abs();
    match decimal.digits.parse::<u64>() {
        // Both are doubles exactly, so that one operation rounds correctly.
        Ok(digits) if digits >> (FRACTION_BITS + 1) == 0 && power <= EXACT_POWER => {
            let power = (0..power).fold(1.0, |power, _| power * 10.0);
            if exponent < 0 { digits as f64 / power } else { digits as f64 * power }
        }
        _ => {
            let digits = Natural::parse(&decimal.digits, 10).unwrap_or_default();
            if exponent < 0 {
                quotient(digits, Natural::from(1).times_power_of_ten(power))
            } else {
                quotient(digits.times_power_of_ten(power), Natural::from(1))
            }
        }
    }
}

/// The double nearest to a quotient of numbers from 1.
fn quotient(dividend: Natural, divisor: Natural) -> f64 {
    let ratio = |exponent: i32, dividend: Natural, divisor: Natural| match u32::try_from(exponent) {
        Ok(exponent) => (dividend, divisor.times_power_of_two(exponent)),
        Err(_) => (dividend.times_power_of_two(exponent.unsigned_abs()), divisor),
    };
    // The quotient lies between half and twice the power of two of the difference.
    let estimate = dividend.bits() - divisor.bits();
    let (above, below) = ratio(estimate, dividend.clone(), divisor.clone());
    let top = if above.compare(&below) == Ordering::Less { estimate - 1 } else { estimate };
    if top > 1023 {
        return f64::INFINITY;
    }
    let exponent = (top - FRACTION_BITS).max(LEAST_EXPONENT);
    let (mut rest, divisor) = ratio(exponent, dividend, divisor);
    // One binary digit at a time, from that of 2^53.
    let divisor = divisor.times_power_of_two(53);
    let mut fraction: u64 = 0;
    for _ in 0..=53 {
        fraction = fraction * 2 + u64::from(rest.take(&divisor));
        rest = rest.times_plus(2, 0);
    }
    fraction += match rest.compare(&divisor) {
        Ordering::Less => 0,
        Ordering::Equal => fraction % 2,
        Ordering::Greater => 1,
    };
    fraction as f64 * power_of_two(exponent)
}

/// A power of two that is a double.
fn power_of_two(exponent: i32) -> f64 {
    let bits = match u64::try_from(exponent + 1023) {
        Ok(biased) if biased > 0 => biased << FRACTION_BITS,
        Ok(_) | Err(_) => 1 << (exponent - LEAST_EXPONENT),
    };
    f64::from_bits(bits)
}

/// Steele and White's generation of the shortest digits: `rest / scale` is what is still to be written, `below / scale` and
/// `above / scale` how far another number may be and still read back.
struct Generation {
    rest: Natural,
    scale: Natural,
    below: Natural,
    above: Natural,
    exponent: i32,
}

impl Generation {
    /// Of a fraction other than 0 times a power of two.
    fn of(fraction: u64, exponent: i32) -> Self {
        let up = u32::try_from(exponent).unwrap_or(0);
        let down = u32::try_from(-exponent).unwrap_or(0);
        // Below a power of two the doubles lie twice as close; halves of the distances are counted, so one bit more.
        let is_closer_below = fraction == 1 << FRACTION_BITS && exponent > LEAST_EXPONENT;
        let finer = u32::from(is_closer_below);
        let below = Natural::from(1).times_power_of_two(up);
        // At most the logarithm, and less than one below it.
        let bits = i64::from(64 - fraction.leading_zeros()) + i64::from(exponent) - 1;
        let estimate = i32::try_from((bits * 1_292_913_986) >> 32).unwrap_or(0);
        let (larger, smaller) = (u32::try_from(estimate).unwrap_or(0), u32::try_from(-estimate).unwrap_or(0));
        Self {
            rest: Natural::from(fraction).times_power_of_two(up + 1 + finer).times_power_of_ten(smaller),
            scale: Natural::from(1).times_power_of_two(down + 1 + finer).times_power_of_ten(larger),
            above: below.clone().times_power_of_two(finer).times_power_of_ten(smaller),
            below: below.times_power_of_ten(smaller),
            exponent: estimate,
        }
    }

    /// The digits. Where the double is even, the borders read back too.
    fn run(mut self, with_borders: bool) -> Digits {
        let border = if with_borders { Ordering::Less } else { Ordering::Equal };
        // `true` from the border on, or past it.
        let reaches = |one: &Natural, other: &Natural| one.compare(other) > border;
        let ten = |scale: Natural| scale.times_plus(10, 0);
        while reaches(&self.rest.clone().plus(&self.above), &ten(self.scale.clone())) {
            self.scale = ten(self.scale);
            self.exponent += 1;
        }
        let mut digits = Vec::new();
        loop {
            let mut digit = 0;
            while self.rest.take(&self.scale) {
                digit += 1;
            }
            let may_stay = reaches(&self.below, &self.rest);
            let may_rise = reaches(&self.rest.clone().plus(&self.above), &self.scale);
            if may_stay || may_rise {
                let nearer = match self.rest.times_plus(2, 0).compare(&self.scale) {
                    Ordering::Less => 0,
                    Ordering::Equal => digit % 2,
                    Ordering::Greater => 1,
                };
                digits.push(digit + if may_stay && may_rise { nearer } else { u8::from(may_rise) });
                return Digits { digits, exponent: self.exponent };
            }
            digits.push(digit);
            self.rest = ten(self.rest);
            self.below = ten(self.below);
            self.above = ten(self.above);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles of every size, and those at which the rules change.
    fn doubles() -> Vec<f64> {
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut doubles: Vec<f64> = (0..2_000).map(|_| f64::from_bits(random())).collect();
        doubles.extend((0..2_000).map(|_| (random() >> 11) as f64 / 4096.0));
        doubles.extend((0..500).map(|_| (random() % 100_000) as f64 / 1000.0));
        for exponent in LEAST_EXPONENT..=1023 {
            let power = power_of_two(exponent);
            doubles.extend([power, power.next_up(), power.next_down()]);
        }
        for exponent in -323..=308 {
            let power: f64 = format!("1e{exponent}").parse().unwrap();
            doubles.extend([power, power.next_up(), power.next_down(), power * 5.0]);
        }
        doubles.extend([0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        doubles
    }

    fn same(one: f64, other: f64) -> bool {
        one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
    }

    #[test]
    fn shortest_digits_are_those_of_the_standard_library() {
        let mut ties = 0;
        for value in doubles().into_iter().filter(|value| value.is_finite()) {
            let plain = shortest(value).plain();
            let expected = format!("{}", value.abs());
            if plain != expected {
                // Equally near and as short: the standard library rounds up, Python and JavaScript to even.
                assert_eq!((plain.len(), plain.parse()), (expected.len(), Ok(value.abs())), "{expected}");
                ties += 1;
            }
        }
        assert!(ties < 60, "{ties} differ");
    }

    #[test]
    fn fixed_digits_are_those_of_the_standard_library() {
        for value in doubles() {
            for decimals in 0..=3 {
                assert_eq!(fixed(value, decimals), format!("{value:.*}", decimals as usize));
            }
        }
    }

    #[test]
    fn halves_go_to_even() {
        assert_eq!([0.5, 1.5, 2.5].map(|value| fixed(value, 0)), ["0", "2", "2"]);
        assert_eq!([0.25, 0.35, -0.04].map(|value| fixed(value, 1)), ["0.2", "0.3", "-0.0"]);
    }

    #[test]
    fn reads_what_the_standard_library_reads() {
        for value in doubles() {
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:.17e}"), format!("{value:.3}")] {
                let expected: f64 = text.parse().unwrap();
                assert!(read(&text).is_some_and(|read| same(read, expected)), "{text}");
            }
        }
    }

    #[test]
    fn reads_what_lies_between_two_doubles() {
        for value in doubles().into_iter().filter(|value| value.is_finite()).step_by(17) {
            // Exactly halfway to the next, and a digit above and below it.
            let (fraction, exponent) = parts(value);
            let half = Natural::from(fraction * 2 + 1);
            let text = if let Ok(exponent) = u32::try_from(exponent - 1) {
                half.times_power_of_two(exponent).decimal()
            } else {
                let power = (exponent - 1).unsigned_abs();
                let fives = (0..power).fold(half, |half, _| half.times_plus(5, 0));
                format!("{}e-{power}", fives.decimal())
            };
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            for text in [
                format!("{mantissa}e{exponent}"),
                format!("{mantissa}.0001e{exponent}"),
                format!("{mantissa}.{}1e{exponent}", "0".repeat(900)),
            ] {
                let expected: f64 = text.parse().unwrap();
                assert!(read(&text).is_some_and(|read| same(read, expected)), "{text}");
            }
        }
    }

    #[test]
    fn reads_every_spelling() {
        for text in [
            "0",
            "-0",
            "007",
            "1.",
            ".5",
            "-.5",
            "+3",
            "1e5",
            "1E-5",
            "1e+05",
            "0e99999999999999999999",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "inf",
            "-Infinity",
            "NaN",
            "+nan",
            "123456789012345678901234567890",
            "0.000000000000000000000000001",
            "",
            ".",
            "-",
            "+",
            "e5",
            "1e",
            "1e+",
            "1.2.3",
            "1_0",
            " 1",
            "1 ",
            "0x10",
            "infinit",
            "--1",
            "1e5.0",
            "１",
        ] {
            let expected = text.parse::<f64>().ok();
            let read = read(text);
            assert!(
                match (read, expected) {
                    (Some(one), Some(other)) => same(one, other),
                    (one, other) => one.is_none() && other.is_none(),
                },
                "{text}: {read:?}, {expected:?}"
            );
        }
    }

    #[test]
    fn long_texts_are_read_in_bounded_time() {
        let zeros = "0".repeat(1 << 20);
        assert_eq!(read(&format!("0.{zeros}1e{}", (1 << 20) + 1)), Some(1.0));
        assert_eq!(read(&format!("1{zeros}e-{}", 1 << 20)), Some(1.0));
        assert_eq!(read(&"9".repeat(1 << 20)), Some(f64::INFINITY));
    }
}
