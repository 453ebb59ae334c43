//! placement.
