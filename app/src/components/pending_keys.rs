//! What Apply would write, before it does.

use crate::components::compare_bar::key_lines;
use crate::messages::takeaway::words;
use crate::state::written::pending;
use crate::state::{ModelSource, Workspace};
use crate::view::{Element, html};
use shardmem::report::messages::Language;

/// The keys that change, old and new, and what is set and stays here.
pub fn pending_keys(run: &Workspace, language: Language) -> Element {
    let say = words(language);
    let changes = pending(run);
    let note = |is_due: bool, text: &'static str| is_due.then(|| html("p").class("pending-note").text(text));
    html("div")
        .class("pending")
        .attribute("role", "group")
        .attribute("aria-label", say.pending)
        .attribute("data-testid", "pending")
        .children(note(changes.is_empty(), say.pending_none))
        .child(html("ul").children(key_lines(&changes)))
        .children(note(run.ranges.is_some(), say.ranges_stay))
        .children(note(run.model != ModelSource::File, say.model_stays))
}
