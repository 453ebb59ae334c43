//! What the readings speak of: symbols and formulas. Their meanings stand in tables of their own, so that only what shows
//! them carries them.

/// A number of a config, as formulas write it: the reference's name for it (`h`, `s`, `bytes_compute`, …).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol(pub &'static str);

/// A formula of the reference, with the place it follows.
#[derive(Debug, PartialEq, Eq)]
pub struct Formula {
    /// Stable kebab-case id.
    pub id: &'static str,
    /// The section of the specification it follows.
    pub reference: &'static str,
}

/// A formula and what its result is, in English.
pub type Described = (&'static Formula, &'static str);

/// A table of numbers: each line is the meaning, the name by which formulas read it, the reference's symbol. Gives the
/// struct over any quantity, and the meanings of its symbols.
macro_rules! fields {
    (
        $(#[doc = $about:literal])+
        $name:ident;
        $($(#[doc = $meaning:literal])+ $field:ident $symbol:literal;)*
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct $name<V> {
            $($(#[doc = $meaning])+ pub(crate) $field: V,)*
        }

        impl $name<()> {
            /// Each symbol with what it is, in English.
            pub(crate) const MEANINGS: &'static [(&'static str, &'static str)] =
                &[$(($symbol, concat!($($meaning),+).trim_ascii()),)*];
        }

        impl $name<f64> {
            /// Each number as another quantity, under its symbol.
            pub(crate) fn lift<V: $crate::explain::Quantity>(&self, context: V::Context) -> $name<V> {
                static NAMES: &[$crate::explain::Symbol] = &[$($crate::explain::Symbol($symbol)),*];
                let [$($field),*] = $crate::explain::lift(context, NAMES, [$(self.$field),*]);
                $name { $($field),* }
            }
        }
    };
}

/// A table of formulas: each line is the meaning, the name of the static, the id, the section of the reference. Gives the
/// statics, and all of them with their meanings as `FORMULAS`.
macro_rules! formulas {
    ($($(#[doc = $meaning:literal])+ $name:ident $id:literal $section:literal;)*) => {
        $(
            $(#[doc = $meaning])+
            pub(super) static $name: $crate::explain::Formula =
                $crate::explain::Formula { id: $id, reference: $section };
        )*

        /// Every formula of this file.
        pub(crate) static FORMULAS: &[$crate::explain::Described] =
            &[$((&$name, concat!($($meaning),+).trim_ascii())),*];
    };
}

pub(crate) use {fields, formulas};
