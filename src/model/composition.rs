//! What each body layer of a checkpoint is, in its config's own words, beside the kind it is priced as. The reference
//! knows few kinds: where it has none for a layer, the nearest one is priced and the layers are named. What the model
//! section states outranks the config: a cropped model is what its recipe says.

use super::explicit::Explicit;
use super::spelling::{listed, stated};
use super::{AttentionFlavour, Dimension, FeedForwardFlavour, Stack};
use crate::document::{Mapping, Value};
use crate::units::intervals::Intervals;
use std::collections::BTreeSet;

/// Attention over all tokens before, which every family has a kind for.
const FULL: &str = "full_attention";
/// Attention as a linear recurrence, which only Qwen 3.5 has a kind for.
const LINEAR: &str = "linear_attention";
const EXPERTS: &str = "moe";
const DENSE: &str = "dense";
/// A part that a layer does not have.
const NONE: &str = "";

/// A body layer: how it mixes tokens, and its feed-forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layer<'a> {
    mixer: &'a str,
    feed_forward: &'a str,
}

/// The layers that are priced as something else than they are, as `what layers → kind`, layers counted from 0, in the
/// order of their first layer; and the key of the config that says so.
pub(super) fn nearest_kinds<'a>(
    config: &'a Mapping,
    explicit: &Explicit<'a>,
    stack: &Stack,
    experts: bool,
) -> Option<(&'static str, Vec<String>)> {
    let body = stack.groups.iter().filter(|group| !group.mtp);
    let checkpoint = Checkpoint { config, explicit, layers: body.clone().map(|group| group.count as usize).sum() };
    let (mixer_key, mixers) = checkpoint.mixers();
    let (feed_forward_key, feed_forwards) = checkpoint.feed_forwards();
    let mut odd = Odd::default();
    for (at, kind) in body.flat_map(|group| std::iter::repeat_n(&group.kind, group.count as usize)).enumerate() {
        let is = Layer { mixer: mixers(at), feed_forward: feed_forwards(at) };
        let mixer = match kind.attention {
            AttentionFlavour::Full => FULL,
            AttentionFlavour::Linear => LINEAR,
        };
        let feed_forward = match kind.feed_forward {
            FeedForwardFlavour::Models if !experts => DENSE,
            FeedForwardFlavour::Dense => DENSE,
            FeedForwardFlavour::Models | FeedForwardFlavour::Experts => EXPERTS,
        };
        if let Some(what) = is.unlike(Layer { mixer, feed_forward }) {
            odd.add(what, kind.name, at);
        }
    }
    for field in Dimension::ALL {
        checkpoint.narrower(*field, &mut odd);
    }
    let key = mixer_key.or(feed_forward_key).unwrap_or("num_hidden_layers");
    let entries = odd.entries();
    (!entries.is_empty()).then_some((key, entries))
}

impl Layer<'_> {
    /// What it is that the layer it is priced as is not.
    fn unlike(self, priced: Layer<'_>) -> Option<String> {
        if self == priced {
            return None;
        }
        Some(match (self.mixer, self.feed_forward) {
            (alone, NONE) | (NONE, alone) => format!("{alone}_only"),
            (mixer, _) if self.feed_forward == priced.feed_forward => mixer.to_owned(),
            (_, feed_forward) if self.mixer == priced.mixer => feed_forward.to_owned(),
            (mixer, feed_forward) => format!("{mixer}+{feed_forward}"),
        })
    }
}

/// How many kinds are told apart; a config with more of them is none of a model.
const MOST_KINDS: usize = 32;

/// Layers by what they are and what they are priced as.
#[derive(Default)]
struct Odd(Vec<(String, String, Intervals)>);

impl Odd {
    fn add(&mut self, what: String, priced: &str, layer: usize) {
        let full = self.0.len() >= MOST_KINDS;
        match self.0.iter_mut().find(|(is, as_kind, _)| *is == what && as_kind == priced) {
            Some((.., layers)) => layers.push(layer),
            None if full => {}
            None => self.0.push((what, priced.to_owned(), Intervals::from_iter([layer]))),
        }
    }

    fn entries(self) -> Vec<String> {
        self.0.into_iter().map(|(what, priced, layers)| format!("{what} {layers} → {priced}")).collect()
    }
}

/// A config, what the model section states over it, and the number of body layers.
struct Checkpoint<'a, 'b> {
    config: &'a Mapping,
    explicit: &'b Explicit<'a>,
    layers: usize,
}

