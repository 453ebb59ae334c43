//! An explanation as plain data: named steps in the order of reading, each told once and referred to by its index.
//!
//! For reading, sums and products are flattened, constants stand in front, and equal summands are counted; the values
//! stay those that were evaluated, operation by operation.

use super::tape::{Node, Operation, Term};
use super::{Formula, Group, Symbol};
use std::ptr;

/// How many different summands of a sum are told.
const MOST_SUMMANDS: usize = 64;
/// How many steps an explanation has.
const MOST_STEPS: usize = 256;

/// An explanation: the answer's step first, each step before those that it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The steps; at least one.
    pub steps: Vec<Step>,
}

/// How much an explanation tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Of a summand that is nothing, only why.
    Reading,
    /// Every step, for the documentation of formulas.
    Everything,
}

/// One formula with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Which formula.
    pub formula: &'static Formula,
    /// Which use of the formula, from 0: one formula may be read with several numbers.
    pub ordinal: usize,
    /// How the children make the value.
    pub expression: Expression,
    /// The result.
    pub value: f64,
    /// Which cases applied, in English.
    pub cases: Vec<&'static str>,
    /// What the expression reads.
    pub children: Vec<Child>,
}

/// Something that a step reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Child {
    /// What it is.
    pub what: What,
    /// Its value.
    pub value: f64,
    /// The nodes of a stage that it stands for, where it is one of a sum over them.
    pub groups: Vec<Group>,
}

/// What a child is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// A number of the config.
    Leaf(Leaf),
    /// Another step, by its index.
    Step(usize),
    /// A formula that is not told: the explanation is long enough.
    Untold(&'static Formula),
}

/// A number of the config.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaf {
    /// Its symbol.
    pub symbol: Symbol,
    /// The index of the part of the model that it belongs to; 0 in a language model.
    pub part: usize,
}

/// How children make a value. Children are referred to by their index in the step.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A constant.
    Constant(f64),
    /// A child.
    Child(usize),
    /// Summands with what they are counted by: −1 is subtracted, 3 is three equal ones.
    Sum(Vec<(f64, Expression)>),
    /// A constant, factors and divisors.
    Product(f64, Vec<Expression>, Vec<Expression>),
    /// A function of several values.
    Call(Function, Vec<Expression>),
    /// So many further summands, which are not told.
    Further(usize),
}

/// A function of several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
    /// The greatest common divisor.
    Divisor,
    /// Rounded down.
    Floor,
}

impl Tree {
    /// The explanation of a term, under the formula that stands for it.
    pub(crate) fn of(term: Term<'_>, formula: &'static Formula, detail: Detail) -> Self {
        let mut writer = Writer { detail, steps: Vec::new(), nodes: Vec::new() };
        let node = term.node();
        let inner = if node.operation == Operation::Named(formula) { node.left() } else { node };
        writer.step(inner, formula);
        Self { steps: writer.steps.into_iter().flatten().collect() }
    }

    /// The answer.
    pub fn value(&self) -> f64 {
        self.steps.first().map_or(f64::NAN, |step| step.value)
    }
}

/// Writes the steps.
struct Writer<'t> {
    detail: Detail,
    /// Those under way have a place and no content yet.
    steps: Vec<Option<Step>>,
    /// What each step explains: equal nodes under one formula are one step.
    nodes: Vec<(&'static Formula, &'t Node<'t>)>,
}

/// What of a step stands beside its expression.
#[derive(Default)]
struct Beside<'t> {
    nodes: Vec<&'t Node<'t>>,
    children: Vec<Child>,
    cases: Vec<&'static str>,
    /// The group of the summand that is being written, until a step stands for it.
    group: Option<Group>,
}

