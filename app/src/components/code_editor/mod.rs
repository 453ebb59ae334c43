//! A textarea with line numbers, colours and underlines.
//!
//! The textarea is as large as its text and stands in a scrolling box together with the painted layers, so that everything
//! scrolls at once and nothing is kept in step by script. The paint shows only the lines near the visible ones.

pub mod paint;

use crate::browser::editing::{self, Utf16Range};
use crate::browser::patch::live;
use crate::messages::use_messages;
use crate::view::{Element, html};
use leptos::html::{Div, Textarea};
use leptos::prelude::*;
pub use paint::{Mark, Syntax};
use paint::{line_top, paint};

/// Two spaces: YAML forbids tabs as indentation.
const INDENT: &str = "  ";

/// The parts of an editor that code outside may need to move.
#[derive(Debug, Clone, Copy)]
pub struct EditorHandle {
    area: NodeRef<Textarea>,
    scroller: NodeRef<Div>,
    sizer: NodeRef<Div>,
}

impl EditorHandle {
    /// A handle for an editor of this text.
    pub fn of(text: RwSignal<String>) -> Self {
        // A last empty line has no height of its own.
        let sizer = live(move || text.with(|text| html("div").text(format!("{text}\u{200b}"))));
        Self { area: NodeRef::new(), scroller: NodeRef::new(), sizer }
    }

    /// Selects a range and brings its line (from 1) into sight.
    pub fn jump(self, line: u32, range: Utf16Range) {
        let (Some(area), Some(scroller)) = (self.area.get_untracked(), self.scroller.get_untracked()) else { return };
        editing::select(&area, range);
        editing::reveal_line(&scroller, line.saturating_sub(1), self.line_height());
    }

    /// Height of a line in pixels.
    fn line_height(self) -> f64 {
        self.sizer.get_untracked().map_or(0.0, |sizer| editing::line_height(&sizer))
    }
}

/// Whether Tab indents. It leaves the editor until the reader has typed or clicked in it, and after Escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TabKey {
    Leaves,
    Indents,
}

/// The editor.
#[component]
pub fn CodeEditor(
    /// The text.
    text: RwSignal<String>,
    /// The text was edited.
    on_edit: Callback<String>,
    /// What to underline.
    marks: Memo<Vec<Mark>>,
    /// How to colour.
    syntax: Syntax,
    /// For `jump`.
    handle: EditorHandle,
    /// The name for screen readers.
    label: &'static str,
    /// `data-testid` of the textarea.
    testid: &'static str,
) -> impl IntoView {
    let say = use_messages();
    let tab = RwSignal::new(TabKey::Leaves);
    let visible = RwSignal::new(0);
    let hint = format!("{testid}-hint");
    let on_scroll = move |_| {
        if let Some(scroller) = handle.scroller.get_untracked() {
            visible.set(editing::first_visible_line(&scroller, handle.line_height()));
        }
    };
    let on_keydown = move |event: leptos::ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => tab.set(TabKey::Leaves),
        "Tab" if tab.get_untracked() == TabKey::Indents => {
            if let Some(area) = handle.area.get_untracked() {
                event.prevent_default();
                if event.shift_key() {
                    editing::outdent(&area, INDENT.len());
                } else {
                    editing::type_text(&area, INDENT);
                }
            }
        }
        _ => {}
    };

    let gutter = live(move || marks.with(|marks| text.with(|text| gutter(line_count(text), marks))));
    let painted = live(move || marks.with(|marks| text.with(|text| paint(text, marks, visible.get(), syntax))));
    let hint_text = live(move || {
        html("div").text(match tab.get() {
            TabKey::Indents => say.tab_indents,
            TabKey::Leaves => say.tab_leaves,
        })
    });
    view! {
        <div class="editor-frame">
            <div class="editor" node_ref=handle.scroller on:scroll=on_scroll>
                <div class="editor-gutter" aria-hidden="true" node_ref=gutter></div>
                <div class="editor-page">
                    <div class="editor-sizer" aria-hidden="true" node_ref=handle.sizer></div>
                    <div class="editor-paint" aria-hidden="true" node_ref=painted></div>
                    <textarea
                        class="editor-area"
                        data-testid=testid
                        aria-label=label
                        aria-describedby=hint.clone()
                        spellcheck="false"
                        autocomplete="off"
                        autocapitalize="off"
                        wrap="off"
                        node_ref=handle.area
                        prop:value=text
                        on:input:target=move |event| {
                            tab.set(TabKey::Indents);
                            on_edit.run(event.target().value());
                        }
                        on:pointerdown=move |_| tab.set(TabKey::Indents)
                        on:blur=move |_| tab.set(TabKey::Leaves)
                        on:keydown=on_keydown
                    />
                </div>
            </div>
        </div>
        <div class="editor-hint" id=hint node_ref=hint_text></div>
    }
}

/// The line numbers; those of lines with findings once more over them, in the finding's colour and with a sign.
fn gutter(lines: usize, marks: &[Mark]) -> Element {
    // The gravest of a line; one sign a line.
    let is_gravest =
        |mark: &&Mark| !marks.iter().any(|other| other.line == mark.line && other.severity < mark.severity);
    let mut marked: Vec<&Mark> = marks.iter().filter(is_gravest).collect();
    marked.dedup_by_key(|mark| mark.line);
    let marked = marked.into_iter().map(|mark| {
        html("span")
            .class("editor-gutter-mark")
            .attribute("data-severity", mark.severity.name())
            .style("top", line_top(mark.line.saturating_sub(1) as usize))
            .text(mark.line.to_string())
    });
    html("div").child(html("pre").class("editor-numbers").text(numbers(lines))).children(marked)
}

fn line_count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count() + 1
}

fn numbers(lines: usize) -> String {
    let mut numbers = String::with_capacity(lines * 4);
    for line in 1..=lines {
        numbers.push_str(&line.to_string());
        numbers.push('\n');
    }
    numbers
}
