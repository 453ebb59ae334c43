//! The right pane: the answer.

use crate::browser::events;
use crate::browser::later::Later;
use crate::browser::patch::live;
use crate::components::breakdown_copy::{TableCopy, Told};
use crate::components::breakdown_order::Column;
use crate::components::breakdown_table::{OtherStage, SORT, TableInput, breakdown_table, toggled};
use crate::components::chart::{ChartInput, UNMEASURED, chart_picture, measure, stage_by_key, stage_of};
use crate::components::compare_bar::{CompareInput, compare_bar};
use crate::components::layer_strip::stage_facts;
use crate::components::legend::{Extras, category_of, legend};
use crate::components::sorting::{self, Order};
use crate::components::verdict::{nothing_yet, verdict_line};
use crate::late::{Late, with_late};
use crate::messages::pictures::captions;
use crate::messages::{Language, Messages, use_messages};
use crate::panes::explain::ExplainPane;
use crate::panes::fixes::Fixes;
use crate::panes::memory::Beside;
use crate::panes::pictures::Pictures;
use crate::reactive::Held;
use crate::state::history::What;
use crate::state::{Compare, EstimateMemos, OtherModel, Preferences, Selection, Session, Workspace};
use crate::view::{Element, html};
use leptos::prelude::*;
use shardmem::memory::Category;
use shardmem::report::number::MemoryUnit;
use shardmem::report::{Other, Report};
use std::time::Duration;

/// How long the page says that something was copied.
const COPIED_SHOWN: Duration = Duration::from_secs(3);

/// Verdict, bars, and the selected stage; the last good figures, marked, while the run has an error.
#[component]
pub fn AnswerPane() -> impl IntoView {
    let say = use_messages();
    let unit = expect_context::<Preferences>().unit;
    let selection = expect_context::<Selection>();
    let estimate = expect_context::<EstimateMemos>();
    let compare = expect_context::<Compare>();
    let session = expect_context::<Session>();
    let other = expect_context::<OtherModel>();
    let pointed = Held::new(None::<Category>);
    let open = Held::new(Vec::<Category>::new());
    let order = Held::new(None::<Order<Column>>);
    let copied = Held::new(None::<bool>);
    let verdict = live(move || {
        let shown = estimate.with_report(|report, is_stale| {
            let unit = unit.get();
            let verdict = verdict_line(report, is_stale, unit, say);
            let bar = compare.baseline.with(|baseline| {
                let is_compared = baseline.is_some();
                let baseline = baseline.as_ref().and_then(|baseline| baseline.report.as_deref());
                let is_current = !is_stale;
                compare.changes.with(|changes| {
                    compare_bar(CompareInput { report, is_compared, baseline, changes, unit, is_current }, say)
                })
            });
            [verdict, bar]
        });
        let shown = shown.map_or_else(|| vec![nothing_yet(say)], Vec::from);
        html("div").maybe("data-point", pointed.get().map(Category::id)).children(shown)
    });
    let size = Held::new(UNMEASURED);
    let chart = live(move || {
        let (selected, unit, size) = (selection.stage(), unit.get(), size.get());
        let picture = estimate.with_report(|report, is_stale| {
            compare.with_report(|baseline| {
                chart_picture(ChartInput { report, baseline, is_stale, selected, unit, size }, say)
            })
        });
        html("div").children(picture)
    });
    let details = live(move || {
        let (selected, unit) = (selection.stage(), unit.get());
        let is_compared = compare.baseline.with(Option::is_some);
        let details = estimate.with_report(|report, _| {
            compare.with_report(|baseline| {
                open.with(|open| {
                    let (order, copied) = (order.get(), copied.get());
                    let (other, is_current) = (other.said.get(), other.is_current.get());
                    let other = other.as_deref().map(|other| (other, is_current));
                    details(&Shown { report, is_compared, baseline, other, selected, open, order, copied, unit }, say)
                })
            })
        });
        details.unwrap_or_else(|| html("div"))
    });
    measure(chart, size);
    let last_stage =
        move || untrack(|| estimate.with_report(|report, _| report.stages.len())).map_or(0, |stages| stages - 1);
    let hush = Later::new(COPIED_SHOWN, move || copied.set(None));
    let copy = move || {
        let hush = hush.clone();
        let done = Box::new(move |is_copied: bool| {
            copied.set(Some(is_copied));
            hush.ask();
        });
        with_late(move |late| {
            untrack(|| copy_table(late, (estimate, compare), (selection.stage(), say.spoken), order.get(), done));
        });
    };
    // Everywhere: what is pointed at elsewhere is nothing of the chart.
    events::hear("pointerover", "", move |event| pointed.set(category_of(event)));
    events::hear("click", ".answer", move |event| {
        if let Some(category) = toggled(event) {
            toggle(open, category);
        } else if let Some(column) = sorting::column(event, SORT) {
            order.set(sorting::pressed(column, order.get_untracked()));
        } else if events::is_inside(event, "[data-testid=copy-table]") {
            copy();
        } else if let Some(stage) = stage_of(event) {
            selection.pick(stage);
        } else {
            act(session, event);
        }
    });
    events::hear("keydown", ".answer", move |event| {
        if let Some(stage) = stage_by_key(event, last_stage()) {
            selection.pick(stage);
        }
    });
    view! {
        <section class="pane answer" aria-label=say.answer>
            <div class="answer-verdict" node_ref=verdict></div>
            <Beside />
            <Fixes />
            <div class="chart" node_ref=chart></div>
            <div class="answer-details" node_ref=details></div>
            <ExplainPane />
            <Pictures />
        </section>
    }
}

