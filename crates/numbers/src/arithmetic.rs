//! What every formula needs of a number, whether it is a double, a vector of them or one of hundreds of digits.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, or several side by side, with the four operations and the square root. Not `Copy`, for long numbers are
/// not; a clone of short ones costs nothing.
pub trait Arithmetic:
    Clone + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The form in memory.
    type Stored: Clone;

    /// From memory.
    fn load(from: &Self::Stored) -> Self;

    /// The same double everywhere, exactly.
    fn splat(x: f64) -> Self;

    /// √self
    fn sqrt(self) -> Self;
}
