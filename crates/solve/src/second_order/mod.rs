//! Methods for second-order equations as such.

pub(crate) mod ge3;
