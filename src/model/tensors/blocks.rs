//! The tensors of every block of a layer, one row a tensor, in module order (ledger 2).
//!
//! A shape is written in [`Size`]s. A size that a model does not have is zero, and a tensor without elements does not
//! exist: so a row stands for every model, and there are no conditions here.

use super::role::Role;
use super::{Split, Split::Columns, Split::Rows, Split::Whole};
use Size::{
    CompressNorm, CompressRate, CompressWidth, Correction, CorrectionParameter, DownBias, EmbeddingRows,
    ExpertDownBias, ExpertInput, ExpertUp, ExpertUpBias, ExpertWidth, Experts, GateRows, HeadRows, HeadWidth, Heads,
    Hidden, HyperColumns, HyperRows, HyperScales, IndexCompress, IndexHeads, IndexNorm, IndexQuery, IndexWidth, Kernel,
    KeyBias, KeyNorm, KeyRows, KvDown, KvDownBias, KvLatent, KvUp, Latent, LayerGates, LinearHeads, LinearInput,
    LinearQkv, LinearValue, MixedColumns, NormBias, One, OutputBias, OutputDownColumns, OutputDownRows, OutputGate,
    PerExpertScale, QueryBias, QueryDownBias, QueryInput, QueryLatent, QueryNorm, QueryRows, RouterBias, RouterRows,
    RouterScale, SharedGateRows, SharedMix, SharedWidth, Sinks, TwiceHidden, UpBias, UpRows, ValueBias, ValueRows,
};

/// A number of rows or columns. Zero where the model has no such part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Size {
    One,
    Hidden,
    Heads,
    HeadWidth,
    QueryRows,
    KeyRows,
    ValueRows,
    MixedColumns,
    QueryBias,
    KeyBias,
    ValueBias,
    OutputBias,
    QueryNorm,
    KeyNorm,
    LayerGates,
    OutputGate,
    Sinks,
    QueryLatent,
    QueryInput,
    QueryDownBias,
    KvDown,
    KvDownBias,
    KvLatent,
    KvUp,
    IndexQuery,
    IndexWidth,
    IndexNorm,
    IndexHeads,
    IndexCompress,
    OutputDownRows,
    OutputDownColumns,
    CompressWidth,
    CompressRate,
    CompressNorm,
    HyperRows,
    HyperColumns,
    HyperScales,
    LinearQkv,
    LinearValue,
    LinearHeads,
    LinearInput,

    Kernel,
    GateRows,
    UpRows,
    GateBias,
    UpBias,
    DownBias,
    RouterRows,
    RouterBias,
    RouterScale,
    PerExpertScale,
    Correction,
    CorrectionParameter,
    Experts,
    ExpertUp,
    ExpertInput,
    ExpertWidth,
    ExpertUpBias,
    ExpertDownBias,
    Latent,
    SharedGateRows,
    SharedWidth,
    SharedMix,
    NormBias,
    TwiceHidden,
    EmbeddingRows,
    HeadRows,
    HeadBias,
    PatchColumns,
    PatchBias,
    ClassToken,
    Positions,
    TileRows,
    TilePositions,
    TileColumns,
    TileGate,
    FirstNorm,
    FirstNormBias,
    LastNorm,
    LastNormBias,
    MergerNorm,
    MergerNormBias,
    MergerHidden,
    MergerInput,
    MergerBias,
    MergerOutput,
    MergerOutputBias,
    MergerLast,
}

/// How many sizes there are.
const SIZES: usize = Size::MergerLast as usize + 1;

/// The sizes of one layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes([u64; SIZES]);

impl Sizes {
    /// Only what every model has.
    pub(super) const fn new() -> Self {
        let mut sizes = [0; SIZES];
        sizes[One as usize] = 1;
        Self(sizes)
    }

    pub(super) const fn of(&self, size: Size) -> u64 {
        self.0[size as usize]
    }

    pub(super) fn set(&mut self, values: &[(Size, u64)]) {
        for (size, value) in values {
            self.0[*size as usize] = *value;
        }
    }
}

