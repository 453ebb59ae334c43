//! The right pane: the answer.

use crate::components::breakdown_table::{breakdown_table, toggled};
use crate::components::chart::{ChartInput, chart_picture, measured, stage_by_key, stage_of};
use crate::components::layer_strip::stage_facts;
use crate::components::legend::{category_of, legend};
use crate::components::verdict::verdict_line;
use crate::messages::{Messages, use_messages};
use crate::state::{EstimateMemos, Preferences, Selection};
use leptos::prelude::*;
use shardmem::memory::Category;
use shardmem::report::Report;
use shardmem::report::number::MemoryUnit;

/// Verdict, bars, and the selected stage; the last good figures, marked, while the run has an error.
///
/// Three effects make views of plain values, which keep their nodes and write only the attributes that differ: as fine as
/// a signal per attribute, at a tenth of its cost. The handlers stand on the nodes around them.
#[component]
pub fn AnswerPane() -> impl IntoView {
    let say = use_messages();
    let unit = expect_context::<Preferences>().unit;
    let selection = expect_context::<Selection>();
    let estimate = expect_context::<EstimateMemos>();
    let pointed = RwSignal::new(None::<Category>);
    let open = RwSignal::new(Vec::<Category>::new());
    let (holder, size) = measured();
    let verdict = move || {
        let shown = estimate.with_report(|report, is_stale| verdict_line(report, is_stale, unit.get(), say).into_any());
        shown.unwrap_or_else(|| nothing_yet(say).into_any())
    };
    let picture = move || {
        let (selected, unit, size) = (selection.stage(), unit.get(), size.get());
        estimate
            .with_report(|report, is_stale| chart_picture(ChartInput { report, is_stale, selected, unit, size }, say))
    };
    let details = move || {
        let selected = selection.stage();
        estimate.with_report(|report, _| open.with(|open| details(report, selected, open, unit.get(), say)))
    };
    let last_stage =
        move || untrack(|| estimate.with_report(|report, _| report.stages.len())).map_or(0, |stages| stages - 1);
    view! {
        <section class="pane answer" aria-label=say.answer>
            <div
                class="answer-figures"
                data-point=move || pointed.get().map(Category::id)
                on:pointerover=move |event| point(pointed, category_of(&event))
                on:pointerleave=move |_| point(pointed, None)
                on:click=move |event| {
                    toggled(&event).into_iter().for_each(|category| toggle(open, category));
                    stage_of(&event).into_iter().for_each(|stage| selection.pick(stage));
                }
                on:keydown=move |event| {
                    stage_by_key(&event, last_stage()).into_iter().for_each(|stage| selection.pick(stage));
                }
            >
                {verdict}
                <div class="chart" node_ref=holder>
                    {picture}
                </div>
                {details}
            </div>
        </section>
    }
}

fn nothing_yet(say: &'static Messages) -> impl IntoView {
    view! {
        <div class="nothing-yet" role="status" data-testid="no-estimate">
            <h2>{say.no_estimate}</h2>
            <p>{say.no_estimate_help}</p>
        </div>
    }
}

/// Legend, and the selected stage in words and figures.
fn details(
    report: &Report,
    selected: usize,
    open: &[Category],
    unit: MemoryUnit,
    say: &'static Messages,
) -> impl IntoView + use<> {
    let categories = categories(report);
    let is_notched = report.chart.bars.iter().any(|bar| !bar.notches.is_empty());
    let stage = report.stages.get(selected);
    view! {
        {legend(&categories, is_notched, say)}
        <section class="stage-detail" aria-label=(say.stage)(selected)>
            <div class="heading">
                <h2>{(say.stage)(selected)}</h2>
            </div>
            <div class="stage-columns">
                {stage.map(|stage| breakdown_table(stage, &categories, open, unit, say))}
                <div class="stage-side">{stage.map(|stage| stage_facts(stage, unit, say))}</div>
            </div>
        </section>
    }
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
