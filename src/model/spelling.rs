//! Names that a Transformers class renames: a config object answers to the canonical name, the raw config.json holds
//! another. Read only where the config states a required dimension under none of the names of config-spec 5.2, or states
//! one in a form that only its class understands; elsewhere the reference's own table holds.

use super::fields::Dimension;
use crate::document::{Mapping, Value};

/// Canonical name and other spelling, for the language model.
const LANGUAGE: &[(&str, &str)] = &[
    ("hidden_size", "n_embd"),
    ("num_hidden_layers", "n_layer"),
    ("num_hidden_layers", "num_layers"),
    ("num_attention_heads", "n_head"),
    ("num_key_value_heads", "n_head_kv"),
    ("num_key_value_heads", "multi_query_group_num"),
    ("vocab_size", "padded_vocab_size"),
    ("intermediate_size", "n_inner"),
    ("intermediate_size", "ffn_hidden_size"),
    ("max_position_embeddings", "n_positions"),
    ("max_position_embeddings", "seq_length"),
    ("max_position_embeddings", "model_max_length"),
    ("head_dim", "kv_channels"),
    ("head_dim", "attention_head_dim"),
    ("num_experts_per_tok", "moe_topk"),
    ("num_experts_per_tok", "num_experts_per_token"),
    ("num_shared_experts", "num_shared_expert"),
    ("moe_intermediate_size", "expert_ffn_hidden_size"),
    ("qkv_bias", "add_qkv_bias"),
    ("linear_num_key_heads", "linear_num_heads"),
    ("linear_num_value_heads", "linear_num_heads"),
    ("linear_key_head_dim", "linear_head_dim"),
    ("linear_value_head_dim", "linear_head_dim"),
];

/// Canonical name and other spelling of what the reference does not read though it reads the rest of the config: it
/// prices such a model without.
const UNREAD: &[(&str, &str)] = &[
    ("num_experts", "moe_num_experts"),
    ("num_experts", "num_routed_experts"),
    ("num_experts_per_tok", "moe_k"),
    ("num_experts_per_tok", "top_k_experts"),
    ("num_experts_per_tok", "moe_topk"),
    ("num_shared_experts", "moe_num_shared_experts"),
    ("moe_intermediate_size", "expert_ffn_hidden_size"),
    ("intermediate_size", "ffn_hidden_size"),
    ("first_k_dense_replace", "moe_layer_start_index"),
    ("first_k_dense_replace", "num_dense_layers"),
    ("kv_lora_rank", "attention_kv_lora_dim"),
    ("q_lora_rank", "attention_q_lora_dim"),
];

/// Canonical name and other spelling, for a vision tower.
pub(super) const TOWER: &[(&str, &str)] = &[
    ("hidden_size", "vt_hidden_size"),
    ("hidden_size", "hidden_dim"),
    ("num_hidden_layers", "vt_num_hidden_layers"),
    ("num_attention_heads", "vt_num_attention_heads"),
    ("num_attention_heads", "attention_heads"),
    ("intermediate_size", "vt_intermediate_size"),
    ("out_hidden_size", "text_hidden_size"),
    ("out_hidden_size", "vision_output_dim"),
];

/// The canonical name of a spelling that some class or file uses.
pub(super) fn canonical(spelling: &str) -> Option<&'static str> {
    let dense = (spelling == "num_dense_layers").then_some("first_k_dense_replace");
    LANGUAGE.iter().find(|(_, other)| *other == spelling).map(|(name, _)| *name).or(dense)
}

/// Which names a config is read by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Config-spec 5.2.
    Reference,
    /// The class's own names too.
    Renamed {
        /// Without a stated feed-forward width the class takes four times the hidden size.
        four_fold: bool,
    },
}

impl Spelling {
    pub(super) fn of(model_type: &str, config: &Mapping) -> Self {
        let states = |name: &str| config.get(name).is_some_and(|node| node.value != Value::Null);
        let incomplete = Dimension::REQUIRED.iter().any(|field| !states(field.name()));
        let renamed = LANGUAGE.iter().any(|(_, spelling)| states(spelling)) || states("layers_block_type");
        let per_layer = Dimension::ALL.iter().any(|field| listed(config, field.name()));
        let linear = states("linear_num_heads") && !states("linear_num_key_heads");
        if (incomplete && renamed) || per_layer || linear {
            return Self::Renamed { four_fold: matches!(model_type, "gpt2" | "gptj" | "phi-msft") };
        }
        Self::Reference
    }

    /// What the config states and the reference does not read.
    pub(super) fn unread(self, config: &Mapping) -> Vec<&'static str> {
        if self != Self::Reference {
            return Vec::new();
        }
        let states = |name: &str| config.get(name).is_some_and(|node| node.value.truthy());
        let canonical =
            |name: &str| Dimension::by_name(name).is_some_and(|field| field.spellings().iter().any(|it| states(it)));
        let unread = UNREAD.iter().filter(|(name, spelling)| states(spelling) && !canonical(name));
        unread.map(|(_, spelling)| *spelling).collect()
    }

    /// The value of a canonical field under the class's own name, with that name.
    pub(super) fn renamed(self, config: &Mapping, name: &str) -> Option<(Value, String)> {
        let Self::Renamed { four_fold } = self else { return None };
        if let Some(Value::Sequence(items)) = config.get(name).map(|node| &node.value) {
            return listed(config, name).then(|| Some((widest(items)?, name.to_owned())))?;
        }
        if config.get(name).is_some_and(|node| node.value != Value::Null) {
            return None;
        }
        for (_, spelling) in LANGUAGE.iter().filter(|(canonical, _)| *canonical == name) {
            match config.get(spelling).map(|node| &node.value) {
                None | Some(Value::Null) => {}
                Some(Value::Sequence(items)) => return Some((widest(items)?, (*spelling).to_owned())),
                Some(value) => return Some((value.clone(), (*spelling).to_owned())),
            }
        }
        derived(config, name, four_fold)
    }
}

fn derived(config: &Mapping, name: &str, four_fold: bool) -> Option<(Value, String)> {
    match name {
        "num_hidden_layers" => match &config.get("layers_block_type")?.value {
            Value::Sequence(items) => {
                Some((Value::Integer(i64::try_from(items.len()).ok()?), "layers_block_type".to_owned()))
            }
            _ => None,
        },
        "intermediate_size" if four_fold => {
            let hidden = config.get("n_embd")?.value.to_integer()?;
            Some((Value::Integer(hidden.saturating_mul(4)), "n_embd".to_owned()))
        }
        _ => None,
    }
}

/// Whether the field is a list with one number a layer.
fn listed(config: &Mapping, name: &str) -> bool {
    let layers = config.get("num_hidden_layers").and_then(|node| node.value.to_integer());
    let items = config.get(name).and_then(|node| node.value.as_sequence());
    items.is_some_and(|items| i64::try_from(items.len()).ok() == layers && widest(items).is_some())
}

/// Of a list with one number a layer, the largest: memory is priced by the widest layer.
fn widest(items: &[crate::document::Node]) -> Option<Value> {
    items.iter().filter_map(|item| item.value.to_integer()).max().map(Value::Integer)
}
