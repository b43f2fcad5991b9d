//! Numbers of 106 bits, about 31 digits, as the unevaluated sum of two doubles.
//!
//! ```text
//!   x = hi + lo,   |lo| ≤ ulp(hi)/2
//! ```
//!
//! Sums and products of doubles have errors that are doubles again, and can be computed. T. J. Dekker, Numer. Math. 18
//! (1971) 224–242; D. E. Knuth, The Art of Computer Programming 2, 4.2.2; J.-M. Muller, L. Rideau, ACM TOMS 48 (2022) 9.

use crate::Arithmetic;
use crate::{Big, Precise};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// hi + lo
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct DoubleDouble {
    hi: f64,
    lo: f64,
}

/// Bits of elementary functions, which long numbers compute: more than two doubles have.
const FUNCTION_BITS: usize = 192;

/// The highest power of ten that is a double.
const EXACT_POWER: i32 = 22;

/// a + b and its error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The same where |a| ≥ |b|.
#[inline(always)]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// Two halves of 26 digits whose sum is a.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// a · b and its error, without fused operations: those are slow where the processor has none.
#[inline(always)]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    (product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0)
}

/// The same by a fused operation, to the same bits.
#[cfg(any(target_arch = "x86_64", test))]
#[inline(always)]
fn two_product_fused(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

#[inline(always)]
fn product(a: DoubleDouble, b: DoubleDouble, exact: impl Fn(f64, f64) -> (f64, f64)) -> DoubleDouble {
    let (hi, lo) = exact(a.hi, b.hi);
    let (hi, lo) = fast_two_sum(hi, lo + (a.hi * b.lo + a.lo * b.hi));
    DoubleDouble { hi, lo }
}

#[inline(always)]
fn inner<'a>(
    pairs: impl Iterator<Item = (&'a DoubleDouble, &'a DoubleDouble)>,
    exact: impl Fn(f64, f64) -> (f64, f64) + Copy,
) -> DoubleDouble {
    pairs.fold(DoubleDouble::default(), |sum, (a, b)| sum + product(*a, *b, exact))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "fma")]
fn inner_fused<'a>(pairs: impl Iterator<Item = (&'a DoubleDouble, &'a DoubleDouble)>) -> DoubleDouble {
    inner(pairs, two_product_fused)
}

impl DoubleDouble {
    /// The nearest one to a long number.
    pub fn from_big(x: &Big) -> DoubleDouble {
        let hi = x.to_f64();
        if !hi.is_finite() {
            return DoubleDouble { hi, lo: 0.0 };
        }
        let lo = (x.clone() - Big::splat(hi)).to_f64();
        let (hi, lo) = fast_two_sum(hi, lo);
        DoubleDouble { hi, lo }
    }
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;

    #[inline(always)]
    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let (hi, rest) = two_sum(self.hi, other.hi);
        let (low, low_rest) = two_sum(self.lo, other.lo);
        let (hi, rest) = fast_two_sum(hi, rest + low);
        let (hi, lo) = fast_two_sum(hi, rest + low_rest);
        DoubleDouble { hi, lo }
    }
}

impl Neg for DoubleDouble {
    type Output = DoubleDouble;

    #[inline(always)]
    fn neg(self) -> DoubleDouble {
        DoubleDouble { hi: -self.hi, lo: -self.lo }
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;

    #[inline(always)]
    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;

    #[inline(always)]
    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        product(self, other, two_product)
    }
}

impl Div for DoubleDouble {
    type Output = DoubleDouble;

    /// Two quotients of doubles and a third for the last bits.
    fn div(self, other: DoubleDouble) -> DoubleDouble {
        let first = self.hi / other.hi;
        if !first.is_finite() {
            return DoubleDouble { hi: first, lo: 0.0 };
        }
        let rest = self - other * DoubleDouble::splat(first);
        let second = rest.hi / other.hi;
        let rest = rest - other * DoubleDouble::splat(second);
        let (hi, lo) = fast_two_sum(first, second);
        DoubleDouble { hi, lo } + DoubleDouble::splat(rest.hi / other.hi)
    }
}

impl Arithmetic for DoubleDouble {
    type Stored = DoubleDouble;

    #[inline(always)]
    fn load(from: &DoubleDouble) -> DoubleDouble {
        *from
    }

    #[inline(always)]
    fn splat(x: f64) -> DoubleDouble {
        DoubleDouble { hi: x, lo: 0.0 }
    }

    /// Newton's step from the root of the first double.
    fn sqrt(self) -> DoubleDouble {
        let root = self.hi.sqrt();
        if root == 0.0 || !root.is_finite() {
            return DoubleDouble::splat(root);
        }
        let (square, error) = two_product(root, root);
        let rest = self - DoubleDouble { hi: square, lo: error };
        let (hi, lo) = fast_two_sum(root, rest.hi / (2.0 * root));
        DoubleDouble { hi, lo }
    }
}

impl Precise for DoubleDouble {
    type Key = [u64; 2];

