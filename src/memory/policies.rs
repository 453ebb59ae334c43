//! Named policies: what both memory models need to offer choices by name. Each model states its own table.

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
    /// Stable kebab-case id, which ends in `:N` where the value takes a number above 0: `chunked:N` is written `chunked:4096`.
    pub id: &'static str,
    /// What it means, as a phrase.
    pub meaning: &'static str,
}

/// Ends the id of a value that takes a number.
const NUMBER: &str = ":N";

impl Policy {
    /// The value where none is chosen: the specified one.
    pub const fn default_value(&self) -> &'static str {
        self.values[0].id
    }
}

impl PolicyValue {
    /// What stands before the number of a value that takes one.
    fn stem(&self) -> Option<&'static str> {
        self.id.strip_suffix(NUMBER)
    }

    /// Whether `written` names this value, and the number it gives.
    fn read(&self, written: &str) -> Option<u64> {
        let Some(stem) = self.stem() else { return (self.id == written).then_some(0) };
        let number = written.strip_prefix(stem)?.strip_prefix(':')?;
        let digits = number.bytes().all(|digit| digit.is_ascii_digit());
        number.parse().ok().filter(|number| digits && *number > 0)
    }

    /// As a choice is written: with its number, where it takes one.
    pub(super) fn written(&self, number: u64) -> String {
        match self.stem() {
            Some(stem) => format!("{stem}:{number}"),
            None => self.id.to_owned(),
        }
    }
}

/// One choice understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    /// Place of the policy in its table.
    pub(super) policy: usize,
    /// Place of the value among the policy's.
    pub(super) value: u8,
    /// The number of a value that takes one, else 0.
    pub(super) number: u64,
}

/// Hands every choice that `table` has to `set`, in order; or finds every name and value that is unknown.
pub(super) fn choose(
    table: &'static [Policy],
    choices: &[(String, String)],
    set: &mut dyn FnMut(Choice),
) -> Result<Checked<()>, Errors> {
    let mut findings = Findings::new();
    for (name, value) in choices {
        match choice(table, name, value) {
            Ok(choice) => set(choice),
            Err(finding) => findings.add(finding),
        }
    }
    findings.finish(Some(()))
}

fn choice(table: &'static [Policy], name: &str, value: &str) -> Result<Choice, Diagnostic> {
    let Some((at, policy)) = table.iter().enumerate().find(|(_, policy)| policy.id == name) else {
        return Err(unknown(Code::PolicyUnknown, name, table.iter().map(|policy| policy.id)));
    };
    let mut values = (0_u8..).zip(policy.values);
    let chosen = values.find_map(|(at, candidate)| Some((at, candidate.read(value)?)));
    let Some((value, number)) = chosen else {
        let names = policy.values.iter().map(|value| value.id);
        return Err(unknown(Code::PolicyValueUnknown, value, names).with(name));
    };
    Ok(Choice { policy: at, value, number })
}

/// An unknown word, and the one that is meant, or all there are.
fn unknown(code: Code, word: &str, known: impl Iterator<Item = &'static str> + Clone) -> Diagnostic {
    let help = match nearest::nearest(word, known.clone()) {
        Some(near) => Help::Nearest(near.to_owned()),
        None => Help::OneOf(known.map(str::to_owned).collect()),
    };
    Diagnostic::new(code, Place::Whole).with(word).help(help)
}

