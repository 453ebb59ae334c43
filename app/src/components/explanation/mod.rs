//! How a figure comes about: its formula with symbols and with values, and what it is made of, down to the lines of the file.
//!
//! The pane comes late: the page calls it through `late` only.

mod amount;
mod formula;
mod origin;
mod rows;
mod symbol;

use crate::messages::explain::{Words, words};
use crate::messages::{self, Language, Messages};
use crate::state::explaining::{BETWEEN, Grounds, Opened};
use crate::view::{Element, html, svg};
use shardmem::diagnostics::Code;
use shardmem::estimate::why::{Question, Told, Untold, why};
use shardmem::memory::MemoryModel;
use shardmem::report::messages::{explained, help, message};
use shardmem::report::number::MemoryUnit;
use shardmem::report::why::{ExplainedStep, Explanation, json, lines};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// What the figures are made from; nothing while they are the last good ones.
    pub grounds: Option<&'a Grounds<'a>>,
    /// Which figure, and how it is looked at.
    pub opened: &'a Opened,
    /// Its stage; none for the one that needs most.
    pub stage: Option<usize>,
    /// The numbers as they were before the change that is under way, by the symbols that lead to them.
    pub before: &'a [(String, f64)],
    /// Whether the text was copied, where that was asked for.
    pub copied: Option<bool>,
    /// The unit of amounts.
    pub unit: MemoryUnit,
    /// The language.
    pub language: Language,
}

/// An explanation to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The pane.
    pub view: Element,
    /// The numbers in it, by the symbols that lead to them.
    pub values: Vec<(String, f64)>,
}

/// Explains a figure.
pub fn explain(asked: &Asked<'_>) -> Explained {
    let words = words(asked.language);
    let Some(grounds) = asked.grounds else { return untold(asked, words.stale) };
    match told(grounds, asked) {
        Ok(told) => {
            let mut pane = Pane {
                asked,
                grounds,
                explanation: &told.explanation,
                words,
                say: messages::of(asked.language),
                values: Vec::new(),
            };
            let view = pane.view(&told);
            Explained { view, values: pane.values }
        }
        Err(Untold::TooLong) => untold(asked, words.too_long),
        Err(Untold::Refused | Untold::NoStage(_) | Untold::NoInstant(_) | Untold::NoItem | Untold::NoFormula) => {
            untold(asked, words.unknown)
        }
    }
}

/// The explanation as the command line writes it, whole.
pub fn explain_text(asked: &Asked<'_>) -> Option<String> {
    let grounds = asked.grounds?;
    let told = told(grounds, asked).ok()?;
    let of = |source, path: &_| grounds.place(source, path);
    let memory_model = grounds.answer.breakdown.memory_model;
    let text = json::Explained {
        instant: Some(told.instant),
        bytes: told.explanation.steps.first().map(|step| step.result),
        steps: Some(json::steps(&told.explanation, meanings(asked.language), &of)),
        ..json::untold(memory_model, told.stage, &asked.opened.item, Vec::new())
    };
    Some(lines(&text, asked.language, &json::name))
}

const fn meanings(language: Language) -> json::Meanings {
    match language {
        Language::English => |id| explained::meaning(id, Language::English),
        Language::Chinese => |id| explained::meaning(id, Language::Chinese),
    }
}

/// The explanation; of the stage's peak where it does not count at the instant any more.
fn told(grounds: &Grounds<'_>, asked: &Asked<'_>) -> Result<Told, Untold> {
    let Grounds { facts, config, answer, spec, .. } = *grounds;
    let tell = |instant| {
        let question = Question { stage: asked.stage, item: asked.opened.item.clone(), instant };
        match answer.memory_model {
            MemoryModel::Reference(policies) => {
                why(facts, config, &answer.placement, &answer.breakdown, policies, spec, &question)
            }
            MemoryModel::Ledger(_) => Err(Untold::NoFormula),
        }
    };
    match tell(asked.opened.instant.clone()) {
        Err(Untold::NoInstant(_)) => tell(None),
        told => told,
    }
}

/// The pane where there is nothing to explain.
fn untold(asked: &Asked<'_>, reason: &'static str) -> Explained {
    let words = words(asked.language);
    let head = html("div").class("explain-head").child(html("p").text(reason)).child(close(words));
    Explained { view: frame(asked, words).child(head), values: Vec::new() }
}

