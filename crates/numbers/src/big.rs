//! Numbers of as many bits as a run asks for. Sums and products are our own (`limbs.rs`), for series are made of little
//! else; quotients, roots, functions and decimal digits are those of `astro-float`.

use crate::Arithmetic;
use crate::limbs::{self, MAX_LIMBS, ONE, Raw};
use crate::words::{Limbs, with_words};
use crate::{Precise, decimal};
use astro_float_num::{BigFloat, Consts, Radix, RoundingMode, Sign};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of any precision; whole limbs of 64 bits.
#[derive(Clone, Debug)]
pub struct Big {
    value: BigFloat,
}

/// The most digits that a run may have.
pub const MAX_DIGITS: u32 = 1000;

/// A result is correct but for its last bit; nobody looks at that.
const ROUNDING: RoundingMode = RoundingMode::None;

thread_local! {
    /// π and logarithms, computed once per precision.
    static CONSTANTS: RefCell<Option<Consts>> = const { RefCell::new(None) };
}

fn with_constants<T>(f: impl FnOnce(&mut Consts) -> T) -> T {
    CONSTANTS.with(|kept| {
        let mut kept = kept.borrow_mut();
        f(kept.get_or_insert_with(|| Consts::new().expect("memory for a few constants")))
    })
}

/// Whole limbs.
fn whole(bits: usize) -> usize {
    bits.max(1).next_multiple_of(64).min(64 * MAX_LIMBS)
}

impl Big {
    fn bits(&self) -> usize {
        self.value.mantissa_max_bit_len().unwrap_or(64)
    }

