//! Links of the run: the page's address says what is seen, and what an address says is seen (DESIGN 3.4).

use super::history::What;
use super::keeping::{Found, Keeping, Place};
use super::kept;
use super::link::{Difference, Opened};
use super::preferences::stored_unit;
use super::{Origin, Sample, Session, Workspace};
use crate::browser::later::Later;
use crate::browser::{address, clipboard, events, files, root};
use crate::late::{Late, with_late, with_late_quietly};
use crate::reactive::{Held, effect};
use leptos::prelude::{StoredValue, UpdateValue, WithValue};
use shardmem::link::{Broken, Notice};
use shardmem::report::number::MemoryUnit;
use std::time::Duration;

/// The address and the reader's storage follow so long after the last change.
const REST: Duration = Duration::from_millis(300);
/// How long it is told that a link was copied.
const TOLD: Duration = Duration::from_secs(8);
/// Longer fragments are cut by what people send links with.
const LONGEST: usize = 8_000;

/// What brought a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// A link.
    Link,
    /// A file.
    File,
}

/// What is told of links.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// A link was opened, and the reader's own run is kept.
    OwnIsKept,
    /// Beside the reader's own run another one is kept.
    OtherIsKept,
    /// Another tab keeps its run as the reader's own; this one's is kept beside it.
    OtherTab,
    /// The link is in the clipboard.
    Copied,
    /// Figures may differ from those that the sender saw.
    Differs(Vec<Notice>, Vec<Difference>),
    /// Nothing was opened.
    Broken(Carrier, Broken),
}

impl Told {
    /// A stable name of its kind.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::OwnIsKept => "own",
            Self::OtherIsKept => "other",
            Self::OtherTab => "tab",
            Self::Copied => "copied",
            Self::Differs(..) => "differs",
            Self::Broken(..) => "broken",
        }
    }
}

/// What comes of asking for a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handed {
    /// It is in the clipboard.
    Copied,
    /// The browser refused: this is to be copied by hand.
    ByHand(String),
    /// The state is too long for a link: a file holds it.
    TooLong,
}

/// Where the page stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// It has the address and the reader's storage.
    Page(Keeping),
    /// Inside another page: the reader's own work is neither shown nor touched.
    Embedded,
    /// With a given text: neither address nor storage is its own.
    Given,
}

/// Links in and out; cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Links {
    session: Session,
    unit: Held<MemoryUnit>,
    home: Home,
    /// Whether the page shows what it was opened with. Until then it shows nothing.
    pub is_ready: Held<bool>,
    /// What is told, oldest first.
    pub told: Held<Vec<Told>>,
    address: StoredValue<Address>,
}

/// What the address says, and why.
#[derive(Debug, Clone, Default)]
struct Address {
    /// The fragment of the browser's address when it was last looked at.
    at: String,
    /// The fragment of the state as it was last at rest.
    fragment: String,
    /// That state, where it is known.
    said: Option<Seen>,
    /// What was opened last, under which fragment: as long as it is seen, so is its fragment.
    opened: Option<(Seen, String)>,
    /// Whether the fragment stays as it is: that of a page which embeds this one with it.
    is_fixed: bool,
    /// Whether the reader's own run as it is here is kept beside another tab's.
    is_beside: bool,
}

/// What a fragment says.
type Seen = (Workspace, MemoryUnit);

impl Links {
    /// Links of a session, for a page that stands there.
    pub fn of(session: Session, unit: Held<MemoryUnit>, home: Home) -> Self {
        Self {
            session,
            unit,
            home,
            is_ready: Held::new(home == Home::Given),
            told: Held::new(Vec::new()),
            address: StoredValue::new(Address::default()),
        }
    }

    /// Opens what the address says, and follows it and the run from then on, while the caller's owner lives.
    pub fn listen(self) {
        let fade = Later::new(TOLD, move || self.forget(&Told::Copied));
        effect(move || {
            if self.told.with(|told| told.contains(&Told::Copied)) {
                fade.ask();
            }
        });
        if self.home == Home::Given {
            return;
        }
        let fragment = address::fragment();
        let is_fixed = self.home == Home::Embedded && !fragment.is_empty();
        self.address.update_value(|address| address.is_fixed = is_fixed);
        self.look();
        let is_behind = if fragment.is_empty() {
            self.tell_other();
            self.is_ready.set(true);
            false
        } else {
            self.arrive(fragment, address::is_again())
        };
        events::hear("hashchange", "", move |_| {
            let fragment = address::fragment();
            self.look();
            if fragment == self.fragment() {
                return;
            }
            self.keep();
            if fragment.is_empty() {
                self.come_home();
            } else {
                self.arrive(fragment, false);
            }
        });
        self.follow(is_behind);
    }

    fn follow(self, is_behind: bool) {
        let later = Later::new(REST, move || self.rest());
        // What the page opens with is no change, unless the address does not say it yet.
        let mut is_said = !is_behind;
        effect(move || {
            let seen = (self.session.followed(), self.unit.get());
            if !std::mem::take(&mut is_said) {
                later.ask();
            }
            drop(seen);
        });
        // What is not written yet when the page is left.
        events::hear("pagehide", "", move |_| self.keep());
    }

