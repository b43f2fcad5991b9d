//! Eight numbers side by side in memory: one component of eight points, or eight rows of a column.

/// How many numbers stand side by side.
pub const OCTET: usize = 8;

/// Eight numbers; no load of them touches two lines of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Octet(pub [f64; OCTET]);
