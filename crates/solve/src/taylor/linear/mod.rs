//! Linear systems: recognised by [`crate::System::linear`], solved by a Taylor method of their own.

mod engine;
mod form;
mod fused;
mod given;
mod kernels;
mod lanes;
mod large;
mod method;
mod operator;
mod ordering;
mod precalculated;
mod propagator;
mod scaling;
mod small;
mod sweep;
mod terms;

pub use form::{Input, LinearForm, SparseRows};
pub use method::{LinearTaylor, Linearity};
pub use propagator::{Propagator, PropagatorError};