    // In.

    /// Opens a fragment, in a page that was loaded again or another one; whether what is then seen is newer than it.
    fn arrive(self, fragment: String, is_again: bool) -> bool {
        self.say(&fragment, None);
        if let Home::Page(keeping) = self.home
            && let Some(Found { run, unit, is_behind }) = keeping.at(&fragment, is_again)
        {
            self.told.set(Vec::new());
            self.show(run);
            if let Some(unit) = unit {
                self.unit.set(unit);
            }
            if !is_behind {
                self.say(&fragment, Some(self.seen()));
            }
            self.is_ready.set(true);
            return is_behind;
        }
        // Dropped without having been called, the opening shows the page all the same.
        let ready = Ready(self.is_ready);
        with_late(move |late| {
            let opened = (late.open_link)(&fragment);
            self.take(Carrier::Link, opened, fragment, late.write_link);
            drop(ready);
        });
        false
    }

    /// Shows what the bare address opens: the reader's own run, else what the page opens with.
    fn come_home(self) {
        self.say("", None);
        self.told.set(Vec::new());
        let own = match self.home {
            Home::Page(keeping) => keeping.own(),
            Home::Embedded | Home::Given => None,
        };
        self.show(own.unwrap_or_else(|| Workspace::of(Sample::OPENING.text)));
        self.unit.set(stored_unit());
        self.tell_other();
    }

    fn tell_other(self) {
        if let Home::Page(keeping) = self.home
            && keeping.beside().is_some()
        {
            self.tell(Told::OtherIsKept);
        }
    }

    /// Opens a state's file.
    pub fn open_file(self, text: String) {
        with_late(move |late| {
            self.take(Carrier::File, (late.open_file)(&text), String::new(), late.write_link);
        });
    }

    fn take(self, carrier: Carrier, opened: Result<Opened, Broken>, fragment: String, write: WriteLink) {
        let Opened { run, unit, notices, differences } = match opened {
            Ok(opened) => opened,
            Err(broken) => return self.refuse(carrier, broken),
        };
        let present = self.session.run();
        let unit = unit.unwrap_or(self.unit.get_untracked());
        self.told.set(Vec::new());
        if write(&run.decided(), unit) == write(&present.decided(), unit) {
            // What is seen anyway is nothing to tell of.
            self.session.pick(run.stage);
        } else {
            match carrier {
                Carrier::Link => self.show_linked(Workspace { origin: Origin::Link, ..run }, unit, fragment),
                Carrier::File => self.show(Workspace { origin: present.origin, ..run }),
            }
        }
        // How the sender read it; the reader's own choice stays stored.
        self.unit.set(unit);
        if !notices.is_empty() || !differences.is_empty() {
            self.tell(Told::Differs(notices, differences));
        }
    }

    /// What cannot be opened is no fragment of the run that goes on being shown.
    fn refuse(self, carrier: Carrier, broken: Broken) {
        if carrier == Carrier::Link {
            self.say("", None);
        }
        self.tell(Told::Broken(carrier, broken));
    }

    fn show_linked(self, run: Workspace, unit: MemoryUnit, fragment: String) {
        if let Home::Page(keeping) = self.home {
            keeping.note_opened(&run);
        }
        self.address.update_value(|address| address.opened = Some(((run.clone(), unit), fragment)));
        self.show(run);
    }

    /// Shows a run in the place of the present one, as one step.
    fn show(self, run: Workspace) {
        let is_link = run.origin == Origin::Link;
        self.session.act(What::Link, |present| *present = run);
        if let Home::Page(keeping) = self.home
            && is_link
            && keeping.has_own()
        {
            self.tell(Told::OwnIsKept);
        }
    }

    /// Shows the reader's own run again.
    pub fn show_own(self) {
        if let Home::Page(keeping) = self.home
            && let Some(run) = keeping.own()
        {
            self.show(run);
        }
    }

    /// Shows the run that is kept beside it.
    pub fn show_other(self) {
        self.told.set(Vec::new());
        if let Home::Page(keeping) = self.home
            && let Some(run) = keeping.beside()
        {
            self.show(run);
        }
    }

    /// Forgets the run that is kept beside it.
    pub fn forget_other(self) {
        if let Home::Page(keeping) = self.home {
            keeping.forget_beside();
        }
        self.forget(&Told::OtherIsKept);
    }

    // Out.

    /// Copies the link of the state as it stands, and hands over what came of it.
    pub fn copy(self, done: impl FnOnce(Handed) + 'static) {
        let (run, unit) = self.seen();
        with_late(move |late| {
            let Some(fragment) = (late.write_link)(&run, unit).filter(|fragment| fits(fragment)) else {
                return done(Handed::TooLong);
            };
            let link = address::link(&fragment);
            let by_hand = link.clone();
            let handed = move |copied| if copied { Handed::Copied } else { Handed::ByHand(by_hand) };
            clipboard::copy(&link, Box::new(move |copied| done(handed(copied))));
        });
    }

