//! The findings under the editor; each jumps to its line.

use crate::browser::events;
use crate::messages::Messages;
use crate::messages::pictures::captions;
use crate::state::findings::Finding;
use crate::view::{Element, html};
use shardmem::diagnostics::Severity;

/// The findings, gravest first.
pub fn diagnostic_list(findings: &[Finding], say: &Messages) -> Element {
    let list = html("ul")
        .class("diagnostics")
        .attribute("data-testid", "diagnostics")
        .attribute("aria-label", say.diagnostics);
    [Severity::Error, Severity::Warning, Severity::Note].into_iter().fold(list, |list, severity| {
        let listed = findings.iter().enumerate().filter(|(_, finding)| finding.severity == severity);
        list.children(listed.map(|(at, finding)| diagnostic_line(at, finding, say)))
    })
}

/// What a click in the list asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To see where the finding of this index lies.
    Jump(usize),
    /// To take the model that the finding of this index proposes.
    Adopt(usize),
    /// To take the keys that the finding of this index names out of the file.
    LeaveOut(usize),
    /// To choose a model.
    Model,
    /// To paste a config.json.
    Config,
}

/// What a click in the list asks for, if anything.
pub fn asked(event: &leptos::ev::Event) -> Option<Asked> {
    let at = events::closest(event, "data-finding")?.parse().ok()?;
    Some(match events::closest(event, "data-way").as_deref() {
        Some("adopt") => Asked::Adopt(at),
        Some("leave-out") => Asked::LeaveOut(at),
        Some("model") => Asked::Model,
        Some("config") => Asked::Config,
        _ => Asked::Jump(at),
    })
}

fn diagnostic_line(at: usize, finding: &Finding, say: &Messages) -> Element {
    let button = |class: &'static str, text: String| html("button").attribute("type", "button").class(class).text(text);
    let mut line = html("li")
        .class("diagnostic")
        .attribute("data-testid", "diagnostic")
        .number("data-finding", at)
        .attribute("data-code", finding.code)
        .attribute("data-severity", finding.severity.name())
        .maybe("data-line", finding.spot.map(|spot| spot.line.to_string()))
        .child(html("strong").class("diagnostic-severity").text((say.severity)(finding.severity)))
        .text(" ");
    let place = finding.spot.map(|spot| (say.line)(spot)).or_else(|| finding.row.map(|row| (say.range)(row + 1)));
    if let Some(place) = place {
        line = line.child(button("diagnostic-place", place)).text(" ");
    }
    line = line.child(html("span").text(finding.message.clone()));
    let way = |name: &'static str, text: String| button("action diagnostic-way", text).attribute("data-way", name);
    let help = finding.help.clone().map(|help| match finding.adopt {
        Some(_) => way("adopt", help),
        None => html("span").class("diagnostic-help").text(help),
    });
    let ways = finding.lacks_model.then(|| [way("model", say.way_model.into()), way("config", say.way_config.into())]);
    let leave = (!finding.leave_out.is_empty()).then(|| way("leave-out", captions(say.spoken).leave_out.into()));
    line.children(help).children(leave).children(ways.into_iter().flatten())
}
