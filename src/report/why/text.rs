//! Formulas as pieces in the order of reading, and as text, with symbols or with values.

use crate::explain::{Expression, Formula, Function};
use crate::report::number::shortest;
use std::borrow::Cow;

/// A piece of a formula. A view sets pieces in type; a text strings them together.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// A child of the step, by its index.
    Child {
        /// Its place among the children.
        at: usize,
        /// Whether a negative value stands in brackets here.
        is_tight: bool,
    },
    /// A constant.
    Number(String),
    /// What stands between numbers.
    Sign(Sign),
    /// A function's name; its brackets follow.
    Name(&'static str),
    /// So many further summands, which are not told.
    Further(usize),
}

/// What stands between numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Plus.
    Plus,
    /// Minus, between two summands.
    Minus,
    /// Minus, before the first summand.
    Negative,
    /// Times.
    Times,
    /// Divided by.
    Over,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// A comma between the arguments of a function.
    Comma,
}

/// What stands for the children.
pub(super) enum Names<'a> {
    /// Their symbols.
    Symbols(&'a [String]),
    /// Their values.
    Values(&'a [f64]),
}

/// An expression as pieces.
pub(super) fn pieces(expression: &Expression) -> Vec<Piece> {
    let mut writer = Writer { pieces: Vec::new() };
    writer.expression(expression, Binding::Loose);
    writer.pieces
}

/// Pieces as text.
pub(super) fn write(pieces: &[Piece], names: &Names<'_>) -> String {
    pieces.iter().map(|piece| text(piece, names)).collect()
}

fn text<'a>(piece: &'a Piece, names: &Names<'a>) -> Cow<'a, str> {
    match (piece, names) {
        (Piece::Child { at, .. }, Names::Symbols(symbols)) => Cow::Borrowed(&symbols[*at]),
        (Piece::Child { at, is_tight }, Names::Values(values)) if *is_tight && values[*at] < 0.0 => {
            Cow::Owned(["(", &number(values[*at]), ")"].concat())
        }
        (Piece::Child { at, .. }, Names::Values(values)) => Cow::Owned(number(values[*at])),
        (Piece::Number(number), _) => Cow::Borrowed(number),
        (Piece::Sign(sign), _) => Cow::Borrowed(sign.text()),
        (Piece::Name(name), _) => Cow::Borrowed(name),
        (Piece::Further(count), _) => Cow::Owned(["… (", &count.to_string(), " more)"].concat()),
    }
}

impl Sign {
    const fn text(self) -> &'static str {
        match self {
            Self::Plus => " + ",
            Self::Minus => " - ",
            Self::Negative => "-",
            Self::Times => "·",
            Self::Over => "/",
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ", ",
        }
    }
}

/// How formulas write a formula; a subscript tells several uses apart.
pub(super) fn symbol(formula: &Formula, ordinal: usize) -> String {
    let mut symbol = formula.id.replace('-', "_");
    if ordinal > 0 {
        let digits = (ordinal + 1).to_string();
        symbol.extend(digits.chars().filter_map(|digit| {
            let digit = digit.to_digit(10)?;
            char::from_u32(u32::from('₀') + digit)
        }));
    }
    symbol
}

/// How tightly the place binds that an expression is written into.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    /// A sum may stand there.
    Loose,
    /// A product may.
    Product,
    /// Only what needs no brackets.
    Tight,
}

struct Writer {
    pieces: Vec<Piece>,
}

impl Writer {
    fn expression(&mut self, expression: &Expression, place: Binding) {
        match expression {
            Expression::Constant(value) => self.constant(*value, place),
            Expression::Child(at) => {
                self.pieces.push(Piece::Child { at: *at, is_tight: place > Binding::Loose });
            }
            Expression::Sum(summands) => self.bracketed(place > Binding::Loose, |writer| writer.sum(summands)),
            Expression::Product(constant, over, under) => {
                self.bracketed(place > Binding::Product, |writer| writer.product(*constant, over, under));
            }
            Expression::Call(function, arguments) => {
                self.pieces.push(Piece::Name(name(*function)));
                self.bracketed(true, |writer| writer.joined(arguments, Sign::Comma, Binding::Loose));
            }
            Expression::Further(count) => self.pieces.push(Piece::Further(*count)),
        }
    }

    fn sum(&mut self, summands: &[(f64, Expression)]) {
        for (at, (factor, summand)) in summands.iter().enumerate() {
            match (at, *factor < 0.0) {
                (0, false) => {}
                (0, true) => self.sign(Sign::Negative),
                (_, false) => self.sign(Sign::Plus),
                (_, true) => self.sign(Sign::Minus),
            }
            self.scaled(factor.abs(), summand);
        }
    }

    fn scaled(&mut self, factor: f64, summand: &Expression) {
        if factor != 1.0 {
            self.constant(factor, Binding::Product);
            self.sign(Sign::Times);
        }
        self.expression(summand, Binding::Product);
    }

    fn product(&mut self, constant: f64, over: &[Expression], under: &[Expression]) {
        if constant != 1.0 || over.is_empty() {
            self.constant(constant, Binding::Product);
            if !over.is_empty() {
                self.sign(Sign::Times);
            }
        }
        self.joined(over, Sign::Times, Binding::Tight);
        if !under.is_empty() {
            self.sign(Sign::Over);
            self.bracketed(under.len() > 1, |writer| writer.joined(under, Sign::Times, Binding::Tight));
        }
    }

    fn joined(&mut self, expressions: &[Expression], between: Sign, place: Binding) {
        for (at, expression) in expressions.iter().enumerate() {
            if at > 0 {
                self.sign(between);
            }
            self.expression(expression, place);
        }
    }

    fn bracketed(&mut self, brackets: bool, write: impl FnOnce(&mut Self)) {
        if brackets {
            self.sign(Sign::Open);
        }
        write(self);
        if brackets {
            self.sign(Sign::Close);
        }
    }

    fn constant(&mut self, value: f64, place: Binding) {
        self.bracketed(value < 0.0 && place > Binding::Loose, |writer| {
            writer.pieces.push(Piece::Number(number(value)));
        });
    }

    fn sign(&mut self, sign: Sign) {
        self.pieces.push(Piece::Sign(sign));
    }
}

const fn name(function: Function) -> &'static str {
    match function {
        Function::Largest => "max",
        Function::Smallest => "min",
        Function::Divisor => "gcd",
        Function::Floor => "floor",
    }
}

/// A number within a formula: whole ones in full, others to five digits; thirds as such.
pub fn number(value: f64) -> String {
    /// Digits are counted from the first that is not zero.
    const DIGITS: f64 = 10_000.0;
    const MOST: f64 = 1e12;
    if value == 1.0 / 3.0 {
        return "1/3".to_owned();
    }
    if value == 2.0 / 3.0 {
        return "2/3".to_owned();
    }
    let mut scale = DIGITS;
    while (value * scale).abs() < DIGITS && scale < MOST {
        scale *= 10.0;
    }
    shortest((value * scale).round() / scale)
}
