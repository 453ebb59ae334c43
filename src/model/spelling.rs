//! Names that a Transformers class renames: a config object answers to the canonical name, the raw config.json holds
//! another. Read only where the names of config-spec 5.2 do not resolve the config: where it states a required dimension
//! under none of them, or states one in a form that only its class understands. Elsewhere the reference's own table holds,
//! and what it leaves unread is told.

use super::fields::Dimension;
use crate::document::{Mapping, Node, Value};
use crate::provenance::{KeyPath, Origin};

/// Canonical name and other spelling, for the language model; the first that is stated wins. A spelling with a dot stands
/// in a section of the config.
const LANGUAGE: &[(&str, &str)] = &[
    ("hidden_size", "n_embd"),
    ("hidden_size", "n_embed"),
    ("hidden_size", "d_model"),
    ("num_hidden_layers", "n_layer"),
    ("num_hidden_layers", "num_layers"),
    ("num_hidden_layers", "n_layers"),
    ("num_attention_heads", "n_head"),
    ("num_attention_heads", "n_heads"),
    ("num_attention_heads", "num_heads"),
    ("num_attention_heads", "attention_heads"),
    ("num_key_value_heads", "n_head_kv"),
    ("num_key_value_heads", "num_kv_heads"),
    ("num_key_value_heads", "n_kv_heads"),
    ("num_key_value_heads", "multi_query_group_num"),
    ("num_key_value_heads", "num_query_groups"),
    ("num_key_value_heads", "attn_config.kv_n_heads"),
    ("vocab_size", "padded_vocab_size"),
    ("vocab_size", "n_vocab"),
    ("intermediate_size", "n_inner"),
    ("intermediate_size", "ffn_hidden_size"),
    ("intermediate_size", "d_ff"),
    ("intermediate_size", "d_inner"),
    ("intermediate_size", "ffn_dim"),
    ("intermediate_size", "ffn_config.ffn_hidden_size"),
    ("max_position_embeddings", "n_positions"),
    ("max_position_embeddings", "n_ctx"),
    ("max_position_embeddings", "seq_length"),
    ("max_position_embeddings", "max_seq_len"),
    ("max_position_embeddings", "max_sequence_length"),
    ("max_position_embeddings", "model_max_length"),
    ("max_position_embeddings", "context_length"),
    ("head_dim", "kv_channels"),
    ("head_dim", "attention_head_dim"),
    ("head_dim", "d_kv"),
    ("head_dim", "head_size"),
    ("num_experts", "moe_num_experts"),
    ("num_experts", "num_routed_experts"),
    ("num_experts", "ffn_config.moe_num_experts"),
    ("num_experts_per_tok", "moe_topk"),
    ("num_experts_per_tok", "moe_k"),
    ("num_experts_per_tok", "moe_top_k"),
    ("num_experts_per_tok", "top_k_experts"),
    ("num_experts_per_tok", "num_experts_per_token"),
    ("num_experts_per_tok", "experts_per_token"),
    ("num_experts_per_tok", "ffn_config.moe_top_k"),
    ("num_shared_experts", "num_shared_expert"),
    ("num_shared_experts", "moe_num_shared_experts"),
    ("moe_intermediate_size", "expert_ffn_hidden_size"),
    ("moe_intermediate_size", "expert_intermediate_size"),
    ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size"),
    ("first_k_dense_replace", "moe_layer_start_index"),
    ("first_k_dense_replace", "num_dense_layers"),
    ("mtp_depth", "num_mtp_layers"),
    ("mtp_depth", "num_mtp_modules"),
    ("kv_lora_rank", "attention_kv_lora_dim"),
    ("q_lora_rank", "attention_q_lora_dim"),
    ("qk_rope_head_dim", "attention_qk_rope_dim"),
    ("qk_nope_head_dim", "attention_qk_dim"),
    ("v_head_dim", "attention_v_dim"),
    ("qkv_bias", "add_qkv_bias"),
    ("qkv_bias", "use_qkv_bias"),
    ("linear_num_key_heads", "linear_num_heads"),
    ("linear_num_key_heads", "linear_attn_config.num_heads"),
    ("linear_num_value_heads", "linear_num_heads"),
    ("linear_num_value_heads", "linear_attn_config.num_heads"),
    ("linear_key_head_dim", "linear_head_dim"),
    ("linear_key_head_dim", "linear_attn_config.head_dim"),
    ("linear_value_head_dim", "linear_head_dim"),
    ("linear_value_head_dim", "linear_attn_config.head_dim"),
    ("linear_conv_kernel_dim", "linear_attn_config.short_conv_kernel_size"),
];

