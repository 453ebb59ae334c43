//! What would happen, kept up in idle time: it begins when the run has come to rest, ends when something changes, and what was
//! known of the run before stays until then, marked.

use super::ahead::{Ahead, Pass};
use super::control_view::text;
use super::ranges::Ranges;
use super::{EstimateMemos, Preferences, Session};
use crate::browser::slices::{Slice, Slices};
use crate::late::{with_late, with_late_quietly};
use crate::reactive::{Held, effect};
use crate::state::ahead::Way;
use crate::state::history::What;
use crate::view::Element;
use leptos::prelude::untrack;
use shardmem::facts::controls::{Control, Setting};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How long the run must rest.
const REST: Duration = Duration::from_millis(50);

/// What is pointed at in the controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointed {
    /// Which control.
    pub control: Control,
    /// The value under the pointer, counted from the first; none for a control without a track, and for one that has the
    /// focus.
    pub at: Option<usize>,
}

/// How far can one go?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The longest sequence that fits.
    Sequence,
    /// The largest micro-batch that fits.
    MicroBatch,
    /// The fewest recomputed layers that fit.
    Recompute,
}

impl Question {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Sequence, Self::MicroBatch, Self::Recompute];

    /// The name of its button.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequence => "limit-sequence",
            Self::MicroBatch => "limit-micro-batch",
            Self::Recompute => "limit-recompute",
        }
    }
}

/// An answer in words, and what taking it does.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What it is an answer to.
    pub question: Question,
    /// The words.
    pub said: Element,
    /// What can be taken; nothing where nothing fits, or the run is there already.
    pub take: Option<Take>,
}

/// What taking an answer changes.
#[derive(Debug, Clone, PartialEq)]
pub enum Take {
    /// A control's value.
    Value(Control, i64),
    /// Which layers recompute.
    Ranges(Ranges),
}

/// What would happen; cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Futures {
    session: Session,
    estimate: EstimateMemos,
    /// What is known.
    pub ahead: Held<Arc<Ahead>>,
    /// Whether it is of the run as it stands.
    pub is_current: Held<bool>,
    /// What is pointed at.
    pub pointed: Held<Option<Pointed>>,
    /// The control that has the focus.
    pub focused: Held<Option<Control>>,
    /// The question that is open.
    pub question: Held<Option<Question>>,
    /// Its answer.
    pub answer: Held<Option<Answer>>,
}

impl Futures {
    /// Follows the run.
    pub fn of(session: Session, estimate: EstimateMemos, preferences: Preferences) -> Self {
        let futures = Self {
            session,
            estimate,
            ahead: Held::new(Arc::default()),
            is_current: Held::new(false),
            pointed: Held::new(None),
            focused: Held::new(None),
            question: Held::new(None),
            answer: Held::new(None),
        };
        let pass = Rc::new(RefCell::new(Pass::default()));
        let fresh = pass.clone();
        let slices = Slices::new(
            REST,
            move || *fresh.borrow_mut() = Pass::default(),
            move |slice| untrack(|| futures.go_on(&pass, &slice)),
        );
        effect(move || {
            estimate.asked(|_| ());
            futures.is_current.set(false);
            slices.ask();
        });
        // An answer is of one run, in one unit and one language, to one question.
        effect(move || {
            let (unit, language) = (preferences.unit.get(), preferences.language.get());
            let is_current = futures.is_current.get();
            match futures.question.get() {
                None => futures.answer.set(None),
                Some(question) if is_current => with_late(move |late| {
                    let answer = untrack(|| estimate.asked(|run| (late.limit)(run, question, unit, language)));
                    futures.answer.set(answer);
                }),
                Some(_) => {}
            }
        });
        futures
    }

    fn go_on(self, pass: &Rc<RefCell<Pass>>, slice: &Slice) {
        let next_pair = pass.borrow().next_pair();
        if let Some(pair) = next_pair {
            self.go_on_with_pairs(pair, pass.clone(), slice.clone());
            return;
        }
        let is_over = self.estimate.asked(|run| pass.borrow_mut().go_on(run, &|| slice.has_time()));
        match is_over.flatten() {
            // A run that cannot be read has no future; what was known last stays, marked.
            None => {}
            Some(false) => slice.again(),
            Some(true) => self.show(&pass.borrow(), slice),
        }
    }

    /// The search for pairs, which few runs need, comes late.
    fn go_on_with_pairs(self, pair: usize, pass: Rc<RefCell<Pass>>, slice: Slice) {
        with_late_quietly(move |late| {
            let mut pass = pass.borrow_mut();
            // The run may have changed meanwhile.
            if pass.next_pair() != Some(pair) || !self.is_current.get_untracked() {
                return;
            }
            let found = untrack(|| self.estimate.asked(|run| (late.pairs)(run, pair, &|| slice.has_time())));
            if let Some(found) = found {
                pass.take_pairs(found);
                self.show(&pass, &slice);
            }
        });
    }

    fn show(self, pass: &Pass, slice: &Slice) {
        self.ahead.set(Arc::new(pass.ahead().clone()));
        self.is_current.set(true);
        if pass.next_pair().is_some() {
            slice.again();
        }
    }

    /// Whether a slider may go to a value: the control takes it, and the run is not refused for it.
    pub fn reaches(self, control: Control, value: i64) -> bool {
        let setting = Setting::Number(value);
        let is_refused =
            self.is_current.get_untracked() && self.ahead.with_untracked(|ahead| ahead.refuses(control, &setting));
        self.estimate.takes(control, &setting) && !is_refused
    }

    /// Asks a question, or closes it.
    pub fn ask(self, question: Question) {
        let is_open = self.question.get_untracked() == Some(question);
        self.question.set((!is_open).then_some(question));
    }

    /// Takes what is offered: one step of the history. What is offered to another run is not.
    pub fn take(self, at: usize) {
        let way = self.ahead.with_untracked(|ahead| ahead.ways.list().get(at).cloned());
        let Some(Way { steps, .. }) = way.filter(|_| self.is_current.get_untracked()) else { return };
        match steps.as_slice() {
            [] => {}
            [step] => {
                self.estimate.set(step.control, &text(&step.to));
                self.session.close();
            }
            [.., last] => self.session.act(What::Control(last.control), |run| {
                for step in &steps {
                    run.set(step.control, &text(&step.to));
                }
            }),
        }
    }

    /// Takes the answer.
    pub fn take_answer(self) {
        let take = self.answer.with_untracked(|answer| answer.as_ref()?.take.clone());
        match take.filter(|_| self.is_current.get_untracked()) {
            None => {}
            Some(Take::Value(control, value)) => {
                self.estimate.set(control, &value.to_string());
                self.session.close();
            }
            Some(Take::Ranges(ranges)) => self.session.act(What::Ranges, |run| run.ranges = Some(ranges)),
        }
    }
}
