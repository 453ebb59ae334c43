//! What a reader can do about a finding with one step, as data: the page makes buttons of it. `messages` says the same in
//! words.

use crate::diagnostics::{Argument, Code, Diagnostic, Help};
use crate::provenance::KeyPath;

/// One step that takes a reader on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Read the file with this catalogue model (`--model ID`); the origin of its dimensions is then *chosen by you*.
    UseModel(String),
    /// Pick a model of the catalogue.
    PickModel,
    /// Give the model's config.json (`--config FILE`).
    PasteConfig,
    /// Read the file without these keys: `Overrides::leave_out` lays their section without them over the text.
    LeaveOut(Vec<KeyPath>),
}

/// Findings about a model that cannot be read, whichever way it is given.
const WITHOUT_MODEL: [Code; 7] = [
    Code::ModelUnstated,
    Code::ModelUnknown,
    Code::HfConfigUnresolved,
    Code::HfConfigUnread,
    Code::SpecRequiredMissing,
    Code::VisionMissing,
    Code::Fragment,
];

/// The steps for a finding, the nearest first; none where the text has to be mended.
pub fn actions(finding: &Diagnostic) -> Vec<Action> {
    let mut actions: Vec<Action> = near_model(finding).map(Action::UseModel).into_iter().collect();
    if WITHOUT_MODEL.contains(&finding.code) {
        actions.extend([Action::PickModel, Action::PasteConfig]);
    }
    if finding.code == Code::SpecUnknownKey {
        actions.extend(unknown_keys(finding).map(Action::LeaveOut));
    }
    actions
}

fn near_model(finding: &Diagnostic) -> Option<String> {
    match &finding.help {
        Some(Help::UseDimensionsOf(id)) => Some(id.clone()),
        Some(Help::Nearest(id)) if finding.code == Code::ModelUnknown => Some(id.clone()),
        Some(Help::Nearest(_) | Help::OneOf(_) | Help::NearestValues(_) | Help::State(_) | Help::BelongsTo(_))
        | None => None,
    }
}

/// The keys that a finding lists, beside the one it stands at.
fn unknown_keys(finding: &Diagnostic) -> Option<Vec<KeyPath>> {
    let section = finding.place.key_path()?.parent();
    match finding.arguments.first()? {
        Argument::List(names) => Some(names.iter().map(|name| section.key(name)).collect()),
        Argument::Integer(_) | Argument::Number(_) | Argument::Text(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Place;
    use crate::provenance::Source;

    #[test]
    fn a_missing_model_can_be_taken_picked_or_pasted() {
        let finding = Diagnostic::new(Code::HfConfigUnresolved, Place::Whole);
        assert_eq!(actions(&finding), [Action::PickModel, Action::PasteConfig]);
        let near = finding.help(Help::UseDimensionsOf("a/b".into()));
        assert_eq!(actions(&near), [Action::UseModel("a/b".into()), Action::PickModel, Action::PasteConfig]);
        assert_eq!(actions(&Diagnostic::new(Code::NotInteger, Place::Whole)), []);
    }

    #[test]
    fn unknown_keys_can_be_left_out() {
        let section = KeyPath::parse("model.config_overrides");
        let finding = Diagnostic::new(Code::SpecUnknownKey, Place::Key(Source::Run, section.key("b")))
            .with(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(actions(&finding), [Action::LeaveOut(vec![section.key("a"), section.key("b")])]);
    }
}
