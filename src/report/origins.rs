//! Where the numbers of a config come from: each symbol that formulas read, back to the fact that it was made from
//! (config-spec 7, 8).

use crate::explain::Leaf;
use crate::facts::execution::{ExecutionSpec, Field};
use crate::facts::{Facts, RunSpec};
use crate::model::{Dimension, Flag, TowerDimension, VisionTower};
use crate::provenance::{KeyPath, Origin, Source};

/// What a symbol is made from.
enum From {
    /// A dimension of the model; the second where nobody states the first.
    Model(Dimension, Dimension),
    /// A dimension of the model, or the rule where nobody states it.
    Stated(Dimension, &'static str),
    /// A dimension of the mixture of experts: a dense model has none.
    Experts(Dimension, Dimension),
    /// A switch of the model.
    Switch(Flag),
    /// A fact of the run.
    Run(fn(&RunSpec) -> Option<&Origin>),
    /// What the model's family decides.
    Family,
    /// The op counts of a kind of layer: stated, or the family's.
    Ops,
    /// A rule without a fact of its own.
    Rule(&'static str),
    /// A constant of the reference.
    Constant(&'static str),
}

/// Every symbol with what it is made from, and the field of an execution spec that may stand over it.
const SYMBOLS: &[(&str, From, Option<Field>)] = {
    use Dimension as D;
    use From::{Constant, Experts, Family, Model, Ops, Rule, Run, Stated, Switch};
    &[
        ("b", Run(|run| Some(&run.micro_batch.origin)), Some(Field::MicroBatch)),
        ("m", Run(|run| Some(&run.micro_batches.origin)), Some(Field::MicroBatches)),
        ("s", Run(|run| Some(&run.sequence.origin)), Some(Field::Sequence)),
        ("d", Run(|run| Some(&run.data_parallel.origin)), Some(Field::DataParallel)),
        ("t", Run(|run| Some(&run.tensor_parallel.origin)), Some(Field::TensorParallel)),
        ("p", Run(|run| Some(&run.pipeline_parallel.origin)), Some(Field::PipelineParallel)),
        ("cp", Run(|run| Some(&run.context_parallel.origin)), Some(Field::ContextParallel)),
        ("ep", Run(|run| Some(&run.expert_parallel.origin)), Some(Field::ExpertParallel)),
        ("etp", Run(|run| Some(&run.expert_tensor_parallel.origin)), Some(Field::ExpertTensorParallel)),
        ("os_max_shard", Run(|run| Some(optimizer_shard(run))), Some(Field::OptimizerShard)),
        ("expert_shard", Run(|run| run.expert_shard.as_ref().map(|shard| &shard.origin)), Some(Field::ExpertShard)),
        ("cap_fact", Run(|run| Some(&run.capacity_factor.origin)), None),
        ("bytes_p", Run(|run| Some(&run.param_bytes.origin)), Some(Field::ParamBytes)),
        ("grad_bytes", Run(|run| Some(&run.param_bytes.origin)), Some(Field::GradBytes)),
        ("bytes_compute", Run(|run| Some(&run.compute_bytes.origin)), Some(Field::ComputeBytes)),
        ("bytes_softmax", Run(|run| Some(&run.softmax_bytes.origin)), Some(Field::SoftmaxBytes)),
        ("optimizer_states", Run(|run| Some(&run.optimizer_states.origin)), Some(Field::OptimizerStates)),
        ("main_param_bytes", Run(|run| Some(&run.main_params.origin)), Some(Field::MainParamBytes)),
        ("bytes_os", Run(|run| Some(state_width(run))), Some(Field::OptimizerStateBytes)),
        ("bytes_norm", Family, Some(Field::NormBytes)),
        ("bytes_dropout", Family, Some(Field::DropoutBytes)),
        ("h", Model(D::HiddenSize, D::HiddenSize), None),
        ("hff", Model(D::FeedForward, D::FeedForward), None),
        ("v", Model(D::Vocabulary, D::Vocabulary), None),
        ("a", Model(D::Heads, D::Heads), None),
        ("n_kv", Model(D::KvHeads, D::Heads), None),
        ("dh", Stated(D::HeadWidth, "config-spec 7, the hidden width over the heads"), None),
        ("v_head_dim", Model(D::ValueHeadWidth, D::ValueHeadWidth), None),
        ("qk_nope_head_dim", Model(D::NopeWidth, D::NopeWidth), None),
        ("dc_kv", Model(D::KvLatent, D::KvLatent), None),
        ("dc_q", Model(D::QueryLatent, D::QueryLatent), None),
        ("dhr", Model(D::RotaryWidth, D::RotaryWidth), None),
        ("layer_norms", Model(D::LayerNorms, D::LayerNorms), None),
        ("n_mtp", Model(D::MtpDepth, D::MtpDepth), None),
        ("n_qknorm", Switch(Flag::QkNorm), None),
        ("hff_exp", Experts(D::ExpertWidth, D::FeedForward), None),
        ("n_exp", Experts(D::Experts, D::Experts), None),
        ("n_chosen_exp", Experts(D::ChosenExperts, D::ChosenExperts), None),
        ("n_shared_exp", Experts(D::SharedExperts, D::SharedExperts), None),
        ("n_k", Model(D::LinearKeyHeads, D::LinearKeyHeads), None),
        ("d_k", Model(D::LinearKeyWidth, D::LinearKeyWidth), None),
        ("n_v", Model(D::LinearValueHeads, D::LinearValueHeads), None),
        ("d_v", Model(D::LinearValueWidth, D::LinearValueWidth), None),
        ("w_conv", Model(D::LinearConvolution, D::LinearConvolution), None),
        ("n_attMM", Ops, None),
        ("n_attBMM", Ops, None),
        ("n_ffMM", Ops, None),
        ("n_softmax", Ops, None),
        ("n_dropout", Ops, None),
        ("n_normOp", Ops, None),
        ("n_gather", Ops, None),
        ("n_attParamCast", Rule("memory-core 3, casts kept beside matmuls"), Some(Field::ParamCasts)),
        ("n_ffParamCast", Rule("memory-core 3, casts kept beside matmuls"), Some(Field::ParamCasts)),
        ("tokens_per_expert", Rule("memory-core 7.6, the measured load of the experts"), None),
        ("saved", Rule(MEASURED), None),
        ("saved_tp", Rule(MEASURED), None),
        ("working", Rule(MEASURED), None),
        ("working_tp", Rule(MEASURED), None),
        ("selective", Rule(MEASURED), None),
        ("selective_tp", Rule(MEASURED), None),
        ("n_s_split", Constant("memory-core 9, whole sequences"), Some(Field::SequenceParts)),
        ("i", Constant("memory-core 9, the stage"), None),
    ]
};

const MEASURED: &str = "memory-core 7.3, the measured activations of the model spec";

/// What is said of a symbol that the table does not have.
pub const UNKNOWN: Origin = Origin::Rule("config-spec 10");

/// What is said of a dimension that nobody states.
const UNSTATED: Origin = Origin::TrainerDefault("config-spec 7");

/// Where a number of a config comes from, given what was read of the run and an execution spec laid over it.
pub fn origin(facts: &Facts, spec: Option<&ExecutionSpec>, leaf: &Leaf) -> Origin {
    let symbol = leaf.symbol.0;
    let Some((_, from, field)) = SYMBOLS.iter().find(|(name, ..)| *name == symbol) else {
        return UNKNOWN;
    };
    if let Some(field) = field.filter(|field| spec.is_some_and(|spec| spec.states(*field))) {
        return Origin::Key(Source::Execution, KeyPath::root().key(field.name()));
    }
    let tower = facts.model.vision.as_ref().filter(|_| facts.builds_tower && leaf.part == 0);
    match tower {
        Some(tower) => of_tower(facts, tower, symbol, from),
        None => of_text(facts, from),
    }
}

fn of_text(facts: &Facts, from: &From) -> Origin {
    let model = &facts.model;
    let dimension = |stated, otherwise| {
        let stated = model.dimension(stated).or_else(|| model.dimension(otherwise));
        stated.map_or(UNSTATED, |stated| stated.origin.clone())
    };
    match *from {
        From::Experts(..) if model.count(Dimension::Experts) <= 1 => Origin::Rule("config-spec 7, a dense model"),
        From::Stated(stated, rule) => {
            model.dimension(stated).map_or(Origin::Rule(rule), |stated| stated.origin.clone())
        }
        From::Model(stated, otherwise) | From::Experts(stated, otherwise) => dimension(stated, otherwise),
        From::Switch(flag) => model.flag(flag).map_or(UNSTATED, |stated| stated.origin.clone()),
        From::Ops if model.ops.is_some() => Origin::Rule("config-spec 6.3, the op counts that the model states"),
        From::Family | From::Ops => Origin::FamilyDefault(model.family.value.name()),
        From::Run(_) | From::Rule(_) | From::Constant(_) => of_run(facts, from),
    }
}

/// A vision tower has a geometry of its own and runs as the text does.
fn of_tower(facts: &Facts, tower: &VisionTower, symbol: &str, from: &From) -> Origin {
    let dimension = match symbol {
        "s" => return tower.tokens.origin.clone(),
        "h" => TowerDimension::HiddenSize,
        "a" | "n_kv" => TowerDimension::Heads,
        "hff" | "hff_exp" => TowerDimension::FeedForward,
        _ => {
            return match from {
                From::Model(..) | From::Stated(..) | From::Experts(..) | From::Switch(_) => {
                    Origin::Rule("config-spec 11, the vision part of a model")
                }
                From::Family | From::Ops => Origin::FamilyDefault("vision"),
                From::Run(_) | From::Rule(_) | From::Constant(_) => of_run(facts, from),
            };
        }
    };
    tower.dimension(dimension).map_or(UNSTATED, |stated| stated.origin.clone())
}

fn of_run(facts: &Facts, from: &From) -> Origin {
    match *from {
        From::Run(fact) => fact(&facts.run).cloned().unwrap_or(UNSTATED),
        From::Rule(rule) => Origin::Rule(rule),
        From::Constant(constant) => Origin::Constant(constant),
        From::Model(..) | From::Stated(..) | From::Experts(..) | From::Switch(_) | From::Family | From::Ops => UNSTATED,
    }
}

/// Where the shard follows from the data-parallel shard, that one is stated.
fn optimizer_shard(run: &RunSpec) -> &Origin {
    match &run.optimizer_shard.origin {
        Origin::Rule(_) if run.optimizer_shard.value == run.dp_shard.value => &run.dp_shard.origin,
        own => own,
    }
}

/// Optimizer states are as wide as fp32 main parameters, where the run keeps some; else as a stored parameter.
const fn state_width(run: &RunSpec) -> &Origin {
    if run.main_params.value { &run.main_params.origin } else { &run.stored_bytes.origin }
}
