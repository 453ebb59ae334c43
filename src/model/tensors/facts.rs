//! What a config.json says of shapes beside the dimensions that the reference reads: names of one class of checkpoints
//! only, per-layer lists, and the other spellings of a dimension.

use crate::document::{Mapping, Node, Value};
use std::sync::Arc;

macro_rules! facts {
    ($($fact:ident $meaning:literal;)*) => {
        /// A number or switch of a config.json.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Fact {
            $(#[doc = $meaning] $fact,)*
        }

        /// How many facts there are.
        const FACTS: usize = [$(Fact::$fact),*].len();
    };
}

facts! {
    Tied "Input and output table are one.";
    Bias "Linear maps have biases.";
    HeadBias "The output table has a bias.";
    MultiQuery "All heads share one key and value.";
    NewDecoder "Falcon: the decoder with a norm for each of the parallel branches.";
    KvHeads "Key/value heads.";
    HeadWidth "Width of a head.";
    FeedForward "Dense feed-forward width.";
    DenseWidth "Width of the dense layers between expert layers.";
    Experts "Routed experts.";
    ChosenExperts "Experts a token goes to.";
    SharedExperts "Shared experts.";
    ExpertWidth "One expert's width.";
    SharedWidth "Width of all shared experts.";
    ZeroExperts "Experts that the router knows and that hold nothing.";
    ExpertLatent "Width of the latent that experts work in.";
    LeadingDense "Leading dense layers.";
    SparseStep "Every how many layers one has experts.";
    KvLatent "Latent width of keys and values.";
    QueryLatent "Latent width of queries.";
    RotaryWidth "Rotary part of a head.";
    NopeWidth "Non-rotary part of a head.";
    ValueHeadWidth "Width of a value head.";
    IndexHeads "Heads of the sparse attention's indexer.";
    IndexHeadWidth "Width of one of them.";
    OutputLatent "Latent width of the attention output.";
    OutputGroups "Groups of the attention output.";
    Streams "Residual streams of hyper-connections.";
    GlobalHeadWidth "Width of a head in global layers.";
    GlobalKvHeads "Key/value heads of global layers.";
    KeyIsValue "Global layers take the key as value.";
    SlidingHeads "Query heads of sliding layers.";
    SlidingKvHeads "Key/value heads of sliding layers.";
    SlidingHeadWidth "Width of a head in sliding layers.";
    SlidingValueWidth "Width of a value head in sliding layers.";
    StateHeads "Heads of a state space.";
    StateHeadWidth "Width of one of them.";
    StateSize "State of a channel.";
    StateGroups "Groups of the state's input and output maps.";
    StateKernel "Convolution width of a state space.";
    LinearHeads "Heads of linear attention, of keys and values alike.";
    LinearHeadWidth "Width of one of them.";
    Channels "Vision: channels of an image.";
    Frames "Vision: frames in a patch.";
    Merge "Vision: patches merged along each side.";
    Deepstack "Vision: further mergers, between the layers.";
    GridHeight "Vision: rows of the position table's grid.";
    GridWidth "Vision: its columns.";
    AxisPositions "Vision: positions along each axis.";
    ImageSide "Vision: side of an image, pixels.";
    Tiles "Vision: tiles of an image.";
    AspectRatios "Vision: shapes that tiles are laid out in.";
    GlobalLayers "Vision: layers of the second encoder.";
    HandedWidth "Vision: width handed to the projection.";
    Uncounted "A part whose tensors are not counted.";
    MergerWidth "Vision: width that the merger normalises.";
}

