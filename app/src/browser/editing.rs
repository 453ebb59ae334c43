//! What the editor needs of its textarea: its text, its selection, its lines.

use crate::browser::size::Size;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlTextAreaElement, InputEvent};

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

/// Scrolls no farther than is needed to see a line.
pub fn bring_line(scroller: &Element, index: u32, line_height: f64) {
    let top = f64::from(index) * line_height;
    let seen = f64::from(scroller.scroll_top());
    let height = f64::from(scroller.client_height());
    if top < seen || top + line_height > seen + height {
        reveal_line(scroller, index, line_height);
    }
}

/// The selected range.
pub fn selection(area: &HtmlTextAreaElement) -> Utf16Range {
    let start = area.selection_start().ok().flatten().unwrap_or(0);
    let end = area.selection_end().ok().flatten().unwrap_or(start);
    Utf16Range { start, end }
}

/// Replaces the selected text; the caret stands behind it.
pub fn insert(area: &HtmlTextAreaElement, text: &str) {
    let start = selection(area).start;
    let _ = area.set_range_text(text);
    let length = u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let end = start.saturating_add(length);
    put_caret(area, Utf16Range { start: end, end });
}

/// Selects a range without moving the focus.
pub fn put_caret(area: &HtmlTextAreaElement, range: Utf16Range) {
    let _ = area.set_selection_range(range.start, range.end);
}

/// Writes a text, unless it stands there. The browser would put the caret behind it: `carry` says where each end of the
/// selection goes, from the old text, the new one and the place in the old one. Gives the text that stood there before.
pub fn show(area: &HtmlTextAreaElement, text: &str, carry: fn(&str, &str, u32) -> u32) -> Option<String> {
    let old = area.value();
    if old == text {
        return None;
    }
    let Utf16Range { start, end } = selection(area);
    area.set_value(text);
    put_caret(area, Utf16Range { start: carry(&old, text, start), end: carry(&old, text, end) });
    Some(old)
}

/// Says something of an editor to the style sheet.
pub fn mark(editor: &Element, class: &str, holds: bool) {
    let _ = editor.class_list().toggle_with_force(class, holds);
}

/// What kind of edit an `input` event tells of; empty where it does not say.
pub fn input_type(event: &Event) -> String {
    event.dyn_ref::<InputEvent>().map_or(String::new(), InputEvent::input_type)
}

/// Milliseconds since some moment before.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// How large a letter is, in pixels, from an element that is so many lines high and columns wide.
pub fn letter(sizer: &Element, lines: usize, columns: usize) -> Size {
    let room = sizer.get_bounding_client_rect();
    Size { width: room.width() / columns.max(1) as f64, height: room.height() / lines.max(1) as f64 }
}

/// The first line and column of a scrolling box that are seen.
pub fn first_visible(scroller: &Element, letter: Size) -> (usize, usize) {
    let first = |scrolled: i32, size: f64| {
        let place = (f64::from(scrolled) / size.max(1.0)).max(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; the cast saturates")]
        let place = place as usize;
        place
    };
    (first(scroller.scroll_top(), letter.height), first(scroller.scroll_left(), letter.width))
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
    let _ = area.set_range_text_with_start_and_end("", start, start + spaces);
    let back = |at: u32| at.saturating_sub(spaces).max(start);
    put_caret(area, Utf16Range { start: back(selection.start), end: back(selection.end) });
}
