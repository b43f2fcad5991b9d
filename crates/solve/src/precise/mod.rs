//! Runs beyond double precision: numbers of more digits, and the Taylor series method over them.
//!
//! [`DoubleDouble`] has 31 digits and costs about twenty times as much as a double, [`Big`] has as many as are asked for.
//! Only the Taylor method gains by them: its order grows with the digits, where that of others would cost a number of
//! steps that grows exponentially.

mod big;
mod decimal;
mod double_double;
mod limbs;
mod number;
mod taylor;

pub use big::{Big, MAX_DIGITS};
pub use double_double::DoubleDouble;
pub use number::Precise;
pub use taylor::{PreciseOptions, PreciseOutcome, PreciseSink, PreciseSystem, solve_precise};