/// Names in a config.json, in their byte order.
const NAMES: &[(&str, Fact)] = &[
    ("add_qkv_bias", Fact::Bias),
    ("attention_head_dim", Fact::HeadWidth),
    ("attention_k_eq_v", Fact::KeyIsValue),
    ("attention_kv_lora_dim", Fact::KvLatent),
    ("attention_q_lora_dim", Fact::QueryLatent),
    ("attention_qk_dim", Fact::NopeWidth),
    ("attention_qk_rope_dim", Fact::RotaryWidth),
    ("attention_v_dim", Fact::ValueHeadWidth),
    ("bias", Fact::Bias),
    ("conv_kernel", Fact::StateKernel),
    ("decoder_sparse_step", Fact::SparseStep),
    ("deepstack_visual_indexes", Fact::Deepstack),
    ("dense_intermediate_size", Fact::DenseWidth),
    ("expert_ffn_hidden_size", Fact::ExpertWidth),
    ("ffn_hidden_size", Fact::FeedForward),
    ("global_head_dim", Fact::GlobalHeadWidth),
    ("hc_mult", Fact::Streams),
    ("head_dim", Fact::HeadWidth),
    ("hidden_size_per_layer_input", Fact::Uncounted),
    ("image_size", Fact::ImageSide),
    ("in_channels", Fact::Channels),
    ("in_chans", Fact::Channels),
    ("index_head_dim", Fact::IndexHeadWidth),
    ("index_n_heads", Fact::IndexHeads),
    ("init_pos_emb_height", Fact::GridHeight),
    ("init_pos_emb_width", Fact::GridWidth),
    ("interleave_moe_layer_step", Fact::SparseStep),
    ("intermediate_size_mlp", Fact::DenseWidth),
    ("kv_channels", Fact::HeadWidth),
    ("linear_head_dim", Fact::LinearHeadWidth),
    ("linear_num_heads", Fact::LinearHeads),
    ("lm_head_bias", Fact::HeadBias),
    ("mamba_head_dim", Fact::StateHeadWidth),
    ("mamba_num_heads", Fact::StateHeads),
    ("max_num_tiles", Fact::Tiles),
    ("merge_kernel_size", Fact::Merge),
    ("mm_hidden_size", Fact::MergerWidth),
    ("moe_k", Fact::ChosenExperts),
    ("moe_latent_size", Fact::ExpertLatent),
    ("moe_layer_interval", Fact::SparseStep),
    ("moe_layer_start_index", Fact::LeadingDense),
    ("moe_num_experts", Fact::Experts),
    ("moe_num_shared_experts", Fact::SharedExperts),
    ("moe_shared_expert_intermediate_size", Fact::SharedWidth),
    ("moe_topk", Fact::ChosenExperts),
    ("multi_query", Fact::MultiQuery),
    ("multi_query_group_num", Fact::KvHeads),
    ("n_groups", Fact::StateGroups),
    ("n_head_kv", Fact::KvHeads),
    ("n_inner", Fact::FeedForward),
    ("new_decoder_architecture", Fact::NewDecoder),
    ("num_channels", Fact::Channels),
    ("num_dense_layers", Fact::LeadingDense),
    ("num_experts_per_token", Fact::ChosenExperts),
    ("num_global_key_value_heads", Fact::GlobalKvHeads),
    ("num_global_layers", Fact::GlobalLayers),
    ("num_kv_heads", Fact::KvHeads),
    ("num_kv_shared_layers", Fact::Uncounted),
    ("num_routed_experts", Fact::Experts),
    ("num_shared_expert", Fact::SharedExperts),
    ("o_groups", Fact::OutputGroups),
    ("o_lora_rank", Fact::OutputLatent),
    ("position_embedding_size", Fact::AxisPositions),
    ("share_expert_dim", Fact::SharedWidth),
    ("shared_intermediate_size", Fact::SharedWidth),
    ("spatial_merge_size", Fact::Merge),
    ("ssm_state_size", Fact::StateSize),
    ("supported_aspect_ratios", Fact::AspectRatios),
    ("swa_head_dim", Fact::SlidingHeadWidth),
    ("swa_num_attention_heads", Fact::SlidingHeads),
    ("swa_num_key_value_heads", Fact::SlidingKvHeads),
    ("swa_v_head_dim", Fact::SlidingValueWidth),
    ("temporal_patch_size", Fact::Frames),
    ("tie_word_embeddings", Fact::Tied),
    ("top_k_experts", Fact::ChosenExperts),
    ("use_bias", Fact::Bias),
    ("use_qkv_bias", Fact::Bias),
    ("vision_output_dim", Fact::HandedWidth),
    ("zero_expert_num", Fact::ZeroExperts),
];

/// Numbers of one section; `None` where it states none. A switch is 0 or 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Numbers([Option<u64>; FACTS]);

impl Default for Numbers {
    fn default() -> Self {
        Self([None; FACTS])
    }
}

impl Numbers {
    pub(super) const fn stated(&self, fact: Fact) -> Option<u64> {
        self.0[fact as usize]
    }

    /// A number; 0 where it is not stated.
    pub(super) fn of(&self, fact: Fact) -> u64 {
        self.stated(fact).unwrap_or(0)
    }

    /// What a section states, over what is known already.
    fn read(&mut self, section: &Mapping) {
        for entry in &section.entries {
            let Ok(at) = NAMES.binary_search_by(|(name, _)| (**name).cmp(&entry.key)) else { continue };
            let fact = NAMES[at].1;
            if let Some(number) = number(fact, &entry.node.value) {
                self.0[fact as usize] = Some(number);
            }
        }
    }
}

/// A list counts as its length where its items say which, else as its first item (one number a layer, or a side).
fn number(fact: Fact, value: &Value) -> Option<u64> {
    match (fact, value) {
        (Fact::Deepstack | Fact::AspectRatios, value) => u64::try_from(value.as_sequence()?.len()).ok(),
        (_, Value::Sequence(items)) => number(fact, &items.first()?.value),
        (_, value) => value.to_integer().and_then(|number| u64::try_from(number).ok()),
    }
}

/// What attention a layer has, as a per-layer list says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Attention over everything, or a word that means nothing else here.
    Full,
    /// Attention in a window.
    Sliding,
    /// Linear attention.
    Linear,
    /// A state space.
    State,
    /// No attention: a feed-forward alone.
    FeedForward,
    /// No attention: experts alone.
    Experts,
}

/// A block of a searched architecture: how many query heads share a key/value head (0: no attention), and its
/// feed-forward's multiple of the hidden width in parts of [`PARTS`] (0: none).
pub(super) type Block = (u64, u64);

