//! The items that only the ledger has; it comes late, and so do their names.

use super::Language;

/// What an item is called; none for those that both memory models have.
pub fn item(id: &str, language: Language) -> Option<&'static str> {
    let (_, english, chinese) = ITEMS.iter().find(|(known, ..)| *known == id)?;
    Some(match language {
        Language::English => english,
        Language::Chinese => chinese,
    })
}

/// Id, English, Chinese.
const ITEMS: &[(&str, &str, &str)] = &[
    ("buffers-gathered-parameters", "Whole weights of units in use", "使用中的完整权重"),
    ("parameters-tables", "Embedding, head, final norm", "词嵌入、输出层、最终归一化"),
    ("optimizer-main-parameters", "fp32 copy of the parameters", "参数的 fp32 副本"),
    ("gradients-unsharded", "Whole, until the last micro-batch", "完整梯度，保留到最后一个微批次"),
    ("activations-inputs", "Token ids and labels", "词元与标签"),
    ("buffers-gather-copies", "Copies on the way to whole weights", "得到完整权重途中的副本"),
    ("working-set-forward", "Passing tensors of a forward", "前向的临时张量"),
    ("working-set-recomputed", "A layer's forward, made again", "重新计算的一层前向"),
    ("working-set-backward", "Gradients of activations", "激活值的梯度"),
    ("working-set-loss", "Gradients of the logits", "logits 的梯度"),
    ("working-set-optimizer", "The optimizer's step", "优化器更新的临时张量"),
    ("gradients-of-layer", "Of the layer under way, not reduced", "当前层尚未归约的梯度"),
    ("gradients-of-tables", "Of embedding and head, not reduced", "词嵌入与输出层尚未归约的梯度"),
    ("gradients-reduce-input", "Inputs of reductions", "归约的输入"),
    ("gradients-reduce-output", "Outputs of reductions", "归约的输出"),
    ("optimizer-states", "Optimizer states", "优化器状态"),
    ("gradients", "Gradients", "梯度"),
    ("buffers-pipeline-parallel", "Pipeline parallel", "流水线并行"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::of;
    use shardmem::memory::ledger::slots::KINDS;

    /// What is neither here nor among the names of both models would be said in English in every language.
    #[test]
    fn every_item_of_the_ledger_has_a_name_in_every_language() {
        for kind in KINDS {
            let chinese =
                item(kind.id, Language::Chinese).map_or_else(|| (of(Language::Chinese).item)(kind.id), str::to_owned);
            assert!(!chinese.is_ascii(), "{}: {chinese}", kind.id);
        }
        for (id, ..) in ITEMS {
            assert!(KINDS.iter().any(|kind| kind.id == *id), "{id} is no item");
        }
    }
}
