//! Writing what is set into the text: the button over the controls, and what it would write.

use super::taking::Replaced;
use crate::browser::events;
use crate::browser::patch::live;
use crate::late::with_late;
use crate::messages::takeaway::{Labels, labels};
use crate::messages::use_messages;
use crate::reactive::{Held, effect};
use crate::state::history::What;
use crate::state::session::Notice;
use crate::state::written::Writable;
use crate::state::{EstimateMemos, Session};
use crate::view::{Element, html};
use leptos::ev::Event;
use leptos::html::Div;
use leptos::prelude::*;
use shardmem::report::messages::Language;

/// Apply and its preview; cheap to copy.
#[derive(Clone, Copy)]
pub(super) struct Apply {
    session: Session,
    estimate: EstimateMemos,
    language: Language,
    /// Whether what would be written is shown.
    is_open: Held<bool>,
}

impl Apply {
    pub(super) fn new() -> Self {
        Self {
            session: expect_context::<Session>(),
            estimate: expect_context::<EstimateMemos>(),
            language: use_messages().spoken,
            is_open: Held::new(false),
        }
    }

    /// The buttons.
    pub(super) fn tools(self) -> [Element; 2] {
        let say = labels(self.language);
        let writable = self.writable();
        [preview_button(writable, self.is_open.get(), self.session.changed(), say), apply_button(writable, say)]
    }

    fn writable(self) -> Writable {
        Writable::of(&self.session.followed(), self.is_current())
    }

    fn is_current(self) -> bool {
        self.estimate.with_report(|_, is_stale| !is_stale).unwrap_or(false)
    }

    /// What would be written, while it is asked for and there is something.
    pub(super) fn pending(self) -> NodeRef<Div> {
        let shown = Held::new(None::<Element>);
        effect(move || {
            let wanted = self.is_open.get().then(|| self.session.followed()).filter(|run| run.changed() > 0);
            match wanted {
                Some(run) => with_late(move |late| {
                    if self.is_open.get_untracked() {
                        shown.set(Some((late.pending)(&run, self.language)));
                    }
                }),
                None => shown.set(None),
            }
        });
        // Nothing is set any more: the next setting does not open it again.
        effect(move || {
            if self.session.changed() == 0 {
                self.is_open.set(false);
            }
        });
        live(move || html("div").children(shown.get()))
    }

    /// Whether a click was one of these, and is dealt with.
    pub(super) fn clicked(self, event: &Event) -> bool {
        match events::closest(event, "data-testid").as_deref() {
            Some("preview") => self.is_open.update(|is_open| *is_open = !*is_open),
            Some("apply") => self.write(),
            _ => return false,
        }
        true
    }

    fn write(self) {
        if self.is_writable() {
            // What is written is the run as it stands once the late part is here.
            with_late(move |late| {
                if self.is_writable() {
                    self.take((late.write)(&self.session.run(), self.language));
                }
            });
        }
    }

    /// Whether there is something to write; if not, it is said why: who cannot hover reads it nowhere else.
    fn is_writable(self) -> bool {
        let writable = untrack(|| Writable::of(&self.session.run(), self.is_current()));
        if writable != Writable::Yes {
            self.session.tell(Notice::Told((labels(self.language).apply_about)(writable).into()));
        }
        writable == Writable::Yes
    }

    fn take(self, written: Result<Replaced, String>) {
        match written {
            Ok(Replaced { run, words }) => {
                self.session.act(What::Applied, |present| *present = run);
                self.session.tell(Notice::Done(words.into()));
            }
            Err(words) => self.session.tell(Notice::Told(words.into())),
        }
    }
}

fn preview_button(writable: Writable, is_open: bool, changed: usize, say: &Labels) -> Element {
    html("button")
        .attribute("type", "button")
        .class(if writable == Writable::NothingSet { "action absent" } else { "action" })
        .attribute("data-testid", "preview")
        .state("aria-expanded", is_open)
        .text((say.preview)(changed))
}

fn apply_button(writable: Writable, say: &Labels) -> Element {
    html("button")
        .attribute("type", "button")
        .class("action")
        .attribute("data-testid", "apply")
        .attribute("title", (say.apply_about)(writable))
        .state("aria-disabled", writable != Writable::Yes)
        .text(say.apply)
}
