//! The values of a control that are worth stepping through.

use super::{Control, Setting};
use crate::facts::dialect::RECOMPUTE_MODES;
use crate::facts::{Facts, Schema, devices};
use crate::model::Dimension;
use crate::units::integers::floor_div;
use std::sync::Arc;

impl Control {
    /// The values worth stepping through, in order, the present one among them.
    pub fn values(self, facts: &Facts) -> Vec<Setting> {
        match self.setting(facts) {
            Setting::Switch(_) => vec![Setting::Switch(false), Setting::Switch(true)],
            Setting::Number(present) => {
                let mut values = self.numbers(facts);
                values.retain(|value| *value >= 1 || *value == present);
                insert(&mut values, present);
                values.into_iter().map(Setting::Number).collect()
            }
            Setting::Name(present) => {
                let mut names: Vec<Arc<str>> = self.names(facts);
                if !names.contains(&present) {
                    names.insert(0, present);
                }
                names.into_iter().map(Setting::Name).collect()
            }
        }
    }

    /// In order, each once.
    fn numbers(self, facts: &Facts) -> Vec<i64> {
        let run = &facts.run;
        let count = |field| facts.model.count(field);
        let devices = facts.devices();
        let rest = |own: i64| floor_div(devices, floor_div(facts.product(), own).max(1)).max(1);
        let (tp, pp, cp) = (run.tensor_parallel.value, run.pipeline_parallel.value, run.context_parallel.value);
        let data_parallel = run.data_parallel.value;
        match self {
            Self::DpShard => divisors(data_parallel),
            Self::DpReplicate => powers(1, 1 << 12),
            Self::Tp => both(powers(1, rest(tp)), divisors_to(count(Dimension::Heads), rest(tp))),
            Self::Pp => both(powers(1, rest(pp)), divisors_to(count(Dimension::Layers), rest(pp))),
            Self::Cp => powers(1, rest(cp)),
            Self::Ep => divisors_to(count(Dimension::Experts), data_parallel.saturating_mul(tp).saturating_mul(cp)),
            Self::Etp => powers(1, tp.max(8)),
            Self::EdpShard => divisors(facts.expert_group()),
            Self::Vpp => {
                let share = floor_div(count(Dimension::Layers), pp).max(1);
                both(powers(1, share.min(16)), divisors_to(share, 16))
            }
            Self::MicroBatch => powers(1, 64),
            Self::MicroBatches => powers(1, 1 << 10),
            Self::GlobalBatch => {
                let step = run.micro_batch.value.saturating_mul(data_parallel);
                multiples(step)
            }
            Self::SequenceLength => powers(512, 1 << 20),
            Self::Devices => multiples(facts.product()),
            _ => Vec::new(),
        }
    }

    fn names(self, facts: &Facts) -> Vec<Arc<str>> {
        let names = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        match self {
            Self::Schedule => names(&["1f1b", "gpipe", "seqpipe", "seqsmartvpp", "zero_bubble_v"]),
            Self::CpAlgorithm => names(&["colossalai_cp", "ulysses_cp", "hybrid_cp"]),
            Self::Recompute => names(&RECOMPUTE_MODES),
            Self::Optimizer if facts.schema == Schema::Legacy => names(&["adamw", "muon"]),
            Self::Optimizer => {
                names(&["hyper_parallel.components.optim.AdamW", "hyper_parallel.components.optim.Muon"])
            }
            Self::ParamDtype | Self::ComputeDtype => names(&["bfloat16", "float16", "float32", "float8_e4m3fn"]),
            Self::Device => devices::all().iter().map(|device| device.id.as_str().into()).collect(),
            Self::DeviceMemory => {
                let mut texts: Vec<Arc<str>> = Vec::new();
                for device in devices::all() {
                    let text: Arc<str> = device.memory_text().into();
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                texts
            }
            _ => Vec::new(),
        }
    }
}

/// Powers of two in a range.
fn powers(from: i64, to: i64) -> Vec<i64> {
    std::iter::successors(Some(from.max(1)), |power| power.checked_mul(2)).take_while(|power| *power <= to).collect()
}

/// A number doubled up to ten times.
fn multiples(of: i64) -> Vec<i64> {
    both(Vec::new(), powers(1, 1 << 10).into_iter().map(|times| times.saturating_mul(of)).collect())
}

/// Divisors not above a limit.
pub(super) fn divisors_to(total: i64, limit: i64) -> Vec<i64> {
    const MOST: i64 = 1 << 16;
    (1..=limit.min(total).min(MOST)).filter(|divisor| total % divisor == 0).collect()
}

fn divisors(total: i64) -> Vec<i64> {
    divisors_to(total, total)
}

fn both(mut one: Vec<i64>, other: Vec<i64>) -> Vec<i64> {
    for value in other {
        insert(&mut one, value);
    }
    one
}

/// Puts a number into its place. A control has few values; a tree or a sort of them would be more code than all of this.
fn insert(values: &mut Vec<i64>, value: i64) {
    let at = values.iter().take_while(|other| **other < value).count();
    if values.get(at) != Some(&value) {
        values.insert(at, value);
    }
}
