//! The derived numbers of a config, explained: each by the rule that derives it (config-spec 10), from what is stated.
//!
//! `config` derives in whole numbers and for every field of the reference; this says how, for the fields that formulas
//! read. A rule that does not give the config's own value is not told: the number stands as it is. The tests over all
//! goldens hold that none is left so.

use super::fields::{Fields, HEAD_WIDTH, QUERY_PROJECTIONS};
use super::policies::{OutputCensus, Policies};
use crate::config::{Config, Primary};
use crate::explain::{Formula, Quantity, Scope, Term, fields, formulas};
use crate::units::integers::gcd;

fields! {
    /// Stated numbers that only rules read.
    Stated;
    /// Data-parallel degree.
    data "d";
    /// Expert tensor-parallel degree, as stated.
    expert_tensor "etp";
    /// Ranks that the stated optimizer shard spreads a parameter over.
    optimizer_shard "os_max_shard";
    /// Shard size of an expert.
    expert_shard "expert_shard";
    /// Bytes of a gradient element where gradients take memory.
    grad_bytes "grad_bytes";
    /// Optimizer states a parameter.
    states "optimizer_states";
    /// Bytes of an optimizer state's element.
    state_bytes "bytes_os";
    /// Bytes of the main copy of a parameter.
    main_bytes "main_param_bytes";
    /// Width of a value head.
    value_head "v_head_dim";
}

formulas! {
    /// The sequence that attention scores are priced over.
    FLASH_SEQUENCE "s-fa" "config-spec 10.1";
    /// Width of a key head's non-rotary part.
    NOPE_WIDTH "qk-nope-head-dim" "memory-core 3";
    /// Ranks that the activations between TP regions are split over.
    SEQUENCE_SHARDS "sp" "config-spec 10.1";
    /// Tensor-parallel degree of an expert layer.
    EXPERT_TENSOR "t-exp" "config-spec 10.2";
    /// What divides an expert's width.
    EXPERT_WIDTH_SHARD "expert-width-shard" "memory-core 5";
    /// Ranks that hold the same experts.
    EXPERT_GROUP "edp-group" "config-spec 10.2";
    /// Ranks that an optimizer shard spreads a parameter over.
    RANKS "sharding-ranks" "config-spec 10.3";
    /// What CP divides a parameter by, beyond the stated shard.
    PARAM_CONTEXT "param-cp" "config-spec 10.3";
    /// What divides non-expert parameters and their optimizer states.
    PARAM_SHARD "shard-p-os-non-exp-partial" "config-spec 10.3";
    /// What divides routed experts' parameters and optimizer states, beyond EP.
    ROUTED_SHARD "shard-p-os-exp" "config-spec 10.3";
    /// What divides shared experts' parameters and optimizer states.
    SHARED_SHARD "shard-p-os-exp-partial" "config-spec 10.3";
    /// What divides non-expert gradients.
    GRAD_SHARD "shard-grad-non-exp" "config-spec 10.4";
    /// What divides routed experts' gradients, beyond EP.
    ROUTED_GRAD_SHARD "shard-grad-exp" "config-spec 10.4";
    /// What divides shared experts' gradients.
    SHARED_GRAD_SHARD "shard-grad-exp-partial" "config-spec 10.4";
    /// What divides the embedding table.
    EMBEDDING_SHARD "shard-embed" "config-spec 10.6";
    /// Ranks that the embedding table is gathered over.
    EMBEDDING_GATHER "gather-embed" "config-spec 10.6";
    /// What divides a recomputed layer's input.
    INPUT_SHARD "shard-recompute-input" "config-spec 10.8";
    /// What divides the output layer's activations.
    OUTPUT_SHARD "shard-output-activ" "config-spec 10.8";
    /// What divides the output layer's measured activations that TP splits.
    LOGITS_SHARD "L" "memory-core 7.5";
    /// How data parallelism gathers: 0 not at all, 2 optimizer states sharded, 3 gradients too.
    DATA_LEVEL "comm-d-non-exp" "config-spec 10.5";
    /// 1 where TP communicates, else 0.
    TENSOR_ON "comm-t" "config-spec 10.5";
    /// 1 where CP communicates, else 0.
    CONTEXT_ON "comm-cp" "config-spec 10.5";
    /// 1 where EP communicates, or the model has experts, else 0.
    EXPERT_ON "comm-ep" "config-spec 10.5";
    /// Bytes of a gradient element.
    GRAD_WIDTH "bytes-grad" "config-spec 10.8";
    /// Bytes of optimizer states and main copy a parameter.
    OPTIMIZER_WIDTH "bytes-optim" "config-spec 10.8";
    /// Bytes of optimizer states and main copy a parameter of a table.
    TABLE_OPTIMIZER_WIDTH "bytes-optim-table" "config-spec 10.8";
}

