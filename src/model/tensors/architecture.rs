//! What the class of a checkpoint decides of its tensors and its config.json does not say: one row a `model_type`.

/// When a part exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// Never, whatever the config says.
    No,
    /// Always, whatever the config says.
    Yes,
    /// As the config's switch says; without one, no.
    Stated,
    /// As the config's switch says; without one, yes.
    StatedElseYes,
    /// As the config's one switch for the biases of all linear maps says.
    Bias,
    /// As the switch says that the model spec holds, be it stated or inferred from the name.
    Settled,
}

/// What a norm of queries and keys spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// One head.
    Head,
    /// All heads.
    Heads,
}

/// The form of a feed-forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Gate, up and down.
    Gated,
    /// The same, where the config's width is that of gate and up together.
    GatedHalf,
    /// Up and down.
    Plain,
    /// As the op counts of the layer's kind say.
    Counted,
}

/// What closes the attention output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gating {
    /// As wide as the queries, fused into their projection, where the spec says so.
    Stated,
    /// The same, always.
    Query,
    /// One gate a head.
    Head,
}

/// Which layers have attention sinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sinks {
    None,
    All,
    Sliding,
}

/// The router's load-balancing bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Correction {
    None,
    Buffer,
    Parameter,
}

/// What a layer marked as linear attention is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Linear {
    Delta,
    Kimi,
    Lightning,
}

/// What no other column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    None,
    /// Shapes that nobody wrote down: not counted.
    Unknown,
    /// Key and value heads, and norms, follow two switches of the config.
    Falcon,
    /// A learned position table.
    Positions,
    /// Eight rows of the embedding more than the vocabulary: the image tokens.
    ImageRows,
    /// Routers and experts with biases.
    ExpertBiases,
    /// A dense feed-forward beside the experts, with norms of its own.
    Beside,
    /// One shared expert as wide as a routed one.
    OneShared,
    /// A layer is one mixer behind one norm: a state space, attention, a feed-forward or experts.
    Single,
    /// Two attentions and two dense feed-forwards around one mixture of experts.
    Double,
    /// Compressed attention between hyper-connections.
    Compressed,
}

/// What a class decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traits {
    pub(super) qkv_bias: Given,
    pub(super) output_bias: Given,
    pub(super) feed_forward_bias: Given,
    pub(super) head_bias: Given,
    pub(super) query_key_norm: Given,
    pub(super) norm_span: Span,
    pub(super) norms: u64,
    pub(super) norm_bias: Given,
    pub(super) form: Form,
    /// Whether the experts come before their router.
    pub(super) router_last: bool,
    pub(super) correction: Correction,
    pub(super) shared_gate: Given,
    pub(super) gating: Gating,
    pub(super) sinks: Sinks,
    pub(super) linear: Linear,
    /// Whether input and output table are one where the config does not say.
    pub(super) tied: bool,
    pub(super) special: Special,
}

/// Llama and everything like it.
const LLAMA: Traits = Traits {
    qkv_bias: Given::Stated,
    output_bias: Given::Stated,
    feed_forward_bias: Given::Stated,
    head_bias: Given::No,
    query_key_norm: Given::No,
    norm_span: Span::Head,
    norms: 2,
    norm_bias: Given::No,
    form: Form::Gated,
    router_last: false,
    correction: Correction::None,
    shared_gate: Given::No,
    gating: Gating::Stated,
    sinks: Sinks::None,
    linear: Linear::Delta,
    tied: false,
    special: Special::None,
};

/// A type that is not in the table: what the config and the spec state or the name implies.
pub(super) const INFERRED: Traits = Traits {
    qkv_bias: Given::Settled,
    output_bias: Given::Settled,
    feed_forward_bias: Given::Settled,
    query_key_norm: Given::Settled,
    norm_bias: Given::Settled,
    shared_gate: Given::Settled,
    form: Form::Counted,
    ..LLAMA
};

