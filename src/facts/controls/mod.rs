//! The what-if controls (DESIGN 3.3): which key each writes in this file, what it stands at, which values make sense, and
//! what moves with it when the device count is pinned.

mod pinning;
mod values;

use super::dialect::{Fact, Section};
use super::{Facts, Overrides, RunSpec, Schema, devices};
use crate::document::Value;
use crate::model::Dimension;
use crate::provenance::{KeyPath, Origin};
use std::sync::Arc;

macro_rules! controls {
    ($($control:ident $name:literal $fact:ident;)*) => {
        /// A control of the page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Control {
            $(#[doc = concat!("`", $name, "`.")] $control,)*
        }

        impl Control {
            /// Every control, in the order of DESIGN 3.3.
            pub const ALL: &'static [Self] = &[$(Self::$control,)*];

            /// The stable name: `data-control`, `--vary`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$control => $name,)* }
            }

            const fn fact(self) -> Fact {
                match self { $(Self::$control => Fact::$fact,)* }
            }
        }
    };
}

controls! {
    DpShard "dp-shard" DpShard;
    DpReplicate "dp-replicate" DpReplicate;
    Tp "tp" TensorParallel;
    Pp "pp" PipelineParallel;
    Cp "cp" ContextParallel;
    Ep "ep" ExpertParallel;
    Etp "etp" ExpertTensorParallel;
    EdpShard "edp-shard" ExpertShard;
    SequenceParallel "sequence-parallel" SequenceParallel;
    Vpp "vpp" Chunks;
    Schedule "schedule" Schedule;
    CpAlgorithm "cp-algorithm" CpAlgorithm;
    LossParallel "loss-parallel" LossParallel;
    MicroBatch "micro-batch" MicroBatch;
    MicroBatches "micro-batches" MicroBatches;
    GlobalBatch "global-batch" GlobalBatch;
    SequenceLength "sequence-length" SequenceLength;
    Recompute "recompute" RecomputeMode;
    Reshard "reshard" ReshardForward;
    Optimizer "optimizer" OptimizerName;
    MainParams "fp32-main-params" MainParams;
    ParamDtype "param-dtype" TorchDtype;
    ComputeDtype "compute-dtype" ParamDtype;
    Device "device" DeviceMemory;
    DeviceMemory "device-memory" DeviceMemory;
    Devices "devices" Devices;
}

/// What a control stands at.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Setting {
    /// A whole number.
    Number(i64),
    /// On or off.
    Switch(bool),
    /// One of several names.
    Name(Arc<str>),
}

/// Why a control cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Disabled {
    /// The schema has no such key, or writing it would change the schema; the text is the key.
    NotInThisSchema(KeyPath),
    /// Another key of the file decides.
    DecidedBy(KeyPath),
    /// The model has no experts.
    DenseModel,
}

/// One degree that followed another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// What moved.
    pub control: Control,
    /// From.
    pub from: i64,
    /// To.
    pub to: i64,
}

/// What setting a control does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Change {
    /// Values to lay over the file.
    pub overrides: Overrides,
    /// Degrees that followed, for the note "DP shard 8 → 4 to keep 64 devices".
    pub moved: Vec<Moved>,
}

/// Why a control cannot take a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The control is disabled.
    Disabled(Disabled),
    /// The value is of another kind than the control's.
    Kind,
    /// A degree below one, or a size that is not positive.
    NotPositive,
    /// TP·PP·CP would not divide the device count that is pinned or stated.
    DevicesNotDivided {
        /// The device count.
        devices: i64,
        /// TP·PP·CP.
        product: i64,
    },
    /// The shard would not divide DP, and nothing else states the device count that is pinned.
    ShardNotDividing {
        /// DP.
        data_parallel: i64,
    },
}

