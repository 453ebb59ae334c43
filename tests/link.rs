//! Links and files of a state (DESIGN 3.4): what is written is read, for ever; what is broken is refused, never a panic.

#[path = "document/random.rs"]
mod random;
#[path = "link/states.rs"]
mod states;

use miniz_oxide::deflate::compress_to_vec;
use random::Random;
use shardmem::document::parse_value;
use shardmem::facts::Overrides;
use shardmem::link::{Broken, Known, LARGEST, Model, Notice, Opened, Run, Selection, State, decode, encode};
use shardmem::link::{from_file, to_file};
use shardmem::model::catalogue;
use shardmem::provenance::KeyPath;
use states::{DEEPSEEK, QWEN, states};
use std::fs;
use std::path::{Path, PathBuf};

const SAMPLES: &[(&str, &str)] = &[("deepseek-v3-512", DEEPSEEK), ("qwen3-30b-a3b-8", QWEN)];
const KNOWN: Known<'_> = Known { samples: SAMPLES, dimensions: catalogue::hash };

fn link(state: &State) -> String {
    encode(state, &KNOWN).expect("it fits")
}

/// A state that opens without a notice.
fn whole(state: &State) -> Opened {
    Opened { state: state.clone(), notices: Vec::new() }
}

#[test]
fn what_is_written_is_read() {
    for (name, state) in states() {
        assert_eq!(decode(&link(&state), &KNOWN), Ok(whole(&state)), "{name}");
        assert_eq!(decode(&format!("#{}", link(&state)), &KNOWN), Ok(whole(&state)), "{name}");
        let file = to_file(&state, &KNOWN);
        assert_eq!(from_file(&file, &KNOWN), Ok(whole(&state)), "{name}");
        // A file stands for itself.
        assert_eq!(from_file(&file, &Known { samples: &[], ..KNOWN }), Ok(whole(&state)), "{name}");
        serde_json::from_str::<serde_json::Value>(&file).unwrap_or_else(|error| panic!("{name}: {error}\n{file}"));
    }
}

/// A link and, below it, what it holds as a file does.
fn golden_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/link");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|kind| kind == "txt")).collect();
    files.sort();
    files
}

/// Links out in the world must go on to open. A sample that changes must keep its earlier text for them.
/// `SHARDMEM_RECORD=1` writes the links of new states; what exists is never written again.
#[test]
fn links_of_every_version_are_read() {
    if std::env::var_os("SHARDMEM_RECORD").is_some() {
        write_golden_links();
    }
    let files = golden_files();
    assert!(files.len() >= states().len());
    for file in files {
        let text = fs::read_to_string(&file).expect("a golden link");
        let (fragment, content) = text.split_once('\n').expect("a link, and what it holds");
        let Opened { state, .. } = from_file(content, &KNOWN).unwrap_or_else(|broken| panic!("{file:?}: {broken:?}"));
        let opened = decode(fragment, &KNOWN).unwrap_or_else(|broken| panic!("{file:?}: {broken:?}"));
        assert_eq!(opened.state, state, "{file:?}");
        assert_eq!(decode(&link(&opened.state), &KNOWN).map(|opened| opened.state), Ok(state), "{file:?}");
    }
}

fn write_golden_links() {
    for (name, state) in states() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/link/{name}.txt"));
        if !path.exists() {
            let text = format!("{}\n{}", link(&state), to_file(&state, &KNOWN));
            fs::write(path, text).expect("the folder can be written");
        }
    }
}

#[test]
fn links_are_short() {
    let lengths: Vec<(&str, usize)> = states().iter().map(|(name, state)| (*name, link(state).len())).collect();
    let length = |wanted: &str| lengths.iter().find(|(name, _)| *name == wanted).map(|(_, length)| *length);
    assert!(length("01-opening") < Some(80), "{lengths:?}");
    assert!(length("11-baseline-sample") < Some(600));
    assert!(length("17-real-file") < Some(1700));
}

#[test]
fn what_changed_since_is_noted() {
    let sample = states()[0].1.clone();
    let samples: &[(&str, &str)] = &[("deepseek-v3-512", "a: 1\n")];
    let read = decode(&link(&sample), &Known { samples, ..KNOWN }).expect("it opens");
    assert_eq!(read.notices, [Notice::SampleChanged("deepseek-v3-512".to_owned())]);
    assert_eq!(read.state.run.text, "a: 1\n");
    let both: &[(&str, &str)] = &[("deepseek-v3-512", "a: 1\n"), ("deepseek-v3-512", DEEPSEEK)];
    assert_eq!(decode(&link(&sample), &Known { samples: both, ..KNOWN }), Ok(whole(&sample)));
    let gone = decode(&link(&sample), &Known { samples: &[], ..KNOWN });
    assert_eq!(gone, Err(Broken::SampleGone("deepseek-v3-512".to_owned())));
    let chosen = states()[5].1.clone();
    let id = || "Qwen/Qwen3-8B".to_owned();
    let read = |dimensions| decode(&link(&chosen), &Known { dimensions, ..KNOWN }).expect("it opens");
    assert_eq!(read(|_| Some(1)).notices, [Notice::ModelChanged(id())]);
    assert_eq!(read(|_| None).notices, [Notice::ModelGone(id())]);
    assert_eq!(read(|_| None).state, chosen);
    let twice = State { baseline: Some(chosen.run.clone()), ..chosen.clone() };
    let twice = decode(&link(&twice), &Known { dimensions: |_| Some(1), ..KNOWN }).expect("it opens");
    assert_eq!(twice.notices, [Notice::ModelChanged(id())]);
}

