//! Families: what a model's name decides where nobody states it (config-spec 6, memory-core 4).

/// A family of models, by its op profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Everything no other family claims.
    Default,
    /// DeepSeek: dense then mixture-of-experts layers, multi-head latent attention.
    Deepseek,
    /// Qwen up to 3.
    Qwen,
    /// Qwen 3.5: full and linear attention.
    Qwen35,
    /// Mixtral.
    Mixtral,
    /// Llama 2, by name only.
    Llama2,
    /// The `cm` family, laid out as DeepSeek's.
    Cm,
    /// PanGu-α.
    Pangualpha,
    /// T5: encoder and decoder.
    T5,
    /// A vision tower.
    Vision,
}

/// Op counts of one layer of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OpCounts {
    /// Attention projections (`attMM`).
    pub attention_matmul: u32,
    /// Attention batched matmuls (`attBMM`).
    pub attention_batched_matmul: u32,
    /// Feed-forward matmuls (`ffMM`).
    pub feed_forward_matmul: u32,
    /// `softmax`.
    pub softmax: u32,
    /// `dropout`.
    pub dropout: u32,
    /// `normOp`.
    pub norm: u32,
    /// `gather`.
    pub gather: u32,
    /// `headCast`.
    pub head_cast: u32,
    /// `ffAct`.
    pub feed_forward_activation: u32,
    /// `linrec`.
    pub linear_recurrence: u32,
}

impl OpCounts {
    /// From the ten counts in the reference's order: attMM, attBMM, ffMM, softmax, dropout, normOp, gather, headCast,
    /// ffAct, linrec (config-spec 6.3).
    pub const fn new(counts: [u32; 10]) -> Self {
        let [
            attention_matmul,
            attention_batched_matmul,
            feed_forward_matmul,
            softmax,
            dropout,
            norm,
            gather,
            head_cast,
            feed_forward_activation,
            linear_recurrence,
        ] = counts;
        Self {
            attention_matmul,
            attention_batched_matmul,
            feed_forward_matmul,
            softmax,
            dropout,
            norm,
            gather,
            head_cast,
            feed_forward_activation,
            linear_recurrence,
        }
    }

    /// The counts with the reference's names, in its order.
    pub const fn named(self) -> [(&'static str, u32); 10] {
        [
            ("attMM", self.attention_matmul),
            ("attBMM", self.attention_batched_matmul),
            ("ffMM", self.feed_forward_matmul),
            ("softmax", self.softmax),
            ("dropout", self.dropout),
            ("normOp", self.norm),
            ("gather", self.gather),
            ("headCast", self.head_cast),
            ("ffAct", self.feed_forward_activation),
            ("linrec", self.linear_recurrence),
        ]
    }
}

/// How a layer kind attends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttentionFlavour {
    /// Softmax attention.
    Full,
    /// A linear recurrence.
    Linear,
}

/// Which feed-forward a layer kind has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FeedForwardFlavour {
    /// What the model states.
    Models,
    /// Dense.
    Dense,
    /// Mixture of experts.
    Experts,
}

/// A kind of layer of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LayerKind {
    /// The reference's name: `decoder`, `moe`, `linear_attention`, …
    pub name: &'static str,
    /// Attention.
    pub attention: AttentionFlavour,
    /// Feed-forward.
    pub feed_forward: FeedForwardFlavour,
    /// Op counts.
    pub counts: OpCounts,
}

const fn kind(
    name: &'static str,
    attention: AttentionFlavour,
    feed_forward: FeedForwardFlavour,
    counts: [u32; 10],
) -> LayerKind {
    LayerKind { name, attention, feed_forward, counts: OpCounts::new(counts) }
}

use AttentionFlavour::{Full, Linear};
use FeedForwardFlavour::{Dense, Experts, Models};

const COMMON: [u32; 10] = [4, 2, 3, 1, 0, 2, 4, 1, 1, 0];
static DECODER: [LayerKind; 1] = [kind("decoder", Full, Models, COMMON)];
static EXPERTS: [LayerKind; 2] = [kind("moe", Full, Experts, COMMON), kind("dense", Full, Dense, COMMON)];
static HYBRID: [LayerKind; 2] = [
    kind("full_attention", Full, Models, COMMON),
    kind("linear_attention", Linear, Models, [4, 0, 3, 0, 0, 2, 4, 0, 1, 1]),
];
static PANGUALPHA: [LayerKind; 1] = [kind("decoder", Full, Models, [4, 1, 2, 2, 5, 4, 4, 1, 1, 0])];
static T5: [LayerKind; 2] = [
    kind("encoder", Full, Models, [4, 1, 2, 2, 5, 2, 4, 1, 1, 0]),
    kind("decoder", Full, Models, [8, 2, 2, 4, 7, 3, 6, 1, 1, 0]),
];
static VISION: [LayerKind; 1] = [kind("encoder", Full, Models, [4, 2, 2, 1, 0, 2, 4, 1, 1, 0])];

