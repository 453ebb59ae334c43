//! The outer form of a WebAssembly module: numbers, texts and sections.

use crate::Outcome;

/// What every module begins with.
pub(super) const MAGIC: &[u8; 8] = b"\0asm\x01\0\0\0";

/// A section's kind, by its number in the format.
pub(super) mod kind {
    /// Something beside the module.
    pub(in crate::pack) const CUSTOM: u8 = 0;
    /// What the module takes from the script.
    pub(in crate::pack) const IMPORTS: u8 = 2;
    /// What the script takes from the module.
    pub(in crate::pack) const EXPORTS: u8 = 7;
    /// Function bodies.
    pub(in crate::pack) const CODE: u8 = 10;
}

/// A section: its kind, and what stands in it.
pub(super) struct Section {
    pub(super) kind: u8,
    pub(super) content: Vec<u8>,
}

/// The sections of a module, in order.
pub(super) fn sections(module: &[u8]) -> Outcome<Vec<Section>> {
    let mut reader = Reader::new(module);
    if reader.bytes(MAGIC.len())? != MAGIC {
        return Err("the module begins like none".to_owned());
    }
    let mut sections = Vec::new();
    while !reader.is_empty() {
        let kind = reader.byte()?;
        let size = reader.number()?;
        sections.push(Section { kind, content: reader.bytes(size)?.to_vec() });
    }
    Ok(sections)
}

/// A module of these sections.
pub(super) fn whole(sections: &[Section]) -> Vec<u8> {
    let mut module = MAGIC.to_vec();
    for Section { kind, content } in sections {
        module.push(*kind);
        push_number(&mut module, content.len());
        module.extend_from_slice(content);
    }
    module
}

/// A module that does nothing but carry something.
pub(super) fn container(name: &str, carried: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    push_text(&mut content, name);
    content.extend_from_slice(carried);
    whole(&[Section { kind: kind::CUSTOM, content }])
}

/// Writes a whole number, seven bits a byte.
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    loop {
        let low = u8::try_from(number & 0x7f).expect("seven bits are a byte");
        number >>= 7;
        bytes.push(if number > 0 { low | 0x80 } else { low });
        if number == 0 {
            return;
        }
    }
}

/// Writes a text behind its length.
pub(super) fn push_text(bytes: &mut Vec<u8>, text: &str) {
    push_number(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

/// Passes over what kind of thing is imported: a function's type, a table, a memory or a global.
pub(super) fn import_type(reader: &mut Reader<'_>) -> Outcome {
    let limits = |reader: &mut Reader<'_>| {
        let has_most = reader.byte()? & 1 == 1;
        reader.number()?;
        if has_most { reader.number().map(drop) } else { Ok(()) }
    };
    match reader.byte()? {
        0 => reader.number().map(drop),
        1 => reader.byte().and_then(|_| limits(reader)),
        2 => limits(reader),
        3 => reader.bytes(2).map(drop),
        other => Err(format!("the module imports something of the unknown kind {other}")),
    }
}

/// Reads from the front.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// So many bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Outcome<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or("the module ends in the middle")?;
        self.rest = rest;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Outcome<u8> {
        Ok(self.bytes(1)?[0])
    }

    /// A number as it is written, signed or not.
    pub(super) fn written_number(&mut self) -> Outcome<&'a [u8]> {
        let length =
            self.rest.iter().position(|byte| *byte < 0x80).ok_or("the module ends in the middle of a number")?;
        self.bytes(length + 1)
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Outcome<usize> {
        let written = self.written_number()?;
        if written.len() > 5 {
            return Err("a number of the module has more than 32 bits".to_owned());
        }
        Ok(written.iter().rev().fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f)))
    }

    /// A text behind its length.
    pub(super) fn text(&mut self) -> Outcome<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.bytes(length)?).map_err(|error| format!("a name of the module is no text: {error}"))
    }

    /// What stands between here and where `skip` ends.
    pub(super) fn span(&mut self, skip: impl FnOnce(&mut Self) -> Outcome) -> Outcome<&'a [u8]> {
        let before = self.rest;
        skip(self)?;
        Ok(&before[..before.len() - self.rest.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, 1 << 20, u32::MAX as usize] {
            let mut bytes = Vec::new();
            push_number(&mut bytes, number);
            assert_eq!(Reader::new(&bytes).number(), Ok(number));
        }
        assert!(Reader::new(&[0x80]).number().is_err());
    }

    #[test]
    fn sections_come_back() {
        let module = container("packed", b"abc");
        let read = sections(&module).unwrap();
        assert_eq!((read.len(), read[0].kind, &*read[0].content), (1, kind::CUSTOM, &b"\x06packedabc"[..]));
        assert_eq!(whole(&read), module);
        assert!(sections(b"\0asm\x01\0\0").is_err());
    }
}
