//! The set of live tensors while operators run: running totals an item, and the largest total after any birth.

use super::slots::{Amounts, Slot};

/// A number with the symbol that formulas write it by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dim {
    /// The number.
    pub value: f64,
    /// Its symbol in the specification (ledger 1).
    pub symbol: &'static str,
}

impl Dim {
    /// A number under a symbol.
    pub(super) const fn new(symbol: &'static str, value: f64) -> Self {
        Self { value, symbol }
    }

    /// One, which no formula writes.
    pub(super) const ONE: Self = Self::new("", 1.0);
}

/// The bytes of a tensor as a product: bytes an element (or a small factor of them), a width, and how many rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// Bytes an element times a count.
    pub factor: f64,
    /// Elements of a row, or of a weight.
    pub width: Dim,
    /// Rows: tokens, a sequence, …
    pub rows: Dim,
}

impl Size {
    /// A product of three.
    pub(super) const fn new(factor: f64, width: Dim, rows: Dim) -> Self {
        Self { factor, width, rows }
    }

    /// The number of bytes.
    pub(super) const fn bytes(self) -> f64 {
        self.factor * self.width.value * self.rows.value
    }
}

/// A live tensor. Who holds it lets it die by [`Bench::dies`]; nobody else knows of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tensor {
    pub(super) slot: Slot,
    pub(super) bytes: f64,
    id: u32,
}

impl Tensor {
    /// No tensor: nothing is born, nothing dies.
    pub(super) const NONE: Self = Self { slot: Slot::Forward, bytes: 0.0, id: u32::MAX };
}

/// Hears of every birth and death: nothing for numbers, a list for explanations.
pub(super) trait Observer {
    /// A tensor was born, and is given a number.
    fn born(&mut self, slot: Slot, name: &'static str, size: Size) -> u32;
    /// A tensor died.
    fn died(&mut self, id: u32);
    /// A tensor is booked under another item from now on.
    fn rebooked(&mut self, id: u32, slot: Slot);
    /// The live set is larger than ever before.
    fn peaked(&mut self);
    /// A piece of the walk is over; what is live now was there before the next one.
    fn cut(&mut self);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Silent;

impl Observer for Silent {
    fn born(&mut self, _: Slot, _: &'static str, _: Size) -> u32 {
        0
    }
    fn died(&mut self, _: u32) {}
    fn rebooked(&mut self, _: u32, _: Slot) {}
    fn peaked(&mut self) {}
    fn cut(&mut self) {}
}

/// What a piece of a walk does to the live set, whatever else is alive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    /// How far the total rises above what it is before; minus infinity where nothing is born.
    pub rise: f64,
    /// What has come (or gone) at that moment.
    pub at: Amounts,
    /// What has come (or gone) when the piece is over.
    pub net: Amounts,
    /// The same of all items together.
    pub(super) net_total: f64,
}

/// Walks operators from an empty live set and takes their pieces apart.
#[derive(Debug)]
pub(super) struct Bench<O> {
    now: Amounts,
    total: f64,
    start: Amounts,
    start_total: f64,
    largest: f64,
    at: Amounts,
    /// Who hears of births and deaths.
    pub observer: O,
}

impl<O: Observer> Bench<O> {
    /// An empty live set.
    pub(super) fn new(observer: O) -> Self {
        Self {
            now: Amounts::ZERO,
            total: 0.0,
            start: Amounts::ZERO,
            start_total: 0.0,
            largest: f64::NEG_INFINITY,
            at: Amounts::ZERO,
            observer,
        }
    }

    /// A tensor is born.
    pub(super) fn born(&mut self, slot: Slot, name: &'static str, size: Size) -> Tensor {
        let bytes = size.bytes();
        self.now[slot] += bytes;
        self.total += bytes;
        let id = self.observer.born(slot, name, size);
        if self.total > self.largest {
            self.largest = self.total;
            self.at = self.now;
            self.observer.peaked();
        }
        Tensor { slot, bytes, id }
    }

    /// A tensor dies.
    pub(super) fn dies(&mut self, tensor: Tensor) {
        self.now[tensor.slot] -= tensor.bytes;
        self.total -= tensor.bytes;
        self.observer.died(tensor.id);
    }

    /// All of them die.
    pub(super) fn all_die(&mut self, tensors: &[Tensor]) {
        for tensor in tensors {
            self.dies(*tensor);
        }
    }

    /// A tensor is booked under another item.
    pub(super) fn rebook(&mut self, tensor: Tensor, slot: Slot) -> Tensor {
        self.now[tensor.slot] -= tensor.bytes;
        self.now[slot] += tensor.bytes;
        self.observer.rebooked(tensor.id, slot);
        Tensor { slot, ..tensor }
    }

    /// Ends a piece.
    pub(super) fn cut(&mut self) -> Segment {
        let (mut at, mut net) = (self.at, self.now);
        at -= &self.start;
        net -= &self.start;
        let rise = self.largest - self.start_total;
        let net_total = self.total - self.start_total;
        self.start = self.now;
        self.start_total = self.total;
        self.largest = f64::NEG_INFINITY;
        self.observer.cut();
        Segment { rise, at, net, net_total }
    }
}
