//! What is set, written into the train.yaml: what would differ in it, and the text.

use super::Workspace;
use super::compare::{KeyChange, differences};
use super::estimate::RunRead;
use super::workspace::unix_lines;
use shardmem::facts::{self, Overrides, Unwritten};
use std::sync::Arc;

/// Whether what is set can be written into the text, as far as that is known without trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writable {
    /// It can be tried.
    Yes,
    /// No control is set.
    NothingSet,
    /// Ranges of layers alone are set: no train.yaml has a place for them (config-spec 4.8).
    RangesOnly,
    /// The run has an error: nobody knows its figures, so nobody could say that they stay.
    Broken,
}

impl Writable {
    /// Of a run whose figures are current or not.
    pub fn of(run: &Workspace, is_current: bool) -> Self {
        match (run.sets.is_empty(), run.ranges.is_some()) {
            (true, false) => Self::NothingSet,
            (true, true) => Self::RangesOnly,
            (false, _) if is_current => Self::Yes,
            (false, _) => Self::Broken,
        }
    }
}

/// The controls in force, as overrides of the text; none while the text cannot be read.
pub(super) fn overrides(run: &Workspace) -> Overrides {
    RunRead::of(run).reading.applied.overrides
}

/// The run's text with its controls written into it by the smallest edit. Ranges of layers are not written: no train.yaml has
/// a place for them.
pub fn written(run: &Workspace) -> Result<Arc<str>, Unwritten> {
    facts::apply(&run.text, &overrides(run)).map(|text| unix_lines(&text))
}

/// What the text states now and would state then, key by key.
pub fn pending(run: &Workspace) -> Vec<KeyChange> {
    let file = Workspace { sets: Arc::default(), ranges: None, ..run.clone() };
    differences(&file, &Workspace { ranges: None, ..run.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::control_view::text;
    use crate::state::outcome::Shown;
    use crate::state::what_if::GROUPS;
    use crate::state::{ModelSource, Sample, ranges};
    use shardmem::facts::controls::Control;

    const YAMLS: [&str; 6] = [
        include_str!("../../../tests/yamls/mf_pretrain_telechat3_105b_a4b_4k.yaml"),
        include_str!("../../../tests/yamls/dryrun_ep_explicit.yaml"),
        include_str!("../../../tests/yamls/glm5.yaml"),
        include_str!("../../../tests/yamls/qwen3_5_9b_base_vlm.yaml"),
        include_str!("../../../tests/yamls/qwen3_moe_recipe.yaml"),
        include_str!("../../../tests/yamls/qwen3_vl_pp_mpipe.yaml"),
    ];

    fn texts() -> impl Iterator<Item = &'static str> {
        Sample::ALL.into_iter().map(|sample| sample.text).chain(YAMLS)
    }

    fn apply(run: &mut Workspace) {
        let text = written(run).expect("it can be written");
        run.take_written(text);
    }

    /// The report, and what the controls stand at.
    fn figures(run: &Workspace) -> Option<(Shown, Vec<String>)> {
        let read = RunRead::of(run);
        let facts = read.reading.facts.value()?.clone();
        let controls = GROUPS.iter().flat_map(|group| group.controls);
        Some((read.outcome.shown?, controls.map(|control| text(&control.setting(&facts))).collect()))
    }

    #[test]
    fn figures_stay_to_the_bit_whatever_is_set() {
        let mut checked = 0;
        for text in texts() {
            for (at, sets) in several_controls(text).into_iter().enumerate() {
                let mut run = Workspace::of(text);
                for (control, value) in &sets {
                    run.set(*control, value);
                }
                let Some(before) = figures(&run) else { continue };
                let unset = run.clone();
                apply(&mut run);
                assert_eq!(figures(&run).as_ref(), Some(&before), "{at} {sets:?}");
                assert_eq!(run.changed(), 0);
                assert_eq!(pending(&run), []);
                let lines = |text: &str| text.lines().count();
                assert!(lines(&run.text) >= lines(&unset.text));
                checked += 1;
            }
        }
        assert!(checked > 100, "{checked}");
    }

    /// Every single value of every control, and each with values of the two controls behind it.
    fn several_controls(text: &str) -> Vec<Vec<(Control, String)>> {
        let read = RunRead::of(&Workspace::of(text));
        let Some(facts) = read.reading.facts.value() else { return Vec::new() };
        let all = Control::ALL;
        let value = |control: Control, at: usize| {
            let values = control.values(facts);
            let setting = values.get(at % values.len().max(1))?;
            Some((control, super::super::control_view::text(setting)))
        };
        let sets = (0..all.len()).flat_map(|first| {
            (0..4).map(move |at| {
                let controls = [first, first + 5, first + 11].map(|index| all[index % all.len()]);
                controls.into_iter().enumerate().filter_map(|(step, control)| value(control, at + step)).collect()
            })
        });
        sets.collect()
    }

    #[test]
    fn ranges_stay_set_and_so_do_the_figures() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.ranges = Some(ranges::with_row_added(&ranges::of_config(&crate::state::outcome::config_of(&run)), 61));
        assert_eq!(Writable::of(&run, true), Writable::RangesOnly);
        run.set(Control::Ep, "16");
        assert_eq!((Writable::of(&run, true), Writable::of(&run, false)), (Writable::Yes, Writable::Broken));
        let before = figures(&run);
        assert_eq!(pending(&run).len(), 1);
        apply(&mut run);
        assert_eq!((figures(&run), run.changed()), (before, 1));
        assert_eq!(&*run.text, Sample::OPENING.text.replace("ep_size: 8", "ep_size: 16"));
    }

    #[test]
    fn a_chosen_model_stays_chosen() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.model = ModelSource::Catalogue("deepseek-ai/DeepSeek-V2".into());
        run.set(Control::Pp, "4");
        let before = figures(&run);
        apply(&mut run);
        assert_eq!(figures(&run), before);
        assert!(before.is_some());
    }
}