/// A part of each layer, by its number.
type Parts<'a> = Box<dyn Fn(usize) -> &'a str + 'a>;

impl<'a> Checkpoint<'a, '_> {
    fn stated(&self, name: &str) -> Option<&'a Value> {
        match self.explicit.get(name) {
            Some((node, _)) => Some(&node.value).filter(|value| !value.is_null()),
            None => stated(self.config, name),
        }
    }

    fn list(&self, name: &str) -> Option<Vec<&'a Value>> {
        let items = self.stated(name)?.as_sequence()?;
        Some(items.iter().map(|item| &item.value).collect())
    }

    fn numbers<T: FromIterator<i64>>(&self, name: &str) -> Option<T> {
        self.list(name)?.into_iter().map(Value::to_integer).collect()
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.stated(name)?.to_integer()
    }

    /// Single blocks, each with a layer of its own: a mixer or a feed-forward.
    fn blocks(&self) -> Option<(&'static str, Vec<Layer<'a>>)> {
        if let Some(blocks) = self.list("layers_block_type") {
            let blocks: Vec<_> = blocks.iter().filter_map(|block| block.as_text()).map(block).collect();
            let alone = blocks.iter().any(|layer| layer.mixer == NONE);
            return alone.then_some(("layers_block_type", blocks));
        }
        let pattern = self.stated("hybrid_override_pattern")?.as_text()?;
        let blocks = pattern.chars().filter_map(|letter| {
            Some(block(match letter {
                'M' => "mamba",
                '*' => "attention",
                'E' => "moe",
                '-' => "mlp",
                _ => return None,
            }))
        });
        Some(("hybrid_override_pattern", blocks.collect()))
    }

    /// How each layer mixes tokens, by the first key that says.
    fn mixers(&self) -> (Option<&'static str>, Parts<'a>) {
        if let Some((key, blocks)) = self.blocks() {
            return (Some(key), Box::new(move |at| blocks.get(at).map_or(FULL, |layer| layer.mixer)));
        }
        if let Some(names) = self.list("layer_types") {
            let name = move |at: usize| names.get(at).and_then(|name| name.as_text()).map_or(FULL, mixer);
            return (Some("layer_types"), Box::new(name));
        }
        let switches = [
            ("attn_type_list", 0, LINEAR, FULL),
            ("hybrid_layer_pattern", 0, FULL, "sliding_attention"),
            ("compress_ratios", 0, "sliding_attention", "compressed_attention"),
        ];
        for (key, value, then, other) in switches {
            if let Some(list) = self.numbers::<Vec<_>>(key) {
                let name = move |at: usize| match list.get(at) {
                    None => FULL,
                    Some(number) if *number == value => then,
                    Some(_) => other,
                };
                return (Some(key), Box::new(name));
            }
        }
        let indexes = [
            ("cross_attention_layers", 0, "cross_attention"),
            // Counted from 1.
            ("linear_attn_config.kda_layers", 1, LINEAR),
        ];
        for (key, first, then) in indexes {
            if let Some(list) = self.numbers::<BTreeSet<_>>(key) {
                let name = move |at: usize| {
                    let listed = i64::try_from(at).is_ok_and(|at| list.contains(&(at + first)));
                    if listed { then } else { FULL }
                };
                return (Some(key), Box::new(name));
            }
        }
        if let Some(blocks) = self.list("block_configs") {
            let name = move |at: usize| match blocks.get(at) {
                Some(block) if without(block, "attention") => NONE,
                Some(_) | None => FULL,
            };
            return (Some("block_configs"), Box::new(name));
        }
        if self.stated("zero_expert_num").is_some() {
            // Two attentions and two dense feed-forwards beside the experts.
            return (Some("zero_expert_num"), Box::new(|_| "shortcut_moe"));
        }
        (None, Box::new(|_| FULL))
    }

    /// The feed-forward of each layer, by the keys that say which have experts.
    fn feed_forwards(&self) -> (Option<&'static str>, Parts<'a>) {
        if let Some((key, blocks)) = self.blocks() {
            return (Some(key), Box::new(move |at| blocks.get(at).map_or(NONE, |layer| layer.feed_forward)));
        }
        if let Some(blocks) = self.list("block_configs") {
            let name = move |at: usize| match blocks.get(at) {
                Some(block) if without(block, "ffn") => NONE,
                Some(_) | None => DENSE,
            };
            return (Some("block_configs"), Box::new(name));
        }
        if !self.has_experts() {
            return (None, Box::new(|_| DENSE));
        }
        if self.explicit.stated(Dimension::LeadingDense.name()).is_some() {
            return self.every_few_layers();
        }
        if let Some(names) = self.list("mlp_layer_types") {
            let dense = move |at: usize| names.get(at).is_some_and(|name| name.as_text() == Some(DENSE));
            return (Some("mlp_layer_types"), Box::new(move |at| if dense(at) { DENSE } else { EXPERTS }));
        }
        if let Some(list) = self.numbers::<Vec<_>>("moe_layer_freq") {
            let dense = move |at: usize| list.get(at) == Some(&0);
            return (Some("moe_layer_freq"), Box::new(move |at| if dense(at) { DENSE } else { EXPERTS }));
        }
        if self.number("top_k_experts").is_some_and(|chosen| chosen > 0) {
            // Gemma 4 runs its experts beside the dense feed-forward.
            return (Some("top_k_experts"), Box::new(|_| "dense+moe"));
        }
        self.every_few_layers()
    }

    fn every_few_layers(&self) -> (Option<&'static str>, Parts<'a>) {
        let leading = ["first_k_dense_replace", "num_dense_layers", "moe_layer_start_index"]
            .into_iter()
            .find_map(|key| Some((key, self.number(key)?)));
        let steps = ["decoder_sparse_step", "interleave_moe_layer_step"]
            .into_iter()
            .find_map(|key| Some((key, self.number(key).filter(|step| *step > 1)?)));
        let dense = self.numbers::<BTreeSet<_>>("mlp_only_layers").filter(|layers| !layers.is_empty());
        let key = leading.or(steps).map(|(key, _)| key).or(dense.as_ref().map(|_| "mlp_only_layers"));
        let (leading, step) = (leading.map_or(0, |(_, count)| count), steps.map_or(1, |(_, step)| step));
        let name = move |at: usize| {
            let Ok(at) = i64::try_from(at) else { return EXPERTS };
            let dense =
                at < leading || (at + 1) % step != 0 || dense.as_ref().is_some_and(|layers| layers.contains(&at));
            if dense { DENSE } else { EXPERTS }
        };
        (key, Box::new(name))
    }

    fn has_experts(&self) -> bool {
        const NAMES: [&str; 6] = [
            "num_experts",
            "n_routed_experts",
            "num_local_experts",
            "moe_num_experts",
            "num_routed_experts",
            "ffn_config.moe_num_experts",
        ];
        let several = |name: &&str| self.number(name).is_some_and(|experts| experts > 1);
        match self.explicit.get(NAMES[0]) {
            Some(_) => several(&NAMES[0]),
            None => NAMES.iter().any(several),
        }
    }

    /// Layers of a field with one number a layer that state less than the widest, which is priced.
    fn narrower(&self, field: Dimension, odd: &mut Odd) {
        if self.explicit.get(field.name()).is_some() {
            return;
        }
        let Some(items) = listed(self.config, field.name()) else { return };
        let sizes: Vec<_> = items.iter().map(|item| item.value.to_integer()).collect();
        let Some(widest) = sizes.iter().flatten().max() else { return };
        for (at, size) in sizes.iter().enumerate().take(self.layers) {
            match size {
                Some(size) if size < widest => odd.add(format!("{}={size}", field.name()), &widest.to_string(), at),
                Some(_) | None => {}
            }
        }
    }
}

/// A single block, by the name Transformers gives it.
fn block(name: &str) -> Layer<'_> {
    match name {
        "moe" => Layer { mixer: NONE, feed_forward: EXPERTS },
        "mlp" => Layer { mixer: NONE, feed_forward: DENSE },
        other => Layer { mixer: mixer(other), feed_forward: NONE },
    }
}

fn mixer(name: &str) -> &str {
    if name == "attention" { FULL } else { name }
}

/// Whether a block leaves a part out, or puts a linear map in its place.
fn without(block: &Value, part: &str) -> bool {
    let part = block.as_mapping().and_then(|block| block.get(part)?.value.as_mapping());
    let states = |name| part.and_then(|part| part.get(name)).is_some_and(|node| node.value.truthy());
    states("no_op") || states("replace_with_linear")
}