/// The numbers of a kind of layer, the derived ones by their rules.
pub(super) fn fields<'t>(
    config: &Config,
    policies: Policies,
    scope: Scope<'t>,
    numbers: &Fields<f64>,
) -> Fields<Term<'t>> {
    let stated = stated(config).lift(scope);
    let mut rules = Rules { config, primary: config.primary(), policies, scope, n: numbers.lift(scope), stated };
    rules.apply();
    // Only linear layers have some, which their kind puts here.
    rules.n.extra_attention = Term::literal(scope, 0.0);
    rules.n
}

fn stated(config: &Config) -> Stated<f64> {
    let primary = config.primary();
    let family = primary.family.run_defaults();
    Stated {
        data: primary.data_parallel as f64,
        expert_tensor: primary.expert_tensor_parallel as f64,
        optimizer_shard: primary.optimizer_shard as f64,
        expert_shard: primary.expert_shard.unwrap_or(0) as f64,
        grad_bytes: config.gradient_width() as f64,
        states: primary.optimizer_states.unwrap_or(family.optimizer_states) as f64,
        state_bytes: config.optimizer_state_width() as f64,
        main_bytes: primary.main_param_bytes.unwrap_or(family.main_param_bytes) as f64,
        value_head: config.head_width(),
    }
}

/// The rules, each under the name of the field it gives; a later one reads the fields of the earlier.
struct Rules<'a, 't> {
    config: &'a Config,
    primary: &'a Primary,
    policies: Policies,
    scope: Scope<'t>,
    n: Fields<Term<'t>>,
    stated: Stated<Term<'t>>,
}

macro_rules! apply {
    ($rules:ident; $($field:ident $formula:ident;)*) => {
        $($rules.n.$field = told($rules.n.$field, $rules.$field(), &$formula);)*
    };
}

/// A rule's account of a number, if it is that number.
fn told<'t>(number: Term<'t>, rule: Term<'t>, formula: &'static Formula) -> Term<'t> {
    let told = !rule.is(number) && rule.number().to_bits() == number.number().to_bits();
    if told { rule.named(formula) } else { number }
}

