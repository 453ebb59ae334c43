//! What is told of links, in the language of the page. Late.

use crate::messages::link::{Words, of};
use crate::state::link::Difference;
use crate::state::links::{Carrier, Handed, Told};
use crate::view::{Element, html};
use shardmem::link::Notice;
use shardmem::report::messages::Language;

/// A line of the notice bar, with what can be done about it.
pub fn notice(told: &Told, language: Language) -> Element {
    let say = of(language);
    let line = html("div").class("notice").attribute("data-testid", "link-notice").attribute("data-told", told.name());
    let dismiss = || button("dismiss", say.dismiss);
    match told {
        Told::OwnIsKept => {
            line.child(words(say.own_is_kept)).child(button("own", say.show_own)).child(button("dismiss", say.stay))
        }
        Told::OtherIsKept => line
            .child(words(say.other_is_kept))
            .child(button("other", say.show_other))
            .child(button("forget", say.forget)),
        Told::OtherTab => line.child(words(say.other_tab)).child(dismiss()),
        Told::Copied => line.child(words(say.copied)).child(dismiss()),
        Told::Differs(notices, differences) => {
            let changed = notices.iter().map(|notice| changed(notice, say));
            let other = differences.iter().map(|difference| difference_words(difference, say));
            line.child(list(changed.chain(other).collect())).child(dismiss())
        }
        Told::Broken(carrier, broken) => {
            let head = match carrier {
                Carrier::Link => say.broken_link,
                Carrier::File => say.broken_file,
            };
            line.child(list(vec![head.to_owned(), (say.broken)(broken)])).child(dismiss())
        }
    }
}

fn words(words: &'static str) -> Element {
    html("p").text(words)
}

fn list(sentences: Vec<String>) -> Element {
    html("div").children(sentences.into_iter().map(|sentence| html("p").text(sentence)))
}

fn button(act: &'static str, text: &'static str) -> Element {
    html("button").attribute("type", "button").class("action").attribute("data-act", act).text(text)
}

fn changed(notice: &Notice, say: &Words) -> String {
    match notice {
        Notice::SampleChanged(_) => say.sample_changed.to_owned(),
        Notice::ModelChanged(id) => (say.model_changed)(id),
        Notice::ModelGone(id) => (say.model_gone)(id),
    }
}

fn difference_words(difference: &Difference, say: &Words) -> String {
    match difference {
        Difference::Written => say.written.to_owned(),
        Difference::LeftOut(name) => (say.left_out)(name),
    }
}

/// What opens under the button: the link to be copied by hand, or the file of what no link holds.
pub fn popover(handed: &Handed, language: Language) -> Element {
    let say = of(language);
    let box_of = |about: &'static str| {
        html("div")
            .class("popover link-popover")
            .attribute("role", "dialog")
            .attribute("aria-label", say.link)
            .child(words(about))
    };
    let close = button("close", say.close);
    match handed {
        Handed::Copied => box_of(say.copied).child(close),
        Handed::ByHand(link) => {
            let field = html("input")
                .attribute("type", "text")
                .attribute("readonly", "")
                .attribute("data-testid", "link-text")
                .attribute("aria-label", say.link)
                .value(link.clone());
            box_of(say.by_hand).child(field).child(close)
        }
        Handed::TooLong => {
            let save = html("button").attribute("type", "button").class("button").attribute("data-testid", "link-save");
            box_of(say.too_long).child(html("div").class("link-acts").child(save.text(say.save)).child(close))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shardmem::link::Broken;

    fn texts(element: &Element) -> String {
        let each = element.children.iter().map(|node| match node {
            crate::view::Node::Element(element) => texts(element),
            crate::view::Node::Text(text) => format!("{text}|"),
        });
        each.collect()
    }

    #[test]
    fn everything_is_told_in_both_languages() {
        let all = [
            Told::OwnIsKept,
            Told::OtherIsKept,
            Told::OtherTab,
            Told::Copied,
            Told::Differs(
                vec![
                    Notice::SampleChanged("s".into()),
                    Notice::ModelChanged("m/a".into()),
                    Notice::ModelGone("m/b".into()),
                ],
                vec![Difference::Written, Difference::LeftOut("logits=fp32".into())],
            ),
            Told::Broken(Carrier::Link, Broken::Foreign),
            Told::Broken(Carrier::Link, Broken::Version(7)),
            Told::Broken(Carrier::File, Broken::Damaged),
            Told::Broken(Carrier::Link, Broken::TooLarge),
            Told::Broken(Carrier::Link, Broken::SampleGone("old".into())),
            Told::Broken(Carrier::File, Broken::Field("text")),
        ];
        for told in all {
            let [english, chinese] =
                [Language::English, Language::Chinese].map(|language| texts(&notice(&told, language)));
            assert_ne!(english, chinese);
            assert!(english.is_ascii(), "{english}");
            assert_eq!(english.matches('|').count(), chinese.matches('|').count(), "{english}");
        }
        let version = texts(&notice(&Told::Broken(Carrier::Link, Broken::Version(7)), Language::English));
        assert!(version.contains("version 7"), "{version}");
    }

    #[test]
    fn a_link_by_hand_stands_in_a_field() {
        let shown = popover(&Handed::ByHand("https://x/#AT".into()), Language::English);
        let field = shown.children.iter().find_map(|node| match node {
            crate::view::Node::Element(element) if element.tag == "input" => Some(element),
            _ => None,
        });
        let value =
            field.and_then(|field| field.attributes.iter().find(|attribute| attribute.name == "value").cloned());
        assert_eq!(value.and_then(|value| value.value).map(|value| value.text()).as_deref(), Some("https://x/#AT"));
    }
}
