//! Our own rules: layouts that the reference prices and no run could have (DESIGN 3.5).

use super::Config;
use crate::diagnostics::{Code, Diagnostic, Help, Place, Severity};
use crate::facts::{ExpertMesh, Facts, RunSpec};
use crate::model::{Dimension, nearest_divisors};
use crate::provenance::Stated;

/// A finding as `fsdp2` judges it: an error where no such run can exist (DESIGN 3.5).
#[must_use]
pub fn refused(finding: Diagnostic) -> Diagnostic {
    let stops = matches!(
        finding.code,
        Code::HeadsNotDivided
            | Code::KvHeadsNotDivided
            | Code::VocabularyNotDivided
            | Code::ExpertsNotDivided
            | Code::SequenceNotDivided
            | Code::ShardNotDividing
            | Code::ShardTimesReplicate
            | Code::ExpertDegreesClamped
    );
    if stops { Diagnostic { severity: Severity::Error, ..finding } } else { finding }
}

/// Whether the degrees hold the experts as stated, nothing raised to one.
pub fn holds_experts(config: &Config) -> bool {
    let primary = config.primary();
    let mesh = ExpertMesh {
        data_parallel: primary.data_parallel,
        tensor_parallel: primary.tensor_parallel,
        context_parallel: primary.context_parallel,
        expert_parallel: primary.expert_parallel,
        expert_tensor_parallel: primary.expert_tensor_parallel,
    };
    mesh.group() >= 1
}

/// What would keep the run from starting, in the order TP, EP, CP, DP. Warnings under `sapp_nd`.
pub fn legality(facts: &Facts, config: &Config) -> Vec<Diagnostic> {
    let (run, model) = (&facts.run, config.primary());
    let experts = facts.model.count(Dimension::Experts);
    let divides = |code, degree: &Stated<i64>, total: i64| not_divided(code, degree, total);
    let mut found = vec![
        divides(Code::HeadsNotDivided, &run.tensor_parallel, model.heads),
        divides(Code::VocabularyNotDivided, &run.tensor_parallel, model.vocabulary),
        divides(Code::SequenceNotDivided, &run.context_parallel, model.sequence),
    ];
    // Latent attention has no key/value heads to hand out: they are made from the latent on each rank.
    if model.kv_latent == 0 && model.kv_heads != model.heads {
        found.insert(1, divides(Code::KvHeadsNotDivided, &run.tensor_parallel, model.kv_heads));
    }
    if experts > 1 {
        let before_sequence = found.len() - 1;
        found.insert(before_sequence, divides(Code::ExpertsNotDivided, &run.expert_parallel, experts));
    }
    found.push(shard_not_dividing(run, config));
    found.push(shard_times_replicate(run));
    found.into_iter().flatten().collect()
}

fn not_divided(code: Code, degree: &Stated<i64>, total: i64) -> Option<Diagnostic> {
    if total <= 0 || total.checked_rem(degree.value) == Some(0) {
        return None;
    }
    let mut near = nearest_divisors(total, degree.value);
    // Many times the degree is another run: of a vocabulary that is prime, the vocabulary.
    near.retain(|value| value / 8 <= degree.value);
    let help = Help::NearestValues(near);
    Some(Diagnostic::new(code, Place::of(&degree.origin)).with(degree.value).with(total).help(help))
}

/// The shard groups must cover the ranks that FSDP shards over: DP, and CP with it where the schema says so.
fn shard_not_dividing(run: &RunSpec, config: &Config) -> Option<Diagnostic> {
    let data_parallel = run.data_parallel.value;
    let domain = if config.primary().shard_spans_cp {
        data_parallel.saturating_mul(run.context_parallel.value)
    } else {
        data_parallel
    };
    let shard = &run.dp_shard;
    if shard.value < 1 || domain.checked_rem(shard.value) == Some(0) {
        return None;
    }
    let help = Help::NearestValues(nearest_divisors(domain, shard.value));
    Some(Diagnostic::new(Code::ShardNotDividing, Place::of(&shard.origin)).with(shard.value).with(domain).help(help))
}

