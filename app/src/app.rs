//! The page: provides the state and places the panes.

use crate::browser::patch::live;
use crate::browser::{media, order, root};
use crate::components::legend::fills;
use crate::late;
use crate::panes::answer::AnswerPane;
use crate::panes::controls::ControlsPane;
use crate::panes::frame::{Footer, Header, NoticeBar, VerdictBar};
use crate::panes::run::RunPane;
use crate::panes::shortcuts;
use crate::reactive::effect;
use crate::state::keeping::Keeping;
use crate::state::links::Home;
use crate::state::session::Notice;
use crate::state::{
    Compare, EstimateMemos, Explaining, Futures, Links, OtherModel, Preferences, Sample, Selection, Session, Workspace,
};
use leptos::html::Div;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The whole page.
#[component]
pub fn App(
    /// The train.yaml to open with. Without one the run that was left here last, else the first sample; and the run is kept.
    #[prop(optional, into)]
    text: Option<String>,
) -> impl IntoView {
    let (preferences, links) = provide_state(text);
    let fills = live(fills);
    let holder = NodeRef::<Div>::new();
    // Another language is another page over the same state.
    let mut shown = None;
    effect(move || {
        let language = preferences.language.get();
        let Some(holder) = holder.get().filter(|_| links.is_ready.get()) else { return };
        drop(shown.take());
        provide_context(language);
        shown = Some(mount_to(holder.unchecked_into(), || view! { <Page /> }));
        root::started();
    });
    view! {
        <div node_ref=fills></div>
        <div node_ref=holder></div>
    }
}

#[component]
fn Page() -> impl IntoView {
    keep_order();
    view! {
        <div class="page">
            <Header />
            <main class="panes" data-testid="app">
                <RunPane />
                <ControlsPane />
                <AnswerPane />
            </main>
            <Footer />
            <VerdictBar />
            <NoticeBar />
        </div>
    }
}

fn provide_state(text: Option<String>) -> (Preferences, Links) {
    let sample = || Workspace::of(Sample::OPENING.text);
    let (session, home) = match text {
        Some(text) => (Session::new(Workspace::of(&text)), Home::Given),
        None if root::is_embedded() => (Session::new(sample()), Home::Embedded),
        None => {
            let (session, keeping) = Keeping::begin(sample);
            (session, Home::Page(keeping))
        }
    };
    let preferences = Preferences::restored();
    let links = Links::of(session, preferences.unit, home);
    let estimate = EstimateMemos::new(session, preferences.language);
    provide_context(OtherModel::of(estimate));
    provide_context(session);
    provide_context(estimate);
    provide_context(Compare::of(session, estimate));
    provide_context(Futures::of(session, estimate, preferences));
    provide_context(Selection::of(session, estimate));
    provide_context(preferences);
    provide_context(Explaining::nothing());
    provide_context(links);
    shortcuts::listen(session);
    late::when_missing(move || session.tell(Notice::PartMissing));
    links.listen();
    if root::is_embedded() {
        root::mark("data-embed", "");
    }
    (preferences, links)
}

/// From left to right; where there is only one column, the answer first. The panes really change places, so that the
/// keyboard and screen readers meet them in the order they are seen.
fn keep_order() {
    let is_wide = media::matches("(min-width: 52rem)");
    effect(move || {
        let order = if is_wide.get() { ["run", "controls", "answer"] } else { ["answer", "controls", "run"] };
        order::arrange("main.panes", &order);
    });
}