/// One tensor of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) role: Role,
    pub(super) split: Split,
    /// Rows, columns, …; filled up with [`One`].
    pub(super) shape: [Size; 3],
}

const fn row(role: Role, split: Split, shape: [Size; 2]) -> Row {
    Row { role, split, shape: [shape[0], shape[1], One] }
}

const fn vector(role: Role, split: Split, length: Size) -> Row {
    row(role, split, [length, One])
}

/// A stack over experts; experts are whole on every rank of tensor parallelism (ledger 2).
const fn stack(role: Role, shape: [Size; 2]) -> Row {
    Row { role, split: Whole, shape: [Experts, shape[0], shape[1]] }
}

/// Softmax attention over queries, keys and values.
pub(super) const ATTENTION: &[Row] = &[
    row(Role::Query, Rows, [QueryRows, Hidden]),
    vector(Role::QueryBias, Rows, QueryBias),
    row(Role::Key, Rows, [KeyRows, Hidden]),
    vector(Role::KeyBias, Rows, KeyBias),
    row(Role::Value, Rows, [ValueRows, Hidden]),
    vector(Role::ValueBias, Rows, ValueBias),
    row(Role::Output, Columns, [Hidden, MixedColumns]),
    vector(Role::OutputBias, Whole, OutputBias),
    row(Role::OutputGate, Rows, [OutputGate, Hidden]),
    vector(Role::Sink, Rows, Sinks),
    vector(Role::QueryNorm, Whole, QueryNorm),
    vector(Role::KeyNorm, Whole, KeyNorm),
    vector(Role::Scalar, Whole, LayerGates),
];

/// Multi-head latent attention, with the indexer of its sparse form.
pub(super) const LATENT: &[Row] = &[
    row(Role::QueryDown, Whole, [QueryLatent, Hidden]),
    vector(Role::QueryDownBias, Whole, QueryDownBias),
    vector(Role::QueryDownNorm, Whole, QueryLatent),
    row(Role::QueryUp, Rows, [QueryRows, QueryInput]),
    row(Role::KvDown, Whole, [KvDown, Hidden]),
    vector(Role::KvDownBias, Whole, KvDownBias),
    vector(Role::KvDownNorm, Whole, KvLatent),
    row(Role::KvUp, Rows, [KvUp, KvLatent]),
    row(Role::Output, Columns, [Hidden, MixedColumns]),
    vector(Role::OutputBias, Whole, OutputBias),
    row(Role::IndexQuery, Whole, [IndexQuery, QueryLatent]),
    row(Role::IndexKey, Whole, [IndexWidth, Hidden]),
    vector(Role::IndexNorm, Whole, IndexNorm),
    vector(Role::IndexNormBias, Whole, IndexNorm),
    row(Role::IndexWeight, Whole, [IndexHeads, Hidden]),
];

/// Gated delta-rule attention.
pub(super) const DELTA: &[Row] = &[
    vector(Role::StepBias, Rows, LinearHeads),
    vector(Role::StateDecay, Rows, LinearHeads),
    row(Role::Convolution, Rows, [LinearQkv, Kernel]),
    vector(Role::MixNorm, Whole, HeadWidth),
    row(Role::Output, Columns, [Hidden, LinearValue]),
    row(Role::Mix, Rows, [LinearQkv, Hidden]),
    row(Role::MixGate, Rows, [LinearValue, Hidden]),
    row(Role::Strength, Rows, [LinearHeads, Hidden]),
    row(Role::Decay, Rows, [LinearHeads, Hidden]),
];

/// Kimi's delta attention: decay and gate through a bottleneck of one head's width.
pub(super) const KIMI_DELTA: &[Row] = &[
    row(Role::Query, Rows, [LinearValue, Hidden]),
    row(Role::Key, Rows, [LinearValue, Hidden]),
    row(Role::Value, Rows, [LinearValue, Hidden]),
    row(Role::Convolution, Rows, [LinearQkv, Kernel]),
    row(Role::DecayDown, Whole, [HeadWidth, Hidden]),
    row(Role::DecayUp, Rows, [LinearValue, HeadWidth]),
    vector(Role::StepBias, Rows, LinearValue),
    vector(Role::StateDecay, Rows, LinearHeads),
    row(Role::Strength, Rows, [LinearHeads, Hidden]),
    row(Role::DecayDown, Whole, [HeadWidth, Hidden]),
    row(Role::DecayUp, Rows, [LinearValue, HeadWidth]),
    vector(Role::MixNorm, Whole, HeadWidth),
    row(Role::Output, Columns, [Hidden, LinearValue]),
];