    fn raw(&self) -> Option<Raw<'_>> {
        let (limbs, _, sign, exponent, _) = self.value.as_raw_parts()?;
        Some(Raw { limbs: Limbs::new(limbs), negative: sign == Sign::Neg, exponent: i64::from(exponent) })
    }

    fn undefined() -> Big {
        Big { value: BigFloat::nan(None) }
    }

    fn sum<'a>(pairs: impl Iterator<Item = (Raw<'a>, Raw<'a>)> + Clone) -> Big {
        let (length, rounded) = limbs::dot(pairs);
        let Some(rounded) = rounded else { return Big { value: BigFloat::new(64 * length) } };
        let sign = if rounded.negative { Sign::Neg } else { Sign::Pos };
        match i32::try_from(rounded.exponent) {
            Ok(exponent) if exponent.abs() < 1 << 30 => {
                with_words(rounded.limbs(), |words| Big { value: BigFloat::from_words(words, sign, exponent) })
            }
            // nothing physical is that large; what is that small is zero
            _ if rounded.exponent > 0 => Big::undefined(),
            _ => Big { value: BigFloat::new(64 * length) },
        }
    }

    fn apply(&self, f: fn(&BigFloat, usize, RoundingMode, &mut Consts) -> BigFloat) -> Big {
        Big { value: with_constants(|constants| f(&self.value, self.bits(), ROUNDING, constants)) }
    }

    /// Its sine.
    pub fn sin(&self) -> Big {
        self.apply(BigFloat::sin)
    }

    /// Its cosine.
    pub fn cos(&self) -> Big {
        self.apply(BigFloat::cos)
    }

    /// Its tangent.
    pub fn tan(&self) -> Big {
        self.apply(BigFloat::tan)
    }

    /// The angle with this sine.
    pub fn asin(&self) -> Big {
        self.apply(BigFloat::asin)
    }

    /// The angle with this cosine.
    pub fn acos(&self) -> Big {
        self.apply(BigFloat::acos)
    }

    /// The angle with this tangent.
    pub fn atan(&self) -> Big {
        self.apply(BigFloat::atan)
    }

    /// Its hyperbolic sine.
    pub fn sinh(&self) -> Big {
        self.apply(BigFloat::sinh)
    }

    /// Its hyperbolic cosine.
    pub fn cosh(&self) -> Big {
        self.apply(BigFloat::cosh)
    }

    /// Its hyperbolic tangent.
    pub fn tanh(&self) -> Big {
        self.apply(BigFloat::tanh)
    }

    /// The inverse of `sinh`.
    pub fn asinh(&self) -> Big {
        self.apply(BigFloat::asinh)
    }

    /// The inverse of `cosh`.
    pub fn acosh(&self) -> Big {
        self.apply(BigFloat::acosh)
    }

    /// The inverse of `tanh`.
    pub fn atanh(&self) -> Big {
        self.apply(BigFloat::atanh)
    }

    /// The exponential.
    pub fn exp(&self) -> Big {
        self.apply(BigFloat::exp)
    }

    /// The natural logarithm.
    pub fn ln(&self) -> Big {
        self.apply(BigFloat::ln)
    }

    /// The decimal logarithm.
    pub fn log10(&self) -> Big {
        self.apply(BigFloat::log10)
    }

    /// The cube root.
    pub fn cbrt(&self) -> Big {
        Big { value: self.value.cbrt(self.bits(), ROUNDING) }
    }

    /// The largest whole number that is not larger.
    pub fn floor(&self) -> Big {
        Big { value: self.value.floor() }
    }

    /// Its absolute value.
    pub fn abs(&self) -> Big {
        Big { value: self.value.abs() }
    }

    /// self^exponent, also of negative bases where the exponent is whole.
    pub fn power(&self, exponent: &Big) -> Big {
        let bits = self.bits().max(exponent.bits());
        if exponent.value.is_int() && exponent.to_f64().abs() < 4096.0 {
            let n = exponent.to_f64();
            let power = Big { value: self.value.powi(n.abs() as usize, bits, ROUNDING) };
            return if n < 0.0 { Big::splat(1.0) / power } else { power };
        }
        let power = with_constants(|constants| self.value.pow(&exponent.value, bits, ROUNDING, constants));
        Big { value: power }
    }

    /// The angle of the point (x, self).
    pub fn atan2(&self, x: &Big) -> Big {
        let bits = self.bits().max(x.bits());
        let (zero, pi) = (Big::splat(0.0), Big::pi(bits));
        if *x > zero {
            return (self.clone() / x.clone()).atan();
        }
        if *x < zero {
            let angle = (self.clone() / x.clone()).atan();
            return if *self < zero { angle - pi } else { angle + pi };
        }
        let half = pi * Big::splat(0.5);
        match self.partial_cmp(&zero) {
            Some(Ordering::Greater) => half,
            Some(Ordering::Less) => -half,
            Some(Ordering::Equal) => Big::exact(0.0, bits),
            None => Big::undefined(),
        }
    }

    /// eˣ − 1 = 2 e^(x/2) sinh(x/2): nothing cancels.
    pub fn expm1(&self) -> Big {
        let half = self.clone() * Big::splat(0.5);
        Big::splat(2.0) * half.exp() * half.sinh()
    }

    /// log(1 + x) = 2 artanh(x/(2 + x)): nothing cancels.
    pub fn log1p(&self) -> Big {
        Big::splat(2.0) * (self.clone() / (Big::splat(2.0) + self.clone())).atanh()
    }

    /// 1/x
    pub fn reciprocal(&self) -> Big {
        Big::splat(1.0) / self.clone()
    }

    /// coth x − 1/x
    pub fn langevin(&self) -> Big {
        match self.to_f64().abs() < 1.0 {
            true => self.clone() * self.lambert(),
            false => self.tanh().reciprocal() - self.reciprocal(),
        }
    }

    /// Its derivative 1 − L² − 2L/x = 1/x² − 1/sinh² x.
    pub fn langevin_slope(&self) -> Big {
        if self.to_f64().abs() < 1.0 {
            let ratio = self.lambert();
            let langevin = self.clone() * ratio.clone();
            return Big::splat(1.0) - langevin.clone() * langevin - Big::splat(2.0) * ratio;
        }
        let [flat, steep] = [self.reciprocal(), self.sinh().reciprocal()];
        (flat.clone() - steep.clone()) * (flat + steep)
    }

    /// (coth x − 1/x)/x = 1/(3 + x²/(5 + x²/(7 + …))) for |x| ≤ 1. J. H. Lambert; all terms are positive, and each of them
    /// gains more than four bits.
    fn lambert(&self) -> Big {
        let square = self.clone() * self.clone();
        let terms = self.bits() as u32 / 4 + 4;
        let last = Big::exact(f64::from(2 * terms + 1), self.bits());
        let below = (1..terms).rev().fold(last, |rest, k| Big::splat(f64::from(2 * k + 1)) + square.clone() / rest);
        below.reciprocal()
    }

    /// The error function: all terms have one sign, so nothing cancels.
    ///
    /// ```text
    ///   erf x = 2/√π e^(−x²) Σ 2ⁿ x^(2n+1) / (1 · 3 · … · (2n + 1))
    /// ```
    ///
    /// NIST Handbook of Mathematical Functions, 7.6.2.
    pub fn erf(&self) -> Big {
        let bits = self.bits();
        let size = self.to_f64();
        if size * size > 0.7 * bits as f64 + 10.0 {
            return Big::exact(size.signum(), bits);
        }
        let square = self.clone() * self.clone();
        let (mut term, mut sum) = (self.clone(), self.clone());
        for n in 1..100_000u32 {
            term = term * square.clone() * Big::splat(2.0) / Big::splat(f64::from(2 * n + 1));
            sum = sum + term.clone();
            if term.log2() < sum.log2() - bits as f64 - 2.0 || term.value.is_zero() {
                break;
            }
        }
        sum * (-square).exp() * Big::splat(2.0) / Big::pi(bits).sqrt()
    }
}

