//! Numbers of all kinds that the methods compute with, and the roots of functions of one of them.
//!
//! - [`Arithmetic`]: what every formula needs of a number.
//! - [`Lanes`], [`Number`], [`Processor`]: sixteen trajectories side by side, one formula for all processors.
//! - [`Octet`] and [`vector`]: eight numbers in memory, and in registers.
//! - [`DoubleDouble`] (31 digits, about twenty times the cost of a double) and [`Big`] (as many digits as are asked for).
//! - [`roots`], [`polynomial_roots`]: roots of a function, and proven roots of a polynomial.

mod arithmetic;
mod big;
mod decimal;
mod double_double;
mod instructions;
mod lanes;
mod limbs;
mod octet;
pub mod polynomial_roots;
mod precise;
pub mod roots;
pub mod vector;
mod words;

pub use arithmetic::Arithmetic;
pub use big::{Big, MAX_DIGITS};
pub use double_double::DoubleDouble;
pub use instructions::Instructions;
pub use lanes::{LANES, Lanes, Number, Processor, Task};
pub use octet::{OCTET, Octet};
pub use precise::Precise;