fn frame(asked: &Asked<'_>, words: &Words) -> Element {
    html("section")
        .class("explain")
        .attribute("aria-label", words.pane)
        .attribute("data-testid", "explain")
        .attribute("data-item", asked.opened.item.clone())
}

fn close(words: &Words) -> Element {
    html("button")
        .attribute("type", "button")
        .class("tool explain-close")
        .attribute("data-testid", "explain-close")
        .attribute("aria-label", words.close)
        .attribute("title", words.close)
        .child(
            svg("svg")
                .class("icon")
                .attribute("viewBox", "0 0 16 16")
                .attribute("aria-hidden", "true")
                .child(svg("path").attribute("d", "M4 4l8 8M12 4l-8 8")),
        )
}

/// A pane being made.
struct Pane<'a> {
    asked: &'a Asked<'a>,
    grounds: &'a Grounds<'a>,
    explanation: &'a Explanation,
    words: &'static Words,
    say: &'static Messages,
    values: Vec<(String, f64)>,
}

/// A step that was gone into, and the path that leads to it.
struct Crumb {
    step: usize,
    path: String,
}

impl Pane<'_> {
    fn view(&mut self, told: &Told) -> Element {
        let explanation = self.explanation;
        let crumbs = self.crumbs();
        let last = crumbs.last().map_or((0, String::new()), |crumb| (crumb.step, crumb.path.clone()));
        let Some(root) = explanation.steps.first() else { return frame(self.asked, self.words) };
        let Some(step) = explanation.steps.get(last.0) else { return frame(self.asked, self.words) };
        let body = html("div")
            .class("explain-body")
            .attribute("tabindex", "0")
            .attribute("role", "group")
            .attribute("aria-label", self.name(step))
            .child(self.result(step, &last.1))
            .child(self.instants(told, crumbs.len() == 1))
            .child(self.negative(step.result))
            .child(self.formula(step))
            .child(self.cases(step))
            .child(html("h3").class("explain-reads").text(if step.children.is_empty() {
                self.words.nothing_read
            } else {
                self.words.reads
            }))
            .child(self.rows(step, &last.1));
        frame(self.asked, self.words)
            .number("data-stage", told.stage)
            .attribute("data-instant", told.instant)
            .exact("data-bytes", root.result + 0.0)
            .child(self.head(told, &crumbs))
            .child(body)
    }

    /// The steps gone into, from the figure on; a symbol that is not there any more ends the way.
    fn crumbs(&self) -> Vec<Crumb> {
        let mut crumbs = vec![Crumb { step: 0, path: String::new() }];
        let mut at = 0;
        for symbol in &self.asked.opened.trail {
            let children = self.explanation.steps.get(at).map_or(&[][..], |step| &step.children);
            let Some(next) = children.iter().find(|child| child.symbol == *symbol).and_then(|child| child.step) else {
                break;
            };
            let path = below(crumbs.last().map_or("", |crumb| &crumb.path), symbol);
            crumbs.push(Crumb { step: next, path });
            at = next;
        }
        crumbs
    }

    /// What is explained, the way to it, copying and closing.
    fn head(&self, told: &Told, crumbs: &[Crumb]) -> Element {
        let stage = self.words.stage.replace("{}", &told.stage.to_string());
        let last = crumbs.len() - 1;
        let steps = crumbs.iter().enumerate().filter_map(|(at, crumb)| {
            let name = self.name(self.explanation.steps.get(crumb.step)?);
            let item = html("li");
            Some(if at == last {
                item.child(html("h2").attribute("tabindex", "-1").attribute("aria-current", "true").text(name))
            } else {
                let back = html("button").attribute("type", "button").class("explain-back");
                item.child(back.attribute("data-explain-go", crumb.path.clone()).text(name))
            })
        });
        let way = html("ol")
            .class("explain-way")
            .attribute("aria-label", self.words.way)
            .child(html("li").class("explain-stage").text(stage))
            .children(steps);
        let said = match self.asked.copied {
            None => self.words.copy,
            Some(true) => self.words.copied,
            Some(false) => self.words.not_copied,
        };
        let copy = html("button")
            .attribute("type", "button")
            .class("action")
            .attribute("data-testid", "explain-copy")
            .maybe("data-copied", self.asked.copied.map(|copied| copied.to_string()))
            .text(said);
        html("div").class("explain-head").child(way).child(copy).child(close(self.words))
    }

    /// The number, its exact bytes, and what it means.
    fn result(&mut self, step: &ExplainedStep, path: &str) -> Element {
        let is_bytes = amount::is_bytes(step.id);
        let shown = amount::in_words(step.id, step.result, self.asked.unit);
        let exact = is_bytes.then(|| self.words.bytes.replace("{}", &amount::whole(step.result)));
        let meaning = explained::meaning(step.id, self.asked.language);
        let line = html("p")
            .class("explain-result")
            .child(html("strong").text(shown))
            .children(exact.map(|exact| html("span").class("explain-exact").text(exact)))
            .children(self.change(step.id, step.result, path));
        let meaning = (!meaning.is_empty()).then(|| html("p").class("explain-meaning").text(meaning));
        html("div").child(line).children(meaning)
    }

    /// What a number was before the change that is under way; and the number is remembered.
    fn change(&mut self, id: &str, value: f64, path: &str) -> Option<Element> {
        self.values.push((path.to_owned(), value));
        let (_, before) = self.asked.before.iter().find(|(known, _)| known == path)?;
        if before.to_bits() == value.to_bits() {
            return None;
        }
        let was = self.words.was.replace("{}", &amount::in_words(id, *before, self.asked.unit));
        Some(html("span").class("explain-was").text(was))
    }

    /// The instants that count for the stage; a figure is told at one of them.
    fn instants(&self, told: &Told, is_figure: bool) -> Element {
        let stage = self.grounds.answer.report.stages.get(told.stage);
        let instants = stage.map_or(&[][..], |stage| &stage.instants);
        let shown = is_figure && instants.len() > 1;
        let buttons = instants.iter().filter(|_| shown).map(|instant| {
            html("button")
                .attribute("type", "button")
                .attribute("data-explain-instant", instant.id)
                .state("aria-pressed", instant.id == told.instant)
                .text((self.say.instant)(instant.id))
        });
        html("div")
            .class("explain-instants")
            .flag("hidden", !shown)
            .attribute("role", "group")
            .attribute("aria-label", self.words.at_instants)
            .children(buttons)
    }

    /// Why a number is below zero, where the estimate warns of it.
    fn negative(&self, value: f64) -> Element {
        let findings = self.grounds.findings.iter();
        let cause = findings.filter(|_| value < 0.0).find(|finding| finding.code == Code::ReferenceNegativeBuffer);
        let said = cause.map(|finding| {
            let sentences =
                [message(finding, self.asked.language), help(finding, self.asked.language).unwrap_or_default()];
            html("span").text(sentences.join(" · "))
        });
        html("p")
            .class("explain-negative")
            .flag("hidden", value >= 0.0)
            .child(html("strong").text(self.words.negative))
            .text(" ")
            .children(said)
    }

    /// Which cases applied, and which section the formula follows.
    fn cases(&self, step: &ExplainedStep) -> Element {
        let row =
            |name: &'static str, text: String| html("div").child(html("dt").text(name)).child(html("dd").text(text));
        let cases = step.cases.iter().map(|case| explained::phrase(case, self.asked.language));
        let cases = cases.map(|case| row(self.words.because, case.to_owned()));
        let document = match step.reference.split_once(' ') {
            Some(("memory-core", _)) => self.words.memory_core,
            Some(("config-spec", _)) => self.words.config_spec,
            _ => "",
        };
        let reference = [document, " · ", &explained::reference(step.reference, self.asked.language)].concat();
        html("dl").class("explain-cases").children(cases).child(row(self.words.follows, reference))
    }

    /// What a step is called: an item or a figure by its label, a formula by its symbol.
    fn name(&self, step: &ExplainedStep) -> String {
        symbol::spoken(step.id, &step.symbol, self.asked.language)
    }
}

/// The path to a symbol below another one.
fn below(path: &str, symbol: &str) -> String {
    if path.is_empty() { symbol.to_owned() } else { format!("{path}{BETWEEN}{symbol}") }
}

#[cfg(test)]
mod tests;
