use super::template::Filling;
use super::*;
use crate::diagnostics::{Place, Severity};
use crate::provenance::{KeyPath, Source};
use std::collections::BTreeSet;

/// The placeholders of a template, without those that choose a word.
fn placeholders(template: &str) -> BTreeSet<&str> {
    let names = template.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name));
    names.filter(|name| !name.contains('#')).collect()
}

/// Arguments that can be told apart in a sentence, as many as the code's sentence names.
fn sample(code: Code) -> (Diagnostic, usize) {
    let (sentence, advice) = Language::English.row(code);
    let index = |name: &str| name.chars().next().and_then(|digit| digit.to_digit(10));
    let both = [sentence, advice];
    let largest = both.iter().flat_map(|template| placeholders(template)).filter_map(index).max();
    let count = largest.map_or(0, |index| index as usize + 1);
    let place = Place::Value(Source::Run, KeyPath::parse("section.key"));
    let finding = Diagnostic::new(code, place).help(Help::NearestValues(vec![2, 4]));
    ((0..count).fold(finding, |finding, index| finding.with(format!("argument{index}"))), count)
}

#[test]
fn every_code_has_a_sentence_that_names_its_arguments() {
    for code in Code::ALL {
        let (finding, count) = sample(*code);
        for language in Language::ALL {
            let message = message(&finding, language);
            let said = format!("{message} {}", help(&finding, language).unwrap_or_default());
            for index in 0..count {
                let named = placeholders(Language::English.row(*code).0)
                    .iter()
                    .any(|name| name.starts_with(&index.to_string()));
                assert!(!named || said.contains(&format!("argument{index}")), "{}: {said}", code.name());
            }
            assert!(!said.contains(['{', '}', '[', ']', '<', '>']), "{}: {said}", code.name());
            assert!(!message.is_empty() && !message.ends_with(['.', '。']), "{}: {message}", code.name());
        }
    }
}

#[test]
fn english_sentences_are_phrases() {
    for code in Code::ALL {
        let (finding, _) = sample(*code);
        let help = help(&finding, Language::English);
        for said in [Some(message(&finding, Language::English)), help].into_iter().flatten() {
            let mut letters = said.chars();
            let (first, second) = (letters.next().expect("a sentence is not empty"), letters.next());
            let names_an_acronym = second.is_some_and(char::is_uppercase);
            assert!(!first.is_uppercase() || names_an_acronym, "house style, lower case: {said}");
            assert!(!said.ends_with('.'), "{said}");
        }
    }
}

#[test]
fn all_languages_name_the_same() {
    for code in Code::ALL {
        let (english, chinese) = (Language::English.row(*code), Language::Chinese.row(*code));
        assert_eq!(placeholders(english.0), placeholders(chinese.0), "{}", code.name());
        assert_eq!(placeholders(english.1), placeholders(chinese.1), "{}", code.name());
        assert_eq!(english.1.is_empty(), chinese.1.is_empty(), "{}", code.name());
        for mark in ['[', '<'] {
            let count = |row: (&str, &str)| row.0.matches(mark).count() + row.1.matches(mark).count();
            assert_eq!(count(english), count(chinese), "{}", code.name());
        }
        assert!(chinese.0.chars().any(|letter| ('\u{4e00}'..='\u{9fff}').contains(&letter)), "{}", code.name());
    }
    for phrase in english::PHRASES.lines().filter_map(|line| line.split('\t').next()) {
        assert_ne!(super::phrase(phrase, Language::Chinese), phrase);
    }
}

#[test]
fn a_legality_warning_says_why_the_run_would_fail_and_what_would_do() {
    let mut finding = Diagnostic::new(Code::KvHeadsNotDivided, Place::Whole)
        .with(8_i64)
        .with(4_i64)
        .help(Help::NearestValues(vec![1, 2, 4]));
    assert_eq!(
        message(&finding, Language::English),
        "TP 8 does not divide the 4 key/value heads: the reference prices this; the run would fail because each rank needs a whole key/value head"
    );
    assert_eq!(help(&finding, Language::English).as_deref(), Some("use TP 1, 2 or 4"));
    assert_eq!(
        message(&finding, Language::Chinese),
        "TP 8 不能整除 4 个键值头：参考实现仍会估算，但实际运行会失败，因为每个 rank 需要完整的键值头"
    );
    assert_eq!(help(&finding, Language::Chinese).as_deref(), Some("TP 改为 1、2 或 4"));
    finding.severity = Severity::Error;
    assert_eq!(
        message(&finding, Language::English),
        "TP 8 does not divide the 4 key/value heads: each rank needs a whole key/value head"
    );
    finding.help = None;
    assert_eq!(help(&finding, Language::English), None);
}

