//! Recompute by layers, under its control: what happens in the list of ranges.

use crate::browser::events::{self, Given};
use crate::browser::focus;
use crate::state::history::What;
use crate::state::ranges::{self, Mode, Ranges, Row};
use crate::state::{EstimateMemos, Session};
use leptos::ev::Event;

/// Whether an event of the pane was one of the list's, and is dealt with.
pub(super) fn given(session: Session, event: &Event) -> bool {
    let (Some(at), Some(field)) = (row_of(event), events::closest(event, "data-field")) else { return false };
    if let Some(given) = events::given(event) {
        edit(session, &|rows| {
            let mut rows = rows.to_vec();
            if let Some(row) = rows.get_mut(at) {
                write(row, &field, &given);
            }
            rows.into()
        });
    }
    true
}

fn write(row: &mut Row, field: &str, given: &Given) {
    match (field, given) {
        ("first", Given::Text(text)) => row.first.clone_from(text),
        ("count", Given::Text(text)) => row.count.clone_from(text),
        ("mode", Given::Text(name)) => row.mode = Mode::by_name(name).unwrap_or_default(),
        (op, Given::Ticked(recomputed)) => {
            if let Some(keeps) = row.switches.by_name(op) {
                *keeps = !recomputed;
            }
        }
        (_, Given::Text(_) | Given::Step(_)) => {}
    }
}

/// Whether a click was one of the list's, and is dealt with. The focus goes where the hand expects it.
pub(super) fn clicked(session: Session, estimate: &EstimateMemos, event: &Event) -> bool {
    let Some(act) = events::closest(event, "data-act") else { return false };
    let at = row_of(event).unwrap_or(0);
    let to = |act: &str, at: usize| {
        focus::on(&format!("[data-range='{at}'] [data-act='{act}']:enabled, [data-range='{at}'] [data-act]:enabled"));
    };
    match act.as_str() {
        "ranges-edit" => {
            let rows = estimate.ranges().unwrap_or_default();
            session.act(What::Ranges, |run| run.ranges = Some(rows));
            focus::on("[data-range='0'] input");
        }
        "ranges-leave" => {
            session.act(What::Ranges, |run| run.ranges = None);
            focus::on("[data-act=ranges-edit]");
        }
        "range-add" => {
            let layers = estimate.layers();
            edit(session, &|rows| ranges::with_row_added(rows, layers));
            focus::on("[data-range]:last-child input");
        }
        "range-remove" => {
            edit(session, &|rows| ranges::without_row(rows, at));
            focus::on("[data-act=range-add]");
        }
        "range-up" => {
            edit(session, &|rows| ranges::with_row_moved_down(rows, at.saturating_sub(1)));
            to("range-up", at.saturating_sub(1));
        }
        "range-down" => {
            edit(session, &|rows| ranges::with_row_moved_down(rows, at));
            to("range-down", at + 1);
        }
        _ => return false,
    }
    session.close();
    true
}

fn edit(session: Session, change: &dyn Fn(&[Row]) -> Ranges) {
    session.go_on(What::Ranges.into(), |run| run.ranges = run.ranges.as_deref().map(change));
}

fn row_of(event: &Event) -> Option<usize> {
    events::closest(event, "data-range")?.parse().ok()
}