/// Parts of a feed-forward multiple.
pub(super) const PARTS: u64 = 1 << 16;

/// What a config.json says beside its dimensions.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::model) struct Facts {
    /// `model_type` of the root, then of the language model where that is a section of its own.
    pub(super) types: [Option<Arc<str>>; 2],
    /// Of the language model; the root's where the section does not state it.
    pub(super) language: Numbers,
    /// Of the vision tower.
    pub(super) tower: Numbers,
    /// `model_type` of the vision tower.
    pub(super) tower_type: Option<Arc<str>>,
    /// What attention each layer has.
    pub(super) attention: Vec<Mark>,
    /// Whether each layer has experts.
    pub(super) sparse: Vec<bool>,
    /// Layers that have none, by number, in order.
    pub(super) dense_only: Vec<u64>,
    /// Layers with attention to another sequence, by number, in order.
    pub(super) cross: Vec<u64>,
    /// Tokens that each layer compresses into one; 0 none.
    pub(super) compressed: Vec<u64>,
    /// Whether each layer has an indexer of its own.
    pub(super) indexed: Vec<bool>,
    /// The blocks of a searched architecture.
    pub(super) blocks: Vec<Block>,
}

impl Facts {
    /// Reads a config: its root and the section of the language model, which may be the same.
    pub(in crate::model) fn read(root: &Mapping, language: &Mapping) -> Self {
        let of_type =
            |section: &Mapping| section.get("model_type").and_then(|node| node.value.as_text()).map(Arc::from);
        let mut facts = Self { types: [of_type(root), of_type(language)], ..Self::default() };
        facts.language.read(root);
        if !std::ptr::eq(root, language) {
            facts.language.read(language);
        }
        for entry in &language.entries {
            facts.read_list(&entry.key, &entry.node.value);
        }
        if let Some(tower) = root.get("vision_config").and_then(|node| node.value.as_mapping()) {
            facts.tower.read(tower);
            facts.tower_type = of_type(tower);
        }
        facts
    }

    fn read_list(&mut self, name: &str, value: &Value) {
        let items = match value {
            Value::Sequence(items) => &items[..],
            Value::Text(pattern) if name == "hybrid_override_pattern" => {
                self.attention = pattern.chars().map(letter).collect();
                return;
            }
            _ => return,
        };
        let flag = |item: &Node| item.value.truthy();
        let numbers = || items.iter().filter_map(|item| u64::try_from(item.value.to_integer()?).ok());
        let ordered = || {
            let mut numbers: Vec<u64> = numbers().collect();
            numbers.sort_unstable();
            numbers
        };
        match name {
            "layer_types" | "layers_block_type" => self.attention = items.iter().map(word).collect(),
            "hybrid_layer_pattern" => self.attention = marks(items, Mark::Full, Mark::Sliding),
            "attn_type_list" => self.attention = marks(items, Mark::Linear, Mark::Full),
            "mlp_layer_types" => {
                self.sparse = items.iter().map(|item| item.value.as_text() == Some("sparse")).collect();
            }
            "moe_layer_freq" => self.sparse = items.iter().map(flag).collect(),
            "mlp_only_layers" => self.dense_only = ordered(),
            "cross_attention_layers" => self.cross = ordered(),
            "compress_ratios" => self.compressed = numbers().collect(),
            "indexer_types" => self.indexed = items.iter().map(|item| item.value.as_text() != Some("shared")).collect(),
            "block_configs" => self.blocks = items.iter().map(block).collect(),
            _ => {}
        }
    }
}

fn marks(items: &[Node], zero: Mark, other: Mark) -> Vec<Mark> {
    items.iter().map(|item| if item.value.truthy() { other } else { zero }).collect()
}

fn word(item: &Node) -> Mark {
    match item.value.as_text() {
        Some("sliding_attention") => Mark::Sliding,
        Some("linear_attention") => Mark::Linear,
        Some("mamba") => Mark::State,
        Some("mlp") => Mark::FeedForward,
        Some("moe") => Mark::Experts,
        Some(_) | None => Mark::Full,
    }
}

const fn letter(letter: char) -> Mark {
    match letter {
        'M' => Mark::State,
        '-' => Mark::FeedForward,
        'E' => Mark::Experts,
        _ => Mark::Full,
    }
}

fn block(item: &Node) -> Block {
    let part = |name: &str| item.value.as_mapping()?.get(name)?.value.as_mapping();
    let number = |part: Option<&Mapping>, name: &str, scale: f64| {
        let value = part.and_then(|part| part.get(name)).and_then(|node| node.value.to_number());
        let scaled = value.and_then(|value| Value::Float(value * scale).to_integer());
        scaled.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    };
    let skipped =
        |part: Option<&Mapping>| part.and_then(|part| part.get("no_op")).is_some_and(|node| node.value.truthy());
    let (attention, feed_forward) = (part("attention"), part("ffn"));
    let group = if skipped(attention) { 0 } else { number(attention, "n_heads_in_group", 1.0) };
    let multiple = if skipped(feed_forward) { 0 } else { number(feed_forward, "ffn_mult", PARTS as f64) };
    (group, multiple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_order() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
    }
}
