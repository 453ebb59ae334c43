//! The two readings of the formulas agree: every figure of every stage at every instant, of every golden, as a number and
//! as an explanation, bit for bit.
#![cfg(not(target_arch = "wasm32"))]

mod checks;

use checks::{cases, derive, golden, memory_vectors, name_of, parse, peaks};
use shardmem::config::{Config, Family, Primary, RecomputeOption, RecomputeRange, Strictness};
use shardmem::estimate::Ready;
use shardmem::estimate::why::{Question, why};
use shardmem::explain::{Detail, Expression, Function, Step, Tree, What};
use shardmem::memory::reference::policies::POLICIES;
use shardmem::memory::reference::{self, Answer, Policies};
use shardmem::memory::{Breakdown, Category, StageMemory};
use shardmem::model::{LayerGroup, Stack};
use shardmem::placement::{Placement, place};
use shardmem::report::origins::UNKNOWN;
use std::collections::BTreeSet;

#[test]
fn the_two_readings_agree_on_every_peak() {
    let mut figures = 0;
    for file in ["peaks.json", "catalogue.json", "yamls.json"] {
        for case in cases(&golden(file)) {
            if let Some(ready) = peaks::ready(case).expect("an estimate") {
                figures += agree(name_of(case), &ready.config, &ready.placement, &ready.breakdown);
            }
        }
    }
    assert!(figures > 100_000, "{figures} figures");
}

#[test]
fn the_two_readings_agree_on_every_memory_vector_under_every_policy() {
    for case in cases(&golden("memory-vectors.json")) {
        let config = memory_vectors::config(case).expect("a config");
        let placement = place(&config).expect("placed").value;
        let breakdown = reference::account(&config, &placement).value;
        assert!(agree(name_of(case), &config, &placement, &breakdown) > 0);
        for (policy, value) in
            POLICIES.iter().flat_map(|policy| policy.values.iter().map(|value| (policy.id, value.id)))
        {
            let policies = Policies::chosen(&[(policy.to_owned(), value.to_owned())]).expect("of the table").value;
            let breakdown = reference::account_under(&config, &placement, policies).value;
            assert!(agree_under(policies, name_of(case), &config, &placement, &breakdown) > 0);
        }
    }
}

#[test]
fn the_two_readings_agree_on_every_parsed_file_that_can_be_placed() {
    let mut priced = 0;
    for case in cases(&golden("parse.json")) {
        let Ok(config) = parse::config(case) else { continue };
        let Ok(placement) = place(&config.value) else { continue };
        let breakdown = reference::account(&config.value, &placement.value).value;
        agree(name_of(case), &config.value, &placement.value, &breakdown);
        priced += 1;
    }
    assert!(priced > 50, "{priced} cases");
}

/// Rules that do not give the config's own number are not told, and the number stands as a leaf: there is none.
#[test]
fn every_derived_number_is_told_by_its_rule() {
    let (mut left, mut told) = (Vec::new(), 0);
    for case in cases(&golden("derive.json")) {
        let mut primary = derive::primary(&case["in"]);
        let Some(kind) = primary.family.kinds().last().copied() else { continue };
        primary.layers = primary.pipeline_parallel;
        primary.mtp_layers = 0;
        primary.multimodal = false;
        primary.recompute_ranges = None;
        let count = u32::try_from(primary.layers).unwrap_or(0);
        let groups = [LayerGroup { kind, count, mtp: false, census: None }];
        primary.stack = Some(Stack { groups: groups.into(), linear: None });
        let Ok(config) = Config::new(primary, Strictness::Strict) else { continue };
        let Ok(placement) = place(&config.value) else { continue };
        told += 1;
        reference::explain_each(&config.value, &placement.value, Policies::default(), 0, &mut |answer| {
            if answer.id == "total" {
                let tree = answer.tree(Detail::Everything);
                left.extend(derived_leaves(&tree).map(|symbol| format!("{}: {symbol}", name_of(case))));
            }
        });
    }
    assert!(left.is_empty(), "{left:#?}");
    assert!(told > 400, "{told} cases");
}

/// What the model states stands as it is, under the names of the rules for where it does not.
const STATED: [&str; 4] = ["a", "dh", "qk_nope_head_dim", "n_kv"];

