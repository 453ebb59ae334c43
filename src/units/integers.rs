//! Whole-number arithmetic as Python does it, without its failures.

/// Python's `a // b`: rounds towards minus infinity. By zero, where Python raises, it is 0.
pub(crate) const fn floor_div(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let quotient = a.saturating_div(b);
    // `%` overflows for the one pair whose quotient saturates; that quotient is exact but for the saturation.
    if a.wrapping_rem(b) != 0 && ((a < 0) != (b < 0)) { quotient - 1 } else { quotient }
}

/// Python's `a % b`: has the divisor's sign. By zero, where Python raises, it is 0.
pub(crate) const fn floor_mod(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && ((remainder < 0) != (b < 0)) { remainder + b } else { remainder }
}

/// Python's `math.gcd`: never negative; `gcd(0, b)` is `b`.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(i64::MAX)
}

/// The product of several counts; saturates.
pub(crate) const fn product<const N: usize>(factors: [i64; N]) -> i64 {
    let mut product: i64 = 1;
    let mut at = 0;
    while at < N {
        product = product.saturating_mul(factors[at]);
        at += 1;
    }
    product
}

/// The larger of a count and 1.
pub(crate) const fn at_least_one(count: i64) -> i64 {
    if count < 1 { 1 } else { count }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divides_as_python() {
        let expected = [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -2, -3, 0), (5, 0, 0, 0)];
        for (a, b, quotient, remainder) in expected {
            assert_eq!((floor_div(a, b), floor_mod(a, b)), (quotient, remainder), "{a} by {b}");
        }
        assert_eq!(floor_div(i64::MIN, -1), i64::MAX);
        assert_eq!(floor_mod(i64::MIN, -1), 0);
    }

    #[test]
    fn gcd_is_pythons_on_zeros_and_negatives() {
        assert_eq!((gcd(0, 0), gcd(0, 6), gcd(-4, 6), gcd(12, -18)), (0, 6, 2, 6));
        assert_eq!(gcd(i64::MIN, 0), i64::MAX);
    }
}
