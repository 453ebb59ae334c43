//! Every figure that the page shows of the sample is explained, in both languages, and the explanation gives its bits.

use super::*;
use crate::components::breakdown_table::{TableInput, breakdown_table};
use crate::components::layer_strip::stage_facts;
use crate::components::verdict::verdict_line;
use crate::state::Sample;
use crate::state::explaining::Whose;
use crate::view::{Node, Value};
use shardmem::config;
use shardmem::diagnostics::Findings;
use shardmem::document;
use shardmem::estimate;
use shardmem::facts::{self, ModelChoice, Overrides};
use shardmem::memory::Category;
use shardmem::memory::reference::explained_ids;

fn opened(item: &str, instant: Option<&str>) -> Opened {
    Opened {
        item: item.to_owned(),
        whose: Whose::Selected,
        instant: instant.map(str::to_owned),
        trail: Vec::new(),
        unfolded: Vec::new(),
        from: String::new(),
    }
}

/// Reads a run, with overrides laid over it, and tells of it.
fn with_grounds(text: &str, overrides: &Overrides, tell: impl FnOnce(&Grounds<'_>)) {
    let document = document::parse(text).expect("a text").value;
    let facts = facts::read(&document, &ModelChoice::Named, overrides, None).expect("facts").value;
    let mut findings = Findings::new();
    let config = findings.take(config::derive(&facts)).expect("a config");
    let answer = estimate::answer(&facts, &config, &mut findings).expect("an answer");
    let findings = findings.into_all();
    let (facts, config, answer, findings) = (&facts, &config, &answer, &*findings);
    tell(&Grounds { facts, config, answer, findings, spec: None, document: &document, pasted: None });
}

fn asked<'a>(grounds: &'a Grounds<'a>, opened: &'a Opened, stage: usize, language: Language) -> Asked<'a> {
    let (before, copied, unit) = (&[][..], None, MemoryUnit::Gib);
    Asked { grounds: Some(grounds), opened, stage: Some(stage), before, copied, unit, language }
}

fn attribute(element: &Element, name: &str) -> Option<String> {
    let found = element.attributes.iter().find(|attribute| attribute.name == name)?;
    found.value.as_ref().map(|value| value.text().into_owned())
}

fn number(element: &Element, name: &str) -> f64 {
    let found = element.attributes.iter().find(|attribute| attribute.name == name).expect("the attribute");
    match found.value.as_ref().expect("a value") {
        Value::Number(number) => *number,
        Value::Text(text) => shardmem::decimal::read(text).expect("a number"),
    }
}

fn all<'a>(element: &'a Element, is_meant: &dyn Fn(&Element) -> bool, found: &mut Vec<&'a Element>) {
    if is_meant(element) {
        found.push(element);
    }
    for child in &element.children {
        if let Node::Element(child) = child {
            all(child, is_meant, found);
        }
    }
}

fn texts(element: &Element) -> String {
    element.children.iter().fold(String::new(), |said, child| match child {
        Node::Text(text) => said + text,
        Node::Element(child) => said + &texts(child) + " ",
    })
}

#[test]
fn every_figure_of_every_sample_is_explained_to_the_bit_in_both_languages() {
    for sample in Sample::ALL {
        with_grounds(sample.text, &Overrides::none(), |grounds| {
            for (at, stage) in grounds.answer.report.stages.iter().enumerate() {
                let items = stage.rows.iter().flat_map(|row| &row.items).map(|item| (item.id, None, item.bytes));
                let categories = stage.rows.iter().map(|row| (row.category.id(), None, row.bytes));
                let instants = stage.instants.iter().map(|instant| ("total", Some(instant.id), instant.bytes));
                let figures = items.chain(categories).chain(instants).chain([("total", None, stage.peak)]);
                for ((id, instant, bytes), language) in
                    figures.flat_map(|figure| Language::ALL.map(|in_it| (figure, in_it)))
                {
                    let opened = opened(id, instant);
                    let explained = explain(&asked(grounds, &opened, at, language));
                    let shown = number(&explained.view, "data-bytes");
                    assert_eq!(shown.to_bits(), bytes.value().to_bits(), "stage {at}, {id}: {shown} for {bytes:?}");
                    assert_eq!(attribute(&explained.view, "data-item").as_deref(), Some(id));
                }
            }
        });
    }
}

