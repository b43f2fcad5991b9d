//! Exact numbers: whole numbers and fractions of any size, just what decisions need that rounding could turn around: where
//! a method is stable, whether a coefficient is zero.

mod integer;
mod rational;

pub use integer::Integer;
pub use rational::Rational;