impl<'t> Rules<'_, 't> {
    fn apply(&mut self) {
        apply! {
            self;
            flash_sequence FLASH_SEQUENCE;
            head_width HEAD_WIDTH;
            nope_width NOPE_WIDTH;
            query_projections QUERY_PROJECTIONS;
            sequence_shards SEQUENCE_SHARDS;
            expert_tensor EXPERT_TENSOR;
            expert_width_shard EXPERT_WIDTH_SHARD;
            param_context PARAM_CONTEXT;
            param_shard PARAM_SHARD;
            routed_shard ROUTED_SHARD;
            shared_shard SHARED_SHARD;
            grad_shard GRAD_SHARD;
            routed_grad_shard ROUTED_GRAD_SHARD;
            shared_grad_shard SHARED_GRAD_SHARD;
            embedding_shard EMBEDDING_SHARD;
            embedding_gather EMBEDDING_GATHER;
            input_shard INPUT_SHARD;
            output_shard OUTPUT_SHARD;
            logits_shard LOGITS_SHARD;
            data_level DATA_LEVEL;
            tensor_on TENSOR_ON;
            context_on CONTEXT_ON;
            expert_on EXPERT_ON;
            grad_width GRAD_WIDTH;
            optimizer_width OPTIMIZER_WIDTH;
            table_optimizer_width TABLE_OPTIMIZER_WIDTH;
        }
    }

    fn whole(&self, number: f64, case: &'static str) -> Term<'t> {
        Term::literal(self.scope, number).because(case)
    }

    fn one(&self, case: &'static str) -> Term<'t> {
        self.whole(1.0, case)
    }

    /// The TP degree where something is split over TP, else 1.
    fn over_tensor(&self, split: bool, yes: &'static str, no: &'static str) -> Term<'t> {
        if split { self.n.tensor.because(yes) } else { self.one(no) }
    }

    fn flash_sequence(&self) -> Term<'t> {
        if self.primary.flash_attention && self.primary.heads > 0 {
            (self.n.sequence / self.n.heads).because("flash attention")
        } else {
            self.n.sequence.because("no flash attention")
        }
    }

    fn head_width(&self) -> Term<'t> {
        match self.primary.family.value_head_width() {
            Some(_) => self.stated.value_head.because("the family prices heads at the width of value heads"),
            None => self.n.head_width,
        }
    }

    fn nope_width(&self) -> Term<'t> {
        match self.primary.nope_head_width {
            None | Some(0) => self.n.head_width.because("nothing states the width of the non-rotary part"),
            Some(_) => self.n.nope_width,
        }
    }

    fn query_projections(&self) -> Term<'t> {
        if self.primary.output_gate {
            self.whole(2.0, "the output gate is fused into the query projection")
        } else {
            self.one("attention has no output gate")
        }
    }

    fn sequence_shards(&self) -> Term<'t> {
        self.over_tensor(self.primary.sequence_parallel, "sequence parallelism is on", "sequence parallelism is off")
    }

    fn expert_tensor(&self) -> Term<'t> {
        let Primary { data_parallel, tensor_parallel, expert_parallel, expert_tensor_parallel, .. } = *self.primary;
        let over = |ranks: i64| ranks.saturating_mul(tensor_parallel);
        if expert_tensor_parallel > 1 {
            self.stated.expert_tensor.because("experts have a tensor parallelism of their own")
        } else if over(expert_parallel) > over(data_parallel) {
            self.one("expert parallelism takes the ranks of TP")
        } else {
            self.n.tensor.because("experts are split over TP as attention is")
        }
    }

    fn expert_width_shard(&self) -> Term<'t> {
        self.stated.expert_tensor.larger(Term::literal(self.scope, 1.0))
    }

    fn expert_group(&self) -> Term<'t> {
        let ranks = self.stated.data * self.n.tensor * self.n.context;
        let group = (ranks / (self.n.expert_width_shard * self.n.expert)).floor();
        let group = if group.number() < 1.0 {
            group.larger(Term::literal(self.scope, 1.0)).because("the degrees cannot hold the experts: counted as one")
        } else {
            group
        };
        group.named(&EXPERT_GROUP)
    }

    fn param_context(&self) -> Term<'t> {
        if self.primary.shard_spans_cp {
            self.one("the stated shard spans the ranks of CP")
        } else {
            self.n.context.because("the stated shard spans DP alone")
        }
    }

    /// Over how many ranks optimizer states are sharded, beside TP.
    fn ranks(&self) -> Term<'t> {
        self.shard().named(&RANKS)
    }

    fn shard(&self) -> Term<'t> {
        if !self.primary.optimizer_parallel {
            return self.one("optimizer states are not sharded");
        }
        let stated = self.primary.optimizer_shard;
        if stated >= 1 && self.config.optimizer_ranks() == stated {
            return self.stated.optimizer_shard.because("the stated shard divides the ranks it spans");
        }
        let all = "the stated shard does not divide the ranks it spans: all of them shard";
        if self.primary.shard_spans_cp {
            (self.stated.data * self.n.context).because(all)
        } else {
            self.stated.data.because(all)
        }
    }

    fn param_shard(&self) -> Term<'t> {
        self.ranks() * self.n.tensor * self.n.param_context
    }

    fn routed_shard(&self) -> Term<'t> {
        let spread = self.primary.expert_parallel > 1;
        match self.primary.expert_shard {
            _ if spread && self.primary.expert_shard_group == Some(true) => {
                self.expert_group().because("experts are sharded over all ranks that hold them")
            }
            None if self.primary.optimizer_parallel => {
                self.expert_group().because("no shard is stated for experts: all ranks that hold them shard")
            }
            None => (self.n.param_context * self.n.expert_tensor).because("optimizer states are not sharded"),
            Some(stated) if spread => {
                let group = self.expert_group();
                let common = gcd(stated, rounded(group.number()));
                self.stated
                    .expert_shard
                    .divisor(group, common as f64)
                    .because("experts have a shard of their own, within the ranks that hold them")
            }
            Some(_) => (self.ranks() * self.n.param_context * self.n.expert_tensor)
                .because("without EP experts are sharded as other parameters"),
        }
    }

    fn shared_shard(&self) -> Term<'t> {
        let ranks = self.ranks() * self.n.expert_tensor;
        let common = gcd(self.primary.experts, rounded(ranks.number()));
        self.n.experts.divisor(ranks, common as f64)
    }

    /// Gradients are sharded as parameters are, over everything, or not at all.
    fn grads(&self, as_params: Term<'t>, sharded: Term<'t>, whole: Term<'t>) -> Term<'t> {
        if self.primary.grad_shard_as_params {
            as_params.because("gradients are sharded as parameters are")
        } else if self.primary.grad_shard {
            sharded.because("accumulated gradients are sharded")
        } else {
            whole.because("gradients are not sharded over data parallelism")
        }
    }

    fn grad_shard(&self) -> Term<'t> {
        let data = if self.primary.optimizer_parallel {
            self.stated.data
        } else {
            self.one("no optimizer states are sharded")
        };
        self.grads(self.n.param_shard, data * self.n.context * self.n.tensor, self.n.tensor)
    }

    fn routed_grad_shard(&self) -> Term<'t> {
        self.grads(self.n.routed_shard, self.n.routed_shard, self.n.expert_tensor)
    }

    fn shared_grad_shard(&self) -> Term<'t> {
        self.grads(self.n.shared_shard, self.n.shared_shard, self.n.expert_tensor)
    }

    fn embedding_shard(&self) -> Term<'t> {
        let ranks = if !self.primary.embedding_sharded {
            self.one("the embedding table is not sharded")
        } else if self.primary.grad_shard_as_params {
            self.ranks().because("the embedding table is sharded as parameters are")
        } else {
            self.stated.data.because("the embedding table is sharded over data parallelism")
        };
        let replicated = self.primary.vocabulary_data_parallel && self.primary.pipeline_parallel == 1;
        let tensor = self.over_tensor(
            !replicated,
            "TP splits the embedding table",
            "without a pipeline TP does not split the embedding table",
        );
        ranks * tensor
    }

    fn embedding_gather(&self) -> Term<'t> {
        if self.primary.grad_shard_as_params && self.primary.embedding_sharded {
            self.ranks().because("the embedding table is gathered as parameters are")
        } else {
            self.one("the embedding table is not gathered")
        }
    }

    fn input_shard(&self) -> Term<'t> {
        let split = self.config.recompute_input_shard() != 1;
        self.over_tensor(
            split,
            "inputs of recomputed layers are split over TP",
            "inputs of recomputed layers are whole",
        )
    }

    fn output_shard(&self) -> Term<'t> {
        let split = self.config.output_activation_shard() != 1;
        self.over_tensor(split, "the output's activations are split over TP", "the output's activations are whole")
    }

    fn logits_shard(&self) -> Term<'t> {
        if self.policies.output_census() == OutputCensus::Never {
            return self.one("by policy, TP does not split them");
        }
        let split = self.config.shards_logits();
        self.over_tensor(split, "the loss runs on logits split over the vocabulary", "the loss runs on whole logits")
    }

    fn data_level(&self) -> Term<'t> {
        if self.primary.data_parallel == 1 {
            self.whole(0.0, "data parallelism has one rank")
        } else if !self.primary.optimizer_parallel {
            self.whole(0.0, "optimizer states are not sharded")
        } else if self.primary.grad_shard {
            self.whole(3.0, "optimizer states and gradients are sharded")
        } else {
            self.whole(2.0, "optimizer states are sharded")
        }
    }

    fn switch(&self, on: f64, yes: &'static str, no: &'static str) -> Term<'t> {
        self.whole(on, if on == 0.0 { no } else { yes })
    }

    fn tensor_on(&self) -> Term<'t> {
        self.switch(self.config.tensor_communicates(), "TP is more than 1", "TP is 1")
    }

    fn context_on(&self) -> Term<'t> {
        self.switch(self.config.context_communicates(), "CP is more than 1", "CP is 1")
    }

    fn expert_on(&self) -> Term<'t> {
        self.switch(self.config.experts_communicate(), "EP is more than 1, or the model has experts", "no experts")
    }

    fn grad_width(&self) -> Term<'t> {
        if self.primary.pipeline_parallel > 1 {
            self.stated.grad_bytes.because("a pipeline accumulates gradients")
        } else if self.config.accumulates_gradients() {
            self.stated.grad_bytes.because("the run accumulates gradients")
        } else {
            self.whole(0.0, "gradients take no memory: no pipeline and no accumulation")
        }
    }

    fn optimizer_width(&self) -> Term<'t> {
        self.stated.states * self.stated.state_bytes + self.stated.main_bytes
    }

    fn table_optimizer_width(&self) -> Term<'t> {
        let states = self.stated.state_bytes * 2.0;
        (states + self.stated.main_bytes).because("tables keep two states whatever the optimizer")
    }
}

/// A count held as a double.
#[expect(clippy::cast_possible_truncation, reason = "counts are whole; beyond 2^63 the cast saturates")]
fn rounded(count: f64) -> i64 {
    count as i64
}
