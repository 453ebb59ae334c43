//! Which memory model answers, and under which policies.

use super::policies::Policy;
use super::{ledger, reference};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Help, Place};
use crate::model::nearest;

/// A memory model with its policies in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryModel {
    /// `sapp_nd`.
    Reference(reference::Policies),
    /// `fsdp2`.
    Ledger(ledger::Policies),
}

impl Default for MemoryModel {
    fn default() -> Self {
        Self::Reference(reference::Policies::default())
    }
}

impl MemoryModel {
    /// The names, the default first.
    pub const NAMES: [&str; 2] = [reference::NAME, ledger::NAME];

    /// `sapp_nd` or `fsdp2`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reference(_) => reference::NAME,
            Self::Ledger(_) => ledger::NAME,
        }
    }

    /// Each policy's name and its value in force, in the order of the model's table.
    pub fn policies(self) -> Vec<(&'static str, String)> {
        match self {
            Self::Reference(policies) => policies.named().collect(),
            Self::Ledger(policies) => policies.named().collect(),
        }
    }
}

/// Every policy of a memory model; none for an unknown name.
pub fn policies_of(memory_model: &str) -> &'static [Policy] {
    match memory_model {
        reference::NAME => &reference::policies::POLICIES,
        ledger::NAME => &ledger::policies::POLICIES,
        _ => &[],
    }
}

/// The memory model in force, and the one whose figure may stand beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The one that answers.
    pub in_force: MemoryModel,
    /// The other.
    pub other: MemoryModel,
}

impl Default for Chosen {
    fn default() -> Self {
        Self { in_force: MemoryModel::default(), other: MemoryModel::Ledger(ledger::Policies::default()) }
    }
}

impl Chosen {
    /// The memory model of this name, with policies chosen by name. A policy of the other memory model is kept for its
    /// figure: no name belongs to both. Or everything that is unknown.
    pub fn of(memory_model: &str, choices: &[(String, String)]) -> Result<Checked<Self>, Errors> {
        let mut findings = Findings::new();
        if !MemoryModel::NAMES.contains(&memory_model) {
            findings.add(unknown_model(memory_model));
        }
        let is_ledger = memory_model == ledger::NAME;
        let belongs = |table: &[Policy], name: &str| table.iter().any(|policy| policy.id == name);
        let of_ledger = |(name, _): &&(String, String)| {
            let (reference, ledger) = (&reference::policies::POLICIES, &ledger::policies::POLICIES);
            belongs(ledger, name) || is_ledger && !belongs(reference, name)
        };
        let (ledger, reference): (Vec<_>, Vec<_>) = choices.iter().cloned().partition(|choice| of_ledger(&choice));
        let reference = findings.take(reference::Policies::chosen(&reference)).map(MemoryModel::Reference);
        let ledger = findings.take(ledger::Policies::chosen(&ledger)).map(MemoryModel::Ledger);
        let chosen = reference.zip(ledger).map(|(reference, ledger)| {
            let (in_force, other) = if is_ledger { (ledger, reference) } else { (reference, ledger) };
            Self { in_force, other }
        });
        findings.finish(chosen)
    }
}

fn unknown_model(name: &str) -> Diagnostic {
    let help = match nearest::nearest(name, MemoryModel::NAMES) {
        Some(near) => Help::Nearest(near.to_owned()),
        None => Help::OneOf(MemoryModel::NAMES.map(str::to_owned).to_vec()),
    };
    Diagnostic::new(Code::MemoryModelUnknown, Place::Whole).with(name).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(name: &str, pairs: &[(&str, &str)]) -> Result<Chosen, Vec<(&'static str, Option<Help>)>> {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        match Chosen::of(name, &pairs) {
            Ok(checked) => Ok(checked.value),
            Err(errors) => Err(errors.errors().iter().map(|error| (error.code.name(), error.help.clone())).collect()),
        }
    }

    #[test]
    fn no_policy_belongs_to_both() {
        for policy in policies_of(reference::NAME) {
            assert!(policies_of(ledger::NAME).iter().all(|other| other.id != policy.id), "{}", policy.id);
        }
        assert!(policies_of("toy").is_empty());
    }

    #[test]
    fn each_model_takes_its_own_policies() {
        let pairs = [("norm", "fused"), ("cm-norms", "own")];
        for name in MemoryModel::NAMES {
            let Chosen { in_force, other } = chosen(name, &pairs).expect("known");
            assert_eq!(in_force.name(), name);
            let named = [in_force, other].map(MemoryModel::policies).concat();
            for (name, value) in pairs {
                assert!(named.contains(&(name, value.to_owned())), "{name}");
            }
        }
        assert_eq!(chosen("sapp_nd", &[]), Ok(Chosen::default()));
    }

    #[test]
    fn everything_unknown_is_told_at_once() {
        let errors = chosen("fsdp", &[("norms", "x"), ("norm", "lazy")]).expect_err("unknown");
        let codes: Vec<_> = errors.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, ["memory_model_unknown", "policy_unknown", "policy_value_unknown"]);
        assert_eq!(errors[0].1, Some(Help::Nearest("fsdp2".to_owned())));
        let Some(Help::OneOf(names)) = &chosen("fsdp2", &[("none", "x")]).expect_err("unknown")[0].1 else {
            panic!("what there is")
        };
        assert_eq!(names.len(), policies_of("fsdp2").len());
    }
}
