//! Reading a text into a tree with positions, as the trainer's loader does.

mod node;

pub use node::{Entry, Mapping, Node, Value};
