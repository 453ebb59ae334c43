//! Deflate with a dictionary that both ends know: what train.yamls and states hold again and again.
//!
//! The dictionary belongs to the version and never changes. It is compressed first and its output thrown away, so that the
//! compressor knows it; to inflate, the output begins with it.

use super::Broken;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

static DICTIONARY: &str = include_str!("dictionary-1.txt");

/// How hard the compressor looks for repetitions, of 10.
const LEVEL: i32 = 8;
/// A stream of its own, without zlib's frame.
const RAW: i32 = -15;

/// JSON on one line with its `\n` as line feeds, so that the dictionary's lines are found in it. It has none of its own, so
/// this can be undone.
pub(super) fn break_lines(json: &str) -> String {
    json.replace("\\n", "\n")
}

/// Undoes `break_lines`.
pub(super) fn join_lines(text: &str) -> String {
    text.replace('\n', "\\n")
}

pub(super) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut compressor = CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, RAW, 0));
    let _known = run(&mut compressor, DICTIONARY.as_bytes(), TDEFLFlush::Sync);
    run(&mut compressor, bytes, TDEFLFlush::Finish)
}

fn run(compressor: &mut CompressorOxide, mut bytes: &[u8], flush: TDEFLFlush) -> Vec<u8> {
    let mut packed = vec![0; bytes.len() / 2 + 256];
    let mut length = 0;
    loop {
        let (status, read, written) = compress(compressor, bytes, &mut packed[length..], flush);
        length += written;
        bytes = &bytes[read..];
        let full = length == packed.len();
        if status != TDEFLStatus::Okay || !full && bytes.is_empty() {
            packed.truncate(length);
            return packed;
        }
        if full {
            packed.resize(length * 2, 0);
        }
    }
}

/// What was deflated, if it is whole and at most so many bytes.
pub(super) fn inflate(packed: &[u8], largest: usize) -> Result<Vec<u8>, Broken> {
    let known = DICTIONARY.len();
    let limit = known + largest;
    let mut bytes = DICTIONARY.as_bytes().to_vec();
    let mut decompressor = DecompressorOxide::new();
    let (mut read, mut length) = (0, known);
    loop {
        bytes.resize((length * 2).min(limit), 0);
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, more, written) = decompress(&mut decompressor, &packed[read..], &mut bytes, length, flags);
        read += more;
        length += written;
        match status {
            TINFLStatus::Done if read == packed.len() => break,
            TINFLStatus::HasMoreOutput if length < limit => {}
            TINFLStatus::HasMoreOutput => return Err(Broken::TooLarge),
            _ => return Err(Broken::Damaged),
        }
    }
    bytes.truncate(length);
    bytes.drain(..known);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_deflated_is_inflated() {
        let long: Vec<String> = (0..40_000).map(|number| (number * 7919 % 10_007).to_string()).collect();
        let long = long.join("\n");
        for text in ["", "a", "accelerator:\n  tp_size: 1\n", &long, &"x".repeat(1_000_000)] {
            let packed = deflate(text.as_bytes());
            assert_eq!(inflate(&packed, 1_000_000).as_deref(), Ok(text.as_bytes()));
            for end in 0..packed.len().min(50) {
                assert_eq!(inflate(&packed[..end], 1_000_000), Err(Broken::Damaged), "{end}");
            }
            let behind = [&*packed, b"x"].concat();
            assert_eq!(inflate(&behind, 1_000_000), Err(Broken::Damaged));
        }
        let known = deflate(b"  pretrained_model_name_or_path: deepseek-ai/DeepSeek-V3\n");
        assert!(known.len() < 16, "{}", known.len());
        assert_eq!(inflate(&deflate(&[b'x'; 101]), 100), Err(Broken::TooLarge));
        assert_eq!(inflate(&deflate(&[b'x'; 100]), 100).map(|bytes| bytes.len()), Ok(100));
    }

    #[test]
    fn line_feeds_of_json_are_broken_and_joined() {
        for json in [r#"{"a":"b\nc"}"#, r#"{"a":"\\nb\\\nc"}"#] {
            assert!(break_lines(json).contains('\n'));
            assert_eq!(join_lines(&break_lines(json)), json);
        }
    }
}
