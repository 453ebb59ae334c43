//! Doing what was asked: files in, text and exit status out.

use crate::arguments::{self, Command, Format, InputFile};
use crate::{complain, output};
use shardmem::diagnostics::{Code, Diagnostic, Help};
use shardmem::document;
use shardmem::estimate::why::{Question, Untold, explain};
use shardmem::estimate::{Found, Input, ModelChoice, Outcome, Ready, compared, models};
use shardmem::facts::Overrides;
use shardmem::memory::reference::explained_ids;
use shardmem::provenance::{KeyPath, Source};
use shardmem::report::messages::Language;
use shardmem::report::why::lines;
use shardmem::report::{Fits, json, messages};
use shardmem::text::LineIndex;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// How the command ends (DESIGN 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// An estimate was made, or a question answered.
    Made,
    /// The input was refused.
    Refused,
    /// Wrong usage.
    Usage,
    /// `--check`, and it does not fit.
    DoesNotFit,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Made => 0,
            Exit::Refused => 1,
            Exit::Usage => 2,
            Exit::DoesNotFit => 3,
        })
    }
}

/// Runs a command: what goes to standard output, and how it ends.
pub(crate) fn run(command: &Command) -> (String, Exit) {
    match command {
        Command::Help => (format!("{}\n", arguments::HELP), Exit::Made),
        Command::Version => (format!("shardmem {}\n", shardmem::VERSION), Exit::Made),
        Command::Models(format) => (catalogue(*format), Exit::Made),
        Command::Estimate(asked) => printed(answer(asked)),
        Command::Explain(asked, question) => printed(explanation(asked, question)),
    }
}

fn printed(answered: Result<(String, Exit), Stop>) -> (String, Exit) {
    answered.unwrap_or_else(|Stop { said, exit }| {
        complain(&said);
        (String::new(), exit)
    })
}

/// Why there is nothing to print.
struct Stop {
    said: String,
    exit: Exit,
}

fn usage(said: &str) -> Stop {
    Stop { said: format!("shardmem: {said}\n"), exit: Exit::Usage }
}

fn catalogue(format: Format) -> String {
    let models = models();
    match format {
        Format::Json | Format::Yaml => format!("{}\n", json::to_string(&models)),
        Format::Table => output::models(&models),
    }
}

/// One figure of an estimate, explained.
fn explanation(asked: &arguments::Estimate, question: &Question) -> Result<(String, Exit), Stop> {
    let names = Names::of(asked);
    let explained = explain(&input(asked, &names)?, question);
    if let Some(found) = explained.findings.iter().find(|found| is_usage(found.diagnostic.code)) {
        return Err(usage(&found.message()));
    }
    complain(&diagnostics(&explained.findings, &names));
    let untold = match &explained.answer {
        Ok(_) | Err(Untold::Refused) => None,
        Err(Untold::NoStage(count)) => Some(format!("--stage: expected one of {count} stages, counted from 0")),
        Err(Untold::NoInstant(instants)) => Some(format!("--instant: expected {} here", instants.join(" or "))),
        Err(Untold::NoItem) => {
            let known: Vec<&str> = explained_ids().collect();
            Some(format!("--item: expected one of {}; got {}", known.join(", "), question.item))
        }
        Err(Untold::NoFormula) => {
            Some("--memory-model: fsdp2 lists tensors, and none of its figures is a formula; estimate --format json has them".to_owned())
        }
        Err(Untold::TooLong) => Some("the stage holds too many different layers to be explained".to_owned()),
    };
    if let Some(untold) = untold {
        return Err(usage(&untold));
    }
    let exit = if explained.answer.is_ok() { Exit::Made } else { Exit::Refused };
    let text = match (asked.format, exit) {
        (Format::Json | Format::Yaml, _) => format!("{}\n", json::to_string(&explained.json)),
        (Format::Table, Exit::Made) => lines(&explained.json, Language::English, &|source| names.of_source(source)),
        (Format::Table, _) => String::new(),
    };
    Ok((text, exit))
}

fn answer(asked: &arguments::Estimate) -> Result<(String, Exit), Stop> {
    let names = Names::of(asked);
    let outcome = compared(&input(asked, &names)?);
    if let Some(found) = outcome.findings().iter().find(|found| is_usage(found.diagnostic.code)) {
        return Err(usage(&said(found)));
    }
    complain(&diagnostics(outcome.findings(), &names));
    let text = match (asked.format, &outcome) {
        (Format::Json, _) => format!("{}\n", json::to_string(&outcome.json())),
        (Format::Yaml, _) => document::to_yaml(&outcome.json()),
        (Format::Table, Outcome::Ready(ready)) => output::table(&heading(ready, &names), &ready.report),
        (Format::Table, Outcome::Rejected(_)) => String::new(),
    };
    let exit = match &outcome {
        Outcome::Rejected(_) => Exit::Refused,
        Outcome::Ready(ready) if asked.check && ready.report.verdict.fits != Fits::Yes => Exit::DoesNotFit,
        Outcome::Ready(_) => Exit::Made,
    };
    Ok((text, exit))
}

/// What is wrong with the options, not with the input.
const fn is_usage(code: Code) -> bool {
    matches!(code, Code::MemoryModelUnknown | Code::PolicyUnknown | Code::PolicyValueUnknown | Code::MeasuredUnreadable)
}

/// What the texts are called in diagnostics.
struct Names {
    run: String,
    model: String,
    exec: String,
}

