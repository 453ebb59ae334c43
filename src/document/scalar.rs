//! What a scalar's text means to PyYAML's safe loader (YAML 1.1): one table of patterns, and how each kind is made.

use super::date::Date;
use super::node::Value;
use super::pattern::{Piece, Set, matches};
use super::reason::Reason;
use crate::decimal::{self, Natural};
use Piece::{Any, Choice, Maybe, One, Optional, Repeated, Some as AtLeastOne, Word};

/// What a plain scalar stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Float,
    Integer,
    Merge,
    Null,
    Timestamp,
    EqualsSign,
}

/// A row of the table: the kind, the characters such a scalar begins with, the length of the longest one if there is one,
/// and its spellings.
struct Row {
    kind: Kind,
    first: First,
    longest: usize,
    spellings: &'static [&'static [Piece]],
}

/// A set of ASCII characters as bits: most texts are told from all else by their first character.
struct First(u128);

impl First {
    const fn of(characters: &[u8]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < characters.len() {
            bits |= 1 << characters[at];
            at += 1;
        }
        Self(bits)
    }

    const fn contains(&self, character: u8) -> bool {
        character.is_ascii() && self.0 >> character & 1 == 1
    }
}

const SIGN: Set = &[b'+'..=b'+', b'-'..=b'-'];
const DIGIT: Set = &[b'0'..=b'9'];
const NOT_ZERO: Set = &[b'1'..=b'9'];
const DIGITS: Set = &[b'0'..=b'9', b'_'..=b'_'];
const BINARY: Set = &[b'0'..=b'1', b'_'..=b'_'];
const OCTAL: Set = &[b'0'..=b'7', b'_'..=b'_'];
const HEXADECIMAL: Set = &[b'0'..=b'9', b'a'..=b'f', b'A'..=b'F', b'_'..=b'_'];
const TENS: Set = &[b'0'..=b'5'];
const BLANKS: Set = &[b' '..=b' ', b'\t'..=b'\t'];
const LETTER_T: Set = &[b'T'..=b'T', b't'..=b't'];
const LETTER_E: Set = &[b'E'..=b'E', b'e'..=b'e'];

/// `:0` to `:59`, once or more. Two digits first, since pieces do not go back.
const SIXTIETHS: Piece = Repeated(&[Word(":"), Choice(&[&[One(TENS), One(DIGIT)], &[One(DIGIT)]])]);
/// An exponent needs its sign.
const EXPONENT: Piece = Optional(&[One(LETTER_E), One(SIGN), AtLeastOne(DIGIT)]);
const TWO: Piece = Choice(&[&[One(DIGIT), One(DIGIT)]]);
const ONE_OR_TWO: Piece = Choice(&[&[One(DIGIT), Maybe(DIGIT)]]);
const ZONE: Piece =
    Optional(&[Any(BLANKS), Choice(&[&[Word("Z")], &[One(SIGN), ONE_OR_TWO, Optional(&[Word(":"), TWO])]])]);