/// Lightning attention.
pub(super) const LIGHTNING: &[Row] = &[
    row(Role::Mix, Rows, [LinearQkv, Hidden]),
    row(Role::MixGate, Rows, [LinearValue, Hidden]),
    row(Role::Output, Columns, [Hidden, LinearValue]),
    vector(Role::MixNorm, Whole, LinearValue),
];

/// A state space of the second Mamba kind.
pub(super) const STATE_SPACE: &[Row] = &[
    row(Role::Convolution, Rows, [LinearQkv, Kernel]),
    vector(Role::ConvolutionBias, Rows, LinearQkv),
    row(Role::Mix, Rows, [LinearInput, Hidden]),
    vector(Role::StepBias, Rows, LinearHeads),
    vector(Role::StateDecay, Rows, LinearHeads),
    vector(Role::MixNorm, Rows, LinearValue),
    vector(Role::Skip, Rows, LinearHeads),
    row(Role::Output, Columns, [Hidden, LinearValue]),
];

/// Attention over compressed blocks of tokens, between hyper-connections.
pub(super) const COMPRESSED: &[Row] = &[
    row(Role::QueryDown, Whole, [QueryLatent, Hidden]),
    vector(Role::QueryDownNorm, Whole, QueryLatent),
    row(Role::QueryUp, Rows, [QueryRows, QueryLatent]),
    row(Role::KvDown, Whole, [HeadWidth, Hidden]),
    vector(Role::KvDownNorm, Whole, HeadWidth),
    row(Role::OutputDown, Rows, [OutputDownRows, OutputDownColumns]),
    row(Role::Output, Columns, [Hidden, OutputDownRows]),
    vector(Role::Sink, Rows, Heads),
    row(Role::Compress, Whole, [CompressWidth, Hidden]),
    row(Role::CompressGate, Whole, [CompressWidth, Hidden]),
    row(Role::CompressPosition, Whole, [CompressRate, CompressWidth]),
    vector(Role::CompressNorm, Whole, CompressNorm),
    row(Role::Compress, Whole, [IndexCompress, Hidden]),
    row(Role::CompressGate, Whole, [IndexCompress, Hidden]),
    row(Role::CompressPosition, Whole, [CompressRate, IndexCompress]),
    vector(Role::IndexNorm, Whole, IndexWidth),
    row(Role::IndexQuery, Whole, [IndexQuery, QueryLatent]),
    row(Role::IndexWeight, Whole, [IndexHeads, Hidden]),
];

/// A hyper-connection: one around the attention, one around the feed-forward.
pub(super) const HYPER: &[Row] = &[
    row(Role::Hyper, Whole, [HyperRows, HyperColumns]),
    vector(Role::Hyper, Whole, HyperRows),
    vector(Role::Hyper, Whole, HyperScales),
];

/// A dense feed-forward.
pub(super) const DENSE: &[Row] = &[
    row(Role::Gate, Rows, [GateRows, Hidden]),
    vector(Role::GateBias, Rows, Size::GateBias),
    row(Role::Up, Rows, [UpRows, Hidden]),
    vector(Role::UpBias, Rows, UpBias),
    row(Role::Down, Columns, [Hidden, UpRows]),
    vector(Role::DownBias, Whole, DownBias),
];

/// The router of a mixture of experts.
pub(super) const ROUTER: &[Row] = &[
    row(Role::Router, Whole, [RouterRows, Hidden]),
    vector(Role::RouterBias, Whole, RouterBias),
    vector(Role::RouterScale, Whole, RouterScale),
    vector(Role::RouterScale, Whole, PerExpertScale),
    vector(Role::CorrectionBias, Whole, CorrectionParameter),
    vector(Role::CorrectionBuffer, Whole, Correction),
];