impl PartialEq for Big {
    fn eq(&self, other: &Big) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Big) -> Option<Ordering> {
        self.value.cmp(&other.value).map(|order| order.cmp(&0))
    }
}

impl Add for Big {
    type Output = Big;

    fn add(self, other: Big) -> Big {
        match (self.raw(), other.raw()) {
            (Some(a), Some(b)) => Big::sum([(a, ONE), (b, ONE)].into_iter()),
            _ => Big { value: self.value.add(&other.value, 64, ROUNDING) },
        }
    }
}

impl Neg for Big {
    type Output = Big;

    fn neg(mut self) -> Big {
        self.value.inv_sign();
        self
    }
}

impl Sub for Big {
    type Output = Big;

    fn sub(self, other: Big) -> Big {
        self + -other
    }
}

impl Mul for Big {
    type Output = Big;

    fn mul(self, other: Big) -> Big {
        match (self.raw(), other.raw()) {
            (Some(a), Some(b)) => Big::sum(std::iter::once((a, b))),
            _ => Big { value: self.value.mul(&other.value, 64, ROUNDING) },
        }
    }
}

impl Div for Big {
    type Output = Big;

    fn div(self, other: Big) -> Big {
        let bits = self.bits().max(other.bits());
        Big { value: self.value.div(&other.value, bits, ROUNDING) }
    }
}

impl Arithmetic for Big {
    type Stored = Big;

    fn load(from: &Big) -> Big {
        from.clone()
    }

    fn splat(x: f64) -> Big {
        Big { value: BigFloat::from_f64(x, 64) }
    }

    fn sqrt(self) -> Big {
        Big { value: self.value.sqrt(self.bits(), ROUNDING) }
    }
}

impl Precise for Big {
    type Key = (Vec<u64>, bool, i64);

    fn key(&self) -> (Vec<u64>, bool, i64) {
        self.raw().map_or((Vec::new(), true, 0), |raw| (raw.limbs.iter().collect(), raw.negative, raw.exponent))
    }

    fn exact(x: f64, bits: usize) -> Big {
        Big { value: BigFloat::from_f64(x, whole(bits)) }
    }

    fn decimal(mantissa: i128, exponent: i32, bits: usize) -> Big {
        let text = format!("{mantissa}e{exponent}");
        let parse =
            |constants: &mut Consts| BigFloat::parse(&text, Radix::Dec, whole(bits), RoundingMode::ToEven, constants);
        Big { value: with_constants(parse) }
    }

    fn pi(bits: usize) -> Big {
        Big { value: with_constants(|constants| constants.pi(whole(bits), ROUNDING)) }
    }

    fn to_f64(&self) -> f64 {
        let Some(raw) = self.raw() else {
            let infinite = if self.value.is_inf_pos() { f64::INFINITY } else { f64::NEG_INFINITY };
            return if self.value.is_nan() { f64::NAN } else { infinite };
        };
        let mut limbs = raw.limbs.iter().rev();
        let Some(top) = limbs.next() else { return 0.0 };
        let below = limbs.next().unwrap_or(0);
        // the second limb only decides how the first one is rounded
        let wide = (u128::from(top) << 64 | u128::from(below)) as f64;
        // in two steps, for the first one alone could leave the range
        let (half, exponent) = (raw.exponent / 2, raw.exponent - raw.exponent / 2 - 128);
        let power = |e: i64| 2f64.powi(e.clamp(-2000, 2000) as i32);
        let size = wide * power(half) * power(exponent);
        if raw.negative { -size } else { size }
    }

