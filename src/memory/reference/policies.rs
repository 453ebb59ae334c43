//! The choices of the reference that were reconstructed rather than read, each a named policy with the specified value
//! as its default (memory-core 15). `docs/architecture.md` says which of the nine are no policy, and why.

use crate::memory::policies::policies;

policies! {
    OutputActivations output_activations "output-activations-under-cp" "What the output layer and the MTP heads keep under CP" [
        Divided "divided" "divided by CP";
        Whole "whole" "not divided by CP";
    ]
    OutputBuffer output_buffer "output-buffer-under-cp" "What divides the gathered tables of the output layer and the MTP heads" [
        TensorAndContext "tensor-and-context" "TP and CP";
        Parameter "parameter" "TP, and CP only where the shard does not span it, as for the embedding";
    ]
    LayerBuffer layer_buffer "layer-buffer-under-cp" "What divides the sharded term of a layer's gathered parameters" [
        LayerTensorAndContext "tensor-and-context" "TP and CP";
        LayerParameter "parameter" "TP, and CP only where the shard does not span it";
    ]
    OutputCensus output_census "output-census-split" "When TP splits the measured activations of the output layer" [
        LossParallel "loss-parallel" "where the loss runs on vocabulary-sharded logits";
        Never "never" "never";
    ]
    RecomputeInput recompute_input "recompute-input-under-cp" "The input that a fully recomputed layer keeps under CP" [
        InputWhole "whole" "not divided by CP";
        InputDivided "divided" "divided by CP";
    ]
    CmNorms cm_norms "cm-norms" "How the norms of a layer of the family cm are counted" [
        AsOthers "as-others" "as in every family";
        Own "own" "from its op counts: 2 vectors for each norm, and half a head width for each attention projection";
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Help;

    fn choices(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn ids_are_kebab_case_and_distinct_and_every_policy_has_a_choice() {
        let kebab = |id: &str| id.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
        let ids: std::collections::BTreeSet<_> = POLICIES.iter().map(|policy| policy.id).collect();
        assert_eq!(ids.len(), POLICIES.len());
        for policy in &POLICIES {
            assert!(kebab(policy.id) && policy.values.len() > 1, "{policy:?}");
            assert!(policy.values.iter().all(|value| kebab(value.id)), "{policy:?}");
        }
    }

    #[test]
    fn the_default_is_the_first_value_and_the_last_choice_counts() {
        for (policy, (name, value)) in POLICIES.iter().zip(Policies::default().named()) {
            assert_eq!((policy.id, policy.default_value()), (name, &*value));
        }
        let pairs = choices(&[("output-census-split", "never"), ("cm-norms", "own"), ("cm-norms", "as-others")]);
        let chosen = Policies::chosen(&pairs).expect("known").value;
        assert_eq!(chosen.output_census(), OutputCensus::Never);
        assert_eq!(chosen.cm_norms(), CmNorms::AsOthers);
        assert_eq!(chosen.output_activations(), OutputActivations::Divided);
    }

    #[test]
    fn unknown_names_and_values_are_told_at_once_with_the_way_on() {
        let pairs = choices(&[("cm-norm", "own"), ("none", "such"), ("cm-norms", "mine"), ("cm-norms", "0wn")]);
        let errors = Policies::chosen(&pairs).expect_err("unknown");
        let codes: Vec<_> = errors.errors().iter().map(|error| error.code.name()).collect();
        assert_eq!(codes, ["policy_unknown", "policy_unknown", "policy_value_unknown", "policy_value_unknown"]);
        assert_eq!(errors.first().help, Some(Help::Nearest("cm-norms".to_owned())));
        assert_eq!(errors.errors()[2].help, Some(Help::OneOf(vec!["as-others".to_owned(), "own".to_owned()])));
        assert_eq!(errors.errors()[2].arguments, ["mine".into(), "cm-norms".into()]);
    }
}
