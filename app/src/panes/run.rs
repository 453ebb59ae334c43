//! The left pane: the file, what is wrong in it, and the model.

use super::model::{ModelSection, choose};
use super::new_run::{EmptyRun, NewRun};
use crate::browser::events::{self, Given};
use crate::browser::files::{self, TextFile};
use crate::browser::patch::live;
use crate::browser::{clipboard, focus, root};
use crate::components::code_editor::{CodeEditor, EditorHandle, Mark, Syntax, Written};
use crate::components::diagnostic_list::{Asked, asked, diagnostic_list};
use crate::late::with_late;
use crate::messages::{Messages, use_messages};
use crate::reactive::Derived;
use crate::state::findings::{Finding, Spot};
use crate::state::history::What;
use crate::state::{EstimateMemos, Links, ModelSource, Sample, Session, pasted};
use crate::view::{Element, html};
use leptos::prelude::*;
use shardmem::provenance::{KeyPath, Source};

/// Editor, findings, model.
#[component]
pub fn RunPane() -> impl IntoView {
    let say = use_messages();
    let session = expect_context::<Session>();
    let estimate = expect_context::<EstimateMemos>();
    let findings = estimate.findings;
    let run_handle = EditorHandle::of(session.text);
    let config_handle = EditorHandle::of(session.config);
    let tools = live(move || html("div").children(run_tools(say)));
    let list = live(move || html("div").child(findings.with(|findings| diagnostic_list(findings, say))));
    let jump = move |spot: Spot| match spot.source {
        Source::Run | Source::Execution => run_handle.jump(spot.line, spot.range),
        Source::Model => config_handle.jump(spot.line, spot.range),
    };
    let answer = move |asked| {
        let finding = |at: usize| findings.with_untracked(|findings| findings.get(at).cloned());
        match asked {
            Asked::Jump(at) => match finding(at) {
                Some(Finding { spot: Some(spot), .. }) => jump(spot),
                Some(Finding { row: Some(row), .. }) => focus::on(&format!("[data-range='{row}'] input")),
                Some(_) | None => {}
            },
            Asked::LeaveOut(at) => {
                let keys = finding(at).map_or(Vec::new(), |finding| finding.leave_out);
                with_late(move |late| {
                    if let Some(text) = (late.leave_out)(&session.run().text, &keys) {
                        session.act(What::Text, |run| run.text = text.into());
                    }
                });
            }
            Asked::Model => focus::on("[data-testid=model]"),
            Asked::Config => focus::on("[data-testid=config-json]"),
            Asked::Adopt(at) => {
                if let Some(id) = finding(at).and_then(|finding| finding.adopt) {
                    choose(session, ModelSource::Catalogue(id.into()));
                }
            }
        }
    };
    events::hear("click", ".run", move |event| {
        if let Some(asked) = asked(event) {
            answer(asked);
        }
    });
    hear_files(session);
    events::hear("click", "[data-jump]", move |event| {
        if let Some(spot) = led_to(event, &estimate) {
            jump(spot);
        }
    });

    view! {
        <section class="pane run" aria-label=say.run>
            <div class="heading">
                <h2>{say.run}</h2>
                <NewRun />
                <div class="heading-tools" node_ref=tools></div>
            </div>
            <CodeEditor
                text=session.text
                on_edit=Callback::new(move |Written { text, edit }| {
                    if pasted::edited(session, &text, edit) {
                        show_anew();
                    }
                })
                caret=session.caret_in(What::Text)
                marks=marks_of(findings, Source::Run)
                syntax=Syntax::Yaml
                handle=run_handle
                label=say.yaml
                testid="yaml"
            />
            <EmptyRun />
            <div node_ref=list></div>
            <ModelSection config_handle config_marks=marks_of(findings, Source::Model) />
        </section>
    }
}

/// The line that an origin leads to; one that leads to a control gives it the focus.
fn led_to(event: &leptos::ev::Event, estimate: &EstimateMemos) -> Option<Spot> {
    let path = events::closest(event, "data-path")?;
    let source = match events::closest(event, "data-jump")?.as_str() {
        "run" => Source::Run,
        "config" => Source::Model,
        _ => {
            focus::on(&format!("[data-control='{path}'] :is(input, select)"));
            return None;
        }
    };
    untrack(|| estimate.line_of(source, KeyPath::parse(&path)))
}

/// What is dropped, pasted, opened and picked.
fn hear_files(session: Session) {
    let links = expect_context::<Links>();
    // Over the whole page: who drops a file beside the pane means it too.
    events::hear("dragover", "", |event| {
        if files::carries_files(event) {
            event.prevent_default();
            root::mark("data-dropping", "");
        }
    });
    events::hear("dragleave", "", |_| root::unmark("data-dropping"));
    events::hear("drop", "", move |event| {
        root::unmark("data-dropping");
        if files::carries_files(event) {
            event.prevent_default();
            files::read_dropped(event, move |file| take_file(session, &links, &file));
        }
    });
    events::hear("change", ".file-open", move |event| {
        files::read_chosen(event, move |file| take_file(session, &links, &file));
    });
    events::hear("change", "[data-testid=sample]", move |event| {
        let Some(Given::Text(id)) = events::given(event) else { return };
        with_late(move |late| {
            if let Some(sample) = (late.sample)(&id) {
                session.act(What::Run, |run| {
                    run.start_over(sample.text);
                    run.model = ModelSource::File;
                });
                show_anew();
            }
        });
        // A menu rather than a state: the text may be edited afterwards.
        events::put(event, "");
    });
    events::hear("paste", "[data-testid=yaml]", move |event| {
        // A config.json pasted anywhere into the train.yaml is not a piece of it.
        if let Some(text) = clipboard::pasted_text(event).filter(|text| pasted::is_config(text)) {
            event.prevent_default();
            pasted::take_config(session, &text);
        }
    });
}

/// Takes a file: a state of the page, or a model's config, by its name or by what it holds; everything else is another run.
fn take_file(session: Session, links: &Links, file: &TextFile) {
    if pasted::is_state(&file.name, &file.text) {
        links.open_file(file.text.clone());
    } else if file.name.to_ascii_lowercase().ends_with(".json") || pasted::is_config(&file.text) {
        session.act(What::Config, |run| run.paste_config(&file.text));
    } else {
        session.act(What::Run, |run| run.start_over(&file.text));
        show_anew();
    }
}

/// Another run is read from its beginning, and its verdict first.
fn show_anew() {
    focus::rewind_soon(".editor:has([data-testid=yaml])");
    focus::rewind_soon(".answer");
}

fn marks_of(findings: Derived<Vec<Finding>>, source: Source) -> Derived<Vec<Mark>> {
    Derived::new(move |_| {
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
fn run_tools(say: &Messages) -> [Element; 2] {
    let file = html("input")
        .attribute("type", "file")
        .attribute("accept", ".yaml,.yml,.json,.txt")
        .attribute("aria-label", say.open_file);
    let first = html("option").attribute("value", "").flag("disabled", true).text(say.sample_placeholder);
    let samples = Sample::NAMES
        .map(|(id, model, devices)| html("option").attribute("value", id).text((say.sample_title)(model, devices)));
    let menu = html("select")
        .class("plain-select")
        .attribute("data-testid", "sample")
        .attribute("aria-label", say.sample)
        .value("")
        .child(first)
        .children(samples);
    [html("label").class("file-open").child(html("span").text(say.open_file)).child(file), menu]
}
