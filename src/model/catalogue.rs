//! The catalogue: dimensions of public models, each with a source that a reader can follow (`data/catalogue.jsonl`).
//!
//! Entries are lines; a line is parsed when its model is asked for, never all of them at the start.

use super::nearest::nearest;
use super::{ConfigText, Keys, ModelSpec, Statement, resolve};
use crate::document::{Mapping, Node, Value, parse_json};
use crate::provenance::{Origin, Stated};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static TEXT: &str = include_str!("../../data/catalogue.jsonl");

/// A model of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// `organisation/name`.
    pub id: &'static str,
    line: &'static str,
}

/// What the catalogue says about a model besides its dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Where the dimensions come from.
    pub source: String,
    /// Whether two independent counts of its parameters agree to the last one.
    pub confirmed: bool,
}

impl Entry {
    /// Source, and whether the size is confirmed.
    ///
    /// # Panics
    /// Never: a test reads every line.
    pub fn about(self) -> About {
        let read =
            parse_json(self.line).unwrap_or_else(|_| unreachable!("every line of the catalogue is read by a test"));
        let value = |key| read.value.root.value.as_mapping().and_then(|line| line.get(key)).map(|node| &node.value);
        About {
            source: value("source").and_then(Value::as_text).unwrap_or_default().to_owned(),
            confirmed: value("confirmed").is_some_and(Value::truthy),
        }
    }

    /// What the model's config says of its type, without parsing the line.
    pub fn model_type(self) -> &'static str {
        let key = r#""model_type":""#;
        let rest = self.line.split_once(key).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default()
    }

    fn config(self) -> &'static str {
        self.line.split_once(r#","config":"#).map_or("{}", |(_, rest)| rest.strip_suffix('}').unwrap_or(rest))
    }
}

/// Every entry, in the order of the file.
pub fn all() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let entry = |line: &'static str| {
            let id = line.strip_prefix(r#"{"id":""#)?.split('"').next()?;
            Some(Entry { id, line })
        };
        TEXT.lines().filter_map(entry).collect()
    })
}

/// The entry a name means: by exact id, else by the last part of a path.
pub fn find(name: &str) -> Option<&'static str> {
    let exact = all().iter().find(|entry| entry.id == name);
    let last = last_part(name);
    exact.or_else(|| all().iter().find(|entry| last_part(entry.id) == last)).map(|entry| entry.id)
}

/// The entry of an exact id.
pub fn entry(id: &str) -> Option<Entry> {
    all().iter().copied().find(|entry| entry.id == id)
}

/// The entry whose shapes a name or a path probably means: another release of it, in any folder of the path, or a slip in
/// its letters. Never another size or version: the digits must agree, but for one that is written twice.
pub fn near(name: &str) -> Option<&'static str> {
    let names: Vec<(Name, &'static str)> = all().iter().map(|entry| (Name::of(entry.id), entry.id)).collect();
    let mut folders = name.split(['/', '\\']).rev().filter(|folder| !folder.is_empty());
    let wanted = Name::of(folders.clone().next()?);
    let release = folders.find_map(|folder| {
        let wanted = Name::of(folder);
        names.iter().find(|(name, _)| wanted.means(name))
    });
    let slip = || {
        let alike = names.iter().filter(|(name, _)| name.digits == wanted.digits && !name.digits.is_empty());
        let found = nearest(&wanted.base, alike.map(|(name, _)| &*name.base))?;
        names.iter().find(|(name, _)| name.base == found)
    };
    let twice = || names.iter().find(|(name, _)| wanted.doubles_a_digit_of(name));
    release.or_else(slip).or_else(twice).map(|(_, id)| *id)
}

/// A name without organisation, release and spelling habits.
struct Name {
    base: String,
    digits: String,
}

impl Name {
    /// Whether this is another spelling of a name, or the same without the size of its active part (`-A3B`).
    fn means(&self, other: &Self) -> bool {
        if self.base.is_empty() {
            return false;
        }
        let (wanted, whole) = (squashed(&self.base), squashed(&other.base));
        let without_active = other.base.rsplit_once('-').filter(|(before, active)| {
            let size = active.strip_prefix('a').and_then(|size| size.strip_suffix('b'));
            let is_size = size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()));
            is_size && before.ends_with('b')
        });
        wanted == whole || without_active.is_some_and(|(before, _)| squashed(before) == wanted)
    }

    /// Whether a name is this one with one of its doubled digits written once.
    fn doubles_a_digit_of(&self, other: &Self) -> bool {
        let (doubled, once) = (squashed(&self.base), squashed(&other.base));
        let places = doubled.as_bytes().windows(2).enumerate();
        let digits = places.filter(|(_, pair)| pair[0] == pair[1] && pair[0].is_ascii_digit());
        digits.into_iter().any(|(at, _)| {
            let (before, behind) = (&doubled[..at], &doubled[at + 1..]);
            once.strip_prefix(before).is_some_and(|rest| rest == behind)
        })
    }
}

