//! Why a text is refused, as short phrases: the first argument of `yaml_syntax` and `json_syntax`.

macro_rules! reasons {
    ($($reason:ident $phrase:literal;)*) => {
        /// What is wrong with a text. The phrase is the diagnostic's first argument; the second, where there is one, is the
        /// piece of the text it is about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $(#[doc = concat!("The text has ", $phrase, ".")] $reason,)*
        }

        impl Reason {
            /// Every reason, for tables in other languages.
            pub const ALL: &'static [Self] = &[$(Self::$reason,)*];

            /// The phrase, a noun with what distinguishes it.
            pub const fn phrase(self) -> &'static str {
                match self { $(Self::$reason => $phrase,)* }
            }

            /// The reason of a phrase.
            pub fn of_phrase(phrase: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|reason| reason.phrase() == phrase)
            }
        }
    };
}

reasons! {
    // Characters.
    Tab "a tab between tokens or in indentation";
    NotPrintable "a character that is not printable";
    ByteOrderMark "a byte-order mark";
    ControlCharacter "a control character inside a text";
    ReservedCharacter "a character that no value can begin with";
    // YAML's structure.
    Indentation "indentation that fits no open section";
    ColonHere "a `:` where no key can stand";
    ColonMissing "a key without `:`";
    ColonWithoutBlank "a `:` without a blank after it";
    ItemHere "a `-` where no list item can stand";
    QuestionMark "a `?` inside brackets";
    BracketUnclosed "a bracket that is not closed";
    BracketMismatched "a closing bracket that does not fit";
    CommaMissing "no comma between two values in brackets";
    TextAfterQuote "text right behind a closing quote";
    QuoteUnclosed "a quote that is not closed";
    Escape "an unknown escape";
    BlockScalar "a block text with a wrong header or indentation";
    CommentInText "a comment inside a text of several lines";
    Directive "a malformed `%` line";
    Version "a YAML version other than 1";
    SecondDocument "a second document";
    DocumentEnd "text behind the end of the document";
    // YAML's anchors, merges and tags.
    AnchorName "an anchor name of other characters than letters, digits, `-` and `_`";
    AnchorRepeated "an anchor that is defined twice";
    AliasUndefined "an alias without its anchor";
    MergeOfOther "a merge of something that is no section";
    TagUnknown "an unknown tag";
    TagMalformed "a malformed tag";
    TagMismatched "a tag that does not fit its value";
    KeyIsCollection "a list or section as a key";
    // YAML's values.
    EqualsSign "a bare `=` as a value";
    MergeSign "a bare `<<` as a value";
    DateImpossible "a date that does not exist";
    DigitsMissing "a number without digits";
    DigitsTooMany "a number of too many digits";
    // JSON.
    ValueMissing "no value where one must stand";
    KeyMissing "no quoted key where one must stand";
    CommaOrEndMissing "no comma or closing bracket behind a value";
    TextBehind "text behind the value";
    // Whatever else the event parser refuses.
    Malformed "something that is no YAML";
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn phrases_are_distinct() {
        for reason in Reason::ALL {
            assert_eq!(Reason::of_phrase(reason.phrase()), Some(*reason));
        }
    }
}
