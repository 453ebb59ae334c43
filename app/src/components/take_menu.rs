//! The menu of what can be taken away, and the way out where the browser keeps its clipboard to itself.

use crate::messages::takeaway::words;
use crate::state::Workspace;
use crate::state::exports::{Entry, Export, Need, Piece, Way};
use crate::view::{Element, html};
use shardmem::report::messages::Language;

/// Everything that can be taken away, grouped by how. What the run does not have stays in its place with the reason; only
/// what needs ranges of layers is not there without them.
pub fn take_menu(run: &Workspace, language: Language) -> Element {
    let say = words(language);
    let export = Export::of(run);
    let shown = |entry: &Entry| entry.piece != Piece::Execution || export.has(Need::Ranges);
    let entries: Vec<Entry> = Entry::ALL.into_iter().filter(shown).collect();
    let row = |(at, entry): (usize, &Entry)| {
        let missing = export.missing(entry.piece);
        let [name, detail] = (say.entry)(*entry);
        html("button")
            .attribute("type", "button")
            .class("take-entry")
            .attribute("role", "menuitem")
            .attribute("tabindex", "-1")
            .attribute("data-take", entry.name)
            .number("data-at", at)
            .state("aria-disabled", missing.is_some())
            .child(html("span").class("take-name").text(name))
            .child(html("span").class("take-detail").text(missing.map_or(detail, say.need)))
    };
    let rows: Vec<(Way, Element)> = entries.iter().enumerate().map(|at| (at.1.way, row(at))).collect();
    // The link is copied above these: its place is first in this menu.
    let group = |is_copy: bool| {
        let own = rows.iter().filter(|(way, _)| (*way == Way::Copy) == is_copy);
        let name = (say.way)(if is_copy { Way::Copy } else { Way::Save });
        html("div")
            .class("take-group")
            .attribute("role", "group")
            .attribute("aria-label", name)
            .child(html("div").class("take-heading").attribute("aria-hidden", "true").text(name))
            .children(own.map(|(_, row)| row.clone()))
    };
    html("div")
        .class("popover take-menu")
        .attribute("role", "menu")
        .attribute("aria-label", say.menu)
        .attribute("data-testid", "take-menu")
        .number("data-count", entries.len())
        .children([group(true), group(false)])
}

/// The text, selected, to be copied by hand.
pub fn by_hand(text: String, language: Language) -> Element {
    let say = words(language);
    let area = html("textarea")
        .class("by-hand-text")
        .attribute("data-testid", "by-hand")
        .flag("readonly", true)
        .attribute("rows", "6")
        .attribute("wrap", "off")
        .attribute("spellcheck", "false")
        .attribute("aria-label", say.by_hand)
        .attribute("aria-describedby", "by-hand-help")
        .value(text);
    html("div")
        .class("popover by-hand")
        .attribute("role", "dialog")
        .attribute("aria-label", say.by_hand)
        .child(html("p").attribute("id", "by-hand-help").text(say.by_hand_help))
        .child(area)
        .child(
            html("button").attribute("type", "button").class("action").attribute("data-act", "close").text(say.close),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Sample, ranges};
    use crate::view::Node;

    fn names(element: &Element) -> Vec<(String, bool)> {
        let value = |name: &str| {
            let attribute = element.attributes.iter().find(|attribute| attribute.name == name)?;
            attribute.value.as_ref().map(|value| value.text().into_owned())
        };
        let own = value("data-take").map(|name| (name, value("aria-disabled").as_deref() != Some("true")));
        let inner = element.children.iter().flat_map(|child| match child {
            Node::Element(child) => names(child),
            Node::Text(_) => Vec::new(),
        });
        own.into_iter().chain(inner).collect()
    }

    #[test]
    fn what_a_run_does_not_have_cannot_be_taken() {
        let mut run = Workspace::of(Sample::OPENING.text);
        let all = names(&take_menu(&run, Language::English));
        assert_eq!(all.len(), Entry::ALL.len() - 1);
        assert!(all.iter().all(|(_, is_there)| *is_there));
        run.ranges = Some(ranges::with_row_added(&[], 61));
        assert_eq!(names(&take_menu(&run, Language::Chinese)).len(), Entry::ALL.len());
        let broken = names(&take_menu(&Workspace::of("model: ["), Language::Chinese));
        let there: Vec<&str> = broken.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| &**name).collect();
        assert_eq!(there, ["json", "command"]);
    }
}
