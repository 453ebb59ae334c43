//! Law 11: the same run, written otherwise: block or brackets, other indentation, key order, quotes, spellings of scalars,
//! comments, anchors and aliases, merged keys.

use crate::cases;
use crate::runs::{layout, ready};
use proptest::prelude::*;
use shardmem::document::{self, Mapping, Node, Value};
use shardmem::estimate::{Input, Ready};
use std::fmt::Write;

const SAMPLES: [&str; 3] = [
    include_str!("../../data/samples/deepseek-v3-512.yaml"),
    include_str!("../../data/samples/qwen3-30b-a3b-8.yaml"),
    include_str!("../../data/samples/llama-3.1-8b-8.yaml"),
];

const REAL: [&str; 4] = [
    include_str!("../yamls/dryrun_ep_explicit.yaml"),
    include_str!("../yamls/qwen3_moe_recipe.yaml"),
    include_str!("../yamls/qwen3_5_9b_base_vlm.yaml"),
    include_str!("../yamls/qwen3_vl_pp_mpipe.yaml"),
];

/// Writes a tree in one of its many spellings; which one follows from the seed.
struct Writer {
    state: u64,
    anchors: usize,
    anchored: Vec<(Value, String)>,
}

impl Writer {
    fn roll(&mut self, faces: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).expect("31 bits") % faces
    }

    fn shuffled<'v>(&mut self, mapping: &'v Mapping) -> Vec<(&'v str, &'v Value)> {
        let mut entries: Vec<_> = mapping.entries.iter().map(|entry| (&*entry.key, &entry.node.value)).collect();
        for at in (1..entries.len()).rev() {
            let other = self.roll(at + 1);
            entries.swap(at, other);
        }
        entries
    }

    /// A section, a key a line.
    fn block(&mut self, mapping: &Mapping, indent: usize, text: &mut String) {
        let mut entries = self.shuffled(mapping);
        if entries.len() > 1 && self.roll(6) == 0 {
            let (key, value) = entries.swap_remove(0);
            let _ = writeln!(text, "{:indent$}<<: {{{}: {}}}", "", key_text(key), self.inline(value));
        }
        for (key, value) in entries {
            self.between(indent, text);
            let _ = write!(text, "{:indent$}{}:", "", key_text(key));
            match value {
                Value::Mapping(inner) if !inner.entries.is_empty() && self.roll(3) > 0 => {
                    self.line_end(text);
                    let deeper = 1 + self.roll(5);
                    self.block(inner, indent + deeper, text);
                }
                value => {
                    let inline = self.inline(value);
                    let blanks = 1 + self.roll(3);
                    let _ = write!(text, "{:blanks$}{inline}", "");
                    self.line_end(text);
                }
            }
        }
    }

    /// Comments and empty lines.
    fn between(&mut self, indent: usize, text: &mut String) {
        match self.roll(6) {
            0 => text.push('\n'),
            1 => drop(writeln!(text, "{:indent$}# tp_size: 64, [\"'&*", "")),
            2 => text.push_str("   # out of line\n"),
            _ => {}
        }
    }

    fn line_end(&mut self, text: &mut String) {
        text.push_str(if self.roll(4) == 0 { "   # : - 8\n" } else { "\n" });
    }

    /// A value on one line, sometimes anchored, sometimes an alias of one like it.
    fn inline(&mut self, value: &Value) -> String {
        let alias = self.anchored.iter().find(|(anchored, _)| anchored == value).map(|(_, name)| format!("*{name} "));
        if let Some(alias) = alias.filter(|_| self.roll(2) == 0) {
            return alias;
        }
        let anchor = if *value != Value::Null && self.roll(5) == 0 {
            self.anchors += 1;
            format!("&a{} ", self.anchors)
        } else {
            String::new()
        };
        let written = match value {
            Value::Mapping(mapping) => {
                let entries = self.shuffled(mapping);
                let entries =
                    entries.into_iter().map(|(key, value)| format!("{}: {}", key_text(key), self.inline(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
            Value::Sequence(items) => {
                let items = items.iter().map(|item| self.inline(&item.value));
                format!("[{}]", items.collect::<Vec<_>>().join(" , "))
            }
            scalar => self.scalar(scalar),
        };
        if !anchor.is_empty() {
            self.anchored.push((value.clone(), anchor[1..anchor.len() - 1].to_owned()));
        }
        anchor + &written
    }

    fn scalar(&mut self, value: &Value) -> String {
        let plain = document::to_yaml(value).trim_end().to_owned();
        match (value, self.roll(3)) {
            (Value::Bool(true), roll) => ["true", "yes", "On"][roll].to_owned(),
            (Value::Bool(false), roll) => ["false", "no", "OFF"][roll].to_owned(),
            (Value::Null, roll) => ["null", "~", "Null"][roll].to_owned(),
            (Value::Integer(number), 1) if *number > 999 => {
                format!("{}_{:03}", number / 1000, number % 1000)
            }
            (Value::Integer(number), 2) if *number >= 0 => format!("0x{number:x}"),
            (Value::Text(text), 1 | 2) if !text.contains(['"', '\\', '\n']) => format!("\"{text}\""),
            _ => plain,
        }
    }
}

fn key_text(key: &str) -> String {
    document::to_yaml(&Value::Text(key.into())).trim_end().to_owned()
}

fn rewritten(text: &str, seed: u64) -> String {
    let document = document::parse(text).expect("YAML").value;
    let Node { value: Value::Mapping(root), .. } = &document.root else { panic!("a section") };
    let mut writer = Writer { state: seed, anchors: 0, anchored: Vec::new() };
    let mut written = if writer.roll(3) == 0 { "# first\n---\n".to_owned() } else { String::new() };
    writer.block(root, 0, &mut written);
    written
}

/// All that an estimate says, but where it says it of.
fn said(ready: &Ready) -> Vec<String> {
    let mut said: Vec<String> = ready
        .findings
        .iter()
        .map(|found| {
            format!("{:?} {:?} {:?}", found.diagnostic.code, found.diagnostic.arguments, found.diagnostic.help)
        })
        .collect();
    said.sort();
    said
}

fn check(text: &str, seed: u64) -> Result<(), TestCaseError> {
    let otherwise = rewritten(text, seed);
    let (Some(one), Some(other)) = (ready(&Input::of(text)), ready(&Input::of(&otherwise))) else {
        return Err(TestCaseError::fail(format!("refused:\n{otherwise}")));
    };
    prop_assert_eq!(&one.facts, &other.facts, "{}", otherwise);
    prop_assert_eq!(&one.report, &other.report, "{}", otherwise);
    prop_assert_eq!(said(&one), said(&other), "{}", otherwise);
    Ok(())
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn law_11_spelling_changes_nothing(seed in any::<u64>()) {
        for text in SAMPLES {
            check(text, seed)?;
        }
    }

    #[test]
    fn law_11_spelling_changes_nothing_of_any_model(layout in layout(|_| true), seed in any::<u64>()) {
        check(&layout.text(), seed)?;
    }

    #[test]
    fn law_11_spelling_changes_nothing_of_real_files(seed in any::<u64>()) {
        for text in REAL {
            if ready(&Input::of(text)).is_some() {
                check(text, seed)?;
            }
        }
    }
}
