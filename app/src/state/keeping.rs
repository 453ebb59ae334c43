//! Keeps the run in the reader's browser, so that a reload finds it again, its baseline included. Nothing leaves the browser.

use super::{Session, Workspace, kept};
use crate::browser::later::Later;
use crate::browser::{events, storage};
use crate::reactive::effect;
use std::time::Duration;

const NAME: &str = "run";
/// Written so long after the last change.
const REST: Duration = Duration::from_millis(300);

/// A session with the run that was kept, or another; kept from now on.
pub fn kept(other: impl FnOnce() -> Workspace) -> Session {
    let session = Session::new(storage::read(NAME).and_then(|text| kept::read(&text)).unwrap_or_else(other));
    let later = Later::new(REST, move || keep(session));
    let mut is_new = true;
    effect(move || {
        // A run that was only opened is not the reader's own.
        let run = session.followed();
        if !std::mem::take(&mut is_new) {
            later.ask();
        }
        drop(run);
    });
    // What is not written yet when the page is left.
    events::hear("pagehide", "", move |_| {
        if session.steps.get_untracked() != (None, None) {
            keep(session);
        }
    });
    session
}

fn keep(session: Session) {
    storage::write(NAME, &kept::write(&session.run()), "");
}
