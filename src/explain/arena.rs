//! Where the nodes of one explanation live: values that refer to each other, freed together.

use std::cell::{Cell, OnceCell};

/// How many values a block holds.
const BLOCK: usize = 128;

/// Keeps values at fixed places, so that a value may refer to those before it.
pub(super) struct Arena<'t, T> {
    first: Block<T>,
    last: Cell<Option<&'t Block<T>>>,
    used: Cell<usize>,
}

struct Block<T> {
    values: [OnceCell<T>; BLOCK],
    next: OnceCell<Box<Self>>,
}

impl<'t, T> Arena<'t, T> {
    pub(super) fn new() -> Self {
        Self { first: Block::new(), last: Cell::new(None), used: Cell::new(0) }
    }

    /// Keeps a value.
    pub(super) fn keep(&'t self, value: T) -> &'t T {
        let mut block = self.last.get().unwrap_or(&self.first);
        let mut at = self.used.get();
        if at == BLOCK {
            block = block.next.get_or_init(|| Box::new(Block::new()));
            self.last.set(Some(block));
            at = 0;
        }
        self.used.set(at + 1);
        block.values[at].get_or_init(|| value)
    }
}

impl<T> Block<T> {
    fn new() -> Self {
        Self { values: [const { OnceCell::new() }; BLOCK], next: OnceCell::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Link<'t>(usize, Option<&'t Link<'t>>);

    #[test]
    fn values_stay_where_they_are_over_many_blocks() {
        let arena = Arena::new();
        let mut last: Option<&Link<'_>> = None;
        for count in 0..5 * BLOCK {
            last = Some(arena.keep(Link(count, last)));
        }
        for expected in (0..5 * BLOCK).rev() {
            let Some(Link(count, before)) = last else { panic!("a link less") };
            assert_eq!(*count, expected);
            last = *before;
        }
        assert!(last.is_none());
    }
}
