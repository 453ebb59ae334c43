//! The page: provides the state and places the panes.

use crate::browser::patch::live;
use crate::browser::{media, order};
use crate::components::legend::fills;
use crate::messages::Language;
use crate::panes::answer::AnswerPane;
use crate::panes::controls::ControlsPane;
use crate::panes::frame::{Footer, Header, VerdictBar};
use crate::panes::run::RunPane;
use crate::state::{EditorText, EstimateMemos, ModelInput, Preferences, Sample, Selection, WhatIf};
use leptos::html::Main;
use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App(
    /// The train.yaml to open with; the first sample where none is given.
    #[prop(optional, into)]
    text: Option<String>,
) -> impl IntoView {
    provide_state(&text.unwrap_or_else(|| Sample::OPENING.text.to_owned()));
    let panes = pane_order();
    let fills = live(fills);
    view! {
        <div node_ref=fills></div>
        <div class="page">
            <Header />
            <main class="panes" data-testid="app" node_ref=panes>
                <RunPane />
                <ControlsPane />
                <AnswerPane />
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

/// From left to right; where there is only one column, the answer first. The panes really change places, so that the
/// keyboard and screen readers meet them in the order they are seen.
fn pane_order() -> NodeRef<Main> {
    let panes = NodeRef::new();
    let is_wide = media::matches("(min-width: 52rem)");
    Effect::new(move |_| {
        let order = if is_wide.get() { ["run", "controls", "answer"] } else { ["answer", "controls", "run"] };
        if let Some(panes) = panes.get() {
            order::arrange(&panes, &order);
        }
    });
    panes
}
