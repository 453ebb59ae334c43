//! Choosing one of many by typing: a combobox over the catalogue.

use crate::browser::events::{self, Given};
use crate::browser::focus;
use crate::browser::patch::live;
use crate::late;
use crate::messages::{Messages, use_messages};
use crate::reactive::{Derived, Held};
use crate::view::{Element, html};
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its stable id, shown as its name.
    pub id: Arc<str>,
    /// What is said beside it.
    pub detail: String,
}

/// The list, as far as it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
enum List {
    Closed,
    /// Open, with what was typed since, and the marked choice.
    Open {
        typed: Option<String>,
        marked: usize,
    },
}

impl List {
    fn marked(&self) -> Option<usize> {
        match self {
            Self::Closed => None,
            Self::Open { marked, .. } => Some(*marked),
        }
    }

    fn mark(&mut self, at: usize) {
        if let Self::Open { marked, .. } = self {
            *marked = at;
        }
    }
}

/// How far the page keys go.
const PAGE: usize = 8;

/// A text input that opens a list of choices; type to narrow it, arrows and Enter to choose, Escape to leave it as it was.
#[component]
pub fn ModelPicker(
    /// Everything that can be chosen; asked for when the list opens first.
    choices: fn() -> Vec<Choice>,
    /// What is in use now; empty if nothing is.
    current: Derived<String>,
    /// A choice was made.
    on_choose: Callback<String>,
) -> impl IntoView {
    let say = use_messages();
    let list = Held::new(List::Closed);
    let choices = Derived::new(move |_| choices());
    let picker = Picker { list, choices, current, on_choose };
    let holder = live(move || list.with(|list| picker_view(list, picker.found(list), picker.shown(list), say)));
    picker.listen();
    view! {
        <div class="picker" node_ref=holder></div>
    }
}

#[derive(Clone, Copy)]
struct Picker {
    list: Held<List>,
    choices: Derived<Vec<Choice>>,
    current: Derived<String>,
    on_choose: Callback<String>,
}

impl Picker {
    fn listen(self) {
        events::hear("focusin", ".picker", focus::select_all);
        events::hear("click", ".picker input", move |_| self.open());
        events::hear("input", ".picker", move |event| {
            if let Some(Given::Text(typed)) = events::given(event) {
                self.list.set(List::Open { typed: Some(typed), marked: 0 });
            }
        });
        events::hear("focusout", ".picker", move |_| self.list.set(List::Closed));
        events::hear("keydown", ".picker", move |event| {
            if event.dyn_ref::<KeyboardEvent>().is_some_and(|key| self.pressed(&key.key())) {
                event.prevent_default();
            }
        });
        // The input keeps the focus, or the list would close under the pointer.
        events::hear("mousedown", ".picker-list", web_sys::Event::prevent_default);
        events::hear("click", ".picker [data-model]", move |event| {
            if let Some(id) = events::closest(event, "data-model") {
                self.choose(id);
            }
        });
    }

    fn found(self, list: &List) -> Vec<Choice> {
        match list {
            List::Closed => Vec::new(),
            List::Open { typed: None, .. } => self.choices.get(),
            List::Open { typed: Some(typed), .. } => self.choices.with(|choices| narrowed(choices, typed)),
        }
    }

    fn shown(self, list: &List) -> String {
        match list {
            List::Open { typed: Some(typed), .. } => typed.clone(),
            List::Open { typed: None, .. } | List::Closed => self.current.get(),
        }
    }

    fn choose(self, id: String) {
        self.list.set(List::Closed);
        self.on_choose.run(id);
    }

    fn open(self) {
        // How large the models are comes late.
        late::with_late(|_| {});
        if self.list.with_untracked(|list| *list == List::Closed) {
            let at = self.current.with_untracked(|current| {
                self.choices.with_untracked(|choices| choices.iter().position(|choice| *choice.id == **current))
            });
            self.list.set(List::Open { typed: None, marked: at.unwrap_or(0) });
            focus::reveal(&option_id(at.unwrap_or(0)));
        }
    }