/// The resolver's table, in the order in which it is tried (YAML 1.1 as PyYAML 6 has it; config-spec 14 and 18.6).
const TABLE: &[Row] = &[
    Row {
        kind: Kind::Bool,
        first: First::of(b"yYnNtTfFoO"),
        longest: 5,
        spellings: &[
            &[Word("yes")],
            &[Word("Yes")],
            &[Word("YES")],
            &[Word("no")],
            &[Word("No")],
            &[Word("NO")],
            &[Word("true")],
            &[Word("True")],
            &[Word("TRUE")],
            &[Word("false")],
            &[Word("False")],
            &[Word("FALSE")],
            &[Word("on")],
            &[Word("On")],
            &[Word("ON")],
            &[Word("off")],
            &[Word("Off")],
            &[Word("OFF")],
        ],
    },
    Row {
        kind: Kind::Float,
        first: First::of(b"-+0123456789."),
        longest: usize::MAX,
        spellings: &[
            &[Maybe(SIGN), One(DIGIT), Any(DIGITS), Word("."), Any(DIGITS), EXPONENT],
            &[Word("."), One(DIGIT), Any(DIGITS), EXPONENT],
            &[Maybe(SIGN), One(DIGIT), Any(DIGITS), SIXTIETHS, Word("."), Any(DIGITS)],
            &[Maybe(SIGN), Word(".inf")],
            &[Maybe(SIGN), Word(".Inf")],
            &[Maybe(SIGN), Word(".INF")],
            &[Word(".nan")],
            &[Word(".NaN")],
            &[Word(".NAN")],
        ],
    },
    Row {
        kind: Kind::Integer,
        first: First::of(b"-+0123456789"),
        longest: usize::MAX,
        spellings: &[
            &[Maybe(SIGN), Word("0b"), AtLeastOne(BINARY)],
            &[Maybe(SIGN), Word("0"), AtLeastOne(OCTAL)],
            &[Maybe(SIGN), Word("0")],
            &[Maybe(SIGN), One(NOT_ZERO), Any(DIGITS)],
            &[Maybe(SIGN), Word("0x"), AtLeastOne(HEXADECIMAL)],
            &[Maybe(SIGN), One(NOT_ZERO), Any(DIGITS), SIXTIETHS],
        ],
    },
    Row { kind: Kind::Merge, first: First::of(b"<"), longest: 2, spellings: &[&[Word("<<")]] },
    Row {
        kind: Kind::Null,
        first: First::of(b"~nN"),
        longest: 4,
        spellings: &[&[Word("~")], &[Word("null")], &[Word("Null")], &[Word("NULL")]],
    },
    Row {
        kind: Kind::Timestamp,
        first: First::of(b"0123456789"),
        longest: usize::MAX,
        spellings: &[
            &[TWO, TWO, Word("-"), TWO, Word("-"), TWO],
            &[
                TWO,
                TWO,
                Word("-"),
                ONE_OR_TWO,
                Word("-"),
                ONE_OR_TWO,
                Choice(&[&[One(LETTER_T)], &[AtLeastOne(BLANKS)]]),
                ONE_OR_TWO,
                Word(":"),
                TWO,
                Word(":"),
                TWO,
                Optional(&[Word("."), Any(DIGIT)]),
                ZONE,
            ],
        ],
    },
    Row { kind: Kind::EqualsSign, first: First::of(b"="), longest: 1, spellings: &[&[Word("=")]] },
];

/// What the first character can tell: in a file most scalars are keys and texts, which end here.
const FIRST: First = {
    let (mut bits, mut row) = (0, 0);
    while row < TABLE.len() {
        bits |= TABLE[row].first.0;
        row += 1;
    }
    First(bits)
};

/// The kind of a plain scalar; nothing for a text.
pub(super) fn kind(text: &str) -> Option<Kind> {
    let Some(first) = text.bytes().next() else { return Some(Kind::Null) };
    if !FIRST.contains(first) {
        return None;
    }
    if short_decimal(text).is_some() {
        return Some(Kind::Integer);
    }
    TABLE
        .iter()
        .filter(|row| row.first.contains(first) && text.len() <= row.longest)
        .find(|row| row.spellings.iter().any(|spelling| matches(spelling, text)))
        .map(|row| row.kind)
}

/// What a tag asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// No tag: the style and the text decide.
    Nothing,
    /// `!`: the text decides, even a quoted one.
    Plain,
    Text,
    Integer,
    Float,
    Bool,
    Null,
    Timestamp,
    Sequence,
    Mapping,
}

impl Asked {
    /// By the tag's full name; nothing for a tag that no real file uses or the safe loader does not know.
    pub(super) fn by_tag(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("tag:yaml.org,2002:") {
            None if name == "!" => Self::Plain,
            Some("str") => Self::Text,
            Some("int") => Self::Integer,
            Some("float") => Self::Float,
            Some("bool") => Self::Bool,
            Some("null") => Self::Null,
            Some("timestamp") => Self::Timestamp,
            Some("seq") => Self::Sequence,
            Some("map") => Self::Mapping,
            Some(_) | None => return None,
        })
    }
}

/// The value of a scalar under its tag.
pub(super) fn value(text: &str, is_plain: bool, asked: Asked) -> Result<Value, Reason> {
    match asked {
        Asked::Nothing if !is_plain => Ok(Value::Text(text.into())),
        Asked::Nothing | Asked::Plain => plain(text),
        Asked::Text => Ok(Value::Text(text.into())),
        Asked::Integer => integer(text),
        Asked::Float => float(text),
        Asked::Bool => boolean(text),
        Asked::Null => Ok(Value::Null),
        Asked::Timestamp => date(text),
        Asked::Sequence | Asked::Mapping => Err(Reason::TagMismatched),
    }
}

