//! Recompute by ranges of layers: rows to fill in, each with what is wrong with it.

use crate::messages::Messages;
use crate::state::findings::Finding;
use crate::state::ranges::{Mode, Row};
use crate::view::{Element, html};

/// The list, or the way to it; a finding about a row stands under it.
pub fn range_list(rows: Option<&[Row]>, findings: &[Finding], say: &Messages) -> Element {
    let Some(rows) = rows else {
        return html("div").class("ranges").child(button("ranges-edit", "action", say.ranges_edit.into()));
    };
    let lines = rows.iter().enumerate().map(|(at, row)| {
        let error = findings.iter().find(|finding| finding.row == Some(at)).map(|finding| finding.message.as_str());
        range_row(at, rows.len(), row, error, say)
    });
    html("div")
        .class("ranges edited")
        .attribute("role", "group")
        .attribute("aria-label", say.ranges)
        .attribute("data-testid", "ranges")
        .child(html("p").flag("hidden", !rows.is_empty()).text(say.ranges_none))
        .child(html("ol").children(lines))
        .child(
            html("div")
                .class("ranges-tools")
                .child(button("range-add", "action", say.ranges_add.into()))
                .child(button("ranges-leave", "action", say.ranges_leave.into())),
        )
}

fn button(act: &'static str, class: &'static str, text: String) -> Element {
    html("button").attribute("type", "button").class(class).attribute("data-act", act).text(text)
}

fn range_row(at: usize, count: usize, row: &Row, error: Option<&str>, say: &Messages) -> Element {
    let number = at + 1;
    let name = (say.range)(number);
    let error_id = format!("range-{at}-error");
    let field = |field: &'static str, label: &'static str, value: &str| {
        let input = html("input")
            .class("field")
            .attribute("type", "text")
            .attribute("inputmode", "numeric")
            .attribute("autocomplete", "off")
            .attribute("data-field", field)
            .attribute("placeholder", if field == "count" { say.range_to_end } else { "0" })
            .attribute("aria-label", format!("{name}, {label}"))
            .attribute("aria-describedby", error_id.clone())
            .state("aria-invalid", error.is_some())
            .value(value.to_owned());
        html("label").child(html("span").text(label)).child(input)
    };
    let tool = |act: &'static str, sign: &'static str, label: String, is_idle: bool| {
        let tool = button(act, "tool", sign.to_owned());
        tool.attribute("aria-label", label.clone()).attribute("title", label).flag("disabled", is_idle)
    };
    html("li")
        .class("range")
        .number("data-range", at)
        .child(field("first", say.range_first, &row.first))
        .child(field("count", say.range_count, &row.count))
        .child(mode(row, &name, say))
        .child(
            html("span")
                .class("range-tools")
                .child(tool("range-up", "↑", (say.range_up)(number), at == 0))
                .child(tool("range-down", "↓", (say.range_down)(number), at + 1 == count))
                .child(tool("range-remove", "×", (say.range_remove)(number), false)),
        )
        .child(ops(row, say))
        .child(
            html("p").class("range-error").attribute("id", error_id.clone()).text(error.unwrap_or_default().to_owned()),
        )
}

fn mode(row: &Row, name: &str, say: &Messages) -> Element {
    let options =
        Mode::ALL.map(|mode| html("option").attribute("value", mode.name()).text((say.range_mode_name)(mode)));
    html("select")
        .class("field")
        .attribute("data-field", "mode")
        .attribute("aria-label", format!("{name}, {}", say.range_mode))
        .value(row.mode.name())
        .children(options)
}

/// The eight ops of selective recompute, by the reference's names; ticked is recomputed.
fn ops(row: &Row, say: &Messages) -> Element {
    let ops = row.switches.named().map(|(op, keeps)| {
        let tick = html("input").attribute("type", "checkbox").attribute("data-field", op).tick(!keeps);
        html("label").child(tick).child(html("span").text(op))
    });
    html("fieldset")
        .class("range-ops")
        .flag("hidden", row.mode != Mode::ByOp)
        .child(html("legend").text(say.range_ops))
        .children(ops)
}
