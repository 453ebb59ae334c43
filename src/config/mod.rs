//! The configuration of a run: primary fields as stated, and every field that follows from them.

mod primary;

pub use primary::{
    Capacity, CapacityUnit, Offset, Primary, RecomputeLayers, RecomputeOption, RecomputeRange, Switches,
};
