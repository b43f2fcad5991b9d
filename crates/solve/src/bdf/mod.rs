//! Backward differentiation formulas: for stiff systems and for algebraic states.
//!
//! [`Bdf`] chooses order and step.

mod coefficients;
mod differences;
mod variable;

pub use coefficients::{bdf_coefficients, bdf_parasitic_root};
pub use variable::{Bdf, BdfOptions};