/// Without the signs between its parts.
fn squashed(base: &str) -> String {
    base.replace('-', "")
}

impl Name {
    fn of(name: &str) -> Self {
        const RELEASES: [&str; 12] =
            ["base", "instruct", "chat", "it", "thinking", "hf", "pt", "sft", "bf16", "fp8", "online", "meta"];
        // A folder of the hub's cache is called `models--organisation--name`.
        let lower = last_part(name).rsplit("--").next().unwrap_or_default().to_ascii_lowercase();
        let dated = |part: &str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = lower
            .split(['-', '_', '.', ' '])
            .filter(|part| !part.is_empty() && !RELEASES.contains(part) && !dated(part));
        let base = parts.collect::<Vec<_>>().join("-");
        let digits = base.chars().filter(char::is_ascii_digit).collect();
        Self { base, digits }
    }
}

fn last_part(name: &str) -> &str {
    name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(name)
}

/// The config of an entry, as a tree; read once.
pub fn config(id: &str) -> Option<Arc<Node>> {
    static READ: Mutex<Vec<(&'static str, Arc<Node>)>> = Mutex::new(Vec::new());
    let entry = entry(id)?;
    // A reader that panicked left only whole entries behind.
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, config)) = read.iter().find(|(id, _)| *id == entry.id) {
        return Some(config.clone());
    }
    let config = Arc::new(parse_json(entry.config()).ok()?.value.root);
    read.push((entry.id, config.clone()));
    Some(config)
}

/// The spec of an entry, as when the user chooses it.
pub fn spec(id: &str) -> Option<ModelSpec> {
    let (root, id): (_, Arc<str>) = (config(id)?, id.into());
    let path = Stated::new(id.clone(), Origin::ChosenModel(id.clone()));
    let statement = Statement {
        keys: &Keys::default(),
        path: Some(&path),
        config: Some(ConfigText { root: &root, catalogue_id: Some(&id), chosen: true }),
        section: &Mapping::default(),
        overridden: &[],
        visual_tokens: None,
    };
    Some(resolve(&statement).ok()?.value)
}