impl Names {
    fn of(asked: &arguments::Estimate) -> Self {
        let run = match &asked.file {
            InputFile::StandardInput => "-".to_owned(),
            InputFile::Path(path) => path.display().to_string(),
        };
        let model = match &asked.model {
            arguments::Model::Config(path) => path.display().to_string(),
            arguments::Model::Named | arguments::Model::Catalogue(_) => run.clone(),
        };
        let exec = asked.exec.as_ref().map_or_else(String::new, |path| path.display().to_string());
        Self { run, model, exec }
    }

    fn of_source(&self, source: Source) -> &str {
        match source {
            Source::Run => &self.run,
            Source::Model => &self.model,
            Source::Execution => &self.exec,
        }
    }
}

fn input(asked: &arguments::Estimate, names: &Names) -> Result<Input, Stop> {
    let text = match &asked.file {
        InputFile::StandardInput => standard_input()?,
        InputFile::Path(path) => bytes(path)?,
    };
    let model = match &asked.model {
        arguments::Model::Named => ModelChoice::Named,
        arguments::Model::Catalogue(id) => ModelChoice::Catalogue(id.as_str().into()),
        arguments::Model::Config(path) => {
            ModelChoice::Config(utf8(bytes(path)?, &names.model, Code::JsonSyntax)?.into())
        }
    };
    let exec = match &asked.exec {
        Some(path) => Some(utf8(bytes(path)?, &names.exec, Code::YamlSyntax)?.into()),
        None => None,
    };
    let text = utf8(text, &names.run, Code::YamlSyntax)?;
    Ok(Input {
        model,
        devices: asked.devices,
        overrides: overrides(&asked.overrides)?,
        pin_devices: asked.pin_devices,
        exec,
        memory_model: asked.memory_model.as_str().into(),
        policies: asked.policies.clone(),
        measured: asked.measured.as_deref().map(Into::into),
        ..Input::of(&text)
    })
}

fn standard_input() -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(usage(&format!("cannot read standard input: {error}"))),
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, Stop> {
    std::fs::read(path).map_err(|error| usage(&format!("cannot read {}: {error}", path.display())))
}

/// The text of a file; one that is no text is refused where it stops being one.
fn utf8(bytes: Vec<u8>, name: &str, code: Code) -> Result<String, Stop> {
    String::from_utf8(bytes).map_err(|error| {
        let readable = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..readable]).into_owned();
        let place = LineIndex::new(before.into()).position(readable);
        let (line, column, code) = (place.line, place.column, code.name());
        let said = format!("{name}:{line}:{column}: error[{code}]: expected UTF-8 text, got other bytes\n");
        Stop { said, exit: Exit::Refused }
    })
}

fn overrides(stated: &[(String, String)]) -> Result<Overrides, Stop> {
    let mut overrides = Overrides::none();
    for (path, text) in stated {
        let node = document::parse_value(text).map_err(|errors| {
            let found = Found { diagnostic: errors.first().clone(), position: None };
            usage(&format!("--set {path}={text}: {}", said(&found)))
        })?;
        overrides.set(KeyPath::parse(path), node.value);
    }
    Ok(overrides)
}

/// `FILE:LINE:COLUMN: severity[code]: text`, with the way on behind it.
fn diagnostics(findings: &[Found], names: &Names) -> String {
    let mut text = String::new();
    for found in findings {
        let (name, line, column) = match found.position {
            Some((source, position)) => (names.of_source(source), position.line, position.column),
            None => (&*names.run, 1, 1),
        };
        let _ = writeln!(text, "{name}:{line}:{column}: {}", said(found));
    }
    text
}

/// `severity[code]: text (help: …)`.
fn said(found: &Found) -> String {
    let diagnostic = &found.diagnostic;
    let help = found.help().map(|help| format!(" (help: {help}{})", option(diagnostic)));
    let (severity, code) = (diagnostic.severity.name(), diagnostic.code.name());
    format!("{severity}[{code}]: {}{}", found.message(), help.unwrap_or_default())
}

/// The option that takes the way on.
fn option(diagnostic: &Diagnostic) -> String {
    match (&diagnostic.help, diagnostic.code) {
        (Some(Help::UseDimensionsOf(model)), _) => format!(": --model {model}"),
        (_, Code::ModelUnstated | Code::HfConfigUnresolved | Code::HfConfigUnread) => ": --model, --config".to_owned(),
        (_, Code::DeviceNumUnstated) => ": --devices".to_owned(),
        _ => String::new(),
    }
}

/// Which model, on how many devices, by which memory model; below it the model's parameters beside those that the
/// reference counts.
fn heading(ready: &Ready, names: &Names) -> String {
    let primary = ready.config.primary();
    let degrees = [
        ("DP", primary.data_parallel),
        ("TP", primary.tensor_parallel),
        ("PP", primary.pipeline_parallel),
        ("CP", primary.context_parallel),
        ("EP", primary.expert_parallel),
    ];
    let layout: Vec<String> = degrees.iter().map(|(name, degree)| format!("{name} {degree}")).collect();
    let devices = primary
        .data_parallel
        .saturating_mul(primary.tensor_parallel)
        .saturating_mul(primary.pipeline_parallel)
        .saturating_mul(primary.context_parallel);
    let model = ready.model().id;
    let note = ready
        .parameter_note()
        .map(|note| format!("\n{}", messages::parameter_note(&note, messages::Language::English)))
        .unwrap_or_default();
    format!(
        "{}: {model} on {devices} devices ({}), {}, GiB per device{note}",
        names.run,
        layout.join(", "),
        ready.breakdown.memory_model
    )
}
