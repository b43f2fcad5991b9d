//! Linear systems: recognised by [`crate::System::linear`], solved by a Taylor method of their own.

mod either;
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
mod vector;

pub(crate) use kernels::Instructions;
pub(crate) use ordering::narrow_order;
#[cfg(target_arch = "x86_64")]
pub(crate) use vector::x86;
pub(crate) use vector::{LANES, Lanes, PORTABLE_FUSED, Vector, multiply_add};

pub use either::WhereLinear;
pub use form::{Input, LinearForm, SparseRows};
pub use method::{LinearTaylor, Linearity};
pub use propagator::{Propagator, PropagatorError};
