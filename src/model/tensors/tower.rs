//! The tensors of a vision tower.

use super::architecture::{Form, Given};
use super::architecture::{INFERRED_TOWER, Join, Place, TowerTraits, tower_traits};
use super::blocks::{self, Row, Size, Sizes};
use super::facts::Fact;
use super::plan::{FeedForward, Mixer, Model, of_rows};
use super::sizes::{only, times};
use super::{LayerRun, Part, Sureness, Tensor};
use crate::model::{Dimension, TowerDimension, VisionTower};

/// A tower and how sure its shapes are.
pub(super) struct Tower {
    pub(super) part: Part,
    pub(super) sureness: Sureness,
}

/// The tower of a model, where it has one.
pub(super) fn tower(model: &Model<'_>) -> Option<Tower> {
    let tower = model.spec.vision.as_ref()?;
    let facts = &model.spec.facts;
    let types = facts.types.iter().take(1).chain([&facts.tower_type]).flatten();
    let known = tower_traits(types.map(|name| &**name));
    let sureness = if known.is_some() { Sureness::Known } else { Sureness::Inferred };
    let builder = Builder { model, tower, traits: known.unwrap_or(INFERRED_TOWER) };
    Some(Tower { part: builder.part(), sureness })
}

struct Builder<'a> {
    model: &'a Model<'a>,
    tower: &'a VisionTower,
    traits: TowerTraits,
}

