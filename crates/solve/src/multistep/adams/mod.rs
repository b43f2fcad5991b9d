//! The Adams family: f at the points passed, as a polynomial, is integrated over the step. `fixed` has the methods of
//! one order, `variable` the one that chooses order and step; both stand on the same differences.

mod differences;
mod fixed;
mod variable;

pub use fixed::{Adams, AdamsForm};
#[cfg(test)]
pub(crate) use variable::REAL_STABILITY;
pub use variable::VariableAdams;
