//! What a new run begins with.

use crate::messages::takeaway::words;
use crate::state::new_run::{Start, Wrong};
use crate::view::{Element, html};
use shardmem::facts::devices;
use shardmem::model::catalogue;
use shardmem::report::messages::Language;

/// The form; below it the present run written plainly, where it can be read.
pub fn new_run_form(start: &Start, has_run: bool, wrong: Option<Wrong>, language: Language) -> Element {
    let say = words(language);
    let row = |label: &'static str, field: Element| {
        html("label").class("new-run-row").child(html("span").text(label)).child(field)
    };
    let button = |act: &'static str, text: &'static str| {
        html("button").attribute("type", "button").class("button").attribute("data-testid", act).text(text)
    };
    let number = |field: &'static str, value: &str, is_wrong: bool| {
        html("input")
            .class("field")
            .attribute("type", "text")
            .attribute("inputmode", "numeric")
            .attribute("autocomplete", "off")
            .attribute("data-field", field)
            .state("aria-invalid", is_wrong)
            .value(value.to_owned())
    };
    let plainly = button("new-run-plainly", say.plainly).state("aria-disabled", !has_run);
    html("div")
        .class("popover new-run-form")
        .attribute("role", "dialog")
        .attribute("aria-label", say.new_run)
        .attribute("data-testid", "new-run-form")
        .child(row(say.model, models(&start.model)))
        .child(row(say.devices, number("devices", &start.devices, wrong == Some(Wrong::Devices))))
        .child(row(say.device, device(&start.device)))
        .child(row(say.sequence, number("sequence", &start.sequence, wrong == Some(Wrong::Sequence))))
        .child(html("p").class("new-run-help").text(say.new_run_help))
        .child(html("p").class("new-run-wrong").attribute("role", "alert").text(wrong.map_or("", say.wrong)))
        .child(button("new-run-make", say.make))
        .child(
            html("div")
                .class("new-run-plainly")
                .child(html("p").class("new-run-help").text(if has_run { say.plainly_help } else { say.plainly_not }))
                .child(plainly),
        )
}

/// The catalogue, by who made the models.
fn models(chosen: &str) -> Element {
    let mut groups: Vec<(&'static str, Vec<Element>)> = Vec::new();
    for entry in catalogue::all() {
        let (maker, name) = entry.id.split_once('/').unwrap_or(("", entry.id));
        let option = html("option").attribute("value", entry.id).text(name);
        match groups.iter_mut().find(|(known, _)| *known == maker) {
            Some((_, options)) => options.push(option),
            None => groups.push((maker, vec![option])),
        }
    }
    let groups =
        groups.into_iter().map(|(maker, options)| html("optgroup").attribute("label", maker).children(options));
    html("select").class("field").attribute("data-field", "model").value(chosen.to_owned()).children(groups)
}

fn device(chosen: &str) -> Element {
    let options = devices::all()
        .iter()
        .map(|device| html("option").attribute("value", device.id.clone()).text(device.name.clone()));
    html("select").class("field").attribute("data-field", "device").value(chosen.to_owned()).children(options)
}
