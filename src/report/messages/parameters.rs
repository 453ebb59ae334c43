//! The parameters of a model beside what the reference counts.

use super::table::Language;
use crate::model::tensors::Sureness;
use crate::report::number::parameters;
use crate::report::{Cause, ParameterNote};

/// The words of a language; `{}` stands for a number.
struct Words {
    total: &'static str,
    active: &'static str,
    inferred: &'static str,
    same: &'static str,
    more: &'static str,
    fewer: &'static str,
    comma: &'static str,
    cause: fn(Cause) -> &'static str,
}

const ENGLISH: Words = Words {
    total: "{} parameters",
    active: ", {} active",
    inferred: " (inferred from its dimensions)",
    same: "; the reference counts the same",
    more: "; the reference counts {} more: ",
    fewer: "; the reference counts {} fewer: ",
    comma: ", ",
    cause: english,
};

const CHINESE: Words = Words {
    total: "参数量 {}",
    active: "，激活 {}",
    inferred: "（由维度推断）",
    same: "；参考实现的计数相同",
    more: "；参考实现多计 {}：",
    fewer: "；参考实现少计 {}：",
    comma: "，",
    cause: chinese,
};

/// The model's parameters beside the reference's, as one phrase: how many it has, and what the reference counts besides.
pub fn parameter_note(note: &ParameterNote, language: Language) -> String {
    let words = match language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let number = |template: &str, count: f64| template.replace("{}", &parameters(count));
    let mut text = number(words.total, note.count.total as f64);
    if note.count.active != note.count.total {
        text.push_str(&number(words.active, note.count.active as f64));
    }
    if note.sureness == Sureness::Inferred {
        text.push_str(words.inferred);
    }
    if note.differences.is_empty() {
        return text + words.same;
    }
    let difference = note.difference();
    text.push_str(&number(if difference < 0.0 { words.fewer } else { words.more }, difference.abs()));
    let causes = note.differences.iter().map(|difference| {
        let sign = if difference.parameters > 0.0 { " +" } else { " " };
        [(words.cause)(difference.cause), sign, &parameters(difference.parameters)].concat()
    });
    text + &causes.collect::<Vec<_>>().join(words.comma)
}

const fn english(cause: Cause) -> &'static str {
    match cause {
        Cause::Prediction => "multi-token prediction",
        Cause::OutputBias => "bias of the output table",
        Cause::Tables => "tables",
        Cause::AttentionBiases => "attention biases",
        Cause::FeedForwardBiases => "feed-forward biases",
        Cause::Norms => "norms",
        Cause::Tower => "vision tower",
        Cause::Attention => "attention maps",
        Cause::FeedForward => "feed-forward maps",
        Cause::Experts => "experts",
    }
}

const fn chinese(cause: Cause) -> &'static str {
    match cause {
        Cause::Prediction => "多词元预测",
        Cause::OutputBias => "输出表的偏置",
        Cause::Tables => "词表",
        Cause::AttentionBiases => "注意力偏置",
        Cause::FeedForwardBiases => "前馈偏置",
        Cause::Norms => "归一化",
        Cause::Tower => "视觉塔",
        Cause::Attention => "注意力矩阵",
        Cause::FeedForward => "前馈矩阵",
        Cause::Experts => "专家",
    }
}
