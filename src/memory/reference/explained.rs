//! A stage explained: the same walk over the same formulas, with terms instead of numbers.

use super::fields::Fields;
use super::items::KINDS;
use super::nodes::{Part, configs};
use super::stage::{self, Model, Walked};
use super::sums::Sums;
use super::{INSTANTS, Policies, activations, buffers, derived, fields, held, parameters};
use crate::config::Config;
use crate::explain::{Described, Detail, Formula, Quantity, Tape, Term, Tree};
use crate::memory::Category;
use crate::placement::{self, Placement};

/// A stage of more runs than this is not explained: its sums would be as long.
const MOST_RUNS: usize = 4096;

/// How the categories of items are named; their sum is what they are.
static CATEGORIES: [Formula; Category::ALL.len()] = {
    const NAMELESS: Formula = Formula { id: "", reference: "" };
    let mut formulas = [NAMELESS; Category::ALL.len()];
    let mut at = 0;
    while at < formulas.len() {
        formulas[at] = Formula { id: Category::ALL[at].id(), reference: "memory-core 2" };
        at += 1;
    }
    formulas
};

/// One answer about a stage: how a figure comes about.
pub struct Answer<'t> {
    /// An item's id, a category's, or a figure's place in the JSON of a stage: `static.params`, `total`.
    pub id: &'static str,
    /// The instant it is of; a figure that is none of an instant is told at the first.
    pub instant: &'static str,
    formula: &'static Formula,
    term: Term<'t>,
}

impl Answer<'_> {
    /// The figure.
    pub fn value(&self) -> f64 {
        self.term.number()
    }

    /// How it comes about.
    pub fn tree(&self, detail: Detail) -> Tree {
        Tree::of(self.term, self.formula, detail)
    }
}

/// How a figure of a stage comes about: an item, a category of items, a sum of the reference. None where the stage, the
/// figure or the instant is not there, or where the stage holds too many different layers to be told.
pub fn explain(
    config: &Config,
    placement: &Placement,
    policies: Policies,
    stage: usize,
    id: &str,
    instant: &str,
) -> Option<Tree> {
    let mut tree = None;
    explain_each(config, placement, policies, stage, &mut |answer| {
        if tree.is_none() && answer.id == id && answer.instant == instant {
            tree = Some(answer.tree(Detail::Reading));
        }
    });
    tree
}

/// Every figure of a stage at every instant that counts for its peak.
pub fn explain_each(
    config: &Config,
    placement: &Placement,
    policies: Policies,
    stage: usize,
    read: &mut dyn FnMut(&Answer<'_>),
) {
    let Some(asked) = placement.stages().nth(stage).filter(|stage| stage.runs().len() <= MOST_RUNS) else { return };
    let tape = Tape::new();
    let parts = configs(config).enumerate().map(|(at, config)| {
        let scope = tape.scope(at);
        Part::new(config, placement, at, policies, scope, &|n| derived::fields(config, policies, scope, &n))
    });
    let mut model = Model::new(config, placement, parts.collect(), tape.scope(0));
    // Stages are visited in order: each leaves its kind to the next.
    let mut before = Model::new(config, placement, Part::all(config, placement, policies), ());
    for earlier in placement.stages().take(stage) {
        before.walk(earlier, &mut before.nothing());
    }
    model.applied = before.applied;
    let mut sums = model.nothing();
    let walked = model.walk(asked, &mut sums);
    for (at, instant) in INSTANTS.iter().enumerate().take(walked.instants()) {
        for (formula, term) in answers(&walked, &sums, at) {
            read(&Answer { id: formula.id, instant: instant.id, formula, term });
        }
    }
}

/// Every id that may be asked for.
pub fn explained_ids() -> impl Iterator<Item = &'static str> {
    let items = KINDS.iter().map(|kind| kind.id);
    let categories = Category::ALL.into_iter().map(Category::id).filter(|id| KINDS.iter().all(|kind| kind.id != *id));
    items.chain(categories).chain(stage::FIGURES.iter().map(|formula| formula.id))
}

/// What a formula or a symbol is, in English, by its id; empty for items and categories, whose ids are keys of labels.
pub fn meaning(id: &str) -> &'static str {
    let symbols = SYMBOL_TABLES.into_iter().flatten().copied();
    let mut all = formulas().map(|(formula, meaning)| (formula.id, meaning)).chain(symbols);
    all.find(|(known, _)| *known == id).map_or("", |(_, meaning)| meaning)
}

/// Whether a result is bytes: that of an item or a category is, and that of a formula whose meaning says so.
pub fn is_bytes(id: &str) -> bool {
    let of_category = |category: Category| category.id() == id;
    KINDS.iter().any(|kind| kind.id == id)
        || Category::ALL.into_iter().any(of_category)
        || meaning(id).contains(", bytes")
}

/// Every formula of the reference model but for the items, each with what its result is: figures, and what these read.
pub fn formulas() -> impl Iterator<Item = Described> {
    FORMULA_TABLES.into_iter().flatten().copied()
}

/// The same, table by table.
pub(crate) const FORMULA_TABLES: [&[Described]; 8] = [
    stage::FORMULAS,
    held::FORMULAS,
    activations::FORMULAS,
    buffers::FORMULAS,
    parameters::FORMULAS,
    fields::FORMULAS,
    derived::FORMULAS,
    placement::formulas(),
];

/// Every symbol with what it is, in English, table by table.
pub(crate) const SYMBOL_TABLES: [&[(&str, &str)]; 6] = [
    Fields::<()>::MEANINGS,
    fields::Linear::<()>::MEANINGS,
    fields::Measured::<()>::MEANINGS,
    derived::Stated::<()>::MEANINGS,
    stage::Split::<()>::MEANINGS,
    placement::symbols(),
];

fn answers<'t>(walked: &Walked<Term<'t>>, sums: &Sums<Term<'t>>, instant: usize) -> Vec<(&'static Formula, Term<'t>)> {
    let item = |at: usize| (&KINDS[at].formula, sums.item(at, instant).named(&KINDS[at].formula));
    let mut answers: Vec<_> = (0..KINDS.len()).map(item).collect();
    for (category, formula) in Category::ALL.into_iter().zip(&CATEGORIES) {
        // A category of one item is told as the item.
        if KINDS.iter().any(|kind| kind.id == formula.id) {
            continue;
        }
        let mut items =
            KINDS.iter().zip(&answers).filter(|(kind, _)| kind.category == category).map(|(_, (_, item))| *item);
        let Some(first) = items.next() else { continue };
        let sum = items.fold(first, |sum, item| sum + item);
        answers.push((formula, sum));
    }
    answers.extend(walked.figures(instant));
    answers
}
