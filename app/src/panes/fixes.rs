//! Under the verdict: what would make the run fit, and how far one can go.

use crate::browser::events;
use crate::browser::patch::live_after;
use crate::components::fix_panel::{Panel, fix_panel};
use crate::messages::{ahead, use_messages};
use crate::reactive::Held;
use crate::state::futures::Question;
use crate::state::{Futures, Preferences};
use leptos::prelude::*;

/// The panel.
#[component]
pub fn Fixes() -> impl IntoView {
    let say = use_messages();
    let futures = expect_context::<Futures>();
    let unit = expect_context::<Preferences>().unit;
    let is_open = Held::new(false);
    let panel = live_after(move || {
        let (is_current, is_open, question, unit) =
            (futures.is_current.get(), is_open.get(), futures.question.get(), unit.get());
        futures.ahead.with(|ahead| {
            futures.answer.with(|answer| {
                let answer = answer.as_ref();
                fix_panel(Panel { ahead, is_current, is_open, question, answer, unit }, say)
            })
        })
    });
    events::hear("click", ".ways", move |event| {
        if let Some(way) = events::closest(event, "data-way").and_then(|at| at.parse().ok()) {
            // After the first click of two something else stands there.
            if !events::is_again(event) {
                futures.take(way);
            }
            return;
        }
        match events::closest(event, "data-testid").as_deref() {
            Some("fixes-more") => is_open.set(!is_open.get_untracked()),
            Some("limit-take") => futures.take_answer(),
            Some(name) => {
                if let Some(question) = Question::ALL.into_iter().find(|question| question.name() == name) {
                    futures.ask(question);
                }
            }
            None => {}
        }
    });
    view! {
        <div class="ways" role="region" data-testid="fixes" aria-label=ahead::of(say.spoken).panel node_ref=panel></div>
    }
}