impl<'t> Writer<'t> {
    /// The index of a step, written now if it was not yet; none where there are too many.
    fn step(&mut self, node: &'t Node<'t>, formula: &'static Formula) -> Option<usize> {
        let same = |known: &&(&'static Formula, &'t Node<'t>)| ptr::eq(known.0, formula);
        if let Some(at) = self.nodes.iter().position(|known| same(&known) && ptr::eq(known.1, node)) {
            return Some(at);
        }
        let at = self.nodes.len();
        if at == MOST_STEPS {
            return None;
        }
        let ordinal = self.nodes.iter().filter(same).count();
        self.nodes.push((formula, node));
        self.steps.push(None);
        let mut beside = Beside::default();
        let expression = self.expression(node, &mut beside);
        let Beside { children, cases, .. } = beside;
        self.steps[at] = Some(Step { formula, ordinal, expression, value: node.value, cases, children });
        Some(at)
    }

    fn expression(&mut self, node: &'t Node<'t>, beside: &mut Beside<'t>) -> Expression {
        match node.operation {
            Operation::Literal => Expression::Constant(node.value),
            Operation::Leaf(symbol, part) => Expression::Child(beside.child(node, What::Leaf(Leaf { symbol, part }))),
            Operation::Because(case) => {
                beside.case(case);
                self.expression(node.left(), beside)
            }
            Operation::Of(group) => {
                beside.group = Some(group);
                let expression = self.expression(node.left(), beside);
                beside.group = None;
                expression
            }
            Operation::Named(formula) => {
                let what = self.step(node.left(), formula).map_or(What::Untold(formula), What::Step);
                Expression::Child(beside.child(node, what))
            }
            Operation::Add | Operation::Subtract | Operation::AddTimes(_) => self.sum(node, beside),
            Operation::Multiply | Operation::Divide => self.product(node, beside),
            Operation::Larger => self.call(node, Function::Largest, beside),
            Operation::Smaller => self.call(node, Function::Smallest, beside),
            Operation::Divisor => self.call(node, Function::Divisor, beside),
            Operation::Floor => Expression::Call(Function::Floor, vec![self.expression(node.left(), beside)]),
        }
    }

    fn sum(&mut self, node: &'t Node<'t>, beside: &mut Beside<'t>) -> Expression {
        let mut summands = Vec::new();
        let mut at = node;
        while let Some(factor) = at.operation.counts() {
            summands.push((factor, at.right()));
            at = at.left();
        }
        summands.push((1.0, at));
        let mut sum = Sum::default();
        for (factor, node) in summands.into_iter().rev() {
            if beside.is_nothing(node, self.detail) {
                continue;
            }
            if sum.summands.len() == MOST_SUMMANDS {
                sum.further += 1;
            } else {
                sum.add(factor, self.expression(node, beside));
            }
        }
        sum.expression()
    }

    fn product(&mut self, node: &'t Node<'t>, beside: &mut Beside<'t>) -> Expression {
        let mut factors = Vec::new();
        let mut at = node;
        while matches!(at.operation, Operation::Multiply | Operation::Divide) {
            factors.push((at.operation == Operation::Divide, at.right()));
            at = at.left();
        }
        factors.push((false, at));
        if factors.iter().any(|(divides, factor)| !divides && beside.is_nothing(factor, self.detail)) {
            return Expression::Constant(node.value);
        }
        let mut product = Product { constant: 1.0, over: Vec::new(), under: Vec::new() };
        for (divides, node) in factors.into_iter().rev() {
            product.multiply(divides, self.expression(node, beside));
        }
        product.expression()
    }

    fn call(&mut self, node: &'t Node<'t>, function: Function, beside: &mut Beside<'t>) -> Expression {
        let mut arguments = Vec::new();
        for operand in [node.left(), node.right()] {
            match self.expression(operand, beside) {
                Expression::Call(inner, further) if inner == function => arguments.extend(further),
                argument => arguments.push(argument),
            }
        }
        Expression::Call(function, arguments)
    }
}

impl<'t> Beside<'t> {
    fn child(&mut self, node: &'t Node<'t>, what: What) -> usize {
        let at = self.nodes.iter().position(|known| ptr::eq(*known, node)).unwrap_or_else(|| {
            self.nodes.push(node);
            self.children.push(Child { what, value: node.value, groups: Vec::new() });
            self.nodes.len() - 1
        });
        if matches!(what, What::Step(_) | What::Untold(_))
            && let Some(group) = self.group.take()
        {
            self.children[at].stand_for(group);
        }
        at
    }

