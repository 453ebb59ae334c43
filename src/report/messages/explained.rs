//! What explanations say beside numbers, in every language: what formulas and symbols are, which cases applied, which
//! section a formula follows, what a sum counts. The English stands beside the formulas; here is what it is in other
//! languages.

mod chinese;

use super::table::Language;
use crate::explain::Group;
use crate::memory::reference::{self, FORMULA_TABLES, SYMBOL_TABLES};

/// A text by its id or its English.
type Pair = (&'static str, &'static str);

/// The few words of a language that stand around numbers; `{}` stands for one.
pub(crate) struct Words {
    /// A section of a specification.
    section: &'static str,
    /// Between two sections.
    and: &'static str,
    /// An item of a section.
    item: &'static str,
    /// A chunk of a stage, counted from 1.
    chunk: &'static str,
    /// So many equal layers; the second place is what they are.
    equal: &'static str,
    /// What a layer recomputes: nothing, a part, everything.
    letters: [&'static str; 3],
    comma: &'static str,
    /// Which figure is explained, as the first line of a text.
    pub(crate) heading: &'static str,
    pub(crate) no_instant: &'static str,
    pub(crate) case: &'static str,
    pub(crate) colon: &'static str,
    pub(crate) trainer_default: &'static str,
    pub(crate) family_default: &'static str,
    pub(crate) chosen_model: &'static str,
}

const ENGLISH: Words = Words {
    section: "section {}",
    and: " and ",
    item: "item {}",
    chunk: "chunk {}",
    equal: "{} equal layers: {}",
    letters: ["nothing recomputed", "recomputed in part", "recomputed"],
    comma: ", ",
    heading: "{item} of stage {stage} at {instant}: {size}, {bytes} bytes",
    no_instant: "no instant",
    case: "case",
    colon: ": ",
    trainer_default: "the trainer's default, {}",
    family_default: "of the family {}",
    chosen_model: "of the chosen model {}",
};

/// What a formula or a symbol of the reference model is, by its id; empty for items and categories.
pub fn meaning(id: &str, language: Language) -> &'static str {
    match language {
        Language::English => reference::meaning(id),
        Language::Chinese => find(chinese::MEANINGS, id).unwrap_or(""),
    }
}

/// A case of a formula, or what is said of a rule or a constant; as it stands where the language has no other.
pub fn phrase(english: &str, language: Language) -> &str {
    match language {
        Language::English => english,
        Language::Chinese => find(chinese::PHRASES, english).unwrap_or(english),
    }
}

/// The place that a formula, a default or a rule follows, `memory-core 2, item 6` or `config-spec 4.3, replicate times
/// shard`, and what is said of it.
pub fn reference(place: &str, language: Language) -> String {
    let words = words(language);
    let (specification, rest) = place.split_once(' ').unwrap_or((place, ""));
    let (mut sections, mut others) = (Vec::new(), Vec::new());
    for part in rest.split(", ").filter(|part| !part.is_empty()) {
        match part.strip_prefix("item ") {
            _ if part.starts_with(|letter: char| letter.is_ascii_digit()) => sections.push(part),
            Some(item) => others.push(words.item.replace("{}", item)),
            None => others.push(phrase(part, language).to_owned()),
        }
    }
    let mut text = specification.to_owned();
    if !sections.is_empty() {
        text.push(' ');
        text.push_str(&words.section.replace("{}", &sections.join(words.and)));
    }
    for other in others {
        text.push_str(words.comma);
        text.push_str(&other);
    }
    text
}

/// The nodes of a stage that a summand stands for.
pub fn nodes(group: &Group, language: Language) -> String {
    let words = words(language);
    let mut text = phrase(group.kind, language).replace('_', " ");
    let recomputes = match group.letter {
        'N' => words.letters[0],
        'S' => words.letters[1],
        'F' => words.letters[2],
        _ => "",
    };
    if group.count > 1 {
        text = words.equal.replacen("{}", &group.count.to_string(), 1).replacen("{}", &text, 1);
    }
    if !recomputes.is_empty() {
        text.push_str(words.comma);
        text.push_str(recomputes);
    }
    if group.chunk > 0 {
        text.push_str(words.comma);
        text.push_str(&words.chunk.replace("{}", &(group.chunk + 1).to_string()));
    }
    text
}

pub(crate) const fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &ENGLISH,
        Language::Chinese => &chinese::WORDS,
    }
}

fn find(pairs: &[Pair], key: &str) -> Option<&'static str> {
    pairs.iter().find(|(known, _)| *known == key).map(|(_, text)| *text)
}

