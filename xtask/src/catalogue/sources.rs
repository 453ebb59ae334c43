//! Sources a reader can follow, for the models whose source in the folder of configs names no repository.
//!
//! Each was opened and compared with every name kept of its model; what a file does not state is said behind it.
//! A commit is the one that was read: later ones may say something else.

use crate::Outcome;

/// `(id, source)`: takes the place of what the folder says. Sorted by id.
pub(super) const FOUND: &[(&str, &str)] = &[
    (
        "01-ai/Yi-34B",
        "SoumilB7/unfold@8f52389 tests/test_smoke.py, read on 2026-11-30 (test table YI_34B_CONFIG; its model_type \
         string yi written as llama, the architecture the 6B class names)",
    ),
    (
        "MiniMaxAI/MiniMax-M1-80k",
        "BudEcosystem/simulator@f488039 BudSimulator/model_param_test.py, read on 2026-11-30 (mini_max_config); the \
         head layout of the linear layers is in the modelling code, no config states it",
    ),
    (
        "baidu/ERNIE-4.5-300B-A47B-PT",
        "yjyang62/mindie@06bcff1 \
         examples/atb_models/tests/pythontest/atb_llm/models/ernie_moe/test_router_ernie_moe.py, read on 2026-11-30 \
         (test table that names no model; its model_type string ernie_moe kept as ernie4_5_moe). Widths, heads, \
         experts and 54 layers (56 less 2) also in PaddlePaddle/ERNIE@2985dec \
         examples/pre-training/model_configs/ERNIE-4p5-300B-A47B/model_config.json, which pre-trains with another \
         vocabulary and fewer positions",
    ),
    (
        "deepseek-ai/DeepSeek-V2",
        "BudEcosystem/simulator@25afe5c BudSimulator/params_2_test.py, read on 2026-11-30 (sample_config)",
    ),
    (
        "mistralai/Mistral-Nemo-Base-2407",
        "NVIDIA/Fuser@1e5812b benchmarks/python/model_configs.py, read on 2026-11-30 (hf_mistral_nemo_cfg)",
    ),
    ("openpangu/openPangu-Embedded-7B", "wujing215/OpenPangu7B-on-NVIDIA@b63fa03 config.json, read on 2026-11-30"),
    (
        "openpangu/openPangu-Ultra-MoE-718B",
        "huggingface/transformers@3686378 src/transformers/models/openpangu_moe/configuration_openpangu_moe.py, read \
         on 2026-11-30 (configuration class defaults)",
    ),
    (
        "tencent/Hunyuan-7B-Instruct",
        "gkarfakis19/Rapid-LLM@830a138 tests/test_qif_model_matrix.py, read on 2026-11-30 (test table HUNYUAN_7B_HF)",
    ),
    (
        "tencent/Hunyuan-A13B-Instruct",
        "turbobeest/modelspec@28c4e51 tests/test_fetch_geometry.py, read on 2026-11-30 (the Hunyuan test); no \
         attention bias and the query/key norm from huggingface/transformers@008cd60 \
         src/transformers/models/hunyuan_v1_moe/ (class default, modelling code), one shared expert from \
         Tencent-Hunyuan/Hunyuan-A13B issue 26 (printed metadata); the model_type string hunyuan as published, no file \
         with a repository name was found for it",
    ),
    (
        "zai-org/GLM-4.5-Air",
        "turbobeest/modelspec@28c4e51 tests/test_fetch_geometry.py, read on 2026-11-30 (the GLM-4.5-Air tests; \
         model_type string added); attention_bias from vllm-project/vime@b332ffc \
         scripts/models/glm4.5-106B-A12B.sh, which states the other dimensions too",
    ),
    (
        "zai-org/GLM-4.7",
        "alibaba/rtp-llm@3358f16 rtp_llm/test/glm4_moe_nextn_test.py, read on 2026-11-30 (GLM-4.7's values); untied \
         embeddings from zyzshishui/slime@ffec534 scripts/models/glm4.5-355B-A32B.sh, the GLM-4.5 of the same shape",
    ),
];

/// What a source says that only leads to a search index.
const UNFOLLOWABLE: &str = "index id";

/// The source of a model: the one found for it, else what the folder says.
pub(super) fn of<'a>(id: &str, stated: &'a str) -> Outcome<&'a str> {
    let found = FOUND.iter().find(|(found, _)| *found == id);
    let source = found.map_or(stated, |(_, source)| source);
    followable(id, source)?;
    Ok(source)
}

/// Whether a reader can follow a source.
pub(super) fn followable(id: &str, source: &str) -> Outcome {
    if source.is_empty() || source.contains(UNFOLLOWABLE) {
        return Err(format!(
            "{id}: nobody can follow the source {source:?}; name one in xtask/src/catalogue/sources.rs"
        ));
    }
    Ok(())
}

/// No source is kept for a model that is gone.
pub(super) fn all_used<'a>(ids: &(impl Iterator<Item = &'a str> + Clone)) -> Outcome {
    match FOUND.iter().find(|(found, _)| !ids.clone().any(|id| id == *found)) {
        Some((unused, _)) => Err(format!("{unused} has a source in xtask/src/catalogue/sources.rs and no config")),
        None => Ok(()),
    }
}

/// The texts of the table, for its hash.
pub(super) fn texts() -> impl Iterator<Item = &'static str> {
    FOUND.iter().flat_map(|&(id, source)| [id, source])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_can_be_followed() {
        assert!(FOUND.is_sorted_by(|(left, _), (right, _)| left < right));
        for (id, source) in FOUND {
            assert_eq!(followable(id, source), Ok(()));
            assert!(source.contains('@') && source.contains(", read on "), "{id}: {source}");
            assert!(!source.contains("  ") && !source.contains('\n'), "{id}: {source}");
        }
    }

    #[test]
    fn what_was_found_takes_the_place_of_what_was_stated() {
        assert!(of("zai-org/GLM-4.7", "public source file, index id 1").is_ok_and(|source| source.contains("rtp-llm")));
        assert_eq!(of("a/b", "somewhere"), Ok("somewhere"));
    }

    #[test]
    fn a_number_of_a_search_index_is_refused() {
        assert!(of("a/b", "public source file, index id 1").is_err_and(|error| error.contains("a/b")));
        assert!(of("a/b", "").is_err());
    }

    #[test]
    fn a_source_without_its_model_is_refused() {
        let every = FOUND.iter().map(|(id, _)| *id);
        assert_eq!(all_used(&every.clone().chain(["a/b"])), Ok(()));
        assert!(all_used(&every.skip(1)).is_err_and(|error| error.contains(FOUND[0].0)));
    }
}
