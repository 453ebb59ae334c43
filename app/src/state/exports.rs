//! The run as it is taken away: as text for the clipboard, as a file, as a picture.

use super::estimate::RunRead;
use super::memory::pairs;
use super::ranges;
use super::written::{overrides, written};
use super::{ModelSource, Shown, Workspace};
use crate::messages::Messages;
use shardmem::estimate::{Input, ModelChoice, compared};
use shardmem::facts::execution::with_ranges;
use shardmem::facts::{RecomputeRange, Unwritten};
use shardmem::report::exports::{CommandLine, ModelArgument, Words, csv, markdown, picture};
use shardmem::report::number::MemoryUnit;
use shardmem::report::{json, measured};
use std::sync::Arc;

/// What the files are called, where a command names them.
pub const RUN_FILE: &str = "train.yaml";
const CONFIG_FILE: &str = "config.json";
/// What holds the ranges of layers.
pub const EXECUTION_FILE: &str = "execution.yaml";

/// What can be taken away as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// The train.yaml with the controls written into it.
    Yaml,
    /// The ranges of layers, as an execution spec.
    Execution,
    /// The verdict and the tables.
    Markdown,
    /// What the command prints with `--format json`.
    Json,
    /// A line per stage and item.
    Csv,
    /// The command that gives the same estimate.
    Command,
    /// The chart, as SVG.
    Picture,
}

/// How a piece is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the clipboard.
    Copy,
    /// As a file.
    Save,
    /// As a file, drawn in pixels.
    SavePng,
}

/// What can be taken, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The stable name: `data-take`.
    pub name: &'static str,
    /// What.
    pub piece: Piece,
    /// How.
    pub way: Way,
    /// What the file is called; empty where there is none.
    pub file: &'static str,
    /// What kind of file it is.
    pub kind: &'static str,
}

impl Entry {
    /// Everything, in the order of the menu.
    pub const ALL: [Self; 9] = [
        Self::copy("yaml", Piece::Yaml),
        Self::copy("execution", Piece::Execution),
        Self::copy("markdown", Piece::Markdown),
        Self::copy("json", Piece::Json),
        Self::copy("csv", Piece::Csv),
        Self::copy("command", Piece::Command),
        Self { name: "save-yaml", piece: Piece::Yaml, way: Way::Save, file: RUN_FILE, kind: "application/yaml" },
        Self {
            name: "save-svg",
            piece: Piece::Picture,
            way: Way::Save,
            file: "shardmem-stages.svg",
            kind: "image/svg+xml",
        },
        Self {
            name: "save-png",
            piece: Piece::Picture,
            way: Way::SavePng,
            file: "shardmem-stages.png",
            kind: "image/png",
        },
    ];

    const fn copy(name: &'static str, piece: Piece) -> Self {
        Self { name, piece, way: Way::Copy, file: "", kind: "" }
    }

    /// The entry of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|entry| entry.name == name)
    }
}

/// What a piece needs of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// A text that can be read.
    Text,
    /// Ranges of layers that can be read.
    Ranges,
    /// Figures.
    Figures,
    /// Controls that the run takes: what would be taken away without one that it refuses is another run.
    Controls,
}

/// Why a piece cannot be had.
#[derive(Debug, Clone, PartialEq)]
pub enum Missing {
    /// The run does not have what it needs.
    Need(Need),
    /// What is set cannot be written into the text.
    Unwritten(Unwritten),
}

impl Piece {
    /// What it needs before all; nothing where it can be had of any run.
    const fn need(self) -> Option<Need> {
        match self {
            Self::Yaml => Some(Need::Text),
            Self::Execution => Some(Need::Ranges),
            Self::Markdown | Self::Csv | Self::Picture => Some(Need::Figures),
            Self::Json | Self::Command => None,
        }
    }
}

/// A run, read to be taken away.
pub struct Export<'a> {
    run: &'a Workspace,
    read: RunRead,
}

impl<'a> Export<'a> {
    /// Reads a run.
    pub fn of(run: &'a Workspace) -> Self {
        Self { run, read: RunRead::of(run) }
    }

    /// Whether the run has what a piece needs.
    pub fn has(&self, need: Need) -> bool {
        match need {
            Need::Text => self.read.document.value().is_some(),
            Need::Ranges => self.ranges().is_some(),
            Need::Figures => self.read.outcome.shown.is_some(),
            Need::Controls => !self.read.reading.applied.is_refused(),
        }
    }

