//! What the first view does not need. It stays one crate; only the build may cut it off and bring it when it is first asked
//! for.
//!
//! Everything reachable from [`PART`] alone can come late: so what is late is called through it, never by its name.

/// The late part, as what it does.
#[derive(Debug, Clone, Copy)]
pub struct Late {}

static PART: Late = Late {};

/// Does something with the late part: at once where it is here, else when it has arrived.
pub fn with_late(act: impl FnOnce(&'static Late) + 'static) {
    act(&PART);
}
