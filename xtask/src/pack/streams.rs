//! The code of a module, taken apart: operators in one stream, each kind of operand in one of its own.
//!
//! Brotli sees two bytes back; in a module these say little about the next. Apart, like stands beside like, and the code
//! takes a ninth less. Besides, locals are written by how recently they were used, and an alignment only where it is not
//! the natural one. `app/unpack.js` is the way back and must know the same tables; [`put_together`] says what it must give.

use super::module::{MAGIC, Reader, kind, push_number, sections};
use crate::Outcome;

/// A stream. The order is that of the file; `app/unpack.js` has the same.
#[derive(Clone, Copy)]
enum Stream {
    /// The module without its function bodies.
    Frame,
    Operators,
    /// What a function declares.
    Declarations,
    /// What is rare.
    Others,
    /// Of `local.get`, `local.set`, `local.tee`, three streams.
    Locals,
    Blocks = 7,
    Branches,
    Tables,
    Calls,
    Longs,
    LoadOffsets,
    StoreOffsets,
    /// Of `i32.const` by the operator behind it: one for each of [`FOLLOWERS`], and before them one for all others.
    Integers,
}

/// Behind an `i32.const`: add, subtract, `i32.const`, call, store, and, `local.get`.
const FOLLOWERS: [u8; 7] = [0x6a, 0x6b, 0x41, 0x10, 0x36, 0x71, 0x20];
const STREAMS: usize = Stream::Integers as usize + 1 + FOLLOWERS.len();

/// The natural alignments of loads and stores, from 0x28 on.
const NATURAL: &[u8; 23] = &[2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2];
/// Before a load or store whose alignment is another; no operator of the format.
const UNALIGNED: u8 = 0xff;

/// The bytes that a function's size takes in the module that is put together.
const SIZE_BYTES: usize = 3;

/// A module as its packed streams.
pub(super) fn take_apart(module: &[u8]) -> Outcome<Vec<u8>> {
    let Parts { before, bodies, after } = parts(module)?;
    let mut streams = Streams::default();
    streams.push(Stream::Frame, &before);
    streams.push(Stream::Frame, &after);
    let mut constants = Vec::new();
    for body in &bodies {
        streams.function(body, &mut constants)?;
    }
    streams.integers(&constants);
    let mut packed = Vec::new();
    let code: usize = bodies.iter().map(|body| SIZE_BYTES + body.len()).sum();
    for number in [before.len() + code + after.len(), before.len(), bodies.len()] {
        push_number(&mut packed, number);
    }
    streams.0.iter().for_each(|stream| push_number(&mut packed, stream.len()));
    Ok(streams.0.iter().fold(packed, |mut packed, stream| {
        packed.extend_from_slice(stream);
        packed
    }))
}

/// The module as the page puts it together: the same, but sizes are written in a fixed width.
pub(super) fn put_together(module: &[u8]) -> Outcome<Vec<u8>> {
    let Parts { before, bodies, after } = parts(module)?;
    let mut whole = before;
    for body in bodies {
        whole.extend(padded(body.len(), SIZE_BYTES)?);
        whole.extend_from_slice(&body);
    }
    whole.extend_from_slice(&after);
    Ok(whole)
}

/// A module by what stands around its function bodies.
struct Parts {
    before: Vec<u8>,
    bodies: Vec<Vec<u8>>,
    after: Vec<u8>,
}

fn parts(module: &[u8]) -> Outcome<Parts> {
    let mut parts = Parts { before: MAGIC.to_vec(), bodies: Vec::new(), after: Vec::new() };
    for section in sections(module)? {
        let around = if parts.bodies.is_empty() { &mut parts.before } else { &mut parts.after };
        around.push(section.kind);
        if section.kind != kind::CODE {
            push_number(around, section.content.len());
            around.extend_from_slice(&section.content);
            continue;
        }
        parts.bodies = bodies(&section.content)?;
        let mut head = Vec::new();
        push_number(&mut head, parts.bodies.len());
        let code: usize = parts.bodies.iter().map(|body| SIZE_BYTES + body.len()).sum();
        parts.before.extend(padded(head.len() + code, 5)?);
        parts.before.extend_from_slice(&head);
    }
    Ok(parts)
}

