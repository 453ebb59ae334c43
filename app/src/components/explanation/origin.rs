//! Where a number comes from: the line that states it, the control that sets it, the default or the rule that gives it.

use crate::messages::Messages;
use crate::messages::explain::Words;
use crate::state::explaining::Grounds;
use crate::view::{Element, html};
use shardmem::facts::controls::Control;
use shardmem::provenance::{KeyPath, Origin, Source};
use shardmem::report::messages::explained;

/// An origin; a line of one of the page's texts leads to it, and a control too.
pub(super) fn origin(from: &Origin, grounds: &Grounds<'_>, words: &Words, say: &Messages) -> Element {
    let place = |place: &str| explained::reference(place, say.spoken);
    let with = |said: &str, place_of: &str| [said, " · ", &place(place_of)].concat();
    match from {
        Origin::Key(source, path) => key(*source, path, grounds, words),
        Origin::Override(path) => overridden(path, grounds, words, say),
        Origin::TrainerDefault(rule) => said("trainer-default", with(words.trainer_default, rule)),
        Origin::FamilyDefault(family) => said("family-default", words.family_default.replace("{}", family)),
        Origin::ChosenModel(model) => said("chosen-model", words.chosen_model.replace("{}", model)),
        Origin::Rule(rule) => said("rule", with(words.rule, rule)),
        Origin::Constant(constant) => said("constant", with(words.constant, constant)),
        Origin::Caller => said("caller", words.caller.to_owned()),
    }
}

fn said(kind: &'static str, text: String) -> Element {
    html("span").class("explain-origin").attribute("data-origin", kind).text(text)
}

fn button(kind: &'static str, text: String) -> Element {
    html("button").attribute("type", "button").class("explain-origin").attribute("data-origin", kind).text(text)
}

fn key(source: Source, path: &KeyPath, grounds: &Grounds<'_>, words: &Words) -> Element {
    let name = path.last_key().unwrap_or_default();
    let filled = |template: &str, first: &str| template.replacen("{}", first, 1).replacen("{}", name, 1);
    let Some(line) = grounds.line(source, path) else {
        return match (source, &grounds.facts.model.catalogue_id) {
            (Source::Execution, _) => said("key", words.ranges.replace("{}", name)),
            (Source::Model, Some(model)) => said("key", filled(words.config_of, model)),
            (Source::Run | Source::Model, _) => said("key", words.config.replace("{}", name)),
        };
    };
    let (template, jump) = match source {
        Source::Model => (words.config_line, "config"),
        Source::Run | Source::Execution => (words.line, "run"),
    };
    button("key", filled(template, &line.to_string()))
        .attribute("data-jump", jump)
        .attribute("data-path", path.to_string())
        .attribute("data-line", line.to_string())
        .attribute("title", path.to_string())
}

fn overridden(path: &KeyPath, grounds: &Grounds<'_>, words: &Words, say: &Messages) -> Element {
    match Control::of_key(path, grounds.facts) {
        Some(control) => button("override", words.control.replace("{}", (say.control)(control)))
            .attribute("data-jump", "control")
            .attribute("data-path", control.name()),
        None => said("override", words.overridden.replace("{}", &path.to_string())),
    }
}