/// Only where the file states both the replicate degree and a device count can they disagree.
fn shard_times_replicate(run: &RunSpec) -> Option<Diagnostic> {
    if run.dp_replicate.origin.key().is_none() || run.devices.is_none() {
        return None;
    }
    let ranks = run.dp_shard.value.saturating_mul(run.dp_replicate.value);
    let data_parallel = run.data_parallel.value;
    if ranks == data_parallel || ranks == data_parallel.saturating_mul(run.context_parallel.value) {
        return None;
    }
    let finding =
        Diagnostic::new(Code::ShardTimesReplicate, Place::of(&run.dp_replicate.origin)).with(run.dp_shard.value);
    let finding = finding.with(run.dp_replicate.value).with(data_parallel);
    let divides = data_parallel.checked_rem(run.dp_shard.value) == Some(0);
    // The replicate that would do is no value of the shard, so it is not offered as one.
    Some(if divides {
        finding
    } else {
        finding.help(Help::NearestValues(nearest_divisors(data_parallel, run.dp_shard.value)))
    })
}

#[cfg(test)]
mod tests {
    use super::legality;
    use crate::config::derive;
    use crate::diagnostics::{Argument, Help};
    use crate::document::parse;
    use crate::facts::{ModelChoice, Overrides, read};

    fn found(yaml: &str) -> Vec<(&'static str, Vec<i64>, Vec<i64>)> {
        let document = parse(yaml).expect("YAML").value;
        let facts = read(&document, &ModelChoice::Named, &Overrides::none(), None).expect("facts").value;
        let config = derive(&facts).expect("a config").value;
        let numbers = |argument: &Argument| match argument {
            Argument::Integer(number) => *number,
            _ => panic!("a number"),
        };
        let found = legality(&facts, &config).into_iter();
        found
            .map(|finding| {
                let near = match finding.help {
                    Some(Help::NearestValues(near)) => near,
                    _ => Vec::new(),
                };
                (finding.code.name(), finding.arguments.iter().map(numbers).collect(), near)
            })
            .collect()
    }

    fn run(accelerator: &str, rest: &str) -> String {
        format!(
            "model: {{pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B}}\naccelerator: {{{accelerator}}}\n\
             dataset: {{data_transform: {{max_seq_len: 4096}}}}\n{rest}"
        )
    }

    #[test]
    fn each_rule_names_the_numbers_and_what_would_do() {
        let eight = "fsdp_config: {dp_shard_size: 8}\n";
        assert_eq!(found(&run("tp_size: 4, ep_size: 8", eight)), []);
        assert_eq!(found(&run("tp_size: 8", eight)), [("kv_heads_not_divided", vec![8, 4], vec![4])]);
        assert_eq!(
            found(&run("tp_size: 3", eight)),
            [
                ("heads_not_divided", vec![3, 32], vec![2, 4]),
                ("kv_heads_not_divided", vec![3, 4], vec![2, 4]),
                ("vocabulary_not_divided", vec![3, 151_936], vec![2, 4]),
            ]
        );
        assert_eq!(found(&run("ep_size: 24", eight)), [("experts_not_divided", vec![24, 128], vec![16, 32])]);
        assert_eq!(found(&run("cp_size: 3", eight))[0], ("sequence_not_divided", vec![3, 4096], vec![2, 4]));
        let shard = "fsdp_config: {dp_shard_size: 6}\ncontext: {device_num: 16}\n";
        assert_eq!(found(&run("", shard)), [("shard_not_dividing", vec![6, 16], vec![4, 8])]);
        let both = "fsdp_config: {dp_shard_size: 8}\ncontext: {device_num: 64}\n";
        assert_eq!(found(&run("dp_replicate: 2", both)), [("shard_times_replicate", vec![8, 2, 64], vec![])]);
        assert_eq!(found(&run("dp_replicate: 8", both)), []);
    }
}
