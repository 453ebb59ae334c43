//! The command line as it is typed.

use lexopt::prelude::{Long, Short, Value, ValueExt};
use shardmem::estimate::DEFAULT_MEMORY_MODEL;
use shardmem::estimate::why::Question;
use std::ffi::OsString;
use std::path::PathBuf;

/// What `--help` prints.
pub(crate) const HELP: &str = "\
How much memory each device needs to train a model under a parallel layout, and whether it fits.

Usage:
  shardmem estimate FILE.yaml|- [options]
  shardmem explain FILE.yaml|- [--item ID] [--stage K] [--instant ID] [options]
  shardmem models [--format table|json]
  shardmem --help | --version

Options:
  --model ID             take the model's dimensions from the catalogue
  --config FILE          take the model's dimensions from a config.json
  --exec SPEC.yaml       lay an execution spec over what the file states
  --devices N            how many devices the run has, where the file does not say
  --set KEY=VALUE        lay a value over the file: --set accelerator.tp_size=4 (repeatable)
  --pin-devices          keep the device count while --set moves a degree: data parallel gives way
  --memory-model NAME    sapp_nd, the reference (default), or fsdp2, which walks the tensors of a PyTorch
                         FSDP2 run; the figure of the other one stands beside it
  --policy NAME=VALUE    choose a named policy of either memory model (repeatable): --policy norm=fused
  --measured BYTES       what the run was seen to need (70036500480, 65.2GiB, 70GB, or the line that
                         docs/measure.py prints), beside the prediction
  --check                exit with 3 when it does not fit, or only as expected and not at the high end
  --format FORMAT        table (default), json or yaml

Explain shows how a figure of sapp_nd comes about, and takes the options of estimate but for --check,
--measured and the format yaml:
  --item ID              an item of the JSON, a category, or a sum: total (default), static.total, …
  --stage K              which pipeline stage, from 0; the one that needs most where unstated
  --instant ID           warmup-end or backward-end; that of the stage's peak where unstated

FILE is a train.yaml; - reads it from standard input. Diagnostics go to standard error as
FILE:LINE:COLUMN: severity[code]: text. Exit status: 0 an estimate was made, 1 the input was
refused, 2 wrong usage, 3 --check and it does not fit.";

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Command {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// List the catalogue.
    Models(Format),
    /// Make an estimate.
    Estimate(Box<Estimate>),
    /// Explain a figure of an estimate.
    Explain(Box<Estimate>, Question),
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    /// For reading.
    #[default]
    Table,
    /// DESIGN 3.1, one line.
    Json,
    /// The same as YAML.
    Yaml,
}

/// Where a train.yaml comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputFile {
    /// `-`.
    StandardInput,
    /// A file.
    Path(PathBuf),
}

/// The model beside the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Model {
    /// What the file names.
    #[default]
    Named,
    /// `--model`.
    Catalogue(String),
    /// `--config`.
    Config(PathBuf),
}

/// What `estimate` is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) file: InputFile,
    pub(crate) model: Model,
    pub(crate) exec: Option<PathBuf>,
    pub(crate) devices: Option<i64>,
    pub(crate) overrides: Vec<(String, String)>,
    pub(crate) pin_devices: bool,
    pub(crate) memory_model: String,
    pub(crate) policies: Vec<(String, String)>,
    pub(crate) measured: Option<String>,
    pub(crate) check: bool,
    pub(crate) format: Format,
}

/// Reads the arguments, without the program's name.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    match parser.next()? {
        None => Err("expected a command: estimate, explain or models".into()),
        Some(Short('h') | Long("help")) => Ok(Command::Help),
        Some(Short('V') | Long("version")) => Ok(Command::Version),
        Some(Value(command)) => match command.to_str() {
            Some("estimate") => estimate(&mut parser),
            Some("explain") => explain(&mut parser),
            Some("models") => models(&mut parser),
            Some("help") => Ok(Command::Help),
            Some(_) | None => {
                Err(format!("expected the command estimate, explain or models, got {}", command.to_string_lossy())
                    .into())
            }
        },
        Some(other) => Err(other.unexpected()),
    }
}

fn models(parser: &mut lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut chosen = Format::Table;
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("format") => {
                chosen = match format(parser)? {
                    Format::Yaml => return Err("--format of models: expected table or json, got yaml".into()),
                    chosen @ (Format::Table | Format::Json) => chosen,
                };
            }
            _ => return Err(argument.unexpected()),
        }
    }
    Ok(Command::Models(chosen))
}

fn estimate(parser: &mut lexopt::Parser) -> Result<Command, lexopt::Error> {
    let asked = asked(parser, None)?;
    Ok(asked.map_or(Command::Help, |asked| Command::Estimate(Box::new(asked))))
}

fn explain(parser: &mut lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut question = Question { stage: None, item: "total".to_owned(), instant: None };
    let Some(asked) = asked(parser, Some(&mut question))? else { return Ok(Command::Help) };
    match asked.format {
        Format::Yaml => Err("--format of explain: expected table or json, got yaml".into()),
        Format::Table | Format::Json => Ok(Command::Explain(Box::new(asked), question)),
    }
}

