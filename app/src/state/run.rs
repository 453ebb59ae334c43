//! The run as the user gave it: a text, and which model it is.

use leptos::prelude::*;

/// The text of the train.yaml.
#[derive(Debug, Clone, Copy)]
pub struct EditorText {
    /// The text; lines end at `\n`, as the textarea keeps them.
    pub text: RwSignal<String>,
}

impl EditorText {
    /// Starts with a text.
    pub fn new(text: &str) -> Self {
        Self { text: RwSignal::new(unix_lines(text)) }
    }

    /// Another text took the place of this one: a sample or a file.
    pub fn replace(self, text: &str) {
        self.text.set(unix_lines(text));
    }
}

/// A textarea keeps `\n` alone; the places that the core finds must count the same characters.
fn unix_lines(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n")
}

/// Where the model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelSource {
    /// The file names or states it.
    #[default]
    File,
    /// A catalogue model, by id.
    Catalogue(String),
    /// The pasted config.json.
    Config,
}

/// Which model the run trains.
#[derive(Debug, Clone, Copy)]
pub struct ModelInput {
    /// Where it comes from.
    pub source: RwSignal<ModelSource>,
    /// The pasted config.json; kept while another source is in use.
    pub config: RwSignal<String>,
}

impl ModelInput {
    /// As the file says.
    pub fn from_file() -> Self {
        Self { source: RwSignal::new(ModelSource::File), config: RwSignal::new(String::new()) }
    }

    /// Another run came: a model chosen for the last one does not count for it. A pasted config.json does, since it is pasted
    /// for files that name no known model.
    pub fn forget_choice(self) {
        if matches!(self.source.get_untracked(), ModelSource::Catalogue(_)) {
            self.source.set(ModelSource::File);
        }
    }

    /// A config.json was pasted or edited: it counts from now on; emptied, the file counts again.
    pub fn paste(self, config: &str) {
        self.config.set(unix_lines(config));
        self.source.set(if config.trim().is_empty() { ModelSource::File } else { ModelSource::Config });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_a_textarea() {
        assert_eq!(unix_lines("\u{feff}a\r\nb\rc\n"), "a\nb\nc\n");
    }
}
