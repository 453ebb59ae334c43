//! Long work in the time that nobody else needs: in slices, between which the page hears and draws.

use super::later::Later;
use std::rc::{Rc, Weak};
use std::time::Duration;
use wasm_bindgen::prelude::wasm_bindgen;

/// How long a slice may go on, in milliseconds; what is under way then is finished.
const SLICE: f64 = 2.0;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the page began to load.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

/// Work that begins so long after it was last asked for, while the caller's owner lives.
#[derive(Clone)]
pub struct Slices {
    begin: Later,
    next: Rc<Later>,
}

/// A slice under way.
#[derive(Clone)]
pub struct Slice {
    next: Weak<Later>,
    end: f64,
}

impl Slices {
    /// Begins so long after the last [`Self::ask`], and goes on for as long as each slice asks for another.
    pub fn new(rest: Duration, begin: impl Fn() + 'static, go_on: impl Fn(Slice) + 'static) -> Self {
        let next = Rc::new_cyclic(|next: &Weak<Later>| {
            let next = next.clone();
            Later::new(Duration::ZERO, move || go_on(Slice { next: next.clone(), end: now() + SLICE }))
        });
        let first = next.clone();
        let begin = Later::new(rest, move || {
            begin();
            first.ask();
        });
        Self { begin, next }
    }

    /// Asks for the work from its beginning; what is under way ends.
    pub fn ask(&self) {
        self.next.cancel();
        self.begin.ask();
    }
}

impl Slice {
    /// Whether the slice may go on.
    pub fn has_time(&self) -> bool {
        now() < self.end
    }

    /// Asks for another one.
    pub fn again(&self) {
        if let Some(next) = self.next.upgrade() {
            next.ask();
        }
    }
}
