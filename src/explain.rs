//! One formula, two readings: written once over [`Quantity`], a formula yields a plain number (for everything drawn and
//! swept) or the [`Tree`] that explains it (for the one number that a reader opens). DESIGN 2.2.

mod arena;
mod tables;
mod tape;
mod tree;

pub use tables::{Described, Formula, Symbol};
pub use tree::{Child, Detail, Expression, Function, Leaf, Step, Tree, What};

pub(crate) use tables::{fields, formulas};
pub(crate) use tape::{Scope, Tape, Term};

use std::ops::{Add, Div, Mul, Sub};

/// Equal nodes of a stage, of which a sum takes `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The kind of layer, or `embedding` or `output`.
    pub kind: &'static str,
    /// The letter of the placement string: what the nodes recompute.
    pub letter: char,
    /// Which chunk of the stage, from 0.
    pub chunk: usize,
    /// How many there are.
    pub count: u32,
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
    /// Whether it explains: what numbers know already is made anew by its rule.
    const EXPLAINS: bool = false;

    /// What a literal needs to come into being: nothing for numbers, the tape for explanations.
    type Context: Copy;

    /// A literal.
    fn literal(context: Self::Context, value: f64) -> Self;

    /// A number that the config holds, with its symbol.
    fn leaf(context: Self::Context, _symbol: Symbol, value: f64) -> Self {
        Self::literal(context, value)
    }

    /// The number.
    fn number(self) -> f64;

    /// The larger of two.
    #[must_use]
    fn larger(self, other: Self) -> Self;

    /// The smaller of two.
    #[must_use]
    fn smaller(self, other: Self) -> Self;

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

    /// Says which nodes of a stage a summand stands for.
    #[must_use]
    fn of(self, _group: Group) -> Self {
        self
    }

    /// Adds `layer` `times` over, one after the other: equal nodes are evaluated once and *added* (memory-core 19), so
    /// that truncated figures equal the reference's bits.
    #[must_use]
    fn add_times(self, layer: Self, times: u32) -> Self {
        (0..times).fold(self, |sum, _| sum + layer)
    }
}

/// Numbers of a config as another quantity, each under the symbol in its place.
pub(crate) fn lift<V: Quantity, const N: usize>(
    context: V::Context,
    symbols: &'static [Symbol],
    numbers: [f64; N],
) -> [V; N] {
    std::array::from_fn(|at| V::leaf(context, symbols[at], numbers[at]))
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

    fn smaller(self, other: Self) -> Self {
        self.min(other)
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
