//! Whatever a run states, the core answers or refuses; it never panics, and it answers at once.

use shardmem::config::{
    Config, Offset, Primary, RecomputeLayers, RecomputeOption, RecomputeRange, Strictness, Switches,
};
use shardmem::explain::Detail;
use shardmem::memory::reference::{self, Policies};
use shardmem::model::{Census, Family, LayerGroup, LinearAttention, Stack};
use shardmem::placement::{Schedule, place};

/// A small deterministic source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, faces: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % faces
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.roll(from.len())].clone()
    }

    fn flag(&mut self) -> bool {
        self.roll(2) == 0
    }

    fn maybe(&mut self) -> Option<bool> {
        self.pick(&[None, Some(false), Some(true)])
    }

    /// Mostly sensible, sometimes the worst a caller can say.
    fn number(&mut self) -> i64 {
        const SENSIBLE: [i64; 8] = [1, 2, 3, 4, 8, 16, 64, 4096];
        const WORST: [i64; 9] = [i64::MIN, -(1 << 53), -7, -1, 0, 1 << 20, 1 << 40, 1 << 53, i64::MAX];
        if self.roll(6) == 0 { self.pick(&WORST) } else { self.pick(&SENSIBLE) }
    }

    fn degree(&mut self) -> i64 {
        if self.roll(8) == 0 { self.number() } else { self.pick(&[1, 1, 1, 2, 4]) }
    }

    fn list(&mut self) -> std::sync::Arc<[i64]> {
        (0..self.roll(6)).map(|_| if self.flag() { 0 } else { self.number() }).collect()
    }

    fn rows(&mut self) -> std::sync::Arc<[std::sync::Arc<[i64]>]> {
        (0..self.roll(4)).map(|_| self.list()).collect()
    }

    fn layers(&mut self) -> RecomputeLayers {
        match self.roll(6) {
            0 => RecomputeLayers::Count(self.number()),
            1 => RecomputeLayers::PerStage(self.list()),
            2 => RecomputeLayers::PerChunk(self.rows()),
            3 => RecomputeLayers::Ops(["ffAct".into()].into()),
            _ => RecomputeLayers::All(self.flag()),
        }
    }

    fn offset(&mut self) -> Offset {
        match self.roll(8) {
            0 => Offset::Scalar(self.number()),
            1 => Offset::PerStage(self.list()),
            2 => Offset::PerChunk(self.rows()),
            _ => Offset::Unstated,
        }
    }

    fn ranges(&mut self) -> Option<std::sync::Arc<[RecomputeRange]>> {
        (self.roll(3) == 0).then(|| {
            (0..self.roll(4))
                .map(|_| RecomputeRange {
                    first: self.pick(&[0, 1, 2, 3, i64::MIN, i64::MAX]),
                    count: self.pick(&[None, Some(1), Some(2), Some(i64::MAX), Some(0)]),
                    option: self.pick(&[RecomputeOption::None, RecomputeOption::Full, RecomputeOption::Selective]),
                    switches: self.pick(&[None, Some(Switches::ALL_KEPT), Some(Switches::HYPER_SELECTIVE)]),
                })
                .collect()
        })
    }

    fn stack(&mut self, family: Family, layers: i64) -> Option<Stack> {
        if self.roll(10) == 0 {
            return None;
        }
        let kinds = family.kinds();
        let count = u32::try_from(layers).unwrap_or(0);
        let first = u32::try_from(self.roll(3)).expect("small").min(count);
        let census = self.flag().then_some(Census {
            saved: 1.0,
            saved_tensor: 2.0,
            working: 3.0,
            working_tensor: 4.0,
            selective: Some((1.0, 1.0)),
        });
        let group = |kind: usize, count| LayerGroup { kind: kinds[kind], count, mtp: false, census };
        let groups = [group(0, first), group(kinds.len() - 1, count - first)];
        let linear = LinearAttention {
            key_heads: self.number(),
            key_head_width: self.number(),
            value_heads: self.number(),
            value_head_width: self.number(),
            convolution_width: self.number(),
        };
        Some(Stack { groups: groups.into(), linear: self.flag().then_some(linear) })
    }

    fn primary(&mut self) -> Primary {
        let family = self.pick(&Family::ALL);
        let layers = if self.roll(10) == 0 { self.number() } else { self.pick(&[1, 4, 7, 16]) };
        let schedules: Vec<&str> = Schedule::ALL.iter().map(|schedule| schedule.name()).chain(["other"]).collect();
        Primary {
            family,
            layers,
            stack: self.stack(family, layers),
            mtp_layers: if self.roll(6) == 0 { self.number() } else { 0 },
            hidden: self.number(),
            heads: self.number(),
            kv_heads: self.number(),
            head_width: self.pick(&[0.0, 128.0, 0.5, f64::NAN, f64::INFINITY]),
            kv_latent: self.pick(&[0, 512, -1]),
            query_latent: self.pick(&[0, 512]),
            feed_forward: self.number(),
            expert_feed_forward: self.number(),
            vocabulary: self.number(),
            sequence: self.number(),
            experts: self.number(),
            chosen_experts: self.number(),
            shared_experts: self.number(),
            data_parallel: self.number(),
            tensor_parallel: self.degree(),
            pipeline_parallel: self.degree(),
            context_parallel: self.degree(),
            chunks: self.degree(),
            expert_parallel: self.number(),
            expert_tensor_parallel: self.number(),
            expert_shard: self.pick(&[None, Some(0), Some(3), Some(i64::MIN)]),
            sequence_parallel: self.flag(),
            optimizer_parallel: self.flag(),
            optimizer_shard: self.number(),
            micro_batches: self.number(),
            micro_batch: self.number(),
            sequence_parts: self.number(),
            schedule: self.pick(&schedules).into(),
            offset: self.offset(),
            full_recompute: self.layers(),
            selective_recompute: self.layers(),
            recompute_ranges: self.ranges(),
            selective_rule: self.pick(&["hyperparallel", "mindformers", "none"]).into(),
            mtp_in_offset: self.flag(),
            embedding_output_in_offset: self.roll(8) == 0,
            json_format: self.flag(),
            tokens_per_expert: self.flag().then(|| [3.0, 2.0, 1.0].into()),
            cp_algorithm: self.pick(&["colossalai_cp", "ulysses_cp", "x"]).into(),
            grad_bytes: Some(self.number()),
            frozen: self.roll(5) == 0,
            deferred_grad_accumulation: self.maybe(),
            overlapped_grad_reduce: self.maybe(),
            reshard_params: self.maybe(),
            ..Primary::default()
        }
    }
}

#[test]
fn nothing_makes_the_core_panic() {
    let mut dice = Dice(7);
    let mut answered = 0;
    for _ in 0..20_000 {
        let strictness = dice.pick(&[Strictness::Strict, Strictness::Clamped]);
        let Ok(config) = Config::new(dice.primary(), strictness) else { continue };
        let Ok(placement) = place(&config.value) else { continue };
        let breakdown = reference::account(&config.value, &placement.value).value;
        answered += 1;
        if answered % 10 == 0 {
            reference::explain_each(&config.value, &placement.value, Policies::default(), 0, &mut |answer| {
                if answer.id == "total" {
                    assert!(!answer.tree(Detail::Reading).steps.is_empty());
                }
            });
        }
        for stage in &breakdown.stages {
            assert!(!stage.instants.is_empty() && stage.totals.len() == stage.instants.len());
            assert!(stage.items.iter().all(|item| item.bytes.len() == stage.instants.len()));
        }
    }
    assert!(answered > 1000, "only {answered} cases were answered");
}
