//! Backward differentiation formulas: for stiff systems and for algebraic states.
//!
//! [`Bdf`] chooses order and step; [`FixedBdf`] keeps both.

mod coefficients;
mod differences;
mod error;
mod fixed;
mod global_error;
mod variable;

pub(crate) use coefficients::KAPPA;
pub use coefficients::{bdf_coefficients, bdf_parasitic_root};
pub use fixed::FixedBdf;
pub use variable::{Bdf, BdfOptions};
