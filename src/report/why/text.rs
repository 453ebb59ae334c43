//! Formulas as text, with symbols or with values.

use crate::explain::{Expression, Formula, Function};
use crate::report::number::shortest;

/// What stands for the children.
pub(super) enum Names<'a> {
    /// Their symbols.
    Symbols(&'a [String]),
    /// Their values.
    Values(&'a [f64]),
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

/// An expression as text.
pub(super) fn write(expression: &Expression, names: &Names<'_>) -> String {
    let mut text = String::new();
    Writer { names, text: &mut text }.expression(expression, Binding::Loose);
    text
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

struct Writer<'a> {
    names: &'a Names<'a>,
    text: &'a mut String,
}

impl Writer<'_> {
    fn expression(&mut self, expression: &Expression, place: Binding) {
        match expression {
            Expression::Constant(value) => self.number(*value, place),
            Expression::Child(at) => match self.names {
                Names::Symbols(symbols) => self.text.push_str(&symbols[*at]),
                Names::Values(values) => self.number(values[*at], place),
            },
            Expression::Sum(summands) => self.bracketed(place > Binding::Loose, |writer| writer.sum(summands)),
            Expression::Product(constant, over, under) => {
                self.bracketed(place > Binding::Product, |writer| writer.product(*constant, over, under));
            }
            Expression::Call(function, arguments) => {
                self.text.push_str(name(*function));
                self.bracketed(true, |writer| writer.joined(arguments, ", ", Binding::Loose));
            }
            Expression::Further(count) => {
                self.text.push_str("… (");
                self.text.push_str(&count.to_string());
                self.text.push_str(" more)");
            }
        }
    }

    fn sum(&mut self, summands: &[(f64, Expression)]) {
        for (at, (factor, summand)) in summands.iter().enumerate() {
            self.text.push_str(match (at, *factor < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            self.scaled(factor.abs(), summand);
        }
    }

    fn scaled(&mut self, factor: f64, summand: &Expression) {
        if factor != 1.0 {
            self.number(factor, Binding::Product);
            self.text.push('·');
        }
        self.expression(summand, Binding::Product);
    }

    fn product(&mut self, constant: f64, over: &[Expression], under: &[Expression]) {
        if constant != 1.0 || over.is_empty() {
            self.number(constant, Binding::Product);
            if !over.is_empty() {
                self.text.push('·');
            }
        }
        self.joined(over, "·", Binding::Tight);
        if !under.is_empty() {
            self.text.push('/');
            self.bracketed(under.len() > 1, |writer| writer.joined(under, "·", Binding::Tight));
        }
    }

    fn joined(&mut self, expressions: &[Expression], between: &str, place: Binding) {
        for (at, expression) in expressions.iter().enumerate() {
            if at > 0 {
                self.text.push_str(between);
            }
            self.expression(expression, place);
        }
    }

    fn bracketed(&mut self, brackets: bool, write: impl FnOnce(&mut Self)) {
        if brackets {
            self.text.push('(');
        }
        write(self);
        if brackets {
            self.text.push(')');
        }
    }

    fn number(&mut self, value: f64, place: Binding) {
        self.bracketed(value < 0.0 && place > Binding::Loose, |writer| writer.text.push_str(&number(value)));
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
fn number(value: f64) -> String {
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