impl Builder<'_> {
    fn count(&self, field: TowerDimension) -> u64 {
        u64::try_from(self.tower.count(field)).unwrap_or(0)
    }

    fn fact(&self, fact: Fact) -> Option<u64> {
        self.model.spec.facts.tower.stated(fact)
    }

    fn hidden(&self) -> u64 {
        self.count(TowerDimension::HiddenSize)
    }

    fn part(&self) -> Part {
        let mut sizes = Sizes::new();
        sizes.set(&[(Size::Hidden, self.hidden())]);
        self.layer_sizes(&mut sizes);
        self.input_sizes(&mut sizes);
        self.join_sizes(&mut sizes);
        let mut root = Vec::new();
        of_rows(blocks::TOWER_INPUT, &sizes, &mut root);
        of_rows(blocks::TOWER_OUTPUT, &sizes, &mut root);
        of_rows(blocks::MERGER, &sizes, &mut root);
        // Mergers between the layers normalise the merged patches instead of each.
        let merged = sizes.of(Size::MergerInput);
        sizes.set(&[(Size::MergerNorm, merged), (Size::MergerNormBias, merged)]);
        for _ in 0..self.fact(Fact::Deepstack).unwrap_or(0) {
            of_rows(blocks::MERGER, &sizes, &mut root);
        }
        Part { root, runs: self.runs(sizes) }
    }

    /// The layers, and behind them those of a second encoder, whose branches are gated.
    fn runs(&self, mut sizes: Sizes) -> Vec<LayerRun> {
        let [layers, global] = [self.count(TowerDimension::Layers), self.fact(Fact::GlobalLayers).unwrap_or(0)];
        let mut runs = Vec::new();
        for (first, count, gates) in [(0, layers, 0), (layers, global, 2)] {
            sizes.set(&[(Size::LayerGates, gates)]);
            if count > 0 {
                runs.push(self.run(first, count, &sizes));
            }
        }
        runs
    }

    fn run(&self, first: u64, count: u64, sizes: &Sizes) -> LayerRun {
        let mut tensors: Vec<Tensor> = Vec::new();
        let mut add = |rows: &[Row]| of_rows(rows, sizes, &mut tensors);
        add(blocks::ATTENTION);
        add(blocks::DENSE);
        for _ in 0..self.traits.layers.norms {
            add(blocks::NORM);
        }
        let (mixer, feed_forward) = (Mixer::Attention, FeedForward::Dense);
        LayerRun { mixer, feed_forward, first, count, prediction: false, tensors: tensors.into() }
    }

    fn layer_sizes(&self, sizes: &mut Sizes) {
        let traits = &self.traits.layers;
        let hidden = self.hidden();
        let width = self.count(TowerDimension::FeedForward);
        let head = self.fact(Fact::HeadWidth);
        let head = head.or_else(|| hidden.checked_div(self.count(TowerDimension::Heads))).unwrap_or(0);
        let yes = |given: Given| given == Given::Yes;
        let gate = only(traits.form == Form::Gated, width);
        let [qkv_bias, norm] = [only(yes(traits.qkv_bias), hidden), only(yes(traits.query_key_norm), head)];
        let feed_forward_bias = yes(traits.feed_forward_bias);
        sizes.set(&[
            (Size::QueryRows, hidden),
            (Size::KeyRows, hidden),
            (Size::ValueRows, hidden),
            (Size::MixedColumns, hidden),
            (Size::QueryBias, qkv_bias),
            (Size::KeyBias, qkv_bias),
            (Size::ValueBias, qkv_bias),
            (Size::OutputBias, only(yes(traits.output_bias), hidden)),
            (Size::QueryNorm, norm),
            (Size::KeyNorm, norm),
            (Size::NormBias, only(yes(traits.norm_bias), hidden)),
            (Size::GateRows, gate),
            (Size::UpRows, width),
            (Size::GateBias, only(feed_forward_bias, gate)),
            (Size::UpBias, only(feed_forward_bias, width)),
            (Size::DownBias, only(feed_forward_bias, hidden)),
        ]);
    }

    fn input_sizes(&self, sizes: &mut Sizes) {
        const COLOURS: u64 = 3;
        let traits = &self.traits;
        let hidden = self.hidden();
        let patch = self.count(TowerDimension::Patch);
        let pixels = times(times(patch, patch), self.fact(Fact::Frames).unwrap_or(1));
        let fact = |fact| self.fact(fact).unwrap_or(0);
        let side = fact(Fact::ImageSide).checked_div(patch).unwrap_or(0);
        let positions = match traits.place {
            Place::None => 0,
            Place::Stated => self.count(TowerDimension::Grid),
            Place::Grid => times(fact(Fact::GridHeight), fact(Fact::GridWidth)),
            Place::Axes => times(2, fact(Fact::AxisPositions)),
            Place::Tiles => times(side, side).saturating_add(1),
        };
        let tiled = traits.place == Place::Tiles;
        let tiles = only(tiled, times(fact(Fact::Tiles), hidden));
        let norm_bias = sizes.of(Size::NormBias);
        sizes.set(&[
            (Size::PatchColumns, times(pixels, self.fact(Fact::Channels).unwrap_or(COLOURS))),
            (Size::PatchBias, only(traits.patch_bias, hidden)),
            (Size::ClassToken, only(tiled, hidden)),
            (Size::Positions, positions),
            // Every table has a gate.
            (Size::TileGate, only(tiled, 3)),
            (Size::TileRows, only(tiled, fact(Fact::AspectRatios).saturating_add(1))),
            (Size::TilePositions, times(tiles, positions)),
            (Size::TileColumns, tiles),
            (Size::FirstNorm, only(traits.first_norm, hidden)),
            (Size::FirstNormBias, only(traits.first_norm, norm_bias)),
            (Size::LastNorm, only(traits.last_norm, hidden)),
            (Size::LastNormBias, only(traits.last_norm, norm_bias)),
        ]);
    }

    fn join_sizes(&self, sizes: &mut Sizes) {
        let traits = &self.traits;
        let (hidden, text) = (self.hidden(), self.model.dimension(Dimension::HiddenSize));
        let merge = match (self.count(TowerDimension::Merge), self.fact(Fact::Merge)) {
            (0, stated) => stated.or(self.model.spec.facts.language.stated(Fact::Merge)).unwrap_or(1),
            (stated, _) => stated,
        };
        let merged = times(hidden, times(merge, merge));
        let handed = self.count(TowerDimension::OutputWidth);
        let (norm, inner, input, output, last) = match traits.join {
            Join::Merger => (hidden, merged, merged, handed, 0),
            Join::WideMerger => (self.fact(Fact::MergerWidth).unwrap_or(hidden), merged, merged, text, 0),
            Join::PatchMerger => (hidden, hidden, merged, text, text),
            Join::Projection => (0, text, self.fact(Fact::HandedWidth).unwrap_or(hidden), 0, 0),
        };
        let biased = |width| only(traits.join_bias, width);
        sizes.set(&[
            (Size::MergerNorm, norm),
            (Size::MergerNormBias, only(traits.layers.norm_bias == Given::Yes, norm)),
            (Size::MergerHidden, inner),
            (Size::MergerInput, input),
            (Size::MergerBias, biased(inner)),
            (Size::MergerOutput, output),
            (Size::MergerOutputBias, biased(output)),
            (Size::MergerLast, last),
        ]);
    }
}
