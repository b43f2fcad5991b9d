//! Where f is defined, and where it determines one solution.

pub(crate) mod boundary;
pub(crate) mod uniqueness;
