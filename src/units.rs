//! Quantities with a unit, as doubles: the reference computes in IEEE doubles, with fractions.

pub(crate) mod integers;
pub(crate) mod intervals;

use std::iter::Sum;
use std::ops::{Add, Sub};

/// Bytes on one device; may be fractional, and negative where the reference's formulas are (memory-core 2.6).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Bytes(f64);

/// Bytes of a binary gigabyte, 2^30.
pub const GIB: f64 = 1_073_741_824.0;
/// Bytes of a decimal gigabyte, 10^9.
pub const GB: f64 = 1e9;

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0.0);

    /// A number of bytes.
    pub const fn new(bytes: f64) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// In binary gigabytes (2^30 bytes).
    pub fn gib(self) -> f64 {
        self.0 / GIB
    }

    /// In decimal gigabytes (10^9 bytes).
    pub fn gb(self) -> f64 {
        self.0 / GB
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}
