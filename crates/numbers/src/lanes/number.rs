//! What formulas need of a number.

use crate::Arithmetic;

/// A number, or several side by side, each of which is computed as if it were alone.
pub trait Number: Copy + Arithmetic<Stored: Copy> {
    /// One truth value per number.
    type Mask: Copy;

    /// Into memory.
    fn store(self, to: &mut Self::Stored);

    /// self · b + c, rounded once where the processor can.
    fn fma(self, b: Self, c: Self) -> Self;

    /// self / divisor with a whole divisor whose inverse is given, rounded as a division; cheaper where it can be.
    fn over(self, divisor: f64, inverse: f64) -> Self;

    /// |self|
    fn abs(self) -> Self;

    /// The larger one; `other` if one of them is not a number.
    fn max(self, other: Self) -> Self;

    /// The smaller one; `other` if one of them is not a number.
    fn min(self, other: Self) -> Self;

    /// self < other
    fn less(self, other: Self) -> Self::Mask;

    /// Each from `yes` or from `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The truth values as bits, the first one lowest.
    fn bits(mask: Self::Mask) -> u32;

    /// f of each.
    fn map(self, f: impl Fn(f64) -> f64) -> Self;

    /// f of each and that of `other`.
    fn map2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self;

    /// ⌊log₂ self⌋ of a positive number; −1023 of zero and of what is below the normal numbers.
    fn exponent(self) -> Self;

    /// self / 2^exponent, between 1 and 2.
    fn fraction(self) -> Self;

    /// 2^self for a whole number between −1022 and 1023.
    fn power_of_two(self) -> Self;
}

/// 2⁵²: the last digit of numbers from here on is the unit.
pub(super) const UNITS: f64 = (1u64 << 52) as f64;

/// 1.5 · 2⁵² + 1023: added to a whole number it leaves in the last digits the exponent field of that power of two.
pub(super) const BIASED: f64 = 1.5 * UNITS + 1023.0;

/// The digits of a fraction.
pub(super) const DIGITS: u64 = (1 << 52) - 1;

impl Arithmetic for f64 {
    type Stored = f64;

    #[inline(always)]
    fn load(from: &f64) -> f64 {
        *from
    }

    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
}

impl Number for f64 {
    type Mask = bool;

    #[inline(always)]
    fn store(self, to: &mut f64) {
        *to = self;
    }

    #[inline(always)]
    fn fma(self, b: f64, c: f64) -> f64 {
        self * b + c
    }

    #[inline(always)]
    fn over(self, divisor: f64, _inverse: f64) -> f64 {
        self / divisor
    }

    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }

    #[inline(always)]
    fn max(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn min(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn less(self, other: f64) -> bool {
        self < other
    }

    #[inline(always)]
    fn select(mask: bool, yes: f64, no: f64) -> f64 {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> f64 {
        f(self)
    }

    #[inline(always)]
    fn map2(self, other: f64, f: impl Fn(f64, f64) -> f64) -> f64 {
        f(self, other)
    }

    #[inline(always)]
    fn exponent(self) -> f64 {
        f64::from_bits((self.to_bits() >> 52) | UNITS.to_bits()) - (UNITS + 1023.0)
    }

    #[inline(always)]
    fn fraction(self) -> f64 {
        f64::from_bits((self.to_bits() & DIGITS) | 1f64.to_bits())
    }

    #[inline(always)]
    fn power_of_two(self) -> f64 {
        f64::from_bits((self + BIASED).to_bits() << 52)
    }
}
