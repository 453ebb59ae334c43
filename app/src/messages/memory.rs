//! What is said of the memory models and of a measured peak.

use super::Language;
use shardmem::memory::ledger;

/// The words.
#[expect(missing_docs, reason = "each field is named after what it says; the English table is its documentation")]
#[derive(Debug)]
pub struct Words {
    pub memory_model: &'static str,
    /// What a memory model follows, by its name.
    pub about: fn(&str) -> &'static str,
    /// The fold of its policies, and how many are chosen otherwise.
    pub policies: fn(&str, usize) -> String,
    pub ask: fn(&str) -> String,
    pub nothing: fn(&str) -> String,
    pub measured: &'static str,
}

/// The table of a language.
pub const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    }
}

static ENGLISH: Words = Words {
    memory_model: "Memory model",
    about: |name| {
        if name == ledger::NAME { "PyTorch FSDP2, tensor by tensor" } else { "HyperParallel's own estimator" }
    },
    policies: |name, chosen| match chosen {
        0 => ["Conventions of ", name].concat(),
        _ => format!("Conventions of {name}, {chosen} changed"),
    },
    ask: |name| format!("What does {name} say?"),
    nothing: |name| format!("{name} has no figure for this run."),
    measured: "Measured peak",
};

static CHINESE: Words = Words {
    memory_model: "显存模型",
    about: |name| {
        if name == ledger::NAME { "PyTorch FSDP2，逐张量" } else { "HyperParallel 的估算" }
    },
    policies: |name, chosen| match chosen {
        0 => [name, " 的约定"].concat(),
        _ => format!("{name} 的约定，{chosen} 项已更改"),
    },
    ask: |name| format!("{name} 的结果如何？"),
    nothing: |name| format!("{name} 无法计算此配置。"),
    measured: "实测峰值",
};