/// The function bodies of a code section.
pub(super) fn bodies(content: &[u8]) -> Outcome<Vec<Vec<u8>>> {
    let mut reader = Reader::new(content);
    let count = reader.number()?;
    let body = |_| {
        let size = reader.number()?;
        Ok(reader.bytes(size)?.to_vec())
    };
    (0..count).map(body).collect()
}

/// The operators of a function.
pub(super) fn operators(body: &[u8]) -> Outcome<Vec<u8>> {
    let mut streams = Streams::default();
    streams.function(body, &mut Vec::new())?;
    Ok(std::mem::take(&mut streams.0[Stream::Operators as usize]))
}

/// A number in so many bytes, more than it may need.
fn padded(number: usize, bytes: usize) -> Outcome<Vec<u8>> {
    let part = |at: usize| u8::try_from(number >> (7 * at) & 0x7f).expect("seven bits are a byte");
    if number >> (7 * bytes) > 0 {
        return Err(format!("a part of the module has {number} bytes, which is too much"));
    }
    Ok((0..bytes).map(|at| if at + 1 < bytes { part(at) | 0x80 } else { part(at) }).collect())
}

#[derive(Default)]
struct Streams([Vec<u8>; STREAMS]);

impl Streams {
    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.0[stream as usize].extend_from_slice(bytes);
    }

    /// Takes a function body apart; the constants wait, with their places among the operators, for what follows them.
    fn function<'a>(&mut self, body: &'a [u8], constants: &mut Vec<(usize, &'a [u8])>) -> Outcome {
        let mut reader = Reader::new(body);
        let declared = reader.span(declarations)?;
        self.push(Stream::Declarations, declared);
        let mut recent = Vec::new();
        while !reader.is_empty() {
            let operator = reader.byte()?;
            let alignment = if (0x28..=0x3e).contains(&operator) { Some(reader.written_number()?) } else { None };
            if let Some(alignment) =
                alignment.filter(|alignment| **alignment != [NATURAL[usize::from(operator) - 0x28]])
            {
                self.push(Stream::Operators, &[UNALIGNED]);
                self.push(Stream::Others, alignment);
            }
            self.push(Stream::Operators, &[operator]);
            match operator {
                0x20..=0x22 => {
                    let rank = rank(&mut recent, reader.number()?);
                    push_number(&mut self.0[Stream::Locals as usize + usize::from(operator - 0x20)], rank);
                }
                0x41 => constants.push((self.0[Stream::Operators as usize].len(), reader.written_number()?)),
                _ => self.operands(operator, &mut reader)?,
            }
        }
        Ok(())
    }

    /// The operands of all other operators.
    fn operands(&mut self, operator: u8, reader: &mut Reader<'_>) -> Outcome {
        let (stream, numbers) = match operator {
            0x02..=0x04 => (Stream::Blocks, 1),
            0x0c | 0x0d => (Stream::Branches, 1),
            0x0e => (Stream::Tables, self.counted(Stream::Tables, reader)? + 1),
            0x10 => (Stream::Calls, 1),
            0x11 => (Stream::Others, 2),
            0x1c => (Stream::Others, self.counted(Stream::Others, reader)?),
            0x28..=0x35 => (Stream::LoadOffsets, 1),
            0x36..=0x3e => (Stream::StoreOffsets, 1),
            0x42 => (Stream::Longs, 1),
            0x43 | 0x44 => {
                let float = reader.bytes(if operator == 0x43 { 4 } else { 8 })?;
                self.push(Stream::Others, float);
                (Stream::Others, 0)
            }
            0xfc => (Stream::Others, wide_operands(self.counted(Stream::Others, reader)?)?),
            0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => (Stream::Others, 1),
            0x00 | 0x01 | 0x05 | 0x0b | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 => (Stream::Others, 0),
            _ => return Err(format!("the module has the operator {operator:#x}, which the packing does not know")),
        };
        for _ in 0..numbers {
            let number = reader.written_number()?;
            self.push(stream, number);
        }
        Ok(())
    }

    /// Keeps a number and says it.
    fn counted(&mut self, stream: Stream, reader: &mut Reader<'_>) -> Outcome<usize> {
        let number = reader.number()?;
        push_number(&mut self.0[stream as usize], number);
        Ok(number)
    }

    /// The constants, by what follows each.
    fn integers(&mut self, constants: &[(usize, &[u8])]) {
        for (next, number) in constants {
            let follower = self.0[Stream::Operators as usize].get(*next);
            let at = FOLLOWERS.iter().position(|known| Some(known) == follower).map_or(0, |at| at + 1);
            self.0[Stream::Integers as usize + at].extend_from_slice(number);
        }
    }
}

