//! Values of a run that are more than a number or a flag.

use crate::decimal;
use crate::units::integers::{floor_div, product};
use crate::units::{Bytes, GIB};
use std::fmt;
use std::sync::Arc;

/// How many layers more, or fewer, than the balanced share a stage runs (memory-core 8.2).
#[derive(Debug, Clone, PartialEq)]
pub enum Offset {
    /// Nothing stated (null).
    Unstated,
    /// One number; the reference takes a non-zero one literally, and then places nothing.
    Scalar(i64),
    /// One per stage.
    PerStage(Arc<[i64]>),
    /// `[chunk][stage]`.
    PerChunk(Arc<[Arc<[i64]>]>),
}

/// Which layers a recompute setting covers, as stated.
#[derive(Debug, Clone, PartialEq)]
pub enum RecomputeLayers {
    /// All or none.
    All(bool),
    /// A number, as the reference takes it: its truth value (0 none, else all).
    Count(i64),
    /// The first so many of each stage.
    PerStage(Arc<[i64]>),
    /// `[chunk][stage]`.
    PerChunk(Arc<[Arc<[i64]>]>),
    /// A list of op names.
    Ops(Arc<[Arc<str>]>),
}

impl RecomputeLayers {
    /// Python's truth of the stated value.
    pub fn truthy(&self) -> bool {
        match self {
            Self::All(all) => *all,
            Self::Count(count) => *count != 0,
            Self::PerStage(counts) => !counts.is_empty(),
            Self::PerChunk(counts) => !counts.is_empty(),
            Self::Ops(ops) => !ops.is_empty(),
        }
    }
}

/// A device memory as the YAML states it (config-spec 4.11).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capacity {
    /// The number.
    pub size: f64,
    /// Its unit; binary multiples.
    pub unit: CapacityUnit,
}

/// The degrees that decide how many ranks hold the same experts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpertMesh {
    /// `d`.
    pub data_parallel: i64,
    /// `t`.
    pub tensor_parallel: i64,
    /// `cp`.
    pub context_parallel: i64,
    /// `ep`.
    pub expert_parallel: i64,
    /// `etp`.
    pub expert_tensor_parallel: i64,
}

impl ExpertMesh {
    /// The group that the runtime forms: the stage's ranks over EP, and over the experts' own tensor parallelism only
    /// (`edp_group` before clamping, config-spec 10.2).
    pub const fn group(self) -> i64 {
        let ranks = product([self.data_parallel, self.tensor_parallel, self.context_parallel]);
        let own = if self.expert_tensor_parallel > 1 { self.expert_tensor_parallel } else { 1 };
        floor_div(ranks, product([own, self.expert_parallel]))
    }
}

/// A unit of memory text; unknown or missing units count as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityUnit {
    /// Bytes.
    B,
    /// 2^10 bytes.
    Kb,
    /// 2^20 bytes.
    Mb,
    /// 2^30 bytes.
    Gb,
}

impl CapacityUnit {
    /// As the reference writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::B => "B",
            Self::Kb => "KB",
            Self::Mb => "MB",
            Self::Gb => "GB",
        }
    }

    const fn factor(self) -> f64 {
        match self {
            Self::B => 1.0,
            Self::Kb => 1024.0,
            Self::Mb => 1_048_576.0,
            Self::Gb => GIB,
        }
    }
}

impl Capacity {
    /// What the trainer takes where nothing is stated (config-spec 4.11).
    pub const DEFAULT: Self = Self { size: 64.0, unit: CapacityUnit::Gb };

    /// In bytes.
    pub fn bytes(self) -> Bytes {
        Bytes::new(self.size * self.unit.factor())
    }
}

impl fmt::Display for Capacity {
    /// As a train.yaml states it: `64GB`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.size < 0.0 { "-" } else { "" };
        write!(formatter, "{sign}{}{}", decimal::shortest(self.size).plain(), self.unit.name())
    }
}

/// What a layer recomputes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecomputeOption {
    /// Nothing.
    None,
    /// Everything but its input.
    Full,
    /// Some ops.
    Selective,
}

impl RecomputeOption {
    /// As an execution spec states it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Selective => "selective",
        }
    }
}

/// A run of layers with one recompute option (config-spec 8.1), in model order, body then MTP.
#[derive(Debug, Clone, PartialEq)]
pub struct RecomputeRange {
    /// First layer, from 0.
    pub first: i64,
    /// How many layers; `None` to the last.
    pub count: Option<i64>,
    /// What they recompute.
    pub option: RecomputeOption,
    /// The switches stated; `None` takes the rule's.
    pub switches: Option<Switches>,
}

/// The eight switches of selective recompute: true keeps an op's activation, false recomputes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Switches {
    /// `attBMM`.
    pub attention_batched_matmul: bool,
    /// `headCast`.
    pub head_cast: bool,
    /// `dropout`.
    pub dropout: bool,
    /// `softmax`.
    pub softmax: bool,
    /// `normOp`.
    pub norm: bool,
    /// `gather`.
    pub gather: bool,
    /// `ffAct`.
    pub feed_forward_activation: bool,
    /// `attUp`.
    pub attention_up: bool,
}

impl Switches {
    /// Everything kept.
    pub const ALL_KEPT: Self = Self {
        attention_batched_matmul: true,
        head_cast: true,
        dropout: true,
        softmax: true,
        norm: true,
        gather: true,
        feed_forward_activation: true,
        attention_up: true,
    };

    /// The switches with the reference's names, in its order.
    pub const fn named(self) -> [(&'static str, bool); 8] {
        [
            ("attBMM", self.attention_batched_matmul),
            ("headCast", self.head_cast),
            ("dropout", self.dropout),
            ("softmax", self.softmax),
            ("normOp", self.norm),
            ("gather", self.gather),
            ("ffAct", self.feed_forward_activation),
            ("attUp", self.attention_up),
        ]
    }

    /// The reference's names, in its order.
    pub const NAMES: [&str; 8] = ["attBMM", "headCast", "dropout", "softmax", "normOp", "gather", "ffAct", "attUp"];

    /// The switch of a reference name.
    pub fn by_name(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "attBMM" => &mut self.attention_batched_matmul,
            "headCast" => &mut self.head_cast,
            "dropout" => &mut self.dropout,
            "softmax" => &mut self.softmax,
            "normOp" => &mut self.norm,
            "gather" => &mut self.gather,
            "ffAct" => &mut self.feed_forward_activation,
            "attUp" => &mut self.attention_up,
            _ => return None,
        })
    }
}