    /// What the run does not have that a piece needs.
    pub fn missing(&self, piece: Piece) -> Option<Need> {
        let states_the_run = matches!(piece, Piece::Yaml | Piece::Json | Piece::Command);
        let needs = piece.need().into_iter().chain(states_the_run.then_some(Need::Controls));
        needs.into_iter().find(|need| !self.has(*need))
    }

    /// A piece, in the words of a language.
    pub fn piece(&self, piece: Piece, unit: MemoryUnit, stage: &str, say: &Messages) -> Result<String, Missing> {
        if self.missing(piece) == Some(Need::Controls) {
            return Err(Missing::Need(Need::Controls));
        }
        match piece {
            Piece::Yaml => written(self.run).map(|text| text.to_string()).map_err(Missing::Unwritten),
            Piece::Execution => self.execution().ok_or(Missing::Need(Need::Ranges)),
            Piece::Json => Ok(format!("{}\n", json::to_string(&compared(&self.input()).json()))),
            Piece::Command => Ok(format!("{}\n", self.command())),
            Piece::Markdown | Piece::Csv | Piece::Picture => {
                let shown = self.read.outcome.shown.as_ref().ok_or(Missing::Need(Need::Figures))?;
                Ok(self.figures(piece, shown, unit, stage, say))
            }
        }
    }

    fn figures(&self, piece: Piece, shown: &Shown, unit: MemoryUnit, stage: &str, say: &Messages) -> String {
        let report = shown.report();
        let heading = self.heading(&(say.verdict)(&report.verdict, unit), say);
        let words = Words { heading: &heading, category: say.category, capacity: say.legend_capacity, stage, unit };
        let last = report.stages.len().saturating_sub(1);
        match piece {
            Piece::Csv => csv(report),
            Piece::Picture => picture(report, words),
            Piece::Yaml | Piece::Execution | Piece::Markdown | Piece::Json | Piece::Command => {
                let picked = self.run.stage.map_or(report.verdict.stage, |stage| stage.min(last));
                markdown(report, picked, words)
            }
        }
    }

    /// Model, devices, memory model, verdict: who reads it elsewhere has no page around it.
    fn heading(&self, verdict: &str, say: &Messages) -> String {
        let Some(last) = &self.read.reading.last else { return verdict.to_owned() };
        let identity = &last.identity;
        let model = identity.model.rsplit('/').next().unwrap_or_default();
        [model, &(say.devices)(identity.devices), self.run.memory_model, verdict].join(" · ")
    }

    /// The run as the command line takes it.
    pub fn input(&self) -> Input {
        let model = match &self.run.model {
            ModelSource::File => ModelChoice::Named,
            ModelSource::Catalogue(id) => ModelChoice::Catalogue(id.clone()),
            ModelSource::Config => ModelChoice::Config(self.run.config.clone()),
        };
        let input = Input {
            text: self.run.text.clone(),
            model,
            overrides: overrides(self.run),
            memory_model: self.run.memory_model.into(),
            policies: pairs(&self.run.policies),
            measured: self.measured(),
            ..Input::of("")
        };
        match self.ranges() {
            Some(ranges) => input.with_ranges(&ranges),
            None => input,
        }
    }

    /// The command that makes the same estimate of the file as it stands in the editor.
    fn command(&self) -> String {
        let overrides = overrides(self.run);
        let model = match &self.run.model {
            ModelSource::File => ModelArgument::Named,
            ModelSource::Catalogue(id) => ModelArgument::Catalogue(id),
            ModelSource::Config => ModelArgument::Config(CONFIG_FILE),
        };
        let policies = pairs(&self.run.policies);
        let measured = self.measured();
        let is_default = self.run.memory_model == shardmem::estimate::DEFAULT_MEMORY_MODEL;
        CommandLine {
            file: RUN_FILE,
            model,
            execution: self.ranges().map(|_| EXECUTION_FILE),
            devices: None,
            overrides: &overrides,
            memory_model: (!is_default).then_some(self.run.memory_model),
            policies: &policies,
            measured: measured.as_deref(),
        }
        .line()
    }

    /// The measured peak, where there is one that can be read.
    fn measured(&self) -> Option<Arc<str>> {
        measured::read(&self.run.measured).map(|_| self.run.measured.clone())
    }

    /// The ranges of layers as an execution spec.
    fn execution(&self) -> Option<String> {
        self.ranges().map(|ranges| with_ranges("", &ranges))
    }

