//! Explanations as plain lines: each formula with symbols and with values, its result, the cases that applied, and where
//! each number comes from. Knows no memory model: it reads a tree of steps.

pub mod json;
mod lines;
mod text;

use crate::explain::{Group, Leaf, Step, Tree, What};
use crate::provenance::Origin;
use text::Names;

pub use lines::lines;
pub use text::{Piece, Sign, number};

/// How a figure comes about: the answer's step first, each step before those that it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The steps; at least one.
    pub steps: Vec<ExplainedStep>,
}

/// One formula with its numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedStep {
    /// Stable id of the formula; of an item, its id.
    pub id: &'static str,
    /// How other formulas write it; a subscript tells several uses of one formula apart.
    pub symbol: String,
    /// The section of the specification that it follows.
    pub reference: &'static str,
    /// The formula piece by piece, for views that set it in type.
    pub pieces: Vec<Piece>,
    /// The formula with symbols.
    pub formula: String,
    /// The formula with values.
    pub values: String,
    /// The result.
    pub result: f64,
    /// Which cases applied, in English.
    pub cases: Vec<&'static str>,
    /// What the formula reads, in its order.
    pub children: Vec<ExplainedChild>,
}

/// A number that a formula reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedChild {
    /// Stable id of the formula that makes it; of a stated number, the reference's symbol.
    pub id: &'static str,
    /// How the formula writes it.
    pub symbol: String,
    /// Its value.
    pub value: f64,
    /// The step that explains it, by its index; none for a stated number, or where the explanation is long enough.
    pub step: Option<usize>,
    /// The nodes of the stage that it stands for, where it is one of a sum over them.
    pub groups: Vec<Group>,
    /// Where a number without a step comes from.
    pub origin: Option<Origin>,
}

/// A tree as lines; `origin` says where a number of the config comes from.
pub fn explanation(tree: &Tree, origin: &dyn Fn(&Leaf) -> Origin) -> Explanation {
    Explanation { steps: tree.steps.iter().map(|step| explained(tree, step, origin)).collect() }
}

/// The formula of a step with symbols, those of other steps without their subscripts: for the documentation of formulas.
pub fn symbolic(tree: &Tree, step: &Step) -> String {
    text::write(&text::pieces(&step.expression), &Names::Symbols(&symbols(tree, step, false)))
}

fn explained(tree: &Tree, step: &Step, origin: &dyn Fn(&Leaf) -> Origin) -> ExplainedStep {
    let symbols = symbols(tree, step, true);
    let values: Vec<f64> = step.children.iter().map(|child| child.value).collect();
    let pieces = text::pieces(&step.expression);
    let formula = text::write(&pieces, &Names::Symbols(&symbols));
    let told_values = text::write(&pieces, &Names::Values(&values));
    let children = step.children.iter().zip(symbols).map(|(child, symbol)| {
        let (id, at, origin) = match child.what {
            What::Leaf(leaf) => (leaf.symbol.0, None, Some(origin(&leaf))),
            What::Step(at) => (tree.steps[at].formula.id, Some(at), None),
            What::Untold(formula) => (formula.id, None, None),
        };
        ExplainedChild { id, symbol, value: child.value, step: at, groups: child.groups.clone(), origin }
    });
    ExplainedStep {
        id: step.formula.id,
        symbol: text::symbol(step.formula, step.ordinal),
        reference: step.formula.reference,
        pieces,
        formula,
        values: told_values,
        result: step.value,
        cases: step.cases.clone(),
        children: children.collect(),
    }
}

/// How a step writes each of its children.
fn symbols(tree: &Tree, step: &Step, told_apart: bool) -> Vec<String> {
    let symbol = |what: What| match what {
        What::Leaf(leaf) => leaf.symbol.0.to_owned(),
        What::Step(at) => {
            let step = &tree.steps[at];
            text::symbol(step.formula, if told_apart { step.ordinal } else { 0 })
        }
        What::Untold(formula) => text::symbol(formula, 0),
    };
    step.children.iter().map(|child| symbol(child.what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{Detail, Formula, Quantity, Symbol, Tape, Term};

    const WIDTH: Symbol = Symbol("h");
    const HEADS: Symbol = Symbol("a");
    static HEAD: Formula = Formula { id: "head-width", reference: "memory-core 5" };
    static ITEM: Formula = Formula { id: "an-item", reference: "memory-core 7" };

    fn lines(make: impl for<'t> Fn(Term<'t>, Term<'t>, &dyn Fn(f64) -> Term<'t>) -> Term<'t>) -> Explanation {
        let tape = Tape::new();
        let scope = tape.scope(0);
        let (width, heads) = (Term::leaf(scope, WIDTH, 4096.0), Term::leaf(scope, HEADS, 32.0));
        let term = make(width, heads, &|value| Term::literal(scope, value));
        explanation(&Tree::of(term, &ITEM, Detail::Reading), &|_| Origin::Constant("a test"))
    }

    fn first(explanation: &Explanation) -> (&str, &str) {
        (&explanation.steps[0].formula, &explanation.steps[0].values)
    }

    #[test]
    fn formulas_read_as_they_are_written() {
        let sum = lines(|h, a, _| (h * 0.25 + (a - 1.0) * h) / (a * h) * 3.0);
        assert_eq!(first(&sum), ("3·(0.25·h + (a - 1)·h)/(a·h)", "3·(0.25·4096 + (32 - 1)·4096)/(32·4096)"));
        let thirds = lines(|h, a, _| h * (1.0 / 3.0) + a * (2.0 / 3.0) - h / a);
        assert_eq!(first(&thirds).0, "1/3·h + 2/3·a - h/a");
        let largest = lines(|h, a, number| number(0.0).larger(h).larger(a - h));
        assert_eq!(first(&largest), ("max(0, h, a - h)", "max(0, 4096, 32 - 4096)"));
    }

    #[test]
    fn equal_summands_are_counted_and_of_nothing_only_the_reason_is_told() {
        let sum = lines(|h, a, number| {
            let head = (h / a).named(&HEAD);
            number(0.0).add_times(head, 3) + head + number(0.0).because("no bias").named(&HEAD) + h
        });
        assert_eq!(first(&sum), ("4·head_width + h", "4·128 + 4096"));
        let [item, head] = &sum.steps[..] else { panic!("two steps: {sum:?}") };
        assert_eq!((&*item.cases, item.result), (&["no bias"][..], 4608.0));
        assert_eq!((&*head.symbol, &*head.formula, head.result), ("head_width", "h/a", 128.0));
        let [told, stated] = &item.children[..] else { panic!("two children") };
        assert_eq!((told.step, told.origin.is_none()), (Some(1), true));
        assert_eq!((&*stated.symbol, stated.step), ("h", None));
        assert_eq!(stated.origin, Some(Origin::Constant("a test")));
    }

    #[test]
    fn uses_of_one_formula_are_told_apart() {
        let both = lines(|h, a, _| (h / a).named(&HEAD) - (a / h).named(&HEAD) + (h + a).named(&HEAD));
        assert_eq!(first(&both), ("head_width - head_width₂ + head_width₃", "128 - 0.0078125 + 4128"));
    }

    #[test]
    fn negative_numbers_stand_in_brackets_within_products() {
        let negative = lines(|h, a, _| (a - h).named(&HEAD) * h - (a - h).named(&HEAD));
        assert_eq!(first(&negative).1, "(-4064)·4096 - (-4064)");
    }
}
