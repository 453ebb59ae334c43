//! The page: provides the state and places the panes.

use crate::browser::media;
use crate::browser::patch::live;
use crate::components::legend::fills;
use crate::messages::Language;
use crate::panes::answer::AnswerPane;
use crate::panes::controls::ControlsPane;
use crate::panes::frame::{Footer, Header, VerdictBar};
use crate::panes::run::RunPane;
use crate::state::{EditorText, EstimateMemos, ModelInput, Preferences, Sample, Selection, WhatIf};
use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App(
    /// The train.yaml to open with; the first sample where none is given.
    #[prop(optional, into)]
    text: Option<String>,
) -> impl IntoView {
    provide_state(text.as_deref().unwrap_or(Sample::OPENING.text));
    let order = pane_order();
    let fills = live(fills);
    view! {
        <div node_ref=fills></div>
        <div class="page">
            <Header />
            <main class="panes" data-testid="app">
                <For
                    each=move || order.get()
                    key=|pane| *pane
                    children=move |pane| match pane {
                        Pane::Run => view! { <RunPane /> }.into_any(),
                        Pane::Controls => view! { <ControlsPane /> }.into_any(),
                        Pane::Answer => view! { <AnswerPane /> }.into_any(),
                    }
                />
            </main>
            <Footer />
            <VerdictBar />
        </div>
    }
}

fn provide_state(text: &str) {
    let editor = EditorText::new(text);
    let model = ModelInput::from_file();
    let what_if = WhatIf::none();
    let estimate = EstimateMemos::new(editor, model, what_if);
    provide_context(Language::default());
    provide_context(editor);
    provide_context(model);
    provide_context(what_if);
    provide_context(estimate);
    provide_context(Selection::following(estimate));
    provide_context(Preferences::restored());
}

/// The panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Pane {
    Run,
    Controls,
    Answer,
}

/// From left to right; where there is only one column, the answer first. The panes really change places, so that the
/// keyboard and screen readers meet them in the order they are seen.
fn pane_order() -> Memo<[Pane; 3]> {
    let is_wide = media::matches("(min-width: 52rem)");
    Memo::new(move |_| {
        if is_wide.get() {
            [Pane::Run, Pane::Controls, Pane::Answer]
        } else {
            [Pane::Answer, Pane::Controls, Pane::Run]
        }
    })
}
