//! What a train.yaml does not say of the code that runs it, each a named policy (ledger 6). The first value is the default.

use crate::memory::policies::policies;

policies! {
    Selective selective "selective" "What selective recompute keeps" [
        HyperParallel "hyperparallel" "matmul and attention outputs and collectives, as the trainer does";
        EverySecondMatmul "every-2nd-matmul" "every second matmul, attention and grouped GEMMs, as torchtitan does";
        EveryMatmul "every-matmul" "every matmul, attention and grouped GEMMs";
        EverySecondLayer "every-2nd-layer" "all of every second layer; the others are recomputed in full";
    ]
    Norm norm "norm" "How RMS norms are computed" [
        Eager "eager" "operator by operator, with copies in fp32";
        Fused "fused" "in one kernel, which keeps its input";
    ]
    SwiGlu swiglu "swiglu" "How SwiGLU is computed" [
        Eager "eager" "silu and product, each with its output kept";
        Fused "fused" "in one kernel, which keeps gate and up";
    ]
    Qkv qkv "qkv" "How queries, keys and values are projected" [
        Separate "separate" "three projections";
        Fused "fused" "one projection, kept whole because the values are a view of it";
    ]
    KeyValues key_values "kv" "How keys and values meet more query heads" [
        Native "native" "the kernel shares them";
        Expanded "expanded" "repeated to one for each query head";
    ]
    NormOutputs norm_outputs "norm-outputs" "What is kept of norm outputs under sequence parallelism" [
        Gathered "gathered" "the whole sequence, as DTensor does";
        Shard "shard" "the rank's part, gathered again in the backward, as Megatron does";
    ]
    Wrap wrap "wrap" "Which modules FSDP wraps" [
        LayersAndRoot "layers+root" "each layer, and one group for embedding, final norm and head";
        EmbeddingLayersHead "embedding+layers+head" "embedding, each layer, and final norm with head";
    ]
    Loss loss "loss" "How the loss is computed" [
        FullFp32 "full-fp32" "cross entropy over all logits in fp32";
        Chunked(chunk) "chunked:N" "N tokens at a time, with logits computed again in the backward";
        Fused "fused" "head and loss in one kernel, which never holds all logits";
        Megatron "megatron" "Megatron's fused cross entropy over vocabulary shards";
        Nanotron "nanotron" "nanotron's cross entropy over vocabulary shards";
    ]
    LogitsKept logits_kept "logits-kept" "Whether the bf16 logits stay referenced during the loss" [
        Freed "false" "freed once they are cast";
        Held "true" "referenced until the loss is done";
    ]
    AdamW adamw "adamw" "How AdamW steps" [
        Fused "fused" "in one kernel";
        Foreach "foreach" "over all tensors at once, with one more tensor for each parameter";
    ]
    ExpertShardDim expert_shard_dim "expert-shard-dim" "Which dimension of stacked experts FSDP shards" [
        Auto "auto" "the second where there are fewer experts than ranks, else the first";
        First "0" "always the first, padded";
    ]
    StateLayout state_layout "state-layout" "Where parameters, gradients and optimizer states live" [
        Fsdp2 "fsdp2" "all sharded";
        Zero1 "zero1" "optimizer states sharded, weights and gradients whole, as in Megatron's distributed optimizer";
    ]
    PipelineReshard pipeline_reshard "pipeline-reshard" "Whether a pipeline stage frees gathered weights after each forward" [
        Keeps "false" "kept until the end of the step";
        Reshards "true" "freed, and gathered again by the next forward";
    ]
    GradientSync gradient_sync "gradient-sync" "When gradients are reduced under accumulation (a pipeline: always last)" [
        Every "every" "after every micro-batch";
        Last "last" "after the last micro-batch";
    ]
    ReshardAfterBackward reshard_after_backward "reshard-after-backward" "Whether a backward that reduces nothing frees gathered weights (a pipeline: never)" [
        Reshards "true" "freed";
        Keeps "false" "kept until the next forward";
    ]
    CpKind cp_kind "cp-kind" "How context parallelism exchanges tokens" [
        ByAlgorithm "by-algorithm" "as the run's algorithm does: gathered, or all-to-all for ulysses_cp";
        Gathered "gathered" "keys and values of the whole sequence on every rank";
        AllToAll "all-to-all" "heads against tokens";
        Ring "ring" "keys and values pass from rank to rank";
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Help;

    fn chosen(pairs: &[(&str, &str)]) -> Policies {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Policies::chosen(&pairs).expect("known").value
    }

    #[test]
    fn ids_are_distinct_and_every_policy_has_a_choice() {
        let ids: std::collections::BTreeSet<_> = POLICIES.iter().map(|policy| policy.id).collect();
        assert_eq!((ids.len(), POLICIES.len()), (16, 16));
        assert!(POLICIES.iter().all(|policy| policy.values.len() > 1));
    }

    #[test]
    fn the_default_is_the_first_value() {
        for (policy, (name, value)) in POLICIES.iter().zip(Policies::default().named()) {
            assert_eq!((policy.id, policy.default_value()), (name, &*value));
        }
        assert_eq!(Policies::default().loss(), Loss::FullFp32);
        assert_eq!(Policies::default().cp_kind(), CpKind::ByAlgorithm);
    }

    #[test]
    fn every_value_is_read_as_it_is_written() {
        for (at, policy) in POLICIES.iter().enumerate() {
            for value in policy.values {
                let written = value.id.replace(":N", ":2048");
                let policies = chosen(&[(policy.id, &written)]);
                assert_eq!(policies.named().nth(at), Some((policy.id, written)));
            }
        }
    }

    #[test]
    fn a_chunked_loss_holds_its_tokens() {
        let policies = chosen(&[("loss", "chunked:2048"), ("norm", "fused")]);
        assert_eq!((policies.loss(), policies.norm()), (Loss::Chunked(2048), Norm::Fused));
        let pairs = [("loss".to_owned(), "chunked:0".to_owned()), ("losss".to_owned(), "fused".to_owned())];
        let errors = Policies::chosen(&pairs).expect_err("unknown");
        assert_eq!(errors.errors().len(), 2);
        assert_eq!(errors.errors()[1].help, Some(Help::Nearest("loss".to_owned())));
    }
}