/// The value of a plain scalar.
fn plain(text: &str) -> Result<Value, Reason> {
    match kind(text) {
        None => Ok(Value::Text(text.into())),
        Some(Kind::Null) => Ok(Value::Null),
        Some(Kind::Bool) => boolean(text),
        Some(Kind::Integer) => integer(text),
        Some(Kind::Float) => float(text),
        Some(Kind::Timestamp) => date(text),
        Some(Kind::Merge) => Err(Reason::MergeSign),
        Some(Kind::EqualsSign) => Err(Reason::EqualsSign),
    }
}

/// The value of a scalar under `!!bool`, or of one that resolved to a boolean.
fn boolean(text: &str) -> Result<Value, Reason> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" => Ok(Value::Bool(true)),
        "no" | "false" | "off" => Ok(Value::Bool(false)),
        _ => Err(Reason::TagMismatched),
    }
}

/// The value of a scalar under `!!timestamp`, or of one that resolved to a date.
fn date(text: &str) -> Result<Value, Reason> {
    Date::parse(text).map(|_| Value::Date(text.into())).ok_or(Reason::DateImpossible)
}

/// Python's limit on the digits of an integer read from a text.
pub(super) const LONGEST_INTEGER: usize = 4300;

/// The value of a scalar under `!!int`, or of one that resolved to an integer.
fn integer(text: &str) -> Result<Value, Reason> {
    if let Some(number) = short_decimal(text) {
        return Ok(Value::Integer(number));
    }
    if text.len() > LONGEST_INTEGER {
        return Err(Reason::DigitsTooMany);
    }
    let text = text.replace('_', "");
    let (negative, digits) = signed(&text);
    let wide = if let Some(binary) = digits.strip_prefix("0b") {
        Natural::parse(binary, 2)
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        Natural::parse(hexadecimal, 16)
    } else if digits.starts_with('0') {
        // Only under a tag can there be an `o`: Python takes its own prefix.
        Natural::parse(digits.strip_prefix("0o").unwrap_or(digits), 8)
    } else {
        // Places of sixty, or just one.
        digits.split(':').try_fold(Natural::default(), |sum, place| {
            Some(sum.times_plus(60, 0)).zip(Natural::parse(place, 10)).map(|(sum, place)| sum.plus(&place))
        })
    };
    let missing = if digits.starts_with("0b") || digits.starts_with("0x") {
        Reason::DigitsMissing
    } else {
        Reason::TagMismatched
    };
    wide.map(|natural| whole(&natural, negative)).ok_or(missing)
}

/// What nearly every number is: a few digits, none of them a zero in front.
fn short_decimal(text: &str) -> Option<i64> {
    let plain = text.len() <= 18 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}

/// The value of decimal digits with or without a minus sign.
pub(super) fn decimal(text: &str) -> Result<Value, Reason> {
    if let Some(number) = short_decimal(text) {
        return Ok(Value::Integer(number));
    }
    let (negative, digits) = signed(text);
    if digits.len() > LONGEST_INTEGER {
        return Err(Reason::DigitsTooMany);
    }
    Natural::parse(digits, 10).map(|natural| whole(&natural, negative)).ok_or(Reason::DigitsMissing)
}

/// A whole number as a value, narrow where it fits.
fn whole(natural: &Natural, negative: bool) -> Value {
    let mut digits = natural.decimal();
    if negative && digits != "0" {
        digits.insert(0, '-');
    }
    digits.parse().map_or_else(|_| Value::WideInteger(digits.as_str().into()), Value::Integer)
}

/// The value of a scalar under `!!float`, or of one that resolved to a float.
fn float(text: &str) -> Result<Value, Reason> {
    let text = text.replace('_', "").to_ascii_lowercase();
    let (negative, magnitude) = signed(&text);
    let value = match magnitude {
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        _ if magnitude.contains(':') => sixtieths(magnitude),
        _ => super::python::float_of_text(magnitude),
    };
    value.map(|value| Value::Float(if negative { -value } else { value })).ok_or(Reason::TagMismatched)
}

/// Places of sixty, the last with a fraction; nothing past the range of doubles, as in Python.
fn sixtieths(text: &str) -> Option<f64> {
    let mut sum = 0.0;
    let mut base = Natural::from(1);
    for place in text.rsplit(':') {
        sum += super::python::float_of_text(place)? * decimal::read(&base.decimal()).filter(|base| base.is_finite())?;
        base = base.times_plus(60, 0);
    }
    Some(sum)
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}
