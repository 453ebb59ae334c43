//! The choices of the reference that were reconstructed rather than read, each a named policy with the specified value
//! as its default (memory-core 15). `docs/architecture.md` says which of the nine are no policy, and why.

use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Findings, Help, Place};
use crate::model::nearest;

/// A policy, for views and for the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Stable kebab-case id.
    pub id: &'static str,
    /// What it decides, as a phrase.
    pub meaning: &'static str,
    /// Its values, the default first.
    pub values: &'static [PolicyValue],
}

/// A value of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyValue {
    /// Stable kebab-case id.
    pub id: &'static str,
    /// What it means, as a phrase.
    pub meaning: &'static str,
}

impl Policy {
    /// The value where none is chosen: the specified one.
    pub const fn default_value(&self) -> &'static str {
        self.values[0].id
    }
}

macro_rules! policies {
    ($($kind:ident $accessor:ident $id:literal $meaning:literal [$($value:ident $name:literal $is:literal;)*])*) => {
        $(
            #[doc = concat!($meaning, ".")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $kind {
                $(#[doc = concat!($is, ".")] $value,)*
            }
        )*

        /// Places in the table.
        #[derive(Clone, Copy)]
        enum At {
            $($kind,)*
        }

        /// Every policy, in the order reports list them.
        pub static POLICIES: [Policy; [$(At::$kind,)*].len()] = [$(Policy {
            id: $id,
            meaning: $meaning,
            values: &[$(PolicyValue { id: $name, meaning: $is },)*],
        },)*];

        impl Policies {
            $(
                #[doc = concat!("The value in force of `", $id, "`.")]
                pub const fn $accessor(self) -> $kind {
                    [$($kind::$value,)*][self.0[At::$kind as usize] as usize]
                }
            )*
        }
    };
}

policies! {
    OutputActivations output_activations "output-activations-under-cp" "What the output layer and the MTP heads keep under CP" [
        Divided "divided" "divided by CP";
        Whole "whole" "not divided by CP";
    ]
    OutputBuffer output_buffer "output-buffer-under-cp" "What divides the gathered tables of the output layer and the MTP heads" [
        TensorAndContext "tensor-and-context" "TP and CP";
        Parameter "parameter" "TP, and CP only where the shard does not span it, as for the embedding";
    ]
    LayerBuffer layer_buffer "layer-buffer-under-cp" "What divides the sharded term of a layer's gathered parameters" [
        LayerTensorAndContext "tensor-and-context" "TP and CP";
        LayerParameter "parameter" "TP, and CP only where the shard does not span it";
    ]
    OutputCensus output_census "output-census-split" "When TP splits the measured activations of the output layer" [
        LossParallel "loss-parallel" "where the loss runs on vocabulary-sharded logits";
        Never "never" "never";
    ]
    RecomputeInput recompute_input "recompute-input-under-cp" "The input that a fully recomputed layer keeps under CP" [
        InputWhole "whole" "not divided by CP";
        InputDivided "divided" "divided by CP";
    ]
    CmNorms cm_norms "cm-norms" "How the norms of a layer of the family cm are counted" [
        AsOthers "as-others" "as in every family";
        Own "own" "from its op counts: 2 vectors for each norm, and half a head width for each attention projection";
    ]
}

/// The policies in force, by their places in [`POLICIES`]; the default is the specified value of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policies([u8; POLICIES.len()]);

impl Policies {
    /// The specified values with others chosen by name, or every name and value that is unknown.
    pub fn chosen(choices: &[(String, String)]) -> Result<Checked<Self>, Errors> {
        let mut policies = Self::default();
        let mut findings = Findings::new();
        for (name, value) in choices {
            if let Err(finding) = policies.choose(name, value) {
                findings.add(finding);
            }
        }
        findings.finish(Some(policies))
    }

    fn choose(&mut self, name: &str, value: &str) -> Result<(), Diagnostic> {
        let Some((at, policy)) = POLICIES.iter().enumerate().find(|(_, policy)| policy.id == name) else {
            return Err(unknown(Code::PolicyUnknown, name, POLICIES.iter().map(|policy| policy.id)));
        };
        let Some(chosen) = (0_u8..).zip(policy.values).find(|(_, candidate)| candidate.id == value) else {
            let names = policy.values.iter().map(|value| value.id);
            return Err(unknown(Code::PolicyValueUnknown, value, names).with(name));
        };
        self.0[at] = chosen.0;
        Ok(())
    }

    /// Each policy's name and its value in force, in the order of [`POLICIES`].
    pub fn named(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        POLICIES.iter().zip(self.0).map(|(policy, value)| (policy.id, policy.values[usize::from(value)].id))
    }
}

/// An unknown word, and the one that is meant, or all there are.
fn unknown(code: Code, word: &str, known: impl Iterator<Item = &'static str> + Clone) -> Diagnostic {
    let help = match nearest::nearest(word, known.clone()) {
        Some(near) => Help::Nearest(near.to_owned()),
        None => Help::OneOf(known.map(str::to_owned).collect()),
    };
    Diagnostic::new(code, Place::Whole).with(word).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn ids_are_kebab_case_and_distinct_and_every_policy_has_a_choice() {
        let kebab = |id: &str| id.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
        let ids: std::collections::BTreeSet<_> = POLICIES.iter().map(|policy| policy.id).collect();
        assert_eq!(ids.len(), POLICIES.len());
        for policy in &POLICIES {
            assert!(kebab(policy.id) && policy.values.len() > 1, "{policy:?}");
            assert!(policy.values.iter().all(|value| kebab(value.id)), "{policy:?}");
        }
    }

    #[test]
    fn the_default_is_the_first_value_and_the_last_choice_counts() {
        for (policy, (name, value)) in POLICIES.iter().zip(Policies::default().named()) {
            assert_eq!((policy.id, policy.default_value()), (name, value));
        }
        let pairs = choices(&[("output-census-split", "never"), ("cm-norms", "own"), ("cm-norms", "as-others")]);
        let chosen = Policies::chosen(&pairs).expect("known").value;
        assert_eq!(chosen.output_census(), OutputCensus::Never);
        assert_eq!(chosen.cm_norms(), CmNorms::AsOthers);
        assert_eq!(chosen.output_activations(), OutputActivations::Divided);
    }

    #[test]
    fn unknown_names_and_values_are_told_at_once_with_the_way_on() {
        let pairs = choices(&[("cm-norm", "own"), ("none", "such"), ("cm-norms", "mine"), ("cm-norms", "0wn")]);
        let errors = Policies::chosen(&pairs).expect_err("unknown");
        let codes: Vec<_> = errors.errors().iter().map(|error| error.code.name()).collect();
        assert_eq!(codes, ["policy_unknown", "policy_unknown", "policy_value_unknown", "policy_value_unknown"]);
        assert_eq!(errors.first().help, Some(Help::Nearest("cm-norms".to_owned())));
        assert_eq!(errors.errors()[2].help, Some(Help::OneOf(vec!["as-others".to_owned(), "own".to_owned()])));
        assert_eq!(errors.errors()[2].arguments, ["mine".into(), "cm-norms".into()]);
    }
}