const NO_BIAS: Traits = Traits { qkv_bias: Given::No, output_bias: Given::No, feed_forward_bias: Given::No, ..LLAMA };
const QKV_BIAS: Traits = Traits { qkv_bias: Given::Yes, ..NO_BIAS };
const ALL_BIASES: Traits =
    Traits { qkv_bias: Given::Bias, output_bias: Given::Bias, feed_forward_bias: Given::Bias, ..LLAMA };
const ATTENTION_BIASES: Traits = Traits { feed_forward_bias: Given::No, ..ALL_BIASES };
const QUERY_KEY_NORM: Traits = Traits { query_key_norm: Given::Yes, ..LLAMA };
const WIDE_NORM: Traits = Traits { norm_span: Span::Heads, ..QUERY_KEY_NORM };
const QKV_STATED: Traits = Traits { output_bias: Given::No, feed_forward_bias: Given::No, ..LLAMA };
const QWEN3_NEXT: Traits = Traits { gating: Gating::Query, shared_gate: Given::Yes, ..QUERY_KEY_NORM };
const GEMMA: Traits = Traits { tied: true, ..LLAMA };
const GEMMA2: Traits = Traits { norms: 4, ..GEMMA };
const GEMMA3: Traits = Traits { query_key_norm: Given::Yes, ..GEMMA2 };
const ERNIE: Traits = Traits { head_bias: Given::Bias, tied: true, ..ALL_BIASES };
const DEEPSEEK_V2: Traits = Traits { router_last: true, ..LLAMA };
const DEEPSEEK_V3: Traits = Traits { correction: Correction::Buffer, ..DEEPSEEK_V2 };
/// Norms with biases, a plain feed-forward and biases everywhere.
const GPT: Traits = Traits {
    qkv_bias: Given::Yes,
    output_bias: Given::Yes,
    feed_forward_bias: Given::Yes,
    norm_bias: Given::Yes,
    form: Form::Plain,
    ..LLAMA
};
/// One norm before the parallel branches, and a bias of the output table.
const GPT_PARALLEL: Traits = Traits { norms: 1, head_bias: Given::Yes, ..GPT };