/// The routed experts.
pub(super) const EXPERTS: &[Row] = &[
    stack(Role::ExpertsUp, [ExpertUp, ExpertInput]),
    stack(Role::ExpertsUpBias, [ExpertUpBias, One]),
    stack(Role::ExpertsDown, [ExpertInput, ExpertWidth]),
    stack(Role::ExpertsDownBias, [ExpertDownBias, One]),
];

/// What all experts share.
pub(super) const SHARED: &[Row] = &[
    row(Role::LatentDown, Whole, [Latent, Hidden]),
    row(Role::LatentUp, Whole, [Hidden, Latent]),
    row(Role::SharedGate, Rows, [SharedGateRows, Hidden]),
    row(Role::SharedUp, Rows, [SharedWidth, Hidden]),
    row(Role::SharedDown, Columns, [Hidden, SharedWidth]),
    row(Role::SharedMix, Whole, [SharedMix, Hidden]),
];

/// A norm on the residual stream.
pub(super) const NORM: &[Row] = &[vector(Role::LayerNorm, Whole, Hidden), vector(Role::LayerNormBias, Whole, NormBias)];

/// What a multi-token-prediction layer has beside a layer's tensors; it shares embedding and head with the model.
pub(super) const PREDICTION: &[Row] = &[
    vector(Role::MtpNorm, Whole, Hidden),
    vector(Role::MtpNorm, Whole, Hidden),
    row(Role::MtpProjection, Whole, [Hidden, TwiceHidden]),
    vector(Role::MtpNorm, Whole, Hidden),
];

/// The root of a language model.
pub(super) const ROOT: &[Row] = &[
    row(Role::Embedding, Rows, [EmbeddingRows, Hidden]),
    row(Role::Position, Whole, [Size::Positions, Hidden]),
    vector(Role::FinalNorm, Whole, Hidden),
    vector(Role::FinalNormBias, Whole, NormBias),
    row(Role::Hyper, Whole, [HyperRows, HyperColumns]),
    vector(Role::Hyper, Whole, HyperRows),
    vector(Role::Hyper, Whole, HyperScales),
    row(Role::Head, Rows, [HeadRows, Hidden]),
    vector(Role::HeadBias, Rows, Size::HeadBias),
];

/// What a vision tower has before its layers.
pub(super) const TOWER_INPUT: &[Row] = &[
    row(Role::Patch, Whole, [Hidden, Size::PatchColumns]),
    vector(Role::PatchBias, Whole, Size::PatchBias),
    vector(Role::ClassToken, Whole, Size::ClassToken),
    row(Role::Position, Whole, [Size::Positions, Hidden]),
    vector(Role::Scalar, Whole, Size::TileGate),
    row(Role::Position, Whole, [Size::TileRows, Size::TilePositions]),
    row(Role::Position, Whole, [Size::TileRows, Size::TileColumns]),
    row(Role::Position, Whole, [Size::TileRows, Size::TileColumns]),
    vector(Role::TowerNorm, Whole, Size::FirstNorm),
    vector(Role::TowerNormBias, Whole, Size::FirstNormBias),
];

/// What a vision tower has behind its layers.
pub(super) const TOWER_OUTPUT: &[Row] =
    &[vector(Role::TowerNorm, Whole, Size::LastNorm), vector(Role::TowerNormBias, Whole, Size::LastNormBias)];

/// What joins patches and hands them to the language model.
pub(super) const MERGER: &[Row] = &[
    vector(Role::TowerNorm, Whole, Size::MergerNorm),
    vector(Role::TowerNormBias, Whole, Size::MergerNormBias),
    row(Role::Merger, Whole, [Size::MergerHidden, Size::MergerInput]),
    vector(Role::MergerBias, Whole, Size::MergerBias),
    row(Role::Merger, Whole, [Size::MergerOutput, Size::MergerHidden]),
    vector(Role::MergerBias, Whole, Size::MergerOutputBias),
    row(Role::Merger, Whole, [Size::MergerLast, Size::MergerLast]),
];
