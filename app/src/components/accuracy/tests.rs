use super::*;
use crate::components::sorting::Sortable;
use crate::view::Node;

fn texts(element: &Element) -> String {
    element.children.iter().fold(String::new(), |said, child| match child {
        Node::Text(text) => said + text,
        Node::Element(child) => format!("{said} {}", texts(child)),
    })
}

fn bodies<'a>(element: &'a Element, found: &mut Vec<&'a Element>) {
    for child in &element.children {
        if let Node::Element(child) = child {
            if child.tag == "tbody" {
                found.push(child);
            }
            bodies(child, found);
        }
    }
}

fn rows(asked: Asked) -> Vec<Element> {
    let page = accuracy(asked, MemoryUnit::Gib, Language::English);
    let mut found = Vec::new();
    bodies(&page, &mut found);
    let body = found.last().expect("a table of cases");
    body.children
        .iter()
        .filter_map(|child| if let Node::Element(row) = child { Some(row.clone()) } else { None })
        .collect()
}

#[test]
fn every_case_of_the_project_is_in_the_table_and_each_class_alone() {
    let all = rows(Asked::default());
    assert_eq!(all.len(), TABLE.lines().count() - 1, "every row of the file is read");
    let of_classes: usize =
        PeakClass::ALL.iter().map(|class| rows(Asked { class: Some(*class), order: None }).len()).sum();
    assert_eq!(of_classes, all.len());
}

#[test]
fn the_order_asked_for_is_the_order_shown() {
    for column in Column::ALL {
        let order = sorting::pressed(*column, None);
        let sorted: Vec<Case<'_>> = {
            let mut sorted: Vec<Case<'_>> = cases(TABLE).collect();
            let direction = order.expect("a first order").direction;
            sorted.sort_by(|one, other| direction.of(column.compare(one, other)));
            sorted
        };
        let shown = rows(Asked { class: None, order });
        for (case, row) in sorted.iter().zip(&shown) {
            assert!(texts(row).contains(case.name), "{}: {}", column.id(), case.name);
        }
    }
}

#[test]
fn shares_have_the_digits_that_tell_something() {
    let said = [0.0, 1e-8, 1.2e-6, 0.000_123, 0.0149, 0.163, -2.03].map(columns::share);
    let expected = ["0", "<0.001", "<0.001", "0.01", "1.5", "16", "203"].map(|number| format!("{number}\u{a0}%"));
    assert_eq!(said, expected);
}
