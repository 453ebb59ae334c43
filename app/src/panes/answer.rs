//! The right pane: the answer.

use crate::browser::patch::live;
use crate::components::breakdown_table::{TableInput, breakdown_table, toggled};
use crate::components::chart::{ChartInput, UNMEASURED, chart_picture, measure, stage_by_key, stage_of};
use crate::components::layer_strip::stage_facts;
use crate::components::legend::{category_of, legend};
use crate::components::verdict::{nothing_yet, verdict_line};
use crate::messages::{Messages, use_messages};
use crate::state::{EstimateMemos, Preferences, Selection};
use crate::view::{Element, html};
use leptos::prelude::*;
use shardmem::memory::Category;
use shardmem::report::Report;
use shardmem::report::number::MemoryUnit;

/// Verdict, bars, and the selected stage; the last good figures, marked, while the run has an error.
#[component]
pub fn AnswerPane() -> impl IntoView {
    let say = use_messages();
    let unit = expect_context::<Preferences>().unit;
    let selection = expect_context::<Selection>();
    let estimate = expect_context::<EstimateMemos>();
    let pointed = RwSignal::new(None::<Category>);
    let open = RwSignal::new(Vec::<Category>::new());
    let verdict = live(move || {
        let shown = estimate.with_report(|report, is_stale| verdict_line(report, is_stale, unit.get(), say));
        html("div")
            .maybe("data-point", pointed.get().map(Category::id))
            .child(shown.unwrap_or_else(|| nothing_yet(say)))
    });
    let size = RwSignal::new(UNMEASURED);
    let chart = live(move || {
        let (selected, unit, size) = (selection.stage(), unit.get(), size.get());
        let picture = estimate
            .with_report(|report, is_stale| chart_picture(ChartInput { report, is_stale, selected, unit, size }, say));
        html("div").children(picture)
    });
    let details = live(move || {
        let selected = selection.stage();
        let details =
            estimate.with_report(|report, _| open.with(|open| details(report, selected, open, unit.get(), say)));
        details.unwrap_or_else(|| html("div"))
    });
    measure(chart, size);
    let last_stage =
        move || untrack(|| estimate.with_report(|report, _| report.stages.len())).map_or(0, |stages| stages - 1);
    view! {
        <section
            class="pane answer"
            aria-label=say.answer
            on:pointerover=move |event| point(pointed, category_of(&event))
            on:pointerleave=move |_| point(pointed, None)
            on:click=move |event| {
                if let Some(category) = toggled(&event) {
                    toggle(open, category);
                } else if let Some(stage) = stage_of(&event) {
                    selection.pick(stage);
                }
            }
            on:keydown=move |event| {
                if let Some(stage) = stage_by_key(&event, last_stage()) {
                    selection.pick(stage);
                }
            }
        >
            <div class="answer-verdict" node_ref=verdict></div>
            <div class="chart" node_ref=chart></div>
            <div class="answer-details" node_ref=details></div>
        </section>
    }
}

/// Legend, and the selected stage in words and figures.
fn details(report: &Report, selected: usize, open: &[Category], unit: MemoryUnit, say: &Messages) -> Element {
    let categories = &categories(report);
    let is_notched = report.chart.bars.iter().any(|bar| !bar.notches.is_empty());
    let stage = report.stages.get(selected);
    let table = stage.map(|stage| breakdown_table(TableInput { stage, categories, open, unit }, say));
    let facts = stage.map(|stage| stage_facts(stage, unit, say));
    let name = (say.stage)(selected);
    let detail = html("section")
        .class("stage-detail")
        .attribute("aria-label", name.clone())
        .child(html("div").class("heading").child(html("h2").text(name)))
        .child(html("div").class("stage-columns").children(table).children(facts));
    html("div").child(legend(categories, is_notched, say)).child(detail)
}

/// The categories that any stage holds something of.
fn categories(report: &Report) -> Vec<Category> {
    let rows = || report.stages.iter().flat_map(|stage| &stage.rows);
    Category::ALL.into_iter().filter(|category| rows().any(|row| row.category == *category)).collect()
}

fn point(pointed: RwSignal<Option<Category>>, category: Option<Category>) {
    if pointed.get_untracked() != category {
        pointed.set(category);
    }
}

fn toggle(open: RwSignal<Vec<Category>>, category: Category) {
    open.update(|open| match open.iter().position(|other| *other == category) {
        Some(at) => drop(open.remove(at)),
        None => open.push(category),
    });
}
