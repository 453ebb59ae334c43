//! What the editor needs of its textarea: selecting a span, and inserting text so that the browser's own undo knows it.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDocument, HtmlTextAreaElement};

/// A selection in UTF-16 code units, as the browser counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf16Range {
    /// First unit.
    pub start: u32,
    /// One past the last unit.
    pub end: u32,
}

/// Focuses the textarea and selects a range; the caller scrolls.
pub fn select(area: &HtmlTextAreaElement, range: Utf16Range) {
    let _ = area.focus();
    let _ = area.set_selection_range(range.start, range.end);
}

/// Scrolls `scroller` so that the line of `line_height` pixels at `index` (from 0) stands in its upper third.
pub fn reveal_line(scroller: &Element, index: u32, line_height: f64) {
    let top = f64::from(index) * line_height - f64::from(scroller.client_height()) / 3.0;
    #[expect(clippy::cast_possible_truncation, reason = "a scroll position in pixels; the cast saturates")]
    scroller.set_scroll_top(top.max(0.0) as i32);
    scroller.set_scroll_left(0);
}

/// The selected range.
pub fn selection(area: &HtmlTextAreaElement) -> Utf16Range {
    let start = area.selection_start().ok().flatten().unwrap_or(0);
    let end = area.selection_end().ok().flatten().unwrap_or(start);
    Utf16Range { start, end }
}

/// Replaces the selected text as if it were typed, so that the browser's undo takes it back; the textarea's `input` event follows.
pub fn type_text(area: &HtmlTextAreaElement, text: &str) {
    let _ = area.focus();
    let document = area.owner_document().and_then(|document| document.dyn_into::<HtmlDocument>().ok());
    let typed = document.is_some_and(|document| {
        let command = if text.is_empty() { "delete" } else { "insertText" };
        document.exec_command_with_show_ui_and_value(command, false, text).unwrap_or(false)
    });
    if !typed {
        let _ = area.set_range_text(text);
    }
}

/// Height of a line in pixels, from an element that holds the whole text.
pub fn line_height(sizer: &Element) -> f64 {
    let lines = sizer.text_content().map_or(1, |text| text.bytes().filter(|byte| *byte == b'\n').count() + 1);
    sizer.get_bounding_client_rect().height() / lines as f64
}

/// Index of the first visible line of a scrolling box.
pub fn first_visible_line(scroller: &Element, line_height: f64) -> usize {
    let line = (f64::from(scroller.scroll_top()) / line_height.max(1.0)).max(0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; the cast saturates")]
    let line = line as usize;
    line
}

/// Takes up to `most` spaces away at the start of the selection's line.
pub fn outdent(area: &HtmlTextAreaElement, most: usize) {
    let value: Vec<u16> = area.value().encode_utf16().collect();
    let selection = selection(area);
    let caret = (selection.start as usize).min(value.len());
    let newline = u16::from(b'\n');
    let start = value[..caret].iter().rposition(|unit| *unit == newline).map_or(0, |at| at + 1);
    let spaces = value[start..].iter().take(most).take_while(|unit| **unit == u16::from(b' ')).count();
    if spaces == 0 {
        return;
    }
    let (Ok(start), Ok(spaces)) = (u32::try_from(start), u32::try_from(spaces)) else { return };
    select(area, Utf16Range { start, end: start + spaces });
    type_text(area, "");
    let back = |at: u32| at.saturating_sub(spaces).max(start);
    select(area, Utf16Range { start: back(selection.start), end: back(selection.end) });
}
