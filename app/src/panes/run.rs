//! The left pane: the file, what is wrong in it, and the model.

use super::model::ModelSection;
use crate::browser::files::{self, TextFile};
use crate::browser::patch::live;
use crate::components::code_editor::{CodeEditor, EditorHandle, Mark, Syntax};
use crate::components::diagnostic_list::{Asked, asked, diagnostic_list};
use crate::messages::use_messages;
use crate::state::findings::{Finding, Spot};
use crate::state::run::ModelSource;
use crate::state::{EditorText, EstimateMemos, ModelInput, Sample, Selection, WhatIf};
use crate::view::html;
use leptos::prelude::*;
use shardmem::provenance::Source;

/// Editor, findings, model.
#[component]
pub fn RunPane() -> impl IntoView {
    let say = use_messages();
    let editor = expect_context::<EditorText>();
    let findings = expect_context::<EstimateMemos>().findings;
    let model = expect_context::<ModelInput>();
    let run_handle = EditorHandle::of(editor.text);
    let config_handle = EditorHandle::of(model.config);
    let dropping = RwSignal::new(false);
    let list = live(move || html("div").child(findings.with(|findings| diagnostic_list(findings, say))));
    let open = use_open();
    let jump = move |spot: Spot| match spot.source {
        Source::Run | Source::Execution => run_handle.jump(spot.line, spot.range),
        Source::Model => config_handle.jump(spot.line, spot.range),
    };
    let answer = move |asked| {
        let finding = |at: usize| findings.with_untracked(|findings| findings.get(at).cloned());
        match asked {
            Asked::Jump(at) => {
                if let Some(spot) = finding(at).and_then(|finding| finding.spot) {
                    jump(spot);
                }
            }
            Asked::Adopt(at) => {
                if let Some(id) = finding(at).and_then(|finding| finding.adopt) {
                    model.source.set(ModelSource::Catalogue(id));
                }
            }
        }
    };

    view! {
        <section
            class="pane run"
            class:dropping=dropping
            aria-label=say.run
            on:dragover=move |event| {
                if files::carries_files(&event) {
                    event.prevent_default();
                    dropping.set(true);
                }
            }
            on:dragleave=move |_| dropping.set(false)
            on:drop=move |event| {
                dropping.set(false);
                if files::carries_files(&event) {
                    event.prevent_default();
                    files::read_dropped(&event, move |file| open.run(file));
                }
            }
            on:click=move |event| {
                if let Some(asked) = asked(&event) {
                    answer(asked);
                }
            }
        >
            <div class="heading">
                <h2>{say.run}</h2>
                <RunTools open />
            </div>
            <CodeEditor
                text=editor.text
                on_edit=Callback::new(move |text| editor.text.set(text))
                marks=marks_of(findings, Source::Run)
                syntax=Syntax::Yaml
                handle=run_handle
                label=say.yaml
                testid="yaml"
            />
            <div node_ref=list></div>
            <ModelSection config_handle config_marks=marks_of(findings, Source::Model) />
        </section>
    }
}

/// Takes a file: a `.json` is the model's config, everything else another run.
fn use_open() -> Callback<TextFile> {
    let model = expect_context::<ModelInput>();
    let start_over = use_start_over();
    Callback::new(move |file: TextFile| {
        if file.name.to_ascii_lowercase().ends_with(".json") {
            model.paste(&file.text);
        } else {
            start_over(&file.text);
            model.forget_choice();
        }
    })
}

/// Puts another run in the place of this one; nothing that was set for this one counts for it.
fn use_start_over() -> impl Fn(&str) + Copy {
    let editor = expect_context::<EditorText>();
    let what_if = expect_context::<WhatIf>();
    let selection = expect_context::<Selection>();
    move |text| {
        editor.replace(text);
        what_if.reset_all();
        selection.follow();
    }
}

fn marks_of(findings: Memo<Vec<Finding>>, source: Source) -> Memo<Vec<Mark>> {
    Memo::new(move |_| {
        findings.with(|findings| {
            let spots = findings.iter().filter_map(|finding| Some((finding.severity, finding.spot?)));
            spots
                .filter(|(_, spot)| spot.source == source)
                .map(|(severity, spot)| Mark { line: spot.line, column: spot.column, length: spot.length, severity })
                .collect()
        })
    })
}

/// Samples, and a file of the reader's own.
#[component]
fn RunTools(open: Callback<TextFile>) -> impl IntoView {
    let say = use_messages();
    let model = expect_context::<ModelInput>();
    let start_over = use_start_over();
    let take = move |sample: Sample| {
        start_over(sample.text);
        model.source.set(ModelSource::File);
    };
    view! {
        <div class="heading-tools">
            <label class="file-open">
                {say.open_file}
                <input
                    type="file"
                    accept=".yaml,.yml,.json,.txt"
                    aria-label=say.open_file
                    on:change=move |event| {
                        if let Some(input) = files::input_of(&event) {
                            files::read_chosen(&input, move |file| open.run(file));
                        }
                    }
                />
            </label>
            <select
                class="plain-select"
                data-testid="sample"
                aria-label=say.sample
                // A menu rather than a state: the text may be edited afterwards.
                on:change:target=move |event| {
                    if let Some(sample) = Sample::by_id(&event.target().value()) {
                        take(sample);
                    }
                    event.target().set_value("");
                }
            >
                <option value="" disabled selected>
                    {say.sample_placeholder}
                </option>
                {Sample::ALL
                    .into_iter()
                    .map(|sample| view! { <option value=sample.id>{sample.title}</option> })
                    .collect_view()}
            </select>
        </div>
    }
}