    fn log2(&self) -> f64 {
        let Some(raw) = self.raw() else { return f64::NAN };
        match raw.limbs.last() {
            None | Some(0) => f64::NEG_INFINITY,
            Some(top) => (top as f64).log2() - 64.0 + raw.exponent as f64,
        }
    }

    fn is_finite(&self) -> bool {
        !self.value.is_nan() && !self.value.is_inf()
    }

    fn dot<'a>(pairs: impl Iterator<Item = (&'a Big, &'a Big)> + Clone) -> Big {
        if pairs.clone().any(|(a, b)| !a.is_finite() || !b.is_finite()) {
            return Big::undefined();
        }
        Big::sum(pairs.filter_map(|(a, b)| a.raw().zip(b.raw())))
    }

    fn to_big(&self) -> Big {
        self.clone()
    }

    fn to_decimal(&self, digits: usize) -> String {
        if !self.is_finite() {
            return self.to_f64().to_string();
        }
        let format = |constants: &mut Consts| self.value.format(Radix::Dec, RoundingMode::ToEven, constants);
        decimal::shorten(&with_constants(format).unwrap_or_else(|_| self.to_f64().to_string()), digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqrt_two(bits: usize) -> Big {
        Big::exact(2.0, bits).sqrt()
    }

    /// Our sums and products against those of the library, over exponents that overlap, touch and do not meet.
    #[test]
    fn sums_and_products_are_those_of_the_library() {
        for bits in [64, 128, 192, 320, 1024] {
            let (a, pi) = (sqrt_two(bits), Big::pi(bits));
            for shift in [0, 1, 31, 63, 64, 65, 127, 128, 200, 900, 1500] {
                for sign in [1.0, -1.0] {
                    let mut b = pi.clone() * Big::splat(sign);
                    b.value.set_exponent(2 - shift);
                    let exact = |f: fn(&BigFloat, &BigFloat, usize, RoundingMode) -> BigFloat| Big {
                        value: f(&a.value, &b.value, bits, RoundingMode::ToEven),
                    };
                    let checks = [
                        (a.clone() + b.clone(), exact(BigFloat::add)),
                        (a.clone() - b.clone(), exact(BigFloat::sub)),
                        (a.clone() * b.clone(), exact(BigFloat::mul)),
                    ];
                    for (own, library) in checks {
                        let error = (own.clone() - library.clone()).log2() - library.log2();
                        assert!(error <= -(bits as f64) + 1.5, "{bits} {shift} {sign}: {error}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_sum_that_cancels_is_exact() {
        let (a, b) = (sqrt_two(256), Big::exact(1.0, 256));
        let sum = Big::dot([(&a, &a), (&b, &(Big::splat(-2.0)))].into_iter());
        assert!(sum.log2() < -254.0, "{sum:?}");
        assert_eq!(Big::dot([(&a, &b), (&(-a.clone()), &b)].into_iter()).log2(), f64::NEG_INFINITY);
        assert!(!Big::dot([(&a, &Big::undefined())].into_iter()).is_finite());
    }

    #[test]
    fn doubles_go_there_and_back() {
        for x in [0.0, 1.0, -0.1, 1e300, -1e-300, 6.02e23, f64::MIN_POSITIVE] {
            assert_eq!(Big::exact(x, 192).to_f64(), x);
        }
        assert!((Big::exact(0.1, 192).log2() - 0.1f64.log2()).abs() < 1e-12);
        assert_eq!(Big::splat(f64::INFINITY).to_f64(), f64::INFINITY);
    }

    /// erf 1 from the tables; the angle of every quadrant.
    #[test]
    fn functions_that_the_library_lacks() {
        let one = Big::exact(1.0, 192);
        assert_eq!(one.erf().to_decimal(40), "0.8427007929497148693412206350826092592961");
        assert_eq!(Big::exact(-20.0, 192).erf().to_decimal(20), "-1.0000000000000000000");
        let angle = |y: f64, x: f64| Big::exact(y, 192).atan2(&Big::exact(x, 192)).to_f64();
        for (y, x) in [(1.0, 2.0), (1.0, -2.0), (-1.0, -2.0), (-1.0, 2.0), (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0)] {
            assert!((angle(y, x) - f64::atan2(y, x)).abs() < 1e-15, "{y} {x}");
        }
        assert_eq!(Big::exact(-2.0, 128).power(&Big::exact(3.0, 128)).to_f64(), -8.0);
        assert_eq!(Big::exact(2.0, 128).power(&Big::exact(-2.0, 128)).to_f64(), 0.25);
    }
}
