//! The explaining quantity: every operation is written down as a node that refers to its operands.
//!
//! A [`Term`] is one pointer and `Copy`, so formulas need no `clone()`; equal nodes are one node, so that what many layers
//! share is told once, and the size of an explanation follows what differs, not how often it occurs. The operators are
//! not inlined: they stand in every formula, and all of it is in the page's first load.

use super::arena::Arena;
use super::{Formula, Group, Quantity, Symbol};
use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Sub};
use std::ptr;

/// What one explanation is written on.
pub(crate) struct Tape<'t> {
    nodes: Arena<'t, Node<'t>>,
    known: RefCell<Known<'t>>,
}

/// A part of a model on the tape: a leaf of the vision tower is none of the text's.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    tape: &'t Tape<'t>,
    part: usize,
}

/// A number that knows how it came about.
#[derive(Clone, Copy)]
pub(crate) struct Term<'t>(&'t Node<'t>);

/// One operation with its result.
pub(super) struct Node<'t> {
    tape: &'t Tape<'t>,
    pub(super) operation: Operation,
    /// The operands; a literal and a leaf have none, a note has one.
    pub(super) operands: [Option<&'t Self>; 2],
    pub(super) value: f64,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Literal,
    /// A number of the config, and of which part of the model.
    Leaf(Symbol, usize),
    Add,
    Subtract,
    Multiply,
    Divide,
    Larger,
    Smaller,
    /// The greatest common divisor.
    Divisor,
    /// Rounded down.
    Floor,
    /// The second operand is added to the first so many times.
    AddTimes(u32),
    Named(&'static Formula),
    Because(&'static str),
    Of(Group),
}

impl Operation {
    /// How often a sum counts its second operand; none for what is no sum.
    pub(super) fn counts(self) -> Option<f64> {
        match self {
            Self::Add => Some(1.0),
            Self::Subtract => Some(-1.0),
            Self::AddTimes(times) => Some(times.into()),
            Self::Literal
            | Self::Leaf(..)
            | Self::Multiply
            | Self::Divide
            | Self::Larger
            | Self::Smaller
            | Self::Divisor
            | Self::Floor
            | Self::Named(_)
            | Self::Because(_)
            | Self::Of(_) => None,
        }
    }
}

impl<'t> Tape<'t> {
    pub(crate) fn new() -> Self {
        Self { nodes: Arena::new(), known: RefCell::default() }
    }

    /// Of a part of the model.
    pub(crate) fn scope(&'t self, part: usize) -> Scope<'t> {
        Scope { tape: self, part }
    }

    #[inline(never)]
    fn node(&'t self, operation: Operation, operands: [Option<&'t Node<'t>>; 2], value: f64) -> Term<'t> {
        let node = Node { tape: self, operation, operands, value };
        Term(self.known.borrow_mut().find_or_keep(node, |node| self.nodes.keep(node)))
    }

    fn literal(&'t self, value: f64) -> Term<'t> {
        self.node(Operation::Literal, [None, None], value)
    }
}

impl<'t> Node<'t> {
    fn is_literal(&self) -> bool {
        self.operation == Operation::Literal
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.is_literal() && self.value == 0.0
    }

    /// The first operand, or the node itself where it has none.
    pub(super) fn left(&'t self) -> &'t Self {
        self.operands[0].unwrap_or(self)
    }

    /// The second operand, or the node itself where it has none.
    pub(super) fn right(&'t self) -> &'t Self {
        self.operands[1].unwrap_or(self)
    }

    fn equals(&self, other: &Self) -> bool {
        let same = |a: Option<&Self>, b: Option<&Self>| match (a, b) {
            (Some(a), Some(b)) => ptr::eq(a, b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.value.to_bits() == other.value.to_bits()
            && same(self.operands[0], other.operands[0])
            && same(self.operands[1], other.operands[1])
            && self.operation == other.operation
    }

    /// Spreads values and operands; what it leaves out, the comparison finds.
    fn hash(&self) -> usize {
        let address = |operand: Option<&Self>| operand.map_or(0, |node| ptr::from_ref(node).addr() as u64);
        let [left, right] = self.operands.map(address);
        let mixed = self.value.to_bits() ^ left.rotate_left(24) ^ right.rotate_left(40);
        // Of a product, the upper bits are the best mixed ones.
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
    }
}

/// The nodes by what they are: a table with open places, at most half full.
#[derive(Default)]
struct Known<'t> {
    places: Vec<Option<&'t Node<'t>>>,
    count: usize,
}

impl<'t> Known<'t> {
    fn find_or_keep(&mut self, node: Node<'t>, keep: impl FnOnce(Node<'t>) -> &'t Node<'t>) -> &'t Node<'t> {
        if 2 * self.count >= self.places.len() {
            self.grow();
        }
        let place = self.place(&node);
        if let Some(known) = self.places[place] {
            return known;
        }
        let kept = keep(node);
        self.places[place] = Some(kept);
        self.count += 1;
        kept
    }

    /// Where a node equal to this one stands, or would.
    fn place(&self, node: &Node<'t>) -> usize {
        let mask = self.places.len() - 1;
        let mut place = node.hash() & mask;
        while self.places[place].is_some_and(|known| !known.equals(node)) {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let places = vec![None; (2 * self.places.len()).max(1024)];
        for node in std::mem::replace(&mut self.places, places).into_iter().flatten() {
            let place = self.place(node);
            self.places[place] = Some(node);
        }
    }
}

impl<'t> Term<'t> {
    pub(super) const fn node(self) -> &'t Node<'t> {
        self.0
    }

    /// Whether it is the same node.
    pub(crate) fn is(self, other: Self) -> bool {
        ptr::eq(self.0, other.0)
    }

    /// The greatest common divisor of two whole numbers, as the derivation takes it; `value` is what it is.
    pub(crate) fn divisor(self, other: Self, value: f64) -> Self {
        self.0.tape.node(Operation::Divisor, [Some(self.0), Some(other.0)], value)
    }

    /// Rounded down, as whole-number division does.
    pub(crate) fn floor(self) -> Self {
        self.0.tape.node(Operation::Floor, [Some(self.0), None], self.0.value.floor())
    }

    #[inline(never)]
    fn binary(self, operation: Operation, other: Self, value: f64) -> Self {
        let (left, right) = (self.0, other.0);
        if left.is_literal() && right.is_literal() {
            return left.tape.literal(value);
        }
        left.tape.node(operation, [Some(left), Some(right)], value)
    }

    /// A note on this term.
    #[inline(never)]
    fn noted(self, operation: Operation) -> Self {
        self.0.tape.node(operation, [Some(self.0), None], self.0.value)
    }

    #[inline(never)]
    fn with(self, value: f64) -> Self {
        self.0.tape.literal(value)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $operation:ident $sign:tt;)*) => {$(
        impl $trait for Term<'_> {
            type Output = Self;

            #[inline(never)]
            fn $method(self, other: Self) -> Self {
                self.binary(Operation::$operation, other, self.0.value $sign other.0.value)
            }
        }

        impl $trait<f64> for Term<'_> {
            type Output = Self;

            #[inline(never)]
            fn $method(self, other: f64) -> Self {
                $trait::$method(self, self.with(other))
            }
        }
    )*};
}

operators! {
    Sub sub Subtract -;
    Mul mul Multiply *;
    Div div Divide /;
}

impl Add for Term<'_> {
    type Output = Self;

    /// Nothing added is not worth a node, where the bits stay the same.
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let value = self.0.value + other.0.value;
        if self.0.is_nothing() && value.to_bits() == other.0.value.to_bits() {
            return other;
        }
        if other.0.is_nothing() && value.to_bits() == self.0.value.to_bits() {
            return self;
        }
        self.binary(Operation::Add, other, value)
    }
}

impl Add<f64> for Term<'_> {
    type Output = Self;

    #[inline(never)]
    fn add(self, other: f64) -> Self {
        self + self.with(other)
    }
}

impl<'t> Quantity for Term<'t> {
    const EXPLAINS: bool = true;

    type Context = Scope<'t>;

    #[inline(never)]
    fn literal(scope: Scope<'t>, value: f64) -> Self {
        scope.tape.literal(value)
    }

    #[inline(never)]
    fn leaf(scope: Scope<'t>, symbol: Symbol, value: f64) -> Self {
        scope.tape.node(Operation::Leaf(symbol, scope.part), [None, None], value)
    }

    fn number(self) -> f64 {
        self.0.value
    }

    #[inline(never)]
    fn larger(self, other: Self) -> Self {
        self.binary(Operation::Larger, other, self.0.value.larger(other.0.value))
    }

    #[inline(never)]
    fn smaller(self, other: Self) -> Self {
        self.binary(Operation::Smaller, other, self.0.value.smaller(other.0.value))
    }

    #[inline(never)]
    fn named(self, formula: &'static Formula) -> Self {
        self.noted(Operation::Named(formula))
    }

    #[inline(never)]
    fn because(self, case: &'static str) -> Self {
        self.noted(Operation::Because(case))
    }

    #[inline(never)]
    fn of(self, group: Group) -> Self {
        self.noted(Operation::Of(group))
    }

    #[inline(never)]
    fn add_times(self, layer: Self, times: u32) -> Self {
        let value = self.0.value.add_times(layer.0.value, times);
        if (layer.0.is_nothing() || times == 0) && value.to_bits() == self.0.value.to_bits() {
            return self;
        }
        self.0.tape.node(Operation::AddTimes(times), [Some(self.0), Some(layer.0)], value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: Symbol = Symbol("h");

    #[test]
    fn terms_compute_what_numbers_do() {
        let tape = Tape::new();
        let scope = tape.scope(0);
        let formula = |a: f64, b: f64| ((a * 3.0 + b) / (b - 1.0)).larger(a).smaller(b).add_times(a, 7);
        for (a, b) in [(0.1, 3.0), (-0.0, 1.0), (7.0, 0.3), (1e300, 1e-300)] {
            let term = |value| Term::leaf(scope, WIDTH, value);
            let (x, y) = (term(a), term(b));
            let explained = ((x * 3.0 + y) / (y - 1.0)).larger(x).smaller(y).add_times(x, 7);
            assert_eq!(explained.number().to_bits(), formula(a, b).to_bits());
        }
    }

    #[test]
    fn equal_nodes_are_one() {
        let tape = Tape::new();
        let scope = tape.scope(0);
        let leaf = |value| Term::leaf(scope, WIDTH, value);
        let (a, b) = (leaf(2.0) * leaf(3.0), leaf(2.0) * leaf(3.0));
        assert!(ptr::eq(a.0, b.0));
        assert!(!ptr::eq(a.0, (leaf(3.0) * leaf(2.0)).0));
        assert!(!ptr::eq(leaf(2.0).0, Term::leaf(tape.scope(1), WIDTH, 2.0).0));
        for count in 0..10_000 {
            let fresh = leaf(f64::from(count));
            assert!(ptr::eq(fresh.0, leaf(f64::from(count)).0));
        }
    }

    #[test]
    fn nothing_added_is_no_node() {
        let tape = Tape::new();
        let scope = tape.scope(0);
        let (none, width) = (Term::literal(scope, 0.0), Term::leaf(scope, WIDTH, 2.0));
        assert!(ptr::eq((none + width).0, width.0));
        assert!(ptr::eq((width + none * 3.0).0, width.0));
        assert!(ptr::eq(width.add_times(none, 4).0, width.0));
        // A negative zero would become zero.
        let negative = Term::leaf(scope, WIDTH, -0.0);
        assert_eq!((negative + none).number().to_bits(), 0);
    }
}
