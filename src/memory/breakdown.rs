//! What either memory model answers: items × named instants, per stage. Nothing here knows which model made it.

use crate::units::Bytes;
use std::borrow::Cow;
use std::ops::Deref;

/// A moment of a training step at which memory is counted: stable kebab-case id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instant {
    /// `warmup-end`, `backward-end`, … (DESIGN 2, closed list).
    pub id: &'static str,
}

/// What kind of memory an item is; the order is that of the stacked bars, from the ground up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Weights.
    Parameters,
    /// Optimizer states and main copies.
    OptimizerStates,
    /// Gradients.
    Gradients,
    /// Activations kept between forward and backward.
    Activations,
    /// Gathered parameters and communication buffers.
    Buffers,
    /// What the layer under way needs on top.
    BackwardWorkingSet,
    /// Gradients held or reduced while the backward goes on.
    GradientsInFlight,
    /// A fixed reserve.
    Reserve,
}

impl Category {
    /// Every category, from the ground of the bars up.
    pub const ALL: [Self; 8] = [
        Self::Parameters,
        Self::OptimizerStates,
        Self::Gradients,
        Self::Activations,
        Self::Buffers,
        Self::BackwardWorkingSet,
        Self::GradientsInFlight,
        Self::Reserve,
    ];

    /// Stable kebab-case id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::OptimizerStates => "optimizer-states",
            Self::Gradients => "gradients",
            Self::Activations => "activations",
            Self::Buffers => "buffers",
            Self::BackwardWorkingSet => "backward-working-set",
            Self::GradientsInFlight => "gradients-in-flight",
            Self::Reserve => "reserve",
        }
    }
}

/// How sure an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// Follows from the sizes of tensors that are known to be there.
    Exact,
    /// Follows from a named policy.
    Policy,
    /// An estimate of the model.
    Estimated,
}

impl Certainty {
    /// `exact`, `policy` or `estimated`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Policy => "policy",
            Self::Estimated => "estimated",
        }
    }
}

/// Bytes at each instant of a stage. One or two are held in place: a slider's frame makes hundreds of these.
#[derive(Debug, Clone)]
pub struct Amounts(Held);

#[derive(Debug, Clone)]
enum Held {
    One([Bytes; 1]),
    Two([Bytes; 2]),
    Many(Vec<Bytes>),
}

impl Deref for Amounts {
    type Target = [Bytes];

    fn deref(&self) -> &[Bytes] {
        match &self.0 {
            Held::One(amounts) => amounts,
            Held::Two(amounts) => amounts,
            Held::Many(amounts) => amounts,
        }
    }
}

impl FromIterator<Bytes> for Amounts {
    fn from_iter<I: IntoIterator<Item = Bytes>>(amounts: I) -> Self {
        let mut amounts = amounts.into_iter();
        Self(match [amounts.next(), amounts.next(), amounts.next()] {
            [Some(only), None, _] => Held::One([only]),
            [Some(first), Some(second), None] => Held::Two([first, second]),
            first_three => Held::Many(first_three.into_iter().flatten().chain(amounts).collect()),
        })
    }
}

impl From<[Bytes; 1]> for Amounts {
    fn from(amounts: [Bytes; 1]) -> Self {
        Self(Held::One(amounts))
    }
}

impl From<[Bytes; 2]> for Amounts {
    fn from(amounts: [Bytes; 2]) -> Self {
        Self(Held::Two(amounts))
    }
}

impl From<Vec<Bytes>> for Amounts {
    fn from(amounts: Vec<Bytes>) -> Self {
        amounts.into_iter().collect()
    }
}

impl<'a> IntoIterator for &'a Amounts {
    type Item = &'a Bytes;
    type IntoIter = std::slice::Iter<'a, Bytes>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Amounts {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

/// One item of a stage's memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Stable kebab-case id: `parameters-attention`, …
    pub id: &'static str,
    /// What kind of memory it is.
    pub category: Category,
    /// How sure it is.
    pub certainty: Certainty,
    /// Bytes at each instant of the stage, in the order of `StageMemory::instants`. May be negative under `sapp_nd`.
    pub bytes: Amounts,
}