/// What the reference never reads, whatever else a config states, and what decides sizes all the same.
const NEVER_READ: &[&str] = &[
    "attention_k_eq_v",
    "block_configs",
    "dense_intermediate_size",
    "global_head_dim",
    "hc_mult",
    "hidden_size_per_layer_input",
    "index_n_heads",
    "intermediate_size_mlp",
    "moe_latent_size",
    "num_global_key_value_heads",
    "num_kv_shared_layers",
    "o_lora_rank",
    "routed_expert_hidden_size",
    "share_expert_dim",
    "shared_intermediate_size",
    "swa_num_key_value_heads",
];

/// Canonical name and other spelling, for a vision tower.
pub(super) const TOWER: &[(&str, &str)] = &[
    ("hidden_size", "vt_hidden_size"),
    ("hidden_size", "hidden_dim"),
    ("hidden_size", "embed_dim"),
    ("hidden_size", "width"),
    ("num_hidden_layers", "vt_num_hidden_layers"),
    ("num_hidden_layers", "num_layers"),
    ("num_hidden_layers", "layers"),
    ("num_attention_heads", "vt_num_attention_heads"),
    ("num_attention_heads", "attention_heads"),
    ("num_attention_heads", "heads"),
    ("intermediate_size", "vt_intermediate_size"),
    ("intermediate_size", "mlp_dim"),
    ("out_hidden_size", "text_hidden_size"),
    ("out_hidden_size", "vision_output_dim"),
];

/// Classes that tie the output table to the embedding where the config does not say.
const TIED: [&str; 8] = ["bloom", "ctrl", "gpt-sw3", "gpt2", "gpt_bigcode", "gpt_neo", "mpt", "openai-gpt"];

/// The canonical name of a spelling that some class or file uses.
pub(super) fn canonical(spelling: &str) -> Option<&'static str> {
    LANGUAGE.iter().find(|(_, other)| *other == spelling).map(|(name, _)| *name)
}

/// Which names a config is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Config-spec 5.2.
    Reference,
    /// The class's own names too.
    Renamed {
        /// The class ties the tables where the config does not say.
        tied: bool,
    },
}

/// A value under the class's own name.
pub(super) struct Renamed {
    pub(super) value: Value,
    /// Where it stands, or the rule it follows from.
    pub(super) from: Whence,
}

/// Where a renamed value comes from.
pub(super) enum Whence {
    Key(KeyPath),
    Rule(Origin),
}

impl Spelling {
    pub(super) fn of(model_type: &str, config: &Mapping) -> Self {
        let states = |name: &str| stated(config, name).is_some();
        let incomplete = Dimension::REQUIRED.iter().any(|field| !states(field.name()));
        let renamed = LANGUAGE.iter().any(|(_, spelling)| states(spelling)) || states("layers_block_type");
        let per_layer = Dimension::ALL.iter().any(|field| listed(config, field.name()).is_some());
        let linear = states("linear_num_heads") || states("linear_attn_config");
        if incomplete && renamed || per_layer || linear && !states("linear_num_key_heads") {
            return Self::Renamed { tied: TIED.contains(&model_type) };
        }
        Self::Reference
    }