impl Control {
    /// The control of a stable name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|control| control.name() == name)
    }

    /// Whether setting this control takes what was set for the other away: itself, or the same thing under another name.
    pub fn displaces(self, other: Self) -> bool {
        let is_capacity = |control| matches!(control, Self::Device | Self::DeviceMemory);
        self == other || is_capacity(self) && is_capacity(other)
    }

    /// The control that writes this key in this file.
    pub fn of_key(path: &KeyPath, facts: &Facts) -> Option<Self> {
        Self::ALL.iter().copied().find(|control| {
            // A device is a memory under another name.
            *control != Self::Device && control.key(facts).is_ok_and(|key| key == *path)
        })
    }

    /// The key that the control writes: the one that was read; where none was, the first that this schema reads.
    pub fn key(self, facts: &Facts) -> Result<KeyPath, Disabled> {
        let run = &facts.run;
        let legacy = facts.schema == Schema::Legacy;
        let mut fact = self.fact();
        match self {
            Self::EdpShard | Self::Reshard if legacy => return Err(Disabled::NotInThisSchema(facts.first_key(fact))),
            Self::Ep | Self::Etp | Self::EdpShard if facts.model.count(Dimension::Experts) <= 1 => {
                return Err(Disabled::DenseModel);
            }
            Self::Recompute => {
                if let Some(path) = facts.recompute_decided_by() {
                    return Err(Disabled::DecidedBy(path));
                }
            }
            Self::Reshard => {
                let decided = path_of(&run.reshard_params.origin);
                let backward =
                    decided.as_ref().filter(|path| path.last_key() == Some(Fact::ReshardBackward.keys()[0].1));
                if let Some(path) = backward.filter(|_| !run.reshard_params.value) {
                    return Err(Disabled::DecidedBy(path.clone()));
                }
            }
            Self::ParamDtype if legacy && !facts.states(Fact::TorchDtype, &run.stored_dtype.origin) => {
                fact = Fact::LegacyParamDtype;
            }
            Self::ComputeDtype if legacy => {
                if facts.states(Fact::TorchDtype, &run.compute_dtype.origin) {
                    return Err(Disabled::DecidedBy(facts.first_key(Fact::TorchDtype)));
                }
                fact = Fact::LegacyComputeDtype;
            }
            _ => {}
        }
        if self == Self::ParamDtype && facts.states(Fact::InitDtype, &run.stored_dtype.origin) {
            fact = Fact::InitDtype;
        }
        Ok(facts.key_of(fact, self.origin(run)))
    }

    fn origin(self, run: &RunSpec) -> Option<&Origin> {
        Some(match self {
            Self::DpShard => &run.dp_shard.origin,
            Self::DpReplicate => &run.dp_replicate.origin,
            Self::Tp => &run.tensor_parallel.origin,
            Self::Pp => &run.pipeline_parallel.origin,
            Self::Cp => &run.context_parallel.origin,
            Self::Ep => &run.expert_parallel.origin,
            Self::Etp => &run.expert_tensor_parallel.origin,
            Self::EdpShard => &run.expert_shard.as_ref()?.origin,
            Self::SequenceParallel => &run.sequence_parallel.origin,
            Self::Vpp => &run.chunks.origin,
            Self::Schedule => &run.schedule.origin,
            Self::CpAlgorithm => &run.cp_algorithm.origin,
            Self::LossParallel => &run.loss_parallel.origin,
            Self::MicroBatch => &run.micro_batch.origin,
            Self::MicroBatches => &run.micro_batches.origin,
            Self::GlobalBatch => &run.global_batch.origin,
            Self::SequenceLength => &run.sequence.origin,
            Self::Recompute => &run.mode.as_ref()?.origin,
            Self::Reshard => &run.reshard_params.origin,
            Self::Optimizer => &run.optimizer.origin,
            Self::MainParams => &run.main_params.origin,
            Self::ParamDtype => &run.stored_dtype.origin,
            Self::ComputeDtype => &run.compute_dtype.origin,
            Self::Device | Self::DeviceMemory => &run.device_memory.origin,
            Self::Devices => &run.devices.as_ref()?.origin,
        })
    }

    /// What the control stands at, as the reference reads the file.
    pub fn setting(self, facts: &Facts) -> Setting {
        use Setting::{Name, Number, Switch};
        let run = &facts.run;
        match self {
            Self::DpShard => Number(run.dp_shard.value),
            Self::DpReplicate => Number(facts.replicate()),
            Self::Tp => Number(run.tensor_parallel.value),
            Self::Pp => Number(run.pipeline_parallel.value),
            Self::Cp => Number(run.context_parallel.value),
            Self::Ep => Number(run.expert_parallel.value),
            Self::Etp => Number(run.expert_tensor_parallel.value),
            Self::EdpShard => Number(run.expert_shard.as_ref().map_or(1, |shard| shard.value)),
            Self::SequenceParallel => Switch(run.sequence_parallel.value),
            Self::Vpp => Number(run.chunks.value),
            Self::Schedule => Name(run.schedule.value.clone()),
            Self::CpAlgorithm => Name(run.cp_algorithm.value.clone()),
            Self::LossParallel => Switch(run.loss_parallel.value),
            Self::MicroBatch => Number(run.micro_batch.value),
            Self::MicroBatches => Number(run.micro_batches.value),
            Self::GlobalBatch => Number(run.global_batch.value),
            Self::SequenceLength => Number(run.sequence.value),
            Self::Recompute => Name(facts.recompute().into()),
            Self::Reshard => Switch(run.reshard_params.value),
            Self::Optimizer => Name(run.optimizer.value.clone()),
            Self::MainParams => Switch(run.main_params.value),
            Self::ParamDtype => Name(run.stored_dtype.value.clone()),
            Self::ComputeDtype => Name(run.compute_dtype.value.clone()),
            Self::Device => {
                let device = devices::of_capacity(run.device_memory.value);
                Name(device.map_or_else(|| memory_text(facts), |device| device.id.as_str().into()))
            }
            Self::DeviceMemory => Name(memory_text(facts)),
            Self::Devices => Number(facts.devices()),
        }
    }

    /// What setting the control does; with `pinned` the device count stays where it is, and data parallelism gives way.
    pub fn set(self, setting: &Setting, facts: &Facts, pinned: bool) -> Result<Change, Refusal> {
        let key = self.key(facts).map_err(Refusal::Disabled)?;
        let value = self.value_of(setting).ok_or(Refusal::Kind)?;
        let mut change = Change { overrides: Overrides::none(), moved: Vec::new() };
        let Setting::Number(number) = setting else {
            change.overrides.set(key, value);
            return Ok(change);
        };
        if *number < 1 && self != Self::Etp {
            return Err(Refusal::NotPositive);
        }
        match self {
            Self::Tp | Self::Pp | Self::Cp => {
                change.overrides.set(key, value);
                facts.follow_degree(self, *number, pinned, &mut change)?;
            }
            Self::DpShard => {
                change.overrides.set(key, value);
                facts.follow_shard(*number, pinned, &mut change)?;
            }
            Self::DpReplicate => facts.set_replicate(*number, key, &mut change),
            _ => change.overrides.set(key, value),
        }
        Ok(change)
    }

    fn value_of(self, setting: &Setting) -> Option<Value> {
        let is = |wanted: Kind| wanted == self.kind();
        match setting {
            Setting::Number(number) => is(Kind::Number).then_some(Value::Integer(*number)),
            Setting::Switch(on) => is(Kind::Switch).then_some(Value::Bool(*on)),
            Setting::Name(name) if self == Self::Device => {
                let text = devices::find(name).map_or_else(|| name.clone(), |device| device.memory_text().into());
                Some(Value::Text(text))
            }
            Setting::Name(name) => is(Kind::Name).then(|| Value::Text(name.clone())),
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::SequenceParallel | Self::LossParallel | Self::Reshard | Self::MainParams => Kind::Switch,
            Self::Schedule
            | Self::CpAlgorithm
            | Self::Recompute
            | Self::Optimizer
            | Self::ParamDtype
            | Self::ComputeDtype
            | Self::Device
            | Self::DeviceMemory => Kind::Name,
            Self::DpShard
            | Self::DpReplicate
            | Self::Tp
            | Self::Pp
            | Self::Cp
            | Self::Ep
            | Self::Etp
            | Self::EdpShard
            | Self::Vpp
            | Self::MicroBatch
            | Self::MicroBatches
            | Self::GlobalBatch
            | Self::SequenceLength
            | Self::Devices => Kind::Number,
        }
    }

    /// What a typed text means for this control.
    pub fn read(self, text: &str) -> Option<Setting> {
        let text = text.trim();
        match self.kind() {
            Kind::Number => text.parse().ok().map(Setting::Number),
            Kind::Switch => match text {
                "true" | "on" | "yes" => Some(Setting::Switch(true)),
                "false" | "off" | "no" => Some(Setting::Switch(false)),
                _ => None,
            },
            Kind::Name => (!text.is_empty()).then(|| Setting::Name(text.into())),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Switch,
    Name,
}

/// Lays an override over the file; where it is a control's key, the degrees that keep the pinned device count follow.
pub fn set_key(path: &KeyPath, value: &Value, facts: &Facts, pinned: bool) -> Result<Change, Refusal> {
    let plain = || {
        let mut overrides = Overrides::none();
        overrides.set(path.clone(), value.clone());
        Change { overrides, moved: Vec::new() }
    };
    let Some(control) = Control::of_key(path, facts).filter(|control| control.kind() == Kind::Number) else {
        return Ok(plain());
    };
    match value.to_integer() {
        Some(number) => control.set(&Setting::Number(number), facts, pinned),
        None => Ok(plain()),
    }
}

impl Facts {
    /// Where a section stands.
    fn section(&self, section: Section) -> KeyPath {
        let stands = self.sections.iter().find(|(candidate, _)| *candidate == section);
        stands.map_or_else(|| section.home(self.schema), |(_, path)| path.clone())
    }

    /// The key that this schema writes for a fact where none is stated.
    fn first_key(&self, fact: Fact) -> KeyPath {
        let (section, key) = fact.written(self.schema);
        self.section(section).key(key)
    }

    fn keys(&self, fact: Fact) -> impl Iterator<Item = KeyPath> {
        fact.keys().iter().map(|(section, key)| self.section(*section).key(key))
    }

    fn states(&self, fact: Fact, origin: &Origin) -> bool {
        path_of(origin).is_some_and(|path| self.keys(fact).any(|key| key == path))
    }

    fn key_of(&self, fact: Fact, origin: Option<&Origin>) -> KeyPath {
        let read = origin.and_then(path_of).filter(|path| self.keys(fact).any(|key| key == *path));
        read.unwrap_or_else(|| self.first_key(fact))
    }

    /// The override of `config_overrides` that replaces the mode, if one does.
    fn recompute_decided_by(&self) -> Option<KeyPath> {
        let run = &self.run;
        if run.mode.is_some() {
            return None;
        }
        let replaced = |fact, origin: &Origin| self.states(fact, origin).then(|| path_of(origin)).flatten();
        replaced(Fact::FullOverride, &run.full_recompute.origin)
            .or_else(|| replaced(Fact::SelectiveOverride, &run.selective_recompute.origin))
    }

    fn recompute(&self) -> &'static str {
        let run = &self.run;
        match (run.full_recompute.value.truthy(), run.selective_recompute.value.truthy()) {
            (true, _) => "full",
            (false, true) => "selective",
            (false, false) => "off",
        }
    }
}

fn path_of(origin: &Origin) -> Option<KeyPath> {
    origin.key().map(|(_, path)| path.clone())
}

fn memory_text(facts: &Facts) -> Arc<str> {
    facts.run.device_memory.value.to_string().into()
}