#[test]
fn a_part_of_a_link_is_no_link() {
    for (name, state) in states() {
        let link = link(&state);
        for end in (0..link.len()).step_by(1 + link.len() / 600) {
            assert!(decode(&link[..end], &KNOWN).is_err(), "{name}: {end} of {}", link.len());
        }
    }
}

#[test]
fn a_changed_link_is_no_link() {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (name, state) in states() {
        let link = link(&state);
        // Every bit of the short ones.
        for (at, letter) in link.char_indices().step_by(1 + link.len() / 300) {
            let digit = ALPHABET.find(letter).expect("a letter of the alphabet");
            for bit in 0..6 {
                let mut changed = link.clone();
                changed.replace_range(at..=at, &ALPHABET[digit ^ 1 << bit..][..1]);
                assert!(decode(&changed, &KNOWN).is_err(), "{name}: bit {bit} of {at}");
            }
        }
    }
}

#[test]
fn what_is_foreign_is_refused() {
    for fragment in ["", "#", "section-2", "中文", "AAAA", "=", "a b", "%41%51"] {
        assert_eq!(decode(fragment, &KNOWN), Err(Broken::Foreign), "{fragment}");
    }
    assert_eq!(decode("AQAA", &KNOWN), Err(Broken::Damaged));
    assert_eq!(decode("Ag", &KNOWN), Err(Broken::Version(2)));
    assert_eq!(decode("_wAAAAA", &KNOWN), Err(Broken::Version(255)));
    let mut random = Random::new(99);
    for _ in 0..20_000 {
        let letters = "AQBCDEZabz0189-_";
        let noise: String = (0..random.below(60)).map(|_| letters.as_bytes()[random.below(16)] as char).collect();
        for fragment in [format!("AQ{noise}"), noise] {
            assert!(decode(&fragment, &KNOWN).is_err(), "{fragment}");
        }
    }
}

/// A fragment by hand, of a payload.
fn by_hand(payload: &[u8]) -> String {
    packed_by_hand(&compress_to_vec(payload, 9))
}

/// Base64url of version, checksum and what is taken for a deflated payload.
fn packed_by_hand(packed: &[u8]) -> String {
    let step = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = packed.iter().fold(0xcbf2_9ce4_8422_2325, step).to_be_bytes();
    let bytes = [&[1], &hash[..3], packed].concat();
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | group.get(at).map_or(0, |byte| usize::from(*byte)));
        text.extend((0..=group.len()).map(|at| char::from(alphabet[bits >> (18 - 6 * at) & 63])));
    }
    text
}

