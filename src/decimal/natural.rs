//! Whole numbers of any length.

use std::cmp::Ordering;
use std::fmt::Write;

/// A whole number from 0, least significant limb first, without leading zero limbs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Natural {
    limbs: Vec<u32>,
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Self { limbs: vec![low(number), low(number >> 32)] }.trimmed()
    }
}

impl Natural {
    /// Reads digits of a base up to 16, with blanks around them as Python allows; nothing where there are none or others.
    pub fn parse(digits: &str, base: u32) -> Option<Self> {
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
    #[must_use]
    pub fn times_plus(mut self, factor: u32, addend: u32) -> Self {
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

    /// This number times ten to the power of `exponent`.
    #[must_use]
    pub fn times_power_of_ten(self, exponent: u32) -> Self {
        let by_nines = (0..exponent / 9).fold(self, |number, _| number.times_plus(1_000_000_000, 0));
        by_nines.times_plus(10_u32.pow(exponent % 9), 0)
    }

    /// This number times two to the power of `bits`.
    #[must_use]
    pub fn times_power_of_two(mut self, bits: u32) -> Self {
        let mut limbs = vec![0; bits as usize / 32];
        limbs.append(&mut self.limbs);
        Self { limbs }.times_plus(1 << (bits % 32), 0).trimmed()
    }

    /// The sum.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
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

    /// Takes `other` away where it is not larger, and says whether it was taken.
    pub(super) fn take(&mut self, other: &Self) -> bool {
        if self.compare(other) == Ordering::Less {
            return false;
        }
        let mut borrow = 0;
        for (at, limb) in self.limbs.iter_mut().enumerate() {
            // Wraps below zero, and the high half then says that one must be borrowed.
            let difference = u64::from(*limb)
                .wrapping_sub(u64::from(other.limbs.get(at).copied().unwrap_or(0)))
                .wrapping_sub(borrow);
            *limb = low(difference);
            borrow = u64::from(difference >> 32 != 0);
        }
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        true
    }

    /// Which of two is larger.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let by_length = self.limbs.len().cmp(&other.limbs.len());
        by_length.then_with(|| self.limbs.iter().rev().cmp(other.limbs.iter().rev()))
    }

    /// How many binary digits it has; 0 has none.
    pub(super) fn bits(&self) -> i32 {
        let bits = self.limbs.last().map_or(0, |top| self.limbs.len() * 32 - top.leading_zeros() as usize);
        i32::try_from(bits).unwrap_or(i32::MAX)
    }

    /// The decimal digits, nine at a time.
    pub fn decimal(&self) -> String {
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

    /// Without leading zero limbs.
    fn trimmed(mut self) -> Self {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
        self
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
    }

    #[test]
    fn powers() {
        assert_eq!(Natural::from(7).times_power_of_ten(20).decimal(), "700000000000000000000");
        assert_eq!(Natural::from(3).times_power_of_two(64).decimal(), "55340232221128654848");
        assert_eq!(Natural::from(0).times_power_of_two(640), Natural::default());
        assert_eq!((Natural::from(0).bits(), Natural::from(1).bits(), Natural::from(1 << 40).bits()), (0, 1, 41));
    }

    #[test]
    fn takes_away_what_is_not_larger() {
        let mut number = Natural::from(1).times_power_of_two(96);
        assert!(!number.take(&Natural::from(1).times_power_of_two(97)));
        assert!(number.take(&Natural::from(1)));
        assert_eq!(number.decimal(), "79228162514264337593543950335");
        assert!(number.take(&number.clone()));
        assert_eq!(number, Natural::default());
    }
}
