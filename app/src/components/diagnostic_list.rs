//! The findings under the editor; each jumps to its line.

use crate::browser::events;
use crate::messages::Messages;
use crate::state::findings::Finding;
use leptos::prelude::*;

/// The findings, gravest first.
pub fn diagnostic_list(findings: &[Finding], say: &'static Messages) -> impl IntoView + use<> {
    let mut listed: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    listed.sort_by_key(|(_, finding)| finding.severity);
    let lines = listed.into_iter().map(|(at, finding)| diagnostic_line(at, finding, say));
    view! {
        <ul class="diagnostics" data-testid="diagnostics" aria-label=say.diagnostics>
            {lines.collect_view()}
        </ul>
    }
}

/// What a click in the list asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To see where the finding of this index lies.
    Jump(usize),
    /// To take the model that the finding of this index proposes.
    Adopt(usize),
}

/// What a click in the list asks for, if anything.
pub fn asked(event: &leptos::ev::Event) -> Option<Asked> {
    let at = events::closest(event, "data-finding")?.parse().ok()?;
    if events::is_inside(event, ".diagnostic-adopt") { Some(Asked::Adopt(at)) } else { Some(Asked::Jump(at)) }
}

fn diagnostic_line(at: usize, finding: &Finding, say: &'static Messages) -> impl IntoView + use<> {
    let Finding { severity, code, message, help, adopt, spot } = finding.clone();
    let place = spot.map(|spot| {
        view! {
            <button type="button" class="diagnostic-place">
                {(say.line)(spot)}
            </button>
        }
    });
    let adopt = adopt.map(|model| {
        view! {
            <button type="button" class="action diagnostic-adopt">
                {(say.adopt)(&model)}
            </button>
        }
    });
    view! {
        <li
            class="diagnostic"
            data-testid="diagnostic"
            data-finding=at
            data-code=code
            data-severity=severity.name()
            data-line=spot.map(|spot| spot.line)
        >
            <strong class="diagnostic-severity">{(say.severity)(severity)}</strong>
            " "
            <span class="diagnostic-text">
                {place} " " <span class="diagnostic-message">{message}</span>
                <span class="diagnostic-help">{help}</span> {adopt}
            </span>
        </li>
    }
}
