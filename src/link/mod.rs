//! The page's state as a link's fragment or a file (DESIGN 3.4): text, model, what was set, memory model, selection, and a
//! baseline as a difference.
//!
//! A fragment is base64url of a version byte, three bytes of checksum, and the state's JSON, deflated. The JSON of link and
//! file is the same; only a link names a sample of ours by its id instead of spelling it out. Defaults are left out, and
//! belong to the version: what version 1 leaves out means the same for ever. Every version stays readable; the links of
//! `tests/link/` hold this to it.

mod base64;
mod form;
mod pack;
mod state;

pub use state::{MEMORY_MODEL, Model, Run, Selection, State};

use crate::document::{self, Quotes, to_line};

/// The version that is written.
const VERSION: u8 = 1;
/// What is inflated at most, in bytes.
pub const LARGEST: usize = 3 << 19;

/// What a link may name instead of spelling it out, and what a figure depends on besides the state.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Our samples: id and text. Earlier texts of a sample stand behind the present one, under the same id.
    pub samples: &'a [(&'a str, &'a str)],
    /// The hash of a catalogue entry's dimensions, by id; nothing for an unknown one.
    pub dimensions: fn(&str) -> Option<u64>,
}

/// A state that was opened, and what has changed under it since.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The state.
    pub state: State,
    /// Why its figures may differ from those that the sender saw.
    pub notices: Vec<Notice>,
}

/// What has changed since a link was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The sample of this id reads otherwise now; its present text is shown.
    SampleChanged(String),
    /// The catalogue has other dimensions for this model now.
    ModelChanged(String),
    /// The catalogue no longer has this model.
    ModelGone(String),
}

/// Why a link or file cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// There is nothing in it, or it is no link of ours.
    Foreign,
    /// It is of a version that this page does not know.
    Version(u8),
    /// It was cut off or changed on the way.
    Damaged,
    /// It holds more than a state may.
    TooLarge,
    /// It names a sample that this page does not have.
    SampleGone(String),
    /// This field does not hold what it should.
    Field(&'static str),
}

/// The state as a fragment, without `#`; nothing where it is too large for any link.
pub fn encode(state: &State, known: &Known<'_>) -> Option<String> {
    let text = pack::break_lines(&json(state, known));
    let text = text.as_bytes();
    if text.len() > LARGEST {
        return None;
    }
    let packed = pack::deflate(text);
    let mut bytes = vec![VERSION];
    bytes.extend(checksum(&packed));
    bytes.extend(packed);
    Some(base64::encode(&bytes))
}

/// Opens a fragment, with or without its `#`.
pub fn decode(fragment: &str, known: &Known<'_>) -> Result<Opened, Broken> {
    let bytes = base64::decode(fragment.trim().trim_start_matches('#')).ok_or(Broken::Foreign)?;
    match bytes.as_slice() {
        [VERSION, first, second, third, packed @ ..] => {
            if checksum(packed) != [*first, *second, *third] {
                return Err(Broken::Damaged);
            }
            let text = String::from_utf8(pack::inflate(packed, LARGEST)?).map_err(|_| Broken::Damaged)?;
            from_file(&pack::join_lines(&text), known)
        }
        // Every version so far began at 1.
        [0, ..] | [] => Err(Broken::Foreign),
        [VERSION, ..] => Err(Broken::Damaged),
        [version, ..] => Err(Broken::Version(*version)),
    }
}

/// The state as a `.shardmem.json` file, for what no link holds; samples are spelled out.
pub fn to_file(state: &State, known: &Known<'_>) -> String {
    json(state, &Known { samples: &[], ..*known }) + "\n"
}

/// Opens such a file.
pub fn from_file(text: &str, known: &Known<'_>) -> Result<Opened, Broken> {
    let root = document::parse_state(text).map_err(|_| Broken::Foreign)?;
    form::opened(root.value.as_mapping().ok_or(Broken::Foreign)?, known)
}

fn json(state: &State, known: &Known<'_>) -> String {
    to_line(&form::value(state, known), Quotes::Double)
}

/// FNV-1a, 64 bits: what the catalogue hashes its entries with.
fn hash(bytes: &[u8]) -> u64 {
    let step = |state: u64, byte: &u8| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Three bytes, so that the fragment's first four characters are version and checksum.
fn checksum(bytes: &[u8]) -> [u8; 3] {
    let [first, second, third, ..] = hash(bytes).to_be_bytes();
    [first, second, third]
}
