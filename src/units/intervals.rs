//! Sets of whole numbers by their intervals, as they are said: `1-3, 7`.

use std::fmt;

/// How many intervals are said: more than any real model needs, few enough for a sentence.
const ENOUGH: usize = 80;

/// Numbers in rising order, as intervals of first and last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Intervals(Vec<(usize, usize)>);

impl Intervals {
    /// Adds a number above those before it.
    pub(crate) fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => self.0.push((number, number)),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<usize> for Intervals {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut intervals = Self::default();
        numbers.into_iter().for_each(|number| intervals.push(number));
        intervals
    }
}

impl fmt::Display for Intervals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.0.iter().enumerate() {
            formatter.write_str(if at == 0 { "" } else { ", " })?;
            if at == ENOUGH {
                return formatter.write_str("…");
            }
            write!(formatter, "{first}")?;
            if last > first {
                write!(formatter, "-{last}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_interval() {
        let said = |numbers: &[usize]| numbers.iter().copied().collect::<Intervals>().to_string();
        assert_eq!(said(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
        assert_eq!(said(&[]), "");
        let even: Vec<usize> = (0..1000).map(|number| number * 2).collect();
        assert!(said(&even).ends_with(", 158, …"), "{}", said(&even));
    }
}