#[test]
fn amounts_are_said_in_gib_and_counts_choose_their_word() {
    let finding =
        Diagnostic::new(Code::ReferenceNegativeBuffer, Place::Whole).with(3_i64).with(-1_610_612_736.0).with(0.0);
    let short = "the reference counts \u{2212}1.5\u{a0}GiB of buffers on stage 3, where a run holds 0.0\u{a0}GiB";
    assert_eq!(message(&finding, Language::English), short);
    let one = finding.clone().with(1_i64).with(4_i64);
    assert!(message(&one, Language::English).ends_with(": 1 micro-batch is fewer than the 4 stages"));
    let two = finding.with(2_i64).with(4_i64);
    assert!(message(&two, Language::English).ends_with(": 2 micro-batches are fewer than the 4 stages"));
}

#[test]
fn keys_say_whose_they_are() {
    let said =
        |place| message(&Diagnostic::new(Code::SpecNotInteger, place).with("layers").with("two"), Language::English);
    let path = KeyPath::parse("model.layers");
    assert_eq!(said(Place::Value(Source::Run, path.clone())), "expected a whole number for `model.layers`, got `two`");
    let of_config = "expected a whole number for `model.layers` of config.json, got `two`";
    assert_eq!(said(Place::Value(Source::Model, path.clone())), of_config);
    assert!(said(Place::Key(Source::Execution, path)).contains("`model.layers` of the execution spec"));
    assert_eq!(said(Place::Whole), "expected a whole number for `layers`, got `two`");
}

#[test]
fn lists_are_cut_and_hostile_texts_shortened() {
    let finding = |names: Vec<String>| Diagnostic::new(Code::SpecUnknownKey, Place::Whole).with(names);
    let names = |count: usize| (0..count).map(|at| format!("k{at}")).collect::<Vec<_>>();
    assert!(message(&finding(names(1)), Language::English).ends_with("got the unknown key `k0`"));
    let many = message(&finding(names(1000)), Language::English);
    assert!(many.ends_with("`k8`, `k9` and 990 more"), "{many}");
    for language in Language::ALL {
        let hostile = "\u{202e}\u{0}evil".repeat(1 << 18);
        let said = message(&finding(vec![hostile.clone(); 100]), language);
        assert!(said.len() < 8000 && !said.contains('\u{202e}') && !said.contains('\0'), "{}", said.len());
        let near = Diagnostic::new(Code::KeyMisspelled, Place::Whole).with("x").help(Help::Nearest(hostile));
        assert!(help(&near, language).is_some_and(|help| help.len() < 1000 && !help.contains('\u{202e}')));
    }
}

#[test]
fn missing_arguments_leave_the_code() {
    let finding = Diagnostic::new(Code::SpecOpsMissing, Place::Whole).with("hidden_size");
    assert_eq!(message(&finding, Language::English), "spec_ops_missing");
    let filling = Filling { diagnostic: &finding, language: Language::English };
    assert_eq!(filling.fill("a[ {1}]b"), Some("ab".to_owned()));
    assert_eq!(filling.fill("a{9}"), None);
    assert_eq!(filling.fill("a{"), None);
}

#[test]
fn help_names_the_way_on() {
    let finding = |help| Diagnostic::new(Code::KeyMisspelled, Place::Whole).with("tp_sise").help(help);
    let said = |finding: &Diagnostic| help(finding, Language::English);
    assert_eq!(said(&finding(Help::Nearest("tp_size".into()))).as_deref(), Some("did you mean `tp_size`?"));
    let path = KeyPath::parse("dataset.data_transform.max_seq_len");
    let unstated =
        |code, path: &KeyPath| Diagnostic::new(code, Place::Whole).with(8_i64).help(Help::State(path.clone()));
    assert_eq!(
        said(&unstated(Code::SeqLenUnstated, &path)).as_deref(),
        Some("state `dataset.data_transform.max_seq_len`")
    );
    assert!(said(&unstated(Code::DeviceNumUnstated, &path)).is_some_and(|help| help.ends_with("beside the file")));
    let one_of = finding(Help::OneOf(vec!["half".to_owned(), "whole".to_owned()]));
    assert_eq!(said(&one_of).as_deref(), Some("use `half` or `whole`"));
    let near = Diagnostic::new(Code::CpAlgoDefault, Place::Whole).help(Help::NearestValues(vec![64]));
    assert_eq!(said(&near).as_deref(), Some("use 64"));
}
