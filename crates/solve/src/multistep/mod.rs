//! Linear multistep methods: Adams for problems that are not stiff, BDF for stiff ones.

pub(crate) mod adams;
pub(crate) mod bdf;