/// Makes a model's table: an enum and an accessor for each policy, `POLICIES`, and `Policies`, the values in force. A value
/// that takes a number names its field: `Chunked(chunk) "chunked:N"`.
macro_rules! policies {
    ($(
        $kind:ident $accessor:ident $id:literal $meaning:literal
        [$($value:ident $(($number:ident))? $name:literal $is:literal;)*]
    )*) => {
        $(
            #[doc = concat!($meaning, ".")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub enum $kind {
                $(#[doc = concat!($is, ".")] $value $(($crate::memory::policies::number!($number)))?,)*
            }
        )*

        /// Places in the table.
        #[derive(Clone, Copy)]
        enum At {
            $($kind,)*
        }

        /// Every policy, in the order reports list them.
        pub static POLICIES: [$crate::memory::policies::Policy; [$(At::$kind,)*].len()] =
            [$($crate::memory::policies::Policy {
                id: $id,
                meaning: $meaning,
                values: &[$($crate::memory::policies::PolicyValue { id: $name, meaning: $is },)*],
            },)*];

        /// The policies in force; the default is the specified value of each.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct Policies {
            /// Their places in [`POLICIES`].
            places: [u8; POLICIES.len()],
            $($($($number: u64,)?)*)*
        }

        impl Policies {
            /// The specified values with others chosen by name, or every name and value that is unknown.
            pub fn chosen(
                choices: &[(String, String)],
            ) -> Result<$crate::diagnostics::Checked<Self>, $crate::diagnostics::Errors> {
                let mut policies = Self::default();
                let chosen = $crate::memory::policies::choose(&POLICIES, choices, &mut |choice| {
                    policies.places[choice.policy] = choice.value;
                    $($($(if choice.policy == At::$kind as usize {
                        policies.$number = choice.number;
                    })?)*)*
                });
                chosen.map(|checked| $crate::diagnostics::Checked { value: policies, warnings: checked.warnings })
            }

            /// Each policy's name and its value in force as it is written, in the order of [`POLICIES`].
            pub fn named(self) -> impl Iterator<Item = (&'static str, String)> {
                let numbers: [u64; POLICIES.len()] = [$($crate::memory::policies::first!($($(self.$number,)?)* 0)),*];
                let named = POLICIES.iter().zip(self.places).zip(numbers);
                named.map(|((policy, value), number)| (policy.id, policy.values[usize::from(value)].written(number)))
            }

            $(
                #[doc = concat!("The value in force of `", $id, "`.")]
                pub const fn $accessor(self) -> $kind {
                    [$($kind::$value $((self.$number))?,)*][self.places[At::$kind as usize] as usize]
                }
            )*
        }
    };
}

/// The type of a value's number.
macro_rules! number {
    ($name:ident) => {
        u64
    };
}

/// The first of several expressions.
macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

pub(super) use {first, number, policies};

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: [Policy; 2] = [
        Policy {
            id: "loss",
            meaning: "",
            values: &[PolicyValue { id: "full", meaning: "" }, PolicyValue { id: "chunked:N", meaning: "" }],
        },
        Policy {
            id: "norm",
            meaning: "",
            values: &[PolicyValue { id: "eager", meaning: "" }, PolicyValue { id: "fused", meaning: "" }],
        },
    ];

    fn chosen(pairs: &[(&str, &str)]) -> Result<Vec<(usize, u8, u64)>, Errors> {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut found = Vec::new();
        choose(&TABLE, &pairs, &mut |choice| found.push((choice.policy, choice.value, choice.number)))?;
        Ok(found)
    }

    #[test]
    fn a_value_takes_its_number_and_only_then() {
        let pairs = [("loss", "chunked:4096"), ("norm", "fused"), ("loss", "full")];
        assert_eq!(chosen(&pairs).expect("known"), [(0, 1, 4096), (1, 1, 0), (0, 0, 0)]);
        assert_eq!(TABLE[0].values[1].written(4096), "chunked:4096");
        assert_eq!(TABLE[0].values[0].written(4096), "full");
    }

    #[test]
    fn a_number_that_is_none_is_told_with_the_form() {
        for wrong in ["chunked", "chunked:", "chunked:0", "chunked:+4", "chunked:4k", "chunked:99999999999999999999"] {
            let errors = chosen(&[("loss", wrong)]).expect_err(wrong);
            assert_eq!(errors.first().code, Code::PolicyValueUnknown, "{wrong}");
            let helps = [Help::Nearest("chunked:N".into()), Help::OneOf(vec!["full".into(), "chunked:N".into()])];
            assert!(helps.contains(errors.first().help.as_ref().expect("a way on")), "{wrong}");
        }
    }
}
