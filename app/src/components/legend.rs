//! What the colours and textures mean. Both are used everywhere, so that colour is never the only signal.

use crate::browser::events;
use crate::messages::Messages;
use leptos::prelude::*;
use shardmem::memory::Category;

/// A small field in a category's colour and texture.
pub fn swatch(category: Category) -> impl IntoView {
    view! {
        <svg class="swatch" aria-hidden="true">
            <rect width="100%" height="100%" rx="2" fill=format!("url(#fill-{})", category.id()) />
        </svg>
    }
}

/// The fills of all categories; stands once on the page, everything else refers to it.
pub fn fills() -> impl IntoView {
    view! {
        <svg class="fills" aria-hidden="true" focusable="false">
            <defs>
                {Category::ALL.into_iter().map(fill).collect_view()}
                <pattern id="fill-notch" width="6" height="6" patternUnits="userSpaceOnUse">
                    <rect class="fill-notch-ground" width="6" height="6" />
                    <path class="fill-notch-line" d="M-1 1 1-1M0 6 6 0M5 7 7 5" />
                </pattern>
            </defs>
        </svg>
    }
}

fn fill(category: Category) -> impl IntoView {
    view! {
        <pattern id=format!("fill-{}", category.id()) width="6" height="6" patternUnits="userSpaceOnUse">
            <rect class="fill-ground" data-category=category.id() width="6" height="6" />
            <path class="fill-texture" d=texture(category) />
        </pattern>
    }
}

/// The texture over a category's colour: neighbours in a bar never share one.
const fn texture(category: Category) -> &'static str {
    match category {
        Category::Parameters | Category::OptimizerStates | Category::BackwardWorkingSet | Category::Reserve => "",
        Category::Gradients => "M0 3H6",
        Category::Activations => "M-1 1 1-1M0 6 6 0M5 7 7 5",
        Category::Buffers => "M1.5 1.5h.01M4.5 4.5h.01",
        Category::GradientsInFlight => "M3 0V6",
    }
}

/// The category that an event in the legend or the table belongs to.
pub fn category_of(event: &leptos::ev::Event) -> Option<Category> {
    let id = events::closest(event, "data-row")?;
    Category::ALL.into_iter().find(|category| category.id() == id)
}

/// The names of the categories that occur, in the order of the bars, and the device's line.
pub fn legend(categories: &[Category], is_notched: bool, say: &'static Messages) -> impl IntoView + use<> {
    let names = categories.iter().map(|category| {
        view! { <li data-row=category.id()>{swatch(*category)} {(say.category)(*category)}</li> }
    });
    view! {
        <ul class="legend" aria-label=say.legend>
            {names.collect_view()}
            <li hidden=!is_notched>
                <svg class="swatch" aria-hidden="true">
                    <rect width="100%" height="100%" fill="url(#fill-notch)" />
                </svg>
                {say.legend_notch}
            </li>
            <li>
                <svg class="swatch swatch-line" aria-hidden="true">
                    <line class="capacity-sample" x1="0" x2="100%" y1="50%" y2="50%" />
                </svg>
                {say.legend_capacity}
            </li>
        </ul>
    }
}