#[test]
fn a_payload_by_hand_is_read_and_a_bomb_is_not() {
    let run = Run { text: "a: 1\n".to_owned(), ..Run::default() };
    let state = State { run, ..State::default() };
    assert_eq!(decode(&by_hand(br#"{"shardmem":1,"text":"a: 1\n"}"#), &KNOWN), Ok(whole(&state)));
    for bomb in [vec![b'x'; LARGEST + 1], vec![b'\n'; 1 << 27]] {
        assert_eq!(decode(&by_hand(&bomb), &KNOWN), Err(Broken::TooLarge));
    }
    assert_eq!(decode(&by_hand(&vec![b'['; LARGEST]), &KNOWN), Err(Broken::Foreign));
    assert_eq!(decode(&by_hand(&[0xff, 0xfe]), &KNOWN), Err(Broken::Damaged));
    let large = State { run: Run { text: "x".repeat(LARGEST), ..Run::default() }, ..State::default() };
    assert_eq!(encode(&large, &KNOWN), None);
    assert_eq!(from_file(&to_file(&large, &KNOWN), &KNOWN), Ok(whole(&large)));
}

#[test]
fn a_damaged_payload_with_a_right_checksum_is_refused_or_read() {
    let mut random = Random::new(12);
    let mut packed = compress_to_vec(to_file(&states()[16].1, &KNOWN).as_bytes(), 9);
    for _ in 0..3_000 {
        let at = random.below(packed.len());
        let kept = packed[at];
        packed[at] ^= 1 << random.below(8);
        // Whatever it is, it ends.
        let _ = decode(&packed_by_hand(&packed), &KNOWN);
        packed[at] = kept;
        let noise: Vec<u8> = (0..random.below(80)).map(|_| u8::try_from(random.below(256)).expect("a byte")).collect();
        assert!(decode(&packed_by_hand(&noise), &KNOWN).is_err());
    }
}

#[test]
fn a_wrong_field_is_named() {
    for (file, broken) in [
        ("", Broken::Foreign),
        ("[]", Broken::Foreign),
        ("{}", Broken::Foreign),
        (r#"{"shardmem": "1"}"#, Broken::Foreign),
        (r#"{"shardmem": 2}"#, Broken::Version(2)),
        (r#"{"shardmem": 1, "text": 5}"#, Broken::Field("text")),
        (r#"{"shardmem": 1, "text": [0, 0, ""]}"#, Broken::Field("text")),
        (r#"{"shardmem": 1, "sample": "x"}"#, Broken::SampleGone("x".to_owned())),
        (r#"{"shardmem": 1, "model": true}"#, Broken::Field("model")),
        (r#"{"shardmem": 1, "controls": {"tp": 4}}"#, Broken::Field("controls")),
        (r#"{"shardmem": 1, "controls": []}"#, Broken::Field("controls")),
        (r#"{"shardmem": 1, "overrides": {"a": "[1"}}"#, Broken::Field("overrides")),
        (r#"{"shardmem": 1, "pinned": 1}"#, Broken::Field("pinned")),
        (r#"{"shardmem": 1, "devices": 1.5}"#, Broken::Field("devices")),
        (r#"{"shardmem": 1, "stage": -1}"#, Broken::Field("stage")),
        (r#"{"shardmem": 1, "baseline": []}"#, Broken::Field("baseline")),
        (r#"{"shardmem": 1, "text": "é", "baseline": {"text": [1, 0, "x"]}}"#, Broken::Field("text")),
        (r#"{"shardmem": 1, "text": "ab", "baseline": {"text": [2, 1, "x"]}}"#, Broken::Field("text")),
        (r#"{"shardmem": 1, "text": "ab", "baseline": {"text": [-1, 1, "x"]}}"#, Broken::Field("text")),
        (r#"{"shardmem": 1, "baseline": {"text": [0, 0, "x"]}}"#, Broken::Field("text")),
    ] {
        assert_eq!(from_file(file, &KNOWN), Err(broken), "{file}");
    }
    // What later versions may add does not matter to this one.
    assert!(from_file(r#"{"shardmem": 1, "text": null, "later": [1]}"#, &KNOWN).is_ok());
}

impl Random {
    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from[self.below(from.len())]
    }

    fn words(&mut self) -> String {
        const WORDS: &[&str] =
            &["tp", ": ", "\n", "\r\n", "\\n", "\"", "中", "😀", "{", "\u{0}", "  ", "4096", "\\", "é", "\u{301}"];
        (0..self.below(40)).map(|_| self.pick(WORDS)).collect()
    }

    fn pairs(&mut self) -> Vec<(String, String)> {
        (0..self.below(4)).map(|at| (format!("{at}{}", self.words()), self.words())).collect()
    }

    fn run(&mut self) -> Run {
        const VALUES: &[&str] =
            &["1", "-1.5", "off", "'off'", "null", "[1, [a]]", "{a: {b: 'x: y'}}", "2025-01-01", ".inf"];
        let mut overrides = Overrides::none();
        for _ in 0..self.below(4) {
            let value = parse_value(self.pick(VALUES)).expect("a value").value;
            overrides.set(KeyPath::parse(self.pick(&["a.b", "a[1].c", "路径.x y", "d"])), value);
        }
        let id = self.pick(&["Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-V3"]).to_owned();
        let text = [self.words(), DEEPSEEK.to_owned(), QWEN.replace('1', &self.words())];
        Run {
            text: text[self.below(3)].clone(),
            model: [Model::Named, Model::Catalogue(id.clone()), Model::Config(self.words())][self.below(3)].clone(),
            entry: (self.below(2) == 0).then_some(id),
            controls: self.pairs(),
            overrides,
            pinned: self.below(2) == 0,
            devices: (self.below(2) == 0).then_some(i64::MAX),
            memory_model: self.pick(&["sapp_nd", "fsdp2", ""]).to_owned(),
            policies: self.pairs(),
            execution: self.words(),
            measured: self.words(),
        }
    }
}

#[test]
fn any_state_is_read_as_it_was_written() {
    let mut random = Random::new(5);
    for _ in 0..200 {
        let selection = Selection {
            stage: (random.below(2) == 0).then_some(u32::MAX),
            item: (random.below(2) == 0).then(|| random.words()),
            unit: None,
        };
        let baseline = (random.below(2) == 0).then(|| random.run());
        let state = State { run: random.run(), baseline, selection };
        assert_eq!(decode(&link(&state), &KNOWN), Ok(whole(&state)));
        assert_eq!(from_file(&to_file(&state, &KNOWN), &KNOWN), Ok(whole(&state)));
    }
}