/// Every known `model_type`, in its byte order.
const ARCHITECTURES: &[(&str, Traits)] = &[
    ("PanguEmbedded", ATTENTION_BIASES),
    ("baichuan", NO_BIAS),
    ("chatglm", Traits { qkv_bias: Given::Bias, ..NO_BIAS }),
    ("cohere", Traits { query_key_norm: Given::Stated, norm_span: Span::Heads, norms: 1, ..GEMMA }),
    ("deepseek", LLAMA),
    ("deepseek_v2", DEEPSEEK_V2),
    ("deepseek_v3", DEEPSEEK_V3),
    ("deepseek_v32", DEEPSEEK_V3),
    ("deepseek_v4", Traits { special: Special::Compressed, ..DEEPSEEK_V3 }),
    ("ernie4_5", ERNIE),
    ("ernie4_5_moe", Traits { correction: Correction::Parameter, ..ERNIE }),
    ("exaone4", Traits { query_key_norm: Given::Yes, ..NO_BIAS }),
    ("falcon", Traits { norm_bias: Given::Yes, form: Form::Plain, tied: true, special: Special::Falcon, ..ALL_BIASES }),
    ("gemma", GEMMA),
    ("gemma2", GEMMA2),
    ("gemma3_text", GEMMA3),
    ("gemma4_text", Traits { special: Special::Beside, ..GEMMA3 }),
    ("glm", QKV_STATED),
    ("glm4", Traits { norms: 4, ..QKV_STATED }),
    (
        "glm4_moe",
        Traits { query_key_norm: Given::Stated, router_last: true, correction: Correction::Buffer, ..QKV_STATED },
    ),
    ("glm_moe_dsa", DEEPSEEK_V3),
    ("gpt2", Traits { tied: true, special: Special::Positions, ..GPT }),
    ("gpt_neox", Traits { qkv_bias: Given::StatedElseYes, output_bias: Given::StatedElseYes, ..GPT }),
    ("gpt_oss", Traits { sinks: Sinks::All, special: Special::ExpertBiases, ..LLAMA }),
    ("gptj", Traits { qkv_bias: Given::No, output_bias: Given::No, ..GPT_PARALLEL }),
    ("hunyuan", Traits { query_key_norm: Given::Stated, ..LLAMA }),
    ("hunyuan_v1_dense", QUERY_KEY_NORM),
    ("hunyuan_v1_moe", QUERY_KEY_NORM),
    ("hy_v3", Traits { correction: Correction::Buffer, ..QUERY_KEY_NORM }),
    ("internlm", ATTENTION_BIASES),
    ("internlm2", ATTENTION_BIASES),
    ("internlm3", LLAMA),
    ("kimi_k2", DEEPSEEK_V3),
    // Latent experts and residual blocks that no public text gives the shapes of.
    ("kimi_k3", Traits { special: Special::Unknown, ..LLAMA }),
    ("kimi_linear", Traits { linear: Linear::Kimi, ..DEEPSEEK_V3 }),
    ("llama", LLAMA),
    ("llama4_text", Traits { special: Special::OneShared, ..LLAMA }),
    ("longcat_flash", Traits { special: Special::Double, ..DEEPSEEK_V3 }),
    ("mimo", QKV_STATED),
    ("mimo_v2_flash", Traits { sinks: Sinks::Sliding, correction: Correction::Buffer, ..QKV_STATED }),
    ("minicpm", GEMMA),
    ("minimax_m1", Traits { linear: Linear::Lightning, ..NO_BIAS }),
    (
        "minimax_m2",
        Traits { correction: Correction::Buffer, norm_span: Span::Heads, query_key_norm: Given::Yes, ..NO_BIAS },
    ),
    ("minimax_m3", Traits { correction: Correction::Buffer, query_key_norm: Given::Stated, ..NO_BIAS }),
    ("ministral3", NO_BIAS),
    ("mistral", NO_BIAS),
    ("mixtral", NO_BIAS),
    ("mllama_text_model", Traits { special: Special::ImageRows, ..NO_BIAS }),
    ("nemotron-nas", LLAMA),
    (
        "nemotron_h",
        Traits { form: Form::Plain, norms: 1, correction: Correction::Buffer, special: Special::Single, ..NO_BIAS },
    ),
    ("olmo2", WIDE_NORM),
    ("olmo3", WIDE_NORM),
    ("orion", Traits { norm_bias: Given::Yes, ..NO_BIAS }),
    ("pangu_ultra_moe", Traits { norms: 4, ..DEEPSEEK_V3 }),
    ("phi", GPT_PARALLEL),
    ("phi-msft", GPT_PARALLEL),
    ("phi3", NO_BIAS),
    ("phimoe", Traits { norm_bias: Given::Yes, head_bias: Given::Stated, feed_forward_bias: Given::No, ..LLAMA }),
    ("qwen", Traits { form: Form::GatedHalf, ..QKV_BIAS }),
    ("qwen2", QKV_BIAS),
    ("qwen2_5_vl", QKV_BIAS),
    ("qwen2_5_vl_text", QKV_BIAS),
    ("qwen2_moe", Traits { shared_gate: Given::Yes, ..QKV_BIAS }),
    ("qwen2_vl", QKV_BIAS),
    ("qwen3", QUERY_KEY_NORM),
    ("qwen3_5_moe_text", QWEN3_NEXT),
    ("qwen3_5_text", QWEN3_NEXT),
    ("qwen3_moe", QUERY_KEY_NORM),
    ("qwen3_next", QWEN3_NEXT),
    ("qwen3_vl_moe_text", QUERY_KEY_NORM),
    ("qwen3_vl_text", QUERY_KEY_NORM),
    ("smollm3", GEMMA),
    (
        "stablelm",
        Traits {
            qkv_bias: Given::Bias,
            query_key_norm: Given::Stated,
            norm_span: Span::Heads,
            norm_bias: Given::Yes,
            ..NO_BIAS
        },
    ),
    ("starcoder2", Traits { norm_bias: Given::Yes, form: Form::Plain, tied: true, ..ALL_BIASES }),
    ("step3p7", Traits { gating: Gating::Head, correction: Correction::Buffer, ..QUERY_KEY_NORM }),
];