/// What stands behind the command; none where help is asked for. Options of a question are read where there is one.
fn asked(parser: &mut lexopt::Parser, mut question: Option<&mut Question>) -> Result<Option<Estimate>, lexopt::Error> {
    let mut file = None;
    let mut asked = Estimate {
        file: InputFile::StandardInput,
        model: Model::Named,
        exec: None,
        devices: None,
        overrides: Vec::new(),
        pin_devices: false,
        memory_model: DEFAULT_MEMORY_MODEL.to_owned(),
        policies: Vec::new(),
        measured: None,
        check: false,
        format: Format::Table,
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("model") => choose(&mut asked.model, Model::Catalogue(parser.value()?.string()?))?,
            Long("config") => choose(&mut asked.model, Model::Config(parser.value()?.into()))?,
            Long("exec") => asked.exec = Some(parser.value()?.into()),
            Long("devices") => asked.devices = Some(devices(parser)?),
            Long("set") => asked.overrides.push(pair("--set", "key.path=value", parser)?),
            Long("pin-devices") => asked.pin_devices = true,
            Long("memory-model") => asked.memory_model = parser.value()?.string()?,
            Long("policy") => asked.policies.push(pair("--policy", "NAME=VALUE", parser)?),
            Long("measured") if question.is_none() => asked.measured = Some(parser.value()?.string()?),
            Long("check") if question.is_none() => asked.check = true,
            Long("format") => asked.format = format(parser)?,
            Value(path) if file.is_none() => file = Some(path),
            _ => match (argument, question.as_deref_mut()) {
                (Long("item"), Some(question)) => question.item = parser.value()?.string()?,
                (Long("stage"), Some(question)) => question.stage = Some(stage(parser)?),
                (Long("instant"), Some(question)) => question.instant = Some(parser.value()?.string()?),
                (argument, _) => return Err(argument.unexpected()),
            },
        }
    }
    let file = file.ok_or("expected a file: FILE.yaml, or - for standard input")?;
    asked.file = if file == "-" { InputFile::StandardInput } else { InputFile::Path(file.into()) };
    Ok(Some(asked))
}

fn stage(parser: &mut lexopt::Parser) -> Result<usize, lexopt::Error> {
    let text = parser.value()?.string()?;
    text.parse().map_err(|_| format!("--stage: expected a whole number from 0, got {text}").into())
}

fn choose(model: &mut Model, choice: Model) -> Result<(), lexopt::Error> {
    if *model != Model::Named {
        return Err("expected one of --model and --config, once".into());
    }
    *model = choice;
    Ok(())
}

fn devices(parser: &mut lexopt::Parser) -> Result<i64, lexopt::Error> {
    let text = parser.value()?.string()?;
    match text.parse() {
        Ok(count) if count >= 1 => Ok(count),
        Ok(_) | Err(_) => Err(format!("--devices: expected a whole number from 1, got {text}").into()),
    }
}

fn pair(option: &str, form: &str, parser: &mut lexopt::Parser) -> Result<(String, String), lexopt::Error> {
    let text = parser.value()?.string()?;
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        Some(_) | None => Err(format!("{option}: expected {form}, got {text}").into()),
    }
}

fn format(parser: &mut lexopt::Parser) -> Result<Format, lexopt::Error> {
    let text = parser.value()?.string()?;
    match text.as_str() {
        "table" => Ok(Format::Table),
        "json" => Ok(Format::Json),
        "yaml" => Ok(Format::Yaml),
        _ => Err(format!("--format: expected table, json or yaml, got {text}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_every_option() {
        let line = "estimate --model a/b --exec spec.yaml --devices 64 --set accelerator.tp_size=4 --set=x.y=a=b --pin-devices \
                    --memory-model sapp_nd --policy one=two --measured 70GB --check --format json - ";
        let Ok(Command::Estimate(asked)) = read(line) else { panic!("an estimate") };
        assert_eq!(asked.file, InputFile::StandardInput);
        assert_eq!(asked.model, Model::Catalogue("a/b".into()));
        assert_eq!(asked.exec, Some("spec.yaml".into()));
        assert_eq!(asked.devices, Some(64));
        assert_eq!(asked.overrides[0], ("accelerator.tp_size".into(), "4".into()));
        assert_eq!(asked.overrides[1], ("x.y".into(), "a=b".into()));
        assert_eq!(asked.measured.as_deref(), Some("70GB"));
        assert!(asked.pin_devices && asked.check);
        assert_eq!(asked.format, Format::Json);
        let line = "explain - --item reserve --stage 3 --instant warmup-end --devices 8";
        let Ok(Command::Explain(asked, question)) = read(line) else { panic!("an explanation") };
        assert_eq!((asked.devices, question.stage, &*question.item), (Some(8), Some(3), "reserve"));
        assert_eq!(question.instant.as_deref(), Some("warmup-end"));
        assert_eq!(read("models --format json"), Ok(Command::Models(Format::Json)));
        assert_eq!(read("--version"), Ok(Command::Version));
        assert_eq!(read("estimate --help"), Ok(Command::Help));
    }

    #[test]
    fn says_what_was_expected() {
        for (line, said) in [
            ("", "expected a command"),
            ("estimat x.yaml", "got estimat"),
            ("estimate", "expected a file"),
            ("estimate a.yaml b.yaml", "unexpected argument \"b.yaml\""),
            ("estimate a.yaml --tp 4", "invalid option '--tp'"),
            ("estimate a.yaml --devices 0", "expected a whole number from 1, got 0"),
            ("estimate a.yaml --set tp", "expected key.path=value, got tp"),
            ("estimate a.yaml --format xml", "expected table, json or yaml, got xml"),
            ("estimate a.yaml --model x --config y", "expected one of --model and --config"),
            ("estimate a.yaml --model", "missing argument for option '--model'"),
            ("models --format yaml", "expected table or json"),
            ("explain a.yaml --format yaml", "expected table or json"),
            ("explain a.yaml --stage -1", "expected a whole number from 0, got -1"),
            ("explain a.yaml --measured 1", "invalid option '--measured'"),
            ("explain a.yaml --check", "invalid option '--check'"),
            ("estimate a.yaml --item total", "invalid option '--item'"),
        ] {
            let error = read(line).expect_err(line);
            assert!(error.contains(said), "{line}: {error}");
        }
    }
}