/// Copies the table of a stage as it is shown.
fn copy_table(
    late: &Late,
    (estimate, compare): (EstimateMemos, Compare),
    (selected, language): (usize, Language),
    order: Option<Order<Column>>,
    done: Told,
) {
    estimate.with_report(|report, _| {
        compare.with_report(|baseline| {
            let baseline = baseline.and_then(|baseline| baseline.stages.get(selected));
            if let Some(stage) = report.stages.get(selected) {
                (late.copy_table)(&TableCopy { stage, baseline, order, language }, done);
            }
        });
    });
}

/// What a click asks of the baseline.
fn act(session: Session, event: &leptos::ev::Event) {
    let act: fn(&mut Workspace) = match events::closest(event, "data-testid").as_deref() {
        // A run with an error has no figures to compare with.
        Some("pin") if !events::is_inside(event, "[aria-disabled=true]") => Workspace::pin_baseline,
        Some("swap") => Workspace::swap_baseline,
        Some("clear-baseline") => |run| run.baseline = None,
        _ => return,
    };
    session.act(What::Baseline, act);
}

/// What stands under the chart.
struct Shown<'a> {
    report: &'a Report,
    is_compared: bool,
    baseline: Option<&'a Report>,
    other: Option<(&'a Other, bool)>,
    selected: usize,
    open: &'a [Category],
    order: Option<Order<Column>>,
    copied: Option<bool>,
    unit: MemoryUnit,
}

/// Legend, and the selected stage in words and figures.
fn details(shown: &Shown<'_>, say: &Messages) -> Element {
    let Shown { report, is_compared, baseline, other, selected, open, order, copied, unit } = *shown;
    // What was said of another memory model is nothing beside the same one.
    let other = other.filter(|(other, _)| other.memory_model != report.memory_model).and_then(|(other, is_current)| {
        let (categories, peak) = (other.categories.get(selected)?, *other.stages.get(selected)?);
        Some(OtherStage { name: other.memory_model, categories, peak, is_current })
    });
    let categories = &categories(report, baseline);
    let extras = Extras {
        notches: report.chart.bars.iter().any(|bar| !bar.notches.is_empty()),
        other: report.chart.bars.iter().any(|bar| bar.other.is_some()),
        baseline: baseline.is_some(),
    };
    let stage = report.stages.get(selected);
    let before = baseline.and_then(|baseline| baseline.stages.get(selected));
    let table = stage.map(|stage| {
        breakdown_table(TableInput { stage, is_compared, baseline: before, other, categories, open, order, unit }, say)
    });
    let facts = stage.map(|stage| stage_facts(stage, unit, say));
    let name = (say.stage)(selected);
    let detail = html("section")
        .class("stage-detail")
        .attribute("aria-label", name.clone())
        .child(html("div").class("heading").child(html("h2").text(name)).child(copy_tools(copied, say)))
        .child(html("div").class("stage-columns").children(table).children(facts));
    html("div").child(legend(categories, extras, say)).child(detail)
}

/// Copies the table, and says so.
fn copy_tools(copied: Option<bool>, say: &Messages) -> Element {
    let captions = captions(say.spoken);
    let said = copied.map_or("", |is_copied| if is_copied { captions.copied } else { captions.not_copied });
    let button = html("button")
        .attribute("type", "button")
        .class("action")
        .attribute("data-testid", "copy-table")
        .text(captions.copy_table);
    html("div")
        .class("heading-tools")
        .child(html("span").class("copied").attribute("role", "status").text(said))
        .child(button)
}

/// The categories that any stage holds something of, now or in the baseline.
fn categories(report: &Report, baseline: Option<&Report>) -> Vec<Category> {
    let stages = || std::iter::once(report).chain(baseline).flat_map(|report| &report.stages);
    let rows = || stages().flat_map(|stage| &stage.rows);
    Category::ALL.into_iter().filter(|category| rows().any(|row| row.category == *category)).collect()
}

fn toggle(open: Held<Vec<Category>>, category: Category) {
    open.update(|open| match open.iter().position(|other| *other == category) {
        Some(at) => drop(open.remove(at)),
        None => open.push(category),
    });
}
