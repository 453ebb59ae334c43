//! A textarea with line numbers, colours and underlines.
//!
//! The textarea is as large as its text and stands in a scrolling box together with the painted layers, so that everything
//! scrolls at once and nothing is kept in step by script. How large that is follows from counting; paint and numbers are made
//! for the lines and columns near the visible ones alone, so that a long text costs no more than a short one.

mod carry;
mod extent;
pub mod paint;
mod typing;

use crate::browser::editing::{self, Utf16Range};
use crate::browser::patch::live;
use crate::browser::{events, focus};
use crate::messages::use_messages;
use crate::reactive::{Derived, Held};
use crate::view::{Element, html};
use extent::{Extent, line_top};
use leptos::html::Div;
use leptos::prelude::*;
use paint::{AFTER, Corner, paint};
pub use paint::{Mark, Syntax};
use std::sync::Arc;
pub use typing::Written;
use typing::{TabKey, Typing};
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;

/// The parts of an editor that code outside may need to move.
#[derive(Debug, Clone, Copy)]
pub struct EditorHandle {
    scroller: NodeRef<Div>,
    sizer: NodeRef<Div>,
    extent: Derived<Extent>,
}

impl EditorHandle {
    /// A handle for an editor of this text.
    pub fn of(text: Derived<Arc<str>>) -> Self {
        let extent = Derived::new(move |_| Extent::of(&text.get()));
        let sizer = live(move || {
            let extent = extent.get();
            html("div").style("width", extent.width()).style("height", extent.height())
        });
        Self { scroller: NodeRef::new(), sizer, extent }
    }

    /// Selects a range and brings its line (from 1) into sight.
    pub fn jump(self, line: u32, range: Utf16Range) {
        let (Some(area), Some(scroller)) = (self.area(), self.scroller.get_untracked()) else { return };
        // The config.json lies in a fold.
        focus::unfold(&area);
        editing::select(&area, range);
        editing::reveal_line(&scroller, line.saturating_sub(1), self.letter().height);
    }

    fn area(self) -> Option<HtmlTextAreaElement> {
        let scroller = self.scroller.get_untracked()?;
        scroller.query_selector("textarea").ok().flatten()?.dyn_into().ok()
    }

    /// How large a letter is, in pixels.
    fn letter(self) -> crate::browser::size::Size {
        let Extent { lines, columns, .. } = self.extent.get_untracked();
        self.sizer.get_untracked().map_or(crate::browser::size::Size { width: 0.0, height: 0.0 }, |sizer| {
            editing::letter(&sizer, lines, columns)
        })
    }

    /// The first line and column in sight.
    fn corner(self) -> Corner {
        let scroller = self.scroller.get_untracked();
        let (line, column) = scroller.map_or((0, 0), |scroller| editing::first_visible(&scroller, self.letter()));
        Corner::near(line, column)
    }
}

/// The editor.
#[component]
pub fn CodeEditor(
    /// The text.
    text: Derived<Arc<str>>,
    /// The text was edited.
    on_edit: Callback<Written>,
    /// What to select, where undo or redo led.
    caret: Derived<Option<Utf16Range>>,
    /// What to underline.
    marks: Derived<Vec<Mark>>,
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
    let seen = Held::new(Corner::default());
    let hint = format!("{testid}-hint");
    let typing = Typing::new(handle, text, on_edit);
    typing.keep_in_line(caret);
    typing.listen(testid);
    // A textarea is as large as its text and scrolls nothing itself.
    events::hear("scroll", format!(".editor:has([data-testid={testid}])"), move |_| seen.set(handle.corner()));

    let gutter = live(move || marks.with(|marks| gutter(handle.extent.get(), seen.get(), marks)));
    let painted = live(move || marks.with(|marks| paint(&text.get(), marks, seen.get(), syntax)));
    let hint_text = live(move || {
        html("div").text(match typing.tab.get() {
            TabKey::Indents => say.tab_indents,
            TabKey::Leaves => say.tab_leaves,
        })
    });
    view! {
        <div class="editor-frame">
            <div class="editor" node_ref=handle.scroller>
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
                    />
                </div>
            </div>
        </div>
        <div class="editor-hint" id=hint node_ref=hint_text></div>
    }
}

/// The line numbers near the visible ones; those of lines with findings once more over them, in the finding's colour and
/// with a sign.
fn gutter(extent: Extent, seen: Corner, marks: &[Mark]) -> Element {
    let lines = seen.line..(seen.line + AFTER).min(extent.lines);
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
    let mut numbers = String::new();
    for line in lines.clone() {
        numbers.push_str(&(line + 1).to_string());
        numbers.push('\n');
    }
    html("div")
        .style("height", extent.height())
        .style("--digits", extent.lines.to_string().len().to_string())
        .child(html("pre").class("editor-numbers").style("top", line_top(lines.start)).text(numbers))
        .children(marked)
}