    /// What the config states and the reference does not read.
    pub(super) fn unread(self, config: &Mapping) -> Vec<&'static str> {
        let states = |name: &str| stated(config, name).is_some_and(Value::truthy);
        let read = |name: &str| match Dimension::by_name(name) {
            // The trainer builds no MTP layers, and switches have no size.
            Some(Dimension::MtpDepth) | None => true,
            Some(field) => field.spellings().iter().any(|spelling| states(spelling)),
        };
        let renamed = LANGUAGE.iter().filter(|(name, spelling)| states(spelling) && !read(name));
        let renamed = renamed.map(|(_, spelling)| *spelling).filter(|_| self == Self::Reference);
        renamed.chain(NEVER_READ.iter().copied().filter(|name| states(name))).collect()
    }

    /// What a stated value of a dimension means to the class: of a list with one number a layer, the largest. Memory is
    /// priced by the widest layer.
    pub(super) fn understood(self, value: &Value) -> Value {
        match (self, value) {
            (Self::Renamed { .. }, Value::Sequence(items)) => widest(items).unwrap_or_else(|| value.clone()),
            (Self::Renamed { .. } | Self::Reference, value) => value.clone(),
        }
    }

    /// The value of a canonical field that the config states under none of its names.
    pub(super) fn renamed(self, config: &Mapping, name: &str) -> Option<Renamed> {
        let Self::Renamed { tied } = self else { return None };
        for (_, spelling) in LANGUAGE.iter().filter(|(canonical, _)| *canonical == name) {
            if let Some(value) = stated(config, spelling) {
                return Some(Renamed { value: self.understood(value), from: Whence::Key(KeyPath::parse(spelling)) });
            }
        }
        let rule = |value, rule| Some(Renamed { value, from: Whence::Rule(Origin::Rule(rule)) });
        match name {
            "num_hidden_layers" => match stated(config, "layers_block_type")? {
                Value::Sequence(items) => Some(Renamed {
                    value: Value::Integer(i64::try_from(items.len()).ok()?),
                    from: Whence::Key(KeyPath::parse("layers_block_type")),
                }),
                _ => None,
            },
            "num_key_value_heads" if stated(config, "multi_query").is_some_and(Value::truthy) => {
                rule(Value::Integer(1), "the model's class: one key/value head under multi-query attention")
            }
            "intermediate_size" => {
                let widths = [Dimension::ExpertWidth, Dimension::SharedWidth];
                let another = |field: &Dimension| {
                    stated(config, field.name()).is_some() || self.renamed(config, field.name()).is_some()
                };
                let hidden = match stated(config, "hidden_size") {
                    Some(hidden) => hidden.clone(),
                    None => self.renamed(config, "hidden_size")?.value,
                };
                let hidden = hidden.to_integer().filter(|_| !widths.iter().any(another))?;
                rule(Value::Integer(hidden.saturating_mul(4)), "the model's class: four times the hidden width")
            }
            "tie_word_embeddings" if tied => rule(Value::Bool(true), "the model's class: tied tables"),
            _ => None,
        }
    }
}

/// What stands under a name, unless null; a name with a dot stands in a section.
pub(super) fn stated<'a>(config: &'a Mapping, name: &str) -> Option<&'a Value> {
    let value = match name.split_once('.') {
        Some((section, name)) => &config.get(section)?.value.as_mapping()?.get(name)?.value,
        None => &config.get(name)?.value,
    };
    (!value.is_null()).then_some(value)
}

/// A field stated as a list with one number a layer.
pub(super) fn listed<'a>(config: &'a Mapping, name: &str) -> Option<&'a [Node]> {
    let layers = config.get("num_hidden_layers").and_then(|node| node.value.to_integer());
    let items = config.get(name)?.value.as_sequence()?;
    (i64::try_from(items.len()).ok() == layers && widest(items).is_some()).then_some(items)
}

/// The largest of a list of numbers.
fn widest(items: &[Node]) -> Option<Value> {
    items.iter().filter_map(|item| item.value.to_integer()).max().map(Value::Integer)
}