fn derived_leaves(tree: &Tree) -> impl Iterator<Item = &'static str> {
    let ruled: BTreeSet<String> = reference::formulas().map(|(formula, _)| formula.id.replace('-', "_")).collect();
    let children = tree.steps.iter().flat_map(|step| &step.children);
    let leaves: BTreeSet<&str> = children
        .filter_map(|child| match child.what {
            What::Leaf(leaf) => Some(leaf.symbol.0),
            What::Step(_) | What::Untold(_) => None,
        })
        .collect();
    leaves.into_iter().filter(move |symbol| ruled.contains(*symbol) && !STATED.contains(symbol))
}

/// Every number that an explanation of a real file ends at has an origin of its own.
#[test]
fn every_stated_number_has_an_origin() {
    let mut origins = 0;
    for file in ["peaks.json", "yamls.json"] {
        for case in cases(&golden(file)) {
            let Some(ready) = peaks::ready(case).expect("an estimate") else { continue };
            for stage in 0..ready.breakdown.stages.len() {
                let question = Question { stage: Some(stage), item: "total".to_owned(), instant: None };
                let Ready { facts, config, placement, breakdown, .. } = &*ready;
                let told = why(facts, config, placement, breakdown, Policies::default(), None, &question)
                    .expect("an explanation");
                for child in told.explanation.steps.iter().flat_map(|step| &step.children) {
                    assert_eq!(child.step.is_none(), child.origin.is_some(), "{}: {child:?}", name_of(case));
                    assert_ne!(child.origin, Some(UNKNOWN), "{}: {child:?}", name_of(case));
                    origins += usize::from(child.origin.is_some());
                }
            }
        }
    }
    assert!(origins > 10_000, "{origins} origins");
}

/// As many different layers as are told make an explanation of a readable size, and more are not told.
#[test]
fn an_explanation_stays_readable_whatever_the_stage_holds() {
    let explained = |layers: i64| {
        let ranges = (0..layers / 2).map(|at| RecomputeRange {
            first: 2 * at,
            count: Some(1),
            option: RecomputeOption::Full,
            switches: None,
        });
        let kind = Family::Default.kinds()[0];
        let count = u32::try_from(layers).expect("a count");
        let groups = [LayerGroup { kind, count, mtp: false, census: None }];
        let primary = Primary {
            hidden: 8,
            layers,
            heads: 2,
            kv_heads: 2,
            expert_feed_forward: 8,
            stack: Some(Stack { groups: groups.into(), linear: None }),
            recompute_ranges: Some(ranges.collect()),
            ..Primary::default()
        };
        let config = Config::new(primary, Strictness::Strict).expect("derived").value;
        let placement = place(&config).expect("placed").value;
        reference::explain(&config, &placement, Policies::default(), 0, "total", "warmup-end")
    };
    let tree = explained(4000).expect("an explanation");
    assert!(tree.steps.len() < 100, "{} steps", tree.steps.len());
    assert!(tree.steps.iter().all(|step| step.children.len() < 100));
    assert!(explained(10_000).is_none());
}

/// How many figures agree.
fn agree(case: &str, config: &Config, placement: &Placement, breakdown: &Breakdown) -> usize {
    agree_under(Policies::default(), case, config, placement, breakdown)
}

fn agree_under(policies: Policies, case: &str, config: &Config, placement: &Placement, breakdown: &Breakdown) -> usize {
    let mut figures = 0;
    for (at, stage) in breakdown.stages.iter().enumerate() {
        let before = figures;
        reference::explain_each(config, placement, policies, at, &mut |answer| {
            let expected = number(stage, answer);
            let got = answer.value() + 0.0;
            let id = answer.id;
            assert_eq!(got.to_bits(), expected.to_bits(), "{case}, stage {at}, {id}: expected {expected}, got {got}");
            if at == breakdown.peak && answer.id == "total" {
                let tree = answer.tree(Detail::Reading);
                assert_eq!(tree.value().to_bits(), answer.value().to_bits());
                reads_as_it_computes(case, &tree);
            }
            figures += 1;
        });
        assert!(figures >= before + stage.instants.len() * stage.items.len(), "{case}, stage {at}");
    }
    figures
}