// A formula or a symbol without a meaning in a language does not compile.
const _: () = {
    let mut table = 0;
    while table < FORMULA_TABLES.len() {
        let mut row = 0;
        while row < FORMULA_TABLES[table].len() {
            assert!(has(chinese::MEANINGS, FORMULA_TABLES[table][row].0.id), "a formula has no meaning in Chinese");
            row += 1;
        }
        table += 1;
    }
    let mut table = 0;
    while table < SYMBOL_TABLES.len() {
        let mut row = 0;
        while row < SYMBOL_TABLES[table].len() {
            assert!(has(chinese::MEANINGS, SYMBOL_TABLES[table][row].0), "a symbol has no meaning in Chinese");
            row += 1;
        }
        table += 1;
    }
};

const fn has(pairs: &[Pair], key: &str) -> bool {
    let mut at = 0;
    while at < pairs.len() {
        if is_same(pairs[at].0.as_bytes(), key.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The files whose phrases say which case of a formula applied.
    const FILES: [&str; 10] = [
        "memory/reference/activations.rs",
        "memory/reference/buffers.rs",
        "memory/reference/derived.rs",
        "memory/reference/fields.rs",
        "memory/reference/held.rs",
        "memory/reference/nodes.rs",
        "memory/reference/overheads.rs",
        "memory/reference/parameters.rs",
        "memory/reference/stage.rs",
        "placement/schedule.rs",
    ];

    /// Every text of these files that has a blank in it is a case; those of tests and of tables of formulas are not.
    fn cases() -> Vec<String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut cases = Vec::new();
        for file in FILES {
            let text = fs::read_to_string(sources.join(file)).expect("sources are readable");
            let text = text.split("#[cfg(test)]").next().expect("a first part");
            for line in text.lines().map(str::trim) {
                let is_prose = line.starts_with("//") || line.contains("reason = ") || line.contains(".expect(");
                let is_table = line.contains("\"memory-core ") || line.contains("\"config-spec ");
                if !is_prose && !is_table {
                    let texts = line.split('"').skip(1).step_by(2);
                    cases.extend(texts.filter(|text| text.contains(' ')).map(str::to_owned));
                }
            }
        }
        cases
    }

    #[test]
    fn every_case_is_said_in_chinese() {
        let cases = cases();
        assert!(cases.len() > 100, "{cases:?}");
        let missing: Vec<_> = cases.iter().filter(|case| find(chinese::PHRASES, case).is_none()).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }

    /// What stands behind the section of a rule, a default or a constant.
    #[test]
    fn what_is_said_of_rules_is_said_in_chinese() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = [
            "report/origins.rs",
            "facts/reader.rs",
            "facts/capacity.rs",
            "facts/run/degrees.rs",
            "facts/run/mod.rs",
            "facts/run/recompute.rs",
            "facts/run/training.rs",
            "model/resolve.rs",
            "model/settle.rs",
            "model/spelling.rs",
            "model/tower.rs",
        ];
        let mut said = 0;
        for file in files {
            let text = fs::read_to_string(sources.join(file)).expect("sources are readable");
            let places = text
                .split('"')
                .skip(1)
                .step_by(2)
                .filter(|text| text.starts_with("memory-core ") || text.starts_with("config-spec "));
            for remark in places.filter_map(|place| Some(place.split_once(", ")?.1)) {
                assert!(find(chinese::PHRASES, remark).is_some(), "{file}: {remark}");
                said += 1;
            }
        }
        assert!(said > 15, "{said}");
    }

    #[test]
    fn no_key_stands_twice() {
        for pairs in [chinese::MEANINGS, chinese::PHRASES] {
            for (at, (key, text)) in pairs.iter().enumerate() {
                assert!(pairs[..at].iter().all(|(known, _)| known != key), "{key}");
                assert!(!text.is_ascii(), "{key}: {text}");
            }
        }
    }

    #[test]
    fn places_are_said_in_words() {
        let said = |place, language| reference(place, language);
        assert_eq!(said("memory-core 2, item 6", Language::English), "memory-core section 2, item 6");
        assert_eq!(said("memory-core 10.1, 10.2", Language::English), "memory-core section 10.1 and 10.2");
        assert_eq!(said("config-spec 4.7", Language::Chinese), "config-spec 第 4.7 节");
        assert_eq!(
            said("config-spec 4.3, replicate times shard", Language::Chinese),
            "config-spec 第 4.3 节，副本数乘以分片数"
        );
    }

    #[test]
    fn nodes_are_said_in_words() {
        let group = |kind, letter, chunk, count| Group { kind, letter, chunk, count };
        assert_eq!(nodes(&group("moe", 'F', 0, 4), Language::English), "4 equal layers: moe, recomputed");
        assert_eq!(nodes(&group("moe", 'F', 0, 4), Language::Chinese), "4 个相同的混合专家层，全部重计算");
        assert_eq!(nodes(&group("embedding", 'E', 0, 1), Language::Chinese), "词嵌入");
        assert_eq!(
            nodes(&group("linear_attention", 'N', 1, 1), Language::English),
            "linear attention, nothing recomputed, chunk 2"
        );
    }
}