/// What a family decides of a run where the run states nothing (config-spec 6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunDefaults {
    /// Bytes of a gradient element.
    pub grad_bytes: i64,
    /// Bytes of an optimizer-state element.
    pub optimizer_state_bytes: i64,
    /// States per parameter.
    pub optimizer_states: i64,
    /// Bytes of the main copy of a parameter.
    pub main_param_bytes: i64,
    /// Bytes of a norm's activation element.
    pub norm_bytes: i64,
    /// Bytes of a dropout mask element.
    pub dropout_bytes: i64,
    /// Gradients accumulate without a pipeline.
    pub grad_accumulation: bool,
    /// Activations between layers are sharded over TP.
    pub shard_activations: bool,
    /// The loss runs on vocabulary-sharded logits.
    pub loss_parallel: bool,
    /// Gathered parameters are freed after a layer.
    pub reshard_params: bool,
    /// Reduced gradients are held until the backward ends.
    pub deferred_grad_accumulation: bool,
    /// Gradients are reduced while the next backward runs.
    pub overlapped_grad_reduce: bool,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 10] = [
        Self::Default,
        Self::Deepseek,
        Self::Qwen,
        Self::Qwen35,
        Self::Mixtral,
        Self::Llama2,
        Self::Cm,
        Self::Pangualpha,
        Self::T5,
        Self::Vision,
    ];

    /// The reference's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Deepseek => "deepseek",
            Self::Qwen => "qwen",
            Self::Qwen35 => "qwen3_5",
            Self::Mixtral => "mixtral",
            Self::Llama2 => "llama2",
            Self::Cm => "cm",
            Self::Pangualpha => "pangualpha",
            Self::T5 => "t5",
            Self::Vision => "vision",
        }
    }

    /// The family of a stated name, if there is one.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }

    /// The family a model's name opens with (longest prefix, any case); none where no family claims it (config-spec 6.1).
    pub fn of_model_name(name: &str) -> Option<Self> {
        // Longest first, so that `qwen3_5` is tried before `qwen`.
        const PREFIXES: [(&str, Family); 9] = [
            ("pangualpha", Family::Pangualpha),
            ("deepseek", Family::Deepseek),
            ("qwen3_5", Family::Qwen35),
            ("qwen3.5", Family::Qwen35),
            ("mixtral", Family::Mixtral),
            ("llama2", Family::Llama2),
            ("qwen", Family::Qwen),
            ("t5", Family::T5),
            ("cm", Family::Cm),
        ];
        let name = name.to_ascii_lowercase();
        PREFIXES.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, family)| family)
    }

    /// The family's layer kinds; the default kind first, except that T5 has none.
    pub fn kinds(self) -> &'static [LayerKind] {
        match self {
            Self::Default | Self::Llama2 | Self::Mixtral | Self::Qwen => &DECODER,
            Self::Deepseek | Self::Cm => &EXPERTS,
            Self::Qwen35 => &HYBRID,
            Self::Pangualpha => &PANGUALPHA,
            Self::T5 => &T5,
            Self::Vision => &VISION,
        }
    }

    /// The width of a value head where the model states none; only DeepSeek and `cm` have one.
    pub const fn value_head_width(self) -> Option<i64> {
        match self {
            Self::Deepseek | Self::Cm => Some(128),
            _ => None,
        }
    }

    /// What the family decides of a run.
    pub const fn run_defaults(self) -> RunDefaults {
        const BASE: RunDefaults = RunDefaults {
            grad_bytes: 4,
            optimizer_state_bytes: 4,
            optimizer_states: 2,
            main_param_bytes: 0,
            norm_bytes: 4,
            dropout_bytes: 0,
            grad_accumulation: false,
            shard_activations: false,
            loss_parallel: true,
            reshard_params: false,
            deferred_grad_accumulation: false,
            overlapped_grad_reduce: false,
        };
        match self {
            Self::Llama2 => RunDefaults { grad_bytes: 2, grad_accumulation: true, ..BASE },
            Self::Mixtral => RunDefaults { grad_bytes: 2, ..BASE },
            Self::Pangualpha | Self::T5 => RunDefaults { dropout_bytes: 1, ..BASE },
            Self::Qwen | Self::Qwen35 => RunDefaults { shard_activations: true, ..BASE },
            Self::Default | Self::Deepseek | Self::Cm | Self::Vision => BASE,
        }
    }
}
