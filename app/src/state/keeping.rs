//! Keeps the run in the reader's browser, so that a reload finds it again, its baseline included. Nothing leaves the browser.
//!
//! There are two places: the reader's own run, which the page opens with, and one beside it. A run that came by a link, and
//! what a second tab makes of a run, go beside it, never in its place.

use super::{Origin, Sample, Session, Workspace, kept};
use crate::browser::storage;
use leptos::prelude::{StoredValue, UpdateValue, WithValue};

/// The reader's own run.
const OWN: &str = "run";
/// The run beside it.
const BESIDE: &str = "beside";

/// The places, as one page sees them; cheap to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping {
    seen: StoredValue<Seen>,
}

/// What a page knows of the reader's own run.
#[derive(Debug, Default)]
struct Seen {
    /// As it was read or written here last. Stands something else there, another tab wrote it.
    own: Option<String>,
    /// Whether that is what became of a link here: there was no other run.
    is_of_link: bool,
    /// A run that came by a link, as it came.
    opened: Option<Workspace>,
}

/// Where a run was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// As the reader's own, or nowhere because there is nothing to keep.
    Own,
    /// Beside the reader's own.
    Beside,
}

impl Keeping {
    /// A session with the reader's own run, or another where there is none.
    pub fn begin(other: impl FnOnce() -> Workspace) -> (Session, Self) {
        let text = storage::read(OWN);
        let own = text.as_deref().and_then(kept::read);
        let seen = Seen { own: text, ..Seen::default() };
        (Session::new(own.unwrap_or_else(other)), Self { seen: StoredValue::new(seen) })
    }

    /// Keeps a run as it stands, with the fragment that the address has for it.
    pub fn keep(self, run: &Workspace, fragment: &str) -> Place {
        let mut place = Place::Own;
        self.seen.update_value(|seen| place = seen.keep(run, fragment));
        place
    }

    /// A run has come by a link. As long as nothing in it is changed it is not kept.
    pub fn note_opened(self, run: &Workspace) {
        self.seen.update_value(|seen| {
            seen.is_of_link = false;
            seen.opened = Some(run.decided());
        });
    }

    /// The reader's own run, if one is kept; from now on it may be written here.
    pub fn own(self) -> Option<Workspace> {
        let text = storage::read(OWN)?;
        let own = kept::read(&text)?;
        self.seen.update_value(|seen| {
            seen.is_of_link = false;
            seen.own = Some(text);
        });
        Some(own)
    }

    /// The run beside it, if one is kept.
    pub fn beside(self) -> Option<Workspace> {
        let run = storage::read(BESIDE).as_deref().and_then(kept::read)?;
        Some(Workspace { origin: Origin::Link, ..run })
    }

    /// Forgets the run beside it.
    pub fn forget_beside(self) {
        storage::write(BESIDE, "", "");
    }

    /// The run that was kept when the address had this fragment: a page that is loaded again goes on with it, also with what
    /// no link carries.
    pub fn at(self, fragment: &str) -> Option<Workspace> {
        let was_at = |name| storage::read(name).is_some_and(|text| kept::address(&text) == fragment);
        if was_at(OWN) {
            self.own()
        } else if was_at(BESIDE) {
            self.beside()
        } else {
            None
        }
    }

    /// Whether a run of the reader's own is kept.
    pub fn has_own(self) -> bool {
        self.seen.with_value(|seen| !seen.is_of_link) && storage::read(OWN).as_deref().and_then(kept::read).is_some()
    }
}

impl Seen {
    fn keep(&mut self, run: &Workspace, fragment: &str) -> Place {
        let decided = run.decided();
        if self.opened.as_ref() == Some(&decided) {
            return Place::Own;
        }
        let stored = storage::read(OWN);
        let is_known = stored == self.own;
        let is_free = match run.origin {
            Origin::Own => is_known,
            Origin::Link => is_known && self.is_of_link,
        };
        let is_sample = decided == Workspace::of(Sample::OPENING.text);
        let text = if is_sample { String::new() } else { kept::write(run, fragment) };
        if stored.is_some() && !is_free {
            storage::write(BESIDE, &text, "");
            return Place::Beside;
        }
        storage::write(OWN, &text, "");
        self.own = Some(text).filter(|text| !text.is_empty());
        self.is_of_link = run.origin == Origin::Link;
        Place::Own
    }
}
