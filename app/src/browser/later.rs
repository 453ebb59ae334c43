//! Doing something once things have come to rest.

use leptos::leptos_dom::helpers::{TimeoutHandle, set_timeout_with_handle};
use leptos::prelude::on_cleanup;
use send_wrapper::SendWrapper;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// Something that is done so long after it was last asked for, while the caller's owner lives.
#[derive(Clone)]
pub struct Later {
    rest: Duration,
    work: Rc<dyn Fn()>,
    timer: Rc<Cell<Option<TimeoutHandle>>>,
}

impl Later {
    /// Does `work` so long after the last [`Self::ask`].
    pub fn new(rest: Duration, work: impl Fn() + 'static) -> Self {
        let timer = Rc::new(Cell::new(None::<TimeoutHandle>));
        let kept = SendWrapper::new(timer.clone());
        on_cleanup(move || clear(&kept));
        Self { rest, work: Rc::new(work), timer }
    }

    /// Asks for it no more.
    pub fn cancel(&self) {
        clear(&self.timer);
    }

    /// Asks for it.
    pub fn ask(&self) {
        clear(&self.timer);
        let work = self.work.clone();
        self.timer.set(set_timeout_with_handle(move || work(), self.rest).ok());
    }
}

fn clear(timer: &Cell<Option<TimeoutHandle>>) {
    if let Some(timer) = timer.take() {
        timer.clear();
    }
}
