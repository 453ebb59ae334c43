//! What a pasted or dropped text is.

use super::Session;
use super::history::{Change, What};
use super::session::Notice;
use crate::browser::editing::Utf16Range;
use crate::state::history::{Edit, Edited};
use shardmem::document;
use std::sync::Arc;

/// Keys that a model's config.json has, one spelling a line of checkpoints.
const OF_A_CONFIG: [&str; 8] =
    ["model_type", "architectures", "hidden_size", "num_hidden_layers", "n_layer", "n_embd", "d_model", "text_config"];

/// Whether a text is a model's config.json rather than a run. Every JSON is YAML, so a run may be JSON too.
pub fn is_config(text: &str) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let Ok(read) = document::parse_json(text) else { return false };
    let root = read.value.root.value.as_mapping();
    root.is_some_and(|root| OF_A_CONFIG.iter().any(|key| root.contains(key)) && !root.contains("model"))
}

/// Whether a file is a state of the page, as "copy link" offers it for what no link holds: by its name, or by its first key.
pub fn is_state(name: &str, text: &str) -> bool {
    let first = text.trim_start().strip_prefix('{').map(str::trim_start);
    name.to_ascii_lowercase().ends_with(".shardmem.json") || first.is_some_and(|rest| rest.starts_with("\"shardmem\""))
}

/// A config.json came in the place of the train.yaml: it goes where it belongs.
pub fn take_config(session: Session, text: &str) {
    session.act(What::Config, |run| run.paste_config(text));
    session.tell(Notice::ConfigTaken);
}

/// The train.yaml was edited. What is pasted over all of it is another run: settings made for the last one do not count.
/// Whether it was that.
pub fn edited(session: Session, text: &Arc<str>, edit: Edit) -> bool {
    let last = session.run();
    if edit.edited == Edited::Pasted && is_config(text) && !is_config(&last.text) {
        take_config(session, text);
        false
    } else if edit.edited == Edited::Pasted && is_whole(edit.before, &last.text) {
        let left = last.changed();
        session.go_on(Change { what: What::Run, edit: Some(edit) }, |run| run.start_over(text));
        if left > 0 {
            session.tell(Notice::SettingsLeft(left));
        }
        true
    } else {
        session.go_on(Change { what: What::Text, edit: Some(edit) }, |run| run.text = text.clone());
        false
    }
}

/// Whether a range is all of a text.
fn is_whole(range: Utf16Range, text: &str) -> bool {
    range.start == 0 && !text.is_empty() && text.encode_utf16().count() == range.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_config_is_told_from_a_run() {
        assert!(is_config("{\"model_type\": \"llama\", \"hidden_size\": 8}"));
        assert!(is_config("\n {\"text_config\": {}}"));
        for other in ["model_type: llama", "{\"model\": {\"hidden_size\": 8}}", "{\"hidden_size\": }", "{}", "", "[1]"]
        {
            assert!(!is_config(other), "{other}");
        }
    }

    #[test]
    fn a_state_is_known_by_its_name_or_its_first_key() {
        assert!(is_state("run.yaml", "\n{ \"shardmem\": 1}"));
        assert!(is_state("A.SHARDMEM.JSON", "broken"));
        assert!(!is_state("config.json", "{\"model_type\": \"shardmem\"}"));
        assert!(!is_state("run.yaml", "shardmem: 1"));
    }

    #[test]
    fn a_whole_text_is_counted_as_browsers_count() {
        assert!(is_whole(Utf16Range { start: 0, end: 4 }, "a😀b"));
        assert!(!is_whole(Utf16Range { start: 0, end: 3 }, "a😀b"));
        assert!(!is_whole(Utf16Range { start: 1, end: 4 }, "a😀b"));
        assert!(!is_whole(Utf16Range { start: 0, end: 0 }, ""));
    }
}
