//! One formula, two readings: written once over [`Quantity`], a formula yields a plain number (for everything drawn and
//! swept) or, later, an explained tree. The shape and its cost: research of the project, DESIGN 2.2.

use std::ops::{Add, Div, Mul, Sub};

/// A formula of the reference, with the place it follows.
#[derive(Debug, PartialEq, Eq)]
pub struct Formula {
    /// Stable kebab-case id.
    pub id: &'static str,
    /// The section of the specification it follows.
    pub reference: &'static str,
}

/// What a formula yields: a number, or a node of its explanation.
///
/// Rules: branch on plain facts (enums, flags, integers), never on a quantity, and say `because` in each branch; a literal
/// stands on the right (`heads * 0.25`); do not regroup products, the printed figures depend on the bits.
pub trait Quantity:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// What a literal needs to come into being: nothing for numbers, the tape for explanations.
    type Context: Copy;

    /// A literal.
    fn literal(context: Self::Context, value: f64) -> Self;

    /// The number.
    fn number(self) -> f64;

    /// The larger of two.
    #[must_use]
    fn larger(self, other: Self) -> Self;

    /// Marks a step worth a line of its own.
    #[must_use]
    fn named(self, _formula: &'static Formula) -> Self {
        self
    }

    /// Says which case applied.
    #[must_use]
    fn because(self, _case: &'static str) -> Self {
        self
    }

    /// Adds `layer` `times` over, one after the other: equal nodes are evaluated once and *added* (memory-core 19), so
    /// that truncated figures equal the reference's bits.
    #[must_use]
    fn add_times(self, layer: Self, times: u32) -> Self {
        (0..times).fold(self, |sum, _| sum + layer)
    }
}

impl Quantity for f64 {
    type Context = ();

    fn literal((): (), value: f64) -> Self {
        value
    }

    fn number(self) -> f64 {
        self
    }

    fn larger(self, other: Self) -> Self {
        self.max(other)
    }

    fn add_times(self, layer: Self, times: u32) -> Self {
        if times <= FEW {
            return (0..times).fold(self, |sum, _| sum + layer);
        }
        let sum = self + layer * f64::from(times);
        // Between whole numbers below 2^53 every addition is exact, and so is the product.
        if is_exact(self) && is_exact(layer) && is_exact(sum) {
            return sum;
        }
        (0..times).fold(self, |sum, _| sum + layer)
    }
}

/// Up to so many additions are cheaper than asking whether a product would do.
const FEW: u32 = 3;

/// Whether a number is whole and small enough that its neighbours are whole too.
fn is_exact(number: f64) -> bool {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "a number outside the range differs from its cast")]
    let whole = number as i64 as f64 == number;
    whole && number.abs() < LIMIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_many_times_gives_the_bits_of_adding_one_by_one() {
        for start in [0.0, 1.0, 0.1, -5e15, 9e15, 1.0 / 3.0, -0.0, f64::MAX, f64::NAN] {
            for layer in [0.0, 7.0, 0.1, 1e14, -1e15, 2.5, f64::INFINITY] {
                for times in [0, 1, 3, 61, 610] {
                    let one_by_one = (0..times).fold(start, |sum, _| sum + layer);
                    let at_once = start.add_times(layer, times);
                    assert!(
                        at_once == one_by_one || (at_once.is_nan() && one_by_one.is_nan()),
                        "{start} {layer} {times}"
                    );
                }
            }
        }
    }
}
