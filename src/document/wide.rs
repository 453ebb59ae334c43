//! Whole numbers of any length, as Python has them: just enough to read one and print its decimal digits.

use super::node::Value;
use std::fmt::Write;

/// A whole number from 0, least significant limb first, without leading zero limbs.
#[derive(Debug, Clone, Default)]
pub(super) struct Natural {
    limbs: Vec<u32>,
}

impl Natural {
    pub(super) fn one() -> Self {
        Self { limbs: vec![1] }
    }

    /// Reads digits of a base up to 16, with blanks around them as Python allows; nothing where there are none or others.
    pub(super) fn parse(digits: &str, base: u32) -> Option<Self> {
        let digits = digits.trim();
        if digits.is_empty() {
            return None;
        }
        digits
            .chars()
            .map(|digit| digit.to_digit(base))
            .try_fold(Self::default(), |number, digit| Some(number.times_plus(base, digit?)))
    }

    /// This number times `factor` plus `addend`.
    pub(super) fn times_plus(mut self, factor: u32, addend: u32) -> Self {
        let mut carry = u64::from(addend);
        for limb in &mut self.limbs {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = low(carry);
            carry >>= 32;
        }
        if carry > 0 {
            self.limbs.push(low(carry));
        }
        self
    }

    /// The sum.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        self.limbs.resize(self.limbs.len().max(other.limbs.len()), 0);
        let mut carry = 0;
        for (at, limb) in self.limbs.iter_mut().enumerate() {
            carry += u64::from(*limb) + u64::from(other.limbs.get(at).copied().unwrap_or(0));
            *limb = low(carry);
            carry >>= 32;
        }
        if carry > 0 {
            self.limbs.push(low(carry));
        }
        self
    }

    /// The nearest double; nothing past their range.
    pub(super) fn to_double(&self) -> Option<f64> {
        self.decimal().parse().ok().filter(|double: &f64| double.is_finite())
    }

    /// The value, narrow where it fits.
    pub(super) fn into_value(self, negative: bool) -> Value {
        let mut digits = self.decimal();
        if negative && digits != "0" {
            digits.insert(0, '-');
        }
        digits.parse().map_or_else(|_| Value::WideInteger(digits.as_str().into()), Value::Integer)
    }

    /// The decimal digits, nine at a time.
    fn decimal(&self) -> String {
        let mut limbs = self.limbs.clone();
        let mut groups = Vec::new();
        while !limbs.is_empty() {
            let mut remainder = 0;
            for limb in limbs.iter_mut().rev() {
                let dividend = (remainder << 32) | u64::from(*limb);
                *limb = low(dividend / 1_000_000_000);
                remainder = dividend % 1_000_000_000;
            }
            groups.push(remainder);
            while limbs.last() == Some(&0) {
                limbs.pop();
            }
        }
        let mut digits = groups.pop().unwrap_or(0).to_string();
        for group in groups.iter().rev() {
            let _ = write!(digits, "{group:09}");
        }
        digits
    }
}

/// The low half.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).expect("masked to 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints_numbers_of_any_length() {
        for (digits, base, expected) in [
            ("0", 10, "0"),
            ("000", 8, "0"),
            ("10000", 8, "4096"),
            ("ffffffffffffffffffffffff", 16, "79228162514264337593543950335"),
            ("1000000000000000000000000000", 10, "1000000000000000000000000000"),
            ("1000000000", 10, "1000000000"),
        ] {
            assert_eq!(Natural::parse(digits, base).map(|natural| natural.decimal()).as_deref(), Some(expected));
        }
        assert!(Natural::parse("", 10).is_none());
        assert!(Natural::parse("12a", 10).is_none());
        let least = Natural::parse("9223372036854775808", 10).map(|natural| natural.into_value(true));
        assert_eq!(least, Some(Value::Integer(i64::MIN)));
    }
}
