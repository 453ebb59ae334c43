//! What a formula is made of: a line a number, those that are formulas themselves unfolding to theirs.

use super::{Pane, amount, below, origin, symbol};
use crate::view::{Element, html};
use shardmem::report::messages::explained;
use shardmem::report::why::{ExplainedChild, ExplainedStep};

/// Of a longer sum the rest is folded away.
const FEW: usize = 12;
/// Names a fold in the paths of rows.
const REST: &str = "…";

impl Pane<'_> {
    /// The numbers that a step reads.
    pub(super) fn rows(&mut self, step: &ExplainedStep, path: &str) -> Element {
        let rest = below(path, REST);
        let shown = if step.children.len() <= FEW + 1 || self.is_unfolded(&rest) { step.children.len() } else { FEW };
        let mut rows: Vec<Element> = step.children.iter().take(shown).map(|child| self.row(child, path)).collect();
        if shown < step.children.len() {
            let more = self.words.more.replace("{}", &(step.children.len() - shown).to_string());
            let button =
                html("button").attribute("type", "button").class("action").attribute("data-explain-fold", rest);
            rows.push(html("li").class("explain-row").child(button.state("aria-expanded", false).text(more)));
        }
        html("ul").class("explain-rows").children(rows)
    }

    fn row(&mut self, child: &ExplainedChild, path: &str) -> Element {
        let path = below(path, &child.symbol);
        let step = child.step.and_then(|at| self.explanation.steps.get(at));
        let is_unfolded = step.is_some() && self.is_unfolded(&path);
        let value = html("span")
            .class("explain-value")
            .maybe(
                "title",
                amount::is_bytes(child.id).then(|| self.words.bytes.replace("{}", &amount::whole(child.value))),
            )
            .text(amount::in_words(child.id, child.value, self.asked.unit));
        let line = html("div")
            .class("explain-line")
            .child(self.fold(child, &path, step.is_some().then_some(is_unfolded)))
            .child(self.symbol(child, &path))
            .child(value.children(self.change(child.id, child.value, &path)))
            .child(self.about(child));
        let inner = step.filter(|_| is_unfolded).map(|step| {
            html("div")
                .class("explain-inner")
                .child(self.formula(step))
                .child(self.cases(step))
                .child(self.rows(step, &path))
        });
        html("li")
            .class("explain-row")
            .attribute("data-symbol", child.symbol.clone())
            .exact("data-value", child.value)
            .child(line)
            .children(inner)
    }

    fn is_unfolded(&self, path: &str) -> bool {
        self.asked.opened.unfolded.iter().any(|known| known == path)
    }

    /// The button that unfolds a formula; a number that is none keeps its place.
    fn fold(&self, child: &ExplainedChild, path: &str, unfolded: Option<bool>) -> Element {
        let Some(unfolded) = unfolded else { return html("span").class("explain-fold") };
        let name = symbol::spoken(child.id, &child.symbol, self.asked.language);
        html("button")
            .attribute("type", "button")
            .class("explain-fold")
            .attribute("data-explain-fold", path.to_owned())
            .attribute("aria-label", self.words.unfold.replace("{}", &name))
            .state("aria-expanded", unfolded)
    }

    fn symbol(&self, child: &ExplainedChild, path: &str) -> Element {
        let set = symbol::set(child.id, &child.symbol, self.asked.language);
        if child.step.is_none() {
            return html("span").class("explain-symbol").child(set);
        }
        let name = symbol::spoken(child.id, &child.symbol, self.asked.language);
        html("button")
            .attribute("type", "button")
            .class("explain-symbol")
            .attribute("data-explain-go", path.to_owned())
            .attribute("title", self.words.go_into.replace("{}", &name))
            .child(set)
    }

    /// What a number is, what it stands for, and where it comes from.
    fn about(&self, child: &ExplainedChild) -> Element {
        let language = self.asked.language;
        let meaning = explained::meaning(child.id, language);
        let groups = child.groups.iter().map(|group| html("li").text(explained::nodes(group, language)));
        let groups = (!child.groups.is_empty()).then(|| html("ul").class("explain-groups").children(groups));
        let origin = child.origin.as_ref().map(|from| origin::origin(from, self.grounds, self.words, self.say));
        let untold = (child.step.is_none() && child.origin.is_none()).then(|| html("span").text(self.words.untold));
        html("div")
            .class("explain-about")
            .children((!meaning.is_empty()).then(|| html("span").text(meaning)))
            .children(groups)
            .children(origin)
            .children(untold)
    }
}