/// A hash of an entry's dimensions, for links: they say when the dimensions changed since (FNV-1a, 64 bits).
pub fn hash(id: &str) -> Option<u64> {
    let entry = entry(id)?;
    let hash = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    Some(entry.config().bytes().fold(0xcbf2_9ce4_8422_2325, hash))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;
    use crate::model::Dimension;

    /// A run that names a model and says nothing else of it.
    fn statement<'a>(
        keys: &'a Keys,
        path: &'a Stated<Arc<str>>,
        config: ConfigText<'a>,
        section: &'a Mapping,
    ) -> Statement<'a> {
        Statement { keys, path: Some(path), config: Some(config), section, overridden: &[], visual_tokens: None }
    }

    #[test]
    fn every_line_reads() {
        assert!(all().len() >= 173);
        for entry in all() {
            let about = entry.about();
            assert!(!about.source.is_empty(), "{}", entry.id);
            assert!(!entry.model_type().is_empty(), "{}", entry.id);
            assert!(config(entry.id).is_some(), "{}", entry.id);
            assert!(hash(entry.id).is_some(), "{}", entry.id);
        }
    }

    #[test]
    fn every_model_resolves_when_chosen() {
        for entry in all() {
            let spec = spec(entry.id).unwrap_or_else(|| panic!("{}", entry.id));
            assert!(spec.count(Dimension::FeedForward) > 0 || known_without_width(entry.id), "{}", entry.id);
            assert_eq!(spec.catalogue_id.as_deref(), Some(entry.id));
        }
    }

    /// Their dense width stands under a name that the reference does not read, though it reads the rest.
    fn known_without_width(id: &str) -> bool {
        id.starts_with("tiiuae/falcon-") || id == "nvidia/Llama-3_3-Nemotron-Super-49B-v1"
    }

    #[test]
    fn a_class_that_renames_is_read_by_its_names() {
        let dimensions = |id: &str| {
            let (root, id): (_, Arc<str>) = (config(id).expect("an entry"), id.into());
            let path = Stated::new(id.clone(), Origin::ChosenModel(id.clone()));
            let config = ConfigText { root: &root, catalogue_id: Some(&id), chosen: false };
            let (section, keys) = (Mapping::default(), Keys::default());
            let spec = resolve(&statement(&keys, &path, config, &section)).expect("a spec").value;
            [Dimension::HiddenSize, Dimension::Layers, Dimension::Heads, Dimension::FeedForward, Dimension::Vocabulary]
                .map(|field| spec.count(field))
        };
        assert_eq!(dimensions("openai-community/gpt2"), [768, 12, 12, 3072, 50257]);
        assert_eq!(dimensions("microsoft/phi-2"), [2560, 32, 32, 10240, 51200]);
        assert_eq!(dimensions("THUDM/chatglm3-6b"), [4096, 28, 32, 13696, 65024]);
        assert_eq!(dimensions("meituan-longcat/LongCat-Flash-Chat"), [6144, 28, 64, 12288, 131_072]);
    }

    #[test]
    fn names_resolve_by_id_or_last_part() {
        assert_eq!(find("Qwen/Qwen3-30B-A3B"), Some("Qwen/Qwen3-30B-A3B"));
        assert_eq!(find("/path/to/Qwen3-30B-A3B/"), Some("Qwen/Qwen3-30B-A3B"));
        assert_eq!(find("Kimi-K2.6"), Some("moonshotai/Kimi-K2.6"));
        assert_eq!(find("Qwen/Qwen3.5-35B-A3B-Base"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn near_names_are_other_releases_or_slips_never_other_sizes() {
        let expected = [
            ("Qwen/Qwen3.5-35B-A3B-Base", Some("Qwen/Qwen3.5-35B-A3B")),
            ("Qwen/Qwen3-30B-A3B-Instruct-2507", Some("Qwen/Qwen3-30B-A3B")),
            ("./outputs/training_demo/qwen3_30b_a3b", Some("Qwen/Qwen3-30B-A3B")),
            ("deepseek-ai/DeepSeek-V3-0324", Some("deepseek-ai/DeepSeek-V3")),
            ("DeepSeek-V4-Flash-Base", Some("deepseek-ai/DeepSeek-V4-Flash")),
            ("deepseek-ai/DeepSek-V3", Some("deepseek-ai/DeepSeek-V3")),
            ("DeepSeek-V33", Some("deepseek-ai/DeepSeek-V3")),
            ("deepseek_v3", Some("deepseek-ai/DeepSeek-V3")),
            ("deepseekV3", Some("deepseek-ai/DeepSeek-V3")),
            ("Qwen3-30B", Some("Qwen/Qwen3-30B-A3B")),
            ("qwen3_235b", Some("Qwen/Qwen3-235B-A22B")),
            ("/home/x/Qwen3-8B-Base", Some("Qwen/Qwen3-8B")),
            ("/data/models/Qwen3-8B/checkpoint-500/", Some("Qwen/Qwen3-8B")),
            ("~/.cache/models--Qwen--Qwen3-8B/snapshots/0a1b2c", Some("Qwen/Qwen3-8B")),
            ("C:\\models\\Llama-31-8B", Some("meta-llama/Llama-3.1-8B")),
            ("GLM-4.5", None),
            ("DeepSeek-V4", None),
            ("Qwen", None),
            ("models", None),
            ("/", None),
            ("DeepSeek-V4.1-Flash", None),
            ("Qwen3-72B", None),
            ("files/micro-batches/ep_explicit_model", None),
        ];
        for (name, id) in expected {
            assert_eq!(near(name), id, "{name}");
        }
    }

    #[test]
    fn a_named_tower_that_the_reference_cannot_read_is_refused_with_the_way_on() {
        let (root, id): (_, Arc<str>) =
            (config("moonshotai/Kimi-K2.6").expect("an entry"), "moonshotai/Kimi-K2.6".into());
        let path = Stated::new(id.clone(), Origin::Caller);
        let (section, keys) = (Mapping::default(), Keys::default());
        let named = ConfigText { root: &root, catalogue_id: Some(&id), chosen: false };
        let statement = statement(&keys, &path, named, &section);
        let errors = resolve(&statement).expect_err("a refusal");
        assert_eq!(errors.first().code, Code::VisionMissing);
        assert!(matches!(&errors.first().help, Some(crate::diagnostics::Help::UseDimensionsOf(help)) if **help == *id));
        let chosen = Statement { config: Some(ConfigText { chosen: true, ..named }), ..statement };
        assert!(resolve(&chosen).is_ok());
        assert!(matches!(root.value, Value::Mapping(_)));
    }
}
