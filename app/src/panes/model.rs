//! The model of the run: found in the file, picked from the catalogue, or pasted.

use crate::browser::patch::live;
use crate::browser::{events, focus};
use crate::components::code_editor::{CodeEditor, EditorHandle, Mark, Syntax, Written};
use crate::components::model_picker::ModelPicker;
use crate::messages::{Messages, use_messages};
use crate::reactive::{Derived, effect};
use crate::state::history::What;
use crate::state::samples::catalogue_choices;
use crate::state::{EstimateMemos, Identity, ModelSource, Session};
use crate::view::{Element, html};
use leptos::prelude::*;

/// What was found, and the two ways to say otherwise.
#[component]
pub fn ModelSection(
    /// The config.json's editor, which findings may jump into.
    config_handle: EditorHandle,
    /// What is wrong in it.
    config_marks: Derived<Vec<Mark>>,
) -> impl IntoView {
    let say = use_messages();
    let session = expect_context::<Session>();
    let source = session.model;
    let estimate = expect_context::<EstimateMemos>();
    let current = Derived::new(move |_| match source.get() {
        ModelSource::Catalogue(id) => id.to_string(),
        ModelSource::File | ModelSource::Config => {
            estimate.with_identity(|identity| identity.model.clone()).unwrap_or_default()
        }
    });
    let found = live(move || {
        let identity = estimate.with_identity(Clone::clone);
        let note = estimate.parameter_note(say.spoken);
        source.with(|source| model_found(source, identity, note, estimate.is_read(), say))
    });
    events::hear("click", "[data-testid=model-from-file]", move |_| choose(session, ModelSource::File));
    // A pasted config.json is shown; the reader may fold it away again.
    effect(move || {
        if source.with(|source| *source == ModelSource::Config) {
            focus::unfold_on(".config-json");
        }
    });
    view! {
        <section class="model" aria-label=say.model>
            <div node_ref=found></div>
            <ModelPicker
                choices=catalogue_choices
                current
                on_choose=Callback::new(move |id: String| choose(session, ModelSource::Catalogue(id.into())))
            />
            <details class="config-json">
                <summary>{say.config_json_summary}</summary>
                <CodeEditor
                    text=session.config
                    on_edit=Callback::new(move |written: Written| {
                        session.go_on(written.change(What::Config), |run| run.paste_config(&written.text));
                    })
                    caret=session.caret_in(What::Config)
                    marks=config_marks
                    syntax=Syntax::Json
                    handle=config_handle
                    label=say.config_json
                    testid="config-json"
                />
            </details>
        </section>
    }
}

/// Takes the model from somewhere else.
pub(super) fn choose(session: Session, source: ModelSource) {
    session.act(What::Model, |run| run.model = source);
}

/// The model in use, in words, and the way back to the file's own.
fn model_found(
    source: &ModelSource,
    identity: Option<Identity>,
    note: Option<String>,
    is_read: bool,
    say: &Messages,
) -> Element {
    let from = match source {
        // Of another source, perhaps: the one in use gives no model now.
        _ if !is_read => say.model_stale,
        ModelSource::File => say.model_found,
        ModelSource::Catalogue(_) => say.model_chosen,
        ModelSource::Config => say.model_config,
    };
    let (name, rest) = match identity {
        Some(Identity { model, .. }) => {
            let note = note.map_or(String::new(), |note| ["; ", &note].concat());
            (model, [", ", from, &note].concat())
        }
        None => (String::new(), say.model_unknown.to_owned()),
    };
    let back = html("button")
        .attribute("type", "button")
        .class("action")
        .attribute("data-testid", "model-from-file")
        .flag("hidden", *source == ModelSource::File)
        .text(say.model_from_file);
    html("div").child(html("div").class("heading").child(html("h2").text(say.model)).child(back)).child(
        html("p")
            .class("model-found")
            .attribute("data-testid", "model-found")
            .child(html("strong").text(name))
            .text(rest),
    )
}
