//! The pictures under the answer, each behind a fold: what is not open costs nothing, and comes when it is opened.

use crate::browser::events;
use crate::browser::patch::live_after;
use crate::components::accuracy::Asked;
use crate::components::pictures::{Looks, picked, picked_by_key};
use crate::late::{Late, with_late};
use crate::messages::pictures::captions;
use crate::messages::use_messages;
use crate::reactive::{Derived, Held, effect};
use crate::state::{EstimateMemos, Preferences, Selection};
use crate::view::{Element, html};
use leptos::prelude::*;

/// A picture behind a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawer {
    Layers,
    Table,
    Accuracy,
}

impl Drawer {
    const ALL: [Self; 3] = [Self::Layers, Self::Table, Self::Accuracy];

    const fn id(self) -> &'static str {
        match self {
            Self::Layers => "layer-map",
            Self::Table => "stage-table",
            Self::Accuracy => "accuracy",
        }
    }
}

/// The late part, once it is here. There is but one.
#[derive(Clone, Copy)]
struct Arrived(&'static Late);

impl PartialEq for Arrived {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Stages at every instant, where there are more than two; layers on stages; all stages in figures; how near the models come to
/// what was measured.
#[component]
pub fn Pictures() -> impl IntoView {
    let say = use_messages();
    let language = say.spoken;
    let captions = captions(language);
    let unit = expect_context::<Preferences>().unit;
    let selection = expect_context::<Selection>();
    let estimate = expect_context::<EstimateMemos>();
    let late = Held::new(None::<Arrived>);
    let open = Held::new([false; Drawer::ALL.len()]);
    let asked = Held::new(Asked::default());
    let bring = move || with_late(move |part| late.set(Some(Arrived(part))));
    let has_many = Derived::new(move |_| {
        let many = estimate.with_report(|report, _| report.stages.iter().any(|stage| stage.instants.len() > 2));
        many.unwrap_or(false)
    });
    effect(move || {
        if has_many.get() {
            bring();
        }
    });
    let looks = move || Looks { selected: selection.stage(), unit: unit.get(), language };
    let shown = live_after(move || {
        let (late, open, has_many) = (late.get().map(|late| late.0), open.get(), has_many.get());
        let heat = late
            .filter(|_| has_many)
            .and_then(|late| estimate.with_report(|report, _| (late.heat_map)(report, looks())));
        let heat = html("section")
            .flag("hidden", !has_many)
            .attribute("data-testid", "heat-map")
            .child(html("h3").text(captions.heat_map))
            .children(heat);
        let drawn = |drawer: Drawer| -> Option<Element> {
            let late = late.filter(|_| open[drawer as usize])?;
            match drawer {
                Drawer::Layers => estimate.with_placement(|placement| (late.layer_map)(placement, looks())),
                Drawer::Table => estimate.with_report(|report, _| (late.stage_table)(report, looks())),
                Drawer::Accuracy => Some((late.accuracy)(asked.get(), unit.get(), language)),
            }
        };
        let drawers = Drawer::ALL.map(|drawer| {
            let caption = match drawer {
                Drawer::Layers => captions.layer_map,
                Drawer::Table => captions.stage_table,
                Drawer::Accuracy => captions.accuracy,
            };
            html("details")
                .class("drawer")
                .attribute("data-testid", drawer.id())
                .child(html("summary").text(caption))
                .children(drawn(drawer))
        });
        html("div").child(heat).children(drawers)
    });
    events::hear("toggle", ".drawer", move |event| {
        let Some(drawer) = events::closest(event, "data-testid") else { return };
        let is_open = events::is_inside(event, "[open]");
        for (at, other) in Drawer::ALL.into_iter().enumerate() {
            if other.id() == drawer {
                open.update(|open| open[at] = is_open);
            }
        }
        if is_open {
            bring();
        }
    });
    let last = move || untrack(|| estimate.with_report(|report, _| report.stages.len())).map_or(0, |stages| stages - 1);
    events::hear("click", ".pictures", move |event| {
        if let Some(stage) = picked(event) {
            selection.pick(stage);
        }
    });
    events::hear("click", ".accuracy", move |event| asked.set(asked.get_untracked().after(event)));
    events::hear("keydown", ".pictures", move |event| {
        if let Some(stage) = picked_by_key(event, last()) {
            selection.pick(stage);
        }
    });
    view! { <div class="pictures" node_ref=shown></div> }
}