/// One stage.
#[derive(Debug, Clone, PartialEq)]
pub struct StageMemory {
    /// Which stage, from 0.
    pub stage: usize,
    /// The placement string: E, O and a letter per layer (N plain, S selective, F full), chunks in order.
    pub layers: String,
    /// The instants that count for this stage's peak.
    pub instants: Cow<'static, [Instant]>,
    /// Everything the stage holds; sums to the totals at each instant.
    pub items: Vec<Item>,
    /// The total at each instant, as the model computes it.
    pub totals: Amounts,
    /// Index of the instant with the largest total; on ties the first.
    pub peak: usize,
    /// The layer of the model, from 0, in which each instant's worst point lies; empty where no instant is one of a layer.
    pub layers_of_instants: Vec<Option<u32>>,
    /// What a device may show at the peak; `None` where the model states one figure.
    pub band: Option<Band>,
    /// The reference's own figures; `None` for other models.
    pub reference: Option<ReferenceFigures>,
}

/// What a device may show of a stage's peak, allocator included (ledger 6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The least.
    pub low: Bytes,
    /// What is expected.
    pub expected: Bytes,
    /// The most.
    pub high: Bytes,
}

impl StageMemory {
    /// The peak.
    pub fn peak_bytes(&self) -> Bytes {
        self.totals[self.peak]
    }

    /// The layer of the model, from 0, in which the peak lies, where it lies in one.
    pub fn peak_layer(&self) -> Option<u32> {
        self.layers_of_instants.get(self.peak).copied().flatten()
    }
}

/// The figures the reference prints per stage, in bytes (`static`, `dynamic` of goldens/peaks.json).
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFigures {
    /// Static: parameters.
    pub params: f64,
    /// Static: optimizer states.
    pub optimizer: f64,
    /// Static: gradients.
    pub gradients: f64,
    /// Static, in all.
    pub static_total: f64,
    /// Dynamic: activations in flight at the end of warm-up.
    pub activations: f64,
    /// Dynamic: communication buffers.
    pub comm: f64,
    /// Dynamic: backward overhead.
    pub bwd_overhead: f64,
    /// Dynamic: what is held when warm-up ends (D1).
    pub warmup_peak: f64,
    /// What is held when the backward ends (BE), in parts.
    pub backward_end: BackwardEnd,
    /// The fixed reserve.
    pub safety_buffer: f64,
    /// Dynamic, in all.
    pub dynamic_total: f64,
    /// Which moment won.
    pub peak_point: &'static str,
    /// Static plus dynamic.
    pub total: f64,
    /// The printed MiB figures by the reference's names, in its order, `None` where they are not printed.
    pub printed: Vec<(&'static str, f64)>,
    /// In-flight factor `max(1, g)` of each node, in list order (memory-core 19); for tests and the layer view.
    pub micro: Vec<f64>,
}

/// The parts of the backward end (memory-core 10.2), bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackwardEnd {
    /// Kept by the micro-batches still in flight.
    pub kept: f64,
    /// Gradients held until the backward ends.
    pub held_grads: f64,
    /// The layer under way.
    pub working: f64,
    /// The output table's whole gradient.
    pub root_grad: f64,
    /// In all.
    pub total: f64,
}

/// All stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// `sapp_nd` or `fsdp2`.
    pub memory_model: &'static str,
    /// One per pipeline stage.
    pub stages: Vec<StageMemory>,
    /// Index of the stage with the largest peak, as the memory model defines it; on ties the first.
    pub peak: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_the_same_held_in_place_or_not() {
        for count in 0..6 {
            let amounts: Vec<Bytes> = (0..count).map(|at| Bytes::new(f64::from(at))).collect();
            let held = Amounts::from(amounts.clone());
            assert_eq!(*held, *amounts);
            assert_eq!(held, amounts.into_iter().collect());
        }
    }
}
