//! Choosing one of many by typing: a combobox over the catalogue.

use crate::browser::{events, focus};
use crate::messages::{Messages, use_messages};
use leptos::prelude::*;
use std::sync::Arc;

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
    choices: impl Fn() -> Vec<Choice> + Copy + Send + Sync + 'static,
    /// What is in use now; empty if nothing is.
    current: Memo<String>,
    /// A choice was made.
    on_choose: impl Fn(String) + Copy + 'static,
) -> impl IntoView {
    let say = use_messages();
    let list = RwSignal::new(List::Closed);
    let choices = Memo::new(move |_| choices());
    let found = move |list: &List| match list {
        List::Closed => Vec::new(),
        List::Open { typed: None, .. } => choices.get_untracked(),
        List::Open { typed: Some(typed), .. } => choices.with_untracked(|choices| narrowed(choices, typed)),
    };
    let shown = move || {
        list.with(|list| match list {
            List::Open { typed: Some(typed), .. } => typed.clone(),
            List::Open { typed: None, .. } | List::Closed => current.get(),
        })
    };
    let choose = move |id: String| {
        list.set(List::Closed);
        on_choose(id);
    };
    let open = move || {
        if list.with_untracked(|list| *list == List::Closed) {
            let at = current.with_untracked(|current| {
                choices.with_untracked(|choices| choices.iter().position(|choice| *choice.id == **current))
            });
            list.set(List::Open { typed: None, marked: at.unwrap_or(0) });
            focus::reveal(&option_id(at.unwrap_or(0)));
        }
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| {
        let Some(marked) = list.with_untracked(List::marked) else {
            if matches!(event.key().as_str(), "ArrowDown" | "ArrowUp") {
                event.prevent_default();
                open();
            }
            return;
        };
        let found = list.with_untracked(found);
        let to = match event.key().as_str() {
            "ArrowDown" => marked + 1,
            "ArrowUp" => marked.saturating_sub(1),
            "PageDown" => marked + PAGE,
            "PageUp" => marked.saturating_sub(PAGE),
            "Enter" => {
                event.prevent_default();
                found.get(marked).into_iter().for_each(|choice| choose(choice.id.to_string()));
                return;
            }
            "Escape" => {
                event.prevent_default();
                list.set(List::Closed);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        let to = to.min(found.len().saturating_sub(1));
        list.update(|list| list.mark(to));
        focus::reveal(&option_id(to));
    };

    view! {
        <div class="picker">
            <input
                type="text"
                class="field"
                role="combobox"
                data-testid="model"
                aria-label=say.model_picker
                aria-expanded=move || list.with(|list| if *list == List::Closed { "false" } else { "true" })
                aria-controls="model-list"
                aria-autocomplete="list"
                aria-activedescendant=move || list.with(List::marked).map(option_id)
                placeholder=say.model_picker
                spellcheck="false"
                autocomplete="off"
                prop:value=shown
                on:focus:target=move |event| event.target().select()
                on:click=move |_| open()
                on:input:target=move |event| {
                    list.set(List::Open { typed: Some(event.target().value()), marked: 0 });
                }
                on:blur=move |_| list.set(List::Closed)
                on:keydown=on_keydown
            />
            <div
                // Before the input loses the focus and the list closes.
                on:pointerdown=move |event| {
                    if let Some(id) = events::closest(&event, "data-model") {
                        event.prevent_default();
                        choose(id);
                    }
                }
            >
                {move || list.with(|list| picker_list(list, found(list), say))}
            </div>
        </div>
    }
}

fn picker_list(list: &List, found: Vec<Choice>, say: &'static Messages) -> impl IntoView + use<> {
    let marked = list.marked();
    let is_empty = found.is_empty();
    let options = found.into_iter().enumerate().map(|(at, Choice { id, detail })| {
        view! {
            <li
                id=option_id(at)
                role="option"
                data-model=id.to_string()
                aria-selected=if marked == Some(at) { "true" } else { "false" }
            >
                <span class="picker-name">{id.to_string()}</span>
                <span class="picker-detail">{detail}</span>
            </li>
        }
    });
    view! {
        <ul class="picker-list" id="model-list" role="listbox" aria-label=say.model_picker hidden=marked.is_none()>
            {options.collect_view()}
            <li class="picker-none" hidden=!is_empty>
                {say.model_none}
            </li>
        </ul>
    }
}

fn option_id(at: usize) -> String {
    format!("model-option-{at}")
}

/// Choices whose id holds every typed word, whatever the case; those that begin with what was typed first.
fn narrowed(choices: &[Choice], typed: &str) -> Vec<Choice> {
    let typed = typed.to_lowercase();
    let words: Vec<&str> = typed.split_whitespace().collect();
    let mut found: Vec<(bool, &Choice)> = choices
        .iter()
        .filter_map(|choice| {
            let id = choice.id.to_lowercase();
            let name = id.rsplit('/').next().unwrap_or(&id);
            words.iter().all(|word| id.contains(word)).then(|| (!name.starts_with(typed.trim()), choice))
        })
        .collect();
    found.sort_by_key(|(later, _)| *later);
    found.into_iter().map(|(_, choice)| choice.clone()).collect()
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