/// Passes over what a function declares: groups of locals of one type.
fn declarations(reader: &mut Reader<'_>) -> Outcome {
    for _ in 0..reader.number()? {
        reader.number()?;
        reader.byte()?;
    }
    Ok(())
}

/// How many numbers follow an operator behind 0xfc.
fn wide_operands(operator: usize) -> Outcome<usize> {
    match operator {
        0..=7 => Ok(0),
        8 | 10 | 12 | 14 => Ok(2),
        9 | 11 | 13 | 15..=17 => Ok(1),
        _ => Err(format!("the module has the operator 0xfc {operator}, which the packing does not know")),
    }
}

/// How many other locals were used since this one, which is the last used now; those not used yet stand in their order.
fn rank(recent: &mut Vec<usize>, local: usize) -> usize {
    while !recent.contains(&local) {
        recent.push(recent.len());
    }
    let rank = recent.iter().position(|used| *used == local).unwrap_or(0);
    recent[..=rank].rotate_right(1);
    rank
}

#[cfg(test)]
mod tests {
    use super::super::module::{Section, whole};
    use super::*;

    #[test]
    fn the_last_used_local_has_rank_0() {
        let mut recent = Vec::new();
        let ranks: Vec<usize> = [2, 2, 0, 1, 2, 5].map(|local| rank(&mut recent, local)).into();
        assert_eq!(ranks, [2, 0, 1, 2, 2, 5]);
        assert_eq!(recent, [5, 2, 1, 0, 3, 4]);
    }

    #[test]
    fn operands_go_to_their_streams() {
        // No locals; local.get 1, i32.const 300, i32.add, an unaligned i32.load offset 4, end.
        let body = [0, 0x20, 1, 0x41, 0xac, 0x02, 0x6a, 0x28, 0, 4, 0x0b];
        let mut streams = Streams::default();
        let mut constants = Vec::new();
        streams.function(&body, &mut constants).unwrap();
        streams.integers(&constants);
        assert_eq!(streams.0[Stream::Operators as usize], [0x20, 0x41, 0x6a, UNALIGNED, 0x28, 0x0b]);
        assert_eq!(streams.0[Stream::Locals as usize], [1]);
        assert_eq!(streams.0[Stream::Integers as usize + 1], [0xac, 0x02]);
        assert_eq!(streams.0[Stream::LoadOffsets as usize], [4]);
        assert_eq!(streams.0[Stream::Others as usize], [0]);
    }

    #[test]
    fn the_frame_is_what_stands_around_the_bodies() {
        let section = |kind, content: &[u8]| Section { kind, content: content.to_vec() };
        let module = whole(&[section(1, b"t"), section(kind::CODE, &[1, 2, 0, 0x0b]), section(11, b"d")]);
        let parts = parts(&module).unwrap();
        assert_eq!(parts.before[8..], [1, 1, b't', 10, 0x86, 0x80, 0x80, 0x80, 0, 1]);
        assert_eq!((parts.bodies, parts.after), (vec![vec![0, 0x0b]], vec![11, 1, b'd']));
        assert_eq!(put_together(&module).unwrap()[18..], [0x82, 0x80, 0, 0, 0x0b, 11, 1, b'd']);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let mut streams = Streams::default();
        assert!(streams.function(&[0, 0xfd, 0], &mut Vec::new()).is_err());
    }
}
