//! Brings the late part where the build cut it off: once, and once more after each time that it did not come.

use super::{Act, Late, PART};
use leptos::prelude::ArcTrigger;
use leptos::prelude::{Notify, Owner, Track, on_cleanup};
use leptos::reactive::graph::Observer;
use leptos::task::spawn_local;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wasm_split_helpers::{SplitLoaderError, wasm_split};

enum State {
    Away,
    /// With what waits for it, and whether anybody asked.
    Coming(Vec<Act>, bool),
    Here(&'static Late),
}

thread_local! {
    static STATE: RefCell<State> = const { RefCell::new(State::Away) };
    static ARRIVAL: ArcTrigger = ArcTrigger::new();
    static MISSING: RefCell<Option<Rc<dyn Fn()>>> = const { RefCell::new(None) };
}

/// The late part did not come.
struct Missing;

impl From<SplitLoaderError> for Missing {
    fn from(_: SplitLoaderError) -> Self {
        Self
    }
}

/// Where the page is cut: what is reachable from here alone comes late.
#[wasm_split(late, fallible)]
fn part() -> Result<&'static Late, Missing> {
    Ok(&PART)
}

/// The late part, if it is here; what follows its values asks again when it is.
pub(super) fn here() -> Option<&'static Late> {
    if Observer::get().is_some() {
        ARRIVAL.with(Track::track);
    }
    arrived()
}

fn arrived() -> Option<&'static Late> {
    STATE.with_borrow(|state| if let State::Here(late) = state { Some(*late) } else { None })
}

pub(super) fn ask(act: Act, asks: bool) {
    if let Some(late) = arrived() {
        act(late);
    } else if Observer::get().is_some() {
        ARRIVAL.with(Track::track);
        fetch(None, asks);
    } else {
        fetch(Some(while_wanted(act)), asks);
    }
}

pub(super) fn when_missing(tell: impl Fn() + 'static) {
    MISSING.set(Some(Rc::new(tell)));
}

/// The act under the owner that asks for it, and nothing once that is gone.
fn while_wanted(act: Act) -> Act {
    let Some(owner) = Owner::current() else { return act };
    let is_gone = Arc::new(AtomicBool::new(false));
    let told = is_gone.clone();
    on_cleanup(move || told.store(true, Ordering::Relaxed));
    Box::new(move |late| {
        if !is_gone.load(Ordering::Relaxed) {
            owner.with(|| act(late));
        }
    })
}

fn fetch(waiting: Option<Act>, asks: bool) {
    let is_coming = STATE.with_borrow_mut(|state| match state {
        State::Coming(others, is_asked) => {
            others.extend(waiting);
            *is_asked |= asks;
            true
        }
        State::Away => {
            *state = State::Coming(waiting.into_iter().collect(), asks);
            false
        }
        State::Here(_) => true,
    });
    if !is_coming {
        spawn_local(async { arrive(part().await) });
    }
}

fn arrive(came: Result<&'static Late, Missing>) {
    let state = came.as_ref().map_or(State::Away, |late| State::Here(late));
    let (waiting, is_asked) = match STATE.replace(state) {
        State::Coming(waiting, is_asked) => (waiting, is_asked),
        State::Away | State::Here(_) => (Vec::new(), false),
    };
    if let Ok(late) = came {
        waiting.into_iter().for_each(|act| act(late));
        ARRIVAL.with(Notify::notify);
    } else if is_asked && let Some(tell) = MISSING.with_borrow(Clone::clone) {
        tell();
    }
}
