//! How near both memory models come to what was measured (ledger section 7): the rows of `data/accuracy.csv`, which
//! `cargo xtask accuracy` writes, and what they say together.

use crate::decimal;

/// Where a case comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// `PyTorch`'s own tracker on fake tensors: FSDP2 and TP.
    Simulated,
    /// The same with accumulation, pipeline, expert and context parallel.
    Parallel,
    /// Measured by others on real devices.
    Published,
}

/// What makes up most of a case's peak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeakClass {
    /// The logits and the loss.
    Loss,
    /// The root unit: embedding, head and their gradients.
    Root,
    /// A layer.
    Layer,
    /// The optimizer's step.
    Optimizer,
}

impl Set {
    /// All, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Simulated, Self::Parallel, Self::Published];

    /// `simulated`, `parallel` or `published`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Parallel => "parallel",
            Self::Published => "published",
        }
    }
}

impl PeakClass {
    /// All, in the order of the table.
    pub const ALL: [Self; 4] = [Self::Loss, Self::Root, Self::Layer, Self::Optimizer];

    /// `loss`, `root`, `layer` or `optimizer`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Root => "root",
            Self::Layer => "layer",
            Self::Optimizer => "optimizer",
        }
    }
}

/// A case: measured, and predicted by both models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case<'a> {
    /// Where it comes from.
    pub set: Set,
    /// Its name there.
    pub name: &'a str,
    /// What makes up its peak, by the ledger.
    pub class: PeakClass,
    /// The measured peak, bytes.
    pub measured: f64,
    /// What the ledger says, bytes.
    pub ledger: f64,
    /// What the reference says, bytes; none where it refuses the case or does not price it.
    pub reference: Option<f64>,
    /// The ledger's band, bytes, for what an allocator reserves.
    pub band: Option<(f64, f64)>,
    /// Why the measurement is not the run's, in a word; empty where nothing is known.
    pub artefact: &'a str,
}

/// The heads of the columns.
pub const HEADS: &str = "set,case,class,measured,fsdp2,sapp_nd,low,high,artefact";

/// The cases of a table; rows that are none are left out.
pub fn cases(table: &str) -> impl Iterator<Item = Case<'_>> {
    table.lines().filter_map(case)
}

fn case(line: &str) -> Option<Case<'_>> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    let set = next()?;
    let name = next()?;
    let class = next()?;
    let mut bytes = || decimal::read(fields.next()?);
    let (measured, ledger, reference, low, high) = (bytes(), bytes(), bytes(), bytes(), bytes());
    Some(Case {
        set: Set::ALL.into_iter().find(|known| known.id() == set)?,
        name,
        class: PeakClass::ALL.into_iter().find(|known| known.id() == class)?,
        measured: measured?,
        ledger: ledger?,
        reference,
        band: low.zip(high),
        artefact: fields.next().unwrap_or_default(),
    })
}

impl Case<'_> {
    /// How far the ledger is off, against the measured peak: 0.01 is one percent too much.
    pub fn ledger_error(&self) -> f64 {
        self.ledger / self.measured - 1.0
    }

    /// The same of the reference.
    pub fn reference_error(&self) -> Option<f64> {
        self.reference.map(|bytes| bytes / self.measured - 1.0)
    }
}

/// Errors taken together, without their signs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// How many.
    pub count: usize,
    /// Half are not larger.
    pub median: f64,
    /// 95 in a hundred are not larger.
    pub most: f64,
    /// The largest.
    pub worst: f64,
}

impl Errors {
    /// Of some errors; none of none.
    pub fn of(errors: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = Vec::new();
        for error in errors.map(f64::abs) {
            let at = sorted.partition_point(|other| *other <= error);
            sorted.insert(at, error);
        }
        let (count, worst) = (sorted.len(), *sorted.last()?);
        let middle = f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]);
        // The smallest rank that at least 95 of a hundred lie at or below.
        Some(Self { count, median: middle, most: sorted[(count * 95).div_ceil(100) - 1], worst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_others_left_out() {
        let table = format!("{HEADS}\nsimulated,a,loss,100,101,,,,\npublished,b,layer,100,99,150,95,120,wrapper\nx\n");
        let read: Vec<Case<'_>> = cases(&table).collect();
        assert_eq!(read.len(), 2);
        assert_eq!((read[0].reference, read[0].band, read[0].artefact), (None, None, ""));
        assert!((read[0].ledger_error() - 0.01).abs() < 1e-12);
        assert_eq!((read[1].band, read[1].artefact), (Some((95.0, 120.0)), "wrapper"));
        assert_eq!(read[1].reference_error(), Some(0.5));
    }

    #[test]
    fn errors_are_counted_without_signs() {
        let errors = Errors::of([-4.0, 1.0, 2.0, -3.0].into_iter()).expect("there are some");
        assert_eq!((errors.count, errors.median, errors.most, errors.worst), (4, 2.5, 4.0, 4.0));
        let many = Errors::of((1..=100).map(f64::from)).expect("there are some");
        assert_eq!((many.median, many.most, many.worst), (50.5, 95.0, 100.0));
        assert_eq!(Errors::of(std::iter::empty()), None);
    }
}
