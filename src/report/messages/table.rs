//! A language as a table: one row a code, and the few words that stand around names and values.

use super::{chinese, english};
use crate::diagnostics::Code;

/// A language that diagnostics are said in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Language {
    /// English; what the command line, the JSON and the JavaScript API speak.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// What a language says besides sentences; `{}` stands for a name or a value.
pub(super) struct Words {
    /// The nearest legal spelling.
    pub(super) nearest: &'static str,
    /// The model whose dimensions can be taken.
    pub(super) use_dimensions: &'static str,
    /// Where a key is read.
    pub(super) belongs_to: &'static str,
    /// The key to state.
    pub(super) state: &'static str,
    /// Legal values of a number.
    pub(super) use_value: &'static str,
    /// A key of the model's config.json.
    pub(super) of_config: &'static str,
    /// A key of the execution spec.
    pub(super) of_execution: &'static str,
    /// A value that stands in no text.
    pub(super) no_key: &'static str,
    /// How many items of a long list are not shown.
    pub(super) more: &'static str,
    /// Between two values.
    pub(super) comma: &'static str,
    /// Before the last of several values to choose from.
    pub(super) or: &'static str,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Sentence and advice of a code, as templates.
    pub(super) fn row(self, code: Code) -> (&'static str, &'static str) {
        let rows = match self {
            Self::English => english::ROWS,
            Self::Chinese => chinese::ROWS,
        };
        // A row ends with a line break; its place is the code's (checked where the rows are made).
        rows.split('\n').nth(code as usize).and_then(|row| row.split_once('\t')).unwrap_or((code.name(), ""))
    }

    pub(super) const fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::Chinese => &chinese::WORDS,
        }
    }

    /// A fixed phrase of an argument, as this language says it.
    pub(super) fn phrase(self, english: &str) -> &str {
        let pairs = match self {
            Self::English => english::PHRASES,
            Self::Chinese => chinese::PHRASES,
        };
        let mut pairs = pairs.split('\n').filter_map(|pair| pair.split_once('\t'));
        pairs.find(|(phrase, _)| *phrase == english).map_or(english, |(_, said)| said)
    }
}

/// `ROWS` of a language: for every code its sentence and, after `=>`, what is to be done. One text instead of a list of
/// texts: the page pays for every pointer. A code that is missing or out of order does not compile.
macro_rules! rows {
    ($($code:ident $sentence:literal $(=> $advice:literal)?;)*) => {
        pub(super) const ROWS: &str = concat!($($sentence, "\t", $($advice,)? "\n",)*);

        const _: () = {
            let codes = [$(crate::diagnostics::Code::$code),*];
            assert!(codes.len() == crate::diagnostics::Code::ALL.len(), "a code has no row");
            let mut at = 0;
            while at < codes.len() {
                assert!(codes[at] as usize == at, "rows stand in the order of the codes");
                at += 1;
            }
        };
    };
}

/// `PHRASES` of a language: what fixed arguments are in it.
macro_rules! phrases {
    ($($english:literal => $said:literal;)*) => {
        pub(super) const PHRASES: &str = concat!($($english, "\t", $said, "\n",)*);
    };
}

pub(super) use {phrases, rows};
