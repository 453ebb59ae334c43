//! Keeps the run in the reader's browser, so that a reload finds it again, its baseline included. Nothing leaves the browser.
//!
//! There are two places: the reader's own run, which the page opens with, and one beside it. A run that came by a link, and
//! what a second tab makes of a run, go beside it, never in its place.

use super::kept::{self, Address};
use super::{Origin, Sample, Session, Workspace};
use crate::browser::storage;
use leptos::prelude::{StoredValue, UpdateValue, WithValue};
use shardmem::report::number::MemoryUnit;

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

/// A run that was kept under the page's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The run.
    pub run: Workspace,
    /// The unit that the address names.
    pub unit: Option<MemoryUnit>,
    /// Whether the run is newer than what the address says.
    pub is_behind: bool,
}

impl Keeping {
    /// A session with the reader's own run, or another where there is none.
    pub fn begin(other: impl FnOnce() -> Workspace) -> (Session, Self) {
        let text = storage::read(OWN);
        let own = text.as_deref().and_then(kept::read);
        let seen = Seen { own: text, ..Seen::default() };
        (Session::new(own.unwrap_or_else(other)), Self { seen: StoredValue::new(seen) })
    }

    /// Keeps a run as it stands, with the address that the page has.
    pub(super) fn keep(self, run: &Workspace, address: Address<'_>) -> Place {
        let mut place = Place::Own;
        self.seen.update_value(|seen| place = seen.keep(run, address));
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
    /// no link carries. Only then does it go on with what is newer than the fragment: who opens a link sees what it says.
    pub fn at(self, fragment: &str, is_again: bool) -> Option<Found> {
        let found = |place: &str, run: &dyn Fn() -> Option<Workspace>| {
            let text = storage::read(place)?;
            let address = kept::address(&text);
            if address.fragment != fragment {
                None
            } else if address.is_behind && !is_again {
                self.part(place, &text);
                None
            } else {
                Some(Found { run: run()?, unit: address.unit, is_behind: address.is_behind })
            }
        };
        found(OWN, &|| self.own()).or_else(|| found(BESIDE, &|| self.beside()))
    }

    /// A link is opened where a run was left: loaded again, the page opens the link again.
    fn part(self, place: &str, text: &str) {
        let Some(run) = kept::read(text) else { return };
        let parted = kept::write(&run, Address::default());
        storage::write(place, &parted, "");
        self.seen.update_value(|seen| {
            if seen.own.as_deref() == Some(text) {
                seen.own = Some(parted);
            }
        });
    }

    /// Whether a run of the reader's own is kept.
    pub fn has_own(self) -> bool {
        self.seen.with_value(|seen| !seen.is_of_link) && storage::read(OWN).as_deref().and_then(kept::read).is_some()
    }
}

impl Seen {
    fn keep(&mut self, run: &Workspace, address: Address<'_>) -> Place {
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
        let text = if is_sample { String::new() } else { kept::write(run, address) };
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