/// What the page makes a button of is a figure that the core explains.
#[test]
fn every_button_of_a_figure_names_a_figure_that_is_explained() {
    with_grounds(Sample::OPENING.text, &Overrides::none(), |grounds| {
        let (report, say, unit) = (&grounds.answer.report, messages::of(Language::English), MemoryUnit::Gib);
        let stage = &report.stages[1];
        let (categories, open) = (&Category::ALL[..], &Category::ALL[..]);
        let table =
            TableInput { stage, is_compared: false, baseline: None, other: None, categories, open, order: None, unit };
        let views =
            [breakdown_table(table, say), verdict_line(report, false, unit, say), stage_facts(stage, unit, say)];
        let mut ids = Vec::new();
        for view in &views {
            let mut buttons = Vec::new();
            all(view, &|element| attribute(element, "data-explain").is_some(), &mut buttons);
            ids.extend(buttons.iter().filter_map(|button| attribute(button, "data-explain")));
        }
        let items = stage.rows.iter().map(|row| row.items.len()).sum::<usize>();
        // An item's name opens what its figure opens.
        assert_eq!(ids.len(), 2 * items + Category::ALL.len() + 2 + stage.instants.len());
        for id in ids {
            assert!(explained_ids().any(|known| known == id), "{id}");
        }
    });
}

/// Every symbol reached from the peak has a meaning in both languages, and a place in the page.
#[test]
fn everything_can_be_unfolded_and_gone_into() {
    with_grounds(Sample::OPENING.text, &Overrides::none(), |grounds| {
        for language in Language::ALL {
            let mut opened = opened("total", None);
            // Unfolds what is there until nothing new comes up.
            let explained = loop {
                let explained = explain(&asked(grounds, &opened, 1, language));
                let mut folded = Vec::new();
                let is_folded = |element: &Element| {
                    attribute(element, "data-explain-fold").is_some()
                        && attribute(element, "aria-expanded").as_deref() == Some("false")
                };
                all(&explained.view, &is_folded, &mut folded);
                if folded.is_empty() || opened.unfolded.len() > 400 {
                    break explained;
                }
                opened.unfolded.extend(folded.iter().filter_map(|fold| attribute(fold, "data-explain-fold")));
            };
            assert!(explained.values.len() > 100, "{}", explained.values.len());
            let mut lines = Vec::new();
            all(
                &explained.view,
                &|element| attribute(element, "class").as_deref() == Some("explain-about"),
                &mut lines,
            );
            assert!(lines.iter().all(|line| !texts(line).trim().is_empty()));
            opened.unfolded.clear();
            opened.go("static.total>layer_parameters_held>ep");
            let view = explain(&asked(grounds, &opened, 1, language)).view;
            assert_eq!(number(&view, "data-bytes").to_bits(), grounds.answer.report.stages[1].peak.value().to_bits());
            assert!(
                texts(&view).contains("bytes·") || texts(&view).contains("bytes_p/"),
                "a stated number ends the way"
            );
        }
    });
}

#[test]
fn chinese_says_everything_in_chinese() {
    with_grounds(Sample::OPENING.text, &Overrides::none(), |grounds| {
        let mut opened = opened("static.total", None);
        opened.unfolded = vec!["layer_parameters_held".to_owned(), "layer_parameters_held>shard_p_os_exp".to_owned()];
        let said = texts(&explain(&asked(grounds, &opened, 1, Language::Chinese)).view);
        for expected in [
            "始终持有",
            "该阶段始终持有的部分（字节）",
            "4 个相同的混合专家层，全部重计算",
            "参考实现的显存模型 · memory-core 第 2 节，第 4 项",
            "第 19 行 · ep_size",
            "专家有单独的分片，范围是持有它的 rank",
        ] {
            assert!(said.contains(expected), "{expected}: {said}");
        }
        for english in ["Bytes of", "the trainer", "section", " of a layer"] {
            assert!(!said.contains(english), "{english}: {said}");
        }
    });
}

