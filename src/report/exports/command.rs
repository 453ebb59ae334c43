//! The command that gives the same estimate (DESIGN 3.1), for POSIX shells.

use crate::facts::Overrides;

/// What the command is asked.
#[derive(Debug, Clone, Copy)]
pub struct CommandLine<'a> {
    /// The train.yaml's file name.
    pub file: &'a str,
    /// Which model it is read with.
    pub model: ModelArgument<'a>,
    /// The execution spec's file name.
    pub execution: Option<&'a str>,
    /// The device count given beside the file.
    pub devices: Option<i64>,
    /// Values laid over the file, those that keep the device count included.
    pub overrides: &'a Overrides,
    /// The memory model; none for the default.
    pub memory_model: Option<&'a str>,
    /// Named policies.
    pub policies: &'a [(String, String)],
    /// A measured peak, as it was given.
    pub measured: Option<&'a str>,
}

/// Where the model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelArgument<'a> {
    /// The file names or states it.
    Named,
    /// A catalogue entry, by id.
    Catalogue(&'a str),
    /// A config.json, by its file name.
    Config(&'a str),
}

impl CommandLine<'_> {
    /// The words, each as the shell hands it to the command.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["shardmem".to_owned(), "estimate".to_owned(), path(self.file)];
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        match self.model {
            ModelArgument::Named => {}
            ModelArgument::Catalogue(id) => option("--model", id.to_owned()),
            ModelArgument::Config(file) => option("--config", path(file)),
        }
        if let Some(file) = self.execution {
            option("--exec", path(file));
        }
        if let Some(count) = self.devices {
            option("--devices", count.to_string());
        }
        for (path, value) in self.overrides.settings() {
            option("--set", format!("{path}={value}"));
        }
        if let Some(name) = self.memory_model {
            option("--memory-model", name.to_owned());
        }
        for (name, value) in self.policies {
            option("--policy", format!("{name}={value}"));
        }
        if let Some(text) = self.measured {
            option("--measured", text.to_owned());
        }
        words
    }

    /// The line as typed.
    pub fn line(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// A file name that is no option and not the standard input.
fn path(name: &str) -> String {
    if name.starts_with('-') { format!("./{name}") } else { name.to_owned() }
}

/// A word as a shell reads it: in single quotes unless nothing in it means anything to a shell.
fn quoted(word: &str) -> String {
    let safe = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '@' | '%' | '+' | '=' | ':' | ',' | '.' | '/' | '-')
    };
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
