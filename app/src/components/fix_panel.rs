//! What would make the run fit, and how far one can go: under the verdict, always of the same height.

use crate::components::preview::{moves, spoken};
use crate::messages::Messages;
use crate::messages::ahead::{self, Words};
use crate::state::ahead::{Ahead, Search, Way, Ways};
use crate::state::futures::{Answer, Question};
use crate::state::text;
use crate::view::{Element, html};
use shardmem::report::number::{Decimals, MemoryUnit, amount};

/// Ways shown before the reader asks for more.
const FIRST: usize = 4;

/// What the panel is made from.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a> {
    /// What is known.
    pub ahead: &'a Ahead,
    /// Whether it is of the run as it stands.
    pub is_current: bool,
    /// Whether all ways are shown.
    pub is_open: bool,
    /// The question that is open.
    pub question: Option<Question>,
    /// Its answer, where it is known.
    pub answer: Option<&'a Answer>,
    /// The unit of amounts.
    pub unit: MemoryUnit,
}

/// The panel, without handlers.
pub fn fix_panel(panel: Panel<'_>, say: &Messages) -> Element {
    let words = ahead::of(say.spoken);
    let ways = panel.ahead.ways.list();
    let (first, further) = ways.split_at(ways.len().min(FIRST));
    let chips = |ways: &[Way], from: usize| {
        let chips = ways.iter().enumerate().map(|(at, way)| chip(from + at, way, panel, say));
        html("div").class("ways-list").children(chips.collect::<Vec<_>>())
    };
    html("div")
        .state("data-current", panel.is_current)
        .attribute("data-kind", kind(&panel.ahead.ways))
        .child(heading(panel, further.len(), words))
        .child(chips(first, 0).children(ways.is_empty().then(|| instead(panel, say))))
        .child(
            chips(if panel.is_open { further } else { &[] }, FIRST)
                .flag("hidden", !panel.is_open || further.is_empty()),
        )
        .child(questions(panel, words))
}

const fn kind(ways: &Ways) -> &'static str {
    match ways {
        Ways::Unknown => "unknown",
        Ways::Mending(_) | Ways::MendingTogether(..) => "mending",
        Ways::Room(_) => "room",
    }
}

fn heading(panel: Panel<'_>, further: usize, words: &Words) -> Element {
    let title = match &panel.ahead.ways {
        Ways::Unknown => "",
        Ways::Mending(_) => words.mending,
        Ways::MendingTogether(ways, _) if ways.is_empty() => words.panel,
        Ways::MendingTogether(..) => words.mending_together,
        Ways::Room(_) => words.room,
    };
    let more = html("button")
        .attribute("type", "button")
        .class(if further == 0 { "action absent" } else { "action" })
        .attribute("data-testid", "fixes-more")
        .state("aria-expanded", panel.is_open)
        .text(if panel.is_open { words.fewer.to_owned() } else { (words.more)(further) });
    html("div").class("ways-head").child(html("h2").text(title)).child(more)
}

/// A change to take: its steps, what the run then needs, and what it costs.
fn chip(at: usize, way: &Way, panel: Panel<'_>, say: &Messages) -> Element {
    let words = ahead::of(say.spoken);
    let joined = |parts: Vec<String>, by: &str| parts.join(by);
    let names = joined(way.steps.iter().map(|step| step.control.name().to_owned()).collect(), "+");
    let values = joined(way.steps.iter().map(|step| text(&step.to)).collect(), "+");
    let steps = way.steps.iter().map(|step| {
        let value = |setting| spoken(step.control, setting, words);
        [ahead::short(step.control, say), " ", &value(&step.from), " → ", &value(&step.to)].concat()
    });
    let steps = joined(steps.collect(), words.between);
    let moved = way.steps.iter().map(|step| moves(&step.moved, say)).filter(|moved| !moved.is_empty());
    let cost = way.cost.map(|cost| (words.cost)(cost).to_owned());
    let besides = joined(cost.into_iter().chain(moved).collect(), " · ");
    html("button")
        .attribute("type", "button")
        .class("way")
        .attribute("data-testid", if way.cost.is_some() { "fix" } else { "room" })
        .number("data-way", at)
        .attribute("data-moves", names)
        .attribute("data-to", values)
        .exact("data-bytes", way.figure.peak.value())
        .state("aria-disabled", !panel.is_current)
        .attribute("title", [&*steps, words.between, &besides].concat())
        .child(html("span").class("way-steps").text(steps))
        .child(
            html("span")
                .class("way-figure")
                .text(amount(way.figure.peak, panel.unit, Decimals::One))
                .child(html("span").class("unit").text(["\u{a0}", panel.unit.name()].concat())),
        )
        .child(html("span").class("way-cost").text(besides))
}

/// What stands where there is nothing to take.
fn instead(panel: Panel<'_>, say: &Messages) -> Element {
    let words = ahead::of(say.spoken);
    let text = match &panel.ahead.ways {
        Ways::Unknown => String::new(),
        Ways::Room(_) => words.no_room.to_owned(),
        Ways::MendingTogether(_, Search::Going) => words.searching.to_owned(),
        Ways::Mending(_) | Ways::MendingTogether(_, Search::Over) => {
            let nearest = panel.ahead.nearest().map(|(control, setting, figure)| {
                let value = spoken(control, setting, words);
                let peak = [&*amount(figure.peak, panel.unit, Decimals::One), "\u{a0}", panel.unit.name()].concat();
                let name = [ahead::short(control, say), " ", &value].concat();
                [" ", words.nearest, words.colon, &name, words.between, &peak].concat()
            });
            [words.nothing_mends, nearest.as_deref().unwrap_or_default()].concat()
        }
    };
    html("p").class("ways-instead").text(text)
}

/// The questions, one button each, and the answer to the one that is open.
fn questions(panel: Panel<'_>, words: &Words) -> Element {
    let buttons = Question::ALL.map(|question| {
        html("button")
            .attribute("type", "button")
            .class("action")
            .attribute("data-testid", question.name())
            .state("aria-expanded", panel.question == Some(question))
            .text((words.question)(question))
    });
    let answer = panel.answer.filter(|answer| Some(answer.question) == panel.question);
    let is_settled = panel.is_current && answer.is_some();
    let said = answer.map_or_else(|| html("p").text("…"), |answer| answer.said.clone());
    html("div").class("ways-questions").child(html("span").text(words.questions)).children(buttons).child(
        html("div")
            .class("ways-answer")
            .attribute("data-testid", "limit-answer")
            .attribute("role", "status")
            .state("data-settled", is_settled)
            .flag("hidden", panel.question.is_none())
            .child(said),
    )
}