    /// Whether a summand or a factor is nothing: of it only the reason is told, unless it is a step of its own.
    fn is_nothing(&mut self, node: &'t Node<'t>, detail: Detail) -> bool {
        let mut cases = Vec::new();
        let mut at = node;
        loop {
            match at.operation {
                Operation::Because(case) => cases.push(case),
                Operation::Named(_) if detail == Detail::Everything => break,
                Operation::Named(_) | Operation::Of(_) => {}
                Operation::Literal
                | Operation::Leaf(..)
                | Operation::Add
                | Operation::Subtract
                | Operation::Multiply
                | Operation::Divide
                | Operation::Larger
                | Operation::Smaller
                | Operation::Divisor
                | Operation::Floor
                | Operation::AddTimes(_) => break,
            }
            at = at.left();
        }
        if at.is_nothing() {
            for case in cases {
                self.case(case);
            }
        }
        at.is_nothing()
    }

    fn case(&mut self, case: &'static str) {
        if !self.cases.contains(&case) {
            self.cases.push(case);
        }
    }
}

impl Child {
    fn stand_for(&mut self, group: Group) {
        let equal = |known: &Group| (known.kind, known.letter, known.chunk) == (group.kind, group.letter, group.chunk);
        if let Some(at) = self.groups.iter().position(equal) {
            self.groups[at].count = self.groups[at].count.saturating_add(group.count);
        } else if self.groups.len() < MOST_SUMMANDS {
            self.groups.push(group);
        }
    }
}

/// A sum being put together.
#[derive(Default)]
struct Sum {
    summands: Vec<(f64, Expression)>,
    further: usize,
}

impl Sum {
    fn add(&mut self, factor: f64, summand: Expression) {
        match summand {
            Expression::Constant(0.0) => {}
            Expression::Sum(summands) if factor.abs() == 1.0 => {
                for (inner, summand) in summands {
                    self.add(factor * inner, summand);
                }
            }
            Expression::Product(constant, over, under) => {
                self.count(factor * constant, Product { constant: 1.0, over, under }.expression());
            }
            summand => self.count(factor, summand),
        }
    }

    fn count(&mut self, factor: f64, summand: Expression) {
        if let Expression::Constant(constant) = summand {
            return self.constant(factor * constant);
        }
        match self.summands.iter_mut().find(|(_, known)| *known == summand) {
            Some((counted, _)) => *counted += factor,
            None => self.summands.push((factor, summand)),
        }
    }

    /// Constants are added up where the first of them stands.
    fn constant(&mut self, mut constant: f64) {
        let known = self.summands.iter().position(|(_, known)| matches!(known, Expression::Constant(_)));
        let at = known.unwrap_or(self.summands.len());
        if let Some((factor, Expression::Constant(known))) = self.summands.get(at) {
            constant += factor * known;
            self.summands.remove(at);
        }
        if constant != 0.0 {
            self.summands.insert(at, (1_f64.copysign(constant), Expression::Constant(constant.abs())));
        }
    }

    fn expression(mut self) -> Expression {
        if self.further > 0 {
            self.summands.push((1.0, Expression::Further(self.further)));
        }
        match self.summands.len() {
            0 => Expression::Constant(0.0),
            1 => {
                let (factor, only) = self.summands.remove(0);
                let mut product = Product { constant: factor, over: Vec::new(), under: Vec::new() };
                product.multiply(false, only);
                product.expression()
            }
            _ => Expression::Sum(self.summands),
        }
    }
}

/// A product being put together.
struct Product {
    constant: f64,
    over: Vec<Expression>,
    under: Vec<Expression>,
}

impl Product {
    fn multiply(&mut self, divides: bool, factor: Expression) {
        match factor {
            Expression::Constant(constant) if !divides => self.constant *= constant,
            Expression::Constant(constant) if constant != 0.0 => self.constant /= constant,
            Expression::Product(constant, over, under) => {
                let (over, under) = if divides { (under, over) } else { (over, under) };
                self.constant = if divides { self.constant / constant } else { self.constant * constant };
                self.over.extend(over);
                self.under.extend(under);
            }
            factor if divides => self.under.push(factor),
            factor => self.over.push(factor),
        }
    }

    fn expression(mut self) -> Expression {
        match (self.over.len(), self.under.len()) {
            (0, 0) => Expression::Constant(self.constant),
            (1, 0) if self.constant == 1.0 => self.over.remove(0),
            _ => Expression::Product(self.constant, self.over, self.under),
        }
    }
}
