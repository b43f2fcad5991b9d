//! What a run in another precision needs of its numbers.

use crate::Arithmetic;
use crate::Big;
use std::fmt::Debug;
use std::hash::Hash;

/// A number of some precision. `bits` is the precision of the run; types of one precision do not look at it. An
/// operation is as precise as the more precise operand, so exact small constants may be short ([`Arithmetic::splat`]).
pub trait Precise: Arithmetic<Stored = Self> + PartialOrd + Debug + Send + 'static {
    /// What is equal for equal numbers, for tables.
    type Key: Clone + Eq + Hash;

    /// The key of this number.
    fn key(&self) -> Self::Key;

    /// A double in the precision of the run.
    fn exact(x: f64, bits: usize) -> Self;

    /// mantissa · 10^exponent, rounded once.
    fn decimal(mantissa: i128, exponent: i32, bits: usize) -> Self;

    /// π
    fn pi(bits: usize) -> Self;

    /// The nearest double, or almost.
    fn to_f64(&self) -> f64;

    /// log₂|self|, −∞ of zero; where doubles would overflow, too.
    fn log2(&self) -> f64;

    /// Whether it is neither infinite nor undefined.
    fn is_finite(&self) -> bool;

    /// Σ aᵢ bᵢ
    fn dot<'a>(pairs: impl Iterator<Item = (&'a Self, &'a Self)> + Clone) -> Self
    where
        Self: 'a;

    /// The same as a long number, exactly.
    fn to_big(&self) -> Big;

    /// Its decimal form with so many significant digits.
    fn to_decimal(&self, digits: usize) -> String;
}

impl Precise for f64 {
    type Key = u64;

    fn key(&self) -> u64 {
        self.to_bits()
    }

    fn exact(x: f64, _bits: usize) -> f64 {
        x
    }

    fn decimal(mantissa: i128, exponent: i32, _bits: usize) -> f64 {
        format!("{mantissa}e{exponent}").parse().expect("a decimal is a number")
    }

    fn pi(_bits: usize) -> f64 {
        std::f64::consts::PI
    }

    fn to_f64(&self) -> f64 {
        *self
    }

    fn log2(&self) -> f64 {
        self.abs().log2()
    }

    fn is_finite(&self) -> bool {
        f64::is_finite(*self)
    }

    fn dot<'a>(pairs: impl Iterator<Item = (&'a f64, &'a f64)> + Clone) -> f64 {
        pairs.fold(0.0, |sum, (a, b)| sum + a * b)
    }

    fn to_big(&self) -> Big {
        Big::exact(*self, 64)
    }

    fn to_decimal(&self, digits: usize) -> String {
        format!("{self:.*e}", digits.saturating_sub(1))
    }
}