    /// Acts on a key; whether it was one of the picker's.
    fn pressed(self, key: &str) -> bool {
        let Some(marked) = self.list.with_untracked(List::marked) else {
            let opens = matches!(key, "ArrowDown" | "ArrowUp");
            if opens {
                self.open();
            }
            return opens;
        };
        let found = self.list.with_untracked(|list| self.found(list));
        match key {
            "ArrowDown" => self.mark(marked + 1, found.len()),
            "ArrowUp" => self.mark(marked.saturating_sub(1), found.len()),
            "PageDown" => self.mark(marked + PAGE, found.len()),
            "PageUp" => self.mark(marked.saturating_sub(PAGE), found.len()),
            "Enter" => found.get(marked).into_iter().for_each(|choice| self.choose(choice.id.to_string())),
            "Escape" => self.list.set(List::Closed),
            _ => return false,
        }
        true
    }

    fn mark(self, at: usize, count: usize) {
        let at = at.min(count.saturating_sub(1));
        self.list.update(|list| list.mark(at));
        focus::reveal(&option_id(at));
    }
}

fn picker_view(list: &List, found: Vec<Choice>, shown: String, say: &Messages) -> Element {
    let marked = list.marked();
    let input = html("input")
        .class("field")
        .attribute("type", "text")
        .attribute("role", "combobox")
        .attribute("data-testid", "model")
        .attribute("aria-label", say.model_picker)
        .attribute("aria-controls", "model-list")
        .attribute("aria-autocomplete", "list")
        .attribute("placeholder", say.model_picker)
        .attribute("spellcheck", "false")
        .attribute("autocomplete", "off")
        .state("aria-expanded", marked.is_some())
        .maybe("aria-activedescendant", marked.map(option_id))
        .value(shown);
    let none = html("li").class("picker-none").flag("hidden", !found.is_empty()).text(say.model_none);
    let options = found.into_iter().enumerate().map(|(at, Choice { id, detail })| {
        html("li")
            .attribute("id", option_id(at))
            .attribute("role", "option")
            .attribute("data-model", id.to_string())
            .state("aria-selected", marked == Some(at))
            .child(html("span").text(id.to_string()))
            .child(html("span").class("picker-detail").text(detail))
    });
    let list = html("ul")
        .class("picker-list")
        .attribute("id", "model-list")
        .attribute("role", "listbox")
        .attribute("aria-label", say.model_picker)
        .flag("hidden", marked.is_none())
        .children(options)
        .child(none);
    html("div").child(input).child(list)
}

fn option_id(at: usize) -> String {
    format!("model-option-{at}")
}

/// Choices whose id holds every typed word, whatever the case; those whose name begins with what was typed first.
fn narrowed(choices: &[Choice], typed: &str) -> Vec<Choice> {
    let typed = typed.trim().to_ascii_lowercase();
    let holds = |choice: &&Choice| {
        let id = choice.id.to_ascii_lowercase();
        typed.split_whitespace().all(|word| id.contains(word))
    };
    let begins = |choice: &Choice| {
        let id = choice.id.to_ascii_lowercase();
        id.rsplit('/').next().unwrap_or(&id).starts_with(&typed)
    };
    let (mut first, rest): (Vec<Choice>, Vec<Choice>) = choices.iter().filter(holds).cloned().partition(begins);
    first.extend(rest);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_counts_and_a_beginning_comes_first() {
        let ids = ["Qwen/Qwen3-30B-A3B", "deepseek-ai/DeepSeek-V3", "meta-llama/Llama-3-8B"];
        let choices: Vec<Choice> = ids.iter().map(|id| Choice { id: (*id).into(), detail: String::new() }).collect();
        let find =
            |typed| narrowed(&choices, typed).into_iter().map(|choice| choice.id.to_string()).collect::<Vec<_>>();
        assert_eq!(find("qwen 30b"), ["Qwen/Qwen3-30B-A3B"]);
        assert_eq!(find("3"), ids);
        assert_eq!(find("llama")[0], "meta-llama/Llama-3-8B");
        assert!(find("nothing").is_empty());
        assert_eq!(find("").len(), 3);
    }
}
