//! The canonical fields of a model spec and how a config.json spells them (config-spec 5.2).

macro_rules! fields {
    ($(#[$meta:meta])* $name:ident { $($variant:ident $canonical:literal [$($spelling:literal)*] $meaning:literal;)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $meaning] $variant,)*
        }

        impl $name {
            /// Every field, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The canonical name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $canonical,)* }
            }

            /// The spellings of a config.json, the first that is not null wins; empty where only overrides state the field.
            pub const fn spellings(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($spelling,)*],)* }
            }

            /// The field of a canonical name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|field| field.name() == name)
            }

            pub(super) const fn index(self) -> usize {
                self as usize
            }
        }
    };
}

fields! {
    /// A whole-number dimension of the language model.
    Dimension {
        HiddenSize "hidden_size" ["hidden_size"] "Width of the residual stream.";
        Layers "num_hidden_layers" ["num_hidden_layers"] "Body layers.";
        Heads "num_attention_heads" ["num_attention_heads"] "Query heads.";
        Vocabulary "vocab_size" ["vocab_size"] "Rows of the embedding table.";
        KvHeads "num_key_value_heads" ["num_key_value_heads"] "Key/value heads.";
        HeadWidth "head_dim" ["head_dim"] "Width of a head.";
        FeedForward "intermediate_size" ["intermediate_size"] "Dense feed-forward width.";
        ContextLimit "max_position_embeddings" ["max_position_embeddings"] "Longest context, tokens.";
        Experts "num_experts" ["num_experts" "n_routed_experts" "num_local_experts"] "Routed experts.";
        ChosenExperts "num_experts_per_tok" ["num_experts_per_tok"] "Experts a token goes to.";
        SharedExperts "num_shared_experts" ["n_shared_experts" "num_shared_experts"] "Shared experts.";
        ExpertWidth "moe_intermediate_size" ["moe_intermediate_size"] "One expert's feed-forward width.";
        SharedWidth "shared_expert_intermediate_size" ["shared_expert_intermediate_size"] "Width of all shared experts.";
        LeadingDense "first_k_dense_replace" ["first_k_dense_replace"] "Leading dense layers.";
        MtpDepth "mtp_depth" ["mtp_depth" "num_nextn_predict_layers" "mtp_num_hidden_layers"] "Multi-token-prediction layers.";
        MultipleOf "multiple_of" ["multiple_of"] "Rounding of a derived feed-forward width.";
        KvLatent "kv_lora_rank" ["kv_lora_rank"] "Latent width of keys and values (MLA).";
        QueryLatent "q_lora_rank" ["q_lora_rank"] "Latent width of queries (MLA).";
        RotaryWidth "qk_rope_head_dim" ["qk_rope_head_dim"] "Rotary part of a head (MLA).";
        NopeWidth "qk_nope_head_dim" ["qk_nope_head_dim"] "Non-rotary part of a key head (MLA).";
        ValueHeadWidth "v_head_dim" ["v_head_dim"] "Width of a value head (MLA).";
        LinearKeyHeads "linear_num_key_heads" ["linear_num_key_heads"] "Key heads of a linear-attention layer.";
        LinearKeyWidth "linear_key_head_dim" ["linear_key_head_dim"] "Key head width of a linear-attention layer.";
        LinearValueHeads "linear_num_value_heads" ["linear_num_value_heads"] "Value heads of a linear-attention layer.";
        LinearValueWidth "linear_value_head_dim" ["linear_value_head_dim"] "Value head width of a linear-attention layer.";
        LinearConvolution "linear_conv_kernel_dim" ["linear_conv_kernel_dim"] "Convolution width of a linear-attention layer.";
        LayerNorms "layer_norms" [] "Norms a layer has; only overrides state it.";
    }
}

fields! {
    /// A switch of the language model.
    Flag {
        OutputGate "attn_output_gate" ["attn_output_gate"] "The query projection also makes an output gate.";
        TiedEmbeddings "tie_word_embeddings" ["tie_word_embeddings"] "Input and output table are one.";
        FeedForwardBias "mlp_bias" ["mlp_bias"] "Feed-forward maps have biases.";
        QkvBias "qkv_bias" ["qkv_bias" "attention_bias"] "Query, key and value maps have biases.";
        OutputBias "o_bias" ["o_bias" "attention_bias"] "The attention output map has a bias.";
        QkNorm "qk_norm" ["qk_norm" "use_qk_norm" "qk_layernorm"] "Each head's queries and keys are normalised.";
        NormBias "norm_bias" [] "Norms have biases; only overrides state it.";
        SharedExpertGate "shared_expert_gate" [] "The shared expert has a gate; overrides or the name state it.";
    }
}

fields! {
    /// A whole-number dimension of a vision tower.
    TowerDimension {
        HiddenSize "hidden_size" ["hidden_size"] "Width of the residual stream.";
        Layers "num_hidden_layers" ["depth" "num_hidden_layers"] "Layers.";
        Heads "num_attention_heads" ["num_heads" "num_attention_heads"] "Heads.";
        FeedForward "intermediate_size" ["intermediate_size"] "Feed-forward width.";
        OutputWidth "out_hidden_size" ["out_hidden_size"] "Width handed to the language model.";
        Patch "patch_size" ["patch_size"] "Side of an image patch, pixels.";
        Merge "spatial_merge_size" ["spatial_merge_size"] "Patches merged along each side.";
        Grid "num_position_embeddings" ["num_position_embeddings"] "Positions of the largest image.";
    }
}

impl Dimension {
    /// The four a spec must state (config-spec 5.5), in the order they are checked.
    pub const REQUIRED: [Self; 4] = [Self::HiddenSize, Self::Layers, Self::Heads, Self::Vocabulary];
    /// The five of a linear-attention layer (config-spec 6.4).
    pub const LINEAR: [Self; 5] = [
        Self::LinearKeyHeads,
        Self::LinearKeyWidth,
        Self::LinearValueHeads,
        Self::LinearValueWidth,
        Self::LinearConvolution,
    ];
}

impl TowerDimension {
    /// The three a tower must state (config-spec 5.5), in the order they are checked.
    pub const REQUIRED: [Self; 3] = [Self::HiddenSize, Self::Layers, Self::Heads];
}

/// Further names `config_overrides` may hold (config-spec 18.5).
pub const OTHER_OVERRIDES: [&str; 10] = [
    "ffn_dim_multiplier",
    "torch_dtype",
    "layer_types",
    "name",
    "arch",
    "ops",
    "layers",
    "activations",
    "output_activations",
    "vision",
];

/// The canonical names of the language model's dimensions and switches.
pub fn names() -> impl Iterator<Item = &'static str> {
    Dimension::ALL.iter().map(|field| field.name()).chain(Flag::ALL.iter().map(|field| field.name()))
}

/// Canonical text fields that may stand directly under `model` (config-spec 18.5): the language-model table of 5.2.
pub fn may_stand_under_model(key: &str) -> bool {
    Dimension::by_name(key).is_some_and(|field| !field.spellings().is_empty())
        || Flag::by_name(key).is_some_and(|field| !field.spellings().is_empty())
        || matches!(key, "ffn_dim_multiplier" | "torch_dtype" | "layer_types")
}
