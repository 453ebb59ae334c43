//! Everything that the reader decided about a run, as one plain value: what undo brings back, what Compare pins, what a
//! reload finds again.

use super::memory::Choice;
use super::ranges::Ranges;
use super::what_if::{Typed, shares_key};
use shardmem::estimate::DEFAULT_MEMORY_MODEL;
use shardmem::facts::controls::Control;
use std::sync::Arc;

/// The run as the reader left it. Equal values show equal pages, apart from what is only looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The train.yaml; lines end at `\n`, as the textarea keeps them.
    pub text: Arc<str>,
    /// Where the model comes from.
    pub model: ModelSource,
    /// The pasted config.json; kept while another source is in use.
    pub config: Arc<str>,
    /// The controls set, each at most once, in the order of setting.
    pub sets: Arc<[Typed]>,
    /// Whether the device count stays while degrees move.
    pub pinned: bool,
    /// Recompute by ranges of layers, in the place of what the file says.
    pub ranges: Option<Ranges>,
    /// The memory model's name.
    pub memory_model: &'static str,
    /// Policies that are not at their default, in the order of choosing; those of the other memory model too.
    pub policies: Arc<[Choice]>,
    /// A measured peak, as it was typed.
    pub measured: Arc<str>,
    /// The stage that was picked; where none was, the peak's is shown.
    pub stage: Option<usize>,
    /// What this is compared with; it has no baseline of its own.
    pub baseline: Option<Arc<Workspace>>,
    /// Whose it is; undo brings it back like the rest.
    pub origin: Origin,
}

/// Whose a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// The reader's own.
    #[default]
    Own,
    /// It came by a link. What becomes of it is kept beside the reader's own run, never in its place.
    Link,
}

/// Where the model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelSource {
    /// The file names or states it.
    #[default]
    File,
    /// A catalogue model, by id.
    Catalogue(Arc<str>),
    /// The pasted config.json.
    Config,
}

impl Workspace {
    /// A train.yaml as it stands.
    pub fn of(text: &str) -> Self {
        Self {
            text: unix_lines(text),
            model: ModelSource::File,
            config: Arc::default(),
            sets: Arc::default(),
            pinned: true,
            ranges: None,
            memory_model: DEFAULT_MEMORY_MODEL,
            policies: Arc::default(),
            measured: Arc::default(),
            stage: None,
            baseline: None,
            origin: Origin::Own,
        }
    }

    /// Sets a control; it counts as the last one set.
    pub fn set(&mut self, control: Control, text: &str) {
        if self.sets.iter().any(|set| set.control == control && set.text == text) {
            return;
        }
        self.keep_sets(|set| set.control != control && !shares_key(set.control, control));
        let set = Typed { control, text: text.to_owned() };
        self.sets = self.sets.iter().cloned().chain([set]).collect();
    }

    /// Gives a control back to the file.
    pub fn reset(&mut self, control: Control) {
        self.keep_sets(|set| set.control != control);
    }

    fn keep_sets(&mut self, keep: impl Fn(&&Typed) -> bool) {
        if !self.sets.iter().all(|set| keep(&set)) {
            self.sets = self.sets.iter().filter(keep).cloned().collect();
        }
    }

    /// The run without what is only looked at.
    #[must_use]
    pub fn decided(&self) -> Self {
        Self { stage: None, ..self.clone() }
    }

    /// How many settings differ from the file's.
    pub fn changed(&self) -> usize {
        self.sets.len() + usize::from(self.ranges.is_some())
    }

    /// Gives everything back to the file.
    pub fn reset_all(&mut self) {
        self.sets = Arc::default();
        self.ranges = None;
    }

    /// Its controls were written into its text and are the file's from now on. Ranges of layers stay: no text holds them.
    pub fn take_written(&mut self, text: Arc<str>) {
        self.text = text;
        self.sets = Arc::default();
    }

    /// A config.json was pasted or edited: it counts from now on; emptied, the file counts again.
    pub fn paste_config(&mut self, config: &str) {
        self.config = unix_lines(config);
        self.model = if config.trim().is_empty() { ModelSource::File } else { ModelSource::Config };
    }

    /// Puts another run in the place of this one; nothing that was set for this one counts for it, nor does a model chosen
    /// for it. A pasted config.json does, since it is pasted for files that name no known model.
    pub fn start_over(&mut self, text: &str) {
        self.text = unix_lines(text);
        self.reset_all();
        // What was measured was measured of another run.
        self.measured = Arc::default();
        self.stage = None;
        if matches!(self.model, ModelSource::Catalogue(_)) {
            self.model = ModelSource::File;
        }
    }

    /// Makes the present state the one to compare with.
    pub fn pin_baseline(&mut self) {
        let pinned = Self { baseline: None, stage: None, origin: Origin::Own, ..self.clone() };
        self.baseline = Some(Arc::new(pinned));
    }

    /// Makes the baseline the present state, and the present state the baseline.
    pub fn swap_baseline(&mut self) {
        if let Some(baseline) = self.baseline.take() {
            let Self { stage, origin, .. } = *self;
            self.pin_baseline();
            let present = self.baseline.take();
            *self = Self { baseline: present, stage, origin, ..(*baseline).clone() };
        }
    }
}

/// A textarea keeps `\n` alone; the places that the core finds must count the same characters.
pub fn unix_lines(text: &str) -> Arc<str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_a_textarea() {
        assert_eq!(&*unix_lines("\u{feff}a\r\nb\rc\n"), "a\nb\nc\n");
    }

    #[test]
    fn the_last_control_set_counts_last_and_a_device_is_its_memory() {
        let mut run = Workspace::of("");
        run.set(Control::Tp, "2");
        run.set(Control::Device, "a");
        run.set(Control::Tp, "4");
        run.set(Control::DeviceMemory, "64GB");
        let sets: Vec<(Control, &str)> = run.sets.iter().map(|set| (set.control, &*set.text)).collect();
        assert_eq!(sets, [(Control::Tp, "4"), (Control::DeviceMemory, "64GB")]);
        run.reset(Control::Tp);
        assert_eq!(run.sets.len(), 1);
    }

    #[test]
    fn another_run_takes_nothing_along_but_a_pasted_config() {
        let mut run = Workspace::of("a");
        run.set(Control::Tp, "2");
        run.paste_config("{}");
        run.start_over("b");
        assert_eq!(run, Workspace { config: "{}".into(), model: ModelSource::Config, ..Workspace::of("b") });
        run.model = ModelSource::Catalogue("x".into());
        run.start_over("c");
        assert_eq!(run.model, ModelSource::File);
    }

    #[test]
    fn swapping_twice_is_nothing_and_baselines_do_not_nest() {
        let mut run = Workspace::of("a");
        run.pin_baseline();
        run.set(Control::Tp, "2");
        run.stage = Some(3);
        let before = run.clone();
        run.swap_baseline();
        assert_eq!((run.sets.len(), run.stage), (0, Some(3)));
        assert_eq!(run.baseline.as_ref().map(|baseline| baseline.sets.len()), Some(1));
        assert!(run.baseline.as_ref().is_some_and(|baseline| baseline.baseline.is_none()));
        run.swap_baseline();
        assert_eq!(run, before);
    }
}
