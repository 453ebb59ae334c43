//! How many parameters the reference counts, before anything is sharded, by part (memory-core 5, 6).

use super::cases::Cases;
use super::fields::Layer;
use super::held;
use super::parameters::{self, Parameters, parameters};
use super::policies::Policies;
use crate::config::{Config, Role};
use crate::placement::{Node, Placement};

/// The reference's parameter count of a run, all stages together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counted {
    /// Attention without the biases of its projections.
    pub attention: f64,
    /// Biases of attention projections, stated or not.
    pub attention_biases: f64,
    /// Norms, of queries and keys too.
    pub norms: f64,
    /// Dense feed-forwards without biases.
    pub feed_forward: f64,
    /// Routers, routed and shared experts without biases.
    pub experts: f64,
    /// Biases of feed-forwards and experts, stated or not.
    pub feed_forward_biases: f64,
    /// Embedding and output table; a tied one twice where they stand on two stages.
    pub tables: f64,
    /// Bias of the output table.
    pub output_bias: f64,
    /// Multi-token-prediction layers with their heads, each with tables of its own.
    pub prediction: f64,
    /// The vision tower.
    pub tower: f64,
}

impl Counted {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.layers() + self.tables + self.output_bias + self.prediction + self.tower
    }

    fn layers(&self) -> f64 {
        self.attention
            + self.attention_biases
            + self.norms
            + self.feed_forward
            + self.experts
            + self.feed_forward_biases
    }

    /// Adds layers of a kind; a negative number takes them away.
    fn add_layers(&mut self, layer: &Layer<f64>, times: f64) {
        let all = parameters(layer);
        let cases =
            Cases { qkv_bias: Some(false), output_bias: Some(false), feed_forward_bias: Some(false), ..layer.cases };
        let maps = parameters(&Layer { cases, ..*layer });
        let rest = |parts: &Parameters<f64>| parts.feed_forward + parts.router + parts.experts();
        self.attention += times * maps.attention;
        self.attention_biases += times * (all.attention - maps.attention);
        self.norms += times * maps.norms;
        self.feed_forward += times * maps.feed_forward;
        self.experts += times * (maps.router + maps.experts());
        self.feed_forward_biases += times * (rest(&all) - rest(&maps));
    }

    fn add_node(&mut self, node: Node, layer: &Layer<f64>, times: f64) {
        match node {
            Node::Embedding if held::is_table_shared(&layer.cases) => {}
            Node::Embedding => self.tables += parameters::embedding(layer),
            Node::Output => {
                let tables = parameters::embedding(layer);
                self.tables += tables;
                self.output_bias += parameters::output(layer) - tables;
                self.prediction += self::heads(layer);
            }
            Node::Plain | Node::Selective(_) | Node::Full => self.add_layers(layer, times),
        }
    }

    /// Layers that predict further tokens are placed among the others.
    fn set_prediction_apart(&mut self, config: &Config) {
        let groups = config.primary().stack.iter().flat_map(|stack| stack.groups.iter());
        for group in groups.filter(|group| group.mtp) {
            let layer = whole(Layer::numbers(config, &group.kind, group.census, Policies::default()));
            let count = f64::from(group.count);
            let before = self.layers();
            self.add_layers(&layer, -count);
            self.prediction += before - self.layers();
        }
    }
}

/// What the reference counts for a placed run.
pub fn count(config: &Config, placement: &Placement) -> Counted {
    let configs: Vec<(Role, &Config)> = match config.submodules() {
        [] => vec![(Role::Text, config)],
        parts => parts.iter().map(|part| (part.role, &part.config)).collect(),
    };
    let mut counted = Counted::default();
    for (part, (role, config)) in configs.into_iter().enumerate() {
        let own = count_part(config, placement, part);
        counted = match role {
            Role::Text => Counted { tower: counted.tower, ..own },
            Role::Vision => Counted { tower: own.total(), ..counted },
        };
    }
    counted
}

fn count_part(config: &Config, placement: &Placement, part: usize) -> Counted {
    let kinds = placement.kinds(part).iter();
    let layers: Vec<Layer<f64>> =
        kinds.map(|placed| whole(Layer::numbers(config, &placed.kind, placed.census, Policies::default()))).collect();
    let mut counted = Counted::default();
    let chunks = placement.stages().flat_map(crate::placement::Stage::chunks);
    for run in chunks.flat_map(|chunk| chunk.runs).filter(|run| run.part == part) {
        if let Some(layer) = layers.get(run.kind) {
            counted.add_node(run.node, layer, f64::from(run.count));
        }
    }
    counted.set_prediction_apart(config);
    counted
}

/// The layer without expert tensor parallelism, the one degree that its parameter formulas read.
fn whole(mut layer: Layer<f64>) -> Layer<f64> {
    layer.n.expert_width_shard = 1.0;
    layer
}

/// The heads of multi-token prediction, each with its tables.
fn heads(layer: &Layer<f64>) -> f64 {
    let embedding = if held::is_table_shared(&layer.cases) { 0.0 } else { parameters::embedding(layer) };
    layer.n.mtp * (embedding + parameters::mtp_head(layer) + parameters::output(layer))
}
