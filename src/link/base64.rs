//! Base64 for URLs, without padding (RFC 4648, section 5).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 3);
    for group in bytes.chunks(3) {
        let bits = group.iter().zip([16, 8, 0]).fold(0, |bits, (byte, shift)| bits | usize::from(*byte) << shift);
        for shift in [18, 12, 6, 0].iter().take(group.len() + 1) {
            text.push(char::from(ALPHABET[bits >> shift & 63]));
        }
    }
    text
}

/// The bytes; nothing where another character stands in it, or bits that no encoder leaves.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4 + 3);
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for (letter, shift) in group.iter().zip([18, 12, 6, 0]) {
            bits |= u32::from(digit(*letter)?) << shift;
        }
        let [_, first, second, third] = bits.to_be_bytes();
        let held = match (group.len(), second, third) {
            (4, ..) => 3,
            (3, _, 0) => 2,
            (2, 0, 0) => 1,
            _ => return None,
        };
        bytes.extend(&[first, second, third][..held]);
    }
    Some(bytes)
}

fn digit(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_as_the_standard_says_and_back() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg"),
            (b"\xfb\xff\xfe", "-__-"),
        ] {
            assert_eq!(encode(bytes), text);
            assert_eq!(decode(text).as_deref(), Some(bytes));
        }
        for text in ["Z", "Zg=", "Z+", "Zh", "Zm9", "中文", "Zm9v Zg"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