    /// Saves the state as it stands as a file.
    pub fn save(self) {
        let (run, unit) = self.seen();
        with_late(move |late| {
            files::save(&(late.file_name)(&run), "application/json", &(late.write_file)(&run, unit));
        });
    }

    /// Lets the link under an event lead to the whole page with the state as it stands.
    pub fn lead(self, event: &leptos::ev::Event) {
        let seen = self.seen();
        let known = self.known(&seen);
        root::lead(event, &address::link(known.as_deref().unwrap_or(&self.fragment())));
        if known.is_none() {
            let event = event.clone();
            with_late(move |late| root::lead(&event, &address::link(&written(late, &seen))));
        }
    }

    fn seen(self) -> Seen {
        (self.session.run(), self.unit.get_untracked())
    }

    /// Nothing has changed for a while.
    fn rest(self) {
        // The browser went to another fragment, and its word is on its way: what it leads to comes first.
        if self.address.with_value(|address| address.at != address::fragment()) {
            return;
        }
        self.keep();
        let seen = self.seen();
        match self.known(&seen) {
            Some(fragment) => self.put(&fragment, seen),
            // Nobody asked for the address: where the late part does not come it is written another time.
            None => with_late_quietly(move |late| {
                // Another change has its own rest.
                if seen == self.seen() {
                    self.put(&written(late, &seen), seen);
                }
            }),
        }
    }

    /// The fragment of what is seen, where nothing late is needed for it; empty for what the page opens with.
    fn known(self, seen: &Seen) -> Option<String> {
        let opened = self.address.with_value(|address| address.opened.clone());
        match opened {
            Some((opened, fragment)) if opened == *seen => Some(fragment),
            _ => (seen.0 == Workspace::of(Sample::OPENING.text)).then(String::new),
        }
    }

    fn put(self, fragment: &str, seen: Seen) {
        let (is_news, is_fixed) = self.address.with_value(|address| {
            (address.fragment != fragment || address.said.as_ref() != Some(&seen), address.is_fixed)
        });
        self.say(fragment, Some(seen));
        if !is_fixed && fragment != address::fragment() {
            address::replace_fragment(fragment);
            self.look();
        }
        if is_news {
            self.keep();
        }
    }

    /// Looks at the browser's address.
    fn look(self) {
        self.address.update_value(|address| address.at = address::fragment());
    }

    /// What the address says from now on.
    fn say(self, fragment: &str, said: Option<Seen>) {
        self.address.update_value(|address| {
            fragment.clone_into(&mut address.fragment);
            address.said = said;
        });
    }

    fn fragment(self) -> String {
        self.address.with_value(|address| address.fragment.clone())
    }

    /// Keeps the run, if anything was done to it here.
    fn keep(self) {
        let Home::Page(keeping) = self.home else { return };
        if self.session.steps.get_untracked() == (None, None) && self.session.run().stage.is_none() {
            return;
        }
        let (run, unit) = self.seen();
        let place = self.address.with_value(|address| {
            let is_behind = address.said.as_ref() != Some(&(run.clone(), unit));
            keeping.keep(&run, kept::Address { fragment: &address.fragment, unit: Some(unit), is_behind })
        });
        let is_beside = place == Place::Beside && run.origin == Origin::Own;
        let mut is_news = false;
        self.address
            .update_value(|address| is_news = is_beside && !std::mem::replace(&mut address.is_beside, is_beside));
        if is_news {
            self.tell(Told::OtherTab);
        }
    }

    // Told.

    /// Tells something, once.
    pub fn tell(self, told: Told) {
        self.told.update(|all| {
            all.retain(|other| other.name() != told.name());
            all.push(told);
        });
    }

    /// Tells something no more.
    pub fn forget(self, told: &Told) {
        self.told.update(|all| all.retain(|other| other != told));
    }

    /// What is told of the run that is seen: once the reader's own run is back, that it is kept is no news.
    pub fn told_now(self) -> Vec<Told> {
        let origin = self.session.origin.get();
        let is_now = |told: &Told| *told != Told::OwnIsKept || origin == Origin::Link;
        self.told.get().into_iter().filter(is_now).collect()
    }
}

/// What writes a fragment.
type WriteLink = fn(&Workspace, MemoryUnit) -> Option<String>;

/// The fragment of a state; empty where it is too long.
fn written(late: &Late, (run, unit): &Seen) -> String {
    (late.write_link)(run, *unit).filter(|fragment| fits(fragment)).unwrap_or_default()
}

fn fits(fragment: &str) -> bool {
    fragment.len() <= LONGEST
}

/// Shows the page when it is dropped.
struct Ready(Held<bool>);

impl Drop for Ready {
    fn drop(&mut self) {
        self.0.set(true);
    }
}
