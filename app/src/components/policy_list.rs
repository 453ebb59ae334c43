//! What a train.yaml does not say of the code that runs it: the policies of the memory model in force, each with its default;
//! and a measured peak. Late.

use crate::messages::policies::words;
use crate::state::memory::MemoryChoice;
use crate::view::{Element, html};
use shardmem::memory::{Chosen, Policy, PolicyValue, policies_of};
use shardmem::report::measured::{Measured, read};
use shardmem::report::messages::{Language, comparison, measurement};
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit};
use shardmem::report::{Other, Report};

/// The two memory models under choices by name; every default where one of them is unknown.
pub fn choose(name: &str, choices: &[(String, String)]) -> Chosen {
    let chosen = Chosen::of(name, choices).or_else(|_| Chosen::of(name, &[]));
    chosen.map_or_else(|_| Chosen::default(), |checked| checked.value)
}

/// The other memory model's figure in words; and what a device shows of the one in force, allocator included, by which it is
/// judged.
pub fn beside(report: &Report, other: &Other, unit: MemoryUnit, language: Language) -> String {
    let said = comparison(report, other, unit, language);
    let Some(band) = report.verdict.band else { return said };
    let [expected, high] = [band.expected, band.high].map(|bytes| amount_with_unit(bytes, unit, Decimals::One));
    said + &(words(language).with_allocator)(report.memory_model, &expected, &high)
}

/// A measured peak beside the prediction, in words; or that it cannot be read, and how it is written.
pub fn measured(text: &str, report: &Report, unit: MemoryUnit, language: Language) -> Result<String, String> {
    match read(text) {
        Some(amount) => Ok(measurement(&Measured::beside(amount, &report.verdict), unit, language)),
        None => Err(words(language).unreadable.to_owned()),
    }
}

/// Every policy of the memory model in force, with its value.
pub fn policy_list(memory: &MemoryChoice, language: Language) -> Element {
    let rows = policies_of(memory.name).iter().map(|policy| {
        let chosen = memory.policies.iter().find(|(name, _)| &**name == policy.id).map(|(_, value)| &**value);
        row(policy, chosen, language)
    });
    html("div").class("policy-list").children(rows)
}

fn row(policy: &Policy, chosen: Option<&str>, language: Language) -> Element {
    let words = words(language);
    let value = chosen.unwrap_or(policy.default_value());
    let current = policy.values.iter().find(|candidate| names(candidate, value)).unwrap_or(&policy.values[0]);
    let options = policy.values.iter().map(|candidate| {
        let id = candidate.id.trim_end_matches(":N");
        let text = if candidate.id == policy.default_value() { [id, words.default].concat() } else { id.to_owned() };
        html("option").attribute("value", candidate.id).text(text)
    });
    let id = ["policy-", policy.id].concat();
    let about = [&*id, "-about"].concat();
    let select = html("select")
        .class("field control-choice")
        .attribute("id", id.clone())
        .attribute("data-policy", policy.id)
        .attribute("aria-describedby", about.clone())
        .value(current.id)
        .children(options);
    let number = value.split_once(':').map(|(_, number)| number).filter(|_| current.id.ends_with(":N"));
    let number = number.map(|number| {
        html("input")
            .class("field control-typed")
            .attribute("type", "number")
            .attribute("min", "1")
            .attribute("data-policy-number", policy.id)
            .attribute("aria-label", words.tokens)
            .value(number.to_owned())
    });
    let is_set = chosen.is_some();
    let reset = html("button")
        .attribute("type", "button")
        .class(if is_set { "action" } else { "action absent" })
        .attribute("data-policy-reset", policy.id)
        .attribute("aria-label", [words.reset, " ", policy.id].concat())
        .text("↺");
    html("div")
        .class(if is_set { "policy changed" } else { "policy" })
        .attribute("data-policy-row", policy.id)
        .attribute("data-value", value.to_owned())
        .child(html("label").attribute("for", id).child(html("code").text(policy.id)))
        .child(html("span").class("policy-choice").child(reset).children(number).child(select))
        .child(
            html("p")
                .class("control-note control-reason")
                .attribute("id", about)
                .text((words.policy)(policy))
                .text(": ")
                .text((words.value)(policy, current)),
        )
}

/// Whether a value as it is written is this one.
fn names(candidate: &PolicyValue, written: &str) -> bool {
    match candidate.id.strip_suffix(":N") {
        Some(stem) => written.split_once(':').is_some_and(|(name, _)| name == stem),
        None => candidate.id == written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::memory::written;
    use shardmem::memory::MemoryModel;

    #[test]
    fn every_policy_of_both_models_is_said_in_both_languages() {
        for name in MemoryModel::NAMES {
            for policy in policies_of(name) {
                for value in policy.values {
                    let chinese = words(Language::Chinese);
                    assert!(!(chinese.policy)(policy).is_ascii(), "{}", policy.id);
                    assert!(!(chinese.value)(policy, value).is_ascii(), "{} {}", policy.id, value.id);
                    let english = words(Language::English);
                    assert!((english.policy)(policy).is_ascii() && (english.value)(policy, value).is_ascii());
                }
            }
        }
    }

    #[test]
    fn a_choice_is_understood_as_it_is_written() {
        for name in MemoryModel::NAMES {
            for policy in policies_of(name) {
                for value in policy.values {
                    let choice = (policy.id.to_owned(), written(value.id));
                    let chosen = Chosen::of(name, &[choice]).expect("known").value.in_force;
                    let named = chosen.policies();
                    let (_, value_in_force) = named.iter().find(|(id, _)| *id == policy.id).expect("listed");
                    assert!(names(value, value_in_force), "{} {}", policy.id, value.id);
                }
            }
        }
        assert_eq!(choose("fsdp2", &[("norm".to_owned(), "x".to_owned())]), choose("fsdp2", &[]));
        assert_eq!(choose("fsdp2", &[]).in_force.name(), "fsdp2");
    }
}