    fn ranges(&self) -> Option<Arc<[RecomputeRange]>> {
        ranges::read(self.run.ranges.as_ref()?).ok().map(|ranges| ranges.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;
    use crate::state::Sample;
    use shardmem::estimate::{Outcome, estimate};
    use shardmem::facts::controls::Control;
    use shardmem::report::messages::Language;
    use shardmem::report::number::shortest;

    fn changed() -> Workspace {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.set(Control::Tp, "2");
        run.set(Control::Recompute, "selective");
        run
    }

    fn piece(run: &Workspace, piece: Piece) -> Result<String, Missing> {
        Export::of(run).piece(piece, MemoryUnit::Gib, "stage", messages::of(Language::English))
    }

    fn peak(run: &Workspace) -> String {
        let read = RunRead::of(run);
        shortest(read.outcome.shown.expect("figures").report().verdict.peak.value())
    }

    #[test]
    fn json_is_what_the_command_prints_for_the_same_input() {
        let mut run = changed();
        for model in [ModelSource::File, ModelSource::Catalogue("deepseek-ai/DeepSeek-V2".into())] {
            run.model = model;
            let text = piece(&run, Piece::Json).expect("always");
            // As the command reads its arguments: every override from its own text.
            let export = Export::of(&run);
            let mut input = Input { overrides: shardmem::facts::Overrides::none(), ..export.input() };
            for (path, value) in export.input().overrides.settings() {
                input.overrides.set_text(&path, &value).expect("a value");
            }
            assert_eq!(text, format!("{}\n", json::to_string(&compared(&input).json())));
            assert!(text.contains(&format!("\"bytes\":{}", peak(&run))), "the page's own peak");
            assert!(text.starts_with("{\"schema\":1,\"version\":"));
        }
    }

    #[test]
    fn ranges_travel_as_an_execution_spec() {
        let mut run = changed();
        assert_eq!(piece(&run, Piece::Execution), Err(Missing::Need(Need::Ranges)));
        run.ranges = Some(ranges::with_row_added(&ranges::of_config(&crate::state::outcome::config_of(&run)), 61));
        let text = piece(&run, Piece::Execution).expect("ranges");
        assert!(text.starts_with("recompute: ["), "{text}");
        let Outcome::Ready(ready) = estimate(&Export::of(&run).input()) else { panic!("an estimate") };
        assert_eq!(shortest(ready.report.verdict.peak.value()), peak(&run));
        let command = piece(&run, Piece::Command).expect("always");
        assert!(command.contains(" --exec execution.yaml --set "), "{command}");
        let by_hand = Input { exec: Some(text.into()), ..Export::of(&run).input() };
        assert_eq!(estimate(&by_hand).json(), estimate(&Export::of(&run).input()).json());
    }

    #[test]
    fn every_piece_says_what_the_page_says() {
        let run = changed();
        let markdown = piece(&run, Piece::Markdown).expect("figures");
        assert!(markdown.starts_with("**DeepSeek-V3 · 512 devices · sapp\\_nd · "), "{markdown}");
        assert!(piece(&run, Piece::Csv).expect("figures").starts_with("stage,layers,"));
        assert!(piece(&run, Piece::Picture).expect("figures").contains("DeepSeek-V3 · 512 devices"));
        let command = piece(&run, Piece::Command).expect("always");
        assert!(command.starts_with("shardmem estimate train.yaml --set accelerator.tp_size=2 --set "), "{command}");
        assert!(piece(&run, Piece::Yaml).expect("a text").contains("mode: selective"));
        let mut config = run;
        config.paste_config("{\"model_type\": \"llama\"}");
        assert!(piece(&config, Piece::Command).expect("always").contains(" --config config.json"));
    }

    #[test]
    fn a_run_with_a_refused_control_is_not_handed_out_without_it() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.set(Control::Ep, "16");
        run.set(Control::Tp, "3");
        assert!(RunRead::of(&run).reading.applied.is_refused());
        for of in [Piece::Yaml, Piece::Json, Piece::Command] {
            assert_eq!(piece(&run, of), Err(Missing::Need(Need::Controls)));
            assert_eq!(Export::of(&run).missing(of), Some(Need::Controls));
        }
        run.reset(Control::Tp);
        assert!(piece(&run, Piece::Json).is_ok());
    }

    #[test]
    fn a_broken_run_gives_what_it_has() {
        let mut run = Workspace::of("model: [");
        assert_eq!(piece(&run, Piece::Markdown), Err(Missing::Need(Need::Figures)));
        assert!(matches!(piece(&run, Piece::Yaml), Ok(_) | Err(Missing::Unwritten(_))));
        assert!(piece(&run, Piece::Json).expect("a refusal has JSON").contains("\"stages\":null"));
        run.text = "".into();
        assert!(!Export::of(&run).has(Need::Text) && piece(&run, Piece::Command).is_ok());
    }
}