/// The traits of a `model_type`.
pub(super) fn traits(model_type: &str) -> Option<Traits> {
    let at = ARCHITECTURES.binary_search_by(|(name, _)| (*name).cmp(model_type)).ok()?;
    Some(ARCHITECTURES[at].1)
}

/// How patches are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// By rotation alone.
    None,
    /// A table of stated length.
    Stated,
    /// A table of rows × columns.
    Grid,
    /// A table for each axis.
    Axes,
    /// Tables of an image, of its tiles and of their layout.
    Tiles,
}

/// How patches reach the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// Merged patches through two maps, behind a norm.
    Merger,
    /// The same behind a norm whose width the config states, straight to the language model's width.
    WideMerger,
    /// Merged patches back to one patch's width, then two maps.
    PatchMerger,
    /// One map.
    Projection,
}

/// What the class of a vision tower decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct TowerTraits {
    pub(super) layers: Traits,
    pub(super) patch_bias: bool,
    pub(super) place: Place,
    pub(super) first_norm: bool,
    pub(super) last_norm: bool,
    pub(super) join: Join,
    /// Whether maps and norms of the join have biases.
    pub(super) join_bias: bool,
}

const QWEN3_TOWER: TowerTraits = TowerTraits {
    layers: GPT,
    patch_bias: true,
    place: Place::Stated,
    first_norm: false,
    last_norm: false,
    join: Join::Merger,
    join_bias: true,
};

/// Towers by the `model_type` of the whole model or of the tower.
const TOWERS: &[(&str, TowerTraits)] = &[
    (
        "gemma4",
        TowerTraits {
            layers: Traits { norms: 4, query_key_norm: Given::Yes, ..NO_BIAS },
            patch_bias: false,
            place: Place::Axes,
            join: Join::Projection,
            join_bias: false,
            ..QWEN3_TOWER
        },
    ),
    ("kimi_k25", TowerTraits { place: Place::Grid, last_norm: true, join: Join::WideMerger, ..QWEN3_TOWER }),
    (
        "mllama",
        TowerTraits {
            layers: Traits { qkv_bias: Given::No, output_bias: Given::No, ..GPT },
            patch_bias: false,
            place: Place::Tiles,
            first_norm: true,
            last_norm: true,
            join: Join::Projection,
            ..QWEN3_TOWER
        },
    ),
    (
        "pixtral",
        TowerTraits {
            layers: NO_BIAS,
            patch_bias: false,
            place: Place::None,
            first_norm: true,
            join: Join::PatchMerger,
            join_bias: false,
            ..QWEN3_TOWER
        },
    ),
    (
        "qwen2_5_vl",
        TowerTraits {
            layers: Traits { qkv_bias: Given::Yes, output_bias: Given::Yes, feed_forward_bias: Given::Yes, ..LLAMA },
            patch_bias: false,
            place: Place::None,
            ..QWEN3_TOWER
        },
    ),
    ("qwen3_5", QWEN3_TOWER),
    ("qwen3_5_moe", QWEN3_TOWER),
    ("qwen3_vl", QWEN3_TOWER),
    ("qwen3_vl_moe", QWEN3_TOWER),
];

/// The traits of a tower, by the first of the types that is known.
pub(super) fn tower_traits<'a>(types: impl IntoIterator<Item = &'a str>) -> Option<TowerTraits> {
    types.into_iter().find_map(|name| TOWERS.iter().find(|(known, _)| *known == name)).map(|(_, traits)| *traits)
}

/// A tower of a class that is not in the table is counted like the most common one.
pub(super) const INFERRED_TOWER: TowerTraits = QWEN3_TOWER;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_their_order() {
        assert!(ARCHITECTURES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