    fn key(&self) -> [u64; 2] {
        [self.hi.to_bits(), self.lo.to_bits()]
    }

    fn exact(x: f64, _bits: usize) -> DoubleDouble {
        DoubleDouble::splat(x)
    }

    fn decimal(mantissa: i128, exponent: i32, _bits: usize) -> DoubleDouble {
        // What people write: both numbers are doubles, and so is what a division leaves over.
        if mantissa.unsigned_abs() < 1 << f64::MANTISSA_DIGITS && (-EXACT_POWER..=0).contains(&exponent) {
            let (dividend, power) = (mantissa as f64, 10f64.powi(-exponent));
            let hi = dividend / power;
            let (product, error) = two_product(hi, power);
            let (hi, lo) = fast_two_sum(hi, ((dividend - product) - error) / power);
            return DoubleDouble { hi, lo };
        }
        // What divisions of such numbers make: powers of ten are sums of two doubles, mantissas but for rounding.
        if (-2 * EXACT_POWER..=0).contains(&exponent) {
            let hi = mantissa as f64;
            let dividend = DoubleDouble { hi, lo: (mantissa - hi as i128) as f64 };
            let second = (-exponent - EXACT_POWER).max(0);
            let (hi, lo) = two_product(10f64.powi(-exponent - second), 10f64.powi(second));
            return dividend / DoubleDouble { hi, lo };
        }
        DoubleDouble::from_big(&Big::decimal(mantissa, exponent, FUNCTION_BITS))
    }

    fn pi(_bits: usize) -> DoubleDouble {
        // π − the double nearest to it is the sine of that
        DoubleDouble { hi: std::f64::consts::PI, lo: 1.224_646_799_147_353_2e-16 }
    }

    fn to_f64(&self) -> f64 {
        self.hi
    }

    fn log2(&self) -> f64 {
        self.hi.abs().log2()
    }

    fn is_finite(&self) -> bool {
        self.hi.is_finite() && self.lo.is_finite()
    }

    fn dot<'a>(pairs: impl Iterator<Item = (&'a DoubleDouble, &'a DoubleDouble)> + Clone) -> DoubleDouble {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the processor has fused operations.
            return unsafe { inner_fused(pairs) };
        }
        inner(pairs, two_product)
    }

    /// With more digits, for functions.
    fn to_big(&self) -> Big {
        Big::exact(self.hi, FUNCTION_BITS) + Big::splat(self.lo)
    }

    fn to_decimal(&self, digits: usize) -> String {
        self.to_big().to_decimal(digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_has_thirty_one_digits() {
        let (third, two) = (DoubleDouble::splat(1.0) / DoubleDouble::splat(3.0), DoubleDouble::splat(2.0));
        let one = third * DoubleDouble::splat(3.0);
        assert!((one - DoubleDouble::splat(1.0)).to_f64().abs() < 1e-31, "{one:?}");
        let root = two.sqrt();
        assert_eq!(root.to_decimal(31), "1.414213562373095048801688724210");
        assert!((root * root - two).to_f64().abs() < 1e-31);
        assert_eq!(DoubleDouble::pi(0).to_decimal(31), "3.141592653589793238462643383280");
        assert_eq!(DoubleDouble::decimal(1, -1, 0).to_decimal(31), "0.1000000000000000000000000000000");
    }

    /// The short way from a decimal leads to the same number as the long one.
    #[test]
    fn decimals_are_rounded_once() {
        let given = [(1, -1), (-981, -2), (3, 0), (0, -5), (9_007_199_254_740_991, -22), (123_456_789, -17), (-7, -22)];
        for (mantissa, exponent) in given {
            let long = DoubleDouble::from_big(&Big::decimal(mantissa, exponent, FUNCTION_BITS));
            assert_eq!(DoubleDouble::decimal(mantissa, exponent, 0), long, "{mantissa}e{exponent}");
        }
        assert_eq!(DoubleDouble::pi(0), DoubleDouble::from_big(&Big::pi(FUNCTION_BITS)));
        let long = [
            (26_666_666_666_666_666_666_666_666_666_666_666_667, -37),
            (-9_999_999_999_999_999_999, -44),
            (1 << 60, -1),
        ];
        for (mantissa, exponent) in long {
            let (own, exact) =
                (DoubleDouble::decimal(mantissa, exponent, 0), Big::decimal(mantissa, exponent, FUNCTION_BITS));
            let difference = own - DoubleDouble::from_big(&exact);
            assert!(difference.hi.abs() <= 1e-31 * own.hi.abs(), "{mantissa}e{exponent}: {difference:?}");
        }
    }

    #[test]
    fn fused_and_plain_products_have_the_same_bits() {
        for (a, b) in [(1.1, 1.0 / 3.0), (1e150, 3e-170), (-7.3e10, 0.1), (0.0, 5.0)] {
            assert_eq!(two_product(a, b), two_product_fused(a, b), "{a} {b}");
        }
    }
}