/// The same figure as the number reading gives it.
fn number(stage: &StageMemory, answer: &Answer<'_>) -> f64 {
    let instant = stage.instants.iter().position(|instant| instant.id == answer.instant).expect("an instant");
    if let Some(item) = stage.items.iter().find(|item| item.id == answer.id) {
        return item.bytes[instant].value();
    }
    if reference::items::KINDS.iter().any(|kind| kind.id == answer.id) {
        return 0.0;
    }
    if let Some(category) = Category::ALL.into_iter().find(|category| category.id() == answer.id) {
        let items = stage.items.iter().filter(|item| item.category == category);
        return items.map(|item| item.bytes[instant].value()).fold(0.0, |sum, bytes| sum + bytes);
    }
    let figures = stage.reference.as_ref().expect("figures of the reference");
    let backward = figures.backward_end;
    match answer.id {
        "total" => stage.totals[instant].value(),
        "static.params" => figures.params,
        "static.optimizer" => figures.optimizer,
        "static.gradients" => figures.gradients,
        "static.total" => figures.static_total,
        "dynamic.activations" => figures.activations,
        "dynamic.comm" => figures.comm,
        "dynamic.bwd_overhead" => figures.bwd_overhead,
        "dynamic.warmup_peak" => figures.warmup_peak,
        "dynamic.backward_end.kept" => backward.kept,
        "dynamic.backward_end.held_grads" => backward.held_grads,
        "dynamic.backward_end.working" => backward.working,
        "dynamic.backward_end.root_grad" => backward.root_grad,
        "dynamic.backward_end.total" => backward.total,
        "dynamic.safety_buffer" => figures.safety_buffer,
        "dynamic.total" => figures.dynamic_total,
        other => panic!("no number for {other}"),
    }
}

/// What a tree shows, regrouped for reading, still makes each step's value.
fn reads_as_it_computes(case: &str, tree: &Tree) {
    for step in &tree.steps {
        for child in &step.children {
            if let What::Step(at) = child.what {
                assert_eq!(tree.steps[at].value.to_bits(), child.value.to_bits(), "{case}, {}", step.formula.id);
            }
        }
        let Some((value, size)) = evaluated(&step.expression, step) else { continue };
        let near = (value - step.value).abs() <= 1e-12 * size || value.to_bits() == step.value.to_bits();
        assert!(near, "{case}, {}: shows {value}, is {}: {step:?}", step.formula.id, step.value);
    }
}

/// A value, and the size of what it was made from.
fn evaluated(expression: &Expression, step: &Step) -> Option<(f64, f64)> {
    let all = |expressions: &[Expression]| -> Option<Vec<(f64, f64)>> {
        expressions.iter().map(|expression| evaluated(expression, step)).collect()
    };
    Some(match expression {
        Expression::Constant(value) => (*value, value.abs()),
        Expression::Child(at) => (step.children[*at].value, step.children[*at].value.abs()),
        Expression::Sum(summands) => {
            let mut sum = (0.0, 0.0);
            for (factor, summand) in summands {
                let (value, size) = evaluated(summand, step)?;
                sum = (sum.0 + factor * value, sum.1 + factor.abs() * size);
            }
            sum
        }
        Expression::Product(constant, over, under) => {
            let over = all(over)?
                .into_iter()
                .fold((*constant, constant.abs()), |(value, size), factor| (value * factor.0, size * factor.1));
            all(under)?.into_iter().fold(over, |(value, size), divisor| (value / divisor.0, size / divisor.0.abs()))
        }
        Expression::Call(function, arguments) => {
            let values = all(arguments)?;
            let size = values.iter().map(|(_, size)| *size).fold(0.0, f64::max);
            let numbers = values.into_iter().map(|(value, _)| value);
            let value = match function {
                Function::Largest => numbers.reduce(f64::max)?,
                Function::Smallest => numbers.reduce(f64::min)?,
                Function::Floor => numbers.reduce(|_, last| last)?.floor(),
                Function::Divisor => return None,
            };
            (value, size)
        }
        Expression::Further(_) => return None,
    })
}