#[test]
fn an_override_names_its_control_and_a_line_leads_to_the_file() {
    let overrides = Overrides::none().with("accelerator.ep_size", document::Value::Integer(16));
    with_grounds(Sample::OPENING.text, &overrides, |grounds| {
        let mut opened = opened("static.total", None);
        opened.unfolded = vec!["layer_parameters_held".to_owned()];
        let view = explain(&asked(grounds, &opened, 1, Language::English)).view;
        let mut origins = Vec::new();
        all(&view, &|element| attribute(element, "data-jump").is_some(), &mut origins);
        let said: Vec<_> = origins
            .iter()
            .map(|origin| {
                (texts(origin), attribute(origin, "data-jump").unwrap(), attribute(origin, "data-path").unwrap())
            })
            .collect();
        let expected = |text: &str, jump: &str, path: &str| (text.to_owned(), jump.to_owned(), path.to_owned());
        assert!(said.contains(&expected("line 8 · torch_dtype", "run", "model.torch_dtype")), "{said:?}");
        assert!(said.contains(&expected("control · Expert parallel", "control", "ep")), "{said:?}");
    });
}

/// Fewer micro-batches than stages: the buffers of the last stages go below zero when warm-up ends.
const FEW_MICRO_BATCHES: &str = "
model: {pretrained_model_name_or_path: Qwen/Qwen3-30B-A3B}
accelerator: {pp_size: 8, ep_size: 8}
fsdp_config: {dp_shard_size: 8}
training: {micro_batch_size: 1, micro_batch_num: 2}
optimizer: {_target_: torch.optim.AdamW}
dataset: {data_transform: {max_seq_len: 4096}}
context: {device_num: 64}
";

#[test]
fn what_changed_is_marked_and_a_figure_below_zero_says_why() {
    with_grounds(FEW_MICRO_BATCHES, &Overrides::none(), |grounds| {
        let opened = opened("buffers", Some("warmup-end"));
        let mut asked = asked(grounds, &opened, 5, Language::English);
        let before = [(String::new(), 1.0)];
        asked.before = &before;
        let view = explain(&asked).view;
        assert!(number(&view, "data-bytes") < 0.0);
        let said = texts(&view);
        assert!(said.contains("Below zero, and kept so"), "{said}");
        assert!(said.contains("micro-batches"), "{said}");
        assert!(said.contains("was 1\u{a0}B"), "{said}");
    });
}

#[test]
fn the_text_is_the_command_lines() {
    with_grounds(Sample::OPENING.text, &Overrides::none(), |grounds| {
        let opened = opened("total", None);
        let text = explain_text(&asked(grounds, &opened, 1, Language::English)).expect("a text");
        assert!(text.starts_with("total of stage 1 at backward-end: 65.84\u{a0}GiB, 70693773312 bytes\n"), "{text}");
        assert!(text.contains("[train.yaml:19:12: accelerator.ep_size]"), "{text}");
        let text = explain_text(&asked(grounds, &opened, 1, Language::Chinese)).expect("a text");
        assert!(text.starts_with("阶段 1 的 total，时刻 backward-end：65.84\u{a0}GiB，70693773312 字节\n"), "{text}");
        assert!(text.contains("情形：查询使用潜向量"), "{text}");
    });
}

#[test]
fn what_cannot_be_explained_says_so() {
    let opened = opened("total", None);
    let unread = Asked {
        grounds: None,
        opened: &opened,
        stage: None,
        before: &[],
        copied: None,
        unit: MemoryUnit::Gib,
        language: Language::English,
    };
    assert!(texts(&explain(&unread).view).contains("has an error"));
    assert_eq!(explain_text(&unread), None);
}
