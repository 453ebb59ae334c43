//! What a run was seen to need, beside what is predicted for it.

use super::view::Verdict;
use crate::decimal;
use crate::units::Bytes;

/// What the line that `docs/measure.py` prints begins with.
pub const MARK: &str = "shardmem-measured:";

/// Which of PyTorch's two figures it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// `max_memory_allocated`: what tensors took.
    Allocated,
    /// `max_memory_reserved`: what the allocator took for them.
    Reserved,
}

impl Figure {
    /// `allocated` or `reserved`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Allocated => "allocated",
            Self::Reserved => "reserved",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Allocated, Self::Reserved].into_iter().find(|figure| figure.id() == word)
    }
}

/// A peak as it was read; above zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount {
    /// How much.
    pub bytes: Bytes,
    /// Of what; what is not said is allocated.
    pub figure: Figure,
}

/// A measured peak and its prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The measured peak.
    pub bytes: Bytes,
    /// Of what.
    pub figure: Figure,
    /// What was predicted for it.
    pub predicted: Bytes,
    /// Prediction less measurement, as a share of the measurement: 0.05 is five percent too much.
    pub error: f64,
}

impl Measured {
    /// A measured peak beside what was predicted for it.
    pub fn new(amount: Amount, predicted: Bytes) -> Self {
        let Amount { bytes, figure } = amount;
        Self { bytes, figure, predicted, error: (predicted.value() - bytes.value()) / bytes.value() }
    }

    /// A measured peak beside the verdict's figure: allocated beside the peak, reserved beside what is expected of a device
    /// where the memory model says so.
    pub fn beside(amount: Amount, verdict: &Verdict) -> Self {
        let predicted = match (amount.figure, verdict.band) {
            (Figure::Reserved, Some(band)) => band.expected,
            (Figure::Reserved, None) | (Figure::Allocated, _) => verdict.peak,
        };
        Self::new(amount, predicted)
    }
}

/// Reads a measured peak: bytes, a number with a unit (`65.2GiB`, `70GB`; GB is 10^9), either with `allocated` or `reserved`
/// behind it, or a text that holds lines of `docs/measure.py`, of which the largest counts, allocated before reserved.
pub fn read(text: &str) -> Option<Amount> {
    if !text.contains(MARK) {
        let (amount, rest) = amount(text)?;
        return rest.is_empty().then_some(amount);
    }
    let mut largest: Option<Amount> = None;
    for (amount, _) in text.lines().filter_map(|line| amount(line.split_once(MARK)?.1)) {
        let rank = |amount: Amount| (amount.figure == Figure::Allocated, amount.bytes);
        if largest.is_none_or(|largest| rank(amount) > rank(largest)) {
            largest = Some(amount);
        }
    }
    largest
}

/// A number with its unit and figure, and what stands behind them.
fn amount(text: &str) -> Option<(Amount, &str)> {
    let text = text.trim();
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.')).unwrap_or(text.len());
    let count = decimal::read(&text[..end])?;
    let (factor, rest) = leading(&text[end..], unit).unwrap_or((1.0, text[end..].trim()));
    let (figure, rest) = leading(rest, Figure::of).unwrap_or((Figure::Allocated, rest));
    let bytes = Bytes::new(count * factor);
    (bytes > Bytes::ZERO && bytes.value().is_finite()).then_some((Amount { bytes, figure }, rest))
}

/// What the first word means, and the text behind it.
fn leading<T>(text: &str, meaning: impl Fn(&str) -> Option<T>) -> Option<(T, &str)> {
    let text = text.trim();
    let end = text.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(text.len());
    Some((meaning(&text[..end].to_ascii_lowercase())?, text[end..].trim()))
}

fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "b" | "bytes" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        "kib" => 1_024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        "tib" => 1_099_511_627_776.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Option<f64> {
        read(text).map(|amount| amount.bytes.value())
    }

    #[test]
    fn amounts_have_units_of_either_kind() {
        for (text, expected) in [
            ("70036500480", 70_036_500_480.0),
            (" 70GB ", 7e10),
            ("65.5 GiB", 65.5 * 1_073_741_824.0),
            ("66764MiB", 66_764.0 * 1_048_576.0),
            ("1 tib", 1_099_511_627_776.0),
            ("12 bytes", 12.0),
        ] {
            assert_eq!(bytes(text), Some(expected), "{text}");
        }
        for wrong in ["", "GiB", "-5", "0", "1.2.3", "70 GB or so", "70 potatoes", "1e9", "NaN", MARK] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_figure_says_which_it_is() {
        assert_eq!(read("70GB reserved").map(|amount| amount.figure), Some(Figure::Reserved));
        assert_eq!(read("70 allocated").map(|amount| amount.figure), Some(Figure::Allocated));
        assert_eq!(read("70").map(|amount| amount.figure), Some(Figure::Allocated));
    }

    #[test]
    fn of_several_lines_the_largest_counts() {
        let log = "[rank1]: shardmem-measured: 100 allocated, 160 reserved, rank 1 of 3\nstep 3 loss 2.1\n\
                   shardmem-measured: 120 allocated, 130 reserved, rank 0 of 3\r\nshardmem-measured: 500 reserved\n";
        assert_eq!(read(log), Some(Amount { bytes: Bytes::new(120.0), figure: Figure::Allocated }));
        assert_eq!(read("x shardmem-measured: 7 GiB reserved y").map(|amount| amount.figure), Some(Figure::Reserved));
    }

    #[test]
    fn the_error_is_signed_and_a_share_of_what_was_measured() {
        let amount = Amount { bytes: Bytes::new(80.0), figure: Figure::Allocated };
        assert_eq!(Measured::new(amount, Bytes::new(84.0)).error, 0.05);
        assert_eq!(Measured::new(amount, Bytes::new(76.0)).error, -0.05);
    }
}
